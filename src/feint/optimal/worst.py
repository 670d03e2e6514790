"""The deterministic setting on a small lattice, by exact search: which transcripts, which sets.

Only what is possible counts, so a strategy is a choice, for every position and every interval that
may hold X*, of the queries that may come next. A set of cells is *safe* at a position when the
learner can go on so that every transcript leaves enough places. Unions of safe sets are safe, so
every set has a largest safe part, and that part is found by going through the queries one by one:
proofs/optimal.md.
"""

from __future__ import annotations

from functools import cache

from feint.errors import OutOfRegime
from feint.exact import ceil_div, ceil_log2, whole


def worst_case(cells: int, delta_cells: int, level: int, *, epsilon_cells: int = 1) -> int:
    """The fewest queries after which, whatever is overheard, `level` places remain possible.

    Args:
        cells: m, the size of the lattice, at most 24; X* may be in any cell.
        delta_cells: D, the number of neighbouring cells that one place covers.
        level: L.
        epsilon_cells: s, the most cells that the learner's last interval may hold.

    Returns:
        N on this lattice, over all strategies, with coins or without.

    Raises:
        OutOfRegime: The lattice has fewer than `level` places of D cells.
    """
    m = whole(cells, "cells", least=2, most=24)
    s = whole(epsilon_cells, "epsilon_cells", least=1, most=m)
    d = whole(delta_cells, "delta_cells", least=1, most=m)
    places = whole(level, "level", least=1)
    if places > ceil_div(m, d):
        rule = f"{m} cells have only {ceil_div(m, d)} places of {d} cells"
        raise OutOfRegime("level", places, rule, f"give level = {ceil_div(m, d)} or less")
    queries = ceil_log2(ceil_div(m, s))
    while not _Search(m, s, d, places).safe(queries):
        queries += 1
    return queries


class _Search:
    """The search of one game; a set of cells, or of boundaries, is the bits of a whole number."""

    def __init__(self, cells: int, accuracy: int, window: int, places: int) -> None:
        self.cells, self.accuracy, self.places = cells, accuracy, places
        self.window = (1 << window) - 1
        self.largest = cache(self._largest)

    def safe(self, queries: int) -> bool:
        """Whether every cell is safe at the start, with this number of queries left."""
        everything = (1 << self.cells) - 1
        return self.largest(0, queries, everything) == everything

    def _largest(self, asked: int, left: int, held: int) -> int:
        """The largest safe part of some cells, a union of intervals.

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
        for query in open_:
            safe |= self._after(asked, left, held, query)
            if safe == held:
                break
        return safe

    def _after(self, asked: int, left: int, held: int, query: int) -> int:
        """The largest part of the cells held that may ask this query next."""
        after = asked | 1 << query
        split = self._interval(asked, query)
        found = self.largest(after, left - 1, held)
        if found & split not in (0, split):  # half of an interval cannot ask alone
            found = self.largest(after, left - 1, held & ~split)
        return found

    def _live(self, asked: int, left: int) -> int:
        """Cells of intervals that the queries left can still cut down to the accuracy."""
        live, low = 0, 0
        for high in range(1, self.cells + 1):
            if high == self.cells or asked >> high & 1:
                if high - low <= self.accuracy << left:
                    live |= (1 << high) - (1 << low)
                low = high
        return live

    def _interval(self, asked: int, query: int) -> int:
        """The cells between the boundaries asked about on either side of a query."""
        low = high = query
        while low > 0 and not asked >> low & 1:
            low -= 1
        while high < self.cells and not asked >> high & 1:
            high += 1
        return (1 << high) - (1 << low)

    def _cover(self, held: int) -> int:
        """How many windows it takes to cover the cells, by greed from the left."""
        count = 0
        while held:
            lowest = (held & -held).bit_length() - 1
            held &= ~(self.window << lowest)
            count += 1
        return count
