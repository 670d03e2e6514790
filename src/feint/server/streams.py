"""News of polls for open streams: what it says, and one look at the store for all who watch a poll.

`look` and `count` say what is sent, and `shapes` has its fields; `owner`, `respondent` and
`views` have the addresses. Whatever is wrong is said before a stream begins (`opened`), since
nothing but news can be said in it.
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
    """Return the standing, round and batch of a poll, for whoever may know, and its roll."""
    roll = polls.roll(name)
    standing, number = polls.standing(name)
    return News(standing=standing, round=number, batch=polls.batch(name)), roll


def count(polls: Polls, name: str) -> tuple[Tally, str]:
    """What happened in a poll, for its owner: also how many answers, votes and people; its roll."""
    roll, tally = polls.roll(name), polls.tally(name)
    return Tally(**{each: tally[each] for each in _TALLIED}), roll


@asynccontextmanager
async def opened(request: Request, polls: Polls, name: str) -> AsyncIterator[None]:
    """A place for a stream of whoever asks, as long as it lasts.

    Raises:
        UnknownSearch: There is no search of this name.
        NotOpen: It is no poll.
        HTTPException: They have as many streams open as they may.
    """
    await run_sync(polls.standing, name)
    with request.app.state.at_once.held(name_of(request)):
        yield


async def told(
    request: Request, streams: Streams[N], name: str, *, ends: Callable[[N], bool] | None = None
) -> AsyncIterator[N]:
    """Yield news of a poll for whoever asks, until their token or session ends.

    Args:
        request: Who asks.
        streams: Which news.
        name: The poll.
        ends: Whether news are the last; None: none are.
    """
    news_of_it = streams.news(name, lets=let_in(request), until=until(request))
    async with aclosing(news_of_it) as found:
        async for news in found:
            yield news
            if ends is not None and ends(news):
                return


class _Watched(Generic[N]):
    """A poll that is watched: what was seen of it last, and what tells when that changes."""

    def __init__(self) -> None:
        self.count = 0
        self.turn = asyncio.Lock()
        self.seen: tuple[N, str] | None = None  # None: nothing yet
        self.stamp: object = None  # of the look that found it
        self.found: tuple[N, str] | None = None  # what the last look found
        self.over = False  # for good, or whoever was told so and whoever was not would part ways
        self.changed = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        self.until = inf  # when the first session of those who watch ends
        self.ended = 0  # how often one did

    def tell(self, seen: tuple[N, str]) -> None:
        """Wake all who wait, if it is something new."""
        if seen != self.seen:
            self.seen = seen
            self.changed.set()
            self.changed = asyncio.Event()

    def end(self) -> None:
        """Send all away."""
        self.over = True
        self.changed.set()


class Streams(Generic[N]):
    """Every open stream of this process. It belongs to one event loop."""

    def __init__(
        self,
        look: Callable[[str], tuple[N, str]],
        *,
        every: float,
        stamp: Callable[[str], object] | None = None,
        owners: Callable[[], str] = lambda: "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Watch nothing yet.

        Args:
            look: Where a poll stands, by its name, and its roll (`Polls.roll`); it may take its
                time.
            every: How often to look, in seconds.
            stamp: Something that changes whenever what `look` or `owners` find does, and costs
                less (`Polls.stamp`). None: look every time.
            owners: The roll of owners (`Tokens.roll`): no poll changes when an owner's token or
                session is revoked.
            clock: Returns the time in seconds, by which sessions end.
        """
        self._look, self._every, self._stamp = look, every, stamp
        self._owners, self._clock = owners, clock
        self._stopping = asyncio.Event()
        self._watched: dict[str, _Watched[N]] = {}

    def stop(self) -> None:
        """End every stream, and let no new one begin."""
        self._stopping.set()

    async def news(
        self,
        name: str,
        *,
        lets: Callable[[], bool] = lambda: True,
        until: float | None = None,
    ) -> AsyncGenerator[N, None]:
        """Yield where a poll stands, and again whenever that changes, until the server stops.

        Args:
            name: The poll.
            lets: Whether whoever watches may still; asked whenever a roll has changed, and when a
                session has ended.
            until: When their session ends, in seconds of the clock; None: at no set time.
        """
        watched = self._entered(name)
        told: N | None = None
        roll: str | None = None
        try:
            await self._looked(name, watched)  # once it is entered, or a change may go unheard
            while (seen := watched.seen) and not watched.over and not self._stopping.is_set():
                if seen[1] != roll:
                    if until is not None:  # before they are asked: the look after that counts
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
        """Send all away who watch a poll; whoever comes then begins anew."""
        if self._watched.get(name) is watched:
            del self._watched[name]
        watched.end()

    async def _looked(self, name: str, watched: _Watched[N]) -> None:
        """Look, and tell all who wait; one look after the other, so that the newest comes last."""
        async with watched.turn:
            try:
                watched.found = await run_sync(self._found, name, watched)
                if self._clock() >= watched.until:  # all are asked, and who stays is noted again
                    watched.until, watched.ended = inf, watched.ended + 1
                news, roll = watched.found
                watched.tell((news, f"{roll} {watched.ended}"))
            except FeintError:  # it was deleted, or the store is gone: whoever watches asks anew
                self._end(name, watched)
            except Exception:
                self._end(name, watched)  # or they would wait for a look that never comes
                raise

    def _found(self, name: str, watched: _Watched[N]) -> tuple[N, str]:
        """Look, unless nothing was written since the last look."""
        stamp = self._stamp(name) if self._stamp is not None else None
        if watched.found is not None and stamp is not None and stamp == watched.stamp:
            return watched.found
        news, roll = self._look(name)
        watched.stamp = stamp  # taken before the look, or a change in between would go unseen
        return news, f"{roll} {self._owners()}"

    async def _watch(self, name: str, watched: _Watched[N]) -> None:
        """Look again and again, until there is nothing to see any more."""
        while not watched.over:
            try:
                async with asyncio.timeout(self._every):
                    await self._stopping.wait()
                self._end(name, watched)
            except TimeoutError:
                await self._looked(name, watched)
