"""Simulate how many questions and rounds runs of a strategy take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import expect
from feint.interfaces import Strategy, columns
from feint.simulate.counts import Counts
from feint.simulate.driver import play

Int = NDArray[np.int64]

_ROOM = 1 << 25  # columns per batch; memory pages of columns that are never asked stay untouched


class RunLengths(NamedTuple):
    """The lengths of simulated runs.

    Attributes:
        queries: [runs] the number of questions.
        rounds: [runs] the number of rounds.
        hidden: [runs] the number of questions in the hiding stage.
    """

    queries: Int
    rounds: Int
    hidden: Int


def run_lengths(strategy: Strategy, runs: int, seed: int = 0) -> RunLengths:
    """Return the numbers of questions and rounds of simulated runs, with cells drawn uniformly.

    Args:
        strategy: The strategy to run.
        runs: The number of runs.
        seed: The seed of cells, coins and noise.

    Returns:
        The lengths of the runs.
    """
    random, size = np.random.default_rng(seed), max(1, _ROOM // columns(strategy))
    found = list[RunLengths]()
    with expect(runs * len(strategy.rounds)):
        for begin in range(0, runs, size):
            some = min(size, runs - begin)
            targets = random.integers(strategy.cells, size=(some, len(strategy.cells)))
            counts = Counts(some, hides=True)
            play(strategy, targets, random, trim=True, counts=counts)
            found.append(RunLengths(counts.queries, counts.rounds, counts.hidden))
    return RunLengths(*(np.concatenate(list(each)) for each in zip(*found, strict=True)))
