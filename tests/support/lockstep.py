"""Workers on one database that take turns at every access to it, so that races happen each time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Barrier, BrokenBarrierError
from typing import Any, TypeVar

from feint.journal import SQL

T = TypeVar("T")


class Lockstep(SQL):
    """A store that, after each access, waits until the others have had theirs too."""

    meeting: Barrier | None = None

    @contextmanager
    def transaction(self, name: str) -> Iterator[Any]:
        with super().transaction(name) as held:
            yield held
        self._meet()

    @contextmanager
    def reading(self, name: str) -> Iterator[Any]:
        with super().reading(name) as held:
            yield held
        self._meet()

    def _meet(self) -> None:
        if self.meeting is not None:
            with suppress(BrokenBarrierError):  # somebody is done, and comes no more
                self.meeting.wait()


def in_lockstep(stores: Sequence[Lockstep], work: Callable[[int], T]) -> list[T]:
    """What a call gives for each store's number; all are begun at once, in threads."""
    meeting = Barrier(len(stores))
    for store in stores:
        store.meeting = meeting

    def run(number: int) -> T:
        try:
            return work(number)
        finally:
            meeting.abort()

    try:
        with ThreadPoolExecutor(len(stores)) as pool:
            return list(pool.map(run, range(len(stores))))
    finally:
        for store in stores:
            store.meeting = None
