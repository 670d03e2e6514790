"""The strategy of one live search as it goes: what it asks next, and what it found."""

from __future__ import annotations

from typing import Any

import numpy as np

from feint.errors import InvalidValue
from feint.interfaces import UNASKED, Estimate
from feint.planning import Plan
from feint.search import coins
from feint.search.ledger import Ledger


class Course:
    """A strategy's state, in the round shown last and in the one before; coins are by the key."""

    def __init__(self, plan: Plan, key: bytes) -> None:
        """Begin before the first round.

        Args:
            plan: What is followed.
            key: What every coin follows from.
        """
        self._strategy, self._key = plan.strategy, key
        self._state: Any = None
        self._before: Any = None

    def next(self, ledger: Ledger) -> tuple[Any, list[int]]:
        """The state in the next round and its points; nothing changes yet.

        Args:
            ledger: What was shown and told; every query shown has its answer.

        Raises:
            InvalidValue: The strategy cannot follow these answers, or leaves a query out.
        """
        state = self._tossed(self._heard(ledger), ledger.round + 1)
        points: list[int] = self._strategy.ask(state)[0].tolist()
        if UNASKED in points:
            rule = "leaves a query out in this round, and the shape of what is overheard could tell"
            kind = type(self._strategy).__name__
            raise InvalidValue("strategy", kind, rule, "wrap it in Padded")
        return state, points

    def show(self, state: Any) -> None:
        """Go on to the round whose state `next` gave."""
        self._before, self._state = self._state, state

    def back(self) -> None:
        """Go back to the round before; once."""
        self._state = self._before

    def estimate(self, ledger: Ledger) -> Estimate:
        """What the answers told, once every query is answered."""
        state = self._heard(ledger)
        for number in range(ledger.round + 1, len(self._strategy.rounds)):  # that ask nothing
            state = self._strategy.tell(self._tossed(state, number), np.empty((1, 0), bool))
        return self._strategy.estimate(state)

    def _heard(self, ledger: Ledger) -> Any:
        """The state after the answers of the round shown last."""
        if not ledger.shown:
            return self._strategy.start(1)
        answers = np.array(ledger.above[-1], bool).reshape(1, -1)
        return self._strategy.tell(self._state, answers)

    def _tossed(self, state: Any, number: int) -> Any:
        toss = 0
        while (weights := self._strategy.coin(state)) is not None:
            side = coins.side(self._key, number, toss, weights[0])
            state = self._strategy.toss(state, np.array([side], np.int64))
            toss += 1
        return state
