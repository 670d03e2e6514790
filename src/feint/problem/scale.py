"""From the lattice to the user's units: the one map from one to the other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from feint.exact import decimal
from feint.problem.prior import Prior


@dataclass(frozen=True)
class Scale:
    """Where the boundaries of a lattice lie in the user's units: the one map from one to the other.

    Boundary k of `size` lies at low + (high − low)·k/size; with a tick, at the multiple of the tick
    nearest to that. The ends of the range, which nobody is asked about, stay where they are.

    Attributes:
        low: Where the lattice begins.
        high: Where it ends.
        size: How many cells it has.
        tick: What inner boundaries are multiples of; None: they lie where they fall.
        clip: The range, where it is narrower than the lattice: the first and the last cell are then
            cut short.
        marks: Where the inner boundaries lie, in ticks from zero, where that follows no rule: a
            prior's quantiles. They never fall; two may be one where a cell is empty. None: the
            lattice is even but for rounding.
        law: The prior whose quantiles the marks are, if cells have equal mass. A share of a cell
            is then a share of its mass. None: it is a share of its width.
    """

    low: Fraction
    high: Fraction
    size: int
    tick: Fraction | None = None
    clip: tuple[Fraction, Fraction] | None = None
    marks: tuple[int, ...] | None = None
    law: Prior | None = None

    @property
    def cell(self) -> Fraction:
        """The mean width of a cell; where there are no marks, its width before it is rounded."""
        return (self.high - self.low) / self.size

    @property
    def even(self) -> bool:
        """Whether all cells are equally wide."""
        return self.tick is None and self.clip is None

    @property
    def unit(self) -> Fraction | None:
        """What every inner boundary is a multiple of; None where they are no decimals."""
        if self.tick is not None:
            return self.tick
        whole = decimal(self.low) is not None and decimal(self.cell) is not None
        return self.cell if whole else None

    def at(self, boundary: int) -> Fraction:
        """Where a boundary lies."""
        if boundary in (0, self.size) and self.clip is not None:
            return self.clip[boundary > 0]
        if self.marks is not None and self.tick is not None and 0 < boundary < self.size:
            return self.marks[boundary - 1] * self.tick
        exact = self.low + (self.high - self.low) * boundary / self.size
        if self.tick is None or boundary in (0, self.size):
            return exact
        return math.floor(exact / self.tick + Fraction(1, 2)) * self.tick

    def places(self) -> tuple[list[int], int]:
        """Every boundary as a whole number of places, and how many places the range has."""
        ends = self.at(0), self.at(self.size)
        boundaries = [self.at(each) for each in range(self.size + 1)]
        below = math.lcm(*{each.denominator for each in boundaries})
        found = [int((each - ends[0]) * below) for each in boundaries]
        return found, found[-1]

    def between(self, cell: int, rest: Fraction) -> Fraction:
        """Return the place that lies a share of a cell into it, by mass if there is a law."""
        low = self.at(cell)
        if not rest:
            return low
        high = self.at(cell + 1)
        if self.law is None:
            return low + (high - low) * rest
        share = self.law.quantile((cell + rest) / self.size)
        # Marks lie up to a tick below their quantiles, and an estimate stays between its marks.
        return min(max(low, self.low + (self.high - self.low) * share), high)
