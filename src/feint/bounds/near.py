"""Compute a lower bound on questions by counting the queries near X* exactly.

The eavesdropper names a late query drawn at random. She wins if that query lies within δ/2 of X*,
so the number of such *near* queries, divided by the number of late queries, is at most 1/L. Every
accurate learner asks at least f near queries on average, and few of them can be early. Together:
n ≥ K + L·(f − G·(2^K − 1)) for every whole K ≥ 0, where G is the success of the best blind guess.
See proofs/near.md.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from feint.bounds.lattice import last_leaves, near_queries_of_line
from feint.bounds.weighted import MOST_CELLS, near_queries_of_masses
from feint.errors import OutOfRegime
from feint.exact import ceil_div, ceil_log2
from feint.problem import UNIFORM, Line, Problem, problem_of

MOST_VALUES = 1 << 12
"""The most values for which near queries are counted value by value.

The time of the programme grows with the square of this number. Beyond the limit the bound for an
interval with this number of cells is used, which holds for values too.
"""


@dataclass(frozen=True)
class _Count:
    """The figures of one coordinate that the bound needs.

    Attributes:
        near: f, a lower bound on the mean number of near queries.
        blind: G, the success of the best blind guess.
        pieces: The number of intervals that the learner must distinguish.
    """

    near: Fraction
    blind: Fraction
    pieces: int


def near_lower(
    problem: Problem, *, line: Line | None = None, success: Fraction | None = None
) -> int:
    """Return a lower bound on the questions of every plan: N ≥ K + L(f − δ(2^K − 1)).

    It bounds the largest number of questions of a plan, not the mean over its runs. It is never
    below ⌈log 1/ε⌉, the number that finding X* without privacy needs.

    Args:
        problem: Bayesian, noiseless, one dimension. X* is uniform on an interval or on whole
            values, or one of at most 400 values with a prior. With a prior, the bound covers the
            binned prior, and plans that ask between values.
        line: A lattice of at most 400 cells, with the prior. The bound then covers only plans that
            ask at its boundaries. None: plans may ask anywhere.
        success: The allowed success of the eavesdropper; None: 1/L.

    Returns:
        The number of questions.

    Raises:
        OutOfRegime: The problem is of another kind, or a blind guess already wins too often.

    Example:
        >>> near_lower(Problem("2^-20", "2^-8", 15))
        199
        >>> near_lower(Problem("1/97", "7/97", 4, values=97))
        16

        A plan that may ask only at tenths needs one question more:

        >>> problem = Problem("0.15", "0.3", 3)
        >>> near_lower(problem), near_lower(problem, line=Line.of_cells(10))
        (6, 7)
    """
    # The limit on her success is about the stated distribution. In the bins, on which the bound
    # is computed, it may be exceeded by the distance.
    wins = (success or Fraction(1, problem_of(problem).level)) + problem.distance
    if problem.uniform:
        problem = replace(problem, prior=None)
    _check(problem, line)
    count = _count(problem, line)
    return max(ceil_log2(count.pieces), fewest_queries(count.near, count.blind, 1 / wins))


def near_product_lower(problem: Problem, *, success: Fraction | None = None) -> int:
    """Return a lower bound on the questions of plans that search every coordinate by itself.

    If searches are independent of each other, an eavesdropper's successes multiply. Against n
    questions about one coordinate her success is at least s(n), by solving the bound of
    `near_lower` for it. The logarithm of s is convex, so equal shares are best.

    Args:
        problem: Bayesian, noiseless, any dimension, X* uniform.
        success: The allowed success of the eavesdropper; None: 1/L.

    Returns:
        The number of questions about all coordinates together. It is not proved for plans that
        search coordinates jointly.

    Raises:
        OutOfRegime: The problem is of another kind.

    Example:
        >>> near_product_lower(Problem("2^-10", "2^-6", 9, dim=2))
        38
    """
    if not problem_of(problem).uniform:
        rule = "this bound is about numbers that are equally likely anywhere"
        raise OutOfRegime("prior", "given", rule, "bounds.table finds others")
    alone = replace(problem, dim=1, level=1, prior=None)
    _check(alone, None)
    count, dim = _count(alone, None), problem.dim
    most = (success or Fraction(1, problem.level)) + problem.distance

    def enough(queries: int) -> bool:
        """Return True if the bound allows this number of questions in all."""
        each, more = divmod(queries, dim)
        fewer, longer = _least_success(count, each), _least_success(count, each + 1)
        if fewer is None or longer is None:
            return False
        # Fractions would be reduced, which takes seconds for a thousand coordinates.
        top: int = fewer.numerator ** (dim - more) * longer.numerator**more
        under: int = fewer.denominator ** (dim - more) * longer.denominator**more
        return top * most.denominator <= most.numerator * under

    low = dim * ceil_log2(count.pieces) - 1
    high = low + 1
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _least_success(count: _Count, queries: int) -> Fraction | None:
    """Return s(n), a lower bound on her success against n questions; None if n is too small."""
    # Whole numbers of 1/`common` need no reduction of fractions.
    common = math.lcm(count.near.denominator, count.blind.denominator)
    near, blind = int(count.near * common), int(count.blind * common)
    least, share, early = blind, 1, 0
    while (late := near - blind * ((1 << early) - 1)) > 0:
        if early >= queries:
            return None
        if late * share > least * (queries - early):
            least, share = late, queries - early
        early += 1
    return Fraction(least, share * common)


def _count(problem: Problem, line: Line | None) -> _Count:
    """Return the figures of one coordinate."""
    epsilon, delta, values = problem.epsilon, problem.delta, problem.values
    if line is not None:
        pieces, first, leaves = 0, 0, last_leaves(line, epsilon)
        while first < line.size:
            pieces, first = pieces + 1, leaves[first]
        near = near_queries_of_line(line, epsilon, delta)
        return _Count(near, (line.prior or UNIFORM).blind(delta), pieces)
    if problem.prior is not None:
        return _under_prior(problem)
    if values is None:
        return _Count(near_queries(epsilon, delta), delta, ceil_div(1, epsilon))
    # A window of δ holds at least this many whole values. Naming fewer can only lower her success.
    window = int(delta * values)
    delta = Fraction(window, values)
    near = near_queries(Fraction(1, values), delta)
    if values <= MOST_VALUES:
        near = max(near, near_queries_of_values(values, window))
    return _Count(near, delta, values)


def near_queries(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return f, a lower bound on the mean number of queries within δ/2 of a uniform X*.

    Args:
        epsilon: Full width of the accuracy, at most 1.
        delta: Full width within which the eavesdropper wins.

    Returns:
        f(ε, δ), exactly.

    Example:
        >>> near_queries(Fraction(1, 2**20), Fraction(1, 2**8))
        Fraction(3327, 256)
    """
    if delta < 2 * epsilon:
        return delta / (2 * epsilon) * (1 + (ceil_div(1, epsilon) - 2) * epsilon)
    fewest = ceil_div(2, delta)
    # The sum is convex and piecewise linear in T, with corners at 1/(ε·2^i). So its minimum over
    # whole numbers lies at the least T or next to a corner.
    corners = [1 / (epsilon * (1 << i)) for i in range(ceil_log2(1 / epsilon) + 1)]
    near = {int(corner) + more for corner in corners for more in (0, 1)}
    counts = {fewest, *(count for count in near if count >= fewest)}
    return min(_mean_depth(1 / (count * epsilon)) + 1 + (count - 2) * delta / 2 for count in counts)


