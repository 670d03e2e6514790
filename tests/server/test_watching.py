"""What watching costs: an idle watcher opens nothing, and lists take as many statements as ever."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.databases import databases
from tests.support.journals import KEY, PLAN
from tests.support.polls import seat

from feint.journal import SQL, begin
from feint.journal.driver import Driver
from feint.journal.polls import Polls, Terms
from feint.journal.sealing import Seal
from feint.server import Settings, application
from feint.server.streams import Streams, count, look

LONG = 60  # seconds, after which a test has failed


class Counted:
    """How often something was called."""

    def __init__(self, patch: pytest.MonkeyPatch, kind: type, name: str) -> None:
        self.calls, inner = 0, getattr(kind, name)

        def counting(*args: Any, **words: Any) -> Any:
            self.calls += 1
            return inner(*args, **words)

        patch.setattr(kind, name, counting)

    def during(self, work: Callable[[], object]) -> int:
        before = self.calls
        work()
        return self.calls - before


@pytest.fixture
def polls(url: str) -> Polls:
    made = Polls(SQL(url, key=KEY))
    made.delete("watched")
    made.create("watched", PLAN, terms=Terms(quorum=999, deadline=60))
    return made


@pytest.mark.parametrize("looked", [look, count])
def test_an_idle_watcher_opens_nothing(
    polls: Polls, looked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, looks, many = Counted(monkeypatch, Seal, "open"), [0], Event()

    def stamp(name: str) -> object:
        looks[0] += 1
        if looks[0] == 50:
            many.set()
        return polls.stamp(name)

    async def test() -> None:
        streams: Streams[Any] = Streams(partial(looked, polls), every=0.001, stamp=stamp)
        news = streams.news("watched")
        await anext(news)
        before = opened.calls
        assert await asyncio.to_thread(many.wait, LONG)
        assert opened.calls == before
        polls.pause("watched")  # a change is told nonetheless
        assert (await anext(news)).standing == "paused"
        await news.aclose()

    asyncio.run(asyncio.wait_for(test(), LONG))


def test_a_deadline_that_passes_is_told_though_nothing_was_written(url: str) -> None:
    time = [1000.0]
    polls = Polls(SQL(url, key=KEY), clock=lambda: time[0])
    polls.delete("watched")
    terms = Terms(quorum=3, deadline=60, at_deadline="pause")
    polls.create("watched", PLAN, terms=terms)

    async def test() -> None:
        streams = Streams(partial(look, polls), every=0.001, stamp=polls.stamp)
        news = streams.news("watched")
        assert (await anext(news)).standing == "open"
        time[0] += 61
        assert (await anext(news)).standing == "paused"
        await news.aclose()

    asyncio.run(asyncio.wait_for(test(), LONG))


def test_a_look_at_many_votes_opens_as_much_as_one_at_few(
    polls: Polls, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Counted(monkeypatch, Seal, "open")
    costs = []
    for more in (5, 60):
        people = [f"{more} {number}" for number in range(more)]
        seat(polls, "watched", *people)
        for person in people:
            polls.vote("watched", person, "q0.0", True)
        costs.append(opened.during(lambda: count(polls, "watched")))
    assert costs[1] <= costs[0]
    assert count(polls, "watched")[0].votes == 65


def test_an_overview_takes_as_many_statements_for_many_as_for_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    polls = Polls(store := SQL(f"sqlite:///{tmp_path}/a.db", key=KEY))
    said, costs = Counted(monkeypatch, Driver, "_said"), []
    for more in (2, 30):
        for number in range(more):
            polls.create(f"{more} {number}", PLAN, terms=Terms(quorum=1))
        begin(store, f"program {more}", PLAN)
        polls.delete(f"{more} 0")
        polls.overview()
        costs.append(said.during(polls.overview))
    assert costs[0] == costs[1] <= 4
    rows = {row["name"]: row for row in polls.overview()}
    assert len(rows) == 32
    for name in ("2 1", "30 29"):
        status = polls.status(name)
        assert rows[name].items() <= (status | {"deadline": polls.deadline(name)}).items()
    assert rows["program 2"] == {"name": "program 2"}


def test_a_server_that_has_stopped_leaves_one_file(tmp_path: Path) -> None:
    """Also while somebody else has the database open."""
    url, log = f"sqlite:///{tmp_path}/a.db", tmp_path / "a.db-wal"
    other = Polls(SQL(url, key=KEY))
    polls = Polls(SQL(url, key=KEY))
    with TestClient(application(Settings(database=url, key_file=tmp_path / "key"), polls=polls)):
        polls.create("price", PLAN, terms=Terms(quorum=1))
        assert log.stat().st_size > 0
    assert log.stat().st_size == 0
    assert other.names() == ["price"]


@pytest.mark.parametrize("kind", set(databases()) - {"sqlite"})
def test_votes_in_one_search_do_not_wait_for_another(
    kind: str, request: pytest.FixtureRequest
) -> None:
    """Nor for the office: somebody holds both, and a vote elsewhere goes through."""
    url = str(request.getfixturevalue("postgres_url"))
    first, second = (Polls(SQL(url, key=KEY)) for _ in range(2))
    for name in ("one", "two"):
        first.delete(name)
        first.create(name, PLAN, terms=Terms(quorum=3))
        seat(first, name, "a")
    with (
        ThreadPoolExecutor(1) as pool,
        first._store.transaction("one") as held,
        first._store.transaction("*") as office,
    ):
        held.put("vote", "x", {"yes": True})
        office.put("laws", "x", {})
        pool.submit(second.vote, "two", "a", "q0.0", True).result(LONG)
        office.drop("laws", "x")
        held.drop("vote", "x")
    for name in ("one", "two"):
        first.delete(name)
