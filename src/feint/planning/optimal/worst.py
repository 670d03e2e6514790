"""Solve the deterministic setting on a small lattice by exact search.

Only what is possible counts. So a strategy chooses, for every position and every interval that may
hold X*, the set of queries that may come next. A set of cells is *safe* at a position if the
learner can continue so that every transcript leaves enough places. Unions of safe sets are safe, so
every set has a largest safe part. The search finds that part by trying the queries one by one:
proofs/optimal.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from feint.errors import OutOfRegime
from feint.exact import ceil_div, ceil_log2, whole
from feint.problem import Problem
from feint.strategies import END, Choices, Table, from_choices


def worst_case(cells: int, delta_cells: int, level: int, *, epsilon_cells: int = 1) -> int:
    """Return the smallest number of queries after which `level` places always stay possible.

    Args:
        cells: m, the size of the lattice, at most 24; X* may be in any cell.
        delta_cells: D, the number of neighbouring cells that one place covers.
        level: L.
        epsilon_cells: s, the maximum number of cells in the learner's last interval.

    Returns:
        N on this lattice, over all strategies, randomised or not.

    Raises:
        OutOfRegime: The lattice has fewer than `level` places of D cells.
    """
    return _fewest(cells, epsilon_cells, delta_cells, level)[1]


def worst_case_strategy(cells: int, delta_cells: int, level: int) -> Table:
    """Return a strategy for whole values that needs only as many queries as `worst_case`.

    Args:
        cells: As in `worst_case`. Each cell is one value.
        delta_cells: As in `worst_case`.
        level: As in `worst_case`.

    Returns:
        The strategy. It finds every value, and `level` places stay possible after every transcript.
        The strategy does not control how probable each of them then is.

    Raises:
        OutOfRegime: As `worst_case`, or the blind guess already succeeds too often.
    """
    search, queries = _fewest(cells, 1, delta_cells, level)
    problem = Problem(
        Fraction(1, search.cells),
        Fraction(delta_cells, search.cells),
        level,
        setting="deterministic",
        values=search.cells,
    )
    return from_choices(problem, search.cells, _Tables(search, queries).entries())


def _fewest(cells: int, accuracy: int, window: int, level: int) -> tuple[_Search, int]:
    """Return the search of a game, and the smallest number of queries that makes all cells safe."""
    m = whole(cells, "cells", least=2, most=24)
    s = whole(accuracy, "epsilon_cells", least=1, most=m)
    d = whole(window, "delta_cells", least=1, most=m)
    places = whole(level, "level", least=1)
    if places > ceil_div(m, d):
        rule = f"{m} cells have only {ceil_div(m, d)} places of {d} cells"
        raise OutOfRegime("level", places, rule, f"give level = {ceil_div(m, d)} or less")
    search, queries = _Search(m, s, d, places), ceil_log2(ceil_div(m, s))
    while not search.safe(queries):
        queries += 1
    return search, queries


class _Search:
    """The search of one game; a set of cells, or of boundaries, is the bits of a whole number."""

    def __init__(self, cells: int, accuracy: int, window: int, places: int) -> None:
        self.cells, self.accuracy, self.places = cells, accuracy, places
        self.window = (1 << window) - 1
        self.largest = cache(self._largest)

    def safe(self, queries: int) -> bool:
        """Return True if every cell is safe at the start, with this number of queries left."""
        everything = (1 << self.cells) - 1
        return self.largest(0, queries, everything) == everything

    def _largest(self, asked: int, left: int, held: int) -> int:
        """Return the largest safe part of some cells, a union of intervals.

        Args:
            asked: The boundaries asked about.
            left: The number of queries left.
            held: The cells.
        """
        held &= self._live(asked, left)
        if self._cover(held) < self.places:
            return 0
        open_ = [q for q in range(1, self.cells) if not asked >> q & 1] if left else []
        if not open_:
            return held
        safe = 0
        for _, found in self.moves(asked, left, held):
            safe |= found
        return safe

    def moves(self, asked: int, left: int, held: int) -> Iterator[tuple[int, int]]:
        """Yield possible next queries, each with the cells that may ask it, until all are covered.

        Args:
            asked: As in `_largest`.
            left: As in `_largest`.
            held: As in `_largest`.
        """
        safe = 0
        for query in range(1, self.cells):
            if asked >> query & 1 or safe == held:
                continue
            found = self._after(asked, left, held, query)
            if found & ~safe:
                safe |= found
                yield query, found

    def _after(self, asked: int, left: int, held: int, query: int) -> int:
        """Return the largest part of the given cells that may ask this query next."""
        after = asked | 1 << query
        split = self._interval(asked, query)
        found = self.largest(after, left - 1, held)
        if found & split not in (0, split):  # half of an interval cannot ask without the other half
            found = self.largest(after, left - 1, held & ~split)
        return found

    def _live(self, asked: int, left: int) -> int:
        """Return the cells of intervals that the queries left can cut down to the accuracy."""
        live, low = 0, 0
        for high in range(1, self.cells + 1):
            if high == self.cells or asked >> high & 1:
                if high - low <= self.accuracy << left:
                    live |= (1 << high) - (1 << low)
                low = high
        return live

    def _interval(self, asked: int, query: int) -> int:
        """Return the cells between the boundaries asked about on either side of a query."""
        low = high = query
        while low > 0 and not asked >> low & 1:
            low -= 1
        while high < self.cells and not asked >> high & 1:
            high += 1
        return (1 << high) - (1 << low)

    def _cover(self, held: int) -> int:
        """Return the number of windows that cover the cells, placed greedily from the left."""
        count = 0
        while held:
            lowest = (held & -held).bit_length() - 1
            held &= ~(self.window << lowest)
            count += 1
        return count


class _Place(NamedTuple):
    """A position as the learner sees it.

    Attributes:
        asked: The boundaries asked about.
        left: The number of queries left.
        held: The cells that stay possible to everyone who hears the queries.
        low: The first cell of the interval that holds X*.
        high: The cell after its last.
    """

    asked: int
    left: int
    held: int
    low: int
    high: int


class _Tables:
    """The nodes of a strategy, numbered as they occur; each allows every safe query."""

    def __init__(self, search: _Search, queries: int) -> None:
        everything = (1 << search.cells) - 1
        self.search, self.order = search, list[_Place]()
        self.number: dict[_Place, int] = {}
        self.moves = cache(lambda *position: tuple(search.moves(*position)))
        self._child(_Place(0, queries, everything, 0, search.cells))

    def entries(self) -> list[Choices]:
        """Return all entries, each after the one that first leads to it."""
        found = list[Choices]()
        while len(found) < len(self.order):
            found.append(self._entry(self.order[len(found)]))
        return found

    def _child(self, place: _Place) -> int:
        """Return the number of a position's entry; a new position gets the next number."""
        if not place.left or not self._chosen(place):
            return END  # no query is left, or none is needed
        if place not in self.number:
            self.number[place] = len(self.order)
            self.order.append(place)
        return self.number[place]

    def _chosen(self, place: _Place) -> list[tuple[int, int]]:
        """Return the queries that may come next, each with the cells that stay safe."""
        own = (1 << place.high) - (1 << place.low)
        moves = self.moves(place.asked, place.left, place.held)
        return [(query, found) for query, found in moves if not own & ~found]

    def _entry(self, place: _Place) -> Choices:
        chosen = self._chosen(place)
        return (
            [(query, 1) for query, _ in chosen],
            [self._after(place, query, found) for query, found in chosen],
        )

    def _after(self, place: _Place, query: int, held: int) -> tuple[int, int]:
        """Return the entries after "no" and after "yes"; `END` if the answer cannot come."""
        asked, left = place.asked | 1 << query, place.left - 1
        no = yes = END
        if place.low < query:
            no = self._child(_Place(asked, left, held, place.low, min(query, place.high)))
        if query < place.high:
            yes = self._child(_Place(asked, left, held, max(query, place.low), place.high))
        return no, yes
