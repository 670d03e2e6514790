"""How many of a population to ask, so that the quantile found has the right rank.

People are drawn once and asked every question. The number found is then the quantile of those
drawn, for any questions in any order. How far its rank among all can be off follows exactly
from the hypergeometric law, for every distribution of their numbers (proofs/ranks.md).
"""

from __future__ import annotations

import math
from fractions import Fraction

from feint.errors import InvalidValue, NoPlan
from feint.exact import Number, bracket, ceil_div, plain, rational, whole


def panel_miss(
    population: Number, size: Number, *, rank: Number, share: Number = "1/2", silent: int = 0
) -> Fraction:
    """Return how likely the quantile of a panel has a rank that is too far off, at most.

    A number has a rank within `rank` of `share` if at most a share of `share + rank` of all people
    hold less, and at least `share - rank` hold it or less. Of people who hold the same number any
    rank counts.

    Args:
        population: The number of people.
        size: How many of them are drawn, all sets of as many being equally likely.
        rank: How far the rank may be off.
        share: The quantile; 1/2 is the median, of an even number the greater of the middle two.
        silent: How many of those drawn may stay silent at a question, others at each.

    Returns:
        The probability, exactly, if all people hold different numbers; never more otherwise.

    Raises:
        InvalidValue: An argument is wrong.

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
    yes = ceil_div((1 - aim) * least, 1)  # so many reach a number that is answered yes, at least
    no = math.floor(aim * least) + 1  # and so many do not reach one that is answered no
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
    """Return how many people to draw, so that the rank of their quantile is near enough.

    The figures are exact. For more than a hundred thousand people, and a rank below 0.005, that
    may take minutes.

    Args:
        population: The number of people.
        rank: As in `panel_miss`.
        share: As in `panel_miss`.
        confidence: The probability that the rank is within `rank`.
        missing: The share of those drawn that may stay silent at a question.

    Returns:
        An odd number of people, the fewest by bisection over odd ones; or everybody.

    Raises:
        InvalidValue: An argument is wrong.
        NoPlan: Even if all are asked, those who are silent may hold the rank too far off.

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
    while high < last and not enough(2 * high + 1):  # small panels first: large ones take long
        low, high = high, min(last, 2 * high + 1)
    if enough(2 * high + 1):
        _, half = bracket(lambda each: enough(2 * each + 1), low, high)
        return 2 * half + 1
    if not enough(everybody):
        rule = f"is more than clients that stay silent leave, {plain(quiet)} of all"
        raise NoPlan("rank", rank, f"a rank so near {rule}", "let fewer be missing")
    return everybody


def check_rank(rank: Number, share: Number) -> tuple[Fraction, Fraction]:
    """Return share and rank exactly.

    Raises:
        InvalidValue: One is no share.
    """
    aim, off = rational(share, "share"), rational(rank, "rank")
    if not 0 < aim < 1:
        raise InvalidValue("share", share, "must lie between 0 and 1", "1/2 is the median")
    if not 0 < off < 1:
        rule = "must lie between 0 and 1: how far off the share of people below may be"
        raise InvalidValue("rank", rank, rule, "0.02 is two in a hundred")
    return aim, off


def check_confidence(confidence: Number) -> Fraction:
    """Return a probability exactly.

    Raises:
        InvalidValue: It is none below 1.
    """
    sure = rational(confidence, "confidence")
    if not 0 < sure < 1:
        raise InvalidValue("confidence", confidence, "must lie between 0 and 1", "such as 0.95")
    return sure


def outside(population: int, share: Fraction, rank: Fraction) -> tuple[int, int]:
    """Return how many people hold numbers whose rank is too low, and too high, at most."""
    below = ceil_div((share - rank) * population, 1) - 1
    above = population - math.floor((share + rank) * population) - 1
    return max(0, below), max(0, above)


def hypergeometric_tail(population: int, marked: int, drawn: int, least: int) -> Fraction:
    """Return the probability that at least so many of those drawn are marked, exactly."""
    start = max(least, drawn - (population - marked), 0)
    if start > min(marked, drawn):
        return Fraction(0)
    term = math.comb(marked, start) * math.comb(population - marked, drawn - start)
    total = 0
    for count in range(start, min(marked, drawn) + 1):
        total += term
        rest = population - marked - drawn + count + 1
        # Whole at every step: each term is a product of two binomial coefficients.
        term = term * (marked - count) * (drawn - count) // ((count + 1) * rest) if rest else 0
    return Fraction(total, math.comb(population, drawn))
