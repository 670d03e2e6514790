"""Whose turn it is: of one asker's requests the newest, one at a time."""

import asyncio
import threading

import pytest

from feint.server.turns import Superseded, Turns


def test_only_the_newest_of_those_that_wait_is_computed() -> None:
    """While one is computed, nine wait; eight give up, and the last has its turn."""
    computed: list[int] = []
    begun, go = threading.Event(), threading.Event()

    def work(number: int) -> int:
        computed.append(number)
        begun.set()
        go.wait()
        return number

    async def ask() -> list[int | BaseException]:
        turns = Turns()
        first = asyncio.create_task(turns.run("owner", work, 0))
        await asyncio.to_thread(begun.wait)
        rest = [asyncio.create_task(turns.run("owner", work, number)) for number in range(1, 10)]
        await asyncio.sleep(0)
        go.set()
        return await asyncio.gather(first, *rest, return_exceptions=True)

    told = asyncio.run(ask())
    assert computed == [0, 9]
    assert (told[0], told[-1]) == (0, 9)
    assert all(isinstance(each, Superseded) for each in told[1:-1])


def test_askers_do_not_wait_for_each_other_and_an_error_frees_the_turn() -> None:
    meeting = threading.Barrier(2)

    def fail() -> None:
        raise ZeroDivisionError

    async def ask() -> int:
        turns = Turns()
        await asyncio.gather(turns.run("one", meeting.wait), turns.run("other", meeting.wait))
        with pytest.raises(ZeroDivisionError):
            await turns.run("one", fail)
        return await turns.run("one", int, 7)

    assert asyncio.run(ask()) == 7
