"""Define a small strategy whose runs have different lengths, registered for saved searches.

Everybody hears on which side of 12 the number lies. Left of it are three parts of four cells, two
of which are searched side by side; a coin picks the second one. Right of it are two parts of two
cells, which need one question fewer in the second round, and one round fewer.

    left    12 | 4 8 | a+2 b+2 | a+i b+i      7 questions in 4 rounds, for 12 of 16 cells
    right   12 | 14  | 13  15  |              4 questions in 3 rounds, for 4 of 16 cells
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint import Problem
from feint.interfaces import UNASKED, Answers, Estimate, Points, Round, Sides, Weights
from feint.search import register_strategy

Int = NDArray[np.int64]
CUT = 12
PROBLEM = Problem("1/16", "1/16", 4, values=16)


class ForkedState(NamedTuple):
    """The round, whether its coin fell, the side of the cut, the part, the coin and the offset."""

    round: int
    tossed: bool
    right: Int
    part: Int
    side: Int
    offset: Int


@dataclass(frozen=True)
class Forked:
    """The strategy in the docstring of this module."""

    problem: Problem = PROBLEM

    cells = (16,)
    rounds: ClassVar[tuple[Round, ...]] = (
        Round("cut", (0,)),
        Round("cut", (0, 0)),
        Round("hide", (0, 0)),
        Round("finish", (0, 0)),
    )
    queries = 7

    def start(self, runs: int) -> ForkedState:
        zero = np.zeros(runs, np.int64)
        return ForkedState(0, False, zero, zero, zero, zero)

    def coin(self, state: ForkedState) -> Weights | None:
        if state.round != 2 or state.tossed:
            return None
        return np.stack((np.ones_like(state.right), 1 - state.right), axis=1)

    def toss(self, state: ForkedState, side: Sides) -> ForkedState:
        return state._replace(tossed=True, side=side)

    def ask(self, state: ForkedState) -> Points:
        right = state.right[:, None] == 1
        if state.round == 0:
            return np.full((len(right), 1), CUT)
        if state.round == 1:
            return np.where(right, [14, UNASKED], [4, 8])
        starts, _ = self._window(state)
        if state.round == 2:
            return np.where(right, [13, 15], starts + 2)
        return np.where(right, UNASKED, starts + state.offset[:, None] + 1)

    def tell(self, state: ForkedState, answers: Answers) -> ForkedState:
        after = state._replace(round=state.round + 1, tossed=False)
        if state.round == 0:
            return after._replace(right=answers[:, 0].astype(np.int64))
        if state.round == 1:
            return after._replace(part=answers.sum(axis=1))
        _, own = self._window(state)
        yes = answers[np.arange(len(own)), own].astype(np.int64)
        wide = np.where(state.right == 1, 1, 2) if state.round == 2 else 1
        return after._replace(offset=state.offset + yes * wide)

    def estimate(self, state: ForkedState) -> Estimate:
        start = np.where(state.right == 1, CUT + 2 * state.part, 4 * state.part)
        low = (start + state.offset)[:, None]
        return Estimate.between(low, low + 1)

    def _window(self, state: ForkedState) -> tuple[Int, Int]:
        """Return where the two parts of the window begin, and which of them is the true one."""
        other = (state.part + 1 + state.side) % 3
        left = np.sort(np.stack((4 * state.part, 4 * other), axis=1), axis=1)
        own = np.where(state.right == 1, state.part, (other < state.part).astype(np.int64))
        return left, own


register_strategy("tests: forked", Forked)
