"""What the proofs of the theorems are made of: lemmas and summaries, one function each.

`feint.audit.lemmas` measures on a strategy those that speak of all accurate noiseless strategies.
Logarithms are to base 2. References are to the paper named in `feint.bounds.theorems`.
"""

from __future__ import annotations

import math
from fractions import Fraction

from feint.bounds.constants import c1, c2, c3, c4
from feint.errors import InvalidValue
from feint.exact import Number, log2, rational, root, whole
from feint.problem import Problem


def bz_rate(p: Number, *, alpha: Number | None = None) -> float:
    """(1−p)/(2(1−α)) + p/(2α): by how much an answer shrinks the bound on a BZ search's error.

    Args:
        p: Probability that an answer is right, strictly between 1/2 and 1.
        alpha: How the search weighs an answer, strictly between 1/2 and 1; None: the best there
            is, √p/(√p+√(1−p)), which gives ½ + √(p(1−p)). At α = p the rate is 1: no bound.

    Returns:
        The factor; below 1 for 1/2 < α < p.

    Raises:
        InvalidValue: p or alpha is not strictly between 1/2 and 1.
    """
    c3(p)  # reads p
    right = rational(p, "p")
    if alpha is None:
        return 0.5 + math.sqrt(float(right * (1 - right)))
    weight = rational(alpha, "alpha")
    if not Fraction(1, 2) < weight < 1:
        raise InvalidValue("alpha", alpha, "must lie strictly between 1/2 and 1", "such as 0.8")
    return float((1 - right) / (2 * (1 - weight)) + right / (2 * weight))


def bz_error(p: Number, cells: int, answers: int, *, alpha: Number | None = None) -> float:
    """(cells − 1)·rate^answers: how often a BZ search ends in a wrong cell, at most.

    Args:
        p: As in `bz_rate`.
        cells: How many cells it searches.
        answers: How many answers it gets.
        alpha: As in `bz_rate`.

    Returns:
        The bound; it may be above 1, and then says nothing. Reference: the analysis of the BZ
        search by Burnashev and Zigangirov, as quoted before Lemma 1.

    Raises:
        InvalidValue: As `bz_rate`.
    """
    size, count = whole(cells, "cells", least=1), whole(answers, "answers", least=0)
    return float((size - 1) * bz_rate(p, alpha=alpha) ** count)


