"""The lower bound that counts queries near X*: numbers, and never above what can be done."""

import random
from fractions import Fraction
from functools import cache

import pytest

from feint import Problem, plan
from feint.bounds import near_lower, near_queries, near_queries_of_values
from feint.bounds.near import MOST_VALUES
from feint.errors import OutOfRegime
from feint.problem import Prior

INTERVALS = [
    ("2^-20", "2^-8", 15, 199),
    ("1/1000", "1/400", 50, 115),
    ("1/31000", "1/3875", 31, 130),
    ("1/64", "1/12", 3, 11),
    ("1/25", "2/25", 7, 14),
    ("1/8", "1/10", 2, 3),
    ("1/9", "2/9", 3, 6),
    ("1/8", "1/4", 4, 7),
    ("1/5075", "1/1015", 35, 118),
]
SMALL = [
    (values, window, level)
    for values in range(3, 9)
    for window in range(1, 4)
    for level in range(2, values + 1)
    if window * level <= values
]


def _values(values: int, window: int, level: int) -> Problem:
    return Problem(Fraction(1, values), Fraction(window, values), level, values=values)


@pytest.mark.parametrize(("epsilon", "delta", "level", "least"), INTERVALS)
def test_known_numbers(epsilon: str, delta: str, level: int, least: int) -> None:
    assert near_lower(Problem(epsilon, delta, level)) == least


def test_known_number_of_values() -> None:
    assert near_lower(_values(97, 7, 4)) == 16


@pytest.mark.parametrize("index", range(60))
def test_near_queries_are_least_over_all_counts(index: int) -> None:
    """Every T up to past the last corner, with the mean depth as a maximum over all a."""
    draw = random.Random(index)
    epsilon = Fraction(1, draw.randint(4, 200)) * Fraction(draw.randint(3, 4), 4)
    delta = epsilon * Fraction(draw.randint(8, 60), 4)
    if delta > 1:
        delta = Fraction(1)

    def depth(ratio: Fraction) -> Fraction:
        return max(Fraction(0), *(a + 2 - Fraction(2 << a) / ratio for a in range(12)))

    first, last = -(-2 // delta), int(1 / epsilon) + 3
    least = min(
        depth(1 / (count * epsilon)) + 1 + (count - 2) * delta / 2
        for count in range(int(first), max(last, int(first) + 1))
    )
    assert near_queries(epsilon, delta) == least


@pytest.mark.parametrize("window", [1, 2, 3, 4, 7])
def test_near_queries_of_values_by_recursion(window: int) -> None:
    """By a recursion over all splits, in fractions."""

    def count(size: int) -> Fraction:
        low = window // 2
        return Fraction(min(size, low) + min(size, window - low), 2)

    @cache
    def total(size: int) -> Fraction:
        if size == 1:
            return count(1)
        return count(size) + min(total(x) + total(size - x) for x in range(1, size))

    for values in range(1, 40):
        expected = (total(values) - count(values)) / values
        assert near_queries_of_values(values, window) == expected


@pytest.mark.parametrize(("values", "window", "level"), SMALL)
def test_never_above_the_optimum(values: int, window: int, level: int) -> None:
    problem = _values(values, window, level)
    assert near_lower(problem) <= plan(problem, method="optimal").queries


@pytest.mark.parametrize("seed", range(8))
def test_never_above_a_plan(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(20):
        if draw.random() < 0.5:
            values, level = draw.randint(4, 120), draw.randint(2, 6)
            window = draw.randint(1, max(1, values // level))
            problem = _values(values, window, level)
            if window * level > values:
                continue
        else:
            level = draw.randint(2, 20)
            delta = Fraction(1, level * draw.randint(1, 40)) * Fraction(draw.randint(2, 4), 4)
            problem = Problem(delta * Fraction(1, draw.randint(2, 300)), delta, level)
        assert near_lower(problem) <= plan(problem).queries


def test_many_values_use_the_bound_of_an_interval() -> None:
    many = 4 * MOST_VALUES
    interval = Problem(Fraction(1, many), Fraction(8, many), 9)
    assert near_lower(_values(many, 8, 9)) == near_lower(interval)


@pytest.mark.parametrize(("epsilon", "delta"), [("1/1000", "1/8"), ("1/100", "1/200")])
def test_at_level_one_it_is_what_bisection_asks(epsilon: str, delta: str) -> None:
    """At δ = ε/2 the best K of the formula is more than there are queries: it is not allowed."""
    problem = Problem(epsilon, delta, 1)
    assert near_lower(problem) == plan(problem, method="bisection").queries


@pytest.mark.parametrize(
    ("problem", "argument"),
    [
        (Problem("1/64", "1/12", 3, setting="deterministic"), "setting"),
        (Problem("1/64", "1/12", 3, p="0.9"), "p"),
        (Problem("1/64", "1/12", 3, dim=2), "dim"),
        (Problem("1/64", "1/12", 3, prior=Prior([1, 2, 2, 1])), "prior"),
    ],
)
def test_other_problems_are_refused(problem: Problem, argument: str) -> None:
    with pytest.raises(OutOfRegime, match=argument):
        near_lower(problem)
