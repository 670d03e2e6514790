"""The claims behind Theorem 2's lower bound, measured on a noiseless strategy.

For every accurate strategy that leaves ℓ places of length δ possible, whatever its coins:

(i) some X* makes it ask log 1/δ − 3 queries more than δ apart from each other, before one within δ
    of X*;
(ii) every transcript has pairs of queries at most ε apart, ℓ − 5 of them outside any stretch of 2δ
    that holds X*, and ℓ of them when the ends 0 and 1 count as queries;
(iii) for every stretch of 2δ some X* in it makes it ask log δ/ε queries there.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.branches import Posteriors, branches, refine
from feint.interfaces import UNASKED, Strategy
from feint.problem import Problem

_STRETCHES = 33
Rows = NDArray[Any]


@dataclass(frozen=True)
class Worst:
    """What the claims come to for one strategy.

    Attributes:
        spread: The most queries more than δ apart before one within δ of X*, over all runs.
        pairs: The fewest pairs of neighbouring queries at most ε apart, the ends counted.
        outside: The fewest such pairs outside a stretch of 2δ that holds X*, the ends not counted,
            over 33 stretches a run.
        places: The fewest places that stay possible, the covering number.
        inside: The fewest, over 33 stretches of 2δ, of the most queries in it with X* in it.
    """

    spread: int
    pairs: int
    outside: int
    places: int
    inside: int

    @classmethod
    def of(cls, strategy: Strategy, problem: Problem, *, limit: int) -> Worst:
        """Measure a strategy of one coordinate.

        Args:
            strategy: What to measure.
            problem: Which ε and δ to measure against.
            limit: Branches beyond which to refuse.

        Returns:
            The measurements.

        Raises:
            TooLarge: There are more than `limit` branches.
        """
        cells = strategy.cells[0]
        width, close = problem.delta * cells, problem.epsilon * cells
        spread, scale = 0, refine(cells, problem.delta)
        places = cells
        pairs = outside = sum(len(each.coordinates) for each in strategy.rounds) + 2
        starts = [(cells - 2 * width) * k / (_STRETCHES - 1) for k in range(_STRETCHES)]
        inside = [0] * len(starts)
        for part in branches(strategy, chunk=1 << 12, limit=limit):
            held = Posteriors.of(part, cells, scale)
            places = min(places, int(held.coverings(int(problem.delta * held.units)).min()))
            points, low, high = part.transcripts[part.group], part.low[:, 0], part.high[:, 0]
            ordered = np.sort(np.where(points == UNASKED, 0, points), axis=1)
            spread = max(spread, _spread(points, low, high, width))
            pairs = min(pairs, _pairs(ordered, cells, close))
            outside = min(outside, _outside(ordered, (low, high), width, close))
            for k, start in enumerate(starts):
                end = float(start + 2 * width)
                there = (ordered >= float(start)) & (ordered <= end)
                near = (low >= float(start)) & (high <= end)
                counts = np.where(near[:, None] & (ordered > 0), there, False).sum(axis=1)
                inside[k] = max(inside[k], int(counts.max(initial=0)))
        return cls(spread, pairs, outside, places, min(inside))


def _spread(points: Rows, low: Rows, high: Rows, width: Fraction) -> int:
    """The most queries that are more than δ from all taken before, until one is within δ of X*."""
    far = float(width)
    taken = np.zeros(points.shape, bool)
    done = np.zeros(len(points), bool)
    for k in range(points.shape[1]):
        own = points[:, k]
        near = (np.abs(points[:, :k] - own[:, None]) <= far) & taken[:, :k]
        taken[:, k] = ~done & (own != UNASKED) & ~near.any(axis=1)
        done |= taken[:, k] & (low >= own - far) & (high <= own + far)
    return int(taken.sum(axis=1).max(initial=0))


def _pairs(ordered: Rows, cells: int, close: Fraction) -> int:
    """The fewest neighbours at most ε apart in a transcript, the ends counted."""
    ends = np.pad(ordered, ((0, 0), (1, 1)), constant_values=((0, 0), (0, cells)))
    gaps = np.diff(ends, axis=1)
    return int(((gaps > 0) & (gaps <= float(close))).sum(axis=1).min())


def _outside(ordered: Rows, held: tuple[Rows, Rows], width: Fraction, close: Fraction) -> int:
    """The fewest neighbours at most ε apart and both outside a stretch of 2δ that holds X*."""
    gaps = np.diff(ordered, axis=1)
    pair = (gaps > 0) & (gaps <= float(close)) & (ordered[:, :-1] > 0)
    length, fewest = float(2 * width), int(ordered.shape[1])
    for k in range(_STRETCHES):
        start = held[0] - (length - (held[1] - held[0])) * k / (_STRETCHES - 1)
        left = ordered[:, 1:] < start[:, None]
        right = ordered[:, :-1] > start[:, None] + length
        fewest = min(fewest, int((pair & (left | right)).sum(axis=1).min()))
    return fewest
