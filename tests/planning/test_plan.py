"""Plans: every method's figures, claims that enumeration confirms, refusals that help."""

import math
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.checks import coverings
from tests.support.examples import examples, later

from feint import Domain, Problem
from feint.bounds import table
from feint.branches import success
from feint.errors import InvalidValue, NoPlan, TooLarge, UnknownMethod
from feint.planning import afford, compare, frontier, methods, plan
from feint.planning.planner import optimum_limit


@pytest.mark.parametrize(
    ("epsilon", "delta", "level", "queries"),
    [
        ("1/8", "1/4", 3, 8),
        ("1/64", "1/12", 3, 16),
        ("1/100", "1/10", 3, 18),
        ("1/25", "2/25", 7, 20),
        ("1/1000", "1/400", 50, 202),
        ("2^-20", "2^-8", 15, 213),
    ],
)
def test_the_papers_method_asks_what_theorem_1_says(
    epsilon: str, delta: str, level: int, queries: int
) -> None:
    problem = Problem(epsilon, delta, level)
    assert plan(problem, method="paper").queries == queries == table(problem)[0].value
    assert plan(problem).queries <= queries


def test_deterministic_figures() -> None:
    assert plan(Problem("1/64", "1/8", 3, setting="deterministic")).queries == 9
    assert plan(Problem("1/25", "2/25", 5, setting="deterministic")).queries == 10


def test_whole_number_figures() -> None:
    domain = Domain(1, 97, step=1)
    found = plan(domain.problem(delta=7, level=4), domain=domain)
    assert found.queries <= 25
    assert found.certificate == "exact"
    assert found.adversary_success == success(found.strategy)
    assert plan(Problem("1/9", "2/9", 3, values=9)).queries <= 6


def test_figures_in_three_dimensions() -> None:
    problem = Problem("2^-20", "2^-8", 10, dim=3)
    assert plan(problem).queries <= 109
    assert plan(problem, method="paper").queries == 141


@st.composite
def small(draw: Any) -> Problem:
    level = draw(st.integers(2, 5))
    setting = draw(st.sampled_from(["bayesian", "deterministic"]))
    if draw(st.booleans()):
        reach = draw(st.integers(1, 6))
        values = draw(st.integers(max(2, level * reach), 60))
        delta = Fraction(reach, values)
        return Problem(Fraction(1, values), delta, level, setting=setting, values=values)
    delta = draw(st.fractions(Fraction(1, 20), Fraction(1, level), max_denominator=40))
    epsilon = delta / draw(st.fractions(2, 6, max_denominator=5))
    return Problem(epsilon, delta, level, setting=setting)


@given(small(), st.one_of(st.none(), st.integers(1, 5)))
@examples(150)
def test_claims_are_what_enumeration_finds(problem: Problem, rounds: int | None) -> None:
    for each in compare(problem, max_rounds=rounds):
        assert rounds is None or each.rounds <= rounds
        if problem.setting == "bayesian":
            assert success(each.strategy) == each.adversary_success
            assert each.private == (each.method != "bisection") or problem.values is not None
        elif each.method not in ("bisection", "grid"):
            assert each.places is not None
            assert min(coverings(each.strategy).values()) >= each.places >= problem.level
            assert each.private
    best = plan(problem, max_rounds=rounds)
    assert best.private


@given(small())
@examples(60)
def test_tight_is_never_longer_than_the_others(problem: Problem) -> None:
    plans = compare(problem)
    assert plans[0].method == "tight"
    assert plans[0].queries <= min(each.queries for each in plans if each.private)
    for row in table(problem):
        if row.kind == "upper" and row.applies:
            assert row.value is not None
            assert plans[0].queries <= row.value


def test_the_frontier_runs_to_one_single_round() -> None:
    problem = Problem("2^-20", "2^-8", 15)
    plans = frontier(problem)
    assert plans[0].queries == plan(problem).queries
    assert (plans[-1].rounds, plans[-1].queries) == (1, 2**20 - 1)
    for more, fewer in pairwise(plans):
        assert more.rounds > fewer.rounds
        assert more.queries < fewer.queries


def test_every_plan_of_a_frontier_is_in_the_users_units() -> None:
    domain = Domain(0, 40, tick="0.5")
    plans = frontier(domain.problem(epsilon=1, delta=5, level=3), domain=domain)
    assert len(plans) > 2
    for each in plans:
        assert each.domain == domain
        assert [scale.unit for scale in each.scales or ()] == [Fraction(1, 2)]


@pytest.mark.parametrize("setting", ["bayesian", "deterministic"])
def test_every_frontier_reaches_one_round(setting: Any) -> None:
    for problem in (
        Problem("1/64", "1/8", 3, setting=setting),
        Problem("1/50", "3/50", 4, setting=setting, values=50),
        Problem("1/32", "1/8", 6, setting=setting, dim=2),
    ):
        plans = frontier(problem)
        assert plans[-1].rounds == 1
        assert all(each.private for each in plans)


