"""The lower bound of the deterministic setting: numbers, and never above what can be done."""

import random
from fractions import Fraction
from functools import cache

import pytest

from feint import Problem, plan
from feint.bounds import deterministic_lower, guesses_lower, lower_bound
from feint.errors import InvalidValue, OutOfRegime
from feint.planning import methods


def _values(values: int, window: int, level: int, dim: int = 1) -> Problem:
    delta = Fraction(window, values)
    epsilon = Fraction(1, values)
    return Problem(epsilon, delta, level, values=values, setting="deterministic", dim=dim)


SMALL = [
    (values, window, level)
    for values in range(3, 15)
    for window in range(1, 5)
    for level in range(2, 6)
    if window * level <= values
]


@pytest.mark.parametrize(
    ("epsilon", "delta", "level", "least"),
    [
        # ⌈log 4095⌉ + 2·15 − 3, and ⌈log 1023⌉ + 200 − 3.
        ("2^-20", "2^-8", 15, 39),
        ("2^-40", "2^-30", 100, 207),
        # Two guesses: 2, 4, 8, 9, 18, 36, 72 are five halvings from 64, and two questions more.
        ("1/64", "1/8", 3, 7),
    ],
)
def test_known_numbers(epsilon: str, delta: str, level: int, least: int) -> None:
    assert guesses_lower(Problem(epsilon, delta, level, setting="deterministic")) == least


def test_values_named_one_by_one() -> None:
    """All of four values stay possible only if all three questions are asked."""
    assert guesses_lower(_values(4, 1, 4)) == 3
    assert guesses_lower(_values(64, 1, 40)) == 40


@pytest.mark.parametrize(("values", "window", "level"), SMALL)
def test_never_above_the_exact_search(values: int, window: int, level: int) -> None:
    problem = _values(values, window, level)
    if "optimal" in methods(problem):
        assert guesses_lower(problem) <= plan(problem, method="optimal").queries


def test_the_exact_search_meets_it_often() -> None:
    """A bound that is always 0 would pass the test above."""
    problems = [_values(*each) for each in SMALL]
    reached = [problem for problem in problems if "optimal" in methods(problem)]
    met = [guesses_lower(each) == plan(each, method="optimal").queries for each in reached]
    assert len(met) > 50
    assert sum(met) > len(met) / 2


@pytest.mark.parametrize("level", [2, 3, 6])
@pytest.mark.parametrize("window", [2, 3, 5, 9])
def test_halvings_by_all_orders(window: int, level: int) -> None:
    """The largest range that T halvings and L − 1 short steps lead from, tried in every order."""

    def largest(halvings: int) -> int:
        most = min(level - 1, halvings + 2)

        @cache
        def longest(size: int, guesses: int, left: int) -> int:
            found = [size] if not left else [longest(2 * size, guesses, left - 1)]
            if guesses < most and size >= guesses * window:
                found.append(longest(size + 1, guesses + 1, left))
            return max(found)

        return longest(1, 0, halvings)

    beside = (window - 1).bit_length() + 2 * level - 3
    for values in range(max(window * level, 4), 120):
        halvings = next(count for count in range(10) if largest(count) >= values)
        least = max((values - 1).bit_length(), beside, level - 1 + halvings)
        assert guesses_lower(_values(values, window, level)) == least


@pytest.mark.parametrize("seed", range(6))
def test_never_above_a_plan(seed: int) -> None:
    draw = random.Random(seed)
    held = 0
    while held < 20:
        level, dim = draw.randint(2, 12), draw.choice([1, 1, 2, 3])
        try:
            if draw.random() < 0.5:
                problem = _values(draw.randint(4, 200), draw.randint(1, 20), level, dim)
            else:
                delta = Fraction(1, draw.randint(2, 200))
                epsilon = delta / Fraction(draw.randint(8, 4000), 4)
                problem = Problem(epsilon, delta, level, setting="deterministic", dim=dim)
        except InvalidValue:
            continue
        least = lower_bound(problem)
        assert least is not None
        assert guesses_lower(problem) <= least <= plan(problem).queries
        if dim == 1 and problem.values is None:
            assert deterministic_lower(problem) <= guesses_lower(problem)
        held += 1


def test_other_problems_are_refused() -> None:
    with pytest.raises(OutOfRegime, match="setting"):
        guesses_lower(Problem("1/64", "1/12", 3))
