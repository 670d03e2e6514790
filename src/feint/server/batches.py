"""Write votes of one poll that arrive together in one transaction.

Every vote is acknowledged after the commit that holds it. While one batch of a poll is written, the
next one collects votes, so a single vote never waits for others to arrive. If many people vote at
once, all votes of a batch share the cost of one commit.
"""

from __future__ import annotations

import asyncio

from anyio.to_thread import run_sync

from feint.journal.polls import Polls, Vote

_MOST = 64  # votes per transaction; with more, the first would wait too long for the last


class Batches:
    """Collect votes and write them to a store in batches; for use in one event loop."""

    def __init__(self, polls: Polls) -> None:
        """Start without pending votes."""
        self._polls = polls
        self._waiting: dict[str, list[tuple[Vote, asyncio.Future[None]]]] = {}
        # The loop keeps only weak references to tasks: without these they could be collected.
        self._tasks: set[asyncio.Task[None]] = set()

    async def cast(self, name: str, vote: Vote) -> None:
        """Write a vote. It is on disk when this returns.

        Raises:
            As in `Polls.vote`.
        """
        taken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if name in self._waiting:
            self._waiting[name].append((vote, taken))
        else:
            self._waiting[name] = [(vote, taken)]
            task = asyncio.create_task(self._write(name))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        await taken

    async def _write(self, name: str) -> None:
        """Write the pending votes of a poll, batch by batch, until there are none."""
        while batch := self._waiting[name][:_MOST]:
            del self._waiting[name][:_MOST]
            refused = await self._written(name, [vote for vote, _ in batch])
            for (_, taken), error in zip(batch, refused, strict=True):
                if taken.done():  # the client has disconnected
                    continue
                if error is None:
                    taken.set_result(None)
                else:
                    taken.set_exception(error)
        del self._waiting[name]

    async def _written(self, name: str, votes: list[Vote]) -> list[BaseException | None]:
        """Write votes in one transaction, and return each vote's error, or None.

        After an unexpected error each vote is written by itself, so that one cannot harm the
        others.
        """
        work = run_sync(self._polls.vote_all, name, votes)
        (found,) = await asyncio.gather(work, return_exceptions=True)
        if not isinstance(found, BaseException):
            return [*found]
        if len(votes) == 1 or not isinstance(found, Exception):
            return [found] * len(votes)
        return [(await self._written(name, [vote]))[0] for vote in votes]
