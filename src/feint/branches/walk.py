"""Enumerate a noiseless strategy exactly: all cells and all coins, one row per branch.

The enumerator drives a strategy's own code. A row is a range of cells that the answers so far do
not tell apart. It splits when an answer or a coin could go either way. Rows are grouped by
transcript. Rows with different transcripts stay separate, so the tree is walked in chunks of
bounded size. A row ends once a round asks it nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Generic

import numpy as np
from numpy.typing import NDArray

from feint.branches.checked import SAFE, Checked
from feint.errors import TooLarge
from feint.interfaces import UNASKED, Answers, Points, State, Strategy, columns, take

Int = NDArray[np.int64]
_ANSWERS = 1 << 27  # the most bytes of one round in memory
_EARLY = 32  # see _refuse_early


@dataclass(frozen=True)
class Heard:
    """Distinct transcripts as a tree: the queries of a round, and the transcripts before it.

    Attributes:
        past: The transcripts up to the round before; None before the first.
        after: [groups] the earlier transcript that each one continues.
        asked: [groups, width] the queries of the round; `UNASKED` in columns left out.
    """

    past: Heard | None
    after: Int
    asked: Points

    def __len__(self) -> int:
        return len(self.after)

    def take(self, groups: Int) -> Heard:
        """Return some of the transcripts."""
        return Heard(self.past, self.after[groups], self.asked[groups])

    def table(self, groups: Int | None = None) -> Int:
        """Return [groups, columns] the transcripts, or some of them, in full."""
        rows = np.arange(len(self)) if groups is None else groups
        columns, node = [self.asked[rows]], self
        while node.past is not None:
            rows, node = node.after[rows], node.past
            columns.append(node.asked[rows])
        return np.concatenate(columns[::-1], axis=1)


@dataclass(frozen=True, kw_only=True)
class Branches:
    """A chunk of branches that shares no transcript with other chunks.

    A row covers all cells low ≤ X* < high, in every coordinate. Given such a cell, the coins lead
    to this row with probability weight/total.

    Attributes:
        low: [rows, coordinates] the first cell.
        high: [rows, coordinates] the cell past the last.
        weight: [rows] whole numbers.
        total: The denominator of the weights.
        group: [rows] the transcript of the row.
        heard: The distinct transcripts.
        estimate: The learner's estimate: low and high, [rows, coordinates] each.
    """

    low: Int
    high: Int
    weight: NDArray[Any]
    total: int
    group: Int
    heard: Heard
    estimate: tuple[Int, Int]

    @property
    def transcripts(self) -> Int:
        """Return [groups, columns] the distinct transcripts in full.

        A run that ended early has `UNASKED` in every later column, so all have one width.
        """
        return self.heard.table()


@dataclass(frozen=True, kw_only=True)
class Front(Generic[State]):
    """Rows that have completed the same number of rounds, as in `Branches`.

    Attributes:
        round: The round that comes next.
        state: The strategy's state of each row.
        low: As in `Branches`.
        high: As in `Branches`.
        weight: As in `Branches`.
        total: As in `Branches`.
        group: As in `Branches`.
        heard: As in `Branches`.
    """

    round: int
    state: State
    low: Int
    high: Int
    weight: NDArray[Any]
    total: int
    group: Int
    heard: Heard

    def rows(self, index: Int) -> Front[State]:
        """Return some of the rows, and renumber their transcripts."""
        groups, group = np.unique(self.group[index], return_inverse=True)
        return Front(
            round=self.round,
            state=take(self.state, index),
            low=self.low[index],
            high=self.high[index],
            weight=self.weight[index],
            total=self.total,
            group=group,
            heard=self.heard.take(groups),
        )


def branches(
    strategy: Strategy[State], *, chunk: int = 1 << 15, limit: int = 1 << 26
) -> Iterator[Branches]:
    """Walk every branch of a noiseless strategy.

    Args:
        strategy: The strategy to enumerate.
        chunk: The approximate number of rows processed at once; a single transcript may need
            more.
        limit: The most rows in all.

    Yields:
        Branches, in chunks that no transcript straddles.

    Raises:
        TooLarge: There are more than `limit` branches, or far more are predicted after a 32nd of
            the limit.
        InvalidValue: The strategy does not keep its contract: weights or queries that are not
            whole, queries off the lattice, an estimate that is not the middle of its ends.
    """
    if strategy.problem.noisy:
        rule = "under noise any answer may come, so cells do not tell branches apart"
        raise TooLarge("p", strategy.problem.p, rule, "sample runs instead")
    checked = Checked(strategy)
    waiting, done, share = [root(checked)], 0, Fraction(0)
    while waiting:
        front = waiting.pop()
        over = front.round == len(checked.rounds)
        ended, going = (front, None) if over else parted(front)
        if ended is not None:
            done += len(ended.low)
            share += _share(checked, ended)
            _refuse_early(done, share, limit)
            yield finished(checked, ended)
        if going is None:
            continue
        front = advanced(checked, going)
        if done + len(front.low) > limit:
            raise _too_many(f"more than {limit}", limit)
        waiting += list(_pieces(front, chunk))
    if share != 1:
        raise RuntimeError(f"the branches walked add up to {share}, not 1")


def parted(front: Front[State]) -> tuple[Front[State] | None, Front[State] | None]:
    """Return the rows that the last round asked nothing, and the others; None for no rows.

    A round without columns ends no run.
    """
    asked = front.heard.asked
    if front.heard.past is None or not asked.shape[1] or asked[:, 0].min(initial=0) >= 0:
        return None, front  # the first column was asked in every row, as it usually is
    ended = (asked == UNASKED).all(axis=1)[front.group]
    if ended.all() or not ended.any():
        return (front, None) if ended.all() else (None, front)
    return front.rows(np.flatnonzero(ended)), front.rows(np.flatnonzero(~ended))


def finished(strategy: Strategy[State], front: Front[State]) -> Branches:
    """Return rows that have ended, or completed all rounds, with their estimates."""
    estimate = strategy.estimate(front.state)
    heard, left = front.heard, columns(strategy) - _written(strategy, front.round)
    if left:
        rest = np.broadcast_to(np.int64(UNASKED), (len(heard), left))
        heard = Heard(heard, np.arange(len(heard)), rest)
    return Branches(
        low=front.low,
        high=front.high,
        weight=front.weight,
        total=front.total,
        group=front.group,
        heard=heard,
        estimate=(estimate.low, estimate.high),
    )


def _written(strategy: Strategy[State], rounds: int) -> int:
    """Return the number of columns of the first rounds."""
    return sum(len(each.coordinates) for each in strategy.rounds[:rounds])


def _share(strategy: Strategy[State], front: Front[State]) -> Fraction:
    """Return the probability of finished branches for a uniform X*."""
    volume = math.prod(strategy.cells)
    large = len(front.low) * int(front.weight.max(initial=0)) * volume >= SAFE
    kind = object if large else np.int64
    sizes = (front.high - front.low).astype(kind).prod(axis=1)
    return Fraction(int((front.weight.astype(kind) * sizes).sum()), front.total * volume)


def _refuse_early(done: int, share: Fraction, limit: int) -> None:
    """Raise TooLarge if a 32nd of the limit covers too little of the probability.

    If the rest needs as many branches per unit of probability, the total is done/share. A total of
    more than 32 times the limit is refused early.
    """
    if done > limit // _EARLY and done > _EARLY * limit * share:
        raise _too_many(f"about {done / max(float(share), 1e-300):.1e}", limit)


def _too_many(count: str, limit: int) -> TooLarge:
    rule = f"the strategy has {count} branches"
    remedy = "raise the limit, take a larger epsilon, or sample: give runs = 100000"
    return TooLarge("limit", limit, rule, remedy)


def root(strategy: Strategy[State]) -> Front[State]:
    """Return the single row before the first round."""
    cells = np.array([strategy.cells], np.int64)
    return Front(
        round=0,
        state=strategy.start(1),
        low=np.zeros_like(cells),
        high=cells,
        weight=np.ones(1, np.int64),
        total=1,
        group=np.zeros(1, np.int64),
        heard=Heard(None, np.zeros(1, np.int64), np.empty((1, 0), np.int64)),
    )


def advanced(strategy: Strategy[State], front: Front[State]) -> Front[State]:
    """Play one round: split on its coins, ask, split on the answers, tell."""
    while (weights := strategy.coin(front.state)) is not None:
        row, side = np.nonzero(weights)
        sums = weights.sum(axis=1)
        common = math.lcm(*map(int, np.unique(sums)))
        if common >= SAFE:
            weights, sums = weights.astype(object), sums.astype(object)
        factor = weights[row, side] * (common // sums[row])
        front = replace(
            front,
            state=strategy.toss(take(front.state, row), side),
            low=front.low[row],
            high=front.high[row],
            weight=exact_product(front.weight[row], factor),
            total=front.total * common,
            group=front.group[row],
        )
    asked = strategy.ask(front.state)
    coordinates = np.array(strategy.rounds[front.round].coordinates, np.int64)
    group, heard = regroup(front.group, front.heard, asked)
    row, low, high = _split(front.low, front.high, asked, coordinates)
    if len(row) * len(coordinates) > _ANSWERS:
        rule = f"at most {_ANSWERS} answers of one round are held at once"
        raise TooLarge("round", front.round, rule, "audit a coarser problem")
    points = asked[row]
    answers: Answers = (low if low.shape[1] == 1 else low[:, coordinates]) >= points
    if (asked == UNASKED).any():
        answers &= points != UNASKED
    state = strategy.tell(take(front.state, row), answers)
    return Front(
        round=front.round + 1,
        state=state,
        low=low,
        high=high,
        weight=front.weight[row],
        total=front.total,
        group=group[row],
        heard=heard,
    )


def _split(low: Int, high: Int, asked: Points, coordinates: Int) -> tuple[Int, Int, Int]:
    """Cut each row's box at every point asked inside it."""
    row = np.arange(len(low))
    for axis in np.unique(coordinates):
        points = asked[:, coordinates == axis][row]
        inside = (points > low[:, [axis]]) & (points < high[:, [axis]])
        index, place = np.nonzero(inside)
        cuts = points[index, place]
        if len(cuts) > 1 and ((np.diff(cuts) <= 0) & (index[1:] == index[:-1])).any():
            index, cuts = np.unique(np.stack((index, cuts)), axis=1)
        pieces = np.repeat(np.arange(len(row)), np.bincount(index, minlength=len(row)) + 1)
        after = np.arange(len(cuts)) + index  # the piece that ends at each cut
        row, low, high = row[pieces], low[pieces], high[pieces]
        high[after, axis], low[after + 1, axis] = cuts, cuts
    return row, low, high


