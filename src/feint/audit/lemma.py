"""Measure the lemmas behind the lower bounds on a noiseless strategy.

Theorem 1, for every accurate strategy and uniform X*; I_k is the learner's interval after k
queries:

1. the expected number of queries within δ/2 of X* is at least log δ/4ε;
2. the first K = ⌊log 1/(Lδ)⌋ of them contribute at most 1/L;
3. E 1/|I_k| ≤ 2^k for every k;
4. the expected number of queries in an interval I, given that X* is in it, is at least log |I|/2ε;
  the interval with the smallest margin is shown;
5. n is at least log 1/2ε.

Theorem 2, in the deterministic setting, for every accurate strategy that leaves ℓ places of length
δ possible, for all coins:

(i) some X* makes it ask log 1/δ − 3 queries more than δ apart from each other, before one within δ
    of X*;
(ii) every transcript has pairs of queries at most ε apart, ℓ − 5 of them outside any stretch of 2δ
    that holds X*, and ℓ of them when the ends 0 and 1 count as queries;
(iii) for every stretch of 2δ some X* in it makes it ask log δ/ε queries there.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.audit.case import coordinates
from feint.audit.exact import LIMIT
from feint.bounds import close_pairs, least_queries, queries_inside, queries_near, spread_queries
from feint.branches import Branches, Posteriors, branches, refine
from feint.exact import log2, root, text
from feint.interfaces import UNASKED, Strategy
from feint.problem import Problem
from feint.simulate.adversaries import first_queries

_TRIED = 127  # intervals to try, of all lengths; more take longer and never had a smaller margin
_STRETCHES = 33  # stretches of 2δ tried, evenly spaced
_CHUNK = 1 << 12  # branches at once, since all pairs of queries are compared
_WORST = "any number"
Rows = NDArray[Any]


@dataclass(frozen=True)
class Lemma:
    """A lemma, and its value for one strategy.

    Attributes:
        name: The quantity that it bounds.
        measured: The exact value for this strategy.
        limit: The bound of the lemma.
        least: True for a lower bound.
        law: The assumed distribution of the number.
    """

    name: str
    measured: Fraction
    limit: Fraction | float
    least: bool = False
    law: str = "the number uniform"

    @property
    def holds(self) -> bool:
        """Return True if the measured value respects the bound."""
        return self.measured >= self.limit if self.least else self.measured <= self.limit

    @property
    def words(self) -> str:
        """Return the comparison of the measured value with the bound."""
        sign = "at least" if self.least else "at most"
        told = "" if self.holds else ": BROKEN"
        return f"{float(self.measured):.6g} ({sign} {float(self.limit):.6g}, {self.law}){told}"

    def to_dict(self) -> dict[str, Any]:
        """Return the lemma for JSON, with rationals as strings."""
        return {
            "name": self.name,
            "measured": text(self.measured),
            "limit": text(self.limit),
            "least": self.least,
            "holds": self.holds,
        }


def lemmas(
    strategy: Strategy, problem: Problem | None = None, *, limit: int = LIMIT
) -> tuple[Lemma, ...]:
    """Measure the lemmas on every coordinate of a noiseless strategy.

    Args:
        strategy: The strategy.
        problem: The ε, δ and L to use; the strategy's own by default. In d coordinates each one
            has level L^(1/d).
        limit: The most branches.

    Returns:
        Five lemmas per coordinate; in the deterministic setting three more, and one in all.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    wanted = problem or strategy.problem
    parts = coordinates(strategy)
    found: list[Lemma] = []
    pairs = places = 1
    for index, each in enumerate(parts):
        where = f" (coordinate {index})" if len(parts) > 1 else ""
        found += _of_one(each, wanted, where, limit)
        if wanted.setting == "deterministic":
            worst = _measure_worst(each, wanted, limit)
            found += _of_worst(worst, wanted, where, alone=len(parts) == 1)
            pairs, places = pairs * worst.pairs, places * worst.places
    if wanted.setting == "deterministic":
        name = "pairs at most ε apart, the ends counted"
        found += [Lemma(name, Fraction(pairs), Fraction(places), True, _WORST)]
    return tuple(found)