def bz_lemma(p: Number, cells: int, answers: int) -> float:
    """Cells·2^(−c₃·answers): the same in the form of Lemma 1, never below `bz_error`.

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
    """Log |I|/2ε: how many queries lie in an interval I on average, at least, when X* does.

    For every ε-accurate noiseless strategy with X* uniform, and every interval. With I all of
    [0, 1] it is `least_queries`. Reference: the proof of Theorem 1's lower bound, claim (i).

    Args:
        width: |I|.
        epsilon: Full width of the accuracy.

    Returns:
        The number; negative for intervals shorter than 2ε, and then it says nothing.

    Raises:
        InvalidValue: A width is not above zero.
    """
    return float(log2(_width(width, "width") / (2 * _width(epsilon, "epsilon"))))


def least_queries(epsilon: Number) -> float:
    """N ≥ log 1/2ε: what finding X* to within ε/2 takes, privacy apart.

    Args:
        epsilon: Full width of the accuracy.

    Returns:
        The number. Reference: the proof of Theorem 1's lower bound, claim (iii).

    Raises:
        InvalidValue: As `queries_inside`.
    """
    return queries_inside(1, epsilon)


def noisy_queries_inside(width: Number, error: Number, miss: Number, p: Number) -> float:
    """(1/c₂)((1 − miss) log |J|/2η − 1): the same when answers are right with probability p.

    Args:
        width: |J|.
        error: η, the most that the estimate may be off by.
        miss: How often it is off by more when X* lies in J.
        p: As in `bz_rate`.

    Returns:
        How many queries lie in J on average, at least, when X* does. Reference: Lemma 2.

    Raises:
        InvalidValue: A width is not above zero, or p is out of range.
    """
    told = queries_inside(width, error)
    return ((1 - float(rational(miss, "miss"))) * told - 1) / c2(p)


def information_limit(p: Number, queries: Number) -> float:
    """c₂·queries: what the answers tell of X* at most, in bits, given that X* lies in J.

    Args:
        p: As in `bz_rate`.
        queries: How many queries lie in J on average when X* does; those outside tell nothing.

    Returns:
        The limit of the mutual information. Reference: the proof of Lemma 2, step 2.

    Raises:
        InvalidValue: As `bz_rate`.
    """
    return c2(p) * float(rational(queries, "queries"))


def outvoted(p: Number, votes: int) -> float:
    """2^(−c₄·votes): how often half or more of the votes are wrong, at most.

    Args:
        p: As in `bz_rate`.
        votes: How many votes there are; between parts j apart, j times those at a boundary.

    Returns:
        The bound on P{Bin(votes, p) ≤ votes/2}. Reference: the proof of Theorem 5's upper bound.

    Raises:
        InvalidValue: As `bz_rate`.
    """
    return float(2.0 ** (-c4(p) * whole(votes, "votes", least=0)))


def two_point_error(p: Number, queries: Number) -> float:
    """2^(−c₁·queries)/4: how often two equally likely numbers are confused, at least.

    Args:
        p: As in `bz_rate`.
        queries: How many queries lie between the two on average, if the first is the true one.

    Returns:
        The bound, a quarter of the square of the Bhattacharyya coefficient at most. Reference: the
        proof of Theorem 5's third lower bound, after Kailath 1967.

    Raises:
        InvalidValue: As `bz_rate`.
    """
    return float(2.0 ** (-c1(p) * float(rational(queries, "queries"))) / 4)


def spread_queries(delta: Number) -> float:
    """Log 1/δ − 3: queries pairwise more than δ apart, outside a stretch of 2δ around X*.

    There is a stretch that every X* in it makes the strategy ask so many, in the deterministic
    setting. Reference: the proof of Theorem 2's lower bound, claim (i); in several dimensions it
    holds for each coordinate.

    Args:
        delta: Full width of the eavesdropper's success.

    Returns:
        How many there are at least.

    Raises:
        InvalidValue: δ is not above zero.
    """
    return float(log2(1 / _width(delta, "delta"))) - 3


def close_pairs(level: int) -> int:
    """L − 5: pairs of queries at most ε apart, outside any stretch of 2δ that holds X*.

    In the deterministic setting every place that stays possible has such a pair around it, and
    five places may be at the ends or near X*. In d dimensions the pairs of the coordinates must
    multiply to L (the ends 0 and 1 counted as queries), which the paper uses approximately.
    Reference: the proof of Theorem 2's lower bound, claim (ii), and of Theorem 4's.

    Args:
        level: L, how many places stay possible.

    Returns:
        How many pairs there are at least, in one dimension; at least 0.

    Raises:
        InvalidValue: The level is no whole number of at least 1.
    """
    return max(0, whole(level, "level", least=1) - 5)


def queries_near(delta: Number, epsilon: Number) -> float:
    """Log δ/ε: queries inside a stretch of 2δ, for some X* in it, in the deterministic setting.

    Args:
        delta: Full width of the eavesdropper's success.
        epsilon: Full width of the accuracy.

    Returns:
        How many there are at least. Reference: the proof of Theorem 2's lower bound, claim (iii);
        in several dimensions it holds for each coordinate.

    Raises:
        InvalidValue: A width is not above zero.
    """
    return float(log2(_width(delta, "delta") / _width(epsilon, "epsilon")))


def summary(problem: Problem) -> float:
    """What N is about, as the introduction of the paper sums the theorems up.

    Without noise, with γ = L^(1/d): d(log 1/(γδ) + γ log δ/ε) in the Bayesian setting and
    d(2γ + log max{2^−γ, δ}/ε) in the deterministic one. In one dimension the upper bounds of
    Theorems 1 and 2 lie at most 3L and 1 above it, the lower ones at most 2L + 2 and 8 below. Under
    noise, up to factors that depend on p only:
    L log δ/ε + log 1/ε on average, and L log Mδ/ε + log 1/ε with probability 1 − 1/M. As p nears
    1/2 those factors grow like (p − ½)^−2, since c₁ … c₄ vanish like (p − ½)².

    Args:
        problem: What is wanted.

    Returns:
        The number of queries, about.
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
