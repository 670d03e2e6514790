"""List decimals that are 1, 2 or 5 times a power of ten."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from feint.exact import floor_log2
from feint.planning.limits import TICKS_TRIED
from feint.problem import Domain


def even_ticks(domain: Domain, widest: Fraction) -> Iterator[Fraction]:
    """Return ticks of 1, 2 or 5 times a power of ten that divide both ends, the coarsest first."""
    return (each for each in decimals(widest) if not (domain.low % each or domain.high % each))


def decimals(widest: Fraction) -> Iterator[Fraction]:
    """Return 1, 2 and 5 times powers of ten, none above `widest`, the coarsest first."""
    exponent = _floor_log10(widest) + 1
    for turn in range(TICKS_TRIED):
        tick = Fraction((5, 2, 1)[turn % 3]) * Fraction(10) ** (exponent - turn // 3)
        if tick <= widest:
            yield tick


def power_of_ten(most: Fraction) -> Fraction:
    """Return the largest power of ten that is no larger."""
    return Fraction(10) ** _floor_log10(most)


def _floor_log10(value: Fraction) -> int:
    """Return ⌊log₁₀ value⌋, exactly."""
    guess = floor_log2(value) * 3 // 10
    while Fraction(10) ** (guess + 1) <= value:
        guess += 1
    while Fraction(10) ** guess > value:
        guess -= 1
    return guess
