"""How few questions anybody needs: a lower bound that counts the queries near X* exactly.

The eavesdropper names a late query drawn at random. She wins if that query lies within δ/2 of X*,
so the number of such *near* queries, divided by the number of late queries, is at most 1/L. Every
accurate learner asks at least f near queries on average, and few of them can be early. Together:
n ≥ K + L·(f − G·(2^K − 1)) for every whole K ≥ 0, where G is what a blind guess wins. See
proofs/near.md.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from feint.bounds.weighted import MOST_CELLS, near_queries_of_masses
from feint.errors import OutOfRegime
from feint.exact import ceil_div, ceil_log2
from feint.problem import Problem, problem_of

MOST_VALUES = 1 << 12
"""The most values for which near queries are counted value by value.

The programme takes time proportional to the square. Beyond the limit the bound for an interval of
as many cells is used, which holds for values too.
"""


def near_lower(problem: Problem) -> int:
    """Return how many questions any plan must be ready to ask: N ≥ K + L(f − δ(2^K − 1)).

    It bounds the largest number of questions of a plan, not the mean over its runs. It is never
    below ⌈log 1/ε⌉, what it takes to find X* at all.

    Args:
        problem: Bayesian, noiseless, one dimension. X* is uniform on an interval or on whole
            values, or one of at most 400 values with a prior. The bound is then about the prior as
            it was read, and about plans that ask between values.

    Returns:
        The number of questions.

    Raises:
        OutOfRegime: The problem is of another kind, or a blind guess already wins too often.

    Example:
        >>> near_lower(Problem("2^-20", "2^-8", 15))
        199
        >>> near_lower(Problem("1/97", "7/97", 4, values=97))
        16
    """
    _check(problem_of(problem))
    if problem.prior is not None:
        return _under_prior(problem)
    epsilon, delta, values = problem.epsilon, problem.delta, problem.values
    pieces = ceil_div(1, epsilon) if values is None else values
    if values is not None:
        # A window of δ holds at least so many whole values: naming fewer can only make her weaker.
        epsilon, delta = Fraction(1, values), Fraction(int(delta * values), values)
        if not delta:
            return ceil_log2(pieces)
    bounds = [ceil_log2(pieces), fewest_queries(near_queries(epsilon, delta), delta, problem.level)]
    if values is not None and values <= MOST_VALUES:
        near = near_queries_of_values(values, int(delta * values))
        bounds.append(fewest_queries(near, delta, problem.level))
    return max(bounds)


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
    # The sum is convex and piecewise linear in T, with corners at 1/(ε·2^i): a whole minimum lies
    # at the least T or next to a corner.
    corners = [1 / (epsilon * (1 << i)) for i in range(ceil_log2(1 / epsilon) + 1)]
    near = {int(corner) + more for corner in corners for more in (0, 1)}
    counts = {fewest, *(count for count in near if count >= fewest)}
    return min(_mean_depth(1 / (count * epsilon)) + 1 + (count - 2) * delta / 2 for count in counts)


def near_queries_of_values(values: int, window: int) -> Fraction:
    """Return the same for one of `values` equally likely values, of which she names `window`.

    Args:
        values: m, at most `MOST_VALUES`.
        window: D, how many neighbouring values the eavesdropper names.

    Returns:
        f, exactly.

    Example:
        >>> near_queries_of_values(4, 2)
        Fraction(3, 2)
    """
    return Fraction(int(_doubled(values, window)), 2 * values)


def _check(problem: Problem) -> None:
    """Refuse a problem that the bound is not proved for."""
    rules = {
        "setting": (problem.setting != "bayesian", problem.setting, "the bayesian setting"),
        "p": (problem.noisy, problem.p, "answers that are never wrong"),
        "prior": (
            problem.prior is not None and (problem.values or MOST_CELLS + 1) > MOST_CELLS,
            "given",
            f"a uniform number, or at most {MOST_CELLS} values",
        ),
        "dim": (problem.dim > 1, problem.dim, "one dimension"),
    }
    for argument, (is_other, value, subject) in rules.items():
        if is_other:
            rule = f"this bound is about {subject}"
            raise OutOfRegime(argument, value, rule, "bounds.table finds others")


def _under_prior(problem: Problem) -> int:
    """Return the bound for whole values with a prior."""
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
    # Reading a distribution into bins may hide so much success: the bound must not count on it.
    level = 1 / (Fraction(1, problem.level) + problem.distance)
    likely = sum(mass > 0 for mass in masses)
    return max(ceil_log2(likely), fewest_queries(near, Fraction(most, edges[-1]), level))


def _leaves(masses: Sequence[int]) -> list[int]:
    """Return for each value the last boundary up to which at most one value has mass."""
    likely = [number for number, mass in enumerate(masses) if mass]
    seconds = [*likely[1:], len(masses), len(masses)]
    return [seconds[bisect_left(likely, first)] for first in range(len(masses))]


def fewest_queries(near: Fraction, blind: Fraction, level: Fraction | int) -> int:
    """Return ⌈K + L·(f − G·(2^K − 1))⌉ at the best K, at least 0.

    Args:
        near: f, how many queries near X* every learner asks on average, at least.
        blind: G, what the best blind guess wins with.
        level: L; any rational of at least 1.
    """
    # One more in K gains 1 and loses L·G·2^K, so the best K is the first with 2^K ≥ 1/(L·G). The
    # bound holds only while early queries cannot hold all near ones: f > G·(2^K − 1).
    early = max(0, ceil_log2(1 / (level * blind)))
    while early and near <= blind * ((1 << early) - 1):
        early -= 1
    return max(0, ceil_div(early + level * (near - blind * ((1 << early) - 1)), 1))


def _mean_depth(ratio: Fraction) -> Fraction:
    """Return D(r), the least mean depth of a binary tree on r leaf lengths (Kraft)."""
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
