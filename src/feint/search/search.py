"""The live search: ask for the open queries of a round, tell their answers in any order.

State is a fold of the answers: a search is saved as plan, key, queries shown and answers told, and
resumed by replay. Whatever changes it is first given to `record`, which may put it on disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import RLock
from typing import Any

import numpy as np

from feint.errors import (
    AnswerFixed,
    BadState,
    Contradictory,
    InvalidValue,
    NotDone,
    ReplayDiffers,
    SearchDone,
    UnknownQuery,
)
from feint.exact import Number
from feint.interfaces import UNASKED
from feint.planning import Plan
from feint.problem import YES_MEANS, Domain, Query, Result, Transcript, YesMeans
from feint.search import coins, saved
from feint.search import rounds as kept_rounds
from feint.search.contradiction import Contradiction, contradictions
from feint.search.repetition import check_again
from feint.search.rounds import Event, Kept, Layout
from feint.search.units import Asked, Units, place, read_domains

SECRET = "this holds the key and the answers of a private search: do not share it"
_AGAIN = (
    "another search for the same number tells whoever hears both more than was promised, unless it"
    " has the same plan and the same key"
)


class Search:
    """One live search for a number, or for several at once.

    Threads may ask and tell at the same time.

    Attributes:
        plan: What it follows.
        domains: The user's units, one a coordinate.
        yes_means: What the answer yes says of the number.
        seeded: Whether the coins come from a seed, for experiments only.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        key: bytes | None = None,
        seed: Number | None = None,
        yes_means: YesMeans = "at least",
        domains: Sequence[Domain] | None = None,
        record: Callable[[Event], None] | None = None,
    ) -> None:
        """Begin; nothing is asked yet.

        Args:
            plan: What to follow.
            key: 32 secret bytes that every coin follows from; None: fresh ones. A key belongs to
                one number: to search for that number again, give the same plan and the same key.
                Searches for two numbers under one key, in one folder or not, toss the same coins,
                so that whoever learns one number may work out coins of the other search, and
                which of its parts is the true one. Nobody checks it.
            seed: In place of a key, for experiments that can be repeated. It hides nothing from
                whoever knows or guesses it.
            yes_means: Whether yes says "at least" or "below".
            domains: Units and labels, one a coordinate; None: the plan's, for all of them.
            record: Given every change before it counts; when it raises, nothing has changed.

        Raises:
            InvalidValue: An argument is wrong by itself, or both a key and a seed are given.
        """
        if key is not None and seed is not None:
            raise InvalidValue("seed", seed, "stands in place of a key", "give one of them")
        if yes_means not in YES_MEANS:
            rule = f"must be one of {', '.join(YES_MEANS)}"
            raise InvalidValue("yes_means", yes_means, rule, "pick one of them")
        self.plan, self.yes_means, self.seeded = plan, yes_means, seed is not None
        self.domains = read_domains(plan, domains)
        if seed is not None:
            key = coins.seed_key(seed)
        self._key = coins.fresh_key() if key is None else coins.check_key(key)
        self._record = record
        self._units = Units(plan, self.domains, yes_means)
        self._widths = [len(each.coordinates) for each in plan.strategy.rounds]
        self._last = max((i for i, width in enumerate(self._widths) if width), default=-1)
        self._lock = RLock()
        self._state: Any = None  # the strategy's, in the round shown last
        self._before: Any = None  # and in the round before it
        self._shown: list[list[int]] = []
        self._above: list[list[bool | None]] = []  # whether X* lies at or above each point
        self._current: tuple[Query, ...] | None = ()  # None: not made yet
        self._open = 0  # queries of the round shown last that have no answer
        self._answered = 0

    @property
    def done(self) -> bool:
        """Whether every question of the plan is answered."""
        with self._lock:
            return len(self._shown) > self._last and not self._open

    @property
    def answered(self) -> int:
        """How many questions have an answer."""
        with self._lock:
            return self._answered

    @property
    def round(self) -> int:
        """The number of the round that was shown last, from 0; −1 before the first."""
        with self._lock:
            return len(self._shown) - 1

    @property
    def current(self) -> tuple[Query, ...]:
        """Every query of the round that was shown last, answered or not."""
        with self._lock:
            if self._current is None:
                points = self._shown[-1] if self._shown else []
                self._current = tuple(
                    self._units.query(Asked(self.round, column, point))
                    for column, point in enumerate(points)
                )
            return self._current

    def ask(self) -> tuple[Query, ...]:
        """The open queries of the current round; once all are answered, those of the next.

        Showing the next round makes the answers of this one final.

        Returns:
            The queries, which may be answered in any order; the same until one is answered.

        Raises:
            SearchDone: Every question is answered.
            Contradictory: The strategy has no way to follow these answers.
            InvalidValue: The strategy leaves a query out, so that its shape could tell.
        """
        with self._lock:
            self._check_open()
            while not self._open:
                state, points = self._next()
                self._recorded({"round": len(self._shown), "ask": points})
                self._show(state, points)
            answers = zip(self.current, self._above[-1], strict=True)
            return tuple(query for query, above in answers if above is None)

    def tell(self, id: str, answer: bool) -> None:
        """Take the answer to a query.

        Args:
            id: The query's.
            answer: Yes or no. The same as before is always accepted; another one, until the next
                round is shown.

        Raises:
            SearchDone: Every question is answered.
            UnknownQuery: There is no such query, or it has not been shown.
            AnswerFixed: The next round was chosen by another answer.
            InvalidValue: The answer is neither True nor False.
        """
        if not isinstance(answer, bool | np.bool_):
            rule = "must be True or False"  # what it was stays out of the message: it may be secret
            raise InvalidValue("answer", f"a {type(answer).__name__}", rule, "give one of them")
        with self._lock:
            self._check_open()
            round_, column = self._place(id)
            above = self._says(bool(answer))
            if self._above[round_][column] is above:
                return
            if round_ < self.round:
                rule = "the next round was shown, and it follows from the answer given before"
                raise AnswerFixed("id", id, rule, f"go on with that answer, or stop; {_AGAIN}")
            self._recorded({"tell": id, "yes": bool(answer)})
            self._take(round_, column, above)

    @property
    def result(self) -> Result:
        """What was found, what it cost, and what an eavesdropper can do.

        Raises:
            NotDone: There are questions left.
        """
        plan = self.plan
        with self._lock:
            if not self.done:
                left = sum(self._widths) - self._answered
                raise NotDone(f"{left} questions have no answer yet; ask() gives the open ones")
            state = self._heard()
            for number in range(len(self._shown), len(self._widths)):  # rounds that ask nothing
                state = plan.strategy.tell(self._tossed(state, number), np.empty((1, 0), bool))
            estimate = plan.strategy.estimate(state)
        return Result(
            self._units.found(estimate),
            queries=plan.queries,
            rounds=plan.rounds,
            method=plan.method,
            certificate=plan.certificate,
            adversary_success=plan.adversary_success,
            places=plan.places,
            consistent=not self.contradictions,
            seeded=self.seeded,
        )

    @property
    def transcript(self) -> Transcript:
        """What was overheard so far: every query shown, and no answer."""
        with self._lock:
            rounds = list(enumerate(self.plan.strategy.rounds[: len(self._shown)]))
            points = [point for shown in self._shown for point in shown]
        return Transcript(
            np.array([points], np.int64),
            tuple(c for _, each in rounds for c in each.coordinates),
            tuple(i for i, each in rounds for _ in each.coordinates),
            self.plan.cells,
        )

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Answers that cannot all be right: for each coordinate the pair farthest apart. Secret.

        Under noise any two answers may come, and it is empty.
        """
        if self.plan.problem.noisy:
            return ()
        with self._lock:
            return contradictions(self._told(), self._units)

    def to_json(self) -> str:
        """The search as JSON, to be resumed by `from_json`. Secret.

        Its length follows from the plan: it is the same before the first question and at the end,
        and tells no answer.
        """
        return json.dumps(self.header() | {"rounds": self.kept()})

    @classmethod
    def from_json(cls, text: str) -> Search:
        """Resume a search that `to_json` saved, by replay.

        Go on with one copy only: two copies that are answered differently ask different questions,
        and whoever hears both learns more than was promised.

        Raises:
            BadState: It is no search of this version.
            ReplayDiffers: The replay would ask something else than was shown.
        """
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            document = None
        held = document if isinstance(document, dict) else {}
        rounds, events = held.get("rounds"), held.get("events")  # of versions 1 and 2
        if isinstance(rounds, list):
            return cls.replayed(held, kept_rounds.events(rounds))
        if isinstance(events, list):
            return cls.replayed(held, events)
        rule = "must be a search as to_json gave it"
        raise BadState("text", "something else", rule, "restore it as it was")

    def again(self, *, fresh_key: bool = False) -> Search:
        """Begin the next search for the same number, which nothing is known of but that.

        With the same key it tosses the same coins. As long as the number is the same and answers
        are right it asks what was asked before, so whoever hears both learns nothing new. A number
        that has moved is another matter: `audit` of several searches says what it costs.

        Args:
            fresh_key: Whether to draw another key. With a plan that is not repeatable whoever hears
                both then learns more than was promised: there is a warning, `RepeatedSearch`.

        Returns:
            The search, with the same plan, units and meaning of yes. It is not kept in any file:
            `create_again` does that.

        Raises:
            InvalidValue: Under noise no key asks the same again; say fresh_key if it must be.
        """
        check_again(self.plan, fresh_key=fresh_key)
        if fresh_key:
            return Search(self.plan, yes_means=self.yes_means, domains=self.domains)
        return Search.replayed(self.header(), [])

    def header(self) -> dict[str, Any]:
        """Everything but the events, for whoever keeps a search. Secret: it holds the key."""
        fields = {
            "secret": SECRET,
            "version": saved.VERSION,
            "plan": saved.encode(self.plan),
            "domains": saved.encode(self.domains),
            "yes_means": self.yes_means,
            "key": self._key.hex(),
            "seeded": self.seeded,
        }
        return fields | {"check": saved.digest(fields, self._key)}

    def kept(self) -> list[Kept]:
        """Every round of the plan, shown or not, for whoever keeps a search. Secret."""
        layout = Layout.of(self.plan)
        with self._lock:
            shown = zip(self._shown, self._above, strict=True)
            begun = [
                layout.shown(number, points, map(self._told_as, above))
                for number, (points, above) in enumerate(shown)
            ]
            left = range(len(self._shown), len(self._widths))
            return begun + [layout.unshown(number) for number in left]

    def drawn_from(self, seed: Number | None) -> bool:
        """Whether the coins come from this seed; None: from no seed at all."""
        if seed is None:
            return not self.seeded
        return self.seeded and self._key == coins.seed_key(seed)

    @classmethod
    def replayed(
        cls,
        header: dict[str, Any],
        events: Iterable[Event],
        *,
        record: Callable[[Event], None] | None = None,
    ) -> Search:
        """The search that a header and events describe.

        Args:
            header: What `header` gave.
            events: Every change since, in order.
            record: Given every later change, as in `Search`.

        Returns:
            The search where it stood.

        Raises:
            BadState: They do not describe a search of this version.
            ReplayDiffers: The replay would ask something else than was shown.
        """
        version: Any = header.get("version")
        if version not in range(1, saved.VERSION + 1):
            rule = f"must be from 1 to {saved.VERSION}, which this feint reads"
            raise BadState("version", version, rule, "load it with the feint that saved it")
        try:
            key = bytes.fromhex(header["key"])
            saved.verify(header, coins.check_key(key))
            search = cls(
                saved.plan_of(header["plan"], version),
                key=key,
                yes_means=header["yes_means"],
                domains=saved.decode(header["domains"], version),
            )
            search.seeded = header["seeded"]
            for event in events:
                search._replay(event)
        except (BadState, ReplayDiffers):
            raise
        except _UNREADABLE as error:
            rule = "must be a search as feint saved it"  # what it holds stays out of the message
            kind = type(error).__name__
            raise BadState("state", kind, rule, "restore it as it was") from None
        search._record = record
        return search

    def __repr__(self) -> str:
        """Where the search stands, without anything secret."""
        total = sum(self._widths)
        return f"<Search {self.plan.method}: {self._answered} of {total} questions answered>"

    def __reduce__(self) -> str:
        """Refuse: a pickle would hold the key where nobody looks for it."""
        raise TypeError("a search holds secrets and is not pickled; use to_json")

    def _recorded(self, event: Event) -> None:
        if self._record is not None:
            self._record(event)

    def _check_open(self) -> None:
        if self.done:
            raise SearchDone("every question is answered; result has what was found")

    def _heard(self) -> Any:
        """The strategy's state after the answers of the round shown last."""
        if not self._shown:
            return self.plan.strategy.start(1)
        answers = np.array(self._above[-1], bool).reshape(1, -1)
        return self.plan.strategy.tell(self._state, answers)

    def _next(self) -> tuple[Any, list[int]]:
        """The state in the next round and its points; nothing changes yet."""
        strategy = self.plan.strategy
        try:
            state = self._tossed(self._heard(), len(self._shown))
            points: list[int] = strategy.ask(state)[0].tolist()
        except InvalidValue:
            if not self.contradictions:
                raise
            rule = "no number fits all the answers, so there is nothing to ask next"
            raise Contradictory(f"{rule}; correct an answer of this round; {_AGAIN}") from None
        if UNASKED in points:
            rule = "leaves a query out in this round, and the shape of what is overheard could tell"
            raise InvalidValue("strategy", type(strategy).__name__, rule, "wrap it in Padded")
        return state, points

    def _tossed(self, state: Any, number: int) -> Any:
        toss = 0
        while (weights := self.plan.strategy.coin(state)) is not None:
            side = coins.side(self._key, number, toss, weights[0])
            state = self.plan.strategy.toss(state, np.array([side], np.int64))
            toss += 1
        return state

    def _show(self, state: Any, points: list[int]) -> None:
        self._open = len(points)
        self._before, self._state = self._state, state
        self._shown.append(points)
        self._above.append([None] * len(points))
        self._current = None

    def _says(self, yes: bool) -> bool:
        """Whether X* lies at or above the point, by this answer."""
        return yes == (self.yes_means == "at least")

    def _told_as(self, above: bool | None) -> bool | None:
        """The answer that said so, yes or no; None where there is none."""
        return None if above is None else self._says(above)

    def _take(self, round_: int, column: int, above: bool) -> None:
        first = self._above[round_][column] is None
        self._above[round_][column] = above
        self._open -= first
        self._answered += first

    def _replay(self, event: Event) -> None:
        if "tell" in event:
            self._replay_tell(event["tell"], event["yes"])
        else:
            self._replay_ask(event["ask"])

    def _replay_tell(self, id: str, yes: object) -> None:
        """Take an answer again.

        An interrupt may have come between a record and what it records. Then the last answer of
        all was told twice, or a round was recorded that was never shown, and an answer of the
        round before it could still change.
        """
        if not isinstance(yes, bool):
            raise TypeError("an answer is true or false")
        round_, column = self._place(id)
        above = self._says(yes)
        if self._above[round_][column] is above:
            return
        if round_ == self.round - 1 and not any(each is not None for each in self._above[-1]):
            del self._shown[-1], self._above[-1]
            self._state, self._current, self._open = self._before, None, 0
        if round_ < self.round:
            raise KeyError("an answer changed after the next round was shown")
        self._take(round_, column, above)

    def _replay_ask(self, asked: list[int]) -> None:
        again = bool(self._shown) and asked == self._shown[-1]
        if again and self._open:
            return  # recorded, and interrupted before it was shown: it was then recorded again
        if self._open or self.done:
            raise KeyError("a round was shown before the last one was answered")
        state, points = self._next()
        if again and not asked and points:
            return  # the same, of a round that asks nothing
        if points != asked:
            rule = f"round {len(self._shown)} would not ask what it has asked before"
            raise ReplayDiffers(f"{rule}; resume it with the feint that began it; {_AGAIN}")
        self._show(state, points)

    def _told(self) -> Iterator[tuple[Asked, int, bool]]:
        """Every answered query, its coordinate, and whether X* lies at or above it."""
        for number, (points, answers) in enumerate(zip(self._shown, self._above, strict=True)):
            about = self.plan.strategy.rounds[number].coordinates
            for column, above in enumerate(answers):
                if above is not None:
                    yield Asked(number, column, points[column]), about[column], above

    def _place(self, id: str) -> tuple[int, int]:
        """The round and column of a query that was shown."""
        found = place(id)
        if (
            found is None
            or found[0] not in range(len(self._widths))
            or found[1] not in range(self._widths[found[0]])
        ):
            raise UnknownQuery("id", id, "this plan has no such query", "ask() gives the open ones")
        if found[0] > self.round:
            rule = "this query has not been shown yet"
            raise UnknownQuery("id", id, rule, "ask() gives the open ones")
        return found


_UNREADABLE = (
    ArithmeticError,
    AttributeError,
    InvalidValue,
    LookupError,
    RuntimeError,  # nesting too deep, answers that lead nowhere
    TypeError,
    ValueError,
)
