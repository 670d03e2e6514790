"""A strategy of one's own that leaves questions out, registered so that searches with it are saved.

It ends as soon as it knows the number. Saved searches follow it as it is, and filled by `Padded`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint import Problem
from feint.interfaces import UNASKED, Answers, Estimate, Points, Round, Sides
from feint.search import register_strategy


class LadderState(NamedTuple):
    """The round, and how many questions each run answered with yes, and whether one with no."""

    round: int
    passed: NDArray[np.int64]
    over: NDArray[np.bool_]


@dataclass(frozen=True)
class Ladder:
    """Ask 1, 2, 3 … until the answer is no, then nothing more."""

    problem: Problem
    size: int

    @property
    def cells(self) -> tuple[int, ...]:
        return (self.size,)

    @property
    def rounds(self) -> Sequence[Round]:
        return (Round("climb", (0,)),) * (self.size - 1)

    def start(self, runs: int) -> LadderState:
        return LadderState(0, np.zeros(runs, np.int64), np.zeros(runs, np.bool_))

    def coin(self, state: LadderState) -> None:
        return None

    def toss(self, state: LadderState, side: Sides) -> LadderState:
        raise RuntimeError("there are no coins")

    def ask(self, state: LadderState) -> Points:
        return np.where(state.over, UNASKED, state.round + 1)[:, None]

    def tell(self, state: LadderState, answers: Answers) -> LadderState:
        yes = answers[:, 0] & ~state.over
        return LadderState(state.round + 1, state.passed + yes, state.over | ~answers[:, 0])

    def estimate(self, state: LadderState) -> Estimate:
        low = state.passed[:, None]
        return Estimate.between(low, np.minimum(low + 1, self.size))


register_strategy("tests: ladder", Ladder)
