"""Describe a method's result for one coordinate: a strategy, its cost, and its guarantee."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from feint.interfaces import Strategy
from feint.problem import Line, Problem
from feint.strategies import PlantedShape, StagedShape

Level = Fraction | int
"""L of one coordinate. Coordinates that share a level may have any rational of at least 1."""


@dataclass(frozen=True, kw_only=True)
class Option:
    """One way to search one coordinate.

    Attributes:
        queries: The number of questions.
        share: The factor of this coordinate in a product over coordinates that must be at most 1/L.
            It bounds the best eavesdropper's success. In the deterministic setting it is one over
            the number of places that stay possible.
        strategy: The search.
        success: An upper bound on her success if X* is uniform or follows the problem's prior; None
            if it is not known.
        scale: The positions where questions are shown. None: their exact positions, or ticks of the
            range itself. The share covers the questions as shown. `success` is None if they are
            rounded.
        losses: The limit on each stage's loss under noise: probabilities of a miss, or expected
            errors.
        is_enumerated: True if the share comes from enumerating the strategy and no theorem alone
            guarantees it.
        shape: The member of a family that this is, if any. It can be built on other cells too.
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
"""A function (problem, level of one coordinate, maximum rounds) → the option, or None."""