@pytest.mark.parametrize(
    ("p", "confidence"),
    later(product(["0.9", "0.95"], ["0.9", None]), {("0.9", None), ("0.95", "0.9")}),
)
def test_a_noisy_frontier_runs_to_the_fewest_rounds(p: str, confidence: str | None) -> None:
    for fields in (("1/90", "2/9", 2), ("1/40", "1/4", 3), ("1/200", "1/8", 2)):
        problem = Problem(*fields, p=p, confidence=confidence)
        plans = frontier(problem)
        assert plans[0].strategy == plan(problem).strategy
        for more, fewer in pairwise(plans):
            assert more.rounds > fewer.rounds
            assert (more.queries_mean or 0) < (fewer.queries_mean or 0)
            eighth = max(plans[-1].rounds, more.rounds - 1 - (more.rounds - 1) // 8)
            assert (fewer.queries_mean or 0) <= (plan(problem, max_rounds=eighth).queries_mean or 0)
        with pytest.raises(NoPlan, match=f"allow {plans[-1].rounds} or more"):
            plan(problem, max_rounds=plans[-1].rounds - 1)


def test_a_budget_buys_a_level_or_a_delta() -> None:
    bought = afford(queries=40, epsilon="1/1000", delta="1/20")
    assert plan(Problem("1/1000", "1/20", bought.level)).queries <= 40
    assert plan(Problem("1/1000", "1/20", bought.level + 1)).queries > 40
    bought = afford(queries=13, epsilon="1/64", level=3)
    assert bought.plan.queries <= 13
    assert plan(Problem("1/64", bought.delta, 3)).queries <= 13
    wider = bought.delta * (1 + Fraction(1, 10**6))
    assert plan(Problem("1/64", wider, 3)).queries > 13
    least = plan(Problem("1/1000", "1/20", 2)).queries
    with pytest.raises(NoPlan, match=f"too few even for level 2; give {least} or more"):
        afford(queries=3, epsilon="1/1000", delta="1/20")
    with pytest.raises(InvalidValue, match="delta or level must be given"):
        afford(queries=30, epsilon="1/1000")
    with pytest.raises(InvalidValue, match="leave out level, or delta"):
        afford(queries=30, epsilon="1/1000", delta="1/20", level=4)
    with pytest.raises(InvalidValue, match="repeats what the domain says"):
        afford(queries=30, values=9, level=2, domain=Domain(1, 9, step=1))


def test_unknown_methods_are_refused_with_the_list() -> None:
    with pytest.raises(UnknownMethod, match="tight, paper, replicated, bisection, grid"):
        plan(Problem("1/64", "1/8", 3), method="opportunistic")
    with pytest.raises(UnknownMethod, match="for whole values"):
        plan(Problem("1/50", "3/50", 4, values=50), method="paper")
    assert "printed" in methods(Problem("1/64", "1/8", 3, setting="deterministic"))


def test_the_printed_specimen_promises_nothing() -> None:
    problem = Problem("1/64", "1/8", 3, setting="deterministic")
    specimen = plan(problem, method="printed")
    assert specimen.certificate is None
    assert not specimen.private
    assert "printed" not in [each.method for each in compare(problem)]


def test_too_few_rounds_for_a_fixed_method() -> None:
    with pytest.raises(NoPlan, match="method paper takes 18 rounds"):
        plan(Problem("2^-20", "2^-8", 15), method="paper", max_rounds=3)
    with pytest.raises(InvalidValue, match="max_rounds = 0"):
        plan(Problem("2^-20", "2^-8", 15), max_rounds=0)


def test_a_lattice_beyond_62_bits_is_refused() -> None:
    assert plan(Problem("2^-60", "2^-30", 3)).cells[0] <= 2**62
    with pytest.raises(TooLarge, match=r"2\^62"):
        plan(Problem("2^-63", "2^-30", 3))


def test_a_domain_with_a_step_makes_values_whole() -> None:
    domain = Domain(1, 97, step=1)
    assert plan(Problem("1/97", "7/97", 4), domain=domain).problem.values == 97
    with pytest.raises(InvalidValue):
        plan(Problem("1/50", "7/50", 4, values=50), domain=domain)


@given(st.integers(2, 30), st.integers(2, 4), st.integers(3, 40))
@examples(12)
def test_sharing_a_level_beats_equal_shares(level: int, dim: int, inverse: int) -> None:
    problem_delta = Fraction(1, inverse)
    assume(problem_delta * math.ceil(level ** (1 / dim) + 1e-9) <= 1)
    problem = Problem(problem_delta / 8, problem_delta, level, dim=dim)
    best, paper = plan(problem), plan(problem, method="paper")
    assert best.queries <= paper.queries
    assert best.adversary_success is not None
    assert best.adversary_success <= Fraction(1, level)


@st.composite
def wide(draw: Any) -> Problem:
    """Coarse δ, very fine ε, any dimension: where grids would ask millions."""
    level, dim = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    setting = draw(st.sampled_from(["bayesian", "deterministic"]))
    share = next(g for g in range(1, 41) if g**dim >= level)
    delta = draw(st.fractions(Fraction(1, 200), Fraction(1, share), max_denominator=999))
    return Problem(delta / 2 ** draw(st.integers(1, 35)), delta, level, setting=setting, dim=dim)


@given(wide(), st.integers(2, 40))
@examples(60)
def test_fewer_rounds_never_ask_fewer_questions(problem: Problem, rounds: int) -> None:
    free = plan(problem)
    assert free.private
    try:
        limited = plan(problem, max_rounds=rounds)
    except TooLarge:
        return
    assert limited.private
    assert limited.rounds <= rounds
    assert limited.queries >= free.queries


def test_a_worst_case_plan_of_millions_of_questions_is_refused_at_once() -> None:
    """Its table took 22 GB before the number of questions was looked at."""
    problem = Problem("1/1666447310848", "2/97", 35, setting="deterministic")
    with pytest.raises(TooLarge, match="allow more rounds"):
        plan(problem, max_rounds=2)


@pytest.mark.parametrize(
    ("epsilon", "delta", "level", "most"),
    [  # narrowing by 81, 162, 125 = 3^4, 2·3^4, 5^3, each by exhaustion over factors
        ("1/1944", "1/486", 6, 25),
        ("1/24624", "1/6156", 19, 66),
        ("1/31000", "1/3875", 31, 135),
    ],
)
def test_narrowing_by_odd_factors(epsilon: str, delta: str, level: int, most: int) -> None:
    assert plan(Problem(epsilon, delta, level)).queries <= most


@given(st.integers(2, 12), st.integers(30, 400), st.one_of(st.none(), st.integers(1, 6)))
@examples(60)
def test_deterministic_counts_rise_with_the_level(
    level: int, inverse: int, rounds: int | None
) -> None:
    delta = Fraction(1, 13)
    problems = [
        Problem(Fraction(1, 2 * inverse), delta, each, setting="deterministic")
        for each in (level, level + 1)
    ]
    less, more = (plan(each, max_rounds=rounds).queries for each in problems)
    assert less <= more


def test_units_that_do_not_fit_the_values_are_refused() -> None:
    with pytest.raises(InvalidValue, match="no such values"):
        plan(Problem("1/97", "7/97", 4, values=97), domain=Domain(0, 10))


def test_a_budget_in_whole_values_and_many_dimensions() -> None:
    bought = afford(queries=16, values=97, level=4)
    assert plan(Problem("1/97", bought.delta, 4, values=97)).queries <= 16
    assert plan(Problem("1/97", bought.delta + Fraction(1, 97), 4, values=97)).queries > 16
    bought = afford(queries=120, epsilon="2^-20", delta="2^-8", dim=3)
    assert bought.level > 10
    assert bought.plan.queries <= 120
    assert plan(Problem("2^-20", "2^-8", bought.level + 1, dim=3)).queries > 120


@pytest.mark.parametrize(
    ("inverse", "level"), later([(13, 2), (11, 3), (14, 4), (9, 3)], {(13, 2), (14, 4)})
)
def test_a_finer_epsilon_never_takes_fewer_questions(inverse: int, level: int) -> None:
    """On these problems at least: a plan may use finer cells than epsilon asks for."""
    delta = Fraction(1, inverse)
    counts = [
        plan(Problem(Fraction(1, cells), delta, level)).queries for cells in range(2 * inverse, 110)
    ]
    assert counts == sorted(counts)
    if (inverse, level) == (13, 2):
        assert counts[51 - 26] == counts[52 - 26] == 8


def test_the_limit_of_the_optimum_counts_ticks_where_there_are_some() -> None:
    for domain, cells in ((Domain(0, 100, tick=1), 100), (Domain(0, 100), 50)):
        problem = domain.problem(epsilon=2, delta=20, level=3)
        said = f"it is limited to 9 cells, and there are {cells}"
        assert optimum_limit(problem, domain) == said
    small = Domain(0, 6, tick=1)
    assert optimum_limit(small.problem(epsilon=1, delta=2, level=2), small) is None


@pytest.mark.parametrize(
    ("epsilon", "high", "solved"), [("1", "12", True), ("2", "12", False), ("1", "11.5", False)]
)
def test_in_the_worst_case_the_optimum_is_of_ticks_that_are_epsilon_wide(
    epsilon: str, high: str, solved: bool
) -> None:
    """Two ticks to an epsilon, or half a tick at the end, are not what is worked out."""
    domain = Domain(0, high, tick=1)
    wanted: dict[str, Any] = {"epsilon": epsilon, "delta": 4, "level": 2}
    said = optimum_limit(domain.problem(**wanted, setting="deterministic"), domain)
    rule = "in the deterministic setting it is limited to whole values, or ticks"
    refused = f"{rule} of width {epsilon} that fill the range, at most 12"
    assert said == (None if solved else refused)
