"""A lattice that is not even, as simulated runs measure it: in shares of the user's range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import Law
from feint.problem import Prior, Scale

_TABLED = 1 << 20  # cells up to which every boundary's place is looked up
_DRAWN = 1 << 40  # equal cells that a place is drawn on


@dataclass(frozen=True)
class Measure:
    """Where every boundary of one coordinate's lattice lies.

    Attributes:
        places: Every boundary in whole places, from the beginning of the range.
        total: How many places the range has.
        law: The prior by which a share of a cell is a share of its mass, as in `Scale`.
    """

    places: tuple[int, ...]
    total: int
    law: Prior | None = None

    @classmethod
    def of(cls, scale: Scale | None) -> Measure | None:
        """The measure of a scale; None where cells are equal, or so many that they nearly are."""
        if scale is None or scale.even or scale.size > _TABLED:
            return None
        places, total = scale.places()
        return cls(tuple(places), total, scale.law)

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Every boundary as a share of the range."""
        return np.array([each / self.total for each in self.places])

    def at(self, point: NDArray[Any]) -> NDArray[np.float64]:
        """Places of the lattice, in cells, as shares of the range; beyond its ends cells go on."""
        last = len(self.shares) - 1
        found = np.interp(point, np.arange(last + 1), self.shares)
        outside = np.asarray(point, float) - np.clip(point, 0, last)
        share: NDArray[np.float64] = found + outside / last
        return share

    def between(self, cell: NDArray[np.int64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return estimates as shares of the range: what `Scale.between` gives, in floats."""
        if self.law is None:
            return self.at(cell + rest)
        at = np.clip(cell, 0, len(self.shares) - 2)
        mass = at + rest
        below = np.searchsorted(self._masses, mass, side="left") - 1
        below = np.clip(below, 0, self.law.bins - 1)
        wide = self._masses[below + 1] - self._masses[below]
        inside = (mass - self._masses[below]) / np.where(wide > 0, wide, 1)
        share = np.clip((below + inside) / self.law.bins, self.shares[at], self.shares[at + 1])
        return np.where(rest > 0, share, self.shares[cell])

    @cached_property
    def _masses(self) -> NDArray[np.float64]:
        """The mass below each end of the law's bins, in cells of equal mass."""
        weights = () if self.law is None else self.law.weights
        size, total = len(self.places) - 1, sum(weights)
        return np.array([each * size / total for each in accumulate(weights, initial=0)])

    def draw(
        self, law: Law | None, runs: int, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """[runs] the cell that holds X*, and how far into it X* lies, from 0 to 1."""
        if law is None:
            share = random.random(runs)
        else:
            cell, rest = law.draw(_DRAWN, runs, random)
            share = (cell + rest) / _DRAWN
        found = np.searchsorted(self.shares, share, side="right") - 1
        found = np.clip(found, 0, len(self.shares) - 2)
        wide = self.shares[found + 1] - self.shares[found]
        return found, np.clip((share - self.shares[found]) / np.where(wide > 0, wide, 1), 0, 1)

    def widest(
        self, low: NDArray[np.int64], high: NDArray[np.int64], cell: NDArray[np.int64]
    ) -> int:
        """Twice the largest distance from the middle of two boundaries to a place of a cell."""
        table = np.array(self.places, object if self.total >= 1 << 60 else np.int64)
        both = table[low] + table[high]
        off = np.maximum(both - 2 * table[cell], 2 * table[cell + 1] - both)
        return int(off.max(initial=0))


def measures(scales: Sequence[Scale | None] | None) -> tuple[Measure | None, ...] | None:
    """One measure a coordinate; None where every lattice is even."""
    found = tuple(Measure.of(each) for each in scales or ())
    return found if any(each is not None for each in found) else None
