"""The executor that hands work to a Dask cluster."""

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
"""Seconds without a result after which a cluster is asked whether it has workers at all."""
PATIENCE = 60
"""Seconds in which one must come then: some clusters start workers only when there is work."""
_PAUSE = 0.005  # seconds between two looks for results


class Dask(Closing):
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
        with _connection_errors():
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
        """Return when there is a result; after `SILENCE` see what keeps it.

        A result that cannot be read here (workers with another version of a class) never counts as
        arrived; asking for it by itself raises what is wrong with it.

        Raises:
            WorkerLost: The scheduler is gone, or no worker is left and none comes.
            Exception: Whatever reading a result raised.
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
        """Cancel tasks that nobody waits for; without a scheduler nobody works on them either.

        Every client hears of it, also where there is nothing to cancel, and one that joins in that
        moment fails: so nothing is said then.
        """
        if futures:
            with suppress(WorkerLost), _connection_errors():
                self._client.cancel(futures)

    def close(self) -> None:
        """Leave the cluster, if it was joined by its address."""
        if self._own:
            self._client.close()


def _result(status: str, result: Any) -> Any:
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
def _connection_errors() -> Iterator[None]:
    """Whatever says that the scheduler cannot be reached any longer becomes `WorkerLost`."""
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
