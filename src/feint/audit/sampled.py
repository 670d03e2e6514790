"""The sampled audit: eavesdroppers measured on runs, with exact (Clopper–Pearson) limits.

One failure probability holds for the whole verdict: it is shared out evenly over every adversary
and every look, so that by the union bound all intervals ever shown hold together. An adversary with
something to fit is fitted on the first half of the runs and measured on the second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.branches import UNIFORM, Prior
from feint.errors import InvalidValue
from feint.exact import text
from feint.interfaces import Adversary, Learner, Strategy
from feint.problem import Transcript
from feint.simulate import clopper_pearson, play

LOOKS = 4
"""How often a sampled audit looks at what it has, each time at twice as many runs."""

_BATCH = 1 << 22  # queries held at once


@dataclass(frozen=True)
class Rate:
    """How often one adversary won.

    Attributes:
        name: The adversary.
        wins: Runs won.
        runs: Runs measured.
        low: Lower limit of its true success, at the share of the failure probability it has.
        high: Upper limit.
    """

    name: str
    wins: int
    runs: int
    low: float
    high: float

    @property
    def rate(self) -> Fraction:
        """The share of the runs that it won."""
        return Fraction(self.wins, self.runs)

    def to_dict(self) -> dict[str, Any]:
        """The rate for JSON."""
        row = {"name": self.name, "wins": self.wins, "runs": self.runs, "rate": text(self.rate)}
        return row | {"low": self.low, "high": self.high}


@dataclass(frozen=True)
class Sampled:
    """What the runs showed.

    Attributes:
        rates: One an adversary, at the last look.
        taught: Runs that taught the learners.
        runs: Runs measured.
        looks: Looks taken.
        planned: Looks that the failure probability is shared out over.
        worst: Twice the worst error seen.
        leak: Whether an adversary's lower limit passed the promise.
    """

    rates: tuple[Rate, ...]
    taught: int
    runs: int
    looks: int
    planned: int
    worst: Fraction
    leak: bool


def sample(
    strategy: Strategy,
    adversaries: Sequence[Adversary],
    *,
    runs: int,
    promise: Fraction,
    delta: Fraction | None = None,
    failure: float = 1e-6,
    prior: Prior = UNIFORM,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Sampled:
    """Measure adversaries on runs of a strategy, and stop at the first leak.

    Args:
        strategy: What they listen to.
        adversaries: Who listens.
        runs: How many runs to play at most; where an adversary has something to fit, the first half
            teaches and the second is measured.
        promise: The success that no adversary may exceed, 1/L.
        delta: Full width within which an adversary wins; the strategy's own problem says it.
        failure: The probability that any of the intervals shown may be wrong.
        prior: Where X* may be, in every coordinate.
        seed: Where coins and targets come from.
        progress: Called with the share of the runs that are done.

    Returns:
        Rates with limits, and whether there is a leak.

    Raises:
        InvalidValue: Too few runs, no adversary, or a failure probability outside (0, 1).
    """
    _check(runs, adversaries, failure)
    random, game = np.random.default_rng(seed), _Game(strategy, prior, delta)
    half = runs // 2 if any(isinstance(each, Learner) for each in adversaries) else 0
    if half:
        transcript, targets = game.play(min(half, game.batch), random)
        adversaries = [
            each.fit(transcript, targets) if isinstance(each, Learner) else each
            for each in adversaries
        ]
    measured = runs - half
    ends = sorted({-(-measured >> turn) for turn in range(LOOKS)})
    share = failure / (len(adversaries) * len(ends))
    wins, done, rates = np.zeros(len(adversaries), np.int64), 0, tuple[Rate, ...]()
    for look, end in enumerate(ends, 1):
        wins = wins + game.count(adversaries, end - done, random)
        done = end
        low, high = clopper_pearson(wins, done, share)
        rates = tuple(
            Rate(each.name, int(won), done, float(a), float(b))
            for each, won, a, b in zip(adversaries, wins, low, high, strict=True)
        )
        leak = any(rate.low > promise for rate in rates)
        if progress is not None:
            progress(done / measured)
        if leak or look == len(ends):
            break
    return Sampled(rates, half, done, look, len(ends), game.worst, leak)


def _check(runs: int, adversaries: Sequence[Adversary], failure: float) -> None:
    if runs < 2:
        raise InvalidValue("runs", runs, "must be at least 2: half of them teach", "give 100000")
    if not adversaries:
        raise InvalidValue("adversaries", "none", "somebody must listen", "name one")
    if not 0 < failure < 1:
        raise InvalidValue("failure", failure, "must lie between 0 and 1", "give 1e-6")


class _Game:
    """Runs against drawn targets, in batches that fit."""

    def __init__(self, strategy: Strategy, prior: Prior, delta: Fraction | None) -> None:
        self.strategy, self.prior, self.worst = strategy, prior, Fraction(0)
        queries = sum(len(each.coordinates) for each in strategy.rounds)
        self.batch = max(1, _BATCH // max(1, queries))
        width = strategy.problem.delta if delta is None else delta
        self.reach = np.array([float(width * size) / 2 for size in strategy.cells])

    def play(
        self, runs: int, random: np.random.Generator
    ) -> tuple[Transcript, NDArray[np.float64]]:
        """What was overheard, and X* in cells."""
        drawn = [self.prior.draw(size, runs, random) for size in self.strategy.cells]
        cells = np.stack([cell for cell, _ in drawn], axis=1)
        places = np.stack([place for _, place in drawn], axis=1)
        played = play(self.strategy, cells, random)
        low, high = played.estimate.low - cells, played.estimate.high - cells
        off = np.maximum(low + high, 2 - low - high).max(axis=0, initial=0).tolist()
        self.worst = max([self.worst, *map(Fraction, off, self.strategy.cells)])
        return played.transcript, places

    def count(
        self, adversaries: Sequence[Adversary], runs: int, random: np.random.Generator
    ) -> NDArray[np.int64]:
        """How many of so many fresh runs each adversary wins."""
        wins = np.zeros(len(adversaries), np.int64)
        while runs > 0:
            size = min(runs, self.batch)
            transcript, places = self.play(size, random)
            for index, each in enumerate(adversaries):
                near = np.abs(each.guess(transcript, random) - places) <= self.reach
                wins[index] += int(near.all(axis=1).sum())
            runs -= size
        return wins
