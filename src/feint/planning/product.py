"""Sharing the level among coordinates: what each hides multiplies, what each asks adds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from feint.interfaces import Strategy

_NUDGE = 1 + Fraction(1, 10**9)


@dataclass(frozen=True)
class Option:
    """One way to search one coordinate.

    Attributes:
        queries: How many questions it asks.
        share: What multiplies over coordinates, and must come to 1/L: what the best eavesdropper
            wins with, at most; in the deterministic setting one over the number of places that
            stay possible.
        strategy: The search.
        success: What she wins with when X* is uniform, at most; None where it is not known.
        budget: Under noise, what each stage may lose: chances of a miss, or expected errors.
    """

    queries: int
    share: Fraction
    strategy: Strategy
    success: Fraction | None
    budget: tuple[tuple[str, float], ...] = ()


def options(
    single: Callable[[Fraction], Option | None], level: int, dim: int, equal: int
) -> list[Option]:
    """The ways of one coordinate that no other beats in both questions and share.

    Args:
        single: The cheapest way that holds the eavesdropper to one over a given level, if any.
        level: L of the whole problem.
        dim: The number of coordinates.
        equal: ⌈L^(1/d)⌉, a level that suffices when every coordinate has it.

    Returns:
        The options, cheapest first.
    """
    bare, even = single(Fraction(1)), single(Fraction(equal))
    if bare is None or even is None:
        return [] if bare is None else [bare]
    dearest = bare.queries + dim * (even.queries - bare.queries)
    found, option = [bare], bare
    while option.share * level > 1:
        stricter = single(_NUDGE / option.share)
        if stricter is None or stricter.queries > dearest or stricter.share >= option.share:
            break
        option = stricter
        found.append(option)
    return _front([*found, even])


def share(choices: Sequence[Option], level: int, dim: int) -> tuple[Option, ...] | None:
    """The cheapest choice for every coordinate whose shares multiply to at most 1/level.

    Args:
        choices: The options of one coordinate.
        level: L.
        dim: The number of coordinates.

    Returns:
        One option a coordinate, or None when nothing reaches the level.
    """
    target = Fraction(1, level)
    states: dict[int, tuple[Fraction, tuple[Option, ...]]] = {0: (Fraction(1), ())}
    for _ in range(dim):
        after: dict[int, tuple[Fraction, tuple[Option, ...]]] = {}
        for queries, (success, chosen) in states.items():
            for option in choices:
                total, product = queries + option.queries, success * option.share
                if total not in after or product < after[total][0]:
                    after[total] = (product, (*chosen, option))
        states = _pruned(after, target)
    queries, (success, chosen) = max(states.items())
    return chosen if success <= target else None


def _pruned(
    states: dict[int, tuple[Fraction, tuple[Option, ...]]], target: Fraction
) -> dict[int, tuple[Fraction, tuple[Option, ...]]]:
    """Rising questions, falling success, and nothing dearer than the first that suffices."""
    kept: dict[int, tuple[Fraction, tuple[Option, ...]]] = {}
    least: Fraction | None = None
    for queries in sorted(states):
        success = states[queries][0]
        if least is None or success < least:
            kept[queries], least = states[queries], success
            if success <= target:
                break
    return kept


def _front(found: Sequence[Option]) -> list[Option]:
    front: list[Option] = []
    for option in sorted(found, key=lambda each: (each.queries, each.share)):
        if not front or option.share < front[-1].share:
            front.append(option)
    return front
