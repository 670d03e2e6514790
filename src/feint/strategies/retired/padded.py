"""The padding wrapper: a strategy that stops early asks the left end instead.

The paper's lower-bound proof fills short transcripts so, and only then is their shape the same for
every X*. The answer at the left end is known, so nothing is learnt by it; where the padding begins
is still overheard, and may tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from feint.interfaces import UNASKED, Answers, Estimate, Points, Round, Sides, Strategy, Weights
from feint.problem import Problem


@dataclass(frozen=True)
class Padded:
    """A strategy with every point it leaves unasked moved to the left end.

    Its state is the inner strategy's own.

    Attributes:
        inner: The strategy to fill; it hears "no" for a point that it left unasked.
    """

    inner: Strategy

    asks_all = True

    @property
    def problem(self) -> Problem:
        """The inner strategy's."""
        return self.inner.problem

    @property
    def cells(self) -> tuple[int, ...]:
        """The inner strategy's."""
        return self.inner.cells

    @property
    def rounds(self) -> Sequence[Round]:
        """The inner strategy's."""
        return self.inner.rounds

    @property
    def has_coins(self) -> bool | None:
        """The inner strategy's."""
        return getattr(self.inner, "has_coins", None)

    def start(self, runs: int) -> Any:
        """The inner strategy's start."""
        return self.inner.start(runs)

    def coin(self, state: Any) -> Weights | None:
        """The inner strategy's coin."""
        return self.inner.coin(state)

    def toss(self, state: Any, side: Sides) -> Any:
        """The inner strategy's move."""
        return self.inner.toss(state, side)

    def ask(self, state: Any) -> Points:
        """The inner strategy's queries, the left end where there is none."""
        points = self.inner.ask(state)
        return np.where(points == UNASKED, 0, points)

    def tell(self, state: Any, answers: Answers) -> Any:
        """The answers, "no" where the inner strategy had not asked."""
        return self.inner.tell(state, answers & (self.inner.ask(state) != UNASKED))

    def estimate(self, state: Any) -> Estimate:
        """The inner strategy's estimate."""
        return self.inner.estimate(state)
