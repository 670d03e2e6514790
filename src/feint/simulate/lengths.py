"""How long runs of a strategy are, by simulation, without what they found or who listened."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import expect
from feint.interfaces import Strategy
from feint.simulate.driver import play

Int = NDArray[np.int64]


class RunLengths(NamedTuple):
    """How long each of some runs was.

    Attributes:
        queries: [runs] how many questions it asked.
        rounds: [runs] how many rounds it took.
    """

    queries: Int
    rounds: Int


def run_lengths(strategy: Strategy, runs: int, seed: int = 0) -> RunLengths:
    """Return how many questions and rounds some runs take, cells drawn uniformly.

    Args:
        strategy: What is run.
        runs: How many runs there are.
        seed: Where cells, coins and noise come from.

    Returns:
        Their lengths.
    """
    random = np.random.default_rng(seed)
    targets = random.integers(strategy.cells, size=(runs, len(strategy.cells)))
    with expect(runs * len(strategy.rounds)):
        heard = play(strategy, targets, random, trim=True).transcript
    return RunLengths(*heard.lengths())