def near_queries_of_values(values: int, window: int) -> Fraction:
    """Return f for one of `values` equally likely values, of which she names `window`.

    Args:
        values: m, at most `MOST_VALUES`.
        window: D, the number of neighbouring values that the eavesdropper names.

    Returns:
        f, exactly.

    Example:
        >>> near_queries_of_values(4, 2)
        Fraction(3, 2)
    """
    return Fraction(int(_doubled(values, window)), 2 * values)


def _check(problem: Problem, line: Line | None) -> None:
    """Refuse a problem for which the bound is not proved."""
    cells = (problem.values or MOST_CELLS + 1) if line is None else line.size
    large = cells > MOST_CELLS and (problem.prior is not None or line is not None)
    rules = {
        "setting": (problem.setting != "bayesian", problem.setting, "the bayesian setting"),
        "p": (problem.noisy, problem.p, "answers that are never wrong"),
        "prior": (large, "given", f"a uniform number, or at most {MOST_CELLS} values or cells"),
        "dim": (problem.dim > 1, problem.dim, "one dimension"),
    }
    for argument, (is_other, value, subject) in rules.items():
        if is_other:
            rule = f"this bound is about {subject}"
            raise OutOfRegime(argument, value, rule, "bounds.table finds others")


def _under_prior(problem: Problem) -> _Count:
    """Return the figures of whole values with a prior."""
    values, masses = problem.values or 0, problem.law().weights
    edges, window = [0, *accumulate(masses)], int(problem.delta * values)
    low, high = window // 2, window - window // 2
    # She flips a coin for the side on which she names one value more, as without a prior.
    windows = [
        [(edges[max(0, q - a)], edges[min(values, q + b)]) for q in range(1, values)]
        for a, b in ((low, high), (high, low))
    ]
    near = near_queries_of_masses(masses, windows, _leaves(masses))
    most = max(edges[first + window] - edges[first] for first in range(values - window + 1))
    return _Count(near, Fraction(most, edges[-1]), sum(mass > 0 for mass in masses))


