"""Compute the best eavesdropper's success by playing every branch of a plan's strategy."""

from __future__ import annotations

from fractions import Fraction

from feint.branches import success
from feint.errors import TooLarge
from feint.interfaces import Strategy, asks_all, columns
from feint.planning.limits import LINE_BRANCHES, PLAN_BRANCHES, PLAN_LOOKS, PLAN_WORK
from feint.problem import Line


def is_quick(strategy: Strategy, work: int = PLAN_WORK) -> bool:
    """Return True if enumerating the branches of a strategy, if they are few, takes about a second.

    Args:
        strategy: A noiseless strategy.
        work: The maximum of cells × columns.
    """
    cells, wide = max(strategy.cells), columns(strategy)
    # Tables look at every place in every column; strategies that ask all places do not.
    is_narrow = asks_all(strategy) or cells * wide * wide <= PLAN_LOOKS
    return is_narrow and cells * wide <= work


def enumerated(
    strategy: Strategy,
    line: Line | None = None,
    *,
    limit: int | None = None,
    work: int = PLAN_WORK,
) -> Fraction | None:
    """Return the best eavesdropper's success exactly, or None if that takes too long.

    Args:
        strategy: A noiseless strategy of one number.
        line: The lattice with the shown questions and the distribution of the number. None: equal
            cells with equal probabilities.
        limit: The number of branches beyond which to give up. None: the limit for plans, which is
            higher for unequal cells, since no theorem is as close then.
        work: As in `is_quick`.
    """
    if not is_quick(strategy, work):
        return None
    if limit is None:
        alike = line is None or (line.even and line.prior is None)
        limit = PLAN_BRANCHES if alike else LINE_BRANCHES
    try:
        return success(strategy, line=line, limit=limit)
    except TooLarge:
        return None
