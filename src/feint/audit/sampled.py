"""The sampled audit: eavesdroppers measured on runs, with exact (Clopper–Pearson) limits.

One failure probability holds for the whole verdict: it is shared out evenly over every adversary
and every look, so that by the union bound all intervals ever shown hold together. An adversary with
something to fit is fitted on the first half of the runs at most and measured on the others.

X* is a whole cell and a place within it, and so is the distance to a guess: on a lattice finer than
a float nothing is rounded but the guess itself, which is then simply another guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.branches import UNIFORM, Checked, Prior
from feint.errors import InvalidValue
from feint.exact import text
from feint.interfaces import Adversary, Learner, Strategy
from feint.problem import Transcript
from feint.simulate import clopper_pearson, play

LOOKS = 4
"""How often a sampled audit looks at what it has, each time at twice as many runs."""

_BATCH = 1 << 22  # queries held at once
_MARGIN = 1 << 12  # cells; more than a float is off by on the finest lattice


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
            (or as many as fit in memory) teaches and the rest is measured.
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
    learners = any(isinstance(each, Learner) for each in adversaries)
    taught = min(runs // 2, game.batch) if learners else 0
    if taught:
        transcript, cells, offsets = game.play(taught, random)
        targets = cells + offsets
        adversaries = [
            each.fit(transcript, targets) if isinstance(each, Learner) else each
            for each in adversaries
        ]
    measured = runs - taught
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
    return Sampled(rates, taught, done, look, len(ends), game.worst, leak)


def _check(runs: int, adversaries: Sequence[Adversary], failure: float) -> None:
    if runs < 2:
        raise InvalidValue("runs", runs, "must be at least 2: half of them teach", "give 100000")
    if not adversaries:
        raise InvalidValue("adversaries", "none", "somebody must listen", "name one")
    check_failure(failure)


def check_failure(failure: float) -> None:
    """Refuse what is no probability of being wrong.

    Raises:
        InvalidValue: It lies outside (0, 1).
    """
    if not 0 < failure < 1:
        raise InvalidValue("failure", failure, "must lie between 0 and 1", "give 1e-6")


class _Game:
    """Runs against drawn targets, in batches that fit."""

    def __init__(self, strategy: Strategy, prior: Prior, delta: Fraction | None) -> None:
        self.strategy = strategy if strategy.problem.noisy else Checked(strategy)
        self.prior, self.worst = prior, Fraction(0)
        queries = sum(len(each.coordinates) for each in strategy.rounds)
        self.batch = max(1, _BATCH // max(1, queries))
        width = strategy.problem.delta if delta is None else delta
        self.reaches = [width * size / 2 for size in strategy.cells]

    def play(
        self, runs: int, random: np.random.Generator
    ) -> tuple[Transcript, NDArray[np.int64], NDArray[np.float64]]:
        """What was overheard, the cell of X*, and its place within the cell."""
        drawn = [self.prior.draw(size, runs, random) for size in self.strategy.cells]
        cells = np.stack([cell for cell, _ in drawn], axis=1)
        offsets = np.stack([offset for _, offset in drawn], axis=1)
        played = play(self.strategy, cells, random)
        low, high = played.estimate.low - cells, played.estimate.high - cells
        off = np.maximum(low + high, 2 - low - high).max(axis=0, initial=0).tolist()
        self.worst = max([self.worst, *map(Fraction, off, self.strategy.cells)])
        return played.transcript, cells, offsets

    def count(
        self, adversaries: Sequence[Adversary], runs: int, random: np.random.Generator
    ) -> NDArray[np.int64]:
        """How many of so many fresh runs each adversary wins."""
        wins = np.zeros(len(adversaries), np.int64)
        while runs > 0:
            size = min(runs, self.batch)
            transcript, cells, offsets = self.play(size, random)
            for index, each in enumerate(adversaries):
                guess = _heard(each, transcript, random)
                won = np.ones(size, bool)
                for axis, reach in enumerate(self.reaches):
                    won &= _near(guess[:, axis], cells[:, axis], offsets[:, axis], reach)
                wins[index] += int(won.sum())
            runs -= size
        return wins


def _heard(
    adversary: Adversary, transcript: Transcript, random: np.random.Generator
) -> NDArray[Any]:
    """What an adversary guesses, if it is a number for every run and coordinate."""
    guess: NDArray[Any] = np.asarray(adversary.guess(transcript, random))
    shape = (len(transcript.points), len(transcript.cells))
    if guess.shape != shape or guess.dtype.kind not in "if":
        rule = f"must return one estimate a run and coordinate, {shape} in all"
        raise InvalidValue(adversary.name, f"{guess.dtype}{guess.shape}", rule, "give floats")
    if not np.isfinite(guess).all():
        rule = "must guess numbers: one that is infinite or none at all is no estimate"
        raise InvalidValue(adversary.name, "not finite", rule, "guess the middle instead")
    return guess


def _near(
    guess: NDArray[Any], cell: NDArray[np.int64], offset: NDArray[np.float64], reach: Fraction
) -> NDArray[np.bool_]:
    """Whether |guess − (cell + offset)| ≤ reach, whole parts and fractions apart."""
    whole = math.floor(reach)
    rest, far = float(reach - whole), whole + _MARGIN
    kept = np.clip(guess, -far, int(cell.max(initial=0)) + far)  # further out nobody wins either
    floor = kept if kept.dtype.kind == "i" else np.floor(kept)
    part = (kept - floor) - offset
    off = floor.astype(np.int64) - cell
    close = np.abs(off) <= whole + 2
    off = np.where(close, off, 0)
    below = np.clip(off + whole, -4, 4) + part >= -rest
    above = np.clip(off - whole, -4, 4) + part <= rest
    near: NDArray[np.bool_] = close & below & above
    return near
