"""What the best eavesdropper wins with against a plan, by playing every branch of its strategy."""

from __future__ import annotations

from fractions import Fraction

from feint.branches import success
from feint.errors import TooLarge
from feint.interfaces import Strategy, asks_all, columns
from feint.planning.limits import LINE_BRANCHES, PLAN_BRANCHES, PLAN_LOOKS, PLAN_WORK
from feint.problem import Line


def is_quick(strategy: Strategy, work: int = PLAN_WORK) -> bool:
    """Return True if all branches of a strategy are enumerated in about a second, if they are few.

    Args:
        strategy: A noiseless strategy.
        work: The most cells × columns.
    """
    cells, wide = max(strategy.cells), columns(strategy)
    # Tables look at every place in every column; strategies that ask all of them do not.
    is_narrow = asks_all(strategy) or cells * wide * wide <= PLAN_LOOKS
    return is_narrow and cells * wide <= work


def enumerated(
    strategy: Strategy,
    line: Line | None = None,
    *,
    limit: int | None = None,
    work: int = PLAN_WORK,
) -> Fraction | None:
    """Return what the best eavesdropper wins with, exactly, or None if that takes too long.

    Args:
        strategy: A noiseless strategy of one number.
        line: Where its questions are shown, and where the number may be; None: equal cells, all
            alike.
        limit: The number of branches beyond which to give up; None: those of a plan, more of them
            if cells are not alike, since no theorem is as close then.
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
