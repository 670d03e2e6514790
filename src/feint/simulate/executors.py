"""The one seam where work leaves this process: serial, local processes, or a Dask cluster.

An executor calls a function once a task and yields each result with its task's number as soon as it
is there. Whoever combines the results goes by those numbers, never by the order of arrival, and a
task draws its randomness from its own number: so any executor, with any number of workers, gives
the same digits.
"""

from __future__ import annotations

import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from feint.errors import InvalidValue, MissingExtra, WorkerLost
from feint.exact import whole

Task = TypeVar("Task")
Done = TypeVar("Done")

AHEAD = 3
"""Tasks that wait for each worker, so that none runs dry and few are lost to Ctrl-C."""
SILENCE = 5
"""Seconds without a result after which a cluster is asked whether it has workers at all."""
PATIENCE = 60
"""Seconds in which one must come then: some clusters start workers only when there is work."""
_BLINK = 0.005  # seconds between two looks for results


class Executor(Protocol):
    """Whoever does the work."""

    @property
    def workers(self) -> int:
        """How many tasks it works on at once, on this machine."""

    @property
    def slots(self) -> int:
        """How many tasks it works on at once, on all machines."""

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """Each task's number and result, in order of completion.

        Args:
            function: What to call; it and the tasks must be picklable where work leaves the
                process.
            tasks: Its arguments, one a call; they are taken as workers come free, so there may be
                any number of them.

        Yields:
            (number, result), every number once.
        """


class Serial:
    """In this process, one task after the other."""

    workers: int = 1
    slots = 1

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """See `Executor`."""
        for number, task in enumerate(tasks):
            yield number, function(task)


class _Closing(ABC):
    """Closes itself at the end of a `with`."""

    @abstractmethod
    def close(self) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Processes(_Closing):
    """Processes on this machine, started when first used; `close` or a `with` block ends them."""

    def __init__(self, workers: int) -> None:
        """Keep the number of processes.

        Args:
            workers: How many.
        """
        self.workers = self.slots = whole(workers, "workers", least=1, most=4096)
        self._pool: ProcessPoolExecutor | None = None
        self._leash: Connection | None = None
        self._left = False

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """See `Executor`."""
        if self._pool is None:
            # Fresh interpreters: a copy of a process with threads may hang.
            context = get_context("spawn")
            (end, self._leash), self._left = context.Pipe(duplex=False), False
            self._pool = ProcessPoolExecutor(
                self.workers, mp_context=context, initializer=_begin, initargs=(end,)
            )
        waiting: dict[Future[Done], int] = {}
        fresh = iter(enumerate(tasks))
        try:
            while True:
                while len(waiting) < self.workers * AHEAD and (item := next(fresh, None)):
                    with _deaf():
                        waiting[self._pool.submit(function, item[1])] = item[0]
                if not waiting:
                    return
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield waiting.pop(future), future.result()
        except BrokenProcessPool:
            self._left = True
            lost = f"one of {self.workers} workers ended by itself, and what it was at is lost"
            remedy = (
                "memory may have run out: use fewer workers, or a Dask cluster, which does such"
                " work again"
            )
            raise WorkerLost(lost, remedy) from None
        finally:
            for future in waiting:
                self._left |= not future.cancel()

    def close(self) -> None:
        """End the processes; tasks that nobody waits for any longer are not finished."""
        if self._pool is not None and self._leash is not None:
            if self._left:
                self._leash.close()
            self._pool.shutdown(cancel_futures=True)
            self._leash.close()
            self._pool = None


