"""What a method gives for one coordinate: a strategy, what it costs, and what it claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from feint.interfaces import Strategy
from feint.problem import Problem

Level = Fraction | int
"""L of one coordinate; coordinates that share a level may have any rational of at least 1."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """One way to search one coordinate.

    Attributes:
        queries: How many questions it asks.
        share: What multiplies over coordinates, and must come to 1/L: what the best eavesdropper
            wins with, at most; in the deterministic setting one over the number of places that
            stay possible.
        strategy: The search.
        success: What she wins with when X* is uniform, at most; None where it is not known.
        excess: The factor by which rounding its questions to decimals may raise her success; it is
            in the share already, and not in `success`.
        losses: Under noise, what each stage may lose: chances of a miss, or expected errors.
    """

    queries: int
    share: Fraction
    strategy: Strategy
    success: Fraction | None
    excess: Fraction = Fraction(1)
    losses: tuple[tuple[str, float], ...] = ()


Method = Callable[[Problem, Level, int | None], Option | None]
"""(problem, level of one coordinate, most rounds) → the way to search it, if there is one."""
