"""Every branch there is, exactly: all cells, all coins, one row a branch.

The enumerator drives a strategy's own code. A row is a range of cells that the answers so far do
not tell apart; it splits where an answer or a coin could go either way. Rows are grouped by what is
overheard, and rows with different pasts never meet again, so the tree is walked in chunks of
bounded size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.branches.checked import Checked
from feint.errors import TooLarge
from feint.interfaces import UNASKED, Answers, Points, Strategy, take

Int = NDArray[np.int64]
_SAFE = 1 << 62
_ANSWERS = 1 << 27
_EARLY = 32


@dataclass(frozen=True)
class Heard:
    """Distinct transcripts as a tree: what a round asked, and which past came before.

    Attributes:
        past: The transcripts up to the round before; None before the first.
        after: [groups] which past each one continues.
        asked: [groups, width] what the round asked.
    """

    past: Heard | None
    after: Int
    asked: Points

    def __len__(self) -> int:
        return len(self.after)

    def take(self, groups: Int) -> Heard:
        """Some of the transcripts."""
        return Heard(self.past, self.after[groups], self.asked[groups])

    def table(self, groups: Int | None = None) -> Int:
        """[groups, queries] the transcripts, or some of them, written out."""
        rows = np.arange(len(self)) if groups is None else groups
        columns, node = [self.asked[rows]], self
        while node.past is not None:
            rows, node = node.after[rows], node.past
            columns.append(node.asked[rows])
        return np.concatenate(columns[::-1], axis=1)


@dataclass(frozen=True)
class Branches:
    """Branches that share no transcript with any other chunk.

    A row stands for the cells low ≤ X* < high in every coordinate (so many cells at once), reached
    with probability weight/total over the coins.

    Attributes:
        low: [rows, coordinates].
        high: [rows, coordinates].
        weight: [rows] whole numbers.
        total: What the weights are out of.
        group: [rows] which transcript the row belongs to.
        heard: The distinct transcripts.
        estimate: What the learner says: low and high, [rows, coordinates] each.
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
        """[groups, queries] the distinct transcripts, written out."""
        return self.heard.table()


@dataclass
class _Front:
    """Rows that wait for a round."""

    round: int
    state: Any
    low: Int
    high: Int
    weight: NDArray[Any]
    total: int
    group: Int
    heard: Heard

    def rows(self, index: Int) -> _Front:
        groups, group = np.unique(self.group[index], return_inverse=True)
        return _Front(
            self.round,
            take(self.state, index),
            self.low[index],
            self.high[index],
            self.weight[index],
            self.total,
            group,
            self.heard.take(groups),
        )


def branches(
    strategy: Strategy, *, chunk: int = 1 << 15, limit: int = 1 << 26
) -> Iterator[Branches]:
    """Walk every branch of a noiseless strategy.

    Args:
        strategy: What to enumerate.
        chunk: Rows to work on at once, about; a single transcript may need more.
        limit: Rows in all beyond which to give up.

    Yields:
        Branches, in chunks that no transcript straddles.

    Raises:
        TooLarge: There are more than `limit` branches, or it looks like many times as many after
            a 32nd of the limit.
        InvalidValue: The strategy does not keep its contract: weights or queries that are not
            whole, queries off the lattice, an estimate that is not the middle of its ends.
    """
    if strategy.problem.noisy:
        rule = "under noise any answer may come, so cells do not tell branches apart"
        raise TooLarge("p", strategy.problem.p, rule, "sample runs instead")
    strategy = Checked(strategy)
    waiting, done, share = [_root(strategy)], 0, Fraction(0)
    while waiting:
        front = waiting.pop()
        if front.round == len(strategy.rounds):
            done += len(front.low)
            share += _share(strategy, front)
            _refuse_early(done, share, limit)
            estimate = strategy.estimate(front.state)
            yield Branches(
                front.low,
                front.high,
                front.weight,
                front.total,
                front.group,
                front.heard,
                (estimate.low, estimate.high),
            )
            continue
        front = _advance(strategy, front)
        if done + len(front.low) > limit:
            raise _too_many(f"over {limit}", limit)
        waiting += list(_pieces(front, chunk))
    if share != 1:
        raise RuntimeError(f"the branches walked add up to {share}, not 1")


