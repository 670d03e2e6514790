"""Intervals for a probability or a mean that was only sampled; they hold at any number of runs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def clopper_pearson(
    wins: NDArray[np.int64] | int, runs: int, failure: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Limits that miss the true probability with probability at most `failure`, both sides.

    Args:
        wins: How often it happened, in `runs` independent runs.
        runs: How many runs.
        failure: The probability that the limits may be wrong.

    Returns:
        Lower and upper limits.
    """
    from scipy.special import betainccinv, betaincinv

    k = np.asarray(wins, float)
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), runs - k + 1, failure / 2), 0.0)
    high = np.where(k < runs, betainccinv(k + 1, np.maximum(runs - k, 1), failure / 2), 1.0)
    return low, high


def bernstein(
    values: NDArray[np.float64], failure: float, *, counts: NDArray[np.int64] | None = None
) -> float:
    """Half the width of an interval for a mean of values in [0, 1], either side wrong by half.

    Maurer and Pontil 2009, Theorem 4. A rare value that was not seen is allowed for, so it is wide
    while runs are few.

    Args:
        values: What independent runs gave, at least 2 of them.
        failure: The probability that the interval may be wrong.
        counts: How many runs gave each value; None: one each.

    Returns:
        How far the expectation may be from the mean.
    """
    weights = np.ones(len(values)) if counts is None else counts.astype(float)
    runs, log = float(weights.sum()), math.log(4 / failure)
    mean = float(weights @ values) / runs
    spread = float(weights @ (values - mean) ** 2) / (runs - 1)
    return math.sqrt(2 * spread * log / runs) + 7 * log / (3 * (runs - 1))
