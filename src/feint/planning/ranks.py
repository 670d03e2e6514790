"""Compute how many people to ask so that the quantile found has the right rank.

People are drawn once and asked every question. The result is then the quantile of the drawn people,
for any questions in any order. The error of its rank among all people follows exactly from the
hypergeometric distribution, for every distribution of their numbers (proofs/ranks.md).
"""

from __future__ import annotations

import math
from fractions import Fraction

from feint.errors import InvalidValue, NoPlan
from feint.exact import Number, bracket, ceil_div, plain, rational, whole


def panel_miss(
    population: Number, size: Number, *, rank: Number, share: Number = "1/2", silent: int = 0
) -> Fraction:
    """Return an upper bound on the probability that a panel's quantile has a wrong rank.

    A number has a rank within `rank` of `share` if at most a share of `share + rank` of all people
    have a smaller number, and at least `share - rank` have it or a smaller one. If several people
    have the same number, each of their ranks counts.

    Args:
        population: The number of people.
        size: The number of people drawn. All sets of this size are equally likely.
        rank: The allowed error of the rank.
        share: The quantile. 1/2 is the median: the greater of the two middle ones if their number
            is even.
        silent: The number of drawn people who may stay silent at a question; they may differ each
            time.

    Returns:
        The probability, exact if all people have different numbers, otherwise an upper bound.

    Raises:
        InvalidValue: An argument is invalid.

    Example:
        >>> from feint.planning import panel_miss
        >>> float(panel_miss(1001, 701, rank="0.02")) < 0.05
        True
        >>> panel_miss(1001, 1001, rank="0.02")
        Fraction(0, 1)
    """
    everybody = whole(population, "population", least=1)
    drawn = whole(size, "size", least=1, most=everybody)
    aim, off = check_rank(rank, share)
    least = Fraction(drawn - whole(silent, "silent", least=0, most=drawn - 1))
    # the smallest numbers of people who reach a number answered yes, and who miss one answered no
    yes = ceil_div((1 - aim) * least, 1)
    no = math.floor(aim * least) + 1
    below, above = outside(everybody, aim, off)
    return hypergeometric_tail(everybody, above, drawn, yes) + hypergeometric_tail(
        everybody, below, drawn, no
    )


def panel_size(
    population: Number,
    *,
    rank: Number,
    share: Number = "1/2",
    confidence: Number = "0.95",
    missing: Number = 0,
) -> int:
    """Return how many people to draw so that the rank of their quantile is near enough.

    The figures are exact. For more than 100,000 people and a rank below 0.005 this may take
    minutes.

    Args:
        population: The number of people.
        rank: As in `panel_miss`.
        share: As in `panel_miss`.
        confidence: The probability that the rank is within `rank`.
        missing: The share of drawn people who may stay silent at a question.

    Returns:
        An odd number of people, the smallest that bisection over odd numbers finds, or everyone.

    Raises:
        InvalidValue: An argument is invalid.
        NoPlan: Even if all are asked, silent people may keep the rank too far off.

    Example:
        >>> from feint.planning import panel_size
        >>> panel_size(101, rank="0.1"), panel_size(10_001, rank="0.02")
        (47, 1927)
    """
    everybody = whole(population, "population", least=1)
    most = 1 - check_confidence(confidence)
    quiet = rational(missing, "missing")

    def enough(size: int) -> bool:
        silent = math.floor(quiet * size)
        return panel_miss(everybody, size, rank=rank, share=share, silent=silent) <= most

    last, low, high = (everybody - 1) // 2, -1, 0
    # try small panels first, since large ones take long
    while high < last and not enough(2 * high + 1):
        low, high = high, min(last, 2 * high + 1)
    if enough(2 * high + 1):
        _, half = bracket(lambda each: enough(2 * each + 1), low, high)
        return 2 * half + 1
    if not enough(everybody):
        rule = f"cannot be kept if a share {plain(quiet)} of those drawn may stay silent"
        raise NoPlan("rank", rank, rule, "allow fewer missing, or raise rank")
    return everybody


def check_rank(rank: Number, share: Number) -> tuple[Fraction, Fraction]:
    """Return share and rank as exact fractions.

    Raises:
        InvalidValue: One of them is not between 0 and 1.
    """
    aim, off = rational(share, "share"), rational(rank, "rank")
    if not 0 < aim < 1:
        raise InvalidValue("share", share, "must lie between 0 and 1", "1/2 is the median")
    if not 0 < off < 1:
        rule = "must lie between 0 and 1: it is the allowed error of the share of people below"
        raise InvalidValue("rank", rank, rule, "0.02 is two in a hundred")
    return aim, off


def check_confidence(confidence: Number) -> Fraction:
    """Return a probability as an exact fraction.

    Raises:
        InvalidValue: The probability is not between 0 and 1.
    """
    sure = rational(confidence, "confidence")
    if not 0 < sure < 1:
        raise InvalidValue("confidence", confidence, "must lie between 0 and 1", "such as 0.95")
    return sure


def outside(population: int, share: Fraction, rank: Fraction) -> tuple[int, int]:
    """Return the maximum numbers of people with a rank that is too low, and too high."""
    below = ceil_div((share - rank) * population, 1) - 1
    above = population - math.floor((share + rank) * population) - 1
    return max(0, below), max(0, above)


def hypergeometric_tail(population: int, marked: int, drawn: int, least: int) -> Fraction:
    """Return the exact probability that at least `least` of the drawn people are marked."""
    start = max(least, drawn - (population - marked), 0)
    if start > min(marked, drawn):
        return Fraction(0)
    term = math.comb(marked, start) * math.comb(population - marked, drawn - start)
    total = 0
    for count in range(start, min(marked, drawn) + 1):
        total += term
        rest = population - marked - drawn + count + 1
        # The division is exact: each term is a product of two binomial coefficients.
        term = term * (marked - count) * (drawn - count) // ((count + 1) * rest) if rest else 0
    return Fraction(total, math.comb(population, drawn))