def _share(strategy: Strategy, front: _Front) -> Fraction:
    """The probability of some finished branches, X* uniform."""
    volume = math.prod(strategy.cells)
    large = len(front.low) * int(front.weight.max(initial=0)) * volume >= _SAFE
    kind = object if large else np.int64
    sizes = (front.high - front.low).astype(kind).prod(axis=1)
    return Fraction(int((front.weight.astype(kind) * sizes).sum()), front.total * volume)


def _refuse_early(done: int, share: Fraction, limit: int) -> None:
    """Give up when a good part of the limit was walked for next to nothing of the probability."""
    if done > limit // _EARLY and done > _EARLY * limit * share:
        raise _too_many(f"about {done / max(float(share), 1e-300):.1e}", limit)


def _too_many(count: str, limit: int) -> TooLarge:
    remedy = "audit a coarser problem, or sample runs instead"
    return TooLarge("branches", count, f"at most {limit} are walked", remedy)


def _root(strategy: Strategy) -> _Front:
    cells = np.array([strategy.cells], np.int64)
    return _Front(
        0,
        strategy.start(1),
        np.zeros_like(cells),
        cells,
        np.ones(1, np.int64),
        1,
        np.zeros(1, np.int64),
        Heard(None, np.zeros(1, np.int64), np.empty((1, 0), np.int64)),
    )


def _advance(strategy: Strategy, front: _Front) -> _Front:
    """One round: split on its coins, ask, split on the answers, tell."""
    while (weights := strategy.coin(front.state)) is not None:
        row, side = np.nonzero(weights)
        sums = weights.sum(axis=1)
        common = math.lcm(*map(int, np.unique(sums)))
        if common >= _SAFE:
            weights, sums = weights.astype(object), sums.astype(object)
        factor = weights[row, side] * (common // sums[row])
        front = _Front(
            front.round,
            strategy.toss(take(front.state, row), side),
            front.low[row],
            front.high[row],
            _times(front.weight[row], factor),
            front.total * common,
            front.group[row],
            front.heard,
        )
    asked = strategy.ask(front.state)
    coordinates = np.array(strategy.rounds[front.round].coordinates, np.int64)
    group, heard = _regroup(front.group, front.heard, asked)
    row, low, high = _split(front.low, front.high, asked, coordinates)
    if len(row) * len(coordinates) > _ANSWERS:
        rule = f"at most {_ANSWERS} answers of one round are held at once"
        raise TooLarge("round", front.round, rule, "audit a coarser problem")
    points = asked[row]
    answers: Answers = (low if low.shape[1] == 1 else low[:, coordinates]) >= points
    if (asked == UNASKED).any():
        answers &= points != UNASKED
    state = strategy.tell(take(front.state, row), answers)
    return _Front(
        front.round + 1,
        state,
        low,
        high,
        front.weight[row],
        front.total,
        group[row],
        heard,
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


def _regroup(group: Int, heard: Heard, asked: Points) -> tuple[Int, Heard]:
    """Part the groups by what this round asked; exact, with a hash only to sort by."""
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
        # two keys collided: sort by everything instead
        table = np.concatenate((group[:, None], asked), axis=1)
        _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
    return inverse, Heard(heard, group[first], asked[first])


def _hash(group: Int, asked: Points) -> NDArray[np.uint64]:
    key = group.astype(np.uint64)
    odd, mix = np.uint64(0x9E3779B97F4A7C15), np.uint64(29)
    for column in asked.T:
        key = (key ^ column.astype(np.uint64)) * odd
        key ^= key >> mix
    return key


def _pieces(front: _Front, chunk: int) -> Iterator[_Front]:
    """The rows in chunks, groups kept whole."""
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


def _times(weight: NDArray[Any], factor: NDArray[Any]) -> NDArray[Any]:
    """Exact product: beyond 62 bits Python's own integers take over."""
    if weight.dtype == object or int(weight.max()) * int(factor.max()) >= _SAFE:
        weight, factor = weight.astype(object), factor.astype(object)
    product: NDArray[Any] = weight * factor
    return product
