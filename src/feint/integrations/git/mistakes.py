"""Compute what an observer wins with who saw a round that was asked because of a wrong verdict.

A wrong verdict may be taken back after the next round was shown. The search then goes on as it
should have, with the same coins. So the observer sees one round more: what the search asks after
the wrong verdict. `Retaken` is a strategy that asks this round too, and ignores its answers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.errors import TooLarge
from feint.integrations.git.exposure import moved_success
from feint.interfaces import (
    UNASKED,
    Answers,
    Estimate,
    Points,
    Round,
    Sides,
    Strategy,
    Weights,
    take,
)
from feint.planning import Plan
from feint.problem import Problem
from feint.simulate.oracles import Bracket

Int = NDArray[np.int64]
_WAYS = 16  # sets of wrong verdicts to try: each takes as long as auditing the plan
_COMMITS = 20_000  # histories that take less than a minute


@dataclass(frozen=True)
class Mistake:
    """Verdicts that were taken back after the round that followed them was shown.

    Attributes:
        round: The number of their round.
        columns: Their questions.
    """

    round: int
    columns: tuple[int, ...]


def success_after(plan: Plan, mistakes: Sequence[Mistake], excluded: Collection[int]) -> Fraction:
    """Return the success of the best observer who sees the rounds after mistakes too.

    She is assumed to know which verdicts were wrong. Of those that were taken back together, any
    may have been wrong, so it is the largest over all sets of them.

    Args:
        plan: A noiseless private plan for m whole values.
        mistakes: The mistakes.
        excluded: Commits that are not the first bad one.

    Raises:
        TooLarge: There are too many commits or too many sets.
    """
    values = plan.problem.values or 0
    if values > _COMMITS:
        raise TooLarge("commits", values, f"at most {_COMMITS} are audited", "begin again")
    choices = [
        [
            Mistake(each.round, some)
            for count in range(1, len(each.columns) + 1)
            for some in combinations(each.columns, count)
        ]
        for each in mistakes
    ]
    ways = [*product(*choices)]
    if len(ways) > _WAYS:
        rule = f"at most {_WAYS} sets of wrong verdicts are audited"
        raise TooLarge("verdicts", len(ways), rule, "begin again")
    same = [*range(values + 1)]
    return max(
        moved_success(replace(plan, strategy=Retaken(plan.strategy, way)), same, excluded=excluded)
        for way in ways
    )


class RetakenState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round, those after mistakes included.
        toss: The number of coins tossed in this round.
        own: The state of the strategy.
        wrong: The states after the mistakes of the last round.
        marks: The marks of the coins since the last round of the strategy, [runs, 3] each: the
            least, the one past the greatest, and how many marks the coin has.
        low: [runs] the largest boundary that X* is known to reach.
        high: [runs] the smallest boundary that X* is known to be below.
    """

    round: int
    toss: int
    own: Any
    wrong: tuple[Any, ...]
    marks: tuple[Int, ...]
    low: Int
    high: Int


