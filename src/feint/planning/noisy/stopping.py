"""Simulate the lengths of noisy searches that stop when they are sure.

A search asks the boundary nearest to the median of its posterior (or those nearest to several
quantiles at once). It stops when its posterior is sure enough, by one of three measures. The
results are costs, not promises: the planner compares members by them, and no certificate depends on
them.

One simulation of a number of cells serves every threshold. Between the simulated numbers of cells,
times are interpolated in the logarithm. Beyond the largest, they grow by the same amount per
doubling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from feint.problem import Between, Noise, Rates
from feint.strategies import information

Float = NDArray[np.float64]

Channel: TypeAlias = Fraction | Rates
"""One probability of right answers, or two rates."""

Measure = Literal["miss", "error", "values"]
"""The measure that must be small before a search stops: the probability that the likeliest cell is
wrong; the mean absolute error, as a share of the range; the mean distance of the median from X*, in
whole values."""

_RUNS = 1000  # means are right to one part in a hundred, as neighbouring plans differ
_SEED = 12
_PER_BIT = 8  # thresholds per halving: neighbours differ by one part in a hundred
# Halvings that are simulated. Beyond, time grows by the same amount per halving. For "error", the
# last is twice the mean error inside a simulated cell.
_HALVINGS = {"miss": 24, "error": 7, "values": 18}
_SIMULATED = (
    2,
    3,
    4,
    5,
    6,
    8,
    11,
    16,
    23,
    32,
    48,
)  # cells: beyond, times grow linearly in the logarithm
_STRAIGHT = 16  # cells from which growth per doubling is measured
_FINE = 64  # cells that stand for an interval if the mean error counts
_VALUES = 64  # thresholds for whole values are fractions of this, above all measures
# Below this p, times are measured in bits: near p = 1/2 a simulation would take minutes, and the
# number of bits hardly depends on p there.
_LEAST_P = Fraction(13, 20)
# If there is only a belief about p, only these p are simulated. Any other p takes the times of the
# nearest one, measured in bits.
_SOME_P = (_LEAST_P, Fraction(3, 4), Fraction(17, 20), Fraction(19, 20))


@dataclass(frozen=True)
class Lengths:
    """The lengths of searches on one number of cells.

    Attributes:
        unit: The factor of thresholds before they are looked up.
        mean: [thresholds] The mean number of rounds. The j-th threshold is 2^(−(j+1)/8).
        undecided: [rounds, thresholds] The share of runs that go on after a number of rounds, in a
            simulation whose rounds are stretched to have that mean.
    """

    unit: float
    mean: Float
    undecided: Float

    def average(self, threshold: Float | float) -> Float:
        """Return the mean number of rounds until the measure is below a threshold."""
        last, octaves = len(self.mean) - 1, len(self.mean) // 3
        place = -_PER_BIT * np.log2(threshold * self.unit) - 1
        slope = (self.mean[last] - self.mean[last - octaves]) / octaves
        inside = np.interp(place, np.arange(last + 1), self.mean)
        found: Float = inside + slope * np.maximum(0.0, place - last)
        return found

    def within(self, threshold: float, share: float) -> int:
        """Return the number of rounds after which about this share of the runs is undecided."""
        left, stretch = self._stretched(threshold)
        return math.ceil(stretch * int(np.count_nonzero(left > share)))

    def capped(self, threshold: float, rounds: int) -> tuple[float, float]:
        """Return the mean number of rounds up to a cap, and the share of runs that reach it."""
        left, stretch = self._stretched(threshold)
        whole = rounds / stretch
        full = int(whole)
        if full >= len(left):
            return stretch * float(left.sum()), 0.0
        reached = float(left[full])
        return stretch * (float(left[:full].sum()) + (whole - full) * reached), reached

    def _stretched(self, threshold: float) -> tuple[Float, float]:
        """Return the undecided shares round by round, and the number of rounds each stands for."""
        place = math.ceil(-_PER_BIT * math.log2(threshold * self.unit) - 1)
        left: Float = self.undecided[:, min(max(0, place), len(self.mean) - 1)]
        simulated = float(left.sum())
        return left, float(self.average(threshold)) / simulated if simulated else 1.0


@lru_cache(maxsize=1024)
def lengths(noise: Noise, cells: int, measure: Measure = "miss", at_once: int = 1) -> Lengths:
    """Return the lengths of searches on a number of cells.

    Args:
        noise: The noise model. A search that does not know p takes a little longer than the
            result.
        cells: The number of cells, two or more.
        measure: The measure that must be small before a search stops.
        at_once: The number of quantiles asked in every round.

    Returns:
        The lengths in rounds.
    """
    if isinstance(noise, Rates):
        found = _lengths(noise, cells, measure, at_once)
        # Rates that are only bounded have a stricter threshold (`TwoRates.doubt`).
        return replace(found, unit=1 / max(1, cells - 1)) if noise.needs_margin else found
    if not isinstance(noise, Between):
        return _lengths(noise.least, cells, measure, at_once)
    tables, weights = list[Float](), list[float]()
    for p, mass in noise.slices():
        near = min(_SOME_P, key=lambda each: abs(each - p))
        found = _lengths(near, cells, measure, at_once)
        times = capacity(near) / capacity(p)
        simulated = np.maximum(found.undecided.sum(axis=0), 1e-300)
        # Rounds are stretched so that the mean is right, for the middle threshold.
        middle = len(found.mean) // 2
        stretch = times * float(found.mean[middle] / simulated[middle])
        rows = (np.arange(math.ceil(stretch * len(found.undecided))) / stretch).astype(np.int64)
        tables.append(found.undecided[rows])
        weights.append(mass)
    undecided = np.zeros((max(map(len, tables)), tables[0].shape[1]))
    for table, mass in zip(tables, weights, strict=True):
        undecided[: len(table)] += mass * table
    return Lengths(found.unit, undecided.sum(axis=0), undecided)


def _lengths(p: Channel, cells: int, measure: Measure, at_once: int) -> Lengths:
    """Return the lengths of searches at one p or at two rates."""
    near: Channel
    if isinstance(p, Rates):
        is_weak = p.least < _LEAST_P
        near = _LEAST_P if is_weak else p
        times = capacity(_LEAST_P) / p.told(p.aim) if is_weak else 1.0
    else:
        near = max(p, _LEAST_P)
        times = capacity(near) / capacity(p)
    if measure == "error":  # independent of the cells if they are fine
        left = _simulated(near, _FINE, measure, at_once)
        return Lengths(1.0, times * left.sum(axis=0), left)
    below = max(each for each in _SIMULATED if each <= cells)
    above = min((each for each in _SIMULATED if each >= cells), default=below)
    left = _simulated(near, above, measure, at_once)
    mean = left.sum(axis=0)
    if below < above:
        share, other = math.log(cells / below) / math.log(above / below), below
        mean = share * mean + (1 - share) * _simulated(near, other, measure, at_once).sum(axis=0)
    elif cells > above:
        growth = mean - _simulated(near, _STRAIGHT, measure, at_once).sum(axis=0)
        mean = mean + growth * math.log(cells / above) / math.log(above / _STRAIGHT)
    return Lengths(cells / _VALUES if measure == "values" else 1.0, times * mean, left)


def capacity(p: Fraction) -> float:
    """Return the capacity in bits of one answer: 1 − h(p)."""
    ahead = float(2 * p - 1)
    if ahead < 1e-3:  # the sum below would cancel
        return ahead * ahead / math.log(4)
    right, wrong = float(p), float(1 - p)
    return 1 + right * math.log2(right) + (wrong * math.log2(wrong) if wrong else 0.0)


@lru_cache(maxsize=128)
def _simulated(p: Channel, cells: int, measure: Measure, at_once: int) -> Float:
    """Return [rounds, thresholds] the share of runs that are undecided after each round."""
    random = np.random.default_rng((_SEED, cells, at_once))
    quantiles = np.arange(1, at_once + 1) / (at_once + 1)
    right = np.full(2, float(p.least if isinstance(p, Rates) else p))  # below and above a question
    if isinstance(p, Rates):
        right = np.array([float(p.worst[1]), float(1 - p.worst[0])])
    target, place = np.arange(_RUNS) % cells, np.arange(cells)
    belief, passed = np.full((_RUNS, cells), 1 / cells), np.zeros(_RUNS, np.int64)
    most, left = _PER_BIT * _HALVINGS[measure], list[Float]()
    while len(target):
        heap = np.cumsum(belief, axis=1)
        rest = np.maximum(_measured(belief, heap, measure), 2.0 ** -_HALVINGS[measure])
        passed = np.maximum(passed, (-_PER_BIT * np.log2(rest) + 1e-9).astype(np.int64))
        going = passed < most
        belief, target, passed = belief[going], target[going], passed[going]
        left.append(np.cumsum(np.bincount(passed, minlength=most)[:most]) / _RUNS)
        heap, weight = heap[going, :-1], np.ones_like(belief)
        marks = random.random((len(target), at_once))
        for quantile, mark in zip(quantiles, marks.T, strict=True):
            point = 1 + np.abs(heap - quantile).argmin(axis=1)
            if isinstance(p, Rates) and at_once == 1:  # as in the strategy
                point = 1 + information(p, heap).argmax(axis=1)
            above, over = target >= point, place >= point[:, None]
            answer = above == (mark < right[above.astype(np.int64)])
            chance = right[over.astype(np.int64)]
            weight *= np.where(over == answer[:, None], chance, 1 - chance)
        belief = belief * weight
        belief /= belief.sum(axis=1, keepdims=True)
    found: Float = np.array(left)
    found.flags.writeable = False
    return found


def _measured(belief: Float, heap: Float, measure: Measure) -> Float:
    """Return the measure of each belief."""
    if measure == "miss":
        doubt: Float = 1 - belief.max(axis=1)
        return doubt
    cells = belief.shape[1]
    # The mean distance to a median is the sum over boundaries of the mass on their lighter side.
    lighter = np.minimum(heap, 1 - heap)[:, :-1].sum(axis=1)
    inside = belief.max(axis=1) / 4  # the likeliest cell usually contains the median
    found: Float = lighter / _VALUES if measure == "values" else (lighter + inside) / cells
    return found
