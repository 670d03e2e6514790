"""Compare plans with the best lower bound on 500 random problems, the same in every version.

The generator and its seed stay as they are, so that versions of the planner can be compared.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from benchmarks.measure import Figure

SEED = 32
COUNT = 500
_WORST = 20  # problems that are listed


class Gap(NamedTuple):
    """One problem: the most questions of its plan, and a lower bound for every plan."""

    words: str
    queries: int
    least: int

    @property
    def ratio(self) -> float:
        """Return the plan's questions over the bound."""
        return self.queries / self.least


def problems(count: int = COUNT) -> Iterator[tuple[Fraction, Fraction, int, int | None]]:
    """Yield epsilon, delta, level and number of values (None: an interval) of random problems.

    Levels, the share of the range that L windows cover, and the ratio of delta to epsilon are
    log-uniform: levels from 2 to 64, L·delta from 1/64 to 1, delta/epsilon from 2 to 1024. Two in
    five problems are about whole values, at most 2,000 of them.
    """
    draw = random.Random(SEED)
    for _ in range(count):
        level = int(2 ** draw.uniform(1, 6))
        room, fine = 2 ** draw.uniform(0, 6), 2 ** draw.uniform(1, 10)
        if draw.random() < 0.6:
            delta = Fraction(round(10**6 / (level * room)), 10**6)
            yield delta / round(fine), delta, level, None
        else:
            window = round(2 ** draw.uniform(0, 5))
            values = min(max(level * window, round(level * window * room)), 2000)
            window = min(window, values // level)
            yield Fraction(1, values), Fraction(window, values), level, values


def gaps(count: int = COUNT) -> list[Gap]:
    """Plan every problem by the recommended method, and bound it."""
    from feint import Problem, plan
    from feint.bounds import lower_bound

    found = []
    for epsilon, delta, level, values in problems(count):
        problem = Problem(epsilon, delta, level, values=values)
        about = f"epsilon {epsilon}, delta {delta}, level {level}"
        words = about if values is None else f"{values} values, D {delta * values}, level {level}"
        least = lower_bound(problem)
        if not least:
            raise RuntimeError("every problem of the benchmark has a lower bound")
        found.append(Gap(words, plan(problem).queries, least))
    return found


def gap() -> Figure:
    """Return the mean ratio of plans to the bound, and list the worst."""
    found = gaps()
    mean = statistics.fmean(each.ratio for each in found)
    optimal = sum(each.queries == each.least for each in found)
    worst = sorted(found, key=lambda each: -each.ratio)[:_WORST]
    listed = "; ".join(f"{each.words}: {each.queries} against {each.least}" for each in worst)
    note = f"{optimal} of {len(found)} plans are optimal; the worst {_WORST}: {listed}"
    return Figure("questions of a plan / lower bound, mean of 500 problems", mean, 1.05, note)
