"""A majority vote of fresh samples: from many unreliable opinions to one answer of known noise.

Each of k voters is right with probability ½ + margin, independently; then the majority is right
with a probability that the binomial law gives exactly. *Independently* is the point: the same
people asked again give the same opinions, not new ones, and k does not count them twice.
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
_ADDED_UP = 1 << 12  # digits of the denominator, to base 2, up to which sums are exact
_OFF = 1e-12  # more than the incomplete beta function of floats is off by


@dataclass(frozen=True)
class Majority:
    """A yes/no function of a number: what most of a fresh sample says.

    Attributes:
        sample: Called with the number asked about, as a function of it would be, and k; returns
            how many of k new voters say yes.
        voters: k, an odd number.
    """

    sample: Callable[[Any, int], int]
    voters: int

    def __post_init__(self) -> None:
        """Refuse a vote that can tie.

        Raises:
            WrongType: The sample is no function.
            InvalidValue: An even number of voters, or none.
        """
        check_function(self.sample, "a function of a number and of how many voters", name="sample")
        _odd(self.voters)

    def __call__(self, value: Any) -> bool:
        """Whether most of a fresh sample say yes to this number."""
        return 2 * int(self.sample(value, self.voters)) > self.voters


def reliability(voters: Number, margin: Number) -> float:
    """How likely the majority is right when each voter is right with probability ½ + margin.

    Args:
        voters: k, an odd number.
        margin: How much better than a coin each voter is: the share of the population on the right
            side, less one half.

    Returns:
        P{Bin(k, ½ + margin) > k/2}.

    Raises:
        InvalidValue: An even number of voters, or a margin outside (0, ½].
    """
    from scipy.special import betainc

    count = _odd(voters)
    most = count // 2 + 1.0
    return float(betainc(most, most, float(HALF + _margin(margin))))


def promised(voters: Number, margin: Number) -> Fraction:
    """The p to plan for when a majority answers: how often it is right, rounded down.

    Args:
        voters: As in `reliability`.
        margin: As in `reliability`.

    Returns:
        P{Bin(k, ½ + margin) > k/2} to six decimals and never above it, but for one voter: then
        ½ + margin as it is. It is added up exactly where that is quick, and in floats otherwise.

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
    """The fewest voters whose majority is right with probability at least p.

    Args:
        p: The probability wanted, between ½ and 1.
        margin: As in `reliability`.

    Returns:
        k, an odd number.

    Raises:
        InvalidValue: A p or a margin that does not fit, or more voters than can be counted.
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
    """The numbers of voters that are more than half of an odd number."""
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
