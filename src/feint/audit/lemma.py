"""The lemmas behind Theorem 1's lower bound, measured on a strategy instead of believed.

For every accurate strategy, X* uniform, with I_k what the learner knows after k queries:

1. the expected number of queries within δ/2 of X* is at least log δ/4ε;
2. the first K = ⌊log 1/(Lδ)⌋ of them contribute at most 1/L;
3. E 1/|I_k| ≤ 2^k for every k.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.adversaries import first_queries
from feint.audit.exact import LIMIT, coordinates
from feint.branches import Branches, Posteriors, branches, refine
from feint.exact import log2, root, text
from feint.interfaces import UNASKED, Strategy
from feint.problem import Problem


@dataclass(frozen=True)
class Lemma:
    """A lemma, and what it comes to for one strategy.

    Attributes:
        name: What it is about.
        measured: The value for this strategy, exactly.
        limit: What the lemma says it may be.
        least: Whether the limit is from below.
    """

    name: str
    measured: Fraction
    limit: Fraction | float
    least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the measured value is on the right side."""
        return self.measured >= self.limit if self.least else self.measured <= self.limit

    @property
    def words(self) -> str:
        """Measured against claimed."""
        sign = "at least" if self.least else "at most"
        told = "" if self.holds else ": BROKEN"
        return (
            f"{float(self.measured):.6g} ({sign} {float(self.limit):.6g}, the number uniform){told}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The lemma for JSON: rationals as strings."""
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
        strategy: What to measure.
        problem: Which ε, δ and L to measure against; the strategy's own by default. In d
            coordinates each one has level L^(1/d).
        limit: Branches beyond which to refuse.

    Returns:
        Three lemmas a coordinate.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    wanted = problem or strategy.problem
    parts = coordinates(strategy)
    found: list[Lemma] = []
    for index, each in enumerate(parts):
        where = f" (coordinate {index})" if len(parts) > 1 else ""
        found += _of_one(each, wanted, where, limit)
    return tuple(found)


def _of_one(strategy: Strategy, problem: Problem, where: str, limit: int) -> list[Lemma]:
    cells = strategy.cells[0]
    queries = sum(len(each.coordinates) for each in strategy.rounds)
    scale = refine(cells, problem.delta / 2)
    near = [Fraction(0)] * queries
    inverse = [Fraction(0)] * (queries + 1)
    for part in branches(strategy, chunk=max(64, (1 << 20) // max(1, queries)), limit=limit):
        table = part.transcripts
        for k, share in enumerate(_near(part, table, cells, scale, problem.delta)):
            near[k] += share
        for k, value in enumerate(_inverse(part, table, cells)):
            inverse[k] += value
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
    ]


def _near(
    part: Branches, table: NDArray[np.int64], cells: int, scale: int, delta: Fraction
) -> list[Fraction]:
    """For each query, the probability that it lies within δ/2 of X*."""
    held = Posteriors.of(part, cells, scale)
    near = held.around(table, int(delta * held.units / 2))
    sums = np.where(table == UNASKED, 0, near).sum(axis=0)
    return [Fraction(int(each), part.total * held.units) for each in sums]


def _inverse(part: Branches, table: NDArray[np.int64], cells: int) -> list[Fraction]:
    """For each k, E 1/|I_k| over these branches, X* on the unit interval."""
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
        heap = np.zeros(len(lengths), size.dtype)
        np.add.at(heap, which.reshape(-1), size)
        for length, amount in zip(lengths.tolist(), heap.tolist(), strict=True):
            sums[length] += int(amount)
        found.append(
            sum((Fraction(amount, length) for length, amount in sums.items()), Fraction(0))
            / part.total
        )
    return found
