"""Simulate a strategy: whole batches of runs in chunks, and what became of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Self

import numpy as np

from feint.beliefs import expect
from feint.errors import InvalidValue, TooLarge
from feint.exact import Number, rational, whole
from feint.interfaces import Adversary, Learner, Strategy
from feint.simulate.driver import play
from feint.simulate.executors import AHEAD, Executor, Serial
from feint.simulate.intervals import bernstein, clopper_pearson
from feint.simulate.seeds import stream
from feint.simulate.tally import Count, Float, Place, Tally, edges

Progress = Callable[[int, int], None]
"""Called with the runs done and the runs wanted."""

_BYTES = 1 << 24  # of transcript a chunk
_RUNS = 1 << 13  # their state and one round of queries stay in the cache
_WORKING = 6  # what a chunk needs in all, in transcripts: state, beliefs, temporaries
_BASE = 1 << 27  # what a process needs before the first run
_NOISY = 1 << 28  # the same where loops are compiled
MEMORY = 1 << 30
MOST = 10**12
"""Runs: so many that sums of whole numbers stay far below 2^63."""


@dataclass(frozen=True)
class Success:
    """How often an adversary came within δ/2 of X*.

    Attributes:
        name: The adversary's.
        success: The share of the runs.
        interval: An exact (Clopper–Pearson) interval for the probability behind it.
    """

    name: str
    success: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Simulation:
    """What became of the runs.

    Attributes:
        strategy: What was run.
        wanted: How many runs were asked for; fewer were done when Ctrl-C came first.
        coverage: How sure every interval is; that of the mean error only about.
        names: The adversaries'.
        tally: The sums behind all that follows.
    """

    strategy: Strategy
    wanted: int
    coverage: float
    names: tuple[str, ...]
    tally: Tally

    @property
    def runs(self) -> int:
        """How many runs were done."""
        return self.tally.runs

    @property
    def queries(self) -> int:
        """How many queries each run asked."""
        return len(self.tally.near) - 1

    @cached_property
    def adversaries(self) -> tuple[Success, ...]:
        """How each adversary did."""
        return tuple(
            Success(name, wins / self.runs, self._interval(wins))
            for name, wins in zip(self.names, self.tally.wins, strict=True)
        )

    @property
    def miss_rate(self) -> float:
        """How often the learner did not come within ε/2 of X*."""
        return self.tally.misses / self.runs

    @cached_property
    def miss_interval(self) -> tuple[float, float]:
        """An exact (Clopper–Pearson) interval for the probability behind it."""
        return self._interval(self.tally.misses)

    @property
    def mean_error(self) -> float:
        """The learner's mean error on the unit interval, in the sup norm."""
        return float(self.tally.total / self.runs)

    @cached_property
    def mean_error_interval(self) -> tuple[float, float]:
        """An interval for the expected error, by the normal approximation: no certainty.

        Under noise a rare error may be as large as the whole interval and weigh more than all the
        others; where no run has met one, the expected error may lie far above.
        """
        from scipy.special import ndtri

        if self.runs == 1:  # which says nothing
            return 0.0, 1.0
        spread = float(self.tally.squares / self.runs - (self.tally.total / self.runs) ** 2)
        reach = float(ndtri((1 + self.coverage) / 2)) * math.sqrt(max(0, spread) / (self.runs - 1))
        return max(0.0, self.mean_error - reach), min(1.0, self.mean_error + reach)

    @cached_property
    def errors(self) -> tuple[Float, Count]:
        """The errors' distribution: the edges of its bins, and how many runs fell into each."""
        return edges(self.strategy), self.tally.errors

    @property
    def near(self) -> float:
        """How many queries of a run lie within δ/2 of X*, on average."""
        numbers = np.flatnonzero(self.tally.near)
        counted = zip(numbers.tolist(), self.tally.near[numbers].tolist(), strict=True)
        return float(Fraction(sum(number * runs for number, runs in counted), self.runs))

    @cached_property
    def near_interval(self) -> tuple[float, float]:
        """An interval for the expected number of them (empirical Bernstein)."""
        most = float(self.queries)
        if self.runs == 1:  # which says nothing
            return 0.0, most
        numbers = np.flatnonzero(self.tally.near)
        shares, counts = numbers / max(1.0, most), self.tally.near[numbers]
        reach = most * bernstein(shares, 1 - self.coverage, counts=counts)
        return max(0.0, self.near - reach), min(most, self.near + reach)

    def _interval(self, wins: int) -> tuple[float, float]:
        low, high = clopper_pearson(wins, self.runs, 1 - self.coverage)
        return float(low), float(high)

    def finished(self) -> Self:
        """Itself; where Ctrl-C cut the runs short, Ctrl-C again: half of them have other digits."""
        if self.runs < self.wanted:
            raise KeyboardInterrupt
        return self

    def to_dict(self, *, unit: float = 1.0) -> dict[str, Any]:
        """The outcome for JSON.

        Args:
            unit: How long the interval is in the units in which errors are told.
        """
        bins, counts = self.errors
        return {
            "runs": self.runs,
            "wanted": self.wanted,
            "queries": self.queries,
            "coverage": self.coverage,
            "adversaries": [
                {"name": each.name, "success": each.success, "interval": list(each.interval)}
                for each in self.adversaries
            ],
            "miss_rate": self.miss_rate,
            "miss_interval": list(self.miss_interval),
            "mean_error": self.mean_error * unit,
            "mean_error_interval": [each * unit for each in self.mean_error_interval],
            "errors": {"edges": (bins * unit).tolist(), "counts": counts.tolist()},
            "near": self.near,
            "near_interval": list(self.near_interval),
        }


