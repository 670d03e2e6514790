"""Compute lower bounds under noise, by queries near X* and by the meta-converse.

Every answer is right with the same probability p, independently. Proofs: proofs/near.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NoReturn

from feint.bounds.constants import c2
from feint.errors import OutOfRegime
from feint.exact import log2
from feint.problem import Problem, problem_of

_SAFE = 1e-9
# Floats are off by far less than this share: the bound is lowered by it, never raised.

_MARKOV = tuple(Fraction(each, 4) for each in range(9, 160))
# Factors k tried in Markov's inequality; the bound is flat around the best one.

_LONGEST = 1 << 20  # answers of the meta-converse; beyond it the bound by information is used


def near_noisy_lower(problem: Problem, *, success: Fraction | None = None) -> float:
    """Return a lower bound on the largest number of questions of a noisy plan, by near queries.

    N ≥ K + L·([(1 − 1/M) log(δ/ε) − δ/(2 ln 2) − h(1/M)]/c₂ − δ((2p)^K − 1)/(2p − 1)) for every
    whole K ≥ 0. If accuracy is meant on average, Markov's inequality gives kε with probability
    1 − 1/k, and the best k counts.

    Args:
        problem: Bayesian, noisy, one dimension, X* uniform on an interval or on whole values.
        success: The allowed success of the eavesdropper; None: 1/L.

    Returns:
        The bound, at least 0. It covers the largest number of questions, not the mean.

    Raises:
        OutOfRegime: The problem is of another kind.

    Example:
        >>> round(near_noisy_lower(Problem(".001", ".02", 5, p=".9", confidence=".95")), 1)
        38.6
    """
    _check(problem_of(problem))
    level = problem.level if success is None else 1 / success
    if problem.confidence is not None:
        return _near(problem, level, problem.epsilon, 1 - problem.confidence)
    return max(_near(problem, level, problem.epsilon * factor, 1 / factor) for factor in _MARKOV)


def meta_converse_lower(problem: Problem) -> int:
    """Return a lower bound on the answers that find X* among N cells with probability 1 − 1/M.

    With n answers, right with probability p each, N = 1/ε ≤ 1/β, where β is the least chance that a
    test that accepts such answers with probability 1 − 1/M accepts n fair coins. The learner may
    use feedback. Under a prior 1/N is the mass of the heaviest box of side ε.
    Reference: Polyanskiy, Poor and Verdú 2010, Theorem 27; their 2011 paper for feedback.

    Args:
        problem: Noisy, any dimension and prior, with a stated confidence.

    Returns:
        The number of answers. It bounds the largest number of a plan, at every level.

    Raises:
        OutOfRegime: The problem is of another kind.

    Example:
        >>> meta_converse_lower(Problem("1/200", "1/40", 1, p=".9", confidence=".95"))
        21
    """
    _check_kind(problem_of(problem))
    if problem.confidence is None:
        _refuse("confidence", None, "accuracy with a stated confidence")
    # Fair coins carry no information: an estimate from them is as good as a blind guess.
    blind = math.prod(
        problem.law(coordinate).blind(problem.epsilon) for coordinate in range(problem.dim)
    )
    # Under the binned prior an estimate may miss more often, by the distance at most.
    p, miss = float(problem.known_p or 1), float(1 - problem.confidence + problem.distance)
    cells = float(1 / blind)
    if _enough(0, cells, p, miss):
        return 0
    low, high = 0, 1
    while high < _LONGEST and not _enough(high, cells, p, miss):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _enough(middle, cells, p, miss) else (middle, high)
    return high


def _near(problem: Problem, level: Fraction | int, epsilon: Fraction, miss: Fraction) -> float:
    """Return the bound for accuracy ε that is missed with at most this probability, at best K."""
    delta, p, wrong = problem.delta, float(problem.known_p or 1), float(miss)
    if epsilon >= delta or miss >= 1:
        return 0.0
    entropy = -(wrong * math.log2(wrong) + (1 - wrong) * math.log2(1 - wrong)) if wrong else 0.0
    told = (1 - wrong) * float(log2(delta / epsilon)) - float(delta) / (2 * math.log(2)) - entropy
    near = told / c2(problem.known_p or 1)
    best = 0.0
    for early in range(64):
        spent = float(delta) * ((2 * p) ** early - 1) / (2 * p - 1)
        if spent >= near:  # all near queries may be early, so the bound is trivial
            break
        best = max(best, early + float(level) * (near - spent))
    return max(0.0, best * (1 - _SAFE))


def _enough(answers: int, cells: float, p: float, miss: float) -> bool:
    """Return True if the meta-converse allows this many answers for N cells: N·β ≤ 1."""
    # The best test accepts if at least t answers are right, and at t − 1 with a coin.
    power, coins = 1 - miss, 0.0
    logs = (math.log(p), math.log1p(-p), math.log(0.5))
    taken, right = 0.0, answers
    while right >= 0:
        ways = math.lgamma(answers + 1) - math.lgamma(right + 1) - math.lgamma(answers - right + 1)
        here = math.exp(ways + right * logs[0] + (answers - right) * logs[1])
        fair = math.exp(ways + answers * logs[2])
        if taken + here >= power:
            coins += fair * (power - taken) / here if here else 0.0
            break
        taken, coins, right = taken + here, coins + fair, right - 1
    return cells * coins * (1 - _SAFE) <= 1


def _check_kind(problem: Problem) -> None:
    """Refuse a problem without noise, or in the deterministic setting."""
    if problem.setting != "bayesian":
        _refuse("setting", problem.setting, "the bayesian setting")
    if not problem.noisy:
        _refuse("p", problem.p, "answers that may be wrong")
    if problem.known_p is None:
        _refuse("p", problem.p, "answers that are right with one known probability")


def _check(problem: Problem) -> None:
    """Refuse a problem for which the bound by near queries is not proved."""
    _check_kind(problem)
    if problem.prior is not None:
        _refuse("prior", "given", "a number that is equally likely anywhere")
    if problem.dim > 1:
        _refuse("dim", problem.dim, "one dimension")


def _refuse(argument: str, value: object, subject: str) -> NoReturn:
    raise OutOfRegime(
        argument, value, f"this bound is about {subject}", "bounds.table finds others"
    )
