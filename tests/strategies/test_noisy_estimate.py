"""The estimate under noise, against the posterior worked out cell by cell from every answer."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.strategies import staged_noisy

from feint import Problem
from feint.interfaces import Estimate
from feint.simulate import play
from feint.strategies import StagedNoisy

Float = NDArray[np.float64]

# c₁, K₁, C, m, L', K₂: few answers on many cells, so that beliefs are broad.
SHAPES = [(1, 0, 1, 0, 1, 9), (4, 3, 3, 2, 2, 4), (1, 0, 4, 3, 4, 3), (5, 6, 1, 0, 1, 5)]
RUNS = 60


def problem_of(p: str, confidence: str | None, values: int | None = None) -> Problem:
    if values is None:
        return Problem("1/20", "1/5", 2, p=p, confidence=confidence)
    widths = Fraction(1, values), Fraction(values // 5, values)
    return Problem(*widths, 2, p=p, confidence=confidence, values=values)


def played(strategy: StagedNoisy) -> tuple[Estimate, Float]:
    """Some runs' estimates, and [runs, cells] what all answers say of each cell."""
    random = np.random.default_rng(11)
    queries = sum(len(each.coordinates) for each in strategy.rounds)
    told = np.empty((RUNS, queries), bool)
    targets = random.integers(strategy.size, size=(RUNS, 1))
    run = play(strategy, targets, random, told=told)
    cells, p = np.arange(strategy.size), float(strategy.p)
    agree = (cells >= run.transcript.points[:, :, None]) == told[:, :, None]
    mass = np.where(agree, p, 1 - p).prod(axis=1)
    return run.estimate, mass / mass.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("confidence", ["0.5", "0.9", None])
@pytest.mark.parametrize("p", ["0.6", "0.9"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_interval_is_as_sure_as_asked(
    shape: tuple[int, ...], p: str, confidence: str | None
) -> None:
    """It leaves (1 − confidence)/2 on either side at most, 2.5 % on average, and not far less."""
    strategy = staged_noisy(problem_of(p, confidence), 960, *shape)
    estimate, mass = played(strategy)
    tail = 0.025 if confidence is None else (1 - float(confidence)) / 2
    heap = np.pad(np.cumsum(mass, axis=1), ((0, 0), (1, 0)))
    rows = np.arange(RUNS)
    low, high = estimate.low[:, 0], estimate.high[:, 0]
    assert (heap[rows, low] <= tail + 1e-9).all()
    assert (heap[rows, high] >= 1 - tail - 1e-9).all()
    spare = low + 1 <= np.floor(estimate.point[:, 0])  # or it reaches to the estimate
    assert (heap[rows, low + 1] >= tail - 1e-9)[spare].all()
    spare = high - 1 >= np.ceil(estimate.point[:, 0])
    assert (heap[rows, high - 1] <= 1 - tail + 1e-9)[spare].all()


@pytest.mark.parametrize("p", ["0.6", "0.9"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_estimate_is_the_best_there_is(shape: tuple[int, ...], p: str) -> None:
    """With a confidence the middle of the likeliest window of length ε; on average the median."""
    strategy = staged_noisy(problem_of(p, "0.9"), 960, *shape)
    estimate, mass = played(strategy)
    heap = np.pad(np.cumsum(mass, axis=1), ((0, 0), (1, 0)))
    best = (heap[:, 48:] - heap[:, :-48]).max(axis=1)  # ε is 48 cells
    first = estimate.point[:, 0] - 24
    assert (first == np.round(first)).all()
    begin = first.astype(int)
    caught = heap[np.arange(RUNS), begin + 48] - heap[np.arange(RUNS), begin]
    assert caught == pytest.approx(best, abs=1e-12)
    strategy = staged_noisy(problem_of(p, None), 960, *shape)
    estimate, mass = played(strategy)
    heap = np.pad(np.cumsum(mass, axis=1), ((0, 0), (1, 0)))
    below = [
        np.interp(x, np.arange(961), row) for x, row in zip(estimate.point[:, 0], heap, strict=True)
    ]
    assert below == pytest.approx(np.full(RUNS, 0.5), abs=1e-9)


@pytest.mark.parametrize("confidence", ["0.9", None])
def test_a_whole_value_is_the_likeliest_or_the_median(confidence: str | None) -> None:
    """ε is one value: the likeliest one with a confidence, the one that holds the median else."""
    strategy = staged_noisy(problem_of("0.7", confidence, 50), 50, 2, 4, 3, 2, 3, 5)
    estimate, mass = played(strategy)
    value = estimate.point[:, 0] - 0.5
    assert (value == np.round(value)).all()
    found = value.astype(int)
    if confidence is not None:
        assert mass[np.arange(RUNS), found] == pytest.approx(mass.max(axis=1))
    else:
        heap = np.cumsum(mass, axis=1)
        assert (heap[np.arange(RUNS), found] >= 0.5 - 1e-9).all()
        assert (heap[np.arange(RUNS), found] - mass[np.arange(RUNS), found] <= 0.5 + 1e-9).all()
