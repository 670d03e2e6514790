"""One live search as it goes: what was shown and told, and the strategy's state in it."""

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
        self._asks_all = asks_all(plan.strategy)
        # What comes next, by the answers of the round shown last, so that it is worked out once.
        self._ahead: tuple[Any, tuple[Any, list[int]]] | None = None
        self._over: tuple[Any, bool] | None = None
        self.ledger = Ledger(plan.strategy.rounds)

    def says(self, yes: bool) -> bool:
        """Whether X* lies at or above the point, by this answer."""
        return yes == self._at_least

    def told_as(self, above: bool | None) -> bool | None:
        """The answer that said so, yes or no; None where there is none."""
        return None if above is None else self.says(above)

    def next(self) -> tuple[Any, list[int]]:
        """Return the state in the next round and its points; nothing changes yet.

        Every query that was shown has its answer.

        Raises:
            InvalidValue: The strategy cannot follow these answers.
        """
        now = self._now()
        if self._ahead is None or self._ahead[0] != now:
            state = self._tossed(self._heard(), self.ledger.round + 1)
            self._ahead = now, (state, self._strategy.ask(state)[0].tolist())
        return self._ahead[1]

    def over(self) -> bool:
        """Return True if every query has its answer and no later round asks anything.

        A search is over once a round that has columns asks nothing. The coins of that round are
        tossed to find out. An answer that is changed may make it go on.
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
        """Return True if the next round that has columns leaves all of them out."""
        try:
            state, points = self.next()
        except InvalidValue:
            return False  # there is no way on from here, and `next` says so to whoever asks
        number = self.ledger.round + 1
        while not points:  # a round without columns ends nothing
            state, number = self._strategy.tell(state, np.empty((1, 0), bool)), number + 1
            state = self._tossed(state, number)
            points = self._strategy.ask(state)[0].tolist()
        return set(points) == {UNASKED}

    def _now(self) -> tuple[int, tuple[bool | None, ...]]:
        """Return what the next round depends on: the round shown last, and its answers."""
        return self.ledger.round, tuple(self.ledger.above[-1]) if self.ledger.shown else ()

    def show(self, state: Any, points: list[int]) -> None:
        """Go on to the round that `next` gave."""
        self._before, self._state = self._state, state
        self.ledger.show(points)

    def followed(self) -> dict[int, int]:
        """Return, for each column of the round shown last that is of hiding, the one followed."""
        known = followed_columns(self._strategy, self._state) if self.ledger.shown else None
        if known is None:
            return {}
        both = zip(self.ledger.shown[-1], known[0].tolist(), strict=True)
        return {i: own for i, (point, own) in enumerate(both) if point != UNASKED and own >= 0}

    def estimate(self) -> Estimate:
        """Return what the answers told, once the search is over."""
        state = self._heard()
        for number in range(self.ledger.round + 1, len(self._strategy.rounds)):  # they ask nothing
            width = self.ledger.widths[number]
            state = self._strategy.tell(self._tossed(state, number), np.zeros((1, width), bool))
            if width:  # it has ended, and its estimate stays as it is
                break
        return self._strategy.estimate(state)

    def sureness(self) -> tuple[Sureness | None, ...]:
        """Return how sure it is, a coordinate; of a round that is open, before its answers."""
        if not isinstance(self._strategy, Sure):
            return ()
        state = self._state if self.ledger.open else self._heard()
        return self._strategy.sureness(state)

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
        if ledger.open or self.over():
            raise KeyError("a round was shown before the last one was answered, or after the end")
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
