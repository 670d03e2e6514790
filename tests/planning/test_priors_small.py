"""Plans under a prior where everything can be counted: whole values, ticks, refusals, noise."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.support.believed import brute
from tests.support.played import figures, lines_of_plan

from feint import Domain, InvalidValue, NoPlan, Problem, TooLarge, UnknownMethod, frontier, plan
from feint.audit import Prior, audit
from feint.branches import success
from feint.planning import Plan, compare
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.priors.layout import Candidate, Ground
from feint.planning.priors.places import PriorLine
from feint.planning.priors.single import Point
from feint.planning.priors.stretched import _laid, stretched
from feint.planning.priors.weighted import Hidden, Weighted, part_counts
from feint.planning.product import cheapest_mix
from feint.problem import Line
from feint.strategies import Product, StagedNoisy, StagedShape

NINE = Domain(1, 9, step=1)
TWENTY = Domain(1, 20, step=1)
SHOP = Domain(0, 200, label="price")
SMALL = SHOP.problem(epsilon=5, delta=20, level=3, prior="normal(90, 45)")
ROUND = Prior([2, 3, 2])  # nowhere thinner than 6/7 of a uniform law
PEAK = Prior([1, 2, 1])


def test_nine_values_are_told_apart_with_as_few_questions_as_any() -> None:
    """⌈log₂ 9⌉ = 4 questions, and she wins exactly as often as is allowed."""
    problem = NINE.problem(delta=1, level=2, prior=[1, 2, 2, 2, 2, 2, 2, 2, 1])
    found = plan(problem, domain=NINE)
    assert found.queries == 4
    assert brute(found) == (Fraction(1, 2), Fraction(1, 9))
    assert found.adversary_success == Fraction(1, 2)


@pytest.mark.parametrize(("rounds", "questions"), [(1, 19), (2, 8)])
def test_twenty_values_in_few_rounds(rounds: int, questions: int) -> None:
    """Weights 1, 2, 3 again and again. In one round all ends are asked; in two, seven would do.

    But 4 blocks of 5 leave her 5 + 5 + 5 + 5 of 39, two neighbours of each, and 5 blocks of 4 leave
    her 5 of each: more than a half.
    """
    problem = TWENTY.problem(delta=2, level=2, prior=[1 + k % 3 for k in range(20)])
    found = plan(problem, domain=TWENTY, max_rounds=rounds)
    assert (found.rounds, found.queries) == (rounds, questions)
    success, error = brute(found)
    assert success == found.adversary_success
    assert success <= Fraction(1, 2)
    assert error <= Fraction(1, 20)


@pytest.fixture(scope="module")
def pair() -> Problem:
    """Two numbers of twenty values each, under one prior that is not uniform."""
    return TWENTY.problem(delta=2, level=4, dim=2, prior=[1 + k % 3 for k in range(20)])


@pytest.mark.parametrize(("rounds", "questions"), [(3, 13), (2, 15), (1, 38)])
def test_rounds_of_two_numbers_are_limited(pair: Problem, rounds: int, questions: int) -> None:
    """Both are asked about in the same rounds, so each has all of them."""
    found = plan(pair, domain=TWENTY, max_rounds=rounds)
    assert found.rounds == rounds
    assert found.queries <= questions
    seen = figures(found.strategy, pair.delta, lines_of_plan(found))
    assert seen.success == found.adversary_success
    assert seen.success * 4 <= 1
    assert seen.accuracy <= Fraction(1, 20)
    assert (seen.queries_most, seen.rounds_most) == (found.queries, found.rounds)


def test_two_numbers_have_a_plan_for_every_number_of_rounds(pair: Problem) -> None:
    trades = frontier(pair, domain=TWENTY)
    assert [each.rounds for each in trades] == [3, 2, 1]
    assert [plan(pair, domain=TWENTY, max_rounds=k).queries for k in (3, 2, 1)] == [
        each.queries for each in trades
    ]
    few = compare(pair, domain=TWENTY, max_rounds=2)
    assert [(each.method, each.rounds) for each in few] == [("tight", 2), ("grid", 1)]
    assert few[0].queries == trades[1].queries


def test_few_rounds_of_two_prices_take_few_wide_steps() -> None:
    """Forty pieces in two rounds: halvings would leave a grid of twenty or more."""
    problem = SHOP.problem(epsilon=5, delta=20, level=4, dim=2, prior="normal(90, 45)")
    found = plan(problem, domain=SHOP, max_rounds=2)
    assert found.rounds == 2
    assert found.queries <= 31
    assert audit(found).adversary_success == found.adversary_success
    assert found.private


def test_a_candidate_is_taken_where_she_wins_no_more_than_this() -> None:
    problem = NINE.problem(delta=1, level=2, prior=[1, 2, 2, 2, 2, 2, 2, 2, 1])
    ground = Ground(problem, problem.law(), NINE)
    line = ground.line(Fraction(1))
    assert line == PriorLine(Line.of_cells(9, problem.law()), Fraction(1), 1, whole=True)
    option = stretched(ground, Fraction(2), rounds=None, below=9, most=Fraction(1, 2), spare=True)
    assert option is not None
    assert option.strategy.cells == (9,)
    assert option.share == option.success == success(option.strategy, line=line.line)
    divided = ground.dividers(line)[0].divided((0, 9), 1, None)
    assert divided is not None
    found = Candidate(8, (Hidden((0, 9), divided, 0, StagedShape(hide=(9,)), ()),))  # the grid
    blind = Fraction(2, 16)
    grid = ground.option(found, blind)
    assert grid is not None
    assert (grid.queries, grid.share) == (8, blind)
    assert ground.option(found, blind - Fraction(1, 1000)) is None


def test_questions_at_given_ticks() -> None:
    """Pieces of 6 at most, between multiples of 2: ⌈200/6⌉ of them."""
    domain = Domain(0, 200, tick=2)
    problem = domain.problem(epsilon=6, delta=20, level=3, prior="normal(90, 45)")
    assert Ground(problem, problem.law(), domain).finest == 2
    found = plan(problem, domain=domain, method="grid")
    assert found.queries == 33
    assert found.scales is not None
    places = [found.scales[0].at(k) for k in range(found.cells[0] + 1)]
    assert all(each % 2 == 0 for each in places)
    assert max(b - a for a, b in pairwise(places)) <= 6


@pytest.mark.parametrize(
    ("low", "high", "tick", "epsilon", "delta", "prior"),
    [
        ("0.5", "20.25", "1.5", "2", "4", [1, 2, 2, 1]),
        ("1.7", "22.7", "0.5", "0.5", "3.5", [4, 2]),
        ("-1.3", "8.1", "0.2", "0.5", "1.1", [1, 5, 2]),
    ],
)
def test_no_question_leaves_a_range_that_begins_between_ticks(
    low: str, high: str, tick: str, epsilon: str, delta: str, prior: list[int]
) -> None:
    """All are at ticks of the range, and an audit of what is shown finds what the plan says."""
    domain = Domain(low, high, tick=tick)
    problem = domain.problem(epsilon=epsilon, delta=delta, level=3, prior=prior)
    found = plan(problem, domain=domain)
    assert found.scales is not None
    places = [found.scales[0].at(k) for k in range(found.cells[0] + 1)]
    assert (places[0], places[-1]) == (Fraction(low), Fraction(high))
    assert places == sorted(places)
    assert all(each % Fraction(tick) == 0 for each in places[1:-1])
    report = audit(found)
    assert report.adversary_success == found.adversary_success
    assert report.private


@pytest.mark.parametrize(
    ("low", "high", "tick", "epsilon", "delta", "prior"),
    [
        ("0.5", "20.25", "1.5", "2", "4", [1, 2, 2, 1]),
        ("0", "20", "1.5", "2", "4", [1, 2, 2, 1]),
        ("3", "31", "2", "3", "6", [2, 3, 1, 2]),
        ("-7", "7", "0.75", "1", "2.5", [1, 1, 2, 1, 1]),
    ],
)
def test_on_coarse_ticks_no_question_is_put_twice(
    low: str, high: str, tick: str, epsilon: str, delta: str, prior: list[int]
) -> None:
    """The grid asks no tick twice, halving takes log₂ of them, and hiding costs no more than it."""
    domain = Domain(low, high, tick=tick)
    problem = domain.problem(epsilon=epsilon, delta=delta, level=3, prior=prior)
    grid, halved, found = (
        plan(problem, domain=domain, method=each) for each in ("grid", "bisection", "tight")
    )
    assert grid.scales is not None
    asked = [grid.scales[0].at(k) for k in range(1, grid.cells[0])]
    assert len(set(asked)) == len(asked) == grid.queries
    assert Fraction(low) < min(asked) <= max(asked) < Fraction(high)
    assert halved.queries == (len(asked)).bit_length()
    assert found.queries <= grid.queries
    for each in (grid, halved, found):
        success, error = brute(each)
        assert success == each.adversary_success
        assert error <= problem.epsilon
    assert found.adversary_success is not None
    assert found.adversary_success <= Fraction(1, 3)


def test_the_last_place_at_or_below_that_may_be_asked() -> None:
    """A range that begins at place 4 of all, questions at every third: 0, 3, 6, … of all.

    Below the first of them that lies in the range, it is that one.
    """
    line = PriorLine(
        Line(Fraction(4), Fraction(24), 20, prior=PEAK), Fraction(2), 3, tick=Fraction(3)
    )
    able = [place for place in range(21) if (place + 4) % 3 == 0]
    wanted = [max((each for each in able if each <= place), default=2) for place in range(21)]
    assert line.snap(np.arange(21)).tolist() == wanted


def test_a_shape_that_ticks_spoil_is_passed_over_for_one_of_a_larger_level() -> None:
    """Three parts in three pieces of 5 at most, at multiples of 2, do not fit into 41."""
    domain = Domain(0, 41, tick=2)
    problem = domain.problem(epsilon=5, delta=8, level=3, prior=[3, 4, 4, 3])
    ground = Ground(problem, problem.law(), domain)
    line = ground.line(ground.finest)
    first = cheapest_staged(problem.epsilon, problem.delta, 3)
    assert first is not None
    assert _laid(ground, line, first, 0) is None
    found = stretched(ground, Fraction(3), rounds=None, below=99, most=Fraction(1, 3), spare=True)
    assert found is not None
    assert found.queries > first.queries
    assert found.share <= Fraction(1, 3)


def test_a_stretch_without_places_is_no_block() -> None:
    """Places that cuts share: nothing is between them, and a place by itself is found at once."""
    line = PriorLine(Line.of_cells(4, PEAK), Fraction(1), 1)
    tree = Weighted(line, (0, 1, 1, 4), {0: line.coordinate(0.0)}, 2, 8)
    assert np.isinf(tree.least[0, tree.pairs[1, 2]]).all()
    assert np.isfinite(tree.least[0, tree.pairs[0, 1]]).all()
    assert all(each.ends[0] < each.ends[1] for each in tree.blocks(3))
    with pytest.raises(RuntimeError, match="no interval is hidden with that many questions"):
        tree.blocks(0)


@pytest.mark.parametrize(
    ("level", "counts"),
    [
        (6, range(1, 17)),
        ("13/2", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]),
        (10, [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 14, 16]),
        (40, [1, 2, 3, 4, 14, 20, 26, 32, 36, 40, 42, 43, 45, 48, 54, 64]),
    ],
)
def test_numbers_of_parts_that_are_tried(level: Any, counts: Any) -> None:
    """Up to level 6 every one; then 1 to 4, and these shares of it, rounded up:

    0.35, 0.5, 0.65, 0.8, 0.9, 1, 1.03, 1.07, 1.12, 1.2, 1.35 and 1.6.
    """
    assert list(part_counts(Fraction(level))) == list(counts)


TICKS = Domain(0, 200, tick=2)


def noisy(**given: Any) -> Problem:
    return Problem("1/20", "1/5", 2, p="0.9", prior=PEAK, **given)


REFUSED: dict[str, tuple[Callable[[], Plan], type[InvalidValue], str]] = {
    "another method": (
        lambda: plan(SMALL, domain=SHOP, method="paper"),
        UnknownMethod,
        "method = paper: under a prior there are tight, bisection, grid: the others are for a"
        " uniform number; pick one of them",
    ),
    "a method of more rounds": (
        lambda: plan(SMALL, domain=SHOP, method="bisection", max_rounds=5),
        NoPlan,
        'max_rounds = 5: method bisection takes 6 rounds; allow that many, or use method "tight"',
    ),
    "too few rounds": (
        lambda: plan(Problem("1/10000000", "1/10", 3, prior=PEAK), max_rounds=1),
        NoPlan,
        "max_rounds = 1: no plan under this prior is as quick; allow more rounds, or lower the"
        " level",
    ),
    "too fine": (
        lambda: plan(
            Domain(0, 10**12).problem(epsilon=1, delta=10**10, level=4, prior=PEAK),
            domain=Domain(0, 10**12),
        ),
        TooLarge,
        "epsilon = 1: so fine a search has too many cells where a prior makes them uneven; raise"
        " epsilon",
    ),
    "under noise another method": (
        lambda: plan(noisy(), method="paper"),
        UnknownMethod,
        "method = paper: under a prior and noise there are tight, fixed; pick one of them",
    ),
    "under noise whole values": (
        lambda: plan(
            NINE.problem(delta=1, level=2, p="0.9", prior=[1, 2, 2, 2, 2, 2, 2, 2, 1]), domain=NINE
        ),
        InvalidValue,
        "step = 1: under noise a prior is planned for on an interval, questions where they fall;"
        " leave it out, or leave out p or the prior",
    ),
    "under noise ticks": (
        lambda: plan(
            TICKS.problem(epsilon=5, delta=20, level=2, p="0.9", prior=PEAK), domain=TICKS
        ),
        InvalidValue,
        "tick = 2: under noise a prior is planned for on an interval, questions where they fall;"
        " leave it out, or leave out p or the prior",
    ),
    "under noise too few rounds": (
        lambda: plan(noisy(), max_rounds=1),
        NoPlan,
        "max_rounds = 1: no noisy plan under this prior is as quick; allow more rounds",
    ),
    "under noise a stretch where nothing is": (
        lambda: plan(Problem("1/100", "1/10", 3, p="0.9", prior=Prior([4, 0, 4, 4, 4]))),
        NoPlan,
        "level = 3: a guess without listening wins with probability 0.125; under noise there is no"
        " plan this near to 1/level, or the prior is too thin somewhere for this accuracy; lower"
        " the level or delta, raise epsilon, or give a confidence",
    ),
}


@pytest.mark.parametrize("which", REFUSED)
def test_refusals(which: str) -> None:
    asked, kind, words = REFUSED[which]
    with pytest.raises(InvalidValue) as refused:
        asked()
    assert type(refused.value) is kind
    assert str(refused.value) == words


def test_as_many_rounds_as_a_method_takes_are_enough() -> None:
    assert plan(SMALL, domain=SHOP, method="bisection", max_rounds=6).rounds == 6


def test_an_uneven_lattice_that_is_too_fine_under_noise() -> None:
    """Where the prior is thinnest, at 3/4 of a uniform one, cells must be as much narrower."""
    with pytest.raises(TooLarge) as refused:
        plan(Problem("1/10000000", "1/5", 2, p="0.9", prior=PEAK), method="fixed")
    words = str(refused.value).split()
    assert words[:4] == ["epsilon", "=", "one", "of"]
    assert int(words[4]) == pytest.approx(10**7 * 4 / 3, rel=1e-3)
    rest = "cells: an uneven lattice has at most 524288 cells; raise epsilon"
    assert " ".join(words[5:]) == rest


def singles(found: Plan) -> list[StagedNoisy]:
    assert isinstance(found.strategy, Product)
    assert found.strategy.problem == replace(found.problem, prior=None)
    held = [each for each in found.strategy.factors if isinstance(each, StagedNoisy)]
    assert len(held) == found.problem.dim
    return held


def test_two_numbers_under_noise_and_a_prior() -> None:
    """On average: an error of u in the quantile is at most 7/6 as far, and there are two of them.

    What may be lost is half of epsilon in all.
    """
    problem = Problem("1/40", "1/10", 4, p="0.99", dim=2, prior=ROUND)
    found = plan(problem, method="fixed")
    for each in singles(found):
        share = each.problem.epsilon * Fraction(7, 6) * 2 / problem.epsilon
        assert Fraction(999, 1000) < share <= 1
    assert found.losses is not None
    assert found.losses["allowed"] == pytest.approx(1 / 80)
    assert found.losses["total"] <= found.losses["allowed"]
    stages = [found.losses[each] for each in ("narrow", "cut", "hide", "cell")]
    assert found.losses["total"] == pytest.approx(sum(stages))
    assert found.adversary_success == Fraction(1, 4)


def test_a_margin_is_shared_among_two_numbers_under_noise() -> None:
    """1/(4·1.2) is less than (1/2)²: three parts each, and no more."""
    problem = Problem("1/40", "1/10", 4, p="0.99", dim=2, prior=ROUND)
    found = plan(problem, margin="1.2", method="fixed")
    assert [each.shape.kept for each in singles(found)] == [3, 3]
    assert found.adversary_success == Fraction(1, 9)


@pytest.mark.parametrize("method", ["grid", "bisection"])
def test_more_cells_than_a_prior_may_make_uneven_are_refused(method: str) -> None:
    """2^15 pieces are the most: 40,000 of 0.005 are more, 20,000 of 0.01 are not."""
    domain = Domain(0, 200)

    def planned(epsilon: str) -> Plan:
        wanted = domain.problem(epsilon=epsilon, delta=4, level=3, prior="normal(90, 45)")
        return plan(wanted, domain=domain, method=method)

    assert planned("0.01").cells == (20_000,)
    with pytest.raises(TooLarge, match=r"epsilon = 0\.005: so fine a search has too many cells"):
        planned("0.005")


def test_shares_that_multiply_to_the_target_are_enough() -> None:
    """A half and a half are a fourth, with five questions; a smaller product costs more."""
    half, third = Fraction(1, 2), Fraction(1, 3)
    curves = [[Point(2, half), Point(4, third)], [Point(3, half), Point(9, third)]]
    assert cheapest_mix(curves, Fraction(1, 4)) == ((2, half), (3, half))
    assert cheapest_mix(curves, Fraction(1, 5)) == ((4, third), (3, half))
    assert cheapest_mix(curves, Fraction(1, 10)) is None
