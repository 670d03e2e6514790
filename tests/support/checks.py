"""The laws of `feint.testing` as the tests name them, and covering numbers by brute force."""

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
    """Fewest closed windows of length delta that cover half-open intervals, by greed."""
    count, end = 0, Fraction(-1)
    for low, high in sorted(intervals):
        begin = max(end, Fraction(low))
        if begin < high:
            more = -((begin - high) // delta)
            count, end = count + more, begin + more * delta
    return count


def coverings(strategy: Strategy) -> dict[tuple[int, ...], int]:
    """For every transcript the covering number of its information set, in one dimension."""
    reach = strategy.problem.delta * strategy.cells[0]
    return {
        transcript: cover([(int(low[0]), int(high[0])) for low, high in boxes], reach)
        for transcript, boxes in information(strategy).items()
    }
