"""Combine coordinates: shares of the eavesdropper's success multiply, and questions add."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

from feint.exact import log2
from feint.interfaces import Progress, Strategy
from feint.planning.limits import EXACT_NUMBERS, EXACT_WORK, FINE_OPTIONS, NEAR_LEVELS
from feint.planning.option import Level, Option
from feint.problem import Problem
from feint.strategies import Product

_NUDGE = 1 + Fraction(1, 10**9)
# options of a coordinate first lie close together, then this ratio apart
_STRIDE = 1 + Fraction(1, 32)
_CLOSE = 1e-6  # rounding errors of sums of logarithms are below this
_TINY = 1e-12  # rounding errors of equal products are below this


class Priced(Protocol):
    """The cost of a coordinate, such as an `Option`: questions, and the eavesdropper's success."""

    @property
    def queries(self) -> int:
        """Return the number of questions."""

    @property
    def share(self) -> Fraction:
        """Return the factor of this coordinate in the product of successes."""


P = TypeVar("P", bound=Priced)
States = dict[int, tuple[float, tuple[P, ...]]]
"""Number of questions → the log2 of the smallest product of shares, and the choices for it."""


def multiplied(factors: Iterable[Fraction]) -> Fraction:
    """Return the product of factors; equal ones, maybe hundreds, are combined into one power."""
    return math.prod((each**many for each, many in Counter(factors).items()), start=Fraction(1))


def together(problem: Problem, chosen: Sequence[Option]) -> Strategy:
    """Return the strategy for all coordinates, given an option for each."""
    if problem.dim == 1:
        return chosen[0].strategy
    return Product(problem, tuple(each.strategy for each in chosen))


def options(
    single: Callable[[Fraction], Option | None],
    level: Level,
    dim: int,
    equal: int,
    *,
    near: bool = False,
    progress: Progress | None = None,
) -> list[Option]:
    """Return the options of one coordinate that no other beats in both questions and share.

    Args:
        single: A function that returns the cheapest option that limits her success to 1/level, if
            there is one.
        level: L of the whole problem.
        dim: The number of coordinates.
        equal: ⌈L^(1/d)⌉, a level that suffices if every coordinate has it.
        near: True to try only levels near the equal one, and no level at all.
        progress: A callback that receives the level that was just planned for one coordinate, in
            hundredths of the logarithm of the whole level.

    Returns:
        The options, ordered by cost.
    """
    bare, even = single(Fraction(1)), single(Fraction(equal))
    # a plan that hides nothing may take too many rounds even if another plan does not
    if bare is None:
        bare = single(_NUDGE)
    if bare is None:
        return [] if even is None else [even]
    found, option = [bare], bare
    while option.share * level > 1:
        if progress is not None:
            progress("levels of one number", int(-100 * log2(option.share) / log2(level)), 100)
        wanted = (_NUDGE if len(found) < FINE_OPTIONS else _STRIDE) / option.share
        if near:
            wanted = max(wanted, Fraction(equal, NEAR_LEVELS))
            if wanted > equal * NEAR_LEVELS:
                break
        stricter = single(wanted)
        if stricter is None or stricter.share >= option.share:
            break
        if even and stricter.queries > bare.queries + dim * (even.queries - bare.queries):
            break  # equal options for all coordinates cost less
        option = stricter
        found.append(option)
    return _front(found if even is None else [*found, even])


def share(choices: Sequence[Option], level: Level, dim: int) -> tuple[Option, ...] | None:
    """Return the cheapest options whose shares multiply to at most 1/level, one per coordinate.

    Args:
        choices: The options of one coordinate.
        level: L.
        dim: The number of coordinates.

    Returns:
        One option per coordinate, or None if nothing reaches the level.
    """
    target = 1 / Fraction(level)
    if dim > EXACT_NUMBERS or len(choices) ** 2 * dim > EXACT_WORK:
        return _pairs(choices, target, dim)
    return cheapest_mix([choices] * dim, target)


def cheapest_mix(curves: Sequence[Sequence[P]], target: Fraction) -> tuple[P, ...] | None:
    """Return one choice per coordinate, with the smallest total number of questions.

    Args:
        curves: The choices of each coordinate.
        target: The upper limit on the product of their shares.

    Returns:
        One choice per coordinate, or None if nothing reaches the target.
    """
    aim = log2(target)
    states: States[P] = {0: (0.0, ())}
    for curve in curves:
        weights = [(each, log2(each.share)) for each in curve]
        after: States[P] = {}
        for queries, (product, chosen) in states.items():
            for choice, weight in weights:
                total, less = queries + choice.queries, product + weight
                if total not in after or less < after[total][0] - _TINY:
                    after[total] = (less, (*chosen, choice))
        states = _pruned(after, aim)
    # logarithms give the order; exact fractions decide whether the target is reached
    for queries in sorted(states):
        chosen = states[queries][1]
        if multiplied(each.share for each in chosen) <= target:
            return chosen
    return None


def _pairs(choices: Sequence[Option], target: Fraction, dim: int) -> tuple[Option, ...] | None:
    """Return the cheapest options for many coordinates, with at most two kinds among them."""
    best: tuple[int, Option, Option, int] | None = None
    aim, logs = log2(target), [(each, log2(each.share)) for each in choices]
    for (few, weak), (many, strong) in itertools.combinations_with_replacement(logs, 2):
        near = _nearly(weak, strong, aim, dim)
        if near is None:
            continue
        least = (dim - max(0, near - 1)) * few.queries + max(0, near - 1) * many.queries
        if best is None or least < best[0]:
            count = _enough(few.share, many.share, target, dim, near)
            if count is not None:
                queries = (dim - count) * few.queries + count * many.queries
                if best is None or queries < best[0]:
                    best = (queries, few, many, count)
    if best is None:
        return None
    _, few, many, count = best
    return (many,) * count + (few,) * (dim - count)


def _nearly(weak: float, strong: float, aim: float, dim: int) -> int | None:
    """Return the number of strong coordinates that reach the target, within one.

    The arguments are logarithms. None if even strong coordinates everywhere do not reach it.
    """
    if dim * strong > aim + _CLOSE:
        return None
    if dim * weak <= aim - _CLOSE or weak == strong:
        return 0
    return min(dim, max(0, math.ceil((aim - dim * weak) / (strong - weak))))


def _enough(weak: Fraction, strong: Fraction, target: Fraction, dim: int, near: int) -> int | None:
    """Return the exact number of strong coordinates, given the approximate one."""
    for count in range(max(0, near - 1), min(dim, near + 1) + 1):
        if weak ** (dim - count) * strong**count <= target:
            return count
    return None


def _pruned(states: States[P], aim: float) -> States[P]:
    """Drop states that a cheaper one beats, and those beyond the first that surely suffices."""
    kept: States[P] = {}
    least: float | None = None
    for queries in sorted(states):
        product = states[queries][0]
        if least is None or product < least - _TINY:
            kept[queries], least = states[queries], product
            if product <= aim - _CLOSE:
                break
    return kept


def _front(found: Sequence[Option]) -> list[Option]:
    front: list[Option] = []
    for option in sorted(found, key=lambda each: (each.queries, each.share)):
        if not front or option.share < front[-1].share:
            front.append(option)
    return front
