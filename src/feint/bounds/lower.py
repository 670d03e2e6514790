"""The largest number of questions that no plan can go below: the best bound that is proved."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from feint.bounds.near import near_lower
from feint.bounds.noisy_near import meta_converse_lower, near_noisy_lower
from feint.bounds.theorems import (
    Value,
    deterministic_earlier_lower,
    deterministic_lower,
    noisy_search_lower,
)
from feint.errors import OutOfRegime
from feint.exact import ceil_div, ceil_log2
from feint.problem import Problem, problem_of

_SAFE = 1e-9  # a bound in floats is lowered by this share before it is rounded up


def lower_bound(problem: Problem) -> int | None:
    """Return the most questions that every plan must be ready to ask, as far as it is proved.

    It bounds the largest number of questions of a plan, never the mean over its runs. Under a prior
    on whole values it is about the prior as it was read, and about plans that ask between values.

    Args:
        problem: What is wanted, of any kind.

    Returns:
        The best bound that is proved; None if nothing is proved (a prior on an interval, or in
        several dimensions, or under noise).

    Example:
        >>> lower_bound(Problem("2^-20", "2^-8", 15))
        199
        >>> lower_bound(Problem("1/64", "1/8", 3, setting="deterministic"))
        6
    """
    problem_of(problem)
    if problem.prior is not None:
        return max(_proved(problem, near_lower), default=None)
    if problem.noisy:
        return _noisy(problem)
    pieces = problem.values or ceil_div(1, problem.epsilon)
    # Every box of side ε needs answers of its own, in all dimensions and settings.
    found = [ceil_log2(Fraction(pieces**problem.dim))]
    if problem.setting == "deterministic" and problem.dim == 1:
        found += _proved(problem, deterministic_lower, deterministic_earlier_lower)
    elif problem.dim == 1:
        found += _proved(problem, near_lower)
    return max(found)


def _noisy(problem: Problem) -> int | None:
    """Return the bound under noise, or None."""
    found = _proved(problem, near_noisy_lower, meta_converse_lower, noisy_search_lower)
    return max(0, *found) if found else None


def _proved(problem: Problem, *bounds: Callable[[Problem], Value]) -> list[int]:
    """Return the bounds whose conditions hold, rounded up to whole numbers."""
    found = list[int]()
    for bound in bounds:
        try:
            value = bound(problem)
        except OutOfRegime:
            continue
        found.append(math.ceil(value * (1 - _SAFE) if isinstance(value, float) else value))
    return found
