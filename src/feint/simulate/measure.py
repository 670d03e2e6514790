"""A deprecated name for the methods of `feint.problem.Line` that simulations use."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.exact.stability import deprecated
from feint.interfaces import Law
from feint.problem import Line, Prior
from feint.simulate.place import drawn

Int = NDArray[np.int64]
Float = NDArray[np.float64]


class Measure:
    """A deprecated wrapper: use `feint.problem.Line` instead."""

    @deprecated(use="feint.problem.Line", since="0.2")
    def __init__(self, places: tuple[int, ...], total: int, law: Prior | None = None) -> None:
        """Wrap the line with these places, `total` of them in the range."""
        self.places, self.total, self.law = places, total, law
        ends = Fraction(0), Fraction(total)
        self._line = Line(*ends, len(places) - 1, Fraction(1), None, tuple(places[1:-1]), law)

    @classmethod
    def of(cls, scale: Line | None) -> Measure | None:
        """Wrap a line; return None if its cells are equal."""
        if scale is None or scale.even:
            return None
        places = scale.place(np.arange(scale.size + 1)).tolist()
        return cls(tuple(places), scale.finest, scale.prior)

    @property
    def shares(self) -> Float:
        """Return `Line.shares`."""
        return self._line.shares

    def at(self, point: NDArray[Any]) -> Float:
        """Return `Line.shares_at`."""
        return self._line.shares_at(point)

    def between(self, cell: Int, rest: Float) -> Float:
        """Return `Line.shares_between`."""
        return self._line.shares_between(cell, rest)

    def draw(self, law: Law | None, runs: int, random: np.random.Generator) -> tuple[Int, Float]:
        """Draw X*: [runs] its cells, and its offsets within them, from 0 to 1."""
        return drawn(self._line, law, runs, random)

    def widest(self, low: Int, high: Int, cell: Int) -> int:
        """Return twice the largest distance from the middle of two boundaries to a cell."""
        both = self._line.place(low) + self._line.place(high)
        ends = 2 * self._line.place(cell), 2 * self._line.place(cell + 1)
        return int(np.maximum(both - ends[0], ends[1] - both).max(initial=0))
