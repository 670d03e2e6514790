"""Many runs at once: the reference driver of a strategy against known targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.interfaces import UNASKED, Estimate, Sides, Strategy, Weights
from feint.problem import Transcript


@dataclass(frozen=True)
class Played:
    """A batch of finished runs.

    Attributes:
        transcript: What was overheard.
        estimate: What the learner found.
    """

    transcript: Transcript
    estimate: Estimate


def play(strategy: Strategy, targets: NDArray[np.int64], random: np.random.Generator) -> Played:
    """Run a strategy against known cells; noisy problems get noisy answers.

    Args:
        strategy: What to run.
        targets: [runs, coordinates] the cell that holds X* in each run.
        random: Where coins and noise come from.

    Returns:
        Transcripts and estimates, one row a run.
    """
    if targets.ndim != 2 or targets.dtype.kind != "i":
        rule = "must be an array [runs, coordinates] of whole numbers"
        raise InvalidValue("targets", f"{targets.dtype}{targets.shape}", rule, "give cell numbers")
    if (targets < 0).any() or (targets >= strategy.cells).any():
        rule = f"must be cells of the lattice {strategy.cells}"
        raise InvalidValue("targets", "off the lattice", rule, "count cells from 0")
    p = strategy.problem.p
    width = sum(len(round_.coordinates) for round_ in strategy.rounds)
    points = np.empty((len(targets), width), np.int64)
    state, column = strategy.start(len(targets)), 0
    for round_ in strategy.rounds:
        while (weights := strategy.coin(state)) is not None:
            state = strategy.toss(state, fall(weights, random))
        asked = strategy.ask(state)
        points[:, column : column + asked.shape[1]] = asked
        column += asked.shape[1]
        answers = (targets[:, round_.coordinates] >= asked) & (asked != UNASKED)
        if p is not None:
            answers ^= random.random(answers.shape) >= float(p)
        state = strategy.tell(state, answers)
    return Played(overheard(strategy, points), strategy.estimate(state))


def overheard(strategy: Strategy, points: NDArray[np.int64]) -> Transcript:
    """The transcript of runs whose queries are known."""
    rounds = tuple(i for i, r in enumerate(strategy.rounds) for _ in r.coordinates)
    coordinates = tuple(c for r in strategy.rounds for c in r.coordinates)
    return Transcript(points, coordinates, rounds, strategy.cells)


def fall(weights: Weights, random: np.random.Generator) -> Sides:
    """The side each row's coin falls on."""
    if weights.strides == (0, 0):  # one weight, broadcast: every side is alike
        return random.integers(weights.shape[1], size=len(weights))
    heap = np.cumsum(weights, axis=1)
    if heap.dtype.kind == "f":
        mark = random.random(len(heap)) * heap[:, -1]
    else:
        mark = random.integers(heap[:, -1])
    side: Sides = np.minimum((heap <= mark[:, None]).sum(1), weights.shape[1] - 1)
    return side
