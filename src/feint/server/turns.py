"""Whose turn it is to compute: of one asker's requests the newest, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from anyio.to_thread import run_sync

from feint.errors import SearchError

T = TypeVar("T")


class Superseded(SearchError):
    """A newer request of the same asker came before this one had its turn."""


class Turns:
    """Requests that wait for a computation: stale ones give up, so that none queue.

    It belongs to one event loop.
    """

    def __init__(self) -> None:
        """Nobody waits."""
        self._newest: dict[str, int] = {}
        self._busy: dict[str, asyncio.Lock] = {}
        self._count = 0

    async def run(self, who: str, work: Callable[..., T], *given: Any) -> T:
        """Compute in a thread, once nothing older of the same asker is being computed.

        Args:
            who: Whose request it is.
            work: What to call.
            given: With what.

        Returns:
            What it gave.

        Raises:
            Superseded: A newer request came while this one waited.
        """
        self._count += 1
        mine = self._newest[who] = self._count
        lock = self._busy.setdefault(who, asyncio.Lock())
        try:
            async with lock:
                if self._newest[who] != mine:
                    raise Superseded("a newer request came; its answer is the one to look at")
                return await run_sync(work, *given)
        finally:
            if self._newest.get(who) == mine:  # nobody waits
                del self._newest[who], self._busy[who]
