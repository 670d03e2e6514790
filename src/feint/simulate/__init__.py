"""Many runs at once: played whole batches at a time, on one core or on many machines."""

from feint.simulate.driver import Played, blank, fall, overheard, play
from feint.simulate.executors import Dask, Executor, Processes, Serial
from feint.simulate.intervals import bernstein, clopper_pearson
from feint.simulate.run import MEMORY, MOST, Simulation, Success, simulate
from feint.simulate.seeds import spawned

__all__ = [
    "MEMORY",
    "MOST",
    "Dask",
    "Executor",
    "Played",
    "Processes",
    "Serial",
    "Simulation",
    "Success",
    "bernstein",
    "blank",
    "clopper_pearson",
    "fall",
    "overheard",
    "play",
    "simulate",
    "spawned",
]
