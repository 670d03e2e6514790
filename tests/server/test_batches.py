"""Votes that are written together: each is kept or refused as if it had come alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.journals import KEY, PLAN

from feint.errors import InvalidValue, NotAllowed, NotOpen, Unavailable, UnknownQuery
from feint.journal import SQL, Memory
from feint.journal.memory import MemoryTransaction
from feint.journal.polls import Polls, Terms, Vote
from feint.server.batches import Batches

NAME = "poll"
_LONG = 20.0  # seconds, after which a test has hung


class Gated(Memory):
    """A store whose transactions wait for a gate, and fail at their end if they are told to.

    Attributes:
        gate: Open unless a test closes it.
        entered: Set once a transaction waits at the gate.
        transactions: How many votes each transaction wrote.
        failing: Gives the error of a transaction by the people whose votes it holds, if there is
            one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.entered = threading.Event(), threading.Event()
        self.gate.set()
        self.transactions: list[int] = []
        self.failing: Callable[[set[str]], Exception | None] = lambda people: None

    @contextmanager
    def transaction(self, name: str) -> Iterator[MemoryTransaction]:
        """Wait, and fail before the commit."""
        self.entered.set()
        assert self.gate.wait(_LONG)
        with super().transaction(name) as held:
            before = {key: row["yes"] for key, row in held.rows("vote").items()}
            yield held
            now = {key: row["yes"] for key, row in held.rows("vote").items()}
            people = {key.rpartition("/")[2] for key in now if now[key] != before.get(key)}
            self.transactions.append(len(people))
            error = self.failing(people)
            if error is not None:
                raise error


class Setting:
    """A poll of which one question is voted on, and its people."""

    def __init__(self, count: int, *, quorum: int = 1001) -> None:
        self.store = Gated()
        self.polls = Polls(self.store)
        self.polls.create(NAME, PLAN, terms=Terms(quorum=quorum))
        self.people = [self.polls.invite(NAME, id=str(number))[0] for number in range(count)]
        self.id = self.polls.sheet(NAME, self.people[0]).ballots[0].id
        self.store.transactions.clear()

    def kept(self) -> dict[str, bool | None]:
        """Return everybody's vote as it is kept."""
        return {each: self.polls.sheet(NAME, each).ballots[0].vote for each in self.people}

    def tally(self) -> tuple[int, int]:
        """Return how many voted yes and no."""
        question = self.polls.status(NAME)["questions"][0]
        return question["yes"], question["no"]

    async def gather(
        self, *votes: Vote, meanwhile: Callable[[], None] = lambda: None
    ) -> list[BaseException | None]:
        """Cast votes so that all but the first are in one batch, and return what came of each.

        Args:
            votes: In this order.
            meanwhile: Done while all of them wait.
        """
        batches = Batches(self.polls)
        self.store.gate.clear()
        self.store.entered.clear()
        tasks = [asyncio.create_task(batches.cast(NAME, votes[0]))]
        assert await asyncio.to_thread(self.store.entered.wait, _LONG)
        tasks += [asyncio.create_task(batches.cast(NAME, vote)) for vote in votes[1:]]
        await asyncio.sleep(0)  # every one of them waits in its batch
        meanwhile()
        self.store.gate.set()
        return await asyncio.gather(*tasks, return_exceptions=True)


def run(work: Coroutine[Any, Any, list[BaseException | None]]) -> list[BaseException | None]:
    """Run a test's coroutine, which must not hang."""

    async def bounded() -> list[BaseException | None]:
        return await asyncio.wait_for(work, _LONG)

    return asyncio.run(bounded())


def test_votes_that_come_together_are_written_together() -> None:
    """Each once, however many wait; at most 64 in one transaction."""
    setting = Setting(101)
    votes = [Vote(each, setting.id, place % 3 == 0) for place, each in enumerate(setting.people)]
    assert run(setting.gather(*votes)) == [None] * 101
    assert setting.store.transactions == [1, 64, 36]
    assert setting.kept() == {vote.person: vote.yes for vote in votes}
    assert setting.tally() == (34, 67)


def test_what_somebody_votes_last_in_a_batch_counts_once() -> None:
    setting = Setting(2)
    one, two = setting.people
    cast = [(one, True), (two, True), (two, False), (one, True), (one, False), (one, True)]
    votes = [Vote(person, setting.id, yes) for person, yes in cast]
    assert run(setting.gather(*votes)) == [None] * 6
    assert setting.kept() == {one: True, two: False}
    assert setting.tally() == (1, 1)


