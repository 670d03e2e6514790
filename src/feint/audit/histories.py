"""Compute the likelihood of a noisy search's queries for each X*, over all possible histories.

The answers are not overheard. All histories that fit the queries are followed at once. Histories
with equal beliefs are merged into one state. Its likelihood is a product of p's and (1−p)'s given
by the belief's counts, times the probability of its coins.

If there are too many states, the audit helps the eavesdropper, since it knows the answers of the
simulated run. It ranks the states by public information, divides them into groups, and tells her
the group of the true state. Help never lowers her success, so the result is an upper bound. The
bound of proofs/noisy.md covers her too, since it allows for an eavesdropper who hears every answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import Belief, changes, densities, learn, powers, scores
from feint.interfaces import take
from feint.strategies import Pursuit, PursuitState

Int = NDArray[np.int64]
Float = NDArray[np.float64]
Bool = NDArray[np.bool_]


@dataclass(frozen=True)
class Likelihood:
    """P(queries | X*), up to a factor, for each gap between the distinct queries.

    Attributes:
        seen: The distinct queries, in order.
        value: [gaps] from below the first query to above the last; the largest is at most 1.
        log: The logarithm of the factor.
        helped: True if the eavesdropper was told more than she overheard.
    """

    seen: Int
    value: Float
    log: float
    helped: bool

    def at(self, place: Int) -> Float:
        """Return the value for an X* in each of these cells; they may lie outside the search."""
        return self.value[np.searchsorted(self.seen, place, side="right")]


@dataclass(frozen=True)
class Truth:
    """The true answers of the audited run.

    Attributes:
        answers: The answers.
        most: The most states to follow before the eavesdropper is helped; 0: she is told every
            answer, and no states are followed.
    """

    answers: Bool
    most: int


def likelihood(
    search: Pursuit, cells: int, points: Int, *, found: int | None, truth: Truth | None
) -> Likelihood:
    """Follow every history of a search that asks about these points.

    Args:
        search: The search.
        cells: The number of cells.
        points: Its queries, in order.
        found: The cell that it must find; None: any.
        truth: The true answers; None: never help.

    Returns:
        The probability of the queries (and of finding the cell) for each X*; 0 if no history fits.
    """
    if truth is not None and truth.most == 0 and len(points):
        return _told_all(search, cells, points, truth.answers)
    walk = _Walk(search, cells, points, truth)
    if not all(walk.step(number) for number in range(len(points))):
        return Likelihood(walk.seen, np.zeros(len(walk.seen) + 1), 0.0, False)
    if found is not None:
        walk.keep(search.found(walk.state) == found)
    return walk.likelihood()


def _told_all(search: Pursuit, cells: int, points: Int, answers: Bool) -> Likelihood:
    """Return the likelihood for an eavesdropper who hears every answer."""
    inner = (points > 0) & (points < cells)  # answers at the ends carry no information
    seen, place = np.unique(points, return_inverse=True)
    steps = np.bincount(place[inner], 2 * answers[inner] - 1.0, len(seen))[None]
    lead = scores(steps.astype(np.int64))[0]
    table = powers(float(search.p / (1 - search.p)), int(np.ptp(lead)))
    return Likelihood(seen, table[np.minimum(lead.max() - lead, len(table) - 1)], 0.0, True)


class _Walk:
    """The states that fit the queries so far.

    Attributes:
        state: One row per distinct belief.
        key: [states] a number that equal beliefs share.
        log: [states] the logarithm of the coins of all its histories together.
        true: The row of the true state.
        told: The number of informative answers.
        helped: True if the eavesdropper was told more than she overheard.
    """

    def __init__(self, search: Pursuit, cells: int, points: Int, truth: Truth | None) -> None:
        self.search, self.cells, self.points, self.truth = search, cells, points, truth
        self.seen, self.place = np.unique(points, return_inverse=True)
        # An answer changes the count at its point by one, and the key by that point's random
        # number.
        self.names = np.random.default_rng(0).integers(1 << 62, size=len(self.seen)) * 2 + 1
        self.state: PursuitState = search.start(np.array([cells]))
        self.key, self.log = np.zeros(1, np.int64), np.zeros(1)
        self.true, self.told, self.helped = 0, 0, False

    def step(self, number: int) -> bool:
        """Follow one query: keep the states that would ask it, and split them by both answers.

        Returns:
            True if any state remains.
        """
        point = self.points[number]
        coin = np.stack((self.state.left, 1 - self.state.left), axis=1)
        row, side = np.nonzero((coin > 0) & (self.state.cell[:, None] + (0, 1) == point))
        true = np.flatnonzero(row == self.true) if self.truth is not None else np.arange(len(row))
        if not len(true):
            return False
        self.true = int(true[0])
        self.log = self.log[row] + np.log(coin[row, side])
        belief, key = take(self.state.belief, row), self.key[row]
        if 0 < point < self.cells:  # otherwise the answer carries no information
            self.told += 1
            asked = np.full(len(row), point)
            both = (learn(belief, asked, np.full(len(row), each)) for each in (False, True))
            belief = Belief(*(np.concatenate(each) for each in zip(*both, strict=True)))
            name = self.names[self.place[number]]
            key = np.concatenate((key - name, key + name))
            self.log = np.tile(self.log, 2)
            if self.truth is not None and self.truth.answers[number]:
                self.true += len(row)
        self._merge(belief, key)
        if self.truth is not None and len(self.key) > self.truth.most:
            self._help(max(1, self.truth.most // 2))
        return True

    def keep(self, held: Bool) -> None:
        """Drop the other states."""
        self.state = take(self.state, np.flatnonzero(held))
        self.key, self.log = self.key[held], self.log[held]

    def likelihood(self) -> Likelihood:
        """Return the likelihood of all queries, summed over the states."""
        if not len(self.log):
            return Likelihood(self.seen, np.zeros(len(self.seen) + 1), 0.0, self.helped)
        agree = self._agreeing()
        logs = self.log[:, None] + agree * math.log(self.search.p / (1 - self.search.p))
        top = float(logs.max())
        value = np.exp(logs - top).sum(axis=0)
        scale = top + self.told * math.log(1 - self.search.p) + math.log(value.max())
        return Likelihood(self.seen, value / value.max(), scale, self.helped)

    def _agreeing(self) -> Int:
        """Return [states, gaps] the number of answers that agree with an X* in each gap."""
        edges, steps = changes(self.state.belief)
        held = steps != 0
        count = np.zeros((len(edges), len(self.seen)), np.int64)
        count[np.nonzero(held)[0], np.searchsorted(self.seen, edges[held])] = steps[held]
        # Below all edges, the answers "no" agree.
        agreeing: Int = scores(count) + (self.told - count.sum(axis=1, keepdims=True)) // 2
        return agreeing

    def _merge(self, belief: Belief, key: Int) -> None:
        """Merge states into one row per distinct belief."""
        self.key, first, inverse = np.unique(key, return_index=True, return_inverse=True)
        kept = take(belief, first)
        if len(first) < len(key):
            mine, other = np.hstack(changes(belief)), np.hstack(changes(take(kept, inverse)))
            if not np.array_equal(mine, other):
                raise RuntimeError("two beliefs have one key")
            top = np.full(len(first), -np.inf)
            np.maximum.at(top, inverse, self.log)
            total = np.bincount(inverse, np.exp(self.log - top[inverse]))
            self.log = top + np.log(total)
        else:
            self.log = self.log[first]
        self.true = int(inverse[self.true])
        self.state = self.search.resume(kept)

    def _help(self, size: int) -> None:
        """Keep the group of at most `size` states that holds the true one.

        States are ranked by their probability for a uniform X*, which does not depend on the true
        answers, and divided into groups of equal size. She is told the true group.
        """
        odds = float(self.search.p / (1 - self.search.p))
        edges, density = densities(self.state.belief, odds)
        count = self._agreeing()[:, 0] + scores(changes(self.state.belief)[1]).max(axis=1)
        mass = np.log((np.diff(edges) * density).sum(axis=1)) + count * math.log(odds)
        order = np.argsort(-(self.log + mass), kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        held = rank // size == rank[self.true] // size
        self.true = int(held[: self.true].sum())
        self.keep(held)
        self.helped = True
