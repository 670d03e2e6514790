"""A live search: ask for the open queries of a round, and tell their answers in any order.

The state is a fold of the answers. A search is saved as plan, key, queries shown and answers, and
resumed by replay. Every change is passed to `record` first, which may write it to disk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
    WrongType,
)
from feint.exact import Number
from feint.exact.parsing import parse
from feint.interfaces import UNASKED, Sureness, phases, switch_of
from feint.planning import MOST_QUERIES, Plan, deal, promise
from feint.problem import (
    YES_MEANS,
    Domain,
    NumberResult,
    Preface,
    Query,
    Rates,
    Responses,
    Result,
    Told,
    Transcript,
    YesMeans,
    count_words,
    unreliable,
    wins,
)
from feint.search import coins, earlier, saved
from feint.search.contradiction import Contradiction, contradictions
from feint.search.course import AGAIN, Course
from feint.search.kinds import answer_of, plan_of
from feint.search.ledger import Place
from feint.search.reliability import Agreement, agreement, contradicts, is_worse, misfits
from feint.search.repetition import check_again
from feint.search.rounds import Event, Kept, Layout
from feint.search.units import Asked, Units, place, read_domains
from feint.simulate.oracles import GrowingSample

# A text of version 1 or 2 does not list the questions that were not asked yet, so a short text may
# claim any number. Building the rounds of this many takes a second at most.
_EVENTS = 1 << 19

SECRET = "this holds the key and the answers of a private search: do not share it"


class Search:
    """A live search for one number, or for several at once.

    Threads may ask and tell at the same time.

    Attributes:
        plan: The plan that the search follows.
        domains: The user's units, one per coordinate.
        yes_means: The meaning of the answer yes.
        preface: The asker, and the text before the questions.
        seeded: Whether the coins come from a seed, for experiments only.
        keys: The number of keys that were used to search for this number, including this one. The
            plan's promise covers one key. With more, a plan that tosses coins promises nothing.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        key: bytes | None = None,
        seed: Number | None = None,
        yes_means: YesMeans = "at least",
        domains: Sequence[Domain] | None = None,
        preface: Preface | None = None,
        record: Callable[[Event], None] | None = None,
    ) -> None:
        """Create a search; nothing is asked yet.

        Args:
            plan: The plan to follow.
            key: 32 secret bytes that determine all coins; None: fresh ones. A key belongs to one
                number. To search for that number again, use the same plan and the same key.
                Searches for two numbers under one key toss the same coins. A person who learns one
                number may then work out coins of the other search, and its true part. feint cannot
                check this.
            seed: A seed instead of a key, for repeatable experiments. It hides nothing from a
                person who knows or guesses it.
            yes_means: The meaning of the answer yes: "at least" or "below".
            domains: Units and labels, one per coordinate; None: the plan's, for all of them. A plan
                made without a domain asks at decimals less than a millionth of a cell away, and
                keeps its promises up to that. Made with the domain, it keeps them exactly for the
                questions as shown.
            preface: The asker, and the text before the questions.
            record: A function that receives every change before it counts. If it raises an error,
                nothing has changed.

        Raises:
            InvalidValue: An argument is wrong, or both a key and a seed are given.
        """
        if key is not None and seed is not None:
            raise InvalidValue("seed", seed, "stands in place of a key", "give one of them")
        if record is not None and not callable(record):
            remedy = "pass a function of an event"
            raise WrongType.of("record", record, "must be a function", remedy)
        if yes_means not in YES_MEANS:
            rule = f"must be one of {', '.join(YES_MEANS)}"
            raise InvalidValue("yes_means", yes_means, rule, "pick one of them")
        self.plan, self.yes_means, self.seeded = plan_of(plan), yes_means, seed is not None
        self.domains, self.keys = read_domains(plan, domains), 1
        self.preface = Preface() if preface is None else preface
        if seed is not None:
            key = coins.seed_key(seed)
        self._key = coins.fresh_key() if key is None else coins.check_key(key)
        self._record = record
        self._units = Units(plan, self.domains, yes_means)
        self._lock = RLock()
        self._course = Course(plan, self._key, yes_means)
        self._ledger = self._course.ledger
        # the points that the cache is for
        self._current: tuple[list[int], tuple[Query, ...]] = [], ()
        self._unsure: set[Place] = set()  # answers whose record failed, so it may hold another
        self._seen = False  # True once the result was read

    @property
    def done(self) -> bool:
        """Return True if every question is answered and the next round would ask nothing.

        Changing an answer of the last round may make it go on.
        """
        with self._lock:
            return self._course.over()

    @property
    def answered(self) -> int:
        """Return the number of answered questions."""
        with self._lock:
            return self._ledger.answered

    @property
    def open(self) -> int:
        """Return the number of unanswered questions in the current round."""
        with self._lock:
            return self._ledger.open

    @property
    def left(self) -> int:
        """Return the most questions that are left to answer; 0 once it is done."""
        with self._lock:
            most = min(self._ledger.left, self.plan.queries - self.answered)
            return 0 if self.done else most

    @property
    def round(self) -> int:
        """Return the number of the current round, from 0; −1 before the first."""
        with self._lock:
            return self._ledger.round

    @property
    def current(self) -> tuple[Query, ...]:
        """Return every query of the current round, answered or not."""
        with self._lock:
            points = self._ledger.shown[-1] if self._ledger.shown else []
            if self._current[0] is not points:
                asked = [at for at in enumerate(points) if at[1] != UNASKED]
                noisy = self.plan.problem.noisy
                times = self._ledger.samples() if noisy else [(1, 1)] * len(asked)
                self._current = (
                    points,
                    tuple(
                        self._units.query(
                            Asked(self.round, column, point), sample=one, samples=all_
                        )
                        for (column, point), (one, all_) in zip(asked, times, strict=True)
                    ),
                )
            return self._current[1]

    def query(self, id: str) -> Query:
        """Return a query of this or an earlier round.

        Args:
            id: The query's id.

        Raises:
            UnknownQuery: There is no such query, or it has not been shown.
        """
        with self._lock:
            at = self._ledger.place(id)
            return self._units.query(self._ledger.asked(at))

    @property
    def history(self) -> tuple[Told, ...]:
        """Return every question shown, with its answer, in the order of asking. Secret.

        The rows are in the user's units: `pandas.DataFrame(search.history)` makes a table.
        """
        with self._lock:
            return tuple(
                self._units.told(
                    self._ledger.asked(at), self._course.told_as(self._ledger.answer(at))
                )
                for at in self._ledger.places()
            )

    @property
    def hidden(self) -> tuple[Query, ...]:
        """Return the queries of the current round that belong to hiding; their samples may grow.

        They follow from the questions, so they are not secret.
        """
        with self._lock:
            columns = self._course.followed()
            return tuple(each for each in self.current if _column(each) in columns)

    @property
    def copies(self) -> tuple[tuple[Query, ...], ...]:
        """Return the queries of `hidden`, grouped into the copies of each question.

        The groups follow from the questions, and copies are in the order of asking. So neither
        reveals which copy is followed.
        """
        with self._lock:
            columns, groups = self._course.followed(), dict[int, list[Query]]()
            for each in self.current:
                if _column(each) in columns:
                    groups.setdefault(columns[_column(each)], []).append(each)
        # Sort by the first copy: an order by the followed one would be secret.
        return tuple(sorted(map(tuple, groups.values()), key=lambda each: _column(each[0])))

    def decided(self, sample: GrowingSample, batch: int, yes: Mapping[str, int]) -> tuple[str, ...]:
        """Return which questions of hiding stop, now that all of their copies have a batch.

        The votes on one copy of a question decide for all copies. Close the ones that stop in one
        step, each with its own majority, and ask the next batch about all others. The result
        becomes public once the caller acts on it. Call this only when every copy has the whole
        batch; otherwise its timing would reveal something.

        Args:
            sample: The public rule by which samples grow.
            batch: The number of the batch, from 0.
            yes: The number of yes votes so far, by the id of each query in the batch.

        Returns:
            The ids of those that stop, copies together.

        Raises:
            InvalidValue: There is no such batch, a query is not of hiding, a copy of it has no
                number, or a number is outside the sample.
        """
        if not 0 <= batch < sample.batches:
            rule = f"must be the number of one of {sample.batches} batches"
            raise InvalidValue("batch", batch, rule, "count from 0")
        size = sample.size(batch)
        for id, count in yes.items():
            if not 0 <= count <= size:
                rule = f"must be from 0 to {size}, the size of the sample"
                raise InvalidValue("yes", {id: count}, rule, "count every voter once")
        with self._lock:
            followed, ids = (
                self._course.followed(),
                {_column(each): each.id for each in self.hidden},
            )
            groups = {id: ids[followed[column]] for column, id in ids.items()}
        if strange := sorted(set(yes) - set(groups)):
            rule = "is no question of hiding of this round: its sample has a fixed size"
            raise InvalidValue("yes", strange[0], rule, "give those of Search.hidden")
        wanted = {groups[id] for id in yes}
        if missing := sorted(id for id in groups if groups[id] in wanted and id not in yes):
            rule = "must have a number for every copy of a question"
            raise InvalidValue("yes", sorted(yes), rule, f"ask the batch about {missing[0]} too")
        return tuple(id for id in yes if sample.is_decided(batch, yes[groups[id]]))

    def ask(self) -> tuple[Query, ...]:
        """Return the open queries of the current round, or the next round once all are answered.

        Showing the next round makes the answers of this one final.

        Returns:
            The queries, which may be answered in any order. They stay the same until one is
            answered.

        Raises:
            SearchDone: Every question is answered.
            Contradictory: The answers contradict each other, and the strategy cannot continue.
        """
        with self._lock:
            while not self._ledger.open:
                if self.done:
                    raise SearchDone("every question is answered; result has what was found")
                state, points = self._next()
                self._settle()
                self._recorded({"round": self.round + 1, "ask": points})
                self._show(state, points)
            above = self._ledger.above[-1]
            return tuple(query for query in self.current if above[_column(query)] is None)

    def tell(self, id: str, answer: bool) -> None:
        """Record the answer to a query.

        Args:
            id: The query's id.
            answer: True for yes, False for no. Repeating an answer is always accepted. It can be
                changed until the next round is shown, and in the last round until the result is
                read.

        Raises:
            UnknownQuery: There is no such query, or it has not been shown.
            AnswerFixed: The next round was chosen by another answer, or the result was read.
            WrongType: The answer is neither True nor False.
        """
        self.tell_all({id: answer})

    def tell_all(self, answers: Mapping[str, bool]) -> None:
        """Record several answers, or none if one of them is refused.

        Args:
            answers: The answer to each query, by its id, as in `tell`.

        Raises:
            UnknownQuery, AnswerFixed, WrongType: As in `tell`.
        """
        with self._lock:
            changes = [self._change(id, answer_of(each)) for id, each in answers.items()]
            for at, above in changes:
                self._set(at, above)

    def take_back(self, id: str) -> None:
        """Remove the answer to a query, which is then open again.

        The saved search keeps its length.

        Args:
            id: The query's id. If it has no answer, nothing happens.

        Raises:
            UnknownQuery: There is no such query, or it has not been shown.
            AnswerFixed: The next round was chosen by this answer, or the result was read.
        """
        with self._lock:
            self._set(*self._change(id, None))

    def conflicts(self, answers: Mapping[str, bool]) -> tuple[Contradiction, ...]:
        """Return the contradictions that these answers would cause, without recording them. Secret.

        Args:
            answers: The answer to each query, by its id, as in `tell`.

        Returns:
            The pair farthest apart for each coordinate whose answers are consistent so far, and
            would not be then. Empty under noise, where no answers contradict each other.

        Raises:
            UnknownQuery, WrongType: As in `tell`.
        """
        if self.plan.problem.noisy:
            return ()
        with self._lock:
            ledger, says = self._ledger, self._course.says
            new = {ledger.place(id): says(answer_of(each)) for id, each in answers.items()}
            told = [each for each in ledger.told() if each[0][:2] not in new]
            told += [(ledger.asked(at), ledger.coordinate(at), new[at]) for at in new]
            there = {each.above.coordinate for each in self.contradictions}
            found = contradictions(told, self._units)
            return tuple(each for each in found if each.above.coordinate not in there)

    def told(self, id: str) -> bool | None:
        """Return the answer to a query; None if it has none. Secret.

        Raises:
            UnknownQuery: There is no such query, or it has not been shown.
        """
        with self._lock:
            return self._course.told_as(self._ledger.answer(self._ledger.place(id)))

    @property
    def result(self) -> Result:
        """Return the number found, the cost, and the success of an eavesdropper.

        Raises:
            NotDone: Some questions have no answer yet.
        """
        plan = self.plan
        with self._lock:
            if not self.done:
                most = "" if self.plan.asks_all else "at most "
                left = f"{most}{count_words(self.left, 'question')} without an answer"
                raise NotDone(f"{left}; ask() gives the open ones")
            self._settle()
            estimate = self._course.estimate()
            said = map(self._course.told_as, self._ledger.alike(len(self.domains)))
            found = self._units.found(estimate, tuple(said))
            self._seen = True
        kind = NumberResult if len(found) == 1 else Result
        return kind(
            found,
            queries=self.answered,
            rounds=self.round + 1,
            method=plan.method,
            certificate=plan.certificate if self.keys == 1 else None,
            adversary_success=plan.adversary_success if self.keys == 1 else None,
            places=plan.places if self.keys == 1 else None,
            consistent=not self.contradictions,
            seeded=self.seeded,
            history=self.history,
            adversary_wins=wins(plan.problem, self.domains),
            promise=promise(plan, self.domains, keys=self.keys),
            promised=plan.promised if self.keys == 1 else None,
            agreement=self.agreement,
            warning=self.warning,
        )

    @property
    def deal(self) -> str:
        """Return what the search costs and promises, as `Plan.deal` does, about its own numbers."""
        return deal(self.plan, self.domains, keys=self.keys)

    @property
    def widest(self) -> tuple[tuple[int, int], ...]:
        """Return the greatest lengths of the texts of an estimate and its ends, per coordinate.

        They depend on the plan and its units, not on any answer. Code that sends a result pads it
        to these lengths.
        """
        return tuple(self._units.widest(number) for number in range(len(self.domains)))

    @property
    def transcript(self) -> Transcript:
        """Return the transcript so far: every query shown, and no answer.

        Once the search is done, the rounds that it did not need are included with all columns left
        out, because the end is overheard too.
        """
        with self._lock:
            points = [point for shown in self._ledger.shown for point in shown]
            count = len(self._ledger.shown)
            if self.done:
                points += [UNASKED] * self._ledger.left
                count = len(self.plan.strategy.rounds)
            rounds = list(enumerate(self.plan.strategy.rounds[:count]))
        return Transcript(
            np.array([points], np.int64),
            tuple(c for _, each in rounds for c in each.coordinates),
            tuple(i for i, each in rounds for _ in each.coordinates),
            self.plan.cells,
        )

    @property
    def phases(self) -> tuple[str, ...]:
        """Return the phase of every round shown so far, which is public."""
        with self._lock:
            return phases(self.plan.strategy, self._ledger.shown)

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Return the contradicting pair farthest apart for each coordinate that has one. Secret.

        Under noise no answers contradict each other, and it is empty.
        """
        if self.plan.problem.noisy:
            return ()
        with self._lock:
            return contradictions(self._ledger.told(), self._units)

    @property
    def agreement(self) -> Agreement | None:
        """Return how many answers can be right at once; None if answers are never wrong. Secret."""
        if not self.plan.problem.noisy:
            return None
        with self._lock:
            return agreement(self._ledger.told())

    @property
    def sureness(self) -> tuple[Sureness | None, ...]:
        """Return how sure the search is so far, and how sure is enough, per coordinate. Secret.

        Answers of an open round do not count yet. It is empty once the search is done, or if the
        strategy does not stop when sure. None stands for a coordinate in a phase of fixed length,
        such as the cut.
        """
        with self._lock:
            return () if self.done else self._course.sureness()

    @property
    def warning(self) -> str | None:
        """Return a warning if answers hardly fit what was promised of them. Secret.

        If answers are as reliable as promised, at most one search in 1000 is ever warned of,
        however often one looks.
        """
        found, noise = self.agreement, self.plan.problem.noise
        if found is None or noise is None:
            return None
        if isinstance(noise, Rates):
            with self._lock:
                is_off = contradicts(self._ledger.told(), noise)
        elif isinstance(noise, Responses):
            with self._lock:
                is_off = misfits(self._ledger.told(), noise, self.plan.cells[0])
        else:
            is_off = is_worse(found, noise)
        if not is_off:
            return None
        return unreliable(found.right, found.told, noise)

    def to_json(self) -> str:
        """Return the search as JSON, for `from_json`. Secret.

        Its length depends on the plan only, so it is the same at the start and at the end.
        """
        return json.dumps(self.header() | {"rounds": self.kept()})

    @classmethod
    def from_json(cls, text: str) -> Search:
        """Resume a search that `to_json` saved, by replay.

        Continue one copy only. Two copies with different answers ask different questions, and an
        eavesdropper who hears both learns more than was promised.

        Raises:
            BadState: The text is not a saved search of a known version.
            ReplayDiffers: The replay would ask other questions than were shown.
        """
        try:
            document = parse(text)
        except (TypeError, ValueError):
            document = None
        held = document if isinstance(document, dict) else {}
        rounds, events = held.get("rounds"), held.get("events")  # of versions 1 and 2
        if isinstance(rounds, list):
            search = cls.resumed(held, rounds, most=len(text))
            if held["version"] >= saved.IN_SLOTS and search.kept() != rounds:
                raise _not_saved("rounds that differ from those of to_json()")
            return search
        if isinstance(events, list):
            return cls.replayed(held, events, most=_EVENTS)
        raise _not_saved("something else")

    def again(self, *, fresh_key: bool = False) -> Search:
        """Create the next search for the same number, without its answers.

        With the same key it tosses the same coins. As long as the number is the same and answers
        are right, it asks the same questions, so an eavesdropper who hears both learns nothing new.
        If the number has moved, `audit` of several searches says what a second search costs.

        Args:
            fresh_key: True to draw another key. Unless the plan is repeatable, an eavesdropper who
                hears both searches then learns more, and a `RepeatedSearch` warning is issued.

        Returns:
            The search, with the same plan, units and meaning of yes. It is not kept in a file; use
            `create_again` for that.

        Raises:
            InvalidValue: Under noise no key repeats the questions; pass fresh_key=True if needed.
        """
        check_again(self.plan, fresh_key=switch_of(fresh_key, "fresh_key"))
        if not fresh_key:
            return Search.replayed(self.header(), [])
        search = Search(
            self.plan, yes_means=self.yes_means, domains=self.domains, preface=self.preface
        )
        if not self.plan.repeatable:
            search.keys = self.keys + 1
        return search

    def header(self) -> dict[str, Any]:
        """Return everything but the events, for storage. Secret: it holds the key."""
        fields = {
            "secret": SECRET,
            "version": saved.VERSION,
            "plan": saved.encode(self.plan),
            "domains": saved.encode(self.domains),
            "yes_means": self.yes_means,
            "key": self._key.hex(),
            "seeded": self.seeded,
        }
        if self.preface != Preface():
            fields["preface"] = self.preface.to_dict()
        if self.keys > 1:
            fields["keys"] = self.keys
        return fields | {"check": saved.digest(fields, self._key)}

    @property
    def layout(self) -> Layout:
        """Return the layout of the stored search. Secret: it holds the key."""
        return Layout.of(self.plan, self._key)

    def kept(self) -> list[Kept]:
        """Return every round of the plan, shown or not, for storage. Secret."""
        layout = self.layout
        with self._lock:
            shown = zip(self._ledger.shown, self._ledger.above, strict=True)
            begun = [
                layout.shown(number, points, map(self._course.told_as, above))
                for number, (points, above) in enumerate(shown)
            ]
            left = range(self.round + 1, len(self._ledger.widths))
            return begun + [layout.unshown(number) for number in left]

    def events(self) -> list[Event]:
        """Yield the events so far, in a possible order. Secret."""
        found: list[Event] = []
        with self._lock:
            for number, points in enumerate(self._ledger.shown):
                found.append({"round": number, "ask": list(points)})
                for column, above in enumerate(self._ledger.above[number]):
                    if above is not None:
                        id, yes = Asked(number, column, 0).id, self._course.told_as(above)
                        found.append({"tell": id, "yes": yes})
        return found

    def follow(self, events: Iterable[Event]) -> None:
        """Apply events that another process recorded since.

        Raises:
            BadState: The events do not follow from the current state.
            ReplayDiffers: The replay would ask other questions than were shown.
        """
        with self._lock, _readable():
            for event in events:
                self._course.replay(event)
            self._unsure.clear()  # the events are recorded already

    @property
    def wanted(self) -> tuple[Plan, tuple[Domain, ...], YesMeans]:
        """Return plan, units and meaning of yes, which two equal requests share."""
        return self.plan, self.domains, self.yes_means

    def drawn_from(self, seed: Number | None) -> bool:
        """Return True if the coins come from this seed; for None, if they come from no seed."""
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
        most: int = MOST_QUERIES,
    ) -> Search:
        """Return the search of a header and events.

        Args:
            header: The output of `header`.
            events: Every change since, in order.
            record: Receives every later change, as in `Search`.
            most: The most questions that its plan may ask.

        Returns:
            The search in its last state.

        Raises:
            BadState: The header and the events are not a search of a known version.
            ReplayDiffers: The replay would ask other questions than were shown.
        """
        version = saved.check_version(header)
        with _readable():
            key = bytes.fromhex(header["key"])
            saved.verify(header, coins.check_key(key))
            search = cls(
                saved.plan_of(header["plan"], version, most),
                key=key,
                yes_means=header["yes_means"],
                domains=saved.decode(header["domains"], version),
                preface=saved.preface_of(header),
            )
            search.seeded, search.keys = saved.check_origin(header)
            for event in events:
                search._course.replay(event)
        search._record = record
        return search

    @classmethod
    def resumed(
        cls,
        header: dict[str, Any],
        rounds: Sequence[Any],
        *,
        torn: bool = False,
        most: int = MOST_QUERIES,
    ) -> Search:
        """Return the search of a header and its rounds.

        Args:
            header: The output of `header`, of version 3 or later.
            rounds: The output of `kept`, of any version.
            torn: True if a crash may have torn the last write.
            most: The most questions that its plan may ask.

        Raises:
            BadState: The header and the rounds are not a search of a known version.
            ReplayDiffers: The replay would ask other questions than were shown.
        """
        search = cls.replayed(header, (), most=most)
        if header["version"] < saved.IN_SLOTS:
            widths = search.layout.widths
            search.follow(earlier.events(rounds, widths[: len(rounds)] if torn else widths))
        else:
            search.follow(search.layout.events(rounds, torn=torn))
        return search

    def recorded_by(self, record: Callable[[Event], None]) -> None:
        """Pass every later change to `record` before it counts."""
        self._record = record

    def __repr__(self) -> str:
        """Return the state of the search without anything secret."""
        done = self.done or self.plan.asks_all
        total = self.answered if self.done else self.plan.queries
        most = "" if done else "at most "
        words = f"{self.answered} of {most}{total} questions answered"
        return f"<Search {self.plan.method}: {words}>"

    def __reduce__(self) -> str:
        """Refuse pickling, because a pickle would hold the key where no one expects it."""
        raise TypeError("a search holds secrets and is not pickled; use to_json")

    def _recorded(self, event: Event) -> None:
        if self._record is not None:
            self._record(event)

    def _change(self, id: str, answer: bool | None) -> tuple[Place, bool | None]:
        """Return the place and the new answer, if it may be set.

        Raises:
            UnknownQuery, AnswerFixed: As in `tell`.
        """
        above = None if answer is None else self._course.says(answer)
        at = self._ledger.place(id)
        if self._ledger.answer(at) is above:
            return at, above
        if at[0] < self.round:
            rule = "the next round was shown, and it follows from the answer given before"
            raise AnswerFixed("id", id, rule, f"go on with that answer, or stop; {AGAIN}")
        if self._seen and self.done:
            rule = "the result was shown, and it follows from the answer given before"
            raise AnswerFixed("id", id, rule, f"if it was wrong, so is the result; {AGAIN}")
        return at, above

    def _set(self, at: Place, above: bool | None) -> None:
        """Record an answer, and then apply it."""
        if self._ledger.answer(at) is above and at not in self._unsure:
            return
        self._unsure.add(at)  # until `record` returns, either answer may be recorded
        self._recorded({"tell": self._ledger.asked(at).id, "yes": self._course.told_as(above)})
        self._unsure.discard(at)
        self._take(at, above)

    def _settle(self) -> None:
        """Record the current answers again, if an interrupt separated a record from its effect."""
        for at in sorted(self._unsure):
            if at[0] == self.round:
                answer = self._course.told_as(self._ledger.answer(at))
                self._recorded({"tell": self._ledger.asked(at).id, "yes": answer})
        self._unsure.clear()

    def _next(self) -> tuple[Any, list[int]]:
        """Return the state in the next round and its points, without advancing to it."""
        try:
            return self._course.next()
        except InvalidValue:
            if not self.contradictions:
                raise
            rule = "no number fits all the answers, so there is nothing to ask next"
            raise Contradictory(f"{rule}; correct an answer of this round; {AGAIN}") from None

    def _show(self, state: Any, points: list[int]) -> None:
        self._course.show(state, points)

    def _take(self, at: Place, above: bool | None) -> None:
        self._ledger.take(at, above)


def _column(query: Query) -> int:
    """Return the column that a query has in its round."""
    found = place(query.id)
    return 0 if found is None else found[1]


def search_of(given: object) -> Search:
    """Return the given search.

    Raises:
        WrongType: The argument is not a search.
    """
    if isinstance(given, Search):
        return given
    remedy = "pass Search(plan)" if isinstance(given, Plan) else "pass Search(plan(problem))"
    raise WrongType.of("search", given, "must be a Search", remedy)


def _not_saved(what: str) -> BadState:
    rule = "not a saved search"
    return BadState("text", what, rule, "pass the output of Search.to_json()")


@contextmanager
def _readable() -> Iterator[None]:
    """Turn all errors of reading a search into `BadState`."""
    try:
        yield
    except (BadState, ReplayDiffers):
        raise
    except _UNREADABLE as error:
        rule = "must be a search as feint saved it"  # the content stays out of the message
        kind = type(error).__name__
        raise BadState("state", kind, rule, "restore it as it was") from None


_UNREADABLE = (
    ArithmeticError,
    AttributeError,
    InvalidValue,
    LookupError,
    MemoryError,  # a plan that claims to be huge
    RuntimeError,  # nesting too deep, answers that lead nowhere
    TypeError,
    ValueError,
)
