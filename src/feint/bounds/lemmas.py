"""Compute the lemmas and summaries behind the theorems.

`feint.audit.lemmas` measures the lemmas about all accurate noiseless strategies on a given
strategy. Logarithms are to base 2. References are to the paper named in `feint.bounds.theorems`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from feint.bounds.constants import c1, c2, c3, c4
from feint.errors import InvalidValue
from feint.exact import Number, log2, rational, root, whole
from feint.problem import Problem


def bz_rate(p: Number, *, alpha: Number | None = None) -> float:
    """Return (1−p)/(2(1−α)) + p/(2α), the factor by which an answer shrinks the BZ error bound.

    Args:
        p: The probability that an answer is right, strictly between 1/2 and 1.
        alpha: The weight of an answer in the search, strictly between 1/2 and 1. None: the best
            one, √p/(√p+√(1−p)), which gives ½ + √(p(1−p)). At α = p the rate is 1: no bound.

    Returns:
        The factor; below 1 for 1/2 < α < p.

    Raises:
        InvalidValue: p or alpha is not strictly between 1/2 and 1.
    """
    c3(p)  # checks p
    right = rational(p, "p")
    if alpha is None:
        return 0.5 + math.sqrt(float(right * (1 - right)))
    weight = rational(alpha, "alpha")
    if not Fraction(1, 2) < weight < 1:
        raise InvalidValue("alpha", alpha, "must lie strictly between 1/2 and 1", "such as 0.8")
    return float((1 - right) / (2 * (1 - weight)) + right / (2 * weight))


def bz_error(p: Number, cells: int, answers: int, *, alpha: Number | None = None) -> float:
    """Return (cells − 1)·rate^answers, a bound on the probability that a BZ search errs.

    Args:
        p: As in `bz_rate`.
        cells: The number of cells.
        answers: The number of answers.
        alpha: As in `bz_rate`.

    Returns:
        The bound; it is trivial if it exceeds 1. Reference: the analysis of the BZ search by
        Burnashev and Zigangirov, as quoted before Lemma 1.

    Raises:
        InvalidValue: As `bz_rate`.
    """
    size, count = whole(cells, "cells", least=1), whole(answers, "answers", least=0)
    return float((size - 1) * bz_rate(p, alpha=alpha) ** count)


def bz_lemma(p: Number, cells: int, answers: int) -> float:
    """Return cells·2^(−c₃·answers), the bound of Lemma 1, which is never below `bz_error`.

    Args:
        p: As in `bz_rate`.
        cells: As in `bz_error`.
        answers: As in `bz_error`.

    Returns:
        The bound.

    Raises:
        InvalidValue: As `bz_rate`.
    """
    return float(whole(cells, "cells", least=1) * 2.0 ** (-c3(p) * answers))


def queries_inside(width: Number, epsilon: Number) -> float:
    """Return log |I|/2ε, a lower bound on the mean number of queries in I, given X* in I.

    It holds for every ε-accurate noiseless strategy with X* uniform, and for every interval. If I
    is all of [0, 1], it is `least_queries`. Reference: the proof of Theorem 1's lower bound, claim
    (i).

    Args:
        width: |I|.
        epsilon: The full width of the accuracy.

    Returns:
        The bound; it is trivial (negative) for intervals shorter than 2ε.

    Raises:
        InvalidValue: A width is not above zero.
    """
    return float(log2(_width(width, "width") / (2 * _width(epsilon, "epsilon"))))


def least_queries(epsilon: Number) -> float:
    """Return N ≥ log 1/2ε, the bound for finding X* to within ε/2 without privacy.

    Args:
        epsilon: The full width of the accuracy.

    Returns:
        The bound. Reference: the proof of Theorem 1's lower bound, claim (iii).

    Raises:
        InvalidValue: As `queries_inside`.
    """
    return queries_inside(1, epsilon)


def noisy_queries_inside(width: Number, error: Number, miss: Number, p: Number) -> float:
    """Return (1/c₂)((1 − miss) log |J|/2η − 1), the bound of `queries_inside` under noise.

    Args:
        width: |J|.
        error: η, the largest error of the estimate that is not a miss.
        miss: The probability of a larger error, given X* in J.
        p: As in `bz_rate`.

    Returns:
        A lower bound on the mean number of queries in J, given X* in J. Reference: Lemma 2.

    Raises:
        InvalidValue: A width is not above zero, or p is out of range.
    """
    told = queries_inside(width, error)
    return ((1 - float(rational(miss, "miss"))) * told - 1) / c2(p)


def information_limit(p: Number, queries: Number) -> float:
    """Return c₂·queries, the most information in the answers about X*, in bits, given X* in J.

    Args:
        p: As in `bz_rate`.
        queries: The mean number of queries in J, given X* in J. Others carry no information.

    Returns:
        The limit of the mutual information. Reference: the proof of Lemma 2, step 2.

    Raises:
        InvalidValue: As `bz_rate`.
    """
    return c2(p) * float(rational(queries, "queries"))


def outvoted(p: Number, votes: int) -> float:
    """Return 2^(−c₄·votes), a bound on the probability that half or more votes are wrong.

    Args:
        p: As in `bz_rate`.
        votes: The number of votes; between parts j apart, j times those at a boundary.

    Returns:
        The bound on P{Bin(votes, p) ≤ votes/2}. Reference: the proof of Theorem 5's upper bound.

    Raises:
        InvalidValue: As `bz_rate`.
    """
    return float(2.0 ** (-c4(p) * whole(votes, "votes", least=0)))


def two_point_error(p: Number, queries: Number) -> float:
    """Return 2^(−c₁·queries)/4, a lower bound on the probability of confusing two numbers.

    Args:
        p: As in `bz_rate`.
        queries: The mean number of queries between the two, if the first is the true one.

    Returns:
        The bound, a quarter of the square of the Bhattacharyya coefficient at most. Reference: the
        proof of Theorem 5's third lower bound, after Kailath 1967.

    Raises:
        InvalidValue: As `bz_rate`.
    """
    return float(2.0 ** (-c1(p) * float(rational(queries, "queries"))) / 4)


def spread_queries(delta: Number) -> float:
    """Return log 1/δ − 3, a number of queries more than δ apart outside 2δ around X*.

    In the deterministic setting, there is an interval of 2δ such that the strategy asks this many
    for every X* in it. Reference: the proof of Theorem 2's lower bound, claim (i); in several
    dimensions it holds for each coordinate.

    Args:
        delta: The full width within which the eavesdropper wins.

    Returns:
        The lower bound.

    Raises:
        InvalidValue: δ is not above zero.
    """
    return float(log2(1 / _width(delta, "delta"))) - 3


def close_pairs(level: int) -> int:
    """Return L − 5, a number of pairs of queries at most ε apart, outside 2δ around X*.

    In the deterministic setting every place that stays possible has such a pair around it, and
    five places may be at the ends or near X*. In d dimensions the pairs of the coordinates must
    multiply to L (the ends 0 and 1 counted as queries), which the paper uses approximately.
    Reference: the proof of Theorem 2's lower bound, claim (ii), and of Theorem 4's.

    Args:
        level: L, the number of places that stay possible.

    Returns:
        The lower bound in one dimension, at least 0.

    Raises:
        InvalidValue: The level is not a whole number of at least 1.
    """
    return max(0, whole(level, "level", least=1) - 5)


def queries_near(delta: Number, epsilon: Number) -> float:
    """Return log δ/ε, a number of queries inside 2δ, for some X* in it; deterministic setting.

    Args:
        delta: The full width within which the eavesdropper wins.
        epsilon: The full width of the accuracy.

    Returns:
        The lower bound. Reference: the proof of Theorem 2's lower bound, claim (iii);
        in several dimensions it holds for each coordinate.

    Raises:
        InvalidValue: A width is not above zero.
    """
    return float(log2(_width(delta, "delta") / _width(epsilon, "epsilon")))


def summary(problem: Problem) -> float:
    """Return the approximate size of N, as the paper's introduction summarises the theorems.

    Without noise, with γ = L^(1/d): d(log 1/(γδ) + γ log δ/ε) in the Bayesian setting and
    d(2γ + log max{2^−γ, δ}/ε) in the deterministic one. In one dimension the upper bounds of
    Theorems 1 and 2 lie at most 3L and 1 above it, the lower ones at most 2L + 2 and 8 below. Under
    noise, up to factors that depend on p only:
    L log δ/ε + log 1/ε on average, and L log Mδ/ε + log 1/ε with probability 1 − 1/M. As p nears
    1/2 those factors grow like (p − ½)^−2, since c₁ … c₄ vanish like (p − ½)².

    Args:
        problem: The problem.

    Returns:
        The approximate number of queries.
    """
    epsilon, delta, dim = problem.epsilon, problem.delta, problem.dim
    if problem.noisy:
        ratio = delta / epsilon / (1 - (problem.confidence or 0))
        return float(problem.level * log2(ratio) + log2(1 / epsilon))
    gamma = float(root(problem.level, dim))
    if problem.setting == "bayesian":
        coarse = float(log2(1 / delta)) - math.log2(gamma)
        return dim * (coarse + gamma * float(log2(delta / epsilon)))
    return dim * (2 * gamma + max(-gamma, float(log2(delta))) + float(log2(1 / epsilon)))


def _width(value: Number, name: str) -> Fraction:
    number = rational(value, name)
    if number <= 0:
        raise InvalidValue(name, value, "must be above zero", "give a width")
    return number