@dataclass(frozen=True)
class Retaken:
    """A strategy that asks the rounds after mistakes too.

    Attributes:
        inner: The strategy, noiseless and in one dimension.
        mistakes: The mistakes, each with all of its wrong verdicts.
    """

    inner: Strategy[Any]
    mistakes: tuple[Mistake, ...]

    @property
    def problem(self) -> Problem:
        """Return the strategy's problem."""
        return self.inner.problem

    @property
    def cells(self) -> tuple[int, ...]:
        """Return the strategy's lattice."""
        return self.inner.cells

    @cached_property
    def _order(self) -> list[tuple[int, int | None]]:
        """Return for each round that of the strategy, or the one before it and which mistake."""
        found = list[tuple[int, int | None]]()
        for number in range(len(self.inner.rounds)):
            found.append((number, None))
            wrong = [at for at, each in enumerate(self.mistakes) if each.round == number]
            found += [(number, at) for at in range(len(wrong))]
        return found

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Return the rounds of the strategy, and those after mistakes.

        These ask about boundary 0 too, which tells nothing, so that they never ask nothing at all:
        that would be the end of the run.
        """
        own = self.inner.rounds
        return [
            own[number] if wrong is None else Round("wrong", (0, *own[number + 1].coordinates))
            for number, wrong in self._order
        ]

    def start(self, runs: int) -> RetakenState:
        """Return the state before the first round."""
        low, high = np.zeros(runs, np.int64), np.full(runs, self.cells[0], np.int64)
        return RetakenState(0, 0, self.inner.start(runs), (), (), low, high)

    def _now(self, state: RetakenState) -> Any:
        _, wrong = self._order[state.round]
        return state.own if wrong is None else state.wrong[wrong]

    def coin(self, state: RetakenState) -> Weights | None:
        """Return the next coin, as it falls with the mark that this toss had after a mistake.

        A live search draws one mark for a toss of a round, and the side is where it lies among the
        weights (`feint.search.coins`). If a round is asked again, its tosses have the same marks.
        """
        weights = self.inner.coin(self._now(state))
        if weights is None or state.toss >= len(state.marks):
            return weights
        ends, marks = weights.cumsum(axis=1), state.marks[state.toss]
        if (ends[:, -1] != marks[:, 2]).any():
            rule = "a wrong verdict leads to coins with other weights"
            raise TooLarge("coins", state.toss, rule, "begin again")
        overlap = np.minimum(ends, marks[:, 1:2]) - np.maximum(ends - weights, marks[:, :1])
        again: Weights = np.maximum(overlap, 0)
        return again

    def toss(self, state: RetakenState, side: Sides) -> RetakenState:
        """Return the state after a coin."""
        _, wrong = self._order[state.round]
        weights = self.inner.coin(self._now(state))
        if weights is None:
            raise RuntimeError("there is no coin to toss")
        after, held = self.inner.toss(self._now(state), side), list(state.wrong)
        if wrong is None:
            state = state._replace(own=after)
        else:
            held[wrong] = after
            state = state._replace(wrong=tuple(held))
        rows, ends = np.arange(len(side)), weights.cumsum(axis=1)
        low, high = (ends - weights)[rows, side], ends[rows, side]
        marks = [*state.marks]
        if state.toss < len(marks):
            low = np.maximum(low, marks[state.toss][:, 0])
            high = np.minimum(high, marks[state.toss][:, 1])
        marks[state.toss : state.toss + 1] = [np.column_stack((low, high, ends[:, -1]))]
        return state._replace(toss=state.toss + 1, marks=tuple(marks))

    def ask(self, state: RetakenState) -> Points:
        """Return the questions of the next round."""
        asked = self.inner.ask(self._now(state))
        if self._order[state.round][1] is None:
            return asked
        return np.column_stack((np.zeros(len(asked), np.int64), asked))

    def tell(self, state: RetakenState, answers: Answers) -> RetakenState:
        """Return the state after the answers; those of a round after a mistake are ignored."""
        number, wrong = self._order[state.round]
        state = state._replace(round=state.round + 1, toss=0)
        if wrong is not None:
            return state
        points = self.inner.ask(state.own)
        mistakes = [each for each in self.mistakes if each.round == number]
        said = (self._misread(state, points, answers, each.columns) for each in mistakes)
        put = points != UNASKED
        low = np.where(put & answers, points, 0).max(axis=1, initial=0)
        high = np.where(put & ~answers, points, self.cells[0]).min(axis=1, initial=self.cells[0])
        return state._replace(
            own=self.inner.tell(state.own, answers),
            wrong=tuple(self.inner.tell(state.own, each) for each in said),
            marks=(),
            low=np.maximum(state.low, low),
            high=np.minimum(state.high, high),
        )

    def estimate(self, state: RetakenState) -> Estimate:
        """Return the estimate of the strategy."""
        return self.inner.estimate(state.own)

    def _misread(
        self, state: RetakenState, points: Points, answers: Answers, columns: tuple[int, ...]
    ) -> Answers:
        """Return what the search was told: answers that fit together, read as a bisection does."""
        seen = answers.copy()
        seen[:, columns] ^= points[:, columns] != UNASKED
        table = np.column_stack((state.low, state.high, points, seen))
        rows, inverse = np.unique(table, axis=0, return_inverse=True)
        told, width = np.zeros((len(rows), points.shape[1]), bool), points.shape[1]
        for at, row in enumerate(rows.tolist()):
            put = [i for i in range(width) if row[2 + i] != UNASKED]
            bracket = Bracket(row[0], row[1])
            places, said = ([row[k + i] for i in put] for k in (2, 2 + width))
            told[at, put] = bracket.take(places, [bool(each) for each in said])
        return take(told, inverse.reshape(-1))
