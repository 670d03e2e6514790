"""A real Dask scheduler with two worker processes: workers die in the middle, and so does it."""

import importlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.support.adversaries import Blind, Last, Slow

from feint import Problem
from feint.cli.app import run
from feint.errors import WorkerLost
from feint.interfaces import Adversary, Progress
from feint.planning import plan
from feint.planning.noisy.certificates.calibrated import simulate as calibrate
from feint.research.sweep.atlas import values, worst_rows
from feint.simulate import Dask, simulate
from feint.simulate.run import chunk_size
from feint.strategies import Pursuit

STRATEGY = plan(Problem("2^-10", "2^-5", 4)).strategy
RUNS = 12 * chunk_size(STRATEGY) + 1


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    distributed: Any = importlib.import_module("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            memory_limit=0,
            silence_logs=50,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def test_a_cluster_gives_the_same_digits(client: Any) -> None:
    serial = simulate(STRATEGY, runs=RUNS, adversaries=[Blind(), Last()], seed=3)
    found = simulate(
        STRATEGY, runs=RUNS, adversaries=[Blind(), Last()], seed=3, executor=Dask(client)
    )
    assert found.to_dict() == serial.to_dict()
    assert "cancel" not in [said["action"] for _, said in client.get_events(client.id)]
    by_address = Dask(client.scheduler.address)
    with by_address:
        again = simulate(STRATEGY, runs=999, executor=by_address)
    assert again.to_dict() == simulate(STRATEGY, runs=999).to_dict()


@pytest.mark.long
def test_calibration_and_the_atlas_use_the_same_seam(client: Any) -> None:
    search, cluster = Pursuit(Fraction(9, 10), "tilted"), Dask(client)
    serial = calibrate(search, 12, 9, 9000, 3)
    assert (calibrate(search, 12, 9, 9000, 3, executor=cluster) == serial).all()
    assert worst_rows(5, executor=cluster) == worst_rows(5)
    optima = [[each.solution.upper for each in values(4, executor=e)] for e in (None, cluster)]
    assert optima[0] == optima[1]


def test_a_worker_that_dies_in_the_middle_changes_nothing(client: Any) -> None:
    """It is killed while both work; its chunks are done again by whoever is left."""
    pair: list[Adversary] = [Slow(0.1), Last()]
    victim = next(iter(client.run(os.getpid).values()))
    killed: list[int] = []

    def kill(what: str, done: int, wanted: int) -> None:
        if not killed and done < wanted:
            os.kill(victim, signal.SIGKILL)
            killed.append(done)

    found = simulate(STRATEGY, runs=RUNS, adversaries=pair, executor=Dask(client), progress=kill)
    assert 0 < killed[0] < RUNS / 2
    quick = simulate(STRATEGY, runs=RUNS, adversaries=[Slow(0), Last()])
    assert found.to_dict() == quick.to_dict()
    assert victim not in client.run(os.getpid).values()


def test_an_error_of_the_work_itself_is_passed_on(client: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        list(Dask(client).map(divmod_by, iter([1, 0])))


def divmod_by(number: int) -> tuple[int, int]:
    return divmod(1, number)


class Foreign:
    """A result that only its worker can read, as of another version of a class."""

    def __reduce__(self) -> tuple[Any, tuple[int]]:
        return unread, (0,)


def unread(_: int) -> None:
    raise LookupError("no such class here")


def foreign(_: int) -> Foreign:
    return Foreign()


@pytest.mark.filterwarnings("ignore")
def test_a_result_that_cannot_be_read_is_an_error_and_not_a_wait(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("feint.simulate.dask.SILENCE", 0.1)
    with pytest.raises(LookupError, match="no such class here"):
        list(Dask(client).map(foreign, iter([1])))


def test_a_task_that_ends_every_worker_is_one_error(client: Any) -> None:
    """Dask tries it on so many workers, then gives up with an error of its own kind."""
    client.cluster.scheduler.allowed_failures = 0
    try:
        with pytest.raises(WorkerLost, match="ended every worker that tried it, 1 in all"):
            list(Dask(client).map(signal.raise_signal, iter([signal.SIGKILL])))
    finally:
        client.cluster.scheduler.allowed_failures = 3


@contextmanager
def dask(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the cluster, until it is killed or the block ends."""
    command = [sys.executable, "-m", "dask", *words, "--no-dashboard"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


def killing(victim: subprocess.Popen[bytes]) -> Progress:
    """Progress that kills after the first chunk."""

    def kill(what: str, done: int, wanted: int) -> None:
        victim.kill()
        assert done < wanted / 2

    return kill


@contextmanager
def empty() -> Iterator[tuple[Any, Any]]:
    """A cluster without workers, and a client of it."""
    distributed: Any = importlib.import_module("distributed")
    with (
        distributed.LocalCluster(
            n_workers=0, processes=False, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster) as joined,
    ):
        yield cluster, joined


def test_a_cluster_that_starts_workers_when_there_is_work() -> None:
    """Nobody is there before the first task is."""
    with empty() as (cluster, joined):
        cluster.adapt(minimum=0, maximum=1, interval="100ms")
        assert not joined.nthreads()
        found = simulate(STRATEGY, runs=RUNS, executor=Dask(joined))
    assert found.to_dict() == simulate(STRATEGY, runs=RUNS).to_dict()


class Away:
    """A client whose scheduler does not answer, or has nobody."""

    status = "running"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def nthreads(self) -> dict[str, int]:
        raise self.error

    def wait_for_workers(self, count: int, timeout: float) -> None:
        raise self.error

    def cancel(self, futures: list[Any]) -> None:
        raise self.error


def test_a_scheduler_that_is_gone_and_workers_that_do_not_come() -> None:
    """By a client that says so; the long test beside it has real ones killed."""
    gone = "connection to the scheduler of the cluster is lost"
    closed = importlib.import_module("distributed.client").ClosedClientError
    for error in (OSError("gone"), CancelledError(), closed("closed")):
        away = Dask(Away(error))
        with pytest.raises(WorkerLost, match=gone):
            _ = away.slots
        with pytest.raises(WorkerLost, match=gone):
            away._wait_for_workers()
        away._cancel([object()])  # nobody works on it either
    with pytest.raises(WorkerLost, match="no workers, and none came within 60 seconds"):
        Dask(Away(TimeoutError()))._wait_for_workers()
    left = Away(OSError("not asked"))
    left.status = "closed"
    with pytest.raises(WorkerLost, match=gone):
        _ = Dask(left).slots


def test_a_cluster_without_workers_is_waited_for_and_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("feint.simulate.dask.PATIENCE", 0.01)
    monkeypatch.setattr("feint.simulate.dask.SILENCE", 0.01)
    with (
        empty() as (_, joined),
        pytest.raises(WorkerLost, match="the cluster has no workers"),
    ):
        simulate(STRATEGY, runs=9, executor=Dask(joined))


@pytest.mark.long
def test_a_cluster_that_is_lost_is_an_error_of_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a worker, without the last of them in the middle, and without the scheduler."""
    monkeypatch.setattr("feint.simulate.dask.PATIENCE", 0.5)
    monkeypatch.setattr("feint.simulate.dask.SILENCE", 0.5)
    file = tmp_path / "scheduler.json"
    connect: Any = importlib.import_module("distributed").Client

    def lose(cluster: Dask, victim: subprocess.Popen[bytes]) -> None:
        slow, kill = [Slow(0.1)], killing(victim)
        simulate(STRATEGY, runs=RUNS, adversaries=slow, executor=cluster, progress=kill)

    at = ("--scheduler-file", str(file))
    alone = ("worker", *at, "--no-nanny", "--nthreads", "1")
    with (
        dask("scheduler", *at, "--host", "127.0.0.1", "--port", "0") as scheduler,
        connect(scheduler_file=str(file), timeout=300) as client,
    ):
        flags = ["--epsilon", "2^-10", "--delta", "2^-5", "--level", "4", "--runs", "9", "--dask"]
        assert run(["simulate", *flags, client.scheduler.address]) == 2
        assert capsys.readouterr().err == (
            "feint: the cluster has no workers, and none came within 0.5 seconds; "
            "start some: dask worker ADDRESS\n"
        )
        cluster = Dask(client)
        with dask(*alone) as worker:
            client.wait_for_workers(1)
            with pytest.raises(WorkerLost, match="the cluster has no workers"):
                lose(cluster, worker)
        with dask(*alone):
            client.wait_for_workers(1)
            with pytest.raises(WorkerLost, match="connection to the scheduler"):
                lose(cluster, scheduler)
        client.close()
        with pytest.raises(WorkerLost, match="connection to the scheduler"):
            simulate(STRATEGY, runs=9, executor=cluster)
