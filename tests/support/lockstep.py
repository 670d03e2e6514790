"""Run workers that take turns at every access to one database, so that races always happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from threading import Barrier, BrokenBarrierError
from typing import Any, TypeVar

from feint.journal import SQL

T = TypeVar("T")


class Lockstep(SQL):
    """A store that, after each access, waits for the access of the others."""

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
    """Start a call for each store's number in threads at once, and return the results."""
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
