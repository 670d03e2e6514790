"""News of polls for open streams: what it says, and one look at the store for all who watch a poll.

`look` and `count` say what is sent, and `shapes` has its fields; `owner`, `respondent` and
`views` have the addresses.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

from anyio.to_thread import run_sync

from feint.errors import FeintError
from feint.poll import Polls
from feint.server.shapes import News, Tally

N = TypeVar("N")
_TALLIED = ("standing", "overdue", "round", "answered", "respondents")


def look(polls: Polls, name: str) -> News:
    """Where a poll stands, for whoever may know: its standing and its round."""
    standing, number = polls.standing(name)
    return News(standing=standing, round=number)


def count(polls: Polls, name: str) -> Tally:
    """What happened in a poll, for its owner: also how many answers, votes and respondents."""
    status = polls.status(name)
    votes = sum(each["yes"] + each["no"] for each in status["questions"])
    return Tally(**{each: status[each] for each in _TALLIED}, votes=votes)


class Streams(Generic[N]):
    """Every open stream of this process. It belongs to one event loop."""

    def __init__(self, look: Callable[[str], N], *, every: float) -> None:
        """Watch nothing yet.

        Args:
            look: Where a poll stands, by its name; it may take its time.
            every: How often to look, in seconds.
        """
        self._look, self._every = look, every
        self._stopping = asyncio.Event()
        self._latest: dict[str, asyncio.Future[N | None]] = {}
        self._watchers: dict[str, asyncio.Task[None]] = {}
        self._watching: dict[str, int] = {}

    def stop(self) -> None:
        """End every stream, and let no new one begin."""
        self._stopping.set()

    async def news(self, name: str) -> AsyncIterator[N]:
        """Where a poll stands now, and again whenever that changes, until the server stops."""
        last = await run_sync(self._look, name)
        yield last
        self._watching[name] = self._watching.get(name, 0) + 1
        if name not in self._watchers:
            self._latest[name] = asyncio.get_running_loop().create_future()
            self._watchers[name] = asyncio.create_task(self._watch(name, last))
        try:
            while not self._stopping.is_set():
                found = await asyncio.shield(self._latest[name])
                if found is None:
                    return
                if found != last:
                    last = found
                    yield found
        finally:
            self._watching[name] -= 1
            if not self._watching[name]:
                del self._watching[name]
                self._watchers.pop(name).cancel()
                self._latest.pop(name, None)

    async def _watch(self, name: str, last: N) -> None:
        """Look again and again, and tell all who wait when something is new."""
        loop = asyncio.get_running_loop()
        while True:
            found: N | None = last
            try:
                async with asyncio.timeout(self._every):
                    await self._stopping.wait()
                found = None
            except TimeoutError:
                try:
                    found = await run_sync(self._look, name)
                except FeintError:
                    found = None  # it was deleted, or the store is gone: whoever watches asks anew
            if found != last:
                waiting = self._latest[name]
                if found is not None:
                    self._latest[name] = loop.create_future()
                    last = found
                waiting.set_result(found)
            if found is None:
                return