def _leaves(masses: Sequence[int]) -> list[int]:
    """Return for each value the last boundary up to which at most one value has mass."""
    likely = [number for number, mass in enumerate(masses) if mass]
    seconds = [*likely[1:], len(masses), len(masses)]
    return [seconds[bisect_left(likely, first)] for first in range(len(masses))]


def fewest_queries(near: Fraction, blind: Fraction, level: Fraction | int) -> int:
    """Return ⌈K + L·(f − G·(2^K − 1))⌉ at the best K, at least 0.

    Args:
        near: f, a lower bound on every learner's mean number of queries near X*.
        blind: G, the success of the best blind guess.
        level: L; any rational of at least 1.
    """
    # Raising K by one gains 1 and loses L·G·2^K, so the best K is the first with 2^K ≥ 1/(L·G). The
    # bound holds only if not all near queries can be early: f > G·(2^K − 1).
    early = max(0, ceil_log2(1 / (level * blind))) if blind else 0
    while early and near <= blind * ((1 << early) - 1):
        early -= 1
    return max(0, ceil_div(early + level * (near - blind * ((1 << early) - 1)), 1))


def _mean_depth(ratio: Fraction) -> Fraction:
    """Return D(r), a lower bound on the mean depth of a tree with leaves of 1/r or less (Kraft)."""
    # The maximum over whole a is attained where 2^(a+1) ≤ r < 2^(a+2), or at a = 0.
    best = max(0, ceil_log2(ratio) - 2)
    depths = (a + 2 - (2 << a) / ratio for a in range(best, best + 3))
    return max(Fraction(0), *depths)


@lru_cache(maxsize=256)
def _doubled(values: int, window: int) -> int:
    """Return 2·(v(m) − c(m)), where v adds up 2c over all nodes of the best tree of values."""
    import numpy as np  # not at the top: `feint bounds` starts without NumPy

    low, high = window // 2, window - window // 2
    size = np.arange(values + 1)
    own = np.minimum(size, low) + np.minimum(size, high)  # 2c
    least = own.copy()
    for count in range(2, values + 1):
        # Half of the splits are enough: the two sides may be exchanged.
        left = least[1 : count // 2 + 1]
        right = least[count - 1 : count - count // 2 - 1 : -1]
        least[count] += (left + right).min()
    return int(least[values] - own[values])
