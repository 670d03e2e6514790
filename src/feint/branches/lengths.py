"""Compute the exact mean number of questions and rounds of a run."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.branches.walk import Branches, branches
from feint.interfaces import UNASKED, Strategy, asks_all, most_queries
from feint.strategies import Product

Int = NDArray[np.int64]
Mass = Callable[[int], Fraction]
"""The probability that a coordinate of X* lies below a boundary of its lattice."""


class Lengths(NamedTuple):
    """The mean length of a run.

    Attributes:
        queries: The mean number of questions.
        rounds: The mean number of rounds.
    """

    queries: Fraction
    rounds: Fraction


class _Spread(NamedTuple):
    """The mean number of questions, and the probability of each number of rounds."""

    queries: Fraction
    ends: dict[int, Fraction]


def mean_lengths(
    strategy: Strategy, masses: Sequence[Mass] | None = None, *, limit: int = 1 << 26
) -> Lengths:
    """Return the exact mean number of questions and rounds of a run.

    A product of independent searches is enumerated factor by factor. It takes as many rounds as
    the longest of them.

    Args:
        strategy: The strategy; under noise it must ask every column.
        masses: For each coordinate, the probability that X* lies below a boundary; None: X* is
            uniform on the lattice.
        limit: As in `branches`.

    Returns:
        Both means.

    Raises:
        TooLarge: There are more than `limit` branches, or the strategy is noisy and may leave
            columns out.
        InvalidValue: The strategy does not keep its contract.

    >>> from feint import Problem
    >>> from feint.strategies import Staged, StagedShape
    >>> shape = StagedShape(narrow=(2,), parts=4, kept=3, hide=(2, 2))
    >>> mean_lengths(Staged(Problem("1/64", "1/12", 3), 64, shape))
    Lengths(queries=Fraction(10, 1), rounds=Fraction(4, 1))
    """
    if asks_all(strategy):
        return Lengths(Fraction(most_queries(strategy)), Fraction(len(strategy.rounds)))
    factors = strategy.factors if isinstance(strategy, Product) else (strategy,)
    spreads, first = [], 0
    for factor in factors:
        last = first + len(factor.cells)
        own = None if masses is None else masses[first:last]
        spreads.append(_spread(factor, own, limit))
        first = last
    return Lengths(sum((each.queries for each in spreads), Fraction(0)), _longest(spreads))


def _spread(strategy: Strategy, masses: Sequence[Mass] | None, limit: int) -> _Spread:
    if asks_all(strategy):
        return _Spread(Fraction(most_queries(strategy)), {len(strategy.rounds): Fraction(1)})
    numbers = np.repeat(
        np.arange(1, len(strategy.rounds) + 1), [len(each.coordinates) for each in strategy.rounds]
    )
    queries, ends = Fraction(0), defaultdict[int, Fraction](Fraction)
    for part in branches(strategy, limit=limit):
        asked = part.transcripts != UNASKED
        counts, last = asked.sum(axis=1), (asked * numbers).max(axis=1, initial=0)
        weights, total = _weights(part, strategy.cells, masses)
        queries += Fraction(int((weights * counts[part.group]).sum()), total)
        for end in np.unique(last).tolist():
            ends[end] += Fraction(int(weights[last[part.group] == end].sum()), total)
    return _Spread(queries, dict(ends))


def _weights(
    part: Branches, cells: tuple[int, ...], masses: Sequence[Mass] | None
) -> tuple[NDArray[Any], int]:
    """Return the probability of each row as a whole number, and their common denominator."""
    weights, total = part.weight.astype(object), part.total
    for axis, size in enumerate(cells):
        low, high = part.low[:, axis], part.high[:, axis]
        if masses is None:
            weights, total = weights * (high - low).astype(object), total * size
            continue
        places, index = np.unique(np.stack((low, high)), return_inverse=True)
        below = [masses[axis](place) for place in places.tolist()]
        common = math.lcm(*(each.denominator for each in below))
        whole = np.array([int(each * common) for each in below], object)[index.reshape(2, -1)]
        weights, total = weights * (whole[1] - whole[0]), total * common
    return weights, total


def _longest(spreads: Sequence[_Spread]) -> Fraction:
    """Return the mean of the largest of independent numbers of rounds."""
    most = max((end for each in spreads for end in each.ends), default=0)
    below = [
        math.prod(
            sum((chance for end, chance in each.ends.items() if end <= rounds), Fraction(0))
            for each in spreads
        )
        for rounds in range(most)
    ]
    return sum((1 - Fraction(each) for each in below), Fraction(0))
