"""Run polls in a store: searches with respondents, votes, quorums and deadlines, without HTTP.

A question closes when its quorum is reached, in the transaction that records its answer. If its
sample grows, all of its copies close together, once the copy that the search follows is decided.
The transaction that closes the last question of a round also opens the next round or ends the poll.
The data that a respondent receives follows from the transcript, their own votes, and the number of
other votes, never from the content of these.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from threading import Lock
from typing import Any, Literal

from feint.errors import (
    AnswerFixed,
    BadState,
    FeintError,
    InvalidValue,
    NameTaken,
    NotAllowed,
    NotOpen,
    Unavailable,
    UnknownQuery,
    UnknownSearch,
)
from feint.interfaces import OFFICE, Store, Transaction
from feint.journal.polls.credentials import draw_token, hashed
from feint.journal.polls.rounds import HeldPoll, Replayed, of_round, overdue_at, standing_at
from feint.journal.polls.terms import Caller, Sheet, Standing, Terms, Vote
from feint.journal.polls.tokens import ROWS, Tokens, count_ended, end_sessions
from feint.planning import Plan
from feint.problem import Domain, Preface, Query, Result, YesMeans
from feint.search import Event, Search

_DRAWN = ("key", "check")  # header fields that differ each time, unless a key is given
_REPLAYS = 1024  # searches that are cached, to continue when their round is complete

_LABEL = "label"  # the kind of the rows that map labels to respondents

_BRIEF = 0.02  # seconds: a check that takes less is made on every request of the owner
_SHARE = 20  # longer checks take at most this share of the time


class _Replay:
    """A replayed search that appends its changes to the current transaction."""

    def __init__(self, header: dict[str, Any]) -> None:
        self._count = 0
        self._held: Transaction | None = None
        self._search = Search.replayed(header, [], record=self._append)

    def brought_to(self, held: Transaction) -> Search:
        self._held = held
        events = held.events(start=self._count)
        self._search.follow(events)
        self._count += len(events)
        return self._search

    def _append(self, event: Event) -> None:
        if self._held is not None:
            self._held.append(event)
            self._count += 1


class Polls:
    """All polls of a store. Threads may share it, and processes may share the store.

    Attributes:
        tokens: The tokens and sessions.
        clock: Returns the time in seconds.
    """

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        """Use a store.

        Args:
            store: The store.
            clock: Returns the time in seconds.
        """
        self.tokens = Tokens(store, clock=clock)
        self._store, self._clock, self.clock = store, clock, clock
        # The deadline of each poll's round, with the counter at which it was read.
        self._due: dict[str, tuple[int, float | None]] = {}
        self._rested: dict[str, float] = {}  # when a large search may be checked again
        self._replays: OrderedDict[tuple[str, str], _Replay] = OrderedDict()
        self._lock = Lock()

    def create(
        self,
        name: str,
        plan: Plan,
        *,
        terms: Terms,
        yes_means: YesMeans = "at least",
        domains: Sequence[Domain] | None = None,
        preface: Preface | None = None,
        key: bytes | None = None,
        id: str | None = None,
    ) -> None:
        """Create a poll. Plan and key are stored before the first round is shown.

        Args:
            name: Its name.
            plan: The plan to follow.
            terms: The terms of the poll.
            yes_means: As in `Search`.
            domains: As in `Search`.
            preface: As in `Search`.
            key: As in `Search`.
            id: The id of this write. A repetition is accepted and counts once.

        Raises:
            NameTaken: Another search has this name, or this id created another one under it. The
                existing search is unchanged.
            InvalidValue: An argument is wrong, or the name is not allowed.
        """
        terms.check(plan)
        search = Search(plan, key=key, yes_means=yes_means, domains=domains, preface=preface)
        given = search.header()

        def same(there: dict[str, Any]) -> bool:
            drawn = _DRAWN if key is None else ()
            return all(there.get(each) == given[each] for each in given if each not in drawn)

        self._begin(name, search, terms, id, same=same)

    def take_in(self, name: str, search: Search, *, terms: Terms, id: str | None = None) -> None:
        """Import a search that was started elsewhere, as `Search.from_json` returns it.

        Args:
            name: Its name.
            search: The search.
            terms: The terms of the poll.
            id: As in `create`.

        Raises:
            As in `create`.
        """
        terms.check(search.plan)
        given = search.header()
        self._begin(name, search, terms, id, same=lambda there: there == given)

    @property
    def near(self) -> bool:
        """Return True if reading the store needs no network."""
        return self._store.near

    def names(self) -> list[str]:
        """Return the names of all polls, sorted."""
        return self._store.names()

    def status(self, name: str) -> dict[str, Any]:
        """Return the status of a poll for its owner, with votes. Secret.

        The whole search is checked. For a large search the checks take at most a twentieth of the
        time, since pages request the status after every vote.

        Raises:
            UnknownSearch: No search has this name.
            Tampered: The search was changed outside feint.
        """
        with self._store.reading(name) as held:
            self._check(name, held)
            now = HeldPoll(held, self._clock())
            poll = now.row()
            start = of_round(poll["round"])
            closed, tallies = set(held.keys("closed", start=start)), now.tallies(poll["round"])
            questions = [
                {name: value for name, value in row.items() if name != "copies"}
                | {"closed": key in closed, "wanted": now.seats(poll, row)}
                | tallies[key]
                for key, row in held.rows("question", start=start).items()
            ]
            return {
                "name": name,
                **_listed(poll, now.now, held.count("closed"), held.count("person")),
                "terms": poll["terms"],
                "counter": held.version,
                "questions": questions,
            }

    def tally(self, name: str) -> dict[str, Any]:
        """Count the answers and votes of a poll so far. Secret.

        It decrypts one row per question of the round and no votes, and does not check the rest of
        the search.

        Raises:
            UnknownSearch: No search has this name.
        """
        with self._store.reading(name) as held:
            now = HeldPoll(held, self._clock())
            poll = now.row()
            votes = sum(each["yes"] + each["no"] for each in now.tallies(poll["round"]).values())
            numbers = _listed(poll, now.now, held.count("closed"), held.count("person"))
        return numbers | {"votes": votes}

    def overview(self) -> list[dict[str, Any]]:
        """Return the status of every search, sorted by name, in a fixed number of statements.

        A search that is not a poll has only its name. The searches are not checked.
        """
        found, now = self._store.survey("closed", "person"), self._clock()
        rows = []
        for name, poll, counts in found:
            row: dict[str, Any] = {"name": name}
            if poll is not None:
                closed, people = counts.get("closed", 0), counts.get("person", 0)
                row |= _listed(poll, now, closed, people)
                row["deadline"] = _deadline(poll)
            rows.append(row)
        return rows

    def restored(self) -> float | None:
        """Return the time of the last restoration from a backup; None if there was none."""
        return self._store.restored()

    def stamp(self, name: str) -> tuple[int, int, bool]:
        """Return a value that changes whenever the events of a stream do, without decrypting.

        Raises:
            UnknownSearch: No search has this name.
        """
        search, office = self._store.stamp(name)
        with self._lock:
            known = self._due.get(name)
        if known is None or known[0] != search:
            known = search, self.deadline(name)
            with self._lock:
                self._due[name] = known
                while len(self._due) > _REPLAYS:
                    self._due.pop(next(iter(self._due)))
        return search, office, known[1] is not None and self._clock() >= known[1]

    def close(self) -> None:
        """Close the store. A SQLite database is then complete in one file."""
        self._store.close()

    def turnout(self, name: str) -> list[dict[str, Any]]:
        """Return every respondent with the number of open questions that they voted on.

        They are in the order in which they joined, which is their number. The number is 0 if an
        earlier version admitted them.

        Raises:
            UnknownSearch: No search has this name.
        """
        with self._store.reading(name) as held:
            start = of_round(HeldPoll(held, self._clock()).row()["round"])
            voted = Counter(key.rpartition("/")[2] for key in held.keys("vote", start=start))
            people = [
                {"id": id, "label": row["label"], "number": row.get("number", 0)}
                for id, row in held.rows("person").items()
            ]
        return [
            each | {"answered": voted[each["id"]]}
            for each in sorted(people, key=lambda each: each["number"])
        ]

    def deadline(self, name: str) -> float | None:
        """Return the deadline of the open round, in seconds of the clock; None: no deadline.

        Raises:
            UnknownSearch: No search has this name.
        """
        with self._store.reading(name) as held:
            return _deadline(HeldPoll(held, self._clock()).row())

    def standing(self, name: str) -> tuple[Standing, int]:
        """Return the public status of a poll and its open round.

        Raises:
            UnknownSearch: No search has this name.
        """
        with self._store.reading(name) as held:
            now = HeldPoll(held, self._clock())
            poll = now.row()
            return now.standing(poll), poll["round"]

    def batch(self, name: str) -> int:
        """Return the number of further batches of samples that the open round has opened so far.

        Raises:
            UnknownSearch: No search has this name.
        """
        with self._store.reading(name) as held:
            batch: int = HeldPoll(held, self._clock()).row().get("batch", 0)
            return batch

    def roll(self, name: str) -> str:
        """Return a value that changes whenever someone's access to a poll ends.

        Raises:
            UnknownSearch: No search has this name.
        """
        with self._store.reading(name) as held:
            poll = HeldPoll(held, self._clock()).row()
        return f"{poll.get('made')} {poll.get('gone', 0)}"

    def ready(self) -> None:
        """Check that the store is available.

        Raises:
            Unavailable: The store is not available.
        """
        with self._store.reading(OFFICE) as held:
            held.get("ready", "")

    def write_something(self) -> None:
        """Check that the store is writable, by a small write that belongs to no search.

        Raises:
            Unavailable: The store is not writable.
        """
        self._store.probe()

    def search(self, name: str, *, whole: bool = True) -> Search:
        """Return the current search of a poll, for reading only. Secret.

        Args:
            name: The poll.
            whole: True to check the votes too, not only the questions and answers.

        Raises:
            UnknownSearch: No search has this name.
            Tampered: The search was changed outside feint.
        """
        if whole:
            with self._store.reading(name) as held:
                held.check()
                events = held.events()
        else:
            events = self._store.events(name)
        return Search.replayed(self._store.header(name), events)

    def result(self, name: str) -> Result:
        """Return the result. Secret.

        Raises:
            NotDone: Some questions have no answer yet.
            UnknownSearch: No search has this name.
        """
        return self.search(name).result

    def open(self, name: str) -> tuple[Query, ...]:
        """Return the questions without an answer, for the owner.

        Raises:
            SearchDone: Every question is answered.
            UnknownSearch: No search has this name.
        """
        return self.search(
            name, whole=False
        ).ask()  # the round was shown when the previous one was completed

    def pause(self, name: str) -> None:
        """Pause a poll: it accepts no votes until it is resumed."""
        self._stand(name, "paused")

    def resume(self, name: str) -> None:
        """Resume a poll; the deadline of its round starts again."""
        self._stand(name, "open")

    def archive(self, name: str) -> None:
        """Archive a poll: it accepts no votes and keeps its data; `resume` reverses this."""
        self._stand(name, "archived")

    def delete(self, name: str) -> None:
        """Delete a poll permanently, with its key, votes, tokens and sessions."""
        rows: list[dict[str, Any]] = []
        # A poll that was changed outside feint can be deleted too.
        with suppress(UnknownSearch, BadState), self._store.reading(name) as held:
            rows = [*held.rows("person").values(), *held.rows("link").values()]
        self._store.delete(name)
        self.tokens.forget(rows)

    def invite(self, name: str, *, label: str = "", id: str | None = None) -> tuple[str, str]:
        """Add a respondent.

        Args:
            name: The poll.
            label: The owner's name for them.
            id: The id of this write. A repetition returns the same respondent with a new token and
                revokes the earlier token, so that exactly one token is valid.

        Returns:
            The respondent, and their token, which is shown only once.

        Raises:
            InvalidValue: Another respondent has this label; one person would have two votes.
            UnknownSearch: There is no search of this name.
        """
        person = secrets.token_hex(8) if id is None else _named(name, id)
        with self._store.transaction(name) as held:
            if label and _called(held, label) not in (None, person):
                rule = "a respondent has this name already, and would have two votes"
                raise InvalidValue("label", label, rule, "choose another, or give them a new token")
            old = held.get("person", person)
            number = held.count("person") + 1 if old is None else old.get("number", 0)
            row = {"label": label, "number": number}
            token = self._issue(held, name, "respondent", person, row, old)
            if label:
                held.put(_LABEL, held.blinded(f"label {label}"), {"person": person})
        self.tokens.forget([old])
        return person, token

    def renew(self, name: str, person: str) -> str:
        """Give a respondent a new token; their votes stay.

        The old token and their sessions end: the old link, and browsers that used it, lose access.

        Raises:
            UnknownSearch: There is no search of this name.
            InvalidValue: The respondent is unknown or was revoked.
        """
        with self._store.transaction(name) as held:
            old = held.get("person", person)
            if old is None:
                rule = "there is no such respondent, or they were revoked"
                raise InvalidValue("id", person, rule, "invite them")
            row = {"label": old["label"], "number": old.get("number", 0)}
            token = self._issue(held, name, "respondent", person, row, old)
        self.tokens.forget([old])
        return token

    def respondents(self, name: str) -> dict[str, str]:
        """Return every respondent with the owner's label."""
        with self._store.reading(name) as held:
            return {person: row["label"] for person, row in held.rows("person").items()}

    def revoke(self, name: str, person: str) -> None:
        """Revoke a respondent or an open link. Votes already cast stay."""
        with self._store.transaction(name) as held:
            rows = held.some(("person", person), ("link", person))
            held.drop("person", person)
            held.drop("link", person)
            end_sessions(held, person)
            count_ended(held)
        self.tokens.forget(rows)

    def link(self, name: str, *, quota: int) -> tuple[str, str]:
        """Create an open link with a quota, and return its id and token."""
        id = secrets.token_hex(8)
        with self._store.transaction(name) as held:
            return id, self._issue(held, name, "link", id, {"left": quota}, None)

    def links(self, name: str) -> dict[str, int]:
        """Return the remaining quota of every open link, by id."""
        with self._store.reading(name) as held:
            return {id: row["left"] for id, row in held.rows("link").items()}

    def join(self, link: Caller) -> tuple[str, str]:
        """Join a poll with an open link, and return the new respondent and their token.

        Raises:
            NotAllowed: The link's quota is used up, or it was revoked.
        """
        name, id = str(link.search), str(link.person)
        with self._store.transaction(name) as held:
            row = held.get("link", id)
            if row is None or row["left"] < 1:
                rule = "nobody else may join through it"
                raise NotAllowed("link", "an open link", rule, "ask the owner for another")
            held.put("link", id, row | {"left": row["left"] - 1})
            person = secrets.token_hex(8)
            fresh = {"label": "", "number": held.count("person") + 1}
            return person, self._issue(held, name, "respondent", person, fresh, None)

    def sheet(self, name: str, person: str) -> Sheet:
        """Return a respondent's sheet: the open questions, and their own votes.

        Raises:
            UnknownSearch: No search has this name.
        """
        with self._store.reading(name) as held:
            now = HeldPoll(held, self._clock())
            sheet, poll = now.sheet(person), now.row()
        if poll["terms"]["lease"] is None or all(each.vote is not None for each in sheet.ballots):
            return sheet
        with self._store.transaction(name) as held:
            now = HeldPoll(held, self._clock())
            sheet = now.sheet(person)
            now.lease(sheet, person)
            return sheet

    def vote(self, name: str, person: str, id: str, yes: bool) -> None:
        """Record a respondent's vote; it is on disk when this returns.

        Raises:
            UnknownSearch: No search has this name.
            FeintError: As in `HeldPoll.vote`.
        """
        error = self.vote_all(name, [Vote(person, id, yes)])[0]
        if error is not None:
            raise error

    def vote_all(self, name: str, votes: Sequence[Vote]) -> list[FeintError | None]:
        """Record votes of several respondents in one transaction.

        A refused vote does not affect the others: `HeldPoll.vote` refuses before it writes. If the
        transaction fails, each vote gets its own, so that an error reaches only the votes that it
        concerns. An unavailable store concerns all of them.

        Returns:
            The error of each vote; None if it was recorded and is on disk.
        """
        errors: list[FeintError | None] = []
        try:
            with self._going_on(name) as (now, replayed):
                for vote in votes:
                    errors.append(None)
                    try:
                        now.vote(vote.person, vote.id, vote.yes, replayed)
                    except (AnswerFixed, NotAllowed, NotOpen, UnknownQuery) as error:
                        errors[-1] = error
        except Unavailable as error:
            # Waiting for a lock takes up to a minute. Waiting once per vote could take an hour.
            return [error] * len(votes)
        except FeintError as error:
            if len(votes) == 1:
                return [error]
            return [self.vote_all(name, [vote])[0] for vote in votes]
        return errors

    def answer(self, name: str, id: str, yes: bool) -> None:
        """Record the owner's answer in a search without respondents; it is on disk on return.

        Raises:
            UnknownSearch: No search has this name.
            FeintError: As in `HeldPoll.answer`.
        """
        self.answer_all(name, {id: yes})

    def answer_all(self, name: str, answers: Mapping[str, bool]) -> None:
        """Record several answers of the owner, or none if one of them is refused.

        Args:
            name: The search's name.
            answers: The answer to each question, by its id.

        Raises:
            UnknownSearch: No search has this name.
            FeintError: As in `HeldPoll.answer`.
        """
        with self._going_on(name) as (now, replayed):
            for id, yes in answers.items():
                now.answer(id, yes, replayed)

    def _begin(
        self,
        name: str,
        search: Search,
        terms: Terms,
        id: str | None,
        *,
        same: Callable[[dict[str, Any]], bool],
    ) -> None:
        """Store a search with its first round and its terms atomically.

        Args:
            name: Its name.
            search: The search.
            terms: The terms of the poll.
            id: The id of this write.
            same: Returns True if the header of an existing search with this id is of this one.
        """
        header = search.header()
        try:
            with self._store.creating(name, header) as held:
                for event in search.events():
                    held.append(event)
                poll = {
                    "id": id,
                    "made": secrets.token_hex(8),
                    "labels": True,
                    "standing": "open",
                    "terms": terms.to_dict(),
                    "rounds": search.plan.rounds,
                    "queries": search.plan.queries,
                    "asks_all": search.plan.asks_all,
                    "preface": search.preface.to_dict(),
                    "samples": search.plan.problem.noisy,
                    "round": -1,
                    "opened": self._clock(),
                }
                HeldPoll(held, self._clock()).begin(poll, _Replay(header).brought_to(held))
        except NameTaken:
            there = None
            with suppress(UnknownSearch), self._store.reading(name) as held:
                there = held.get("poll", "")
            if id is None or there is None or there["id"] != id:
                raise  # the search belongs to another write, and stays unchanged
            if there["terms"] != terms.to_dict() or not same(self._store.header(name)):
                rule = "was begun under the same key by another request"
                remedy = "send what was sent before, or another name under a key of its own"
                raise NameTaken("name", name, rule, remedy) from None

    def _issue(
        self,
        held: Transaction,
        name: str,
        role: Literal["respondent", "link"],
        id: str,
        row: dict[str, Any],
        old: dict[str, Any] | None,
    ) -> str:
        """Write the row of a respondent or a link with a new token, its only valid one.

        Args:
            held: A transaction of the poll.
            name: The poll.
            role: The role of the token.
            id: The respondent or the link.
            row: The other fields of the row.
            old: The replaced row, whose token and sessions end; None: there is none.
        """
        token = draw_token(role, self._store.locator(name), id)
        held.put(ROWS[role], id, row | {"hash": hashed(token)})
        if old is not None:
            end_sessions(held, id)
            count_ended(held)
        return token

    def _check(self, name: str, held: Transaction) -> None:
        """Check the whole search, unless it is large and was checked recently."""
        begun = time.monotonic()
        if begun < self._rested.get(name, begun):
            return
        held.check()
        took = time.monotonic() - begun
        with self._lock:
            self._rested.pop(name, None)
            if took > _BRIEF:
                self._rested[name] = begun + took * _SHARE
            while len(self._rested) > _REPLAYS:
                self._rested.pop(next(iter(self._rested)))

    def _stand(self, name: str, standing: str) -> None:
        with self._store.transaction(name) as held:
            poll = HeldPoll(held, self._clock()).row()
            if poll["standing"] == "done" and standing != "archived":
                raise NotOpen("every question of this poll is answered")
            if standing == "open" and self._done(held, poll):
                standing = "done"
            held.put("poll", "", poll | {"standing": standing, "opened": self._clock()})

    def _done(self, held: Transaction, poll: dict[str, Any]) -> bool:
        """Return True if every question of the newest round is closed.

        The next round would have been opened in the transaction that closed the last of them.
        """
        start = of_round(poll["round"])
        return held.count("closed", start=start) >= held.count("question", start=start)

    @contextmanager
    def _going_on(self, name: str) -> Iterator[tuple[HeldPoll, Replayed]]:
        """Open a transaction, and yield it with a function that returns the current search.

        The search is cached for the next transaction. After an error it may be ahead of the store,
        so it is dropped.
        """
        used: list[tuple[tuple[str, str], _Replay]] = []
        with self._store.transaction(name) as held:

            def replayed() -> Search:
                where = (name, str((held.get("poll", "") or {}).get("made")))
                with self._lock:
                    replay = self._replays.pop(where, None)
                if replay is None:
                    replay = _Replay(self._store.header(name))
                used.append((where, replay))
                return replay.brought_to(held)

            yield HeldPoll(held, self._clock()), replayed
        with self._lock:
            self._replays.update(used)
            while len(self._replays) > _REPLAYS:
                self._replays.popitem(last=False)


