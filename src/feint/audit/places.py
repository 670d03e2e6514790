"""Divide the line of a coordinate into whole places, for cells, windows and bins of a prior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.branches import SAFE, mass
from feint.problem import UNIFORM, Line, Prior

Int = NDArray[np.int64]
Float = NDArray[np.float64]
_PLACES = 1 << 14  # places of an uneven line between which mass moves: more would take minutes


@dataclass(frozen=True)
class Places:
    """A line, the distribution of X* on it and a window, all measured in whole places.

    Attributes:
        line: The line of the cells. Its own prior, if any, is the one that estimates use.
        delta: The width of a window, as a share of the range.
        prior: The distribution of X* at first, which may differ from the planner's.
        fits_windows: Whether windows end on places. Exact audits need this. Sampled audits do not,
            and have fewer places without it.
    """

    line: Line
    delta: Fraction
    prior: Prior = UNIFORM
    fits_windows: bool = True

    @classmethod
    def of(
        cls,
        scale: Line | None,
        *,
        cells: int,
        delta: Fraction,
        prior: Prior,
        width: Fraction,
        moving: bool = False,
        fits_windows: bool = True,
    ) -> Places:
        """Return the places of a line; without one, of equal cells with this total width.

        If mass will move from place to place (`moving`) and an uneven line has too many places
        for that, cells are taken as equal.
        """
        if scale is None or (moving and too_fine(scale, delta)):
            scale = Line(Fraction(0), width, cells)
        return cls(scale, delta, prior, fits_windows)

    @property
    def flat(self) -> Places:
        """The places with a uniform prior."""
        return replace(self, prior=UNIFORM)

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.line.size

    @property
    def marks(self) -> int:
        """The number of cells, or of the places of `Line.finest` if cells are not equal."""
        return self.line.finest

    @cached_property
    def units(self) -> int:
        """The number of places."""
        window = self.delta if self.fits_windows else Fraction(0)
        return replace(self.line, prior=self.prior).units(window)

    @property
    def scale(self) -> int:
        """The number of places in a mark."""
        return self.units // self.marks

    @property
    def length(self) -> int:
        """The number of places in a window."""
        return int(self.delta * self.units)

    @property
    def mass(self) -> int:
        """The prior weight of all places together."""
        return mass(self.units, self.prior)

    @property
    def grain(self) -> Fraction:
        """The unit that moves are multiples of, in the user's units: a cell, or a tick."""
        return self.line.cell if self.line.tick is None else self.line.tick

    @property
    def stride(self) -> int:
        """The number of places in a grain."""
        return int(self.grain / self.line.width * self.units)

    @property
    def bins(self) -> NDArray[Any]:
        """The ends of the prior's bins; for a uniform prior, the ends of the line."""
        count = 1 if self.prior.uniform else self.prior.bins
        kind = object if self.units >= SAFE else np.int64
        return np.arange(count + 1).astype(kind) * (self.units // count)

    def mark(self, boundaries: Int) -> NDArray[Any]:
        """Return the marks of boundaries of the lattice; UNASKED stays UNASKED."""
        return self.line.place(boundaries)

    def place(self, boundaries: Int) -> NDArray[Any]:
        """Return the places of boundaries of the lattice."""
        return self.line.place(boundaries, self.units)

    def cell(self, places: Int) -> Int:
        """Return the cells of the lattice that hold these places."""
        return self.line.cells(places, self.units)

    def density(self, places: NDArray[Any]) -> NDArray[Any]:
        """Return the prior weight of each of these places."""
        kind = np.int64 if max(self.prior.weights) < SAFE else object
        found: NDArray[Any] = np.array(self.prior.weights, kind)[
            (places // (self.units // self.prior.bins)).astype(np.int64)
        ]
        return found

    @property
    def prior_density(self) -> tuple[NDArray[Any], Float]:
        """The ends of the prior's bins and its density in each, up to a factor."""
        return self.bins, self.density(self.bins[:-1]).astype(float)

    def draw(self, runs: int, random: np.random.Generator) -> Int:
        """Draw [runs] places from the prior; the line must have fewer than 2^62 places."""
        if self.prior.uniform:
            return random.integers(self.units, size=runs)
        share = np.array([float(each) for each in self.prior.weights])
        bin_ = random.choice(self.prior.bins, size=runs, p=share / share.sum())
        wide = self.units // self.prior.bins
        found: Int = bin_ * wide + random.integers(wide, size=runs)
        return found

    def errors(self, cell: Int, rest: Float, places: Int, inside: Float | None) -> Float:
        """Return the distances [runs] of estimates from X*, as shares of the range.

        Args:
            cell: The cells of the estimates.
            rest: The offsets of the estimates in their cells.
            places: The places of X*.
            inside: The offsets of X* in its places; None: X* is the middle of its cell, a whole
                value.
        """
        offset = inside
        if offset is None:
            held = self.cell(places)
            places = self.place(held)
            offset = (self.place(held + 1) - places) / 2
        if not self.line.even:  # round as a search does
            return np.abs(self.line.shares_between(cell, rest) - (places + offset) / self.units)
        # Whole places are subtracted first: there may be too many for a float.
        gap: Float = (self.place(cell) - places + (rest * self.scale - offset)) / self.units
        return np.abs(gap)


def too_fine(line: Line, delta: Fraction) -> bool:
    """Return True if an uneven line has too many places to move mass from place to place."""
    return not line.even and replace(line, prior=None).units(delta) > _PLACES
