"""Measure planning under a prior: processor time by the number of bins and the level."""

from __future__ import annotations

import time

from benchmarks.measure import Figure

from feint import plan
from feint.problem import UNIT

# Bins, level, epsilon, delta, and the seconds that planning may take.
CASES = (
    (10, 4, "1/1000", "1/50", 1.0),
    (100, 4, "1/1000", "1/50", 1.0),
    (1000, 4, "1/1000", "1/50", 1.0),
    (1000, 8, "1/1000", "1/100", 1.0),
    (1000, 16, "1/2000", "1/200", 1.0),
    (10_000, 16, "1/2000", "1/200", 10.0),
    (10_000, 50, "1/10000", "1/1000", 10.0),
    (10_000, 100, "1/10000", "1/1000", 10.0),
)


def priors() -> list[Figure]:
    """Time plans under priors, and their growth with bins and level."""
    found = []
    for bins, level, epsilon, delta, most in CASES:
        law = UNIT.prior("normal(0.5, 0.15)", bins=bins)
        problem = UNIT.problem(epsilon=epsilon, delta=delta, level=level, prior=law)
        begun = time.process_time()
        made = plan(problem)
        spent = time.process_time() - begun
        name = f"processor time of a plan under a prior of {bins} bins at L = {level} / {most:g} s"
        found.append(Figure(name, spent / most, 1.0, f"{spent:.2f} s, {made.queries} questions"))
    return found
