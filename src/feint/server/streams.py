"""Server-sent events: the status of polls, read from the store once for all watchers of a poll.

`look` and `count` compute the events, and `shapes` has their fields; `owner`, `respondent` and
`views` have the routes. Errors are raised before a stream begins (`opened`), since a stream can
contain only events.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from math import inf
from typing import Generic, TypeVar

from anyio.to_thread import run_sync
from fastapi import Request

from feint.errors import FeintError
from feint.journal.polls import Polls
from feint.server.shapes import News, Tally
from feint.server.who import let_in, name_of, until

N = TypeVar("N")
_TALLIED = ("standing", "overdue", "round", "answered", "votes", "respondents")


def look(polls: Polls, name: str) -> tuple[News, str]:
    """Return the public status, round and batch of a poll, and its roll."""
    roll = polls.roll(name)
    standing, number = polls.standing(name)
    return News(standing=standing, round=number, batch=polls.batch(name)), roll


def count(polls: Polls, name: str) -> tuple[Tally, str]:
    """Return a poll's status for its owner, with numbers of answers, votes and people; its roll."""
    roll, tally = polls.roll(name), polls.tally(name)
    return Tally(**{each: tally[each] for each in _TALLIED}), roll


@asynccontextmanager
async def opened(request: Request, polls: Polls, name: str) -> AsyncIterator[None]:
    """Hold a place for a caller's stream, as long as it lasts.

    Raises:
        UnknownSearch: There is no search of this name.
        NotOpen: The search is not a poll.
        HTTPException: The caller has too many open streams.
    """
    await run_sync(polls.standing, name)
    with request.app.state.at_once.held(name_of(request)):
        yield


async def told(
    request: Request, streams: Streams[N], name: str, *, ends: Callable[[N], bool] | None = None
) -> AsyncIterator[N]:
    """Yield the events of a poll for a caller, until their token or session ends.

    Args:
        request: The caller's request.
        streams: The kind of stream.
        name: The poll.
        ends: Returns True for the last event; None: there is no last one.
    """
    news_of_it = streams.news(name, lets=let_in(request), until=until(request))
    async with aclosing(news_of_it) as found:
        async for news in found:
            yield news
            if ends is not None and ends(news):
                return


class _Watched(Generic[N]):
    """A watched poll: its last event, and a signal for changes."""

    def __init__(self) -> None:
        self.count = 0
        self.turn = asyncio.Lock()
        self.seen: tuple[N, str] | None = None  # None: no event yet
        self.stamp: object = None  # number of the check that found it
        self.found: tuple[N, str] | None = None  # the result of the last check
        self.over = False  # permanent, so that all watchers are treated alike
        self.changed = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.until = inf  # the time at which the first session of a watcher ends
        self.ended = 0  # the number of sessions that ended

    def tell(self, seen: tuple[N, str]) -> None:
        """Wake all waiters if the event is new."""
        if seen != self.seen:
            self.seen = seen
            self.changed.set()
            self.changed = asyncio.Event()

    def end(self) -> None:
        """End all streams of the poll."""
        self.over = True
        self.changed.set()


class Streams(Generic[N]):
    """All open streams of this process, for use in one event loop."""

    def __init__(
        self,
        look: Callable[[str], tuple[N, str]],
        *,
        every: float,
        stamp: Callable[[str], object] | None = None,
        owners: Callable[[], str] = lambda: "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Start without streams.

        Args:
            look: Returns the status of a poll by its name, and its roll (`Polls.roll`); may be
                slow.
            every: Seconds between two checks.
            stamp: Returns a value that changes whenever the results of `look` or `owners` do, and
                is cheaper (`Polls.stamp`). None: call `look` every time.
            owners: Returns the roll of owners (`Tokens.roll`), because revoking an owner's token or
                session changes no poll.
            clock: Returns the time in seconds, by which sessions end.
        """
        self._look, self._every, self._stamp = look, every, stamp
        self._owners, self._clock = owners, clock
        self._stopping = asyncio.Event()
        self._watched: dict[str, _Watched[N]] = {}

    def stop(self) -> None:
        """End every stream, and refuse new ones."""
        self._stopping.set()

    async def news(
        self,
        name: str,
        *,
        lets: Callable[[], bool] = lambda: True,
        until: float | None = None,
    ) -> AsyncGenerator[N, None]:
        """Yield the status of a poll at every change, until the server stops.

        Args:
            name: The poll.
            lets: Returns True if the caller may still watch. It is called when a roll has changed
                and when a session has ended.
            until: The time at which their session ends, in seconds of the clock; None: no limit.
        """
        watched = self._entered(name)
        told: N | None = None
        roll: str | None = None
        try:
            # after registering, otherwise a change could be missed
            await self._looked(name, watched)
            while (seen := watched.seen) and not watched.over and not self._stopping.is_set():
                if seen[1] != roll:
                    if until is not None:  # before `lets` is called, so that later checks count
                        watched.until = min(watched.until, until)
                    if not await run_sync(lets):
                        return
                roll = seen[1]
                if seen[0] != told:
                    told = seen[0]
                    yield told
                if watched.seen is seen:
                    await watched.changed.wait()
        finally:
            watched.count -= 1
            if not watched.count:
                self._end(name, watched)
                if watched.task is not None:
                    watched.task.cancel()

    def _entered(self, name: str) -> _Watched[N]:
        watched = self._watched.get(name)
        if watched is None:
            watched = self._watched[name] = _Watched()
            watched.task = asyncio.create_task(self._watch(name, watched))
        watched.count += 1
        return watched

    def _end(self, name: str, watched: _Watched[N]) -> None:
        """End all streams of a poll; later ones start again."""
        if self._watched.get(name) is watched:
            del self._watched[name]
        watched.end()

    async def _looked(self, name: str, watched: _Watched[N]) -> None:
        """Check the store and wake all waiters; one check at a time, so the newest comes last."""
        async with watched.turn:
            try:
                watched.found = await run_sync(self._found, name, watched)
                # `lets` is called for all watchers, and those that may stay register again
                if self._clock() >= watched.until:
                    watched.until, watched.ended = inf, watched.ended + 1
                news, roll = watched.found
                watched.tell((news, f"{roll} {watched.ended}"))
            except FeintError:  # deleted, or the store is gone: watchers must reconnect
                self._end(name, watched)
            except Exception:
                self._end(name, watched)  # otherwise they would wait for a check that never comes
                raise

    def _found(self, name: str, watched: _Watched[N]) -> tuple[N, str]:
        """Read the status, unless nothing was written since the last check."""
        stamp = self._stamp(name) if self._stamp is not None else None
        if watched.found is not None and stamp is not None and stamp == watched.stamp:
            return watched.found
        news, roll = self._look(name)
        watched.stamp = stamp  # read first, otherwise a change in between would be missed
        return news, f"{roll} {self._owners()}"

    async def _watch(self, name: str, watched: _Watched[N]) -> None:
        """Check periodically, as long as there are watchers."""
        while not watched.over:
            try:
                async with asyncio.timeout(self._every):
                    await self._stopping.wait()
                self._end(name, watched)
            except TimeoutError:
                await self._looked(name, watched)