def _listed(poll: dict[str, Any], now: float, closed: int, people: int) -> dict[str, Any]:
    return {
        "standing": standing_at(poll, now),
        "overdue": overdue_at(poll, now),
        "round": poll["round"],
        "rounds": poll["rounds"],
        "answered": closed,
        "queries": poll["queries"],
        "asks_all": poll.get("asks_all", True),  # polls of earlier versions ask all
        "respondents": people,
    }


def _deadline(poll: dict[str, Any]) -> float | None:
    long = poll["terms"]["deadline"]
    return None if long is None else float(poll["opened"] + long)


def _called(held: Transaction, label: str) -> str | None:
    """Return the respondent with a label; None if there is none.

    A row maps the label to them. Polls of earlier versions have no such rows, so all respondents
    are searched.
    """
    poll = held.get("poll", "") or {}
    if poll.get("labels"):
        found = held.get(_LABEL, held.blinded(f"label {label}"))
        row = None if found is None else held.get("person", found["person"])
        # They may have been revoked or renamed since.
        return found["person"] if found and row and row["label"] == label else None
    people = held.rows("person").items()
    return next((person for person, row in people if row["label"] == label), None)


def _named(name: str, id: str) -> str:
    return blake2b(f"{name}/{id}".encode(), digest_size=8).hexdigest()
