"""The one seam where work leaves this process: serial, local processes, or a Dask cluster.

An executor calls a function once a task and yields each result with its task's number as soon as it
is there. Whoever combines the results goes by those numbers, never by the order of arrival, and a
task draws its randomness from its own number: so any executor, with any number of workers, gives
the same digits.
"""

from __future__ import annotations

import concurrent.futures
import os
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from types import TracebackType
from typing import Self

from feint.errors import WorkerLost, WrongType
from feint.exact import whole
from feint.interfaces import AnyExecutor, Done, Executor, Task

AHEAD = 3
"""Tasks that wait for each worker, so that none runs dry and few are lost to Ctrl-C."""


def executor_of(given: AnyExecutor | None) -> Executor:
    """The executor that was given, as one of ours.

    Args:
        given: An executor of ours, any `concurrent.futures.Executor`, or None: this process.

    Returns:
        An executor with `workers`, `slots` and a `map` that numbers its results. One of the
        standard library's stays its owner's to shut down.

    Raises:
        WrongType: It is no executor.
    """
    if given is None:
        return Serial()
    if isinstance(given, concurrent.futures.Executor):
        return Futures(given)
    if hasattr(given, "workers") and hasattr(given, "map"):  # not slots: a cluster may be asked
        return given
    rule = "must have workers, slots and map, or be a concurrent.futures.Executor"
    remedy = "pass Processes(4) or the like, or leave it out"
    raise WrongType.of("executor", given, rule, remedy)


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


class Futures:
    """The adapter for an executor of the standard library, or of whoever follows its interface."""

    def __init__(self, pool: concurrent.futures.Executor) -> None:
        """Keep the executor.

        Args:
            pool: Who does the work; where it does not say how many workers it has, it is taken to
                have one for each processor of this machine.
        """
        self.workers = self.slots = getattr(pool, "_max_workers", None) or os.cpu_count() or 1
        self._pool = pool

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """See `Executor`.

        Raises:
            WorkerLost: A worker ended by itself.
        """
        running: dict[Future[Done], int] = {}
        try:
            yield from _completed(self._pool.submit, function, tasks, self.slots, running)
        except BrokenExecutor:
            raise _worker_lost(self.workers) from None
        finally:
            for future in running:
                future.cancel()


class Closing(ABC):
    """Closes itself at the end of a `with` block."""

    @abstractmethod
    def close(self) -> None:
        """Give back what was taken."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class Processes(Closing):
    """Processes on this machine, started when first used; `close` or a `with` block ends them.

    They end with the process that started them, however it ends, and do not hear Ctrl-C.
    """

    def __init__(self, workers: int) -> None:
        """Keep the number of processes.

        Args:
            workers: The number of processes, from 1 to 4096.
        """
        self.workers = self.slots = whole(workers, "workers", least=1, most=4096)
        self._pool: ProcessPoolExecutor | None = None
        self._kept_open: Connection | None = None  # the processes end when it closes
        self._unfinished = False  # whether a process is at a task that nobody waits for

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """See `Executor`.

        Raises:
            WorkerLost: A process ended by itself.
        """
        pool = self._pool = self._pool or self._started()

        def submit(function: Callable[[Task], Done], task: Task) -> Future[Done]:
            with _interrupts_blocked():  # processes are started here
                return pool.submit(function, task)

        running: dict[Future[Done], int] = {}
        try:
            yield from _completed(submit, function, tasks, self.slots, running)
        except BrokenExecutor:
            self._unfinished = True
            raise _worker_lost(self.workers) from None
        finally:
            for future in running:
                self._unfinished |= not future.cancel()

    def _started(self) -> ProcessPoolExecutor:
        context = get_context("spawn")  # fresh: a copy of a process with threads may hang
        (watched, self._kept_open), self._unfinished = context.Pipe(duplex=False), False
        return ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=_watch, initargs=(watched,)
        )

    def close(self) -> None:
        """End the processes; tasks that nobody waits for any longer are not finished."""
        if self._pool is not None and self._kept_open is not None:
            if self._unfinished:
                self._kept_open.close()
            self._pool.shutdown(cancel_futures=True)
            self._kept_open.close()
            self._pool = None


def _completed(
    submit: Callable[[Callable[[Task], Done], Task], Future[Done]],
    function: Callable[[Task], Done],
    tasks: Iterable[Task],
    slots: int,
    running: dict[Future[Done], int],
) -> Iterator[tuple[int, Done]]:
    """Each task's number and result, in order of completion.

    Args:
        submit: Hands a function and a task to a worker.
        function: What to call.
        tasks: Its arguments, taken as workers come free.
        slots: The number of tasks that are worked on at once.
        running: The tasks that were handed over and have not come back, with their numbers; kept
            up to date, for whoever must cancel them.
    """
    fresh = iter(enumerate(tasks))
    while True:
        while len(running) < slots * AHEAD and (item := next(fresh, None)):
            running[submit(function, item[1])] = item[0]
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            yield running.pop(future), future.result()


def _worker_lost(workers: int) -> WorkerLost:
    lost = f"one of {workers} workers ended by itself, and what it was at is lost"
    remedy = "memory may have run out: use fewer workers, or a Dask cluster, which does such work"
    return WorkerLost(lost, f"{remedy} again")


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Processes that are started here never receive Ctrl-C: it is for this process alone."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(kept_open: Connection) -> None:
    """In a new process: end when the other end of the pipe closes, as it does when its owner ends.

    Args:
        kept_open: The end to read from; nothing is ever sent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_when_closed, args=(kept_open,), daemon=True).start()


def _exit_when_closed(kept_open: Connection) -> None:
    kept_open.poll(None)  # nothing is ever sent: it returns when the other end closes
    os._exit(1)
