"""Find a number with an asynchronous oracle."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from feint.problem import Domain, Query, Result
from feint.search.finder import find
from feint.search.ranges import ranges
from feint.simulate.oracles import yes_or_no

Awaited = Callable[..., Awaitable[Any]]
"""A coroutine function of a number, and of its coordinate when there are several."""


async def find_async(oracle: Awaited, **arguments: Any) -> Result:
    """Find a number as `find` does, with a coroutine function as the oracle.

    The questions of a round are asked concurrently and may be answered in any order. Planning does
    not block the event loop.

    Args:
        oracle: A coroutine function of the number asked about, and of its coordinate if there are
            several. It runs in the current event loop.
        arguments: As in `find`.

    Returns:
        As `find`.

    Raises:
        FeintError: As `find`. Cancelling this cancels the pending answers. A search that is kept in
            a file holds all earlier answers.
    """
    several = (arguments.get("dim") or 1) != 1 or len(_ranges(arguments)) > 1
    bridge = _Bridge(oracle, asyncio.get_running_loop(), several=several)
    working = asyncio.create_task(asyncio.to_thread(lambda: find(bridge, **arguments)))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        bridge.cancel()
        await asyncio.wait([working])
        # the search failed because the answers were cancelled
        _ = working.cancelled() or working.exception()
        del working  # its error holds the search, and so its open file
        raise


def _ranges(given: dict[str, Any]) -> Sequence[Domain]:
    """Return one range per number if they differ, else none."""
    if given.get("domains") is not None:
        return given["domains"] if isinstance(given["domains"], Sequence) else ()
    names = ("low", "high", "step", "tick", "labels")
    own: dict[str, Any] = {"low": 0, "high": 1} | {name: given.get(name) for name in names[2:]}
    return ranges(**own | {name: given[name] for name in names if name in given}) or ()


class _Bridge:
    """An oracle for another thread that awaits its answers in the event loop."""

    def __init__(self, oracle: Awaited, loop: asyncio.AbstractEventLoop, *, several: bool) -> None:
        self._oracle, self._loop, self._several = oracle, loop, several
        self._cancelled = False
        self._waiting: list[Any] = []

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """Ask all questions concurrently, and return their answers in order."""
        if self._cancelled:
            raise asyncio.CancelledError
        self._waiting = [
            asyncio.run_coroutine_threadsafe(self._asked(query), self._loop) for query in queries
        ]
        try:
            for query, each in zip(queries, self._waiting, strict=True):
                yield yes_or_no(each.result(), query)
        finally:
            self.drop()

    def cancel(self) -> None:
        """Stop waiting for answers."""
        self._cancelled = True
        self.drop()

    def drop(self) -> None:
        """Cancel the pending answers."""
        for each in self._waiting:
            each.cancel()

    async def _asked(self, query: Query) -> Any:
        if self._several:
            return await self._oracle(query.number, query.coordinate)
        return await self._oracle(query.number)
