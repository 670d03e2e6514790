"""Name the laws of `feint.testing` for tests, and compute covering numbers by brute force."""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import Strategy
from feint.testing import check as obeys
from feint.testing import drive, information

__all__ = ["Int", "cover", "coverings", "drive", "information", "obeys"]

Int = NDArray[np.int64]


def cover(intervals: Iterable[tuple[int | Fraction, int | Fraction]], delta: Fraction) -> int:
    """Return the fewest closed windows of length delta that cover half-open intervals, greedily."""
    count, end = 0, Fraction(-1)
    for low, high in sorted(intervals):
        begin = max(end, Fraction(low))
        if begin < high:
            more = -((begin - high) // delta)
            count, end = count + more, begin + more * delta
    return count


def coverings(strategy: Strategy) -> dict[tuple[int, ...], int]:
    """Return the covering number of every transcript's information set, in one dimension."""
    reach = strategy.problem.delta * strategy.cells[0]
    return {
        transcript: cover([(int(low[0]), int(high[0])) for low, high in boxes], reach)
        for transcript, boxes in information(strategy).items()
    }
