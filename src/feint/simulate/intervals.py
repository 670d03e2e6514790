"""Exact intervals for a probability that was only sampled."""

from __future__ import annotations

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
