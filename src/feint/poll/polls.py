"""Polls in a store: searches with respondents, their votes, quorum and deadlines; no HTTP.

A question closes when its quorum is reached, in one transaction with the answer it yields; a round
opens in the one that closes the last question of the round before. What a respondent receives
follows from the transcript, their own votes, and how many others voted: never from how they did.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from threading import Lock
from typing import Any

from feint.errors import InvalidValue, NameTaken, NotAllowed, NotOpen, UnknownSearch
from feint.interfaces import OFFICE, Store, Transaction
from feint.planning import Plan
from feint.poll.rounds import HeldPoll, Replayed, of_round
from feint.poll.terms import Caller, Sheet, Standing, Terms
from feint.poll.tokens import Tokens
from feint.problem import Domain, Query, Result, YesMeans
from feint.search import Event, Search

_DRAWN = ("key", "check")  # of a header: what is another each time, unless a key is given
_REPLAYS = 1024  # searches that are kept at hand, to go on with when their round is complete


class _Replay:
    """A search brought up to date by the events after it; it appends to the transaction at hand."""

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
    """All polls of a store. Threads may share it, and any number of processes the store.

    Attributes:
        tokens: Who may do something.
    """

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.time) -> None:
        """Hold polls in a store.

        Args:
            store: Where they are kept.
            clock: What says the time, in seconds.
        """
        self.tokens = Tokens(store)
        self._store, self._clock = store, clock
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
        key: bytes | None = None,
        id: str | None = None,
    ) -> None:
        """Begin a poll: plan and key are kept before the first round is shown.

        Args:
            name: What to call it.
            plan: What it follows.
            terms: How it is held.
            yes_means: As in `Search`.
            domains: As in `Search`.
            key: As in `Search`.
            id: Of this write: the same again is accepted, and counts once.

        Raises:
            NameTaken: There is one of this name, or this id began another one under it. What is
                kept under the name stays as it is.
            InvalidValue: An argument is wrong, or it cannot be a name.
        """
        terms.check(plan)
        search = Search(plan, key=key, yes_means=yes_means, domains=domains)
        given = search.header()

        def same(there: dict[str, Any]) -> bool:
            drawn = _DRAWN if key is None else ()
            return all(there.get(each) == given[each] for each in given if each not in drawn)

        self._begin(name, search, terms, id, same=same)

    def take_in(self, name: str, search: Search, *, terms: Terms, id: str | None = None) -> None:
        """Go on here with a search that was begun elsewhere, as `Search.from_json` gives it.

        Args:
            name: What to call it.
            search: The search.
            terms: How it is held.
            id: As in `create`.

        Raises:
            As in `create`.
        """
        terms.check(search.plan)
        given = search.header()
        self._begin(name, search, terms, id, same=lambda there: there == given)

    @property
    def near(self) -> bool:
        """Whether a look at what is kept needs no network."""
        return self._store.near

    def names(self) -> list[str]:
        """The names of all polls, sorted."""
        return self._store.names()

    def status(self, name: str) -> dict[str, Any]:
        """Where a poll stands, for its owner: votes are in it, and it is secret.

        Raises:
            UnknownSearch: There is none of this name.
        """
        with self._store.reading(name) as held:
            now = HeldPoll(held, self._clock())
            poll = now.row()
            start = of_round(poll["round"])
            closed = held.rows("closed", start=start)
            questions = [
                row | {"closed": key in closed} | _tally(held, key)
                for key, row in held.rows("question", start=start).items()
            ]
            return {
                "name": name,
                "standing": now.standing(poll),
                "overdue": now.overdue(poll),
                "round": poll["round"],
                "rounds": poll["rounds"],
                "answered": held.count("closed"),
                "queries": poll["queries"],
                "respondents": held.count("person"),
                "terms": poll["terms"],
                "questions": questions,
            }

    def turnout(self, name: str) -> list[dict[str, Any]]:
        """Every respondent, and on how many questions of the open round they voted, not how.

        They are in the order in which they came, which is their number; 0: an earlier version let
        them in.

        Raises:
            UnknownSearch: There is none of this name.
        """
        with self._store.reading(name) as held:
            start = of_round(HeldPoll(held, self._clock()).row()["round"])
            voted = Counter(key.rpartition("/")[2] for key in held.rows("vote", start=start))
            people = [
                {"id": id, "label": row["label"], "number": row.get("number", 0)}
                for id, row in held.rows("person").items()
            ]
        return [
            each | {"answered": voted[each["id"]]}
            for each in sorted(people, key=lambda each: each["number"])
        ]

    def deadline(self, name: str) -> float | None:
        """When the open round has had its time, in seconds of the clock; None: it has any time.

        Raises:
            UnknownSearch: There is none of this name.
        """
        with self._store.reading(name) as held:
            poll = HeldPoll(held, self._clock()).row()
            long = poll["terms"]["deadline"]
            return None if long is None else float(poll["opened"] + long)

    def standing(self, name: str) -> tuple[Standing, int]:
        """Where a poll stands and which round is open, for anybody in it.

        Raises:
            UnknownSearch: There is none of this name.
        """
        with self._store.reading(name) as held:
            now = HeldPoll(held, self._clock())
            poll = now.row()
            return now.standing(poll), poll["round"]

    def roll(self, name: str) -> str:
        """Something that changes whenever somebody of a poll is let in no more, and says no more.

        Raises:
            UnknownSearch: There is none of this name.
        """
        with self._store.reading(name) as held:
            poll = HeldPoll(held, self._clock()).row()
        return f"{poll.get('made')} {poll.get('gone', 0)}"

    def ready(self) -> None:
        """See that the store is there.

        Raises:
            Unavailable: It is not.
        """
        with self._store.reading(OFFICE) as held:
            held.get("ready", "")

    def write_something(self) -> None:
        """Check that the store takes writes: replace one small row, durably.

        A transaction that is rolled back would not do: SQLite writes nothing before it commits,
        and so does not notice a full disk.

        Raises:
            Unavailable: It does not.
        """
        with self._store.transaction(OFFICE) as held:
            held.put("ready", "", {})

    def search(self, name: str) -> Search:
        """The search of a poll as it stands: to read, not to tell. Secret.

        Raises:
            UnknownSearch: There is none of this name.
        """
        return Search.replayed(self._store.header(name), self._store.events(name))

    def result(self, name: str) -> Result:
        """What was found. Secret.

        Raises:
            NotDone: There are questions left.
            UnknownSearch: There is none of this name.
        """
        return self.search(name).result

    def open(self, name: str) -> tuple[Query, ...]:
        """The questions without an answer, for its owner.

        Raises:
            SearchDone: Every question is answered.
            UnknownSearch: There is none of this name.
        """
        return self.search(name).ask()  # the round was shown when the last one was complete

    def pause(self, name: str) -> None:
        """Take no votes until it is resumed."""
        self._stand(name, "paused")

    def resume(self, name: str) -> None:
        """Take votes again; the time of its round begins anew."""
        self._stand(name, "open")

    def archive(self, name: str) -> None:
        """Take no votes any more, and keep what is there; `resume` brings it back."""
        self._stand(name, "archived")

    def delete(self, name: str) -> None:
        """Take a poll away for good, with its key, its votes and its tokens."""
        with suppress(UnknownSearch), self._store.reading(name) as held:
            rows = [*held.rows("person").values(), *held.rows("link").values()]
            self.tokens.revoke(row["token"] for row in rows)
        self._store.delete(name)

    def invite(self, name: str, *, label: str = "", id: str | None = None) -> tuple[str, str]:
        """A new respondent.

        Args:
            name: The poll.
            label: What the owner calls them.
            id: Of this write: the same again is the same respondent, with a new token.

        Returns:
            The respondent, and their token, which cannot be read again.

        Raises:
            InvalidValue: Another respondent is called so: one person would have two votes.
        """
        person = secrets.token_hex(8) if id is None else _named(name, id)
        with self._store.reading(name) as held:
            old = held.get("person", person)
            people = held.rows("person") if label else {}
        if label and any(row["label"] == label for key, row in people.items() if key != person):
            rule = "a respondent is called so already, and would have two votes"
            raise InvalidValue("label", label, rule, "choose another, or give them a new token")
        token, place = self.tokens.issue(Caller(role="respondent", search=name, person=person))
        with self._store.transaction(name) as held:
            number = held.count("person") + 1 if old is None else old.get("number", 0)
            held.put("person", person, {"label": label, "token": place, "number": number})
        if old is not None:
            self._let_go(name, [old["token"]])
        return person, token

    def renew(self, name: str, person: str) -> str:
        """A new token for a respondent; the old one is revoked, and their votes stay theirs.

        Raises:
            UnknownSearch: There is no search of this name.
            InvalidValue: There is no such respondent, or they were revoked.
        """
        with self._store.reading(name) as held:
            old = held.get("person", person)
        if old is None:
            raise _nobody(person)
        token, place = self.tokens.issue(Caller(role="respondent", search=name, person=person))
        with self._store.transaction(name) as held:
            old = held.get("person", person)
            if old is not None:
                held.put("person", person, old | {"token": place})
        self._let_go(name, [place if old is None else old["token"]])
        if old is None:  # revoked a moment ago
            raise _nobody(person)
        return token

    def respondents(self, name: str) -> dict[str, str]:
        """Every respondent and what the owner calls them."""
        with self._store.reading(name) as held:
            return {person: row["label"] for person, row in held.rows("person").items()}

    def revoke(self, name: str, person: str) -> None:
        """Let a respondent, or an open link, in no more; their votes stay."""
        with self._store.transaction(name) as held:
            rows = [held.get(kind, person) for kind in ("person", "link")]
            held.drop("person", person)
            held.drop("link", person)
        self._let_go(name, [row["token"] for row in rows if row is not None])

    def link(self, name: str, *, quota: int) -> tuple[str, str]:
        """An open link, by which as many may join as its quota says: its id and its token."""
        id = secrets.token_hex(8)
        with self._store.reading(name):
            token, place = self.tokens.issue(Caller(role="link", search=name, person=id))
        with self._store.transaction(name) as held:
            held.put("link", id, {"left": quota, "token": place})
        return id, token

    def links(self, name: str) -> dict[str, int]:
        """Every open link by its id, and how many may still join by it."""
        with self._store.reading(name) as held:
            return {id: row["left"] for id, row in held.rows("link").items()}

    def join(self, link: Caller) -> tuple[str, str]:
        """Become a respondent by an open link: the respondent, and their token.

        Raises:
            NotAllowed: It is used up, or was revoked.
        """
        name, id = str(link.search), str(link.person)
        with self._store.transaction(name) as held:
            row = held.get("link", id)
            if row is None or row["left"] < 1:
                rule = "as many have joined by it as may"
                raise NotAllowed("link", "an open link", rule, "ask the owner for another")
            held.put("link", id, row | {"left": row["left"] - 1})
        return self.invite(name)

    def sheet(self, name: str, person: str) -> Sheet:
        """What a respondent receives: the open questions, and their own votes.

        Raises:
            UnknownSearch: There is none of this name.
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
        """Take a respondent's vote; it is kept when this returns.

        Raises:
            As in `HeldPoll.vote`, and UnknownSearch.
        """
        with self._going_on(name) as (now, replayed):
            now.vote(person, id, yes, replayed)

    def answer(self, name: str, id: str, yes: bool) -> None:
        """Take the owner's answer, where nobody votes; it is kept when this returns.

        Raises:
            As in `HeldPoll.answer`, and UnknownSearch.
        """
        self.answer_all(name, {id: yes})

    def answer_all(self, name: str, answers: Mapping[str, bool]) -> None:
        """Take several answers of the owner's, or, if one of them is refused, none.

        Args:
            name: The search's.
            answers: The answer to each question, by its id.

        Raises:
            As in `HeldPoll.answer`, and UnknownSearch.
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
        """Keep a search with its first round and its terms, all of it at once, or nothing.

        Args:
            name: What to call it.
            search: It.
            terms: How it is held.
            id: Of this write.
            same: Whether the header of a search that the same write made is of this one.
        """
        header = search.header()
        try:
            with self._store.creating(name, header) as held:
                for event in search.events():
                    held.append(event)
                poll = {
                    "id": id,
                    "made": secrets.token_hex(8),
                    "standing": "open",
                    "terms": terms.to_dict(),
                    "rounds": search.plan.rounds,
                    "queries": search.plan.queries,
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
                raise  # it is somebody else's, and stays as it is
            if there["terms"] != terms.to_dict() or not same(self._store.header(name)):
                rule = "was begun under the same key by another request"
                remedy = "send what was sent before, or another name under a key of its own"
                raise NameTaken("name", name, rule, remedy) from None

    def _let_go(self, name: str, places: Sequence[str]) -> None:
        """Revoke tokens of a poll, then have it known: whoever looks after that finds them gone."""
        self.tokens.revoke(places)
        with suppress(UnknownSearch), self._store.transaction(name) as held:
            poll = held.get("poll", "")
            if poll is not None:
                held.put("poll", "", poll | {"gone": poll.get("gone", 0) + 1})

    def _stand(self, name: str, standing: str) -> None:
        with self._store.transaction(name) as held:
            poll = HeldPoll(held, self._clock()).row()
            if poll["standing"] == "done" and standing != "archived":
                raise NotOpen("every question of this poll is answered")
            if standing == "open" and self._done(held, poll):
                standing = "done"
            held.put("poll", "", poll | {"standing": standing, "opened": self._clock()})

    def _done(self, held: Transaction, poll: dict[str, Any]) -> bool:
        return held.count("closed") >= int(poll["queries"])

    @contextmanager
    def _going_on(self, name: str) -> Iterator[tuple[HeldPoll, Replayed]]:
        """A transaction, and what gives the search as it stands in it.

        The search is kept for the next one, unless something fails: then it may be ahead of what
        was written, and is forgotten.
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


def _tally(held: Transaction, key: str) -> dict[str, int]:
    votes = [row["yes"] for row in held.rows("vote", start=f"{key}/").values()]
    return {"yes": sum(votes), "no": len(votes) - sum(votes)}


def _nobody(person: str) -> InvalidValue:
    rule = "there is no such respondent, or they were revoked"
    return InvalidValue("id", person, rule, "invite them")


def _named(name: str, id: str) -> str:
    return blake2b(f"{name}/{id}".encode(), digest_size=8).hexdigest()
