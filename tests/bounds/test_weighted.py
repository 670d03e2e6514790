"""The lower bound on weighted lattices: never above the optimum of the linear programme here."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import pytest
from tests.support.least_success import optimum

from feint.bounds import near_queries_of_masses, near_queries_of_values
from feint.bounds.near import fewest_queries
from feint.bounds.weighted import MOST_CELLS
from feint.errors import InvalidValue


def near_of_values(masses: Sequence[int], window: int) -> Fraction:
    """Return f for weighted values, of which she names `window`, sides by a coin."""
    count, edge = len(masses), [0, *accumulate(masses)]
    low, high = window // 2, window - window // 2
    windows = [
        [(edge[max(0, q - a)], edge[min(count, q + b)]) for q in range(1, count)]
        for a, b in ((low, high), (high, low))
    ]
    leaves = [_leaf(masses, first) for first in range(count)]
    return near_queries_of_masses(masses, windows, leaves)


def _leaf(masses: Sequence[int], first: int) -> int:
    """Return the last boundary up to which one value at most has mass."""
    last = first
    while last < len(masses) and sum(m > 0 for m in masses[first : last + 1]) <= 1:
        last += 1
    return last


def _drawn(seed: int) -> tuple[list[int], int]:
    """Return masses of up to eight cells, some of them empty, and a window."""
    draw = random.Random(seed)
    while True:
        masses = [draw.choice([0, 1, 1, 2, 3, 5, 20]) for _ in range(draw.randint(3, 8))]
        if sum(mass > 0 for mass in masses) > 1:
            return masses, draw.randint(1, max(1, len(masses) // 2))


def _check(seed: int) -> int:
    """Hold the bound against every optimum of a drawn prior; return how many there were."""
    masses, window = _drawn(seed)
    near, total = near_of_values(masses, window), sum(masses)
    blind = max(
        Fraction(sum(masses[k : k + window]), total) for k in range(len(masses) - window + 1)
    )
    held = 0
    for queries in range(1, 5 if len(masses) > 5 else 6):
        least = optimum(masses, window, queries)
        if least is None:
            continue
        # A success that is a little too large stands for a level that is a little too small.
        level = 1 / (Fraction(least) + Fraction(1, 10**9))
        assert fewest_queries(near, blind, level) <= queries, (masses, window, queries)
        held += 1
    return held


@pytest.mark.parametrize("seed", range(20))
def test_never_above_the_optimum_under_a_prior(seed: int) -> None:
    assert _check(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20, 300, 20))
def test_never_above_the_optimum_under_many_priors(seed: int) -> None:
    assert all(_check(each) for each in range(seed, seed + 20))


def test_the_bound_is_met_under_some_priors() -> None:
    """A bound that is always 0 would pass the tests above."""
    met = 0
    for seed in range(20):
        masses, window = _drawn(seed)
        near, total = near_of_values(masses, window), sum(masses)
        blind = max(
            Fraction(sum(masses[k : k + window]), total) for k in range(len(masses) - window + 1)
        )
        for queries in range(2, 5):
            least = optimum(masses, window, queries)
            if least is not None and least * total < total:
                level = 1 / Fraction(least).limit_denominator(10**6)
                met += fewest_queries(near, blind, level) == queries
    assert met >= 10


@pytest.mark.parametrize(("values", "window"), [(97, 7), (20, 3), (9, 2), (9, 1), (2, 1)])
def test_equal_masses_are_whole_values(values: int, window: int) -> None:
    near = near_of_values([1] * values, window)
    assert 0 <= near_queries_of_values(values, window) - near < Fraction(1, 10**9)


def test_windows_that_do_not_fit_the_scale_are_not_rounded_up() -> None:
    """Eight equal cells, 1/48 on both sides of seven questions: 7/24, no binary fraction."""
    eighth, side = Fraction(1, 8), Fraction(1, 48)
    windows = [[(eighth * cut - side, eighth * cut + side) for cut in range(1, 8)]]
    near = near_queries_of_masses([eighth] * 8, windows, list(range(1, 9)))
    assert Fraction(7, 24) - Fraction(1, 10**9) < near <= Fraction(7, 24)


def test_too_many_cells_are_refused() -> None:
    many = MOST_CELLS + 1
    with pytest.raises(InvalidValue, match="masses"):
        near_queries_of_masses([1] * many, [[(0, 1)] * (many - 1)], list(range(1, many + 1)))
