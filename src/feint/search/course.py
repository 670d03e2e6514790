"""Track a live search: its questions, its answers, and the strategy's state."""

from __future__ import annotations

from typing import Any

import numpy as np

from feint.errors import InvalidValue, ReplayDiffers
from feint.interfaces import UNASKED, Estimate, Sure, Sureness, asks_all, followed_columns
from feint.planning import Plan
from feint.problem import YesMeans
from feint.search import coins
from feint.search.ledger import Ledger
from feint.search.rounds import Event

AGAIN = (
    "an eavesdropper who hears another search for the same number learns more than was promised,"
    " unless it has the same plan and the same key"
)


class Course:
    """A strategy's state in the last shown round, with the coins of the search's key.

    Attributes:
        ledger: The questions shown and their answers.
    """

    def __init__(self, plan: Plan, key: bytes, yes_means: YesMeans) -> None:
        """Start before the first round.

        Args:
            plan: The plan of the search.
            key: The key of the coins.
            yes_means: The meaning of the answer yes.
        """
        self._strategy, self._key = plan.strategy, key
        self._at_least = yes_means == "at least"
        self._state: Any = None
        self._before: Any
        self._asks_all = asks_all(plan.strategy)
        # The next round, cached by the answers of the last one.
        self._ahead: tuple[Any, tuple[Any, list[int]]] | None = None
        self._over: tuple[Any, bool] | None = None
        self.ledger = Ledger(plan.strategy.rounds)

    def says(self, yes: bool) -> bool:
        """Return True if this answer says that X* lies at or above the point."""
        return yes == self._at_least

    def told_as(self, above: bool | None) -> bool | None:
        """Return the answer for X* at or above the point (True) or below it; None for None."""
        return None if above is None else self.says(above)

    def next(self) -> tuple[Any, list[int]]:
        """Return the state in the next round and its points, without advancing to it.

        All queries shown so far must have answers.

        Raises:
            InvalidValue: The strategy cannot follow these answers.
        """
        now = self._now()
        if self._ahead is None or self._ahead[0] != now:
            state = self._tossed(self._heard(), self.ledger.round + 1)
            self._ahead = now, (state, self._strategy.ask(state)[0].tolist())
        return self._ahead[1]

    def over(self) -> bool:
        """Return True if every query has an answer and no later round asks anything.

        A search is over once a round with columns asks nothing. To find out, the coins of that
        round are tossed. If an answer is changed, the search may continue.
        """
        left = any(self.ledger.widths[self.ledger.round + 1 :])
        if self.ledger.open or (left and self._asks_all):
            return False
        if not left:
            return True
        now = self._now()
        if self._over is None or self._over[0] != now:
            self._over = now, self._asks_nothing()
        return self._over[1]

    def _asks_nothing(self) -> bool:
        """Return True if the next round with columns leaves all of them out."""
        try:
            state, points = self.next()
        except InvalidValue:
            return False  # the strategy cannot continue; `next` raises the error
        number = self.ledger.round + 1
        while not points:  # a round without columns does not end a search
            state, number = self._strategy.tell(state, np.empty((1, 0), bool)), number + 1
            state = self._tossed(state, number)
            points = self._strategy.ask(state)[0].tolist()
        return set(points) == {UNASKED}

    def _now(self) -> tuple[int, tuple[bool | None, ...]]:
        """Return the data that the next round depends on: the last round and its answers."""
        return self.ledger.round, tuple(self.ledger.above[-1]) if self.ledger.shown else ()

    def show(self, state: Any, points: list[int]) -> None:
        """Show the round that `next` returned."""
        self._before, self._state = self._state, state
        self.ledger.show(points)

    def followed(self) -> dict[int, int]:
        """Return the followed column for each hiding column of the last shown round."""
        known = followed_columns(self._strategy, self._state) if self.ledger.shown else None
        if known is None:
            return {}
        both = zip(self.ledger.shown[-1], known[0].tolist(), strict=True)
        return {i: own for i, (point, own) in enumerate(both) if point != UNASKED and own >= 0}

    def estimate(self) -> Estimate:
        """Return the estimate from all answers, once the search is over."""
        state = self._heard()
        # the remaining rounds ask nothing
        for number in range(self.ledger.round + 1, len(self._strategy.rounds)):
            width = self.ledger.widths[number]
            state = self._strategy.tell(self._tossed(state, number), np.zeros((1, width), bool))
            if width:  # the run has ended, so its estimate is final
                break
        return self._strategy.estimate(state)

    def sureness(self) -> tuple[Sureness | None, ...]:
        """Return how sure the search is, per coordinate, without answers of an open round."""
        if not isinstance(self._strategy, Sure):
            return ()
        state = self._state if self.ledger.open else self._heard()
        return self._strategy.sureness(state)

    def replay(self, event: Event) -> None:
        """Apply a recorded event.

        Raises:
            ReplayDiffers: It shows other questions than the strategy would.
            LookupError, TypeError, ValueError: It is not an event, or not valid at this point.
        """
        if "tell" in event:
            self._replay_tell(event["tell"], event["yes"])
        else:
            self._replay_ask(event["ask"])

    def _replay_tell(self, id: str, yes: object) -> None:
        """Apply a recorded answer, or its removal.

        An interrupt may have separated a record from its effect. Then the last answer was recorded
        twice, or a round was recorded but never shown, and an answer of the round before it could
        still change.
        """
        if not isinstance(yes, bool | None):
            raise TypeError("an answer is true or false, or none where it was taken back")
        at = self.ledger.place(id)
        above = None if yes is None else self.says(yes)
        if self.ledger.answer(at) is above:
            return
        untold = not any(each is not None for each in self.ledger.above[-1])
        if at[0] == self.ledger.round - 1 and untold:
            self.ledger.unshow()
            self._state = self._before
        if at[0] < self.ledger.round:
            raise KeyError("an answer changed after the next round was shown")
        self.ledger.take(at, above)

    def _replay_ask(self, asked: list[int]) -> None:
        ledger = self.ledger
        again = bool(ledger.shown) and asked == ledger.shown[-1]
        if again and ledger.open:
            return  # recorded but interrupted before it was shown, then recorded again
        if ledger.open or self.over():
            raise KeyError("a round was shown before the last one was answered, or after the end")
        state, points = self.next()
        if again and not asked and points:
            return  # the same for a round that asks nothing
        if points != asked:
            rule = f"round {ledger.round + 1} would not ask what it has asked before"
            raise ReplayDiffers(f"{rule}; resume it with the feint that began it; {AGAIN}")
        self.show(state, points)

    def _heard(self) -> Any:
        """Return the state after the answers of the last shown round."""
        if not self.ledger.shown:
            return self._strategy.start(1)
        answers = np.array(self.ledger.above[-1], bool).reshape(1, -1)
        return self._strategy.tell(self._state, answers)

    def _tossed(self, state: Any, number: int) -> Any:
        toss = 0
        while (weights := self._strategy.coin(state)) is not None:
            side = coins.side(self._key, number, toss, weights[0])
            state = self._strategy.toss(state, np.array([side], np.int64))
            toss += 1
        return state