def regroup(group: Int, heard: Heard, asked: Points) -> tuple[Int, Heard]:
    """Split the groups by the queries of this round.

    Rows are sorted by a hash of group and queries; if two different ones collide, by both.

    Args:
        group: [rows] the transcript of each row so far.
        heard: The transcripts so far.
        asked: [rows, width] the queries of each row in this round.

    Returns:
        The groups and transcripts after the round.
    """
    if asked.shape[1] == 0:
        return group, heard
    if len(group) == 1:
        return group, Heard(heard, group, asked)
    key = _hash(group, asked)
    order = np.argsort(key)
    fresh = np.concatenate(([True], np.diff(key[order]) != 0))
    inverse = np.empty(len(group), np.int64)
    inverse[order] = np.cumsum(fresh) - 1
    first = order[fresh]
    like = first[inverse]
    if (group[like] != group).any() or (asked[like] != asked).any():
        # two hashes collided: sort by the full rows instead
        table = np.concatenate((group[:, None], asked), axis=1)
        _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
    return inverse, Heard(heard, group[first], asked[first])


def _hash(group: Int, asked: Points) -> NDArray[np.uint64]:
    """Return [rows] a hash: equal for rows with equal group and queries, rarely for others."""
    key = group.astype(np.uint64)
    odd, mix = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
    for column in asked.T:
        key = (key ^ column.astype(np.uint64)) * odd
        key ^= key >> mix
    return key


def _pieces(front: Front[State], chunk: int) -> Iterator[Front[State]]:
    """Yield the rows in chunks that do not split groups."""
    if len(front.low) <= chunk:
        yield front
        return
    order = np.argsort(front.group, kind="stable")
    ends = np.cumsum(np.bincount(front.group))
    start = 0
    while start < len(order):
        first, last = np.searchsorted(ends, [start, start + chunk], side="right")
        end = int(ends[max(first, last - 1)])
        yield front.rows(order[start:end])
        start = end


def exact_product(weight: NDArray[Any], factor: NDArray[Any]) -> NDArray[Any]:
    """Return the product of whole numbers, as Python integers beyond 62 bits."""
    small = object not in (weight.dtype, factor.dtype)
    if not (small and int(weight.max(initial=0)) * int(factor.max(initial=0)) < SAFE):
        weight, factor = weight.astype(object), factor.astype(object)
    product: NDArray[Any] = weight * factor
    return product
