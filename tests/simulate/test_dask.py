"""A real Dask scheduler with two worker processes, one of which dies in the middle."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client, LocalCluster
from tests.simulate.listeners import Blind, Last

from feint import Problem
from feint.planning import plan
from feint.simulate import Dask, simulate
from feint.simulate.run import chunk_size

STRATEGY = plan(Problem("2^-10", "2^-5", 4)).strategy
RUNS = 12 * chunk_size(STRATEGY) + 1


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            memory_limit=0,
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_a_cluster_gives_the_same_digits(client: Client) -> None:
    serial = simulate(STRATEGY, runs=RUNS, adversaries=[Blind(), Last()], seed=3)
    found = simulate(
        STRATEGY, runs=RUNS, adversaries=[Blind(), Last()], seed=3, executor=Dask(client)
    )
    assert found.to_dict() == serial.to_dict()
    by_address = Dask(client.scheduler.address)
    with by_address:
        again = simulate(STRATEGY, runs=999, executor=by_address)
    assert again.to_dict() == simulate(STRATEGY, runs=999).to_dict()
