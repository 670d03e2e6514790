"""The line that X* lies on, in whole places: what branches, priors, windows and moves end on."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.audit.subject import Subject
from feint.branches import Ruler, refine
from feint.interfaces import Strategy
from feint.problem import Prior, Scale

Int = NDArray[np.int64]
_PLACES = 1 << 14  # of an uneven scale, on which mass is moved


@dataclass(frozen=True, kw_only=True)
class Line:
    """One coordinate's range, numbered so finely that all that matters ends on a place.

    Attributes:
        cells: The size of the lattice.
        delta: The length of a window, as a share of the range.
        prior: Where X* may be at first.
        width: What the range is wide in the user's units.
        ruler: Where the boundaries lie, where cells are uneven; None: equal cells.
    """

    cells: int
    delta: Fraction
    prior: Prior
    width: Fraction
    ruler: Ruler | None = None

    @classmethod
    def of(
        cls,
        subject: Subject,
        strategy: Strategy,
        scale: Scale | None,
        *,
        moving: bool,
        index: int = 0,
    ) -> Line:
        """The line of one coordinate of what is audited.

        Args:
            subject: What is audited.
            strategy: The search of that coordinate.
            scale: Where its questions are shown; None: where they fall.
            moving: Whether mass will be moved, place by place: then cells are taken as equal where
                there are too many places.
            index: Which coordinate it is.

        Returns:
            The line.
        """
        ruler, delta = None, subject.problem.delta
        if scale is not None and not (scale.even or (moving and too_fine(scale, delta))):
            ruler = _ruler(scale, delta)
        return cls(
            cells=strategy.cells[0],
            delta=delta,
            prior=subject.prior[index],
            width=subject.domain.width,
            ruler=ruler,
        )

    @cached_property
    def scale(self) -> int:
        """The number of places in a cell, or in a place of the ruler."""
        return refine(self.marks, self.delta, self.prior.bins)

    @property
    def units(self) -> int:
        """The number of places."""
        return self.marks * self.scale

    @property
    def length(self) -> int:
        """The number of places in a window."""
        return int(self.delta * self.units)

    @property
    def grain(self) -> Fraction:
        """What moves are multiples of, in the user's units: a cell, or a tick."""
        if self.ruler is None:
            return self.width / self.cells
        scale = self.ruler.scale
        return scale.cell if scale.tick is None else scale.tick

    @property
    def stride(self) -> int:
        """The number of places in a grain."""
        return (
            self.scale if self.ruler is None else int(self.grain * self.ruler.fineness) * self.scale
        )

    def place(self, boundaries: Int) -> NDArray[Any]:
        """The places of boundaries of the lattice."""
        marks = boundaries if self.ruler is None else self.ruler.place(boundaries)
        return marks * self.scale

    def density(self, places: NDArray[Any]) -> NDArray[Any]:
        """What the prior weighs at each of these places."""
        weights = np.array(self.prior.weights, np.int64 if self._small else object)
        found: NDArray[Any] = weights[(places // (self.units // self.prior.bins)).astype(np.int64)]
        return found

    def draw(self, runs: int, random: np.random.Generator) -> Int:
        """[runs] places drawn by the prior; there are fewer than 2^62 of them."""
        share = np.array([float(each) for each in self.prior.weights])
        bin_ = random.choice(self.prior.bins, size=runs, p=share / share.sum())
        wide = self.units // self.prior.bins
        found: Int = bin_ * wide + random.integers(wide, size=runs)
        return found

    def cell(self, places: Int) -> Int:
        """The cells of the lattice that hold these places."""
        marks = places // self.scale
        if self.ruler is None:
            return marks
        low, high = np.zeros_like(marks), np.full_like(marks, self.cells)
        while (high - low).max(initial=0) > 1:
            middle = (low + high) // 2
            above = self.ruler.place(middle) > marks
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return low

    @property
    def bins(self) -> Int:
        """Where the prior's bins begin and end; of a uniform one, the ends of the line."""
        count = 1 if self.prior.uniform else self.prior.bins
        return np.arange(count + 1) * (self.units // count)

    @property
    def marks(self) -> int:
        """The number of cells, or of places of the ruler: what boundaries are counted in."""
        return self.cells if self.ruler is None else self.ruler.places

    @property
    def _small(self) -> bool:
        return max(self.prior.weights) < 1 << 62


def too_fine(scale: Scale, delta: Fraction) -> bool:
    """Whether an uneven scale has too many places for mass to be moved place by place."""
    return not scale.even and _ruler(scale, delta).places > _PLACES


def _ruler(scale: Scale, delta: Fraction) -> Ruler:
    return Ruler(scale, delta * (scale.at(scale.size) - scale.at(0)))
