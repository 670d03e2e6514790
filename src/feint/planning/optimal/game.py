"""Reduce the game on a small lattice to the moves of an optimal learner: proofs/optimal.md.

A *position* is a sequence of queries, which everyone hears. It cuts the lattice into intervals, and
only the learner knows which of them contains X*. The next moves depend only on the set of queries,
so positions with the same set share a `Shape`:

- an interval is *live* if the remaining queries can still cut it down to ε;
- a query is *useful* if it cuts a live interval into live ones; no other query is needed;
- a position is *settled* if the remaining queries suffice for every boundary that is still useful.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Interval = tuple[int, int]
"""The first cell, and the cell after the last."""


@dataclass(frozen=True, kw_only=True)
class Game:
    """A lattice, the aims of both sides, and the number of queries.

    Attributes:
        cells: m, the size of the lattice.
        accuracy: s, the maximum number of cells in the learner's last interval.
        window: D, the number of neighbouring cells that the eavesdropper names.
        queries: n, the number of queries.
        prior: The whole weight of every cell.
        plain: True builds the programme without any reduction, for comparison: every query that
            does not repeat, no symmetry, no settled positions.
    """

    cells: int
    accuracy: int
    window: int
    queries: int
    prior: tuple[int, ...]
    plain: bool = False

    @cached_property
    def mirrored(self) -> bool:
        """Return True if the game is its own mirror image."""
        return not self.plain and self.prior == self.prior[::-1]

    def mirror(self, interval: Interval) -> Interval:
        """Return the mirror image of the interval."""
        return self.cells - interval[1], self.cells - interval[0]

    def live(self, size: int, left: int) -> bool:
        """Return True if `left` queries can cut `size` cells down to the accuracy."""
        return self.plain or size <= self.accuracy << left

    def catches(self, intervals: Sequence[Interval]) -> Int:
        """Return [windows, intervals] the weight each window catches, without dominated windows."""
        cumulative = np.concatenate(([0], np.cumsum(self.prior)))
        start = np.arange(self.cells - self.window + 1)[:, None]
        low, high = np.array(intervals, np.int64).reshape(-1, 2).T
        first = np.clip(start, low, high)
        last = np.clip(start + self.window, low, high)
        return _undominated(np.unique(cumulative[last] - cumulative[first], axis=0))


class Choice(NamedTuple):
    """A query that may come next.

    Attributes:
        query: The boundary.
        askers: The live intervals that may ask it.
        after: The queries asked by then, from left to right.
        parent: The index among the askers from which each later live interval comes.
    """

    query: int
    askers: Int
    after: tuple[int, ...]
    parent: Int


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The state that a set of queries leaves, for any order of asking them.

    Attributes:
        asked: The queries, from left to right.
        left: The number of queries left.
        intervals: The live intervals.
        choices: The queries that may come next; none if settled.
        rest: The queries that a settled learner still asks, for any answers.
    """

    asked: tuple[int, ...]
    left: int
    intervals: tuple[Interval, ...]
    choices: tuple[Choice, ...]
    rest: tuple[int, ...]

    @property
    def settled(self) -> bool:
        """Return True if the remaining queries suffice for every useful boundary."""
        return not self.choices


def shape(game: Game, asked: tuple[int, ...], left: int) -> Shape:
    """Return the state that a set of queries leaves.

    Args:
        game: The game.
        asked: The queries, from left to right.
        left: The number of queries left.

    Returns:
        The shape: settled, or with the queries that may come next.
    """
    intervals = _live(game, asked, left)
    open_ = [(low, high) for low, high in intervals if high - low > game.accuracy]
    inner = [query for low, high in open_ for query in range(low + 1, high)]
    if left == 0 or (len(inner) <= left and not game.plain):
        return Shape(asked=asked, left=left, intervals=intervals, choices=(), rest=tuple(inner))
    if game.plain:
        useful = [query for query in range(1, game.cells) if query not in asked]
    else:
        useful = [
            query
            for low, high in open_
            for query in range(low + 1, high)
            if game.live(max(query - low, high - query), left - 1)
        ]
    choices = tuple(_choice(game, asked, left, intervals, query) for query in useful)
    return Shape(asked=asked, left=left, intervals=intervals, choices=choices, rest=())


def _choice(
    game: Game, asked: tuple[int, ...], left: int, intervals: Sequence[Interval], query: int
) -> Choice:
    after = tuple(sorted((*asked, query)))
    holders = [_holder(intervals, low) for low, _ in _live(game, after, left - 1)]
    askers, parent = np.unique(np.array(holders, np.int64), return_inverse=True)
    return Choice(query, askers, after, parent)


def _live(game: Game, asked: tuple[int, ...], left: int) -> tuple[Interval, ...]:
    ends = (0, *asked, game.cells)
    return tuple(each for each in pairwise(ends) if game.live(each[1] - each[0], left))


def _holder(intervals: Sequence[Interval], cell: int) -> int:
    return next(i for i, (low, high) in enumerate(intervals) if low <= cell < high)


def _undominated(rows: Int) -> Int:
    """Return the distinct rows that no other row exceeds or equals in every entry."""
    less: NDArray[np.bool_] = rows[:, None, :] <= rows[None, :, :]
    kept: Int = rows[np.all(less, axis=2).sum(axis=1) == 1]  # each row is below itself
    return kept
