"""Compute the best proved lower bound on the largest number of questions of a plan."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from feint.bounds.lattice import fewest_pieces
from feint.bounds.near import near_lower, near_product_lower
from feint.bounds.noisy_near import meta_converse_lower, near_noisy_lower
from feint.bounds.theorems import Value, deterministic_lower, noisy_search_lower
from feint.bounds.weighted import MOST_CELLS
from feint.bounds.worst_case import guesses_lower
from feint.errors import OutOfRegime
from feint.exact import ceil_log2
from feint.problem import Line, Problem, problem_of

_SAFE = 1e-9  # a bound in floats is lowered by this share before it is rounded up


def lower_bound(
    problem: Problem, *, line: Line | None = None, success: Fraction | None = None
) -> int | None:
    """Return a proved lower bound on the largest number of questions of every plan.

    It bounds the maximum over the runs of a plan, never the mean. Under a prior on whole values it
    covers the binned prior, and plans that ask between values. In several dimensions it covers
    plans that search every coordinate independently.

    Args:
        problem: A problem of any kind.
        line: For one number on an interval, a lattice with the prior. The bound then covers plans
            that ask at its boundaries, if it has at most 400 cells. None: plans may ask anywhere.
        success: The allowed success of the eavesdropper; None: 1/L.

    Returns:
        The best bound that is proved; None if nothing is proved, as under noise with a prior and
        accuracy on average.

    Example:
        >>> lower_bound(Problem("2^-20", "2^-8", 15))
        199
        >>> lower_bound(Problem("1/64", "1/8", 3, setting="deterministic"))
        7
    """
    problem_of(problem)
    if problem.noisy:
        return _noisy(problem, success)
    # In all settings, every box of side ε that may hold X* needs different answers.
    boxes = math.prod(_pieces(problem, coordinate) for coordinate in range(problem.dim))
    found = [ceil_log2(boxes)]
    if problem.setting == "deterministic":
        return max(found + _proved(problem, guesses_lower, deterministic_lower))
    found += _proved(problem, partial(near_product_lower, success=success))
    found += _proved(problem, partial(near_lower, success=success))
    if line is not None and line.size <= MOST_CELLS:
        found += _proved(problem, partial(near_lower, line=line, success=success))
    return max(found)


def _pieces(problem: Problem, coordinate: int) -> int:
    """Return the fewest intervals of width ε, or values, that hold all mass of a coordinate."""
    law = problem.law(coordinate)
    if problem.values is None:
        return fewest_pieces(Line.of_cells(1, law), problem.epsilon)
    return problem.values if law.uniform else sum(weight > 0 for weight in law.weights)


def _noisy(problem: Problem, success: Fraction | None) -> int | None:
    """Return the bound under noise; None if it is trivial."""
    near = partial(near_noisy_lower, success=success)
    found = _proved(problem, near, meta_converse_lower, noisy_search_lower)
    return max(found, default=0) or None


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
