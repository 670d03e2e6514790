"""Confidence intervals for sampled probabilities and means, valid for any number of runs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.exact import Number, rational


def failure_probability(failure: Number) -> float:
    """Return a probability of error as a float, after checking it.

    Args:
        failure: A number strictly between 0 and 1.

    Returns:
        The number as a float, still strictly between 0 and 1.

    Raises:
        InvalidValue: The number is not strictly between 0 and 1, or rounds to 0 or 1.
    """
    read = float(rational(failure, "failure"))
    if not 0 < read < 1:
        rule = "must lie strictly between 0 and 1"
        raise InvalidValue("failure", failure, rule, "values such as 0.01 and 1e-6 work")
    return read


def clopper_pearson(
    wins: NDArray[np.int64] | int, runs: int, failure: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Clopper–Pearson limits, each of which fails with probability at most `failure / 2`.

    Args:
        wins: The number of runs in which the event happened.
        runs: The number of independent runs.
        failure: The probability that the limits may be wrong.

    Returns:
        Lower and upper limits, in the shape of `wins`.
    """
    from scipy.special import betainccinv, betaincinv

    k = np.asarray(wins, float)
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), runs - k + 1, failure / 2), 0.0)
    high = np.where(k < runs, betainccinv(k + 1, np.maximum(runs - k, 1), failure / 2), 1.0)
    return low, high


def bernstein(
    values: NDArray[np.float64], failure: float, *, counts: NDArray[np.int64] | None = None
) -> float:
    """Return half the width of an interval for a mean, which fails per side with `failure / 2`.

    It is the empirical Bernstein bound of Maurer and Pontil 2009, Theorem 4. It allows for rare
    values that were not seen, so the interval is wide if there are few runs.

    Args:
        values: Results of at least 2 independent runs, each in [0, 1].
        failure: The probability that the interval may be wrong.
        counts: The number of runs that gave each value; None: one each.

    Returns:
        The largest distance between the expectation and the mean.
    """
    weights = np.ones(len(values)) if counts is None else counts.astype(float)
    runs, log = float(weights.sum()), math.log(4 / failure)
    mean = float(weights @ values) / runs
    spread = float(weights @ (values - mean) ** 2) / (runs - 1)
    return math.sqrt(2 * spread * log / runs) + 7 * log / (3 * (runs - 1))