def _of_worst(worst: _Worst, problem: Problem, where: str, *, alone: bool) -> list[Lemma]:
    """Return claims (i) to (iii) of Theorem 2's lower bound; (ii) is about one dimension."""
    spread, near = spread_queries(problem.delta), queries_near(problem.delta, problem.epsilon)
    found = [
        Lemma(f"queries more than δ apart{where}", Fraction(worst.spread), spread, True, _WORST),
        Lemma(f"queries in any stretch of 2δ{where}", Fraction(worst.inside), near, True, _WORST),
    ]
    if alone:
        enough, name = Fraction(close_pairs(worst.places)), "pairs outside a stretch of 2δ"
        found += [Lemma(name, Fraction(worst.outside), enough, True, _WORST)]
    return found


def _of_one(strategy: Strategy, problem: Problem, where: str, limit: int) -> list[Lemma]:
    cells = strategy.cells[0]
    queries = sum(len(each.coordinates) for each in strategy.rounds)
    scale = refine(cells, problem.delta / 2)
    near = [Fraction(0)] * queries
    inverse = [Fraction(0)] * (queries + 1)
    tried = _intervals(cells, problem.epsilon)
    inside = dict.fromkeys(tried, Fraction(0))
    for part in branches(strategy, chunk=max(64, (1 << 20) // max(1, queries)), limit=limit):
        table = part.transcripts
        for k, share in enumerate(_near(part, table, cells, scale, problem.delta)):
            near[k] += share
        for k, value in enumerate(_inverse(part, table, cells)):
            inverse[k] += value
        for interval in tried:
            inside[interval] += _inside(part, table, interval)
    first = min(queries, first_queries(problem))
    gamma = root(problem.level, problem.dim)
    ratio = max((value / (1 << k) for k, value in enumerate(inverse)), default=Fraction(0))
    enough = log2(problem.delta / (4 * problem.epsilon))
    return [
        Lemma(f"queries near the number{where}", sum(near, Fraction(0)), enough, least=True),
        Lemma(
            f"of which the first {first}{where}",
            sum(near[:first], Fraction(0)),
            Fraction(1, gamma) if isinstance(gamma, int) else 1 / gamma,
        ),
        Lemma(f"largest E 1/|I_k| over 2^k{where}", ratio, Fraction(1)),
        _scarcest(inside, cells, problem.epsilon, where),
        Lemma(f"queries{where}", Fraction(queries), least_queries(problem.epsilon), least=True),
    ]


def _intervals(cells: int, epsilon: Fraction) -> list[tuple[int, int]]:
    """Return the whole interval, its halves, quarters and so on, and these shifted by half."""
    found, length = [(0, cells)], cells // 2
    while length > 2 * epsilon * cells and len(found) < _TRIED:
        step = max(1, length // 2)
        found += [(start, start + length) for start in range(0, cells - length + 1, step)]
        length //= 2
    return found[:_TRIED]


def _inside(part: Branches, table: NDArray[np.int64], interval: tuple[int, int]) -> Fraction:
    """Return the expected number of queries in an interval given that X* is in it."""
    low, high = interval
    counts = ((table >= low) & (table <= high) & (table != UNASKED)).sum(axis=1)[part.group]
    overlap = np.minimum(part.high[:, 0], high) - np.maximum(part.low[:, 0], low)
    amount = (np.maximum(overlap, 0) * counts).astype(object) * part.weight.astype(object)
    return Fraction(int(amount.sum()), part.total * (high - low))


def _scarcest(
    inside: dict[tuple[int, int], Fraction], cells: int, epsilon: Fraction, where: str
) -> Lemma:
    """Return the interval with the smallest margin."""

    def limit(interval: tuple[int, int]) -> float:
        return queries_inside(Fraction(interval[1] - interval[0], cells), epsilon)

    low, high = min(inside, key=lambda each: float(inside[each]) - limit(each))
    name = f"queries in [{text(Fraction(low, cells))}, {text(Fraction(high, cells))}]{where}"
    return Lemma(name, inside[low, high], limit((low, high)), least=True)


def _near(
    part: Branches, table: NDArray[np.int64], cells: int, scale: int, delta: Fraction
) -> list[Fraction]:
    """Return the probability that each query lies within δ/2 of X*."""
    held = Posteriors.of(part, cells, scale)
    near = held.around(table, int(delta * held.units / 2))
    sums = np.where(table == UNASKED, 0, near).sum(axis=0)
    return [Fraction(int(each), part.total * held.units) for each in sums]


def _inverse(part: Branches, table: NDArray[np.int64], cells: int) -> list[Fraction]:
    """Return E 1/|I_k| for each k over these branches, with X* on the unit interval."""
    points, low, high = table[part.group], part.low, part.high
    asked = points != UNASKED
    begin = np.maximum.accumulate(np.where(asked & (points <= low), points, 0), axis=1)
    end = np.minimum.accumulate(np.where(asked & (points >= high), points, cells), axis=1)
    kind = object if part.total * cells >= 1 << 62 else part.weight.dtype
    size = (high - low)[:, 0].astype(kind) * part.weight
    found = [Fraction(int(size.sum()), part.total * cells)]
    for column in (end - begin).T:
        lengths, which = np.unique(column, return_inverse=True)
        sums: dict[int, int] = defaultdict(int)
        amounts = np.zeros(len(lengths), size.dtype)
        np.add.at(amounts, which.reshape(-1), size)
        for length, amount in zip(lengths.tolist(), amounts.tolist(), strict=True):
            sums[length] += int(amount)
        found.append(
            sum((Fraction(amount, length) for length, amount in sums.items()), Fraction(0))
            / part.total
        )
    return found


class _Worst(NamedTuple):
    """The values of Theorem 2's claims for one strategy.

    Attributes:
        spread: The most queries more than δ apart before one within δ of X*, over all runs.
        pairs: The fewest pairs of neighbouring queries at most ε apart, the ends counted.
        outside: The fewest such pairs outside a stretch of 2δ that holds X*, the ends not counted.
        places: The covering number of the possible places.
        inside: The most queries in a stretch of 2δ, for X* in it, in the stretch where they are
            fewest.
    """

    spread: int
    pairs: int
    outside: int
    places: int
    inside: int


def _measure_worst(strategy: Strategy, problem: Problem, limit: int) -> _Worst:
    """Measure a strategy of one coordinate."""
    cells = strategy.cells[0]
    width, close = problem.delta * cells, problem.epsilon * cells
    spread, scale = 0, refine(cells, problem.delta)
    places = cells
    pairs = outside = sum(len(each.coordinates) for each in strategy.rounds) + 2
    starts = [(cells - 2 * width) * k / (_STRETCHES - 1) for k in range(_STRETCHES)]
    inside = [0] * len(starts)
    for part in branches(strategy, chunk=_CHUNK, limit=limit):
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
    return _Worst(spread, pairs, outside, places, min(inside))


def _spread(points: Rows, low: Rows, high: Rows, width: Fraction) -> int:
    """Return the most queries more than δ from all earlier ones, until one is within δ of X*."""
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
    """Return the fewest pairs of neighbours at most ε apart; both ends count as queries."""
    ends = np.pad(ordered, ((0, 0), (1, 1)), constant_values=((0, 0), (0, cells)))
    gaps = np.diff(ends, axis=1)
    return int(((gaps > 0) & (gaps <= float(close))).sum(axis=1).min())


def _outside(ordered: Rows, held: tuple[Rows, Rows], width: Fraction, close: Fraction) -> int:
    """Return the fewest pairs of neighbours at most ε apart, both outside 2δ around X*."""
    gaps = np.diff(ordered, axis=1)
    pair = (gaps > 0) & (gaps <= float(close)) & (ordered[:, :-1] > 0)
    length, fewest = float(2 * width), int(ordered.shape[1])
    for k in range(_STRETCHES):
        start = held[0] - (length - (held[1] - held[0])) * k / (_STRETCHES - 1)
        left = ordered[:, 1:] < start[:, None]
        right = ordered[:, :-1] > start[:, None] + length
        fewest = min(fewest, int((pair & (left | right)).sum(axis=1).min()))
    return fewest
