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

from feint.errors import TooLarge
from feint.interfaces import UNASKED, Answers, Points, Strategy, take

Int = NDArray[np.int64]
_SAFE = 1 << 62
_ANSWERS = 1 << 27


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
        transcripts: [groups, queries] the distinct transcripts.
        estimate: What the learner says: low and high, [rows, coordinates] each.
    """

    low: Int
    high: Int
    weight: NDArray[Any]
    total: int
    group: Int
    transcripts: Int
    estimate: tuple[Int, Int]


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
    transcripts: Int

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
            self.transcripts[groups],
        )


def branches(
    strategy: Strategy, *, chunk: int = 1 << 18, limit: int = 1 << 26
) -> Iterator[Branches]:
    """Walk every branch of a noiseless strategy.

    Args:
        strategy: What to enumerate.
        chunk: Rows to work on at once, about; a single transcript may need more.
        limit: Rows in all beyond which to give up.

    Yields:
        Branches, in chunks that no transcript straddles.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    if strategy.problem.noisy:
        rule = "under noise any answer may come, so cells do not tell branches apart"
        raise TooLarge("p", strategy.problem.p, rule, "sample runs instead")
    waiting, done = [_root(strategy)], 0
    while waiting:
        front = waiting.pop()
        if front.round == len(strategy.rounds):
            done += len(front.low)
            estimate = strategy.estimate(front.state)
            yield Branches(
                front.low,
                front.high,
                front.weight,
                front.total,
                front.group,
                front.transcripts,
                (estimate.low, estimate.high),
            )
            continue
        front = _advance(strategy, front)
        if done + len(front.low) > limit:
            remedy = "audit a coarser problem, or sample runs instead"
            raise TooLarge("branches", f"over {limit}", f"at most {limit} are walked", remedy)
        waiting += list(_pieces(front, chunk))


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
        np.empty((1, 0), np.int64),
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
            front.transcripts,
        )
    asked = strategy.ask(front.state)
    coordinates = np.array(strategy.rounds[front.round].coordinates, np.int64)
    group, transcripts = _regroup(front.group, front.transcripts, asked)
    row, low, high = _split(front.low, front.high, asked, coordinates)
    if len(row) * len(coordinates) > _ANSWERS:
        rule = f"at most {_ANSWERS} answers of one round are held at once"
        raise TooLarge("round", front.round, rule, "audit a coarser problem")
    answers: Answers = (low[:, coordinates] >= asked[row]) & (asked[row] != UNASKED)
    state = strategy.tell(take(front.state, row), answers)
    return _Front(
        front.round + 1,
        state,
        low,
        high,
        front.weight[row],
        front.total,
        group[row],
        transcripts,
    )


def _split(low: Int, high: Int, asked: Points, coordinates: Int) -> tuple[Int, Int, Int]:
    """Cut each row's box at every point asked inside it."""
    row = np.arange(len(low))
    for axis in np.unique(coordinates):
        points = asked[:, coordinates == axis][row]
        ends = np.concatenate((low[:, [axis]], points, high[:, [axis]]), axis=1)
        ends = np.sort(np.clip(ends, low[:, [axis]], high[:, [axis]]), axis=1)
        index, piece = np.nonzero(np.diff(ends, axis=1))
        row, low, high = row[index], low[index], high[index]
        low[:, axis], high[:, axis] = ends[index, piece], ends[index, piece + 1]
    return row, low, high


def _regroup(group: Int, transcripts: Int, asked: Points) -> tuple[Int, Int]:
    """Part the groups by what this round asked; exact, with a hash only to sort by."""
    if asked.shape[1] == 0:
        return group, transcripts
    key = _hash(group, asked)
    order = np.lexsort((group, key))
    same = (key[order][1:] == key[order][:-1]) & (group[order][1:] == group[order][:-1])
    alike = (asked[order][1:] == asked[order][:-1]).all(axis=1)
    if (same & ~alike).any():  # two keys collided: sort by everything instead
        table = np.concatenate((group[:, None], asked), axis=1)
        _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
    else:
        fresh = np.concatenate(([True], ~same))
        inverse = np.empty(len(group), np.int64)
        inverse[order] = np.cumsum(fresh) - 1
        first = order[fresh]
    return inverse, np.concatenate((transcripts[group[first]], asked[first]), axis=1)


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