def test_a_vote_that_is_refused_touches_no_other() -> None:
    """Of somebody who was revoked while it waited, or on a question that is not there."""
    setting = Setting(6)
    _, _, revoked, _, lost, _ = setting.people
    votes = [Vote(each, setting.id, True) for each in setting.people]
    votes[4] = Vote(lost, "q7.0", True)

    def revoke() -> None:
        with Memory.transaction(setting.store, NAME) as held:  # past the gate
            held.drop("person", revoked)

    found = run(setting.gather(*votes, meanwhile=revoke))
    assert [type(each) for each in found] == [
        *[type(None)] * 2,
        NotAllowed,
        type(None),
        UnknownQuery,
        type(None),
    ]
    assert setting.tally() == (4, 0)
    assert [setting.kept()[each] for each in (revoked, lost)] == [None, None]


def test_a_question_that_closes_within_a_batch_refuses_the_rest() -> None:
    setting = Setting(5, quorum=3)
    votes = [Vote(each, setting.id, True) for each in setting.people]
    found = run(setting.gather(*votes))
    assert found[:3] == [None] * 3
    assert [type(each) for each in found[3:]] == [NotOpen] * 2
    told = [each for each in setting.store.events(NAME) if "tell" in each]
    assert told == [{"tell": setting.id, "yes": True}]


@pytest.mark.parametrize(
    "error", [InvalidValue("answers", "these", "lead nowhere", "correct one"), ZeroDivisionError()]
)
def test_an_error_reaches_only_whom_it_concerns(error: Exception) -> None:
    """The transaction of everybody fails by the vote of one: the others are kept all the same."""
    setting = Setting(6)
    bad = setting.people[3]
    setting.store.failing = lambda people: error if bad in people else None
    votes = [Vote(each, setting.id, True) for each in setting.people]
    found = run(setting.gather(*votes))
    assert found == [None, None, None, error, None, None]
    assert setting.kept() == {each: None if each == bad else True for each in setting.people}
    assert setting.tally() == (5, 0)


def test_a_store_that_is_away_is_not_asked_for_each_vote() -> None:
    """To find out takes a minute, for which all who wait behind would wait too."""
    setting = Setting(40)
    away = Unavailable("the database is away")
    setting.store.failing = lambda people: away
    votes = [Vote(each, setting.id, True) for each in setting.people]
    assert run(setting.gather(*votes)) == [away] * 40
    assert setting.store.transactions == [1, 39]
    assert set(setting.kept().values()) == {None}
    setting.store.failing = lambda people: None
    assert run(setting.gather(*votes)) == [None] * 40
    assert setting.tally() == (40, 0)


def test_who_goes_away_while_a_batch_is_written_takes_nobody_along() -> None:
    """Also if their vote is refused: nothing is left that nobody hears of."""
    setting = Setting(5)
    unheard = list[dict[str, Any]]()

    async def test() -> list[BaseException | None]:
        asyncio.get_running_loop().set_exception_handler(lambda _, said: unheard.append(said))
        batches, store = Batches(setting.polls), setting.store
        votes = [Vote(each, setting.id, True) for each in setting.people]
        votes[2] = Vote(setting.people[2], "q7.0", True)
        store.gate.clear()
        store.entered.clear()
        tasks = [asyncio.create_task(batches.cast(NAME, votes[0]))]
        assert await asyncio.to_thread(store.entered.wait, _LONG)
        tasks += [asyncio.create_task(batches.cast(NAME, vote)) for vote in votes[1:]]
        await asyncio.sleep(0)
        for gone in tasks[:3]:  # the first is being written, the others wait
            gone.cancel()
        store.gate.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    found = run(test())
    assert [type(each) for each in found[:3]] == [asyncio.CancelledError] * 3
    assert found[3:] == [None, None]
    assert [setting.kept()[each] for each in setting.people[3:]] == [True, True]
    assert sum(setting.tally()) == len([each for each in setting.kept().values() if each])
    assert unheard == []


def test_a_vote_that_is_acknowledged_is_in_the_database(tmp_path: Path) -> None:
    """Whoever opens the file anew at that moment finds it, in two polls at once."""
    url, count = f"sqlite:///{tmp_path}/journal.db", 24
    polls, another = (Polls(SQL(url, key=KEY)) for _ in range(2))
    seats = list[tuple[str, str, str]]()
    for name in ("one", "two"):
        polls.create(name, PLAN, terms=Terms(quorum=1001))
        people = [polls.invite(name)[0] for _ in range(count)]
        seats += [(name, each, polls.sheet(name, each).ballots[0].id) for each in people]

    async def test() -> list[BaseException | None]:
        batches = Batches(polls)

        async def cast(name: str, person: str, id: str) -> None:
            for yes in (True, False):
                await batches.cast(name, Vote(person, id, yes))
                sheet = await asyncio.to_thread(another.sheet, name, person)
                assert sheet.ballots[0].vote is yes

        work = (cast(*each) for each in seats)
        return await asyncio.gather(*work, return_exceptions=True)

    assert run(test()) == [None] * len(seats)
    for name in ("one", "two"):
        question = another.status(name)["questions"][0]
        assert (question["yes"], question["no"]) == (0, count)
    polls.close()
    another.close()
