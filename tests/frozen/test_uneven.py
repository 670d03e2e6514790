"""Searches of different lengths: audits and mean lengths agree with brute force."""

from fractions import Fraction

import pytest
from tests.support.examples import later
from tests.support.played import Line, figures
from tests.support.random_uneven import uneven

from feint import Problem
from feint.audit import audit
from feint.branches import mean_lengths
from feint.strategies import Product


def line(size: int) -> Line:
    return Line(tuple(Fraction(k, size) for k in range(size + 1)))


@pytest.mark.parametrize("seed", later(range(300), range(40, 300)))
def test_one_number(seed: int) -> None:
    strategy = uneven(seed)
    seen = figures(strategy, strategy.problem.delta, [line(strategy.size)])
    report, means = audit(strategy), mean_lengths(strategy)
    assert not seen.resumed
    assert report.adversary_success == seen.success
    assert (report.covering_number, report.transcripts) == (seen.covering, seen.transcripts)
    assert report.accuracy == seen.accuracy
    assert means == (seen.queries_mean, seen.rounds_mean)


@pytest.mark.parametrize("seed", later(range(40), range(10, 40)))
def test_two_numbers(seed: int) -> None:
    """A search of two numbers ends when both are done."""
    factors = uneven(seed), uneven(1000 + seed)
    sizes = [factor.size for factor in factors]
    problem = Problem(Fraction(1, 14), Fraction(1, 5), 1, dim=2)
    both = Product(problem, factors)
    seen = figures(both, problem.delta, [line(size) for size in sizes])
    report, means = audit(both), mean_lengths(both)
    assert report.adversary_success == seen.success
    assert means == (seen.queries_mean, seen.rounds_mean)


def test_they_have_different_lengths() -> None:
    found = [figures(uneven(seed), Fraction(1, 4), [line(uneven(seed).size)]) for seed in range(40)]
    assert sum(each.queries_mean < each.queries_most for each in found) >= 20
    assert sum(each.rounds_mean < each.rounds_most for each in found) >= 10