def simulate(
    strategy: Strategy,
    *,
    runs: Number,
    adversaries: Sequence[Adversary] = (),
    seed: int = 0,
    executor: Executor | None = None,
    memory: int | None = None,
    coverage: Number = "0.99",
    progress: Progress | None = None,
) -> Simulation:
    """Run a strategy many times against a uniform X*, and let adversaries guess.

    The digits depend on strategy, runs, adversaries and seed alone: not on the executor, nor on how
    many workers it has, and an adversary's not on which others listen.

    Args:
        strategy: What to run.
        runs: How many times.
        adversaries: Who listens; those with something to fit learn from runs of their own first.
        seed: Where all randomness comes from.
        executor: Who does the work; None: this process.
        memory: How many bytes all processes on this machine may take together; None: 2^30, or what
            as many workers need if that is more.
        coverage: How sure the intervals are.
        progress: Told after each chunk.

    Returns:
        What became of the runs. After Ctrl-C, of those that were done by then.

    Raises:
        InvalidValue: An argument is wrong by itself.
        TooLarge: Not even one chunk fits in the memory.
    """
    count = whole(runs, "runs", least=1, most=MOST)
    sure = rational(coverage, "coverage")
    if not 0 < float(sure) < 1:
        rule, remedy = "must lie strictly between 0 and 1", "a value such as 0.99 works"
        raise InvalidValue("coverage", coverage, rule, remedy)
    names = tuple(each.name for each in adversaries)
    if len(set(names)) < len(names):
        rule, remedy = "must have different names", "leave out one, or give it another name"
        raise InvalidValue("adversaries", ", ".join(names), rule, remedy)
    executor = executor or Serial()
    _fits(strategy, memory, executor.workers)
    size = chunk_size(strategy)
    tasks = ((index, min(size, count - at)) for index, at in enumerate(range(0, count, size)))
    start = whole(seed, "seed", least=0)
    listeners = _taught(strategy, adversaries, start, min(size, count))
    work = partial(_chunk, strategy, listeners, start)
    tally: Tally | None = None
    try:
        for _, each in executor.map(work, tasks):
            tally = each if tally is None else tally + each
            if progress is not None:
                progress(tally.runs, count)
    except KeyboardInterrupt:
        if tally is None:
            raise
    if tally is None:
        raise RuntimeError("the executor did none of the chunks")
    return Simulation(strategy, count, float(sure), names, tally)


def chunk_size(strategy: Strategy) -> int:
    """How many runs a chunk has: it depends on the strategy alone, so that digits do."""
    width = sum(len(each.coordinates) for each in strategy.rounds)
    return max(1, min(_RUNS, _BYTES // (8 * max(1, width))))


def _chunk(
    strategy: Strategy, adversaries: tuple[Adversary, ...], seed: int, task: tuple[int, int]
) -> Tally:
    """Play one chunk; every stream of randomness is named after the chunk and its user."""
    index, runs = task
    random = stream(seed, index)
    cell = random.integers(strategy.cells, size=(runs, len(strategy.cells)))
    place = Place(strategy, cell, random.random(cell.shape))
    with expect(runs * len(strategy.rounds)):  # a round alone may have too few to repay numba
        played = play(strategy, cell, random)
    error = place.off(played.estimate)
    wins = tuple(
        int(place.caught(each.guess(played.transcript, stream(seed, index, each.name))).sum())
        for each in adversaries
    )
    near = np.bincount(
        place.near(played.transcript), minlength=played.transcript.points.shape[1] + 1
    )
    bins = np.histogram(error, edges(strategy))[0]
    misses = int(place.missed(error).sum())
    total, squares = (Fraction(float(each.sum())) for each in (error, error**2))
    return Tally(runs, wins, misses, bins, total, squares, near)


def _taught(
    strategy: Strategy, adversaries: Sequence[Adversary], seed: int, runs: int
) -> tuple[Adversary, ...]:
    """The adversaries, those with something to fit after one chunk that nobody is measured on."""
    if not any(isinstance(each, Learner) for each in adversaries):
        return tuple(adversaries)
    random = stream(seed, 0, "\0lesson")
    cell = random.integers(strategy.cells, size=(runs, len(strategy.cells)))
    place = cell + random.random(cell.shape)
    heard = play(strategy, cell, random).transcript
    return tuple(
        each.fit(heard, place) if isinstance(each, Learner) else each for each in adversaries
    )


def _fits(strategy: Strategy, memory: int | None, workers: int) -> None:
    """Refuse before anything is run; megabytes are 2^20 bytes."""
    if memory is None and workers == 1:
        memory = MEMORY
    size = chunk_size(strategy)
    width = sum(len(each.coordinates) for each in strategy.rounds)
    base = (workers + (workers > 1)) * (_NOISY if strategy.problem.noisy else _BASE)
    chunks = workers * 8 * width * size * _WORKING
    tallies = 8 * (width + len(edges(strategy))) * (2 + AHEAD * workers)  # that wait, and sums
    need = -(-(base + chunks + tallies) >> 20)
    if memory is not None and whole(memory, "memory", least=1) < need << 20:
        rule = f"chunks of {size} runs, {workers} at once, need {need} megabytes"
        remedy = f"allow {need} megabytes, or use fewer workers"
        raise TooLarge("memory", f"{memory >> 20} megabytes", rule, remedy)
