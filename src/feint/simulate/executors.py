"""Run tasks in this process, in local processes, or in any `concurrent.futures.Executor`.

An executor calls a function once per task and yields each result with its task's number as soon as
it is ready. Results are combined by those numbers, never by the order of arrival, and a task seeds
its randomness with its own number. So every executor, with any number of workers, gives the same
digits.
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
"""Tasks queued per worker. With fewer, workers would idle; with more, Ctrl-C would lose more."""


def executor_of(given: AnyExecutor | None) -> Executor:
    """Return an `Executor` for the given one.

    Args:
        given: An `Executor`, any `concurrent.futures.Executor`, or None for this process.

    Returns:
        An executor with `workers`, `slots` and a `map` that numbers its results. The caller still
        shuts down an executor of the standard library.

    Raises:
        WrongType: The argument is not an executor.
    """
    if given is None:
        return Serial()
    if isinstance(given, concurrent.futures.Executor):
        return Futures(given)
    if hasattr(given, "workers") and hasattr(given, "map"):  # `slots` may query a cluster
        return given
    rule = "must have workers, slots and map, or be a concurrent.futures.Executor"
    remedy = "pass Processes(4) or the like, or leave it out"
    raise WrongType.of("executor", given, rule, remedy)


class Serial:
    """Run tasks in this process, one after the other."""

    workers: int = 1
    slots = 1

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """Call a function for each task, as `Executor.map` says."""
        for number, task in enumerate(tasks):
            yield number, function(task)


class Futures:
    """Adapt an executor of the standard library, or of a library with the same interface."""

    def __init__(self, pool: concurrent.futures.Executor) -> None:
        """Keep the executor.

        Args:
            pool: The executor that does the work. If it does not say how many workers it has, one
                per processor of this machine is assumed.
        """
        self.workers = self.slots = getattr(pool, "_max_workers", None) or os.cpu_count() or 1
        self._pool = pool

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """Call a function for each task, as `Executor.map` says.

        Raises:
            WorkerLost: A worker died.
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
    """A context manager that calls `close` at the end of its block."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""

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
    """Processes on this machine, started on first use. `close` or a `with` block ends them.

    They end with the process that started them, even if it is killed, and ignore Ctrl-C.
    """

    def __init__(self, workers: int) -> None:
        """Keep the number of processes.

        Args:
            workers: The number of processes, from 1 to 4096.
        """
        self.workers = self.slots = whole(workers, "workers", least=1, most=4096)
        self._pool: ProcessPoolExecutor | None = None
        self._kept_open: Connection | None = None  # the processes end when it closes
        self._unfinished = False  # True if a process works on an abandoned task

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """Call a function for each task, as `Executor.map` says.

        Raises:
            WorkerLost: A process died.
        """
        pool = self._pool = self._pool or self._started()

        def submit(function: Callable[[Task], Done], task: Task) -> Future[Done]:
            with _interrupts_blocked():  # `submit` may start processes
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
        context = get_context("spawn")  # forking a process that has threads may hang
        (watched, self._kept_open), self._unfinished = context.Pipe(duplex=False), False
        return ProcessPoolExecutor(
            self.workers, mp_context=context, initializer=_watch, initargs=(watched,)
        )

    def close(self) -> None:
        """End the processes. Abandoned tasks are not finished."""
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
    """Yield each task's number and result in order of completion.

    Args:
        submit: Hands a function and a task to a worker.
        function: The function to call.
        tasks: Its arguments, read as workers become free.
        slots: The number of tasks that run at once.
        running: The submitted tasks without a result, with their numbers. It is kept up to date,
            so that the caller can cancel them.
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
    lost = f"one of {workers} workers died, and its work is lost"
    remedy = "memory may have run out: use fewer workers, or a Dask cluster, which does it again"
    return WorkerLost(lost, remedy)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in processes that are started inside: only this process handles it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(kept_open: Connection) -> None:
    """Make a new process end when the other end of the pipe closes, as it does if its owner dies.

    Args:
        kept_open: The end to read from; nothing is ever sent.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_when_closed, args=(kept_open,), daemon=True).start()


def _exit_when_closed(kept_open: Connection) -> None:
    kept_open.poll(None)  # nothing is ever sent: it returns when the other end closes
    os._exit(1)
