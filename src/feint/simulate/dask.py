"""Run tasks on a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib import import_module
from time import monotonic, sleep
from typing import Any

from feint.errors import InvalidValue, MissingExtra, WorkerLost
from feint.interfaces import Done, Task
from feint.simulate.executors import AHEAD, Closing

SILENCE = 5
"""Seconds without a result before `map` checks whether the cluster still has workers."""
PATIENCE = 60
"""Seconds to wait for a new worker: some clusters start workers only when there is work."""
_PAUSE = 0.005  # seconds between two looks for results


class Dask(Closing):
    """A Dask cluster. If a worker dies, another one runs its tasks again."""

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
        """Return the number of threads of all current workers; at least 1, as one may still come.

        Raises:
            WorkerLost: The scheduler is gone.
        """
        return max(1, self._threads())

    def _threads(self) -> int:
        if self._client.status == "closed":  # Dask reconnects for a while before it closes
            raise _scheduler_lost()
        with _connection_errors():
            return sum(self._client.nthreads().values())

    def map(
        self, function: Callable[[Task], Done], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Done]]:
        """Call a function for each task, as `Executor.map` says.

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
                    # Not pure: the same call by another client is a separate task, which may be
                    # cancelled.
                    with _connection_errors():
                        future = self._client.submit(function, item[1], pure=False)
                    numbers[future.key] = item[0]
                    arriving.add(future)
                if not numbers:
                    return
                self._wait(arriving)
                future, result = next(arriving)
                yield numbers.pop(future.key), _result(future.status, result)
        finally:
            self._cancel(list(arriving.futures))

    def _wait(self, arriving: Any) -> None:
        """Wait for a result; after `SILENCE` seconds, find out why there is none.

        A result that cannot be unpickled here (workers with another version of a class) never
        counts as arrived. Asking for that result by itself raises the reason.

        Raises:
            WorkerLost: The scheduler is gone, or no worker is left and none comes.
            Exception: Any error that reading a result raised.
        """
        look = monotonic() + SILENCE
        while not arriving.has_ready():
            sleep(_PAUSE)
            if monotonic() > look:
                if not self._threads():
                    self._wait_for_workers()
                with _connection_errors():
                    for future in list(arriving.futures):
                        if future.done():
                            future.result(timeout=PATIENCE)
                look = monotonic() + SILENCE

    def _wait_for_workers(self) -> None:
        with _connection_errors():
            try:
                self._client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError:
                lost = f"the cluster has no workers, and none came within {PATIENCE:g} seconds"
                raise WorkerLost(lost, "start some: dask worker ADDRESS") from None

    def _cancel(self, futures: list[Any]) -> None:
        """Cancel tasks whose results are no longer needed.

        Cancelling nothing would still notify every client, and one that joins at that moment
        fails, so an empty list is not sent.
        """
        if futures:
            with suppress(WorkerLost), _connection_errors():
                self._client.cancel(futures)

    def close(self) -> None:
        """Disconnect, unless the client was passed in."""
        if self._own:
            self._client.close()


def _result(status: str, result: Any) -> Any:
    """Return a future's result, or raise the error that it ended with."""
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
def _connection_errors() -> Iterator[None]:
    """Raise `WorkerLost` for every error that means a lost connection to the scheduler."""
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
