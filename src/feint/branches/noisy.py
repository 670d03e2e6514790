"""Enumerate a small search under noise: the probability of each transcript, given each cell.

Every answer is possible, so a row is a history of coins and answers, with its probability for every
cell that may hold X*. Rows with the same transcript and the same future are merged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from feint.branches.walk import Heard, regroup
from feint.errors import InvalidValue, TooLarge
from feint.interfaces import UNASKED, Answers, Points, Read, State, Strategy, take
from feint.problem import Noise, Rates, Responses

Int = NDArray[np.int64]
Float = NDArray[np.float64]
Right = Callable[[Int, Int], Float]
"""A function of boundaries and of the cells that hold X* that returns the probability of a right
answer. Both are arrays, which are broadcast."""

_ENTRIES = 1 << 26  # the most probabilities in memory: half a gigabyte


@runtime_checkable
class Summarized(Protocol[Read]):
    """A strategy that can summarize a state by the numbers that decide its later questions."""

    def summary(self, state: Read) -> Int:
        """Return [runs, any] whole numbers that determine how a run continues.

        Two runs with equal numbers ask the same questions if they receive the same answers and
        coins from now on. Numbers that affect only the estimate are left out.
        """


@dataclass(frozen=True, kw_only=True)
class NoisyBranches:
    """The probability of every transcript.

    Attributes:
        transcripts: [transcripts, columns] the queries; `UNASKED` in columns left out.
        chance: [transcripts, cells] the probability of each, given the cell that holds X*.
        rows: The largest number of histories held at once.
    """

    transcripts: Points
    chance: Float
    rows: int


def noisy_branches(
    strategy: Strategy[State], *, right: Right | None = None, limit: int = _ENTRIES
) -> NoisyBranches:
    """Walk every branch of a small strategy under noise, in one dimension.

    Args:
        strategy: The strategy to enumerate.
        right: The true probability that each answer is right; None: the p of the strategy's
            problem, the least possible one if p is not known. If it depends on the distance, a
            cell stands for its middle.
        limit: The most probabilities to hold in memory.

    Returns:
        Every transcript, with its probability for each cell.

    Raises:
        TooLarge: There are more probabilities than the limit.
        InvalidValue: There are several coordinates, or no p.

    >>> from fractions import Fraction
    >>> from feint import Problem
    >>> from feint.strategies import SequentialNoisy, SequentialShape
    >>> shape = SequentialShape(parts=2, repeats=1, kept=2, hide_cap=(1, 0))
    >>> problem = Problem("1/8", "1/2", 2, p="0.9", confidence="0.5")
    >>> found = noisy_branches(SequentialNoisy(problem, 8, shape))
    >>> len(found.transcripts), found.chance.sum(axis=0).round(9).tolist()
    (1, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    """
    noise = strategy.problem.noise
    if len(strategy.cells) != 1 or noise is None:
        rule = "branches under noise are walked in one dimension, with a p"
        raise InvalidValue("strategy", type(strategy).__name__, rule, "walk each factor by itself")
    walk = _Walk(strategy, right or _of(noise, strategy.cells[0]), limit)
    for _ in strategy.rounds:
        walk.step()
    walk.end(np.ones(len(walk.group), bool))
    return walk.found()


def _of(noise: Noise, cells: int) -> Right:
    """Return the probability that an answer is right, at the least p of the noise model."""
    if isinstance(noise, Responses):
        if len(noise.scales) > 1:
            rule = "branches are walked with one scale"
            raise InvalidValue(
                "right", None, rule, "pass `right`, the probability that an answer is right"
            )
        scale = float(noise.scales[0] * cells)
        return lambda points, held: noise.yes(np.abs(held + 0.5 - points) / scale)
    return _by_side(noise) if isinstance(noise, Rates) else _constant(float(noise.least))


def _constant(p: float) -> Right:
    return lambda points, cells: np.full(np.broadcast_shapes(points.shape, cells.shape), p)


def _by_side(rates: Rates) -> Right:
    """Return the probabilities that checks of good and bad commits are right at the worst rates."""
    good, bad = (float(rate) for rate in rates.worst)
    return lambda points, cells: np.where(cells >= points, 1 - good, bad)


class _Walk:
    """The histories that have completed the same number of rounds."""

    def __init__(self, strategy: Strategy[State], right: Right, limit: int) -> None:
        self.strategy, self.right, self.limit = strategy, right, limit
        self.cells = np.arange(strategy.cells[0])
        self.state = strategy.start(1)
        self.chance = np.ones((1, len(self.cells)))
        self.group, self.rows = np.zeros(1, np.int64), 1
        self.heard = Heard(None, np.zeros(1, np.int64), np.empty((1, 0), np.int64))
        self.round = 0
        self.ended = list[tuple[Points, Float]]()

    def step(self) -> None:
        """Play one round: split on its coins, ask, split on the answers, tell, merge."""
        if not len(self.group):
            return
        while (weights := self.strategy.coin(self.state)) is not None:
            index, side = np.nonzero(weights)
            share = weights[index, side] / weights.sum(axis=1)[index]
            self._split(index, share[:, None])
            self.state = self.strategy.toss(take(self.state, index), side)
        asked = self.strategy.ask(self.state)
        silent = (asked == UNASKED).all(axis=1) if asked.shape[1] else np.zeros(len(asked), bool)
        if silent.any():
            self.end(silent)
            self._take(np.flatnonzero(~silent))
            asked = asked[~silent]
        if not len(asked):
            return
        self.group, self.heard = regroup(self.group, self.heard, asked)
        index, answers = self._answered(asked)
        self.state = self.strategy.tell(take(self.state, index), answers)
        self.round += 1
        self._merge()

    def end(self, rows: NDArray[np.bool_]) -> None:
        """Store the transcripts of rows that have ended."""
        groups, inverse = np.unique(self.group[rows], return_inverse=True)
        chance = np.zeros((len(groups), len(self.cells)))
        np.add.at(chance, inverse, self.chance[rows])
        self.ended.append((self.heard.table(groups), chance))

    def found(self) -> NoisyBranches:
        """Return all transcripts, padded to all columns."""
        columns = sum(len(each.coordinates) for each in self.strategy.rounds)
        points = np.full((sum(len(each) for each, _ in self.ended), columns), UNASKED, np.int64)
        first = 0
        for table, _ in self.ended:
            points[first : first + len(table), : table.shape[1]] = table
            first += len(table)
        chance = np.concatenate([each for _, each in self.ended])
        return NoisyBranches(transcripts=points, chance=chance, rows=self.rows)

    def _answered(self, asked: Points) -> tuple[Int, Answers]:
        """Split every row on each of its answers; return each new row's source and answers."""
        index = np.arange(len(asked))
        answers = np.zeros(asked.shape, bool)
        for column in range(asked.shape[1]):
            point = asked[index, column]
            put = point != UNASKED
            above = self.cells >= point[:, None]
            right = self.right(point[:, None], self.cells)
            yes = np.where(above, right, 1 - right)
            again = np.concatenate((np.arange(len(index)), np.flatnonzero(put)))
            share = np.where(put[:, None], 1 - yes, 1.0)
            self._split(again, np.concatenate((share, yes[put])))
            answers = np.concatenate((answers, answers[put]))
            answers[len(index) :, column] = True
            index = index[again]
        return index, answers

    def _split(self, index: Int, share: Float) -> None:
        if len(index) * len(self.cells) > self.limit:
            rule = f"at most {self.limit} probabilities are held at once"
            raise TooLarge("limit", len(index) * len(self.cells), rule, "sample runs instead")
        self.chance, self.group = self.chance[index] * share, self.group[index]
        self.rows = max(self.rows, len(index))

    def _take(self, rows: Int) -> None:
        self.state = take(self.state, rows)
        self.chance, self.group = self.chance[rows], self.group[rows]

    def _merge(self) -> None:
        """Merge rows with the same transcript and the same future."""
        if not isinstance(self.strategy, Summarized):
            return
        table = np.concatenate((self.group[:, None], self.strategy.summary(self.state)), axis=1)
        _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
        chance = np.zeros((len(first), len(self.cells)))
        np.add.at(chance, inverse.reshape(-1), self.chance)
        self._take(first)
        self.chance = chance
