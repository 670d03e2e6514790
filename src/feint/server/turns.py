"""Run computations one at a time per client, and drop all but the newest request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from anyio.to_thread import run_sync

from feint.errors import SearchError

T = TypeVar("T")


class Superseded(SearchError):
    """A newer request of the same client came before this one started."""


class Turns:
    """A queue of at most one waiting request per client, for use in one event loop."""

    def __init__(self) -> None:
        """Start without requests."""
        self._newest: dict[str, int] = {}
        self._busy: dict[str, asyncio.Lock] = {}
        self._count = 0

    async def run(self, who: str, work: Callable[..., T], *given: Any) -> T:
        """Run a function in a thread, once the client's running request is done.

        Args:
            who: The client.
            work: The function.
            given: Its arguments.

        Returns:
            The function's result.

        Raises:
            Superseded: A newer request came while this one waited.
        """
        self._count += 1
        mine = self._newest[who] = self._count
        lock = self._busy.setdefault(who, asyncio.Lock())
        try:
            async with lock:
                if self._newest[who] != mine:
                    raise Superseded("a newer request has replaced this one; read its response")
                return await run_sync(work, *given)
        finally:
            if self._newest.get(who) == mine:  # no request waits
                del self._newest[who], self._busy[who]
