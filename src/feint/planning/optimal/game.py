"""The game on a small lattice, reduced to what an optimal learner may do: proofs/optimal.md.

A *position* is a sequence of queries, as everybody hears it; it cuts the lattice into intervals,
and the learner alone knows which of them holds X*. What may follow depends on the set of queries
only, so positions with the same set share a `Shape`:

- an interval is *live* while the queries left can still cut it down to ε;
- a query is *useful* when it cuts a live interval into live ones; no other is ever needed;
- a position is *settled* when the queries left suffice for every boundary that is still of use.
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
"""First cell, and the cell past the last."""


@dataclass(frozen=True, kw_only=True)
class Game:
    """A lattice, what each side wants, and the number of queries.

    Attributes:
        cells: m, the size of the lattice.
        accuracy: s, the most cells that the learner's last interval may hold.
        window: D, the number of neighbouring cells that the eavesdropper names.
        queries: n, the number of queries.
        prior: The whole weight of every cell.
        plain: Whether to leave the programme as it is first written down: every query that does
            not repeat, no symmetry, nothing settled early. For comparison.
    """

    cells: int
    accuracy: int
    window: int
    queries: int
    prior: tuple[int, ...]
    plain: bool = False

    @cached_property
    def mirrored(self) -> bool:
        """Whether the game looks the same from the other end."""
        return not self.plain and self.prior == self.prior[::-1]

    def mirror(self, interval: Interval) -> Interval:
        """The interval seen from the other end."""
        return self.cells - interval[1], self.cells - interval[0]

    def live(self, size: int, left: int) -> bool:
        """Whether `left` queries can cut `size` cells down to the accuracy."""
        return self.plain or size <= self.accuracy << left

    def catches(self, intervals: Sequence[Interval]) -> Int:
        """[windows, intervals] the weight each window catches; dominated windows left out."""
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
        askers: Which live intervals may ask it.
        after: The queries asked then, in order of place.
        parent: For each live interval after it, the place among the askers it comes from.
    """

    query: int
    askers: Int
    after: tuple[int, ...]
    parent: Int


@dataclass(frozen=True, kw_only=True)
class Shape:
    """All that a set of queries leaves open, the same for every order they were asked in.

    Attributes:
        asked: The queries, in order of place.
        left: The number of queries left.
        intervals: The live intervals.
        choices: The queries that may come next; none when settled.
        rest: What a settled learner still asks, whatever the answers.
    """

    asked: tuple[int, ...]
    left: int
    intervals: tuple[Interval, ...]
    choices: tuple[Choice, ...]
    rest: tuple[int, ...]

    @property
    def settled(self) -> bool:
        """Whether every boundary of use can still be asked."""
        return not self.choices


def shape(game: Game, asked: tuple[int, ...], left: int) -> Shape:
    """What a set of queries leaves open.

    Args:
        game: The game.
        asked: The queries, in order of place.
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
    """Rows that no other row is everywhere at least as large as (rows are distinct)."""
    less: NDArray[np.bool_] = rows[:, None, :] <= rows[None, :, :]
    kept: Int = rows[np.all(less, axis=2).sum(axis=1) == 1]  # each row is below itself
    return kept
