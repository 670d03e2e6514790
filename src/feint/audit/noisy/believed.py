"""What is believed of X* under noise, where it is not uniform: on any scale, by any prior."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import best_window
from feint.problem import Prior, Scale
from feint.simulate import Measure

Int = NDArray[np.int64]
Float = NDArray[np.float64]
PLACES = 1 << 50
"""Places that the range has: bins and boundaries are told apart to this precision."""


@dataclass(frozen=True)
class Believed:
    """One coordinate: where the cells of its lattice lie, and how likely X* is there.

    Attributes:
        size: How many cells the lattice has.
        scale: Where they lie; None: they are equal.
        prior: Where X* may be.
    """

    size: int
    scale: Scale | None
    prior: Prior

    @cached_property
    def measure(self) -> Measure:
        """Where every boundary lies, as a share of the range."""
        found = Measure.of(self.scale)
        return found or Measure(tuple(range(self.size + 1)), self.size)

    def draw(self, runs: int, random: np.random.Generator) -> tuple[Int, Float]:
        """[runs] cells that hold X*, and how far into them it lies."""
        return self.measure.draw(self.prior, runs, random)

    def success(self, edges: Int, mass: Float, delta: Fraction) -> float:
        """What the best window of length δ wins with, given how likely the queries are by cell.

        Args:
            edges: Where the pieces of that likelihood begin and end, in cells.
            mass: The likelihood in each.
            delta: The window's length, as a share of the range.
        """
        ends, weight = self.weighed(edges, mass)
        _, caught = best_window(ends[None], weight[None], delta * PLACES)
        total = float((np.diff(ends) * weight).sum())
        return min(1.0, float(caught[0]) / total) if total > 0 else 0.0

    def weighed(self, edges: Int, mass: Float) -> tuple[Int, Float]:
        """The posterior, given how likely queries are by cell: ends in places, and densities."""
        ends, cell, density = self._pieces
        piece = np.clip(np.searchsorted(edges, cell, side="right") - 1, 0, len(mass) - 1)
        return ends, mass[piece] * density

    @cached_property
    def _pieces(self) -> tuple[Int, Int, Float]:
        """Where the density of X* or the cell changes, in places; the cell and density between."""
        bins = np.arange(self.prior.bins + 1) / self.prior.bins
        shares = self.measure.shares
        ends = np.unique(np.rint(np.concatenate((shares, bins)) * PLACES).astype(np.int64))
        middle = (ends[:-1] + ends[1:]) / 2 / PLACES
        cell = np.clip(np.searchsorted(shares, middle, side="right") - 1, 0, self.size - 1)
        at = np.minimum((middle * self.prior.bins).astype(np.int64), self.prior.bins - 1)
        density = np.asarray(self.prior.weights, float)[at] / max(self.prior.weights)
        return ends, cell, density
