"""Wrap a strategy that stops early, so that it asks the left end instead.

The paper's lower-bound proof fills short transcripts in this way, and only then is their shape the
same for every X*. The answer at the left end is known, so the padding gives no information to the
learner. An eavesdropper still hears where the padding begins, and may learn from it.
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
    """A strategy that asks the left end instead of every point it leaves out.

    Its state is the state of the inner strategy.

    Attributes:
        inner: The strategy to pad. It hears "no" for a point that it left out.
    """

    inner: Strategy

    asks_all = True

    @property
    def problem(self) -> Problem:
        """Return the inner strategy's problem."""
        return self.inner.problem

    @property
    def cells(self) -> tuple[int, ...]:
        """Return the inner strategy's cells."""
        return self.inner.cells

    @property
    def rounds(self) -> Sequence[Round]:
        """Return the inner strategy's rounds."""
        return self.inner.rounds

    @property
    def has_coins(self) -> bool | None:
        """Return the inner strategy's `has_coins`."""
        return getattr(self.inner, "has_coins", None)

    def start(self, runs: int) -> Any:
        """Return the inner strategy's start."""
        return self.inner.start(runs)

    def coin(self, state: Any) -> Weights | None:
        """Return the inner strategy's coin."""
        return self.inner.coin(state)

    def toss(self, state: Any, side: Sides) -> Any:
        """Apply the coin to the inner strategy."""
        return self.inner.toss(state, side)

    def ask(self, state: Any) -> Points:
        """Return the inner strategy's queries, with the left end for those left out."""
        points = self.inner.ask(state)
        return np.where(points == UNASKED, 0, points)

    def tell(self, state: Any, answers: Answers) -> Any:
        """Pass the answers on, with "no" for queries that the inner strategy left out."""
        return self.inner.tell(state, answers & (self.inner.ask(state) != UNASKED))

    def estimate(self, state: Any) -> Estimate:
        """Return the inner strategy's estimate."""
        return self.inner.estimate(state)
