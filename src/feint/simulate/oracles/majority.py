"""Combine a fresh sample of unreliable opinions into one answer by majority.

If each of k voters is right with probability ½ + margin, independently, the binomial distribution
gives the exact probability that the majority is right. The voters must be *independent*: the same
people asked again repeat their opinions, and do not count twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from feint.errors import InvalidValue
from feint.exact import Number, bracket, rational, whole
from feint.problem.regime import HALF, read_p
from feint.simulate.oracles.function import check_function

_MOST = 1 << 40
_DECIMALS = 10**6
_ADDED_UP = 1 << 12  # bits of a denominator; exact sums with more would be slow
_OFF = 1e-12  # more than the rounding error of the incomplete beta function


@dataclass(frozen=True)
class Majority:
    """A yes/no function of a number that returns the majority of a fresh sample.

    Attributes:
        sample: A function of the number asked about and of k that returns how many of k new voters
            say yes.
        voters: The number of voters k, odd.
    """

    sample: Callable[[Any, int], int]
    voters: int

    def __post_init__(self) -> None:
        """Refuse numbers of voters that can tie.

        Raises:
            WrongType: The sample cannot be called.
            InvalidValue: The number of voters is even or less than 1.
        """
        check_function(self.sample, "a function of a number and of how many voters", name="sample")
        _odd(self.voters)

    def __call__(self, value: Any) -> bool:
        """Return True if most of a fresh sample say yes to this number."""
        return 2 * int(self.sample(value, self.voters)) > self.voters


def reliability(voters: Number, margin: Number) -> float:
    """Return the probability that a majority is right if each voter is with probability ½ + margin.

    Args:
        voters: k, an odd number.
        margin: The probability that a voter is right, less one half.

    Returns:
        P{Bin(k, ½ + margin) > k/2}.

    Raises:
        InvalidValue: The number of voters is even, or the margin is outside (0, ½].
    """
    from scipy.special import betainc

    count = _odd(voters)
    most = count // 2 + 1.0
    return float(betainc(most, most, float(HALF + _margin(margin))))


def promised(voters: Number, margin: Number) -> Fraction:
    """Return the p to plan for if a majority answers: its probability of being right, rounded down.

    Args:
        voters: As in `reliability`.
        margin: As in `reliability`.

    Returns:
        P{Bin(k, ½ + margin) > k/2}, rounded down to six decimals; for one voter ½ + margin itself.
        The sum is exact if that is quick, otherwise in floats with a safety margin.

    Raises:
        InvalidValue: As in `reliability`.
    """
    count, right = _odd(voters), HALF + _margin(margin)
    if count == 1:
        return right
    if count * right.denominator.bit_length() > _ADDED_UP:
        return Fraction(math.floor((reliability(count, margin) - _OFF) * _DECIMALS), _DECIMALS)
    yes, no = right.numerator, right.denominator - right.numerator
    ways = sum(math.comb(count, k) * yes**k * no ** (count - k) for k in _majorities(count))
    return Fraction(ways * _DECIMALS // right.denominator**count, _DECIMALS)


def voters_for(p: Number, margin: Number) -> int:
    """Return the fewest voters whose majority is right with probability at least p.

    Args:
        p: The required probability, between ½ and 1.
        margin: As in `reliability`.

    Returns:
        The number of voters k, odd.

    Raises:
        InvalidValue: p or the margin is out of range, or more than 2^40 voters are needed.
    """
    if p is None:
        raise InvalidValue("p", None, "is needed", "give a probability such as 0.9")
    wanted = read_p(p, "bayesian")
    high = 0
    while reliability(2 * high + 1, margin) < wanted:
        high = 2 * high + 1
        if high > _MOST:
            rule = f"so small a margin needs more than 2^40 voters for p = {float(wanted)}"
            raise InvalidValue("margin", margin, rule, "give a larger margin, or a smaller p")
    low = (high - 1) // 2
    _, pairs = bracket(lambda each: reliability(2 * each + 1, margin) >= wanted, low, high)
    return 2 * pairs + 1


def _majorities(count: int) -> range:
    """Return the numbers of voters that make a majority of an odd number."""
    return range(count // 2 + 1, count + 1)


def _margin(value: Number) -> Fraction:
    margin = rational(value, "margin")
    if not 0 < margin <= HALF:
        rule = "must be above 0 and at most 1/2: voters are right with probability 1/2 + margin"
        raise InvalidValue("margin", value, rule, "a value such as 0.1 works")
    return margin


def _odd(value: Number) -> int:
    count = whole(value, "voters", least=1)
    if count % 2 == 0:
        rule = "must be odd, so that there is a majority"
        raise InvalidValue("voters", value, rule, f"{count + 1} is no worse than {count}")
    return count
