"""The cheapest member of the planted family: guesses along a bisection and guesses on a grid.

There are L guesses. K of them lie along a bisection, one or two at the ends, and the rest at the
cuts of M parts. The number of questions is 2L, less one for each end, plus the steps that finish
one part of length 2^−K/M. Guesses must start at least δ apart; a guess at the last cell is one cell
nearer to its neighbour. See proofs/planted.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction

from feint.exact import ceil_div, ceil_log2, floor_log2
from feint.planning.limits import NEAR_GUESSES
from feint.planning.noiseless.steps import cheapest_factors
from feint.strategies import PlantedShape


def cheapest_planted(
    epsilon: Fraction, delta: Fraction, level: int, *, rounds: int | None = None
) -> PlantedShape | None:
    """Return the shape with at least `level` guesses and the fewest questions.

    Args:
        epsilon: The full width of the accuracy.
        delta: The least distance between the starts of guesses.
        level: L, the least number of guesses.
        rounds: The most rounds; None for any number.

    Returns:
        The shape, or None if none fits.
    """
    found = []
    for left, right, bisected, parts in _shapes(level, int(1 / delta), 1 / epsilon, rounds):
        length = Fraction(1, parts << bisected)
        spare = None if rounds is None else rounds - bisected - (parts > 1)
        need = ceil_div(length, epsilon)
        steps = cheapest_factors(need, spare)
        cell = length / math.prod(steps)
        if length - (cell if right else 0) >= delta:
            found.append(
                PlantedShape(left=left, right=right, bisected=bisected, parts=parts, steps=steps)
            )
    return min(found, key=_cost, default=None)


def cheapest_planted_whole(
    values: int, window: int, level: int, *, accuracy: int, rounds: int | None = None
) -> PlantedShape | None:
    """Return the cheapest shape on `values` whole values, with guesses `window` values apart.

    Args:
        values: The number of values.
        window: The least distance between the starts of guesses, in values.
        level: L, the least number of guesses.
        accuracy: The most neighbouring values that the last interval may have.
        rounds: The most rounds; None for any number.

    Returns:
        The shape, or None if none fits.
    """
    found = []
    for left, right, bisected, parts in _shapes(level, values // window, Fraction(values), rounds):
        small = (values >> bisected) // parts
        large = ceil_div(ceil_div(values, 1 << bisected), parts)
        spare = None if rounds is None else rounds - bisected - (parts > 1)
        need = ceil_div(large, accuracy)
        steps = cheapest_factors(need, spare)
        if small - right >= window:
            found.append(
                PlantedShape(left=left, right=right, bisected=bisected, parts=parts, steps=steps)
            )
    return min(found, key=_cost, default=None)


def paper_planted(epsilon: Fraction, delta: Fraction, level: int) -> PlantedShape:
    """Return the shape of Algorithm 2 if δ ≤ 2^−L, else of Algorithm 3 with the least K allowed."""
    if level <= floor_log2(1 / delta):
        steps = ceil_log2(Fraction(1, 1 << level) / epsilon)
        return PlantedShape(bisected=level, steps=(2,) * steps)
    bisected = next(k for k in range(level) if delta <= _part(k, level) <= 2 * delta)
    steps = ceil_log2(_part(bisected, level) / epsilon)
    parts = level - bisected
    return PlantedShape(left=True, bisected=bisected, parts=parts, steps=(2,) * steps)


def opportunistic_planted(epsilon: Fraction, level: int) -> PlantedShape:
    """Return the shape with all guesses on a grid of L parts (Tsitsiklis, Xu and Xu 2018)."""
    steps = ceil_log2(1 / (level * epsilon))
    return PlantedShape(left=True, parts=level, steps=(2,) * steps)


def _part(bisected: int, level: int) -> Fraction:
    return Fraction(1, (level - bisected) << bisected)


def _cost(shape: PlantedShape) -> tuple[int, int]:
    return shape.queries, shape.rounds


def _shapes(
    level: int, most: int, cells: Fraction, rounds: int | None
) -> Iterator[tuple[bool, bool, int, int]]:
    """Yield every way to place the guesses in at most `most` parts that leaves a round to finish.

    With few rounds, more guesses than the level asks for may be cheaper than wide steps.
    """
    for left, right in ((True, True), (True, False), (False, False)):
        for bisected in range(most.bit_length()):
            least = level - left - right - bisected + 1
            spare = None if rounds is None else rounds - bisected - 1
            for parts in _parts(max(1, least), float(cells) / 2**bisected, spare):
                late = rounds is not None and bisected + (parts > 1) >= rounds
                if parts >= least and parts << bisected <= most and not late:
                    yield left, right, bisected, parts


def _parts(least: int, block: float, rounds: int | None) -> Iterable[int]:
    """Return the fewest parts and, with few rounds, those around the best trade-off with steps."""
    if rounds is None or rounds < 1:
        return (least,)
    best = round(math.pow(math.pow(block, 1 / rounds) / 2, rounds / (rounds + 1)))
    return sorted(
        {
            *range(least, least + NEAR_GUESSES),
            *range(max(least, best - NEAR_GUESSES), best + NEAR_GUESSES),
        }
    )
