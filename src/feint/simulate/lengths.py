"""How long runs of a strategy are, by simulation, without what they found or who listened."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import expect
from feint.interfaces import Strategy, columns
from feint.simulate.counts import Counts
from feint.simulate.driver import play

Int = NDArray[np.int64]

_ROOM = 1 << 25  # queries of a batch: no page of what is never asked is touched


class RunLengths(NamedTuple):
    """How long each of some runs was.

    Attributes:
        queries: [runs] how many questions it asked.
        rounds: [runs] how many rounds it took.
        hidden: [runs] how many of the questions belong to the hiding stage.
    """

    queries: Int
    rounds: Int
    hidden: Int


def run_lengths(strategy: Strategy, runs: int, seed: int = 0) -> RunLengths:
    """Return how many questions and rounds some runs take, cells drawn uniformly.

    Args:
        strategy: What is run.
        runs: How many runs there are.
        seed: Where cells, coins and noise come from.

    Returns:
        Their lengths.
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
