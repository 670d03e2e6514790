"""One live search as it goes: what was shown and told, and the strategy's state in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from feint.errors import InvalidValue, ReplayDiffers
from feint.interfaces import UNASKED, Estimate
from feint.planning import Plan
from feint.problem import YesMeans
from feint.search import coins
from feint.search.ledger import Ledger
from feint.search.rounds import Event

AGAIN = (
    "another search for the same number tells whoever hears both more than was promised, unless it"
    " has the same plan and the same key"
)


class Course:
    """A strategy's state, in the round shown last and in the one before; coins are by the key.

    Attributes:
        ledger: What was shown and told.
    """

    def __init__(self, plan: Plan, key: bytes, yes_means: YesMeans) -> None:
        """Begin before the first round.

        Args:
            plan: What is followed.
            key: What every coin follows from.
            yes_means: What the answer yes says of the number.
        """
        self._strategy, self._key = plan.strategy, key
        self._at_least = yes_means == "at least"
        self._state: Any = None
        self._before: Any
        self.ledger = Ledger(plan.strategy.rounds)

    def says(self, yes: bool) -> bool:
        """Whether X* lies at or above the point, by this answer."""
        return yes == self._at_least

    def told_as(self, above: bool | None) -> bool | None:
        """The answer that said so, yes or no; None where there is none."""
        return None if above is None else self.says(above)

    def next(self) -> tuple[Any, list[int]]:
        """The state in the next round and its points; nothing changes yet.

        Every query that was shown has its answer.

        Raises:
            InvalidValue: The strategy cannot follow these answers, or leaves a query out.
        """
        state = self._tossed(self._heard(), self.ledger.round + 1)
        points: list[int] = self._strategy.ask(state)[0].tolist()
        if UNASKED in points:
            rule = "leaves a query out in this round, and the shape of what is overheard could tell"
            kind = type(self._strategy).__name__
            raise InvalidValue("strategy", kind, rule, "wrap it in Padded")
        return state, points

    def show(self, state: Any, points: list[int]) -> None:
        """Go on to the round that `next` gave."""
        self._before, self._state = self._state, state
        self.ledger.show(points)

    def estimate(self) -> Estimate:
        """What the answers told, once every query is answered."""
        state = self._heard()
        for number in range(self.ledger.round + 1, len(self._strategy.rounds)):  # they ask nothing
            state = self._strategy.tell(self._tossed(state, number), np.empty((1, 0), bool))
        return self._strategy.estimate(state)

    def replay(self, event: Event) -> None:
        """Change as a recorded event says.

        Raises:
            ReplayDiffers: It shows something else than the strategy would.
            LookupError, TypeError, ValueError: It is no such event, or not at this point.
        """
        if "tell" in event:
            self._replay_tell(event["tell"], event["yes"])
        else:
            self._replay_ask(event["ask"])

    def _replay_tell(self, id: str, yes: object) -> None:
        """Take an answer again, or take it back.

        An interrupt may have come between a record and what it records. Then the last answer of
        all was told twice, or a round was recorded that was never shown, and an answer of the
        round before it could still change.
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
            return  # recorded, and interrupted before it was shown: it was then recorded again
        if ledger.open or ledger.done:
            raise KeyError("a round was shown before the last one was answered")
        state, points = self.next()
        if again and not asked and points:
            return  # the same, of a round that asks nothing
        if points != asked:
            rule = f"round {ledger.round + 1} would not ask what it has asked before"
            raise ReplayDiffers(f"{rule}; resume it with the feint that began it; {AGAIN}")
        self.show(state, points)

    def _heard(self) -> Any:
        """The state after the answers of the round shown last."""
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
