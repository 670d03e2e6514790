"""Streams: whoever watches hears every change, and nobody who may not watch any more."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from tests.support.journals import PLAN

from feint.errors import NotAllowed, UnknownSearch
from feint.journal import Memory
from feint.journal.memory import MemoryTransaction
from feint.journal.polls import Polls, Terms
from feint.server.limits import AtOnce
from feint.server.streams import Streams, look

LONG = 60  # seconds, after which a test has failed


class Watched:
    """A poll that says what it is told to say."""

    def __init__(self) -> None:
        self.news, self.roll, self.gone, self.looks = 0, "", False, 0

    def __call__(self, name: str) -> tuple[int, str]:
        self.looks += 1
        if self.gone:
            raise UnknownSearch("name", name, "there is none", "list those there are")
        return self.news, self.roll


def within(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, LONG))


async def ended(stream: AsyncIterator[int]) -> bool:
    return [each async for each in stream] == []


def test_who_comes_second_hears_what_changes_while_they_begin() -> None:
    async def test() -> None:
        watched = Watched()
        streams = Streams(watched, every=0.001)
        first, second = streams.news("price"), streams.news("price")
        assert [await anext(first), await anext(second)] == [0, 0]
        watched.news = 1
        assert await anext(first) == 1  # the second has not gone on since its own look
        assert await anext(second) == 1
        watched.news = 2
        assert [await anext(second), await anext(first)] == [2, 2]

    within(test())


def test_who_comes_second_goes_on_when_the_first_has_left() -> None:
    async def test() -> None:
        watched = Watched()
        streams = Streams(watched, every=0.001)
        first, second = streams.news("price"), streams.news("price")
        assert [await anext(first), await anext(second)] == [0, 0]
        await first.aclose()
        watched.news = 1
        assert await anext(second) == 1
        await second.aclose()
        assert streams._watched == {}

    within(test())


def test_who_may_watch_no_more_hears_no_more() -> None:
    """Only they: the others go on, and are told nothing of it."""

    async def test() -> None:
        watched, allowed = Watched(), [True]
        streams = Streams(watched, every=0.001)
        one, other = streams.news("price", lets=lambda: allowed[0]), streams.news("price")
        assert [await anext(one), await anext(other)] == [0, 0]
        allowed[0], watched.roll = False, "another"
        assert await ended(one)
        watched.news = 1
        assert await anext(other) == 1

    within(test())


def test_an_owner_hears_no_more_though_the_poll_does_not_change() -> None:
    """Their token is revoked elsewhere, or their session ends by the clock; others go on."""

    async def test() -> None:
        watched, allowed, owners, now = Watched(), {"one": True, "two": True}, ["a"], [0.0]
        streams = Streams(watched, every=0.001, owners=lambda: owners[0], clock=lambda: now[0])
        revoked = streams.news("price", lets=lambda: allowed["one"])
        short = streams.news("price", lets=lambda: now[0] < 5, until=5)
        longer = streams.news("price", lets=lambda: now[0] < 9, until=9)
        stays = streams.news("price")
        for each in (revoked, short, longer, stays):
            assert await anext(each) == 0
        allowed["one"], owners[0] = False, "b"
        assert await ended(revoked)
        now[0] = 5
        assert await ended(short)
        watched.news = 1
        assert [await anext(longer), await anext(stays)] == [1, 1]
        now[0] = 9
        assert await ended(longer)
        watched.news = 2
        assert await anext(stays) == 2

    within(test())


def test_who_stays_is_asked_seldom() -> None:
    """A look that finds nothing new asks nobody, however many sessions will end some day."""

    async def test() -> None:
        watched, now = Watched(), [0.0]
        asked: list[int] = []

        def lets() -> bool:
            asked.append(watched.looks)
            return True

        streams = Streams(watched, every=0.001, clock=lambda: now[0])
        one = streams.news("price", lets=lets, until=5)
        assert await anext(one) == 0
        while watched.looks < 5:
            await asyncio.sleep(0.001)
        watched.news = 1
        assert await anext(one) == 1
        assert len(asked) == 1

    within(test())


def test_a_poll_that_is_gone_ends_its_streams_and_one_that_is_back_has_new_ones() -> None:
    async def test() -> None:
        watched = Watched()
        streams = Streams(watched, every=0.001)
        first, second = streams.news("price"), streams.news("price")
        assert [await anext(first), await anext(second)] == [0, 0]
        watched.gone = True
        assert await ended(first)
        watched.gone = False
        again = streams.news("price")  # the second has not noticed yet
        assert await anext(again) == 0
        watched.news = 1
        assert await anext(again) == 1
        assert await ended(second)

    within(test())


def test_who_begins_while_a_look_fails_is_sent_away_with_the_others() -> None:
    """None of them waits for a look that nobody takes any more."""

    async def test() -> None:
        begun, failing = Event(), Event()
        looks = iter((0, None, 0))

        def seen(name: str) -> tuple[int, str]:
            found = next(looks)
            if found is None:
                begun.set()
                failing.wait()
                raise UnknownSearch("name", name, "there is none", "list those there are")
            return found, ""

        streams = Streams(seen, every=0.001)
        first = streams.news("price")
        assert await anext(first) == 0
        watched = streams._watched["price"]
        await asyncio.to_thread(begun.wait)
        second = asyncio.create_task(ended(streams.news("price")))
        while watched.count == 1:
            await asyncio.sleep(0)
        failing.set()
        assert await second
        assert await ended(first)

    within(test())


def test_a_server_that_stops_ends_its_streams() -> None:
    async def test() -> None:
        streams = Streams(Watched(), every=LONG)
        first = streams.news("price")
        assert await anext(first) == 0
        streams.stop()
        assert await ended(first)
        assert await ended(streams.news("price"))

    within(test())


def test_the_roll_changes_once_a_token_is_none_and_says_no_more() -> None:
    polls = Polls(Memory())
    polls.create("poll", PLAN, terms=Terms(quorum=1))
    person, token = polls.invite("poll", label="anna")
    _, roll = look(polls, "poll")
    polls.vote("poll", person, polls.open("poll")[0].id, True)
    assert look(polls, "poll")[1] == roll
    rolls = [roll]
    polls.renew("poll", person)
    rolls.append(look(polls, "poll")[1])
    polls.revoke("poll", person)
    rolls.append(look(polls, "poll")[1])
    polls.delete("poll")
    polls.create("poll", PLAN, terms=Terms(quorum=1))
    rolls.append(look(polls, "poll")[1])
    assert len(set(rolls)) == 4
    assert not any(person in each or token in each or "anna" in each for each in rolls)


def test_when_the_roll_has_changed_the_token_is_none() -> None:
    """Whoever looks at the token because of the roll must not find it still."""

    class Seen(Memory):
        @contextmanager
        def transaction(self, name: str) -> Iterator[MemoryTransaction]:
            with super().transaction(name) as held:
                yield held
            seen.append((polls.roll("poll") != before, lets_in(polls, token)))

    seen: list[tuple[bool, bool]] = []
    polls = Polls(Seen())
    polls.create("poll", PLAN, terms=Terms(quorum=1))
    before, token = "", ""
    person, token = polls.invite("poll")
    before = polls.roll("poll")
    seen.clear()
    polls.revoke("poll", person)
    assert seen[-1] == (True, False)
    assert (True, True) not in seen


def lets_in(polls: Polls, token: str) -> bool:
    try:
        polls.tokens.caller(token)
    except NotAllowed:
        return False
    return True


def test_a_token_has_so_many_streams_and_a_place_comes_back() -> None:
    at_once = AtOnce(2)
    with at_once.held("one"):
        with at_once.held("one"), at_once.held("other"):
            with pytest.raises(HTTPException) as refused, at_once.held("one"):
                pass
            assert refused.value.status_code == 429
        with at_once.held("one"):
            pass
    assert at_once._open == {}
    with AtOnce(0).held("one"):
        pass
