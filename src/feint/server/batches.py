"""Votes of one poll that arrive together are written in one transaction.

Every vote is acknowledged after the commit that holds it. While one batch of a poll is written, the
next one gathers, so a single vote never waits for others to come. With many voters a commit, and
what it costs, is shared by all votes of its batch.
"""

from __future__ import annotations

import asyncio

from anyio.to_thread import run_sync

from feint.poll import Polls, Vote

_MOST = 64  # votes in one transaction: more would keep the first of them waiting for the last


class Batches:
    """The votes that are on their way into a store. It belongs to one event loop."""

    def __init__(self, polls: Polls) -> None:
        """Begin with no vote on its way."""
        self._polls = polls
        self._waiting: dict[str, list[tuple[Vote, asyncio.Future[None]]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # or they could be collected while they run

    async def cast(self, name: str, vote: Vote) -> None:
        """Take a vote; it is on disk when this returns.

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
        """Write the votes of a poll, batch after batch, until none is waiting."""
        while batch := self._waiting[name][:_MOST]:
            del self._waiting[name][:_MOST]
            refused = await self._written(name, [vote for vote, _ in batch])
            for (_, taken), error in zip(batch, refused, strict=True):
                if taken.done():  # whoever cast it has gone
                    continue
                if error is None:
                    taken.set_result(None)
                else:
                    taken.set_exception(error)
        del self._waiting[name]

    async def _written(self, name: str, votes: list[Vote]) -> list[BaseException | None]:
        """Write votes in one transaction, and return why each was not taken.

        If that fails by a slip of ours, each is written by itself: the others are not to blame.
        """
        work = run_sync(self._polls.vote_all, name, votes)
        (found,) = await asyncio.gather(work, return_exceptions=True)
        if not isinstance(found, BaseException):
            return [*found]
        if len(votes) == 1 or not isinstance(found, Exception):
            return [found] * len(votes)
        return [(await self._written(name, [vote]))[0] for vote in votes]
