"""Adapt a plain function of answers and coins to a Strategy.

The function is the φ of the paper. It receives all answers and coins of one run so far, and returns
the points of the next round. The adapter guarantees nothing: check the result by the laws of
`feint.testing` and by `audit`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.interfaces import UNASKED, Answers, Estimate, Points, Round, Sides, Weights
from feint.problem import Problem

Int = NDArray[np.int64]
Function = Callable[[tuple[tuple[bool, ...], ...], tuple[int, ...]], Sequence[int]]
"""(answers so far, one tuple per round; coins so far) → the points of the next round."""


class ScalarState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        tossed: Whether this round's coin, if it has one, was tossed.
        points: [runs, asked] every point asked so far.
        answers: [runs, asked] the answers to them.
        coins: [runs, coins] the side of every coin so far.
    """

    round: int
    tossed: bool
    points: Points
    answers: Answers
    coins: Int


@dataclass(frozen=True)
class Scalar:
    """A strategy in one dimension, written for one run at a time.

    The function is called once for each distinct past in a batch, not once per run.

    Attributes:
        problem: The problem that it is meant to solve.
        size: The number of cells of the lattice.
        rounds: The phase and width of every round; the coordinate is always 0.
        function: It returns the next points, with `UNASKED` in every column that is left out. It
            must be pure. Rounds without a coin add none to its coins.
        sides: The number of equally weighted sides of the coin before each round. With 0 or 1, and
            for rounds past the end, there is no coin.
    """

    problem: Problem
    size: int
    rounds: Sequence[Round]
    function: Function
    sides: Sequence[int] = ()

    def __post_init__(self) -> None:
        """Check the rounds.

        Raises:
            InvalidValue: A round asks about another coordinate than 0.
        """
        for number, each in enumerate(self.rounds):
            if any(each.coordinates):
                rule = "a scalar strategy has coordinate 0 alone"
                raise InvalidValue(f"rounds[{number}]", each.coordinates, rule, "use Product")

    @property
    def cells(self) -> tuple[int, ...]:
        """One coordinate of `size` cells."""
        return (self.size,)

    def start(self, runs: int) -> ScalarState:
        """Return the state before the first round."""
        none = np.empty((runs, 0), np.int64)
        return ScalarState(0, False, none, none.astype(bool), none)

    def coin(self, state: ScalarState) -> Weights | None:
        """Return a fair coin with the stated number of sides, or None."""
        sides = self.sides[state.round] if state.round < len(self.sides) else 0
        if state.tossed or sides < 2:
            return None
        return np.broadcast_to(np.int64(1), (len(state.points), sides))

    def toss(self, state: ScalarState, side: Sides) -> ScalarState:
        """Return the state after the toss, with the side among the coins."""
        coins = np.concatenate((state.coins, side[:, None]), axis=1)
        return state._replace(tossed=True, coins=coins)

    def ask(self, state: ScalarState) -> Points:
        """Return the queries of the round: call the function once for every distinct past."""
        spare = np.zeros((len(state.points), 1), np.int64)  # so that there is a column to compare
        past = np.concatenate((spare, state.answers, state.coins), axis=1)
        _, first, inverse = np.unique(past, axis=0, return_index=True, return_inverse=True)
        width = len(self.rounds[state.round].coordinates)
        table = np.empty((len(first), width), np.int64)
        for row, place in enumerate(first):
            table[row] = self._next(state, int(place), width)
        return table[inverse.reshape(-1)]

    def tell(self, state: ScalarState, answers: Answers) -> ScalarState:
        """Return the state after the answers."""
        return ScalarState(
            state.round + 1,
            False,
            np.concatenate((state.points, self.ask(state)), axis=1),
            np.concatenate((state.answers, answers), axis=1),
            state.coins,
        )

    def estimate(self, state: ScalarState) -> Estimate:
        """Return the estimates: from the greatest point answered yes to the least answered no."""
        asked = state.points != UNASKED
        low = np.where(state.answers & asked, state.points, 0).max(1, initial=0)[:, None]
        high = np.where(~state.answers & asked, state.points, self.size)
        high = high.min(1, initial=self.size)[:, None]
        return Estimate.between(low, high)

    def _next(self, state: ScalarState, row: int, width: int) -> Sequence[int]:
        """Return the function's next points after the past of one run."""
        answers, coins = state.answers[row].tolist(), state.coins[row].tolist()
        widths = [len(round_.coordinates) for round_ in self.rounds[: state.round]]
        told = tuple(
            tuple(answers[end - count : end])
            for count, end in zip(widths, accumulate(widths), strict=True)
        )
        points = _whole(self.function(told, tuple(coins)))
        if len(points) != width:
            rule = f"must return {width} points for round {state.round}, as `rounds` says"
            remedy = "return UNASKED for a column that is left out"
            raise InvalidValue("function", f"{len(points)} points", rule, remedy)
        if not all(0 <= point <= self.size or point == UNASKED for point in points):
            rule = f"must return boundaries of the lattice, 0 to {self.size}"
            raise InvalidValue("function", list(points), rule, "ask at the nearest boundary")
        return points


def _whole(points: Any) -> list[int]:
    """Return the result of the function, if it is a sequence of whole numbers."""
    try:
        return [index(point) for point in points]
    except TypeError:
        rule = "must return a sequence of whole numbers, the boundaries to ask about"
        raise InvalidValue("function", points, rule, "return a list of ints") from None
