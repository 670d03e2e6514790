"""Several numbers: what each hides multiplies, and what each asks adds."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Protocol, TypeVar

from feint.exact import log2
from feint.interfaces import Progress, Strategy
from feint.planning.limits import EXACT_NUMBERS, EXACT_WORK, FINE_OPTIONS
from feint.planning.option import Level, Option
from feint.problem import Problem
from feint.strategies import Product

_NUDGE = 1 + Fraction(1, 10**9)
_STRIDE = 1 + Fraction(1, 32)  # the list of a coordinate's options is fine at first, then coarse
_CLOSE = 1e-6  # sums of logarithms are nearer than this
_TINY = 1e-12  # and those of equal products nearer than this


class Priced(Protocol):
    """What a coordinate may cost, such as an `Option`: questions, and what she wins with."""

    @property
    def queries(self) -> int:
        """Return how many questions it asks."""

    @property
    def share(self) -> Fraction:
        """Return what multiplies over coordinates."""


P = TypeVar("P", bound=Priced)
States = dict[int, tuple[float, tuple[P, ...]]]
"""Number of questions → the log2 of the least product of shares they buy, and how."""


def multiplied(factors: Iterable[Fraction]) -> Fraction:
    """Return the product; equal factors, of which there may be hundreds, are taken at once."""
    return math.prod((each**many for each, many in Counter(factors).items()), start=Fraction(1))


def together(problem: Problem, chosen: Sequence[Option]) -> Strategy:
    """Return the strategy of all coordinates, given an option for each."""
    if problem.dim == 1:
        return chosen[0].strategy
    return Product(problem, tuple(each.strategy for each in chosen))


def options(
    single: Callable[[Fraction], Option | None],
    level: Level,
    dim: int,
    equal: int,
    *,
    progress: Progress | None = None,
) -> list[Option]:
    """The ways of one coordinate that no other beats in both questions and share.

    Args:
        single: The cheapest way that holds the eavesdropper to one over a given level, if any.
        level: L of the whole problem.
        dim: The number of coordinates.
        equal: ⌈L^(1/d)⌉, a level that suffices when every coordinate has it.
        progress: Told how much of the level one coordinate alone was planned for, in hundredths of
            its logarithm.

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
        if progress is not None:
            progress("levels of one number", int(-100 * log2(option.share) / log2(level)), 100)
        nudge = _NUDGE if len(found) < FINE_OPTIONS else _STRIDE
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
    if dim > EXACT_NUMBERS or len(choices) ** 2 * dim > EXACT_WORK:
        return _pairs(choices, target, dim)
    return cheapest_mix([choices] * dim, target)


def cheapest_mix(curves: Sequence[Sequence[P]], target: Fraction) -> tuple[P, ...] | None:
    """Return one choice of each coordinate, the fewest questions in all.

    Args:
        curves: The choices of each coordinate.
        target: The most that their shares may multiply to.

    Returns:
        A choice a coordinate, or None if nothing reaches the target.
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
    for queries in sorted(states):  # logarithms order them; what is enough is said by fractions
        chosen = states[queries][1]
        if multiplied(each.share for each in chosen) <= target:
            return chosen
    return None


def _pairs(choices: Sequence[Option], target: Fraction, dim: int) -> tuple[Option, ...] | None:
    """The same for many coordinates, with at most two kinds of search among them."""
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
    """How many coordinates must be strong for the product to reach the target, give or take one.

    All by their logarithms; None where even all of them do not.
    """
    if dim * strong > aim + _CLOSE:
        return None
    if dim * weak <= aim - _CLOSE or weak == strong:
        return 0
    return min(dim, max(0, math.ceil((aim - dim * weak) / (strong - weak))))


def _enough(weak: Fraction, strong: Fraction, target: Fraction, dim: int, near: int) -> int | None:
    """Exactly how many, by what was found nearly."""
    for count in range(max(0, near - 1), min(dim, near + 1) + 1):
        if weak ** (dim - count) * strong**count <= target:
            return count
    return None


def _pruned(states: States[P], aim: float) -> States[P]:
    """Rising questions, falling product, and nothing dearer than the first that surely suffices."""
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
