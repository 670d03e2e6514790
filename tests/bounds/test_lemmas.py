"""The lemmas of the proofs: measured against claimed, exactly where that can be done."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from feint import InvalidValue, Problem
from feint.bounds import (
    bayesian_lower,
    bayesian_upper,
    bz_error,
    bz_lemma,
    bz_rate,
    c1,
    c2,
    close_pairs,
    deterministic_lower,
    deterministic_upper,
    information_limit,
    least_queries,
    noisy_lower,
    noisy_private_lower,
    noisy_queries_inside,
    noisy_upper,
    outvoted,
    queries_inside,
    queries_near,
    spread_queries,
    summary,
    two_point_error,
)
from feint.planning import plan
from feint.simulate import simulate

ODDS = ["0.55", "0.75", "0.9", "0.99"]


def tail(votes: int, p: Fraction) -> Fraction:
    """P{Bin(votes, p) ≤ votes/2}."""
    return sum(
        (math.comb(votes, k) * p**k * (1 - p) ** (votes - k) for k in range(votes // 2 + 1)),
        Fraction(0),
    )


@pytest.mark.parametrize("p", ODDS)
def test_the_best_alpha_and_its_neighbours(p: str) -> None:
    """α = √p/(√p + √(1−p)) is best, and α = p, the true posterior, has no bound at all."""
    odds = float(p)
    best = math.sqrt(odds) / (math.sqrt(odds) + math.sqrt(1 - odds))
    assert bz_rate(p, alpha=best) == pytest.approx(bz_rate(p))
    assert bz_rate(p) == pytest.approx(0.5 + math.sqrt(odds * (1 - odds)))
    for alpha in (best - 0.02, best + 0.004):
        assert bz_rate(p, alpha=alpha) > bz_rate(p)
    assert bz_rate(p, alpha=p) == pytest.approx(1)
    with pytest.raises(InvalidValue, match="alpha"):
        bz_rate(p, alpha="1/2")


@pytest.mark.parametrize("p", ODDS)
@pytest.mark.parametrize("answers", [1, 2, 7, 20])
def test_between_two_cells_a_search_is_a_majority(p: str, answers: int) -> None:
    """Whatever α is, it is wrong when it is outvoted, and half the time when votes are even."""
    odds = Fraction(p)
    even = Fraction(0)
    if answers % 2 == 0:
        half = answers // 2
        even = math.comb(answers, half) * (odds * (1 - odds)) ** half / 2
    wrong = tail(answers, odds) - even
    assert float(wrong) <= bz_error(p, 2, answers) * (1 + 1e-12)
    between = (1 + 3 * float(odds)) / 5  # α between 1/2 and p
    assert float(wrong) <= bz_error(p, 2, answers, alpha=max(0.51, between)) * (1 + 1e-12)
    assert bz_error(p, 50, answers) <= bz_lemma(p, 50, answers)


@pytest.mark.parametrize("p", ODDS)
@pytest.mark.parametrize("votes", [1, 2, 5, 16])
def test_the_vote(p: str, votes: int) -> None:
    assert float(tail(votes, Fraction(p))) <= outvoted(p, votes) * (1 + 1e-12)


@pytest.mark.parametrize("p", ODDS)
@pytest.mark.parametrize("queries", [0, 1, 4, 9])
def test_two_numbers_are_confused_at_least_so_often(p: str, queries: int) -> None:
    """The best test is a likelihood ratio: exactly, over all answers to queries between them."""
    odds = Fraction(p)
    first = [odds**k * (1 - odds) ** (queries - k) for k in range(queries + 1)]
    ways = [math.comb(queries, k) for k in range(queries + 1)]
    pairs = list(zip(ways, first, reversed(first), strict=True))
    error = sum((n * min(a, b) for n, a, b in pairs), Fraction(0)) / 2
    rho = sum(n * math.sqrt(a * b) for n, a, b in pairs)
    assert float(error) >= rho**2 / 4 >= two_point_error(p, queries) * (1 - 1e-12)
    assert two_point_error(p, queries) == pytest.approx(2 ** (-c1(p) * queries) / 4)


@pytest.mark.parametrize("places", [(1, 2, 3), (2, 2, 2), (1, 1, 3, 3)])
def test_answers_tell_no_more_than_the_capacity(places: tuple[int, ...]) -> None:
    """X* in one of four cells, queries at fixed boundaries: the information, term by term."""
    p, told = 0.9, 0.0
    for answers in product((0, 1), repeat=len(places)):
        chances = [
            math.prod(p if (x >= q) == r else 1 - p for q, r in zip(places, answers, strict=True))
            for x in range(4)
        ]
        mean = sum(chances) / 4
        told += sum(each / 4 * math.log2(each / mean) for each in chances)
    assert told <= information_limit(p, len(places))
    assert information_limit(p, len(places)) == pytest.approx(c2("0.9") * len(places))


def test_the_rows_of_theorem_5_are_lemma_2() -> None:
    """L stretches of δ/2 with an error of ε/2 and a miss of 1/M: 20.3 at these values."""
    problem = Problem(0.001, 0.02, 5, p=0.9, confidence=0.95)
    inside = noisy_queries_inside("0.01", "0.0005", "0.05", "0.9")
    assert 5 * inside == pytest.approx(float(noisy_private_lower(problem)))


def test_a_noisy_search_asks_so_many_near_its_number() -> None:
    """All queries in the stretch of δ/2 that holds X* lie within δ/2 of it."""
    problem = Problem(0.005, 0.1, 3, p=0.9, confidence=0.9)
    measured = simulate(plan(problem).strategy, runs=400, seed=1).near
    assert measured >= noisy_queries_inside("0.05", "0.0025", "0.1", "0.9")


def test_figures() -> None:
    assert queries_inside("1/4", "1/64") == 3  # log 16/2
    assert least_queries("2^-20") == 19
    assert spread_queries("1/64") == 3
    assert queries_near("1/8", "1/64") == 3
    assert [close_pairs(level) for level in (2, 5, 9)] == [0, 0, 4]
    # log 2^8/15 + 15·12, and 2·15 + log 2^12.
    assert summary(Problem("2^-20", "2^-8", 15)) == pytest.approx(8 - math.log2(15) + 180)
    assert summary(Problem("2^-20", "2^-8", 15, setting="deterministic")) == 42
    # 2(log 2^8/3 + 3·12), γ = 3; L log Mδ/ε + log 1/ε with M = 20.
    assert summary(Problem("2^-20", "2^-8", 9, dim=2)) == pytest.approx(2 * (8 - math.log2(3) + 36))
    noisy = Problem("2^-20", "2^-8", 4, p=0.9, confidence="0.95")
    assert summary(noisy) == pytest.approx(4 * (12 + math.log2(20)) + 20)
    with pytest.raises(InvalidValue, match="width"):
        queries_inside(0, "1/64")


@given(st.integers(2, 40), st.integers(2, 60), st.integers(3, 10**6))
def test_the_theorems_lie_near_their_summary(level: int, ratio: int, cells: int) -> None:
    epsilon = Fraction(1, cells)
    delta = ratio * epsilon
    assume(delta * level <= 1)
    about = summary(problem := Problem(epsilon, delta, level))
    assert about - 2 * level - 2 <= float(bayesian_lower(problem)) + 1e-9
    assert float(bayesian_upper(problem)) <= about + 3 * level + 1e-9
    about = summary(problem := Problem(epsilon, delta, level, setting="deterministic"))
    assert about - 8 <= float(deterministic_lower(problem)) + 1e-9
    assert float(deterministic_upper(problem)) <= about + 1 + 1e-9


@pytest.mark.parametrize("confidence", [None, "0.95", "0.999999"])
def test_under_noise_the_summary_is_right_up_to_a_factor_of_p(confidence: str | None) -> None:
    """For 7 problems at one p the ratios to the summary stay within fixed factors."""
    low, high = [], []
    for level, ratio, depth in product((2, 20), (2**10, 2**30), (40, 60)):
        delta = Fraction(ratio, 2**depth)
        if delta * level <= 1:
            problem = Problem(Fraction(1, 2**depth), delta, level, p=0.9, confidence=confidence)
            low += [float(noisy_lower(problem)) / summary(problem)]
            high += [float(noisy_upper(problem)) / summary(problem)]
    assert min(low) > 0.2
    assert max(high) < 250
