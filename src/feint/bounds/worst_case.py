"""Compute a lower bound on questions in the deterministic setting, by two arguments.

For every transcript, L places δ apart stay possible, and each lies between neighbouring queries at
most ε apart. So each of them costs queries that do not help to find X*. See proofs/near.md.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction

from feint.errors import OutOfRegime
from feint.exact import ceil_div, ceil_log2, ceil_root
from feint.problem import Problem, problem_of


def guesses_lower(problem: Problem) -> int:
    """Return a lower bound on the largest number of questions in the deterministic setting.

    It is the larger of ⌈log(δ/ε − 1)⌉ + 2L − 3 (values: ⌈log D⌉ + 2L − 3) and L − 1 + T. Here T is
    the least number of halvings from the whole range to ε, with one short step per guess. In d
    dimensions both are summed over coordinates with levels whose product is L.

    Args:
        problem: Deterministic, an interval or whole values, any dimension.

    Returns:
        The bound. In several dimensions it covers plans that search every coordinate
        independently.

    Raises:
        OutOfRegime: The problem is of another kind.

    Example:
        >>> guesses_lower(Problem("1/64", "1/8", 3, setting="deterministic"))
        7
    """
    if problem_of(problem).setting != "deterministic":
        rule, remedy = "this bound is about the deterministic setting", "bounds.table finds others"
        raise OutOfRegime("setting", problem.setting, rule, remedy)
    level, values, dim = problem.level, problem.values, problem.dim
    if values is None:
        size, window = 1 / problem.epsilon, problem.delta / problem.epsilon
    else:
        size, window = Fraction(values), Fraction(int(problem.delta * values))
    found = dim * ceil_log2(ceil_div(size, 1))
    if level == 1:
        return found
    # Levels of coordinates multiply to L, so d of them add up to d·L^(1/d) or more.
    places = ceil_root(level * dim**dim, dim)
    if window < 2:  # values named singly: neighbours share a query
        return max(found, places if level < size else places - dim)
    beside = ceil_log2(window if values is not None else max(window - 1, Fraction(1)))
    guessed = dim * (beside - 3) + ceil_root(level * (2 * dim) ** dim, dim)
    return max(found, guessed, places + dim * (_halvings(problem, size, window) - 1))


def _halvings(problem: Problem, size: Fraction, window: Fraction) -> int:
    """Return T, the least number of halvings from `size` to 1 with the best use of guesses.

    Followed backwards: a halving doubles, and the second question of a guess adds 1. Of k guesses
    in an interval the outermost are k − 1 windows apart, so the k-th adds only from there on.
    """
    # k values D apart span (k − 1)·D + 1 of them.
    more = 0 if problem.values is None else 1

    def reaches(halvings: int) -> bool:
        """Return True if this many suffice; the condition is monotone, so T is bisected."""
        most = halvings + 2  # a guess begins at an end of the range, or at a halving
        if problem.dim == 1:
            most = min(problem.level - 1, most)
        length, guesses, left = Fraction(1), 0, halvings
        while True:
            while guesses < most and length + 1 >= guesses * window + more:
                length, guesses = length + 1, guesses + 1
            if not left:
                break
            length, left = 2 * length, left - 1
        return length >= size

    # Without a guess, the logarithm of the range is enough.
    return bisect_left(range(ceil_log2(size)), True, key=reaches)
