"""Honest processes work on one database at once: nobody is told that it was tampered with."""

import random
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest
from tests.support.databases import databases
from tests.support.journals import KEY, PLAN
from tests.support.polls import seat
from tests.support.writers import Writer

from feint.errors import InvalidValue, NameTaken, NotAllowed, NotOpen, UnknownSearch, WrongKey
from feint.journal import SQL
from feint.journal.engines import Database
from feint.journal.polls import Polls, Terms

NAME = "at once"


@pytest.fixture
def untidy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deleted pages stay in SQLite's log, which a reader in the same thread would hold up."""
    monkeypatch.setattr(Database, "tidy", lambda self: None)


def opened(url: str) -> tuple[SQL, SQL]:
    """Return two stores, as two processes have them, with one poll in them."""
    first, second = SQL(url, key=KEY), SQL(url, key=KEY)
    polls = Polls(first)
    polls.delete(NAME)
    polls.create(NAME, PLAN, terms=Terms(quorum=3))
    seat(polls, NAME, "a", "b")
    polls.vote(NAME, "a", "q0.0", True)
    return first, second


def test_a_reader_sees_a_search_as_it_was_while_another_process_deletes_it(
    url: str, untidy: None
) -> None:
    first, second = opened(url)
    with second.reading(NAME) as held:
        first.delete(NAME)
        assert sorted(held.rows("person")) == ["a", "b"]
        held.check()
    with pytest.raises(UnknownSearch), second.reading(NAME):
        pass


def test_a_reader_sees_a_search_as_it_was_while_its_data_key_is_replaced(
    url: str, untidy: None
) -> None:
    first, second = opened(url)
    with second.reading(NAME) as held:
        first.rotate_data()
        assert held.rows("vote")
        assert sorted(held.rows("person")) == ["a", "b"]
        held.check()
    with second.reading(NAME) as held:
        assert held.rows("vote")
    first.delete(NAME)


def test_a_header_is_read_while_another_process_deletes_the_search(
    url: str, untidy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The office is asked for deleted searches when the search was read already."""
    first, second = opened(url)
    gone = second._gone

    def later(*args: object) -> set[str]:
        first.delete(NAME)
        return gone(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(second, "_gone", later)
    assert second.header(NAME)
    monkeypatch.undo()
    with pytest.raises(UnknownSearch):
        second.header(NAME)


@pytest.mark.parametrize("kind", databases()[1:])
def test_new_data_keys_wait_for_a_new_master_key(
    kind: str, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the data keys of before would be wrapped, and searches sealed under those of after."""
    first, second = opened(postgres_url)
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    fresh, opening, begun = bytes(reversed(KEY)), first._master.open, list[Future[int]]()
    hacker = Writer(postgres_url)

    def opened_later(sealed: bytes, *, about: str) -> bytes:
        if about.endswith("key") and not begun:
            begun.append(pool.submit(second.rotate_data))
            while not begun[0].done() and hacker.run(waiting) == [(0,)]:
                pass
        return opening(sealed, about=about)

    monkeypatch.setattr(first._master, "open", opened_later)
    with ThreadPoolExecutor(1) as pool:
        first.rotate(fresh)
        with pytest.raises(WrongKey):
            begun[0].result()
    again = SQL(postgres_url, key=fresh)
    again.rotate(KEY)
    assert NAME in SQL(postgres_url, key=KEY).names()
    assert SQL(postgres_url, key=KEY).check()


def test_respondents_are_listed_while_another_thread_lets_one_in(url: str) -> None:
    """What the process knows of the register changes under whoever reads it."""
    first, _ = opened(url)
    with first.reading(NAME) as held:
        marks = held._marks()["person"]

        class Key(str):
            """A key that meets another thread's commit when it is compared."""

            __slots__ = ()

            def startswith(self, *args: object) -> bool:
                marks["z"] = 1
                return True

        marks[Key("b")] = marks.pop("b")
        marks[Key("c")] = 1
        assert held.keys("person") == ["a", "b", "c"]
    first.delete(NAME)


@pytest.mark.long
def test_polls_that_are_used_and_deleted_and_get_new_keys_at_once(url: str) -> None:
    """No thread sees Tampered or WrongKey, and every search adds up in the end."""
    stores = [SQL(url, key=KEY) for _ in range(2)]
    names = [f"{NAME} {number}" for number in range(3)]

    def use(number: int) -> None:
        drawn, polls = random.Random(number), Polls(stores[number % 2])
        for turn in range(120):
            name = drawn.choice(names)
            with suppress(UnknownSearch, NameTaken, NotOpen, NotAllowed, InvalidValue):
                if turn % 30 == 10 * number:
                    polls.delete(name)
                elif turn % 60 == 17 + number:
                    stores[number % 2].rotate_data()
                elif name not in polls.names():
                    polls.create(name, PLAN, terms=Terms(quorum=3))
                else:
                    person, token = polls.invite(name)
                    polls.vote(name, person, "q0.0", drawn.random() < 0.5)
                    polls.status(name)
                    polls.turnout(name)
                    polls.tokens.caller(token)
                    polls.renew(name, person)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(4)))
    assert SQL(url, key=KEY).check() >= 0
    for name in names:
        Polls(stores[0]).delete(name)