class Dask(_Closing):
    """A Dask cluster: tasks of a worker that dies are done again by another."""

    workers = 1  # on this machine there may be none

    def __init__(self, client: Any) -> None:
        """Keep the client, or connect to a scheduler.

        Args:
            client: A `distributed.Client`, or the address of a scheduler.

        Raises:
            MissingExtra: distributed is not installed.
            InvalidValue: No scheduler answers at this address.
        """
        self._own = isinstance(client, str)
        self._client: Any = _connected(client) if self._own else client

    @property
    def slots(self) -> int:
        """See `Executor`: the threads of all workers that are there now, or that of one to come.

        Raises:
            WorkerLost: The scheduler is gone.
        """
        return max(1, self._threads())

    def _threads(self) -> int:
        if self._client.status == "closed":  # it tried for a while to come back
            raise _scheduler_lost()
        with _reached():
            return sum(self._client.nthreads().values())

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """See `Executor`.

        Raises:
            WorkerLost: The scheduler is gone, or every worker, or every one that tried a task.
        """
        ahead = AHEAD * self.slots
        fresh = iter(enumerate(tasks))
        numbers: dict[str, int] = {}
        arriving = _distributed().as_completed(
            loop=self._client.loop, with_results=True, raise_errors=False
        )
        try:
            while True:
                while len(numbers) < ahead and (item := next(fresh, None)):
                    # Not pure: the same call elsewhere is another task, and may be cancelled.
                    with _reached():
                        future = self._client.submit(function, item[1], pure=False)
                    numbers[future.key] = item[0]
                    arriving.add(future)
                if not numbers:
                    return
                self._wait(arriving)
                future, result = next(arriving)
                yield numbers.pop(future.key), _checked(future.status, result)
        finally:
            self._forget(arriving.futures)

    def _wait(self, arriving: Any) -> None:
        """Until there is a result; in a long silence see whether anybody is left to bring one."""
        look = monotonic() + SILENCE
        while not arriving.has_ready():
            sleep(_BLINK)
            if monotonic() > look:
                if not self._threads():
                    self._wait_for_workers()
                look = monotonic() + SILENCE

    def _wait_for_workers(self) -> None:
        with _reached():
            try:
                self._client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError:
                lost = f"the cluster has no workers, and none came within {PATIENCE:g} seconds"
                raise WorkerLost(lost, "start some: dask worker ADDRESS") from None

    def _forget(self, futures: Iterable[Any]) -> None:
        """Nobody waits for these any longer; without a scheduler nobody works on them either."""
        with suppress(WorkerLost), _reached():
            self._client.cancel(list(futures))

    def close(self) -> None:
        """Leave the cluster, if this is who joined it."""
        if self._own:
            self._client.close()


def _checked(status: str, result: Any) -> Any:
    """A future's result, or the error that it ended with."""
    if status == "finished":
        return result
    if status != "error":
        raise _scheduler_lost()
    _, error, trace = result
    if isinstance(error, _distributed().KilledWorker):
        lost = f"a task ended every worker that tried it, {error.allowed_failures + 1} in all"
        remedy = "memory may have run out on them: give them more"
        raise WorkerLost(lost, remedy) from None
    raise error.with_traceback(trace)


@contextmanager
def _reached() -> Iterator[None]:
    """A scheduler that cannot be reached any longer is an error of one line."""
    closed = import_module("distributed.client").ClosedClientError
    try:
        yield
    except (OSError, CancelledError, closed):
        raise _scheduler_lost() from None


def _scheduler_lost() -> WorkerLost:
    lost = "the connection to the scheduler of the cluster is lost, and the work with it"
    return WorkerLost(lost, "start it and its workers again, and run this again")


def _connected(address: str) -> Any:
    try:
        return _distributed().Client(address)
    except (OSError, ValueError, TypeError) as error:
        rule = f"no scheduler answers there ({error})"
        raise InvalidValue("dask", address, rule, "give one such as tcp://host:8786") from None


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise MissingExtra("dask", "distributed") from None


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that begin here never hear Ctrl-C: it is for the one that the person sees."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(leash: Connection) -> None:
    """In a new process: end with the process that holds the other end, or when it lets go."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end, args=(leash,), daemon=True).start()


def _end(leash: Connection) -> None:
    leash.poll(None)  # nothing is ever sent: it returns when the other end closes
    os._exit(1)
