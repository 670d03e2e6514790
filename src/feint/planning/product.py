"""Sharing the level among coordinates: what each hides multiplies, what each asks adds."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

from feint.exact import bracket
from feint.planning.option import Level, Option

_NUDGE = 1 + Fraction(1, 10**9)
_STRIDE = 1 + Fraction(1, 32)  # the list of a coordinate's options is fine at first, then coarse
_FINE = 64
_FEW, _WORK = 6, 60_000


States = dict[int, tuple[Fraction, tuple[Option, ...]]]
"""So many questions → the least product of shares they buy, and how."""


def options(
    single: Callable[[Fraction], Option | None], level: Level, dim: int, equal: int
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
    if bare is None:  # it may take more rounds than there are, where a search that hides does not
        bare = single(_NUDGE)
    if bare is None:
        return [] if even is None else [even]
    found, option = [bare], bare
    while option.share * level > 1:
        nudge = _NUDGE if len(found) < _FINE else _STRIDE
        stricter = single(nudge / option.share)
        if stricter is None or stricter.share >= option.share:
            break
        if even and stricter.queries > bare.queries + dim * (even.queries - bare.queries):
            break  # dearer than all coordinates alike
        option = stricter
        found.append(option)
    return _front(found if even is None else [*found, even])


def share(choices: Sequence[Option], level: Level, dim: int) -> tuple[Option, ...] | None:
    """The cheapest choice for every coordinate whose shares multiply to at most 1/level.

    Args:
        choices: The options of one coordinate.
        level: L.
        dim: The number of coordinates.

    Returns:
        One option a coordinate, or None when nothing reaches the level.
    """
    target = 1 / Fraction(level)
    if dim > _FEW or len(choices) ** 2 * dim > _WORK:
        return _pairs(choices, target, dim)
    states: States = {0: (Fraction(1), ())}
    for _ in range(dim):
        after: States = {}
        for queries, (product, chosen) in states.items():
            for option in choices:
                total, less = queries + option.queries, product * option.share
                if total not in after or less < after[total][0]:
                    after[total] = (less, (*chosen, option))
        states = _pruned(after, target)
    _, (product, chosen) = max(states.items(), key=lambda item: item[0])
    return chosen if product <= target else None


def _pairs(choices: Sequence[Option], target: Fraction, dim: int) -> tuple[Option, ...] | None:
    """The same for many coordinates, with at most two kinds of search among them."""
    best: tuple[int, Option, Option, int] | None = None
    for few, many in itertools.combinations_with_replacement(choices, 2):
        count = _enough(few.share, many.share, target, dim)
        if count is not None:
            queries = (dim - count) * few.queries + count * many.queries
            if best is None or queries < best[0]:
                best = (queries, few, many, count)
    if best is None:
        return None
    _, few, many, count = best
    return (many,) * count + (few,) * (dim - count)


def _enough(weak: Fraction, strong: Fraction, target: Fraction, dim: int) -> int | None:
    """How many coordinates must be strong for the product to reach the target."""
    if strong**dim > target:
        return None
    _, least = bracket(lambda many: weak ** (dim - many) * strong**many <= target, -1, dim)
    return least


def _pruned(states: States, target: Fraction) -> States:
    """Rising questions, falling product, and nothing dearer than the first that suffices."""
    kept: States = {}
    least: Fraction | None = None
    for queries in sorted(states):
        product = states[queries][0]
        if least is None or product < least:
            kept[queries], least = states[queries], product
            if product <= target:
                break
    return kept


def _front(found: Sequence[Option]) -> list[Option]:
    front: list[Option] = []
    for option in sorted(found, key=lambda each: (each.queries, each.share)):
        if not front or option.share < front[-1].share:
            front.append(option)
    return front
