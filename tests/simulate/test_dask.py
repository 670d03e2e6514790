"""A real Dask scheduler with two worker processes, one of which dies in the middle."""

import importlib
import os
import signal
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from tests.simulate.listeners import Blind, Last, Slow

from feint import Problem
from feint.interfaces import Adversary
from feint.planning import plan
from feint.planning.atlas import values, worst_rows
from feint.planning.calibrated import simulate as calibrate
from feint.simulate import Dask, simulate
from feint.simulate.run import chunk_size
from feint.strategies.pursuit import Pursuit

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
            dashboard_address=None,
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
    by_address = Dask(client.scheduler.address)
    with by_address:
        again = simulate(STRATEGY, runs=999, executor=by_address)
    assert again.to_dict() == simulate(STRATEGY, runs=999).to_dict()


def test_calibration_and_the_atlas_use_the_same_seam(client: Any) -> None:
    search, cluster = Pursuit(Fraction(9, 10), "tilted"), Dask(client)
    serial = calibrate(search, 12, 9, 9000, 3)
    assert (calibrate(search, 12, 9, 9000, 3, executor=cluster) == serial).all()
    assert worst_rows(5, executor=cluster) == worst_rows(5)
    optima = [[each.solution.upper for each in values(4, executor=e)] for e in (None, cluster)]
    assert optima[0] == optima[1]


def test_a_worker_that_dies_in_the_middle_changes_nothing(client: Any) -> None:
    """It is killed while both work; its chunks are done again by whoever is left."""
    listeners: list[Adversary] = [Slow(0.1), Last()]
    victim = next(iter(client.run(os.getpid).values()))
    killed: list[int] = []

    def kill(done: int, wanted: int) -> None:
        if not killed and done < wanted:
            os.kill(victim, signal.SIGKILL)
            killed.append(done)

    found = simulate(
        STRATEGY, runs=RUNS, adversaries=listeners, executor=Dask(client), progress=kill
    )
    assert 0 < killed[0] < RUNS / 2
    quick = simulate(STRATEGY, runs=RUNS, adversaries=[Slow(0), Last()])
    assert found.to_dict() == quick.to_dict()
    assert victim not in client.run(os.getpid).values()
