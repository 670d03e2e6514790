"""Simulate many runs in whole batches, on one core or on many machines."""

from feint.interfaces import Executor
from feint.simulate import adversaries, oracles
from feint.simulate.dask import Dask
from feint.simulate.driver import Played, blank, chances, fall, overheard, play, right_of
from feint.simulate.executors import Processes, Serial, executor_of
from feint.simulate.intervals import bernstein, clopper_pearson, failure_probability
from feint.simulate.lengths import RunLengths, run_lengths
from feint.simulate.measure import Measure
from feint.simulate.run import MEMORY, MOST, simulate
from feint.simulate.seeds import spawned
from feint.simulate.simulation import Simulation, Success

__all__ = [
    "MEMORY",
    "MOST",
    "Dask",
    "Executor",
    "Measure",
    "Played",
    "Processes",
    "RunLengths",
    "Serial",
    "Simulation",
    "Success",
    "adversaries",
    "bernstein",
    "blank",
    "chances",
    "clopper_pearson",
    "executor_of",
    "failure_probability",
    "fall",
    "oracles",
    "overheard",
    "play",
    "right_of",
    "run_lengths",
    "simulate",
    "spawned",
]
