"""Map between cells, places in the user's units, and masses: the line that X* lies on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from feint.exact import ceil_div, decimal
from feint.problem.prior import UNIFORM, Prior

if TYPE_CHECKING:  # NumPy is slow to import, and problems and bounds do not need it
    import numpy as np
    from numpy.typing import NDArray

_SAFE = 1 << 60  # larger places are Python integers, so that sums of four fit in 64 bits
_PRECISE = 1 << 53  # whole numbers up to here are exact as floats


@dataclass(frozen=True)
class Line:
    """A range in the user's units, cut into cells, with their places and masses.

    Boundary k of `size` lies at low + (high − low)·k/size; with a tick, at the multiple of the tick
    nearest to that. The ends of the range, which are never asked about, are not rounded. Widths
    such as delta are shares of the range, as in `Problem`.

    >>> line = Line.of_ticks(Fraction(1, 2), Fraction(4), Fraction(1))
    >>> [str(line.at(boundary)) for boundary in range(line.size + 1)]
    ['1/2', '1', '2', '3', '4']
    >>> line.mass(2)
    Fraction(3, 7)

    Attributes:
        low: The start of the lattice.
        high: The end of the lattice.
        size: The number of cells.
        tick: The unit of inner boundaries, which are multiples of it; None: they are not rounded.
        clip: The range, if it is narrower than the lattice. The first and the last cell are then
            cut short.
        marks: The inner boundaries in ticks from zero, if they follow no rule, such as a prior's
            quantiles. They never decrease; if two are equal, the cell between them is empty. None:
            the lattice is even except for rounding.
        prior: The distribution of X*; None: uniform. If there are marks too, `between` takes them
            as its quantiles: a share of a cell is a share of its mass.
    """

    low: Fraction
    high: Fraction
    size: int
    tick: Fraction | None = None
    clip: tuple[Fraction, Fraction] | None = None
    marks: tuple[int, ...] | None = None
    prior: Prior | None = None

    @classmethod
    def of_cells(cls, size: int, prior: Prior | None = None) -> Line:
        """Return the unit interval in equal cells.

        >>> Line.of_cells(4).at(1)
        Fraction(1, 4)
        """
        return cls(Fraction(0), Fraction(1), size, prior=prior)

    @classmethod
    def of_ticks(
        cls, low: Fraction, high: Fraction, tick: Fraction, prior: Prior | None = None
    ) -> Line:
        """Return the ticks that cover a range; the first and the last may lie outside of it.

        >>> Line.of_ticks(Fraction(1, 2), Fraction(4), Fraction(1)).cut_short
        (1, 0)
        """
        first = low // tick * tick
        size = ceil_div(high - first, tick)
        last = first + size * tick
        clip = None if (low, high) == (first, last) else (low, high)
        return cls(first, last, size, None, clip, prior=prior)

    @classmethod
    def of_places(
        cls, low: Fraction, high: Fraction, tick: Fraction, prior: Prior | None = None
    ) -> Line:
        """Return the fewest equal cells with every tick of a range at a boundary.

        >>> Line.of_places(Fraction(1, 2), Fraction(4), Fraction(1)).cell
        Fraction(1, 2)
        """
        below = math.lcm(low.denominator, high.denominator, tick.denominator)
        unit = Fraction(math.gcd(*(int(each * below) for each in (low, high, tick))), below)
        return cls(low, high, int((high - low) / unit), prior=prior)

    @classmethod
    def of_quantiles(
        cls, low: Fraction, high: Fraction, prior: Prior, size: int, tick: Fraction
    ) -> Line:
        """Return cells of equal mass, each boundary at the tick at or below its quantile.

        >>> Line.of_quantiles(Fraction(0), Fraction(9), Prior([1, 0, 3]), 2, Fraction(1)).at(1)
        Fraction(7, 1)
        """
        shares = (prior.quantile(Fraction(number, size)) for number in range(1, size))
        marks = tuple(math.floor((low + (high - low) * each) / tick) for each in shares)
        return cls(low, high, size, tick, None, marks, prior)

    @property
    def cell(self) -> Fraction:
        """Return the mean width of a cell; without marks, its width before rounding."""
        return (self.high - self.low) / self.size

    @property
    def width(self) -> Fraction:
        """Return the width of the range."""
        return self.high - self.low if self.clip is None else self.clip[1] - self.clip[0]

    @property
    def even(self) -> bool:
        """Return True if all cells are equally wide."""
        return self.tick is None and self.clip is None

    @property
    def unit(self) -> Fraction | None:
        """Return the unit of which all inner boundaries are multiples; None if there is none."""
        if self.tick is not None:
            return self.tick
        whole = decimal(self.low) is not None and decimal(self.cell) is not None
        return self.cell if whole else None

    @property
    def cut_short(self) -> tuple[int, int]:
        """Return 1 or 0 for the first and the last cell: 1 if it extends beyond the range."""
        low, high = self.clip or (self.low, self.high)
        return int(low > self.low), int(high < self.high)

    @property
    def slack(self) -> Fraction:
        """Return the total width of all cells over that of the range.

        X* is denser on the range by at most this factor than if it were uniform on all cells, and
        an eavesdropper's success is larger by at most this factor.
        """
        return (self.high - self.low) / self.width

    def window(self, delta: Fraction) -> Fraction:
        """Return the length of a window of width delta, in cells of mean width.

        >>> Line.of_cells(12).window(Fraction(1, 8))
        Fraction(3, 2)
        """
        return delta * self.width / self.cell

    def accuracy(self, epsilon: Fraction) -> int:
        """Return the number of cells of mean width that fit into an interval of width epsilon.

        >>> Line.of_cells(12).accuracy(Fraction(1, 8))
        1
        """
        return int(self.window(epsilon))

    def at(self, boundary: int) -> Fraction:
        """Return the place of a boundary, in the user's units.

        >>> Line(Fraction(0), Fraction(10), 3, tick=Fraction(1)).at(1)
        Fraction(3, 1)
        """
        if boundary in (0, self.size) and self.clip is not None:
            return self.clip[boundary > 0]
        if self.marks is not None and self.tick is not None and 0 < boundary < self.size:
            return self.marks[boundary - 1] * self.tick
        exact = self.low + (self.high - self.low) * boundary / self.size
        if self.tick is None or boundary in (0, self.size):
            return exact
        return math.floor(exact / self.tick + Fraction(1, 2)) * self.tick

    def between(self, cell: int, rest: Fraction) -> Fraction:
        """Return the place of an estimate, given its share of a cell, by mass if there is a prior.

        Without marks it is not rounded: an estimate need not be a multiple of the tick.

        >>> Line.of_cells(4).between(1, Fraction(1, 2))
        Fraction(3, 8)
        """
        if self.marks is None:
            return self.low + self.cell * (cell + rest)
        low = self.at(cell)
        if not rest:
            return low
        high = self.at(cell + 1)
        if self.prior is None:
            return low + (high - low) * rest
        share = self.prior.quantile((cell + rest) / self.size)
        # Marks lie up to a tick below their quantiles; an estimate must stay between its marks.
        return min(max(low, self.at(0) + self.width * share), high)

    def mass(self, boundary: int) -> Fraction:
        """Return the probability that X* lies below a boundary.

        >>> Line.of_cells(3, Prior([1, 0, 3])).mass(2)
        Fraction(1, 4)
        """
        return self.mass_below(self.at(boundary))

    def mass_below(self, place: Fraction) -> Fraction:
        """Return the probability that X* lies below a place of the user's units."""
        return (self.prior or UNIFORM).below((place - self.at(0)) / self.width)

    def units(self, delta: Fraction = Fraction(0)) -> int:
        """Return a number of places for the range, so that windows and masses are exact.

        Every boundary, every bin of the prior, and every window of width delta that starts on a
        place then ends on a place.

        >>> Line.of_cells(4).units(Fraction(1, 3))
        12
        """
        cut = self.finest
        return cut * refine(cut, delta, (self.prior or UNIFORM).bins)

    @cached_property
    def finest(self) -> int:
        """Return the number of equal places in the range with every boundary on a place."""
        return self.size if self.even else int(self.width * self._per_unit)

    @cached_property
    def _per_unit(self) -> int:
        """Return the number of places of `finest` in one of the user's units."""
        step = self.cell if self.tick is None else self.tick
        ends = (self.low, self.high, step, *(self.clip or ()))
        return math.lcm(*(end.denominator for end in ends))

    def place(self, boundaries: NDArray[Any], units: int | None = None) -> NDArray[Any]:
        """Return the places of boundaries as whole numbers from the beginning of the range.

        Args:
            boundaries: Boundaries, an array of any shape. Negative entries, such as columns that
                were not asked, stay unchanged.
            units: The number of places in the range, from `units`; None: `finest`.

        Returns:
            The places, as Python integers if they need more than 64 bits.

        >>> import numpy as np
        >>> Line.of_ticks(Fraction(1, 2), Fraction(4), Fraction(1)).place(np.arange(5)).tolist()
        [0, 1, 3, 5, 7]
        """
        import numpy as np

        times = 1 if units is None else units // self.finest
        kind = object if self.finest * times >= _SAFE else np.int64
        places = boundaries if self.even else self._uneven(boundaries)
        found: NDArray[Any] = np.where(boundaries < 0, boundaries, places.astype(kind) * times)
        return found

    def _uneven(self, boundaries: NDArray[Any]) -> NDArray[Any]:
        """Return the places of boundaries of unequal cells."""
        import numpy as np

        if self.marks is not None:
            marked: NDArray[Any] = self._marked[boundaries]
            return marked
        a, b, below, wide, origin, large = self._rule
        held = boundaries.astype(object) if large else boundaries
        found = np.where(boundaries == 0, 0, (a + b * held) // below * wide - origin)
        return np.where(boundaries == self.size, self.finest, found)

    @cached_property
    def _rule(self) -> tuple[int, int, int, int, int, bool]:
        """Return numbers with which ⌊exact/tick + 1/2⌋·tick is ⌊(a + b·k)/below⌋·wide − origin."""
        tick = self.cell if self.tick is None else self.tick
        first = self.low / tick + (0 if self.tick is None else Fraction(1, 2))
        each = self.cell / tick
        below = math.lcm(first.denominator, each.denominator)
        a, b, wide = int(first * below), int(each * below), int(tick * self._per_unit)
        origin = int(self.at(0) * self._per_unit)
        far = max(abs(origin), self.finest, abs(wide) * (self.size + 1))
        return a, b, below, wide, origin, max(abs(a) + abs(b) * self.size, below, far) >= _SAFE

    @cached_property
    def _marked(self) -> NDArray[Any]:
        """Return every boundary's place, if there are marks."""
        import numpy as np

        fine, ends = self._per_unit, (self.at(0), self.at(self.size))
        wide, origin = int((self.tick or Fraction(1)) * fine), int(ends[0] * fine)
        large = self.finest >= _SAFE or any(abs(end * fine) >= _SAFE for end in ends)
        inner = np.array(self.marks, object if large else np.int64)
        return np.concatenate(([0], inner * wide - origin, [self.finest]))

    def cells(self, places: NDArray[Any], units: int) -> NDArray[np.int64]:
        """Return the cells that hold places below `units`: the inverse of `place`.

        >>> import numpy as np
        >>> Line.of_ticks(Fraction(1, 2), Fraction(4), Fraction(1)).cells(np.arange(7), 7).tolist()
        [0, 1, 1, 2, 2, 3, 3]
        """
        import numpy as np

        held = places // (units // self.finest)
        if self.even:
            return held.astype(np.int64)
        low = np.zeros(held.shape, np.int64)
        high = np.full(held.shape, self.size, np.int64)
        while (high - low).max(initial=0) > 1:
            middle = (low + high) // 2
            above = self.place(middle) > held
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return low

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Return every boundary as a share of the range, in floats."""
        import numpy as np

        places = self.place(np.arange(self.size + 1))
        if self.finest <= _PRECISE:
            return places / self.finest
        return np.array([place / self.finest for place in places.tolist()])

    def shares_at(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Return points of the lattice, in cells, as shares of the range, in floats.

        Cells of mean width continue beyond the ends of the range.

        >>> import numpy as np
        >>> Line.of_cells(4).shares_at(np.array([0.5, 3.0])).tolist()
        [0.125, 0.75]
        """
        import numpy as np

        found = np.interp(points, np.arange(self.size + 1), self.shares)
        outside = np.asarray(points, float) - np.clip(points, 0, self.size)
        shares: NDArray[np.float64] = found + outside / self.size
        return shares

    def shares_between(
        self, cell: NDArray[np.int64], rest: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the places of `between` as shares of the range, in floats."""
        import numpy as np

        if self.marks is None:
            start, each = (self.low - self.at(0)) / self.width, self.cell / self.width
            even: NDArray[np.float64] = float(start) + float(each) * (cell + rest)
            return even
        if self.prior is None:
            return self.shares_at(cell + rest)
        at = np.clip(cell, 0, self.size - 1)
        mass, ends = at + rest, self._bin_ends
        below = np.clip(np.searchsorted(ends, mass, side="left") - 1, 0, self.prior.bins - 1)
        wide = ends[below + 1] - ends[below]
        inside = (mass - ends[below]) / np.where(wide > 0, wide, 1)
        share = np.clip((below + inside) / self.prior.bins, self.shares[at], self.shares[at + 1])
        return np.where(rest > 0, share, self.shares[cell])

    @cached_property
    def _bin_ends(self) -> NDArray[np.float64]:
        """Return the mass below each end of the prior's bins, in cells of equal mass."""
        import numpy as np

        below = (self.prior or UNIFORM).cumulative
        return np.array([each * self.size / below[-1] for each in below])

    def split(self, shares: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the cells that hold shares of the range, and the offsets in them.

        >>> import numpy as np
        >>> cell, rest = Line.of_cells(4).split(np.array([0.125]))
        >>> cell.tolist(), rest.tolist()
        ([0], [0.5])
        """
        import numpy as np

        ends = self.shares
        cell = np.clip(np.searchsorted(ends, shares, side="right") - 1, 0, self.size - 1)
        wide = ends[cell + 1] - ends[cell]
        return cell, np.clip((shares - ends[cell]) / np.where(wide > 0, wide, 1), 0, 1)


def refine(cells: int, delta: Fraction, bins: int = 1) -> int:
    """Return the number of places per cell with which windows and bins end on places.

    Args:
        cells: The number of equal cells of the range.
        delta: The width of a window, as a share of the range.
        bins: The number of bins of a prior.

    Returns:
        The least number of places in a cell with which δ is whole and every bin ends on a place.

    >>> refine(4, Fraction(1, 3))
    3
    """
    return math.lcm((delta * cells).denominator, bins // math.gcd(cells, bins))
