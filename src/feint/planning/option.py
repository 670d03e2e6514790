"""What a method gives for one coordinate: a strategy, what it costs, and what it claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from feint.interfaces import Strategy
from feint.problem import Line, Problem
from feint.strategies import PlantedShape, StagedShape

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
        success: What she wins with at most, X* uniform or under the problem's prior; None if it is
            not known.
        scale: Where its questions are shown; None: where they fall, or at ticks of the range's own.
            The share is about the questions as shown, and where they are not even `success` is
            None.
        losses: Under noise, what each stage may lose: chances of a miss, or expected errors.
        is_enumerated: Whether the share rests on enumerating the strategy, so that no theorem alone
            promises it.
        shape: The member of a family that it is, if it is one: it may be laid on other cells.
    """

    queries: int
    share: Fraction
    strategy: Strategy
    success: Fraction | None
    scale: Line | None = None
    losses: tuple[tuple[str, float], ...] = ()
    is_enumerated: bool = False
    shape: StagedShape | PlantedShape | None = None


Method = Callable[[Problem, Level, int | None], Option | None]
"""(problem, level of one coordinate, most rounds) → the way to search it, if there is one."""
