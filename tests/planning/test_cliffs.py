"""Whole numbers with few cliffs: a few values fewer seldom take many questions more.

The law: questions(m) ≤ min over m' in [m, 1.3 m] of questions(m') + 1. The one question more is in
the nature of things: with D = L = 2 the optimum is 4 for 8 values and 5 for 7. The law fails where
D is a power of two and m lies a little below a multiple of D: parts of exactly D values leave a
tail that is nearly a part, and near-equal parts are shorter than D. `CLIFFS` lists what it costs.
"""

from collections.abc import Iterable
from fractions import Fraction

import pytest
from tests.support.brute import brute

from feint import Domain, Problem, plan
from feint.planning import Plan
from feint.planning.noiseless import noiseless_methods
from feint.planning.optimal import complexity
from feint.search import Search
from feint.search.saved import decode, encode

PAIRS = [(1, 4), (2, 3), (10, 4), (25, 5), (100, 2)]  # D, L


def questions(values: int, window: int, level: int) -> int:
    problem = Problem(Fraction(1, values), Fraction(window, values), level, values=values)
    found = noiseless_methods(problem)["tight"](problem, level, None)
    assert found is not None
    return found.queries


def cliffs(window: int, level: int, sizes: Iterable[int]) -> list[tuple[int, int]]:
    """Numbers of values that take two questions more, or more, than somewhat larger ones."""
    wanted = [each for each in sizes if each >= window * level]
    known = {m: questions(m, window, level) for m in range(wanted[0], wanted[-1] * 13 // 10 + 1)}
    least = {m: min(known[k] for k in range(m, m * 13 // 10 + 1)) for m in wanted}
    return [(m, known[m] - least[m]) for m in wanted if known[m] > least[m] + 1]


@pytest.mark.parametrize(
    ("window", "level", "sizes"),
    [
        (1, 4, range(10, 60)),
        (2, 3, range(10, 60)),
        (10, 4, range(60, 90)),
        pytest.param(10, 4, range(250, 290), marks=pytest.mark.long),
    ],
)
def test_no_cliffs_where_there_were_some(window: int, level: int, sizes: range) -> None:
    assert not cliffs(window, level, sizes)


CLIFFS = [
    # D, L, values: the number of values, and how many questions more it takes than a larger one
    (2, 4, range(10, 40), {15: 2}),
    (4, 2, range(10, 40), {15: 2}),
    (4, 3, range(12, 40), {19: 2, 23: 2}),
    (4, 4, range(16, 40), {23: 2, 27: 2, 29: 2, 30: 2, 31: 3}),
    (8, 2, range(16, 40), {23: 2, 27: 2, 29: 2, 31: 2}),
]


@pytest.mark.parametrize(("window", "level", "sizes", "known"), CLIFFS)
def test_cliffs_are_no_higher_than_they_are_known_to_be(
    window: int, level: int, sizes: range, known: dict[int, int]
) -> None:
    for size, more in cliffs(window, level, sizes):
        assert more <= known.get(size, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("window", "level"), PAIRS)
def test_no_cliffs_up_to_two_thousand_values(window: int, level: int) -> None:
    assert not cliffs(window, level, range(10, 2001))


def planned(values: int, window: int, level: int) -> Plan:
    domain = Domain(1, values, step=1)
    return plan(domain.problem(delta=window, level=level), domain=domain)


def test_figures_of_the_old_cliff() -> None:
    """1–256: 21, 1–257: 30 and 1–320: 22 before, at D = 16 and L = 4."""
    assert [planned(m, 16, 4).queries for m in (256, 257, 320)] == [21, 22, 22]
    assert planned(127, 16, 4).queries == 24  # 26 before
    assert planned(2000, 16, 4).queries == 24  # 28 before
    assert planned(100_001, 16, 4).queries <= 31  # 36 before


def test_one_question_more_is_in_the_nature_of_things() -> None:
    """By the linear programme, with D = L = 2: fewer values may take one question more."""
    assert [complexity(m, 2, 2) for m in (6, 7, 8)] == [4, 5, 4]


@pytest.mark.parametrize("values", [29, 41, 53, 65, 77])
@pytest.mark.parametrize(("window", "level"), [(4, 3), (5, 2), (7, 4)])
def test_plans_agree_with_brute_force(values: int, window: int, level: int) -> None:
    found = planned(values, window, level)
    seen = brute(found.strategy, Fraction(window, values))
    assert found.adversary_success == seen.success <= Fraction(1, level)
    assert found.certificate == "exact"
    assert seen.accuracy == Fraction(1, values)


def test_a_search_with_a_tail_finds_every_number() -> None:
    domain = Domain(1, 31, step=1)
    found = plan(domain.problem(delta=4, level=4), domain=domain)
    for number in range(1, 32):
        search = Search(found, seed=number)
        while not search.done:
            for query in search.ask():
                search.tell(query.id, query.value <= number)
        assert search.result.low == search.result.high == number


@pytest.mark.parametrize(("values", "window", "level"), [(300, 16, 4), (1009, 10, 4), (517, 25, 5)])
def test_larger_ones_keep_their_promise(values: int, window: int, level: int) -> None:
    """By the enumerator, for which 2^14 branches are few."""
    found = planned(values, window, level)
    assert found.certificate == "exact"
    assert found.private


def test_a_plan_with_a_tail_is_saved_and_finds_the_number() -> None:
    domain = Domain(1, 5001, step=1)  # too many for a tree
    found = plan(domain.problem(delta=16, level=4), domain=domain)
    assert found.queries <= 26
    assert decode(encode(found)) == found
    for number in (1, 16, 4992, 4993, 5001):  # the tail begins after 312 parts of 16
        search = Search(found, seed=number)
        while not search.done:
            for query in search.ask():
                search.tell(query.id, query.value <= number)
        assert search.result.low == search.result.high == number


def test_few_rounds_still_get_a_plan() -> None:
    """A tail takes a round a halving: with few of them equal parts are taken as before."""
    domain = Domain(1, 257, step=1)
    found = plan(domain.problem(delta=16, level=4), domain=domain, max_rounds=3)
    assert found.rounds <= 3
    assert found.private
