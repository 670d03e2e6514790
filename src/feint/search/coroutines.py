"""Find a number where whoever answers is a coroutine."""

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
    """Find a number as `find` does, where whoever answers is a coroutine.

    The questions of a round are put at the same time, and answered in any order. Planning does not
    hold up the event loop.

    Args:
        oracle: A coroutine function of the number asked about, and of its coordinate when there are
            several. It runs in the event loop that this is awaited in.
        arguments: As in `find`.

    Returns:
        As `find`.

    Raises:
        As `find`. When this is cancelled, so are the answers that are awaited, and a search that is
        kept in a file has those that were given before.
    """
    several = (arguments.get("dim") or 1) != 1 or len(_ranges(arguments)) > 1
    bridge = _Bridge(oracle, asyncio.get_running_loop(), several=several)
    working = asyncio.create_task(asyncio.to_thread(lambda: find(bridge, **arguments)))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        bridge.cancel()
        await asyncio.wait([working])
        _ = working.cancelled() or working.exception()  # it failed, since nobody answered it
        del working  # which has a search, and its file, in its error
        raise


def _ranges(given: dict[str, Any]) -> Sequence[Domain]:
    """A range a number, where they are given so; none where all numbers have the same."""
    if given.get("domains") is not None:
        return given["domains"] if isinstance(given["domains"], Sequence) else ()
    names = ("low", "high", "step", "tick", "labels")
    own: dict[str, Any] = {"low": 0, "high": 1} | {name: given.get(name) for name in names[2:]}
    return ranges(**own | {name: given[name] for name in names if name in given}) or ()


class _Bridge:
    """An oracle in another thread, whose answers are awaited in the event loop."""

    def __init__(self, oracle: Awaited, loop: asyncio.AbstractEventLoop, *, several: bool) -> None:
        self._oracle, self._loop, self._several = oracle, loop, several
        self._cancelled = False
        self._waiting: list[Any] = []

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """Put all questions at once; their answers come in order."""
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
        """Wait for no answer any more."""
        self._cancelled = True
        self.drop()

    def drop(self) -> None:
        """Cancel the answers that are awaited."""
        for each in self._waiting:
            each.cancel()

    async def _asked(self, query: Query) -> Any:
        if self._several:
            return await self._oracle(query.number, query.coordinate)
        return await self._oracle(query.number)