def success(strategy: Strategy, *, chunk: int = 1 << 18, limit: int = 1 << 26) -> Fraction:
    """What the best eavesdropper wins with when X* is uniform, exactly, in one dimension.

    Args:
        strategy: What she listens to; it must be noiseless.
        chunk: As in `branches`.
        limit: As in `branches`.

    Returns:
        The sum over transcripts of the most mass a window of length δ can catch.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    cells = strategy.cells[0]
    reach = strategy.problem.delta * cells
    won = Fraction(0)
    for part in branches(strategy, chunk=chunk, limit=limit):
        caught = best_windows(part, reach)
        won += Fraction(sum(map(int, caught)), part.total * cells * reach.denominator)
    return won


def best_windows(part: Branches, reach: Fraction) -> NDArray[Any]:
    """For each transcript, the most that a window `reach` cells long can catch.

    Args:
        part: Branches in one dimension.
        reach: The window's length in cells.

    Returns:
        [groups] the catch, times reach.denominator, in units of cells × weight.
    """
    length, rest = divmod(reach.numerator, reach.denominator)
    low, high, group = part.low[:, 0], part.high[:, 0], part.group
    mass = _Mass(low, high, part.weight, group, len(part.transcripts))
    # Between whole boundaries the mass is linear, so a window's odd end is a share of one cell.
    forth, back = mass.below(low + length, group), mass.below(high - length, group)
    opening, closing = forth - mass.below(low, group), mass.below(high, group) - back
    if rest:
        share = Fraction(rest, reach.denominator)
        opening = _blend(opening, mass.below(low + length + 1, group) - forth, share)
        closing = _blend(closing, back - mass.below(high - length - 1, group), share)
    caught = np.maximum(opening, closing)
    best = np.zeros(len(part.transcripts), caught.dtype)
    np.maximum.at(best, group, caught)
    return best


def _blend(whole: NDArray[Any], cell: NDArray[Any], share: Fraction) -> NDArray[Any]:
    """The sum whole + share·cell, times the share's denominator."""
    if whole.dtype == object or int(whole.max() + cell.max()) * share.denominator >= _SAFE:
        whole, cell = whole.astype(object), cell.astype(object)
    blended: NDArray[Any] = whole * share.denominator + cell * share.numerator
    return blended


class _Mass:
    """Mass below a point within a group: piecewise linear, by prefix sums over sorted ends."""

    def __init__(self, low: Int, high: Int, weight: NDArray[Any], group: Int, groups: int) -> None:
        self._span = int(high.max()) + 1 if len(high) else 1
        bound = float(np.asarray(weight, float).sum()) * 4 * self._span
        large = bound >= _SAFE or self._span * (groups + 2) >= _SAFE
        self._weight = weight.astype(object) if large else weight
        self._ends = [self._sorted(end, group) for end in (low, high)]

    def _sorted(self, end: Int, group: Int) -> tuple[Int, NDArray[Any], NDArray[Any], Int]:
        order = np.lexsort((end, group))
        weight = self._weight[order]
        zero = np.zeros(1, weight.dtype)
        heap = np.concatenate((zero, np.cumsum(weight)))
        moment = np.concatenate((zero, np.cumsum(weight * end[order].astype(weight.dtype))))
        return group[order] * self._span + end[order], heap, moment, np.sort(group)

    def below(self, point: Int, group: Int) -> NDArray[Any]:
        total: NDArray[Any] = np.zeros(len(point), self._weight.dtype)
        inside = np.clip(point, 0, self._span - 1)
        for sign, (keys, heap, moment, groups) in zip((1, -1), self._ends, strict=True):
            last = np.searchsorted(keys, group * self._span + inside, side="right")
            first = np.searchsorted(groups, group, side="left")
            area = inside * (heap[last] - heap[first]) - (moment[last] - moment[first])
            total = total + sign * area
        return total
