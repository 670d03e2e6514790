"""Arguments of plans that are left out: what is planned is what nobody asked to change."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.support.strategies import noisy_shape

from feint import Domain, OutOfRegime, Plan, Problem, plan
from feint.planning import afford, compare, frontier, with_short_questions
from feint.planning.lattice import Lattice
from feint.planning.limits import LONGEST
from feint.planning.noisy.certificates.calibrated import Calibrated, simulate
from feint.planning.noisy.certificates.theorem import Theorem
from feint.planning.noisy.claims import Division, Lean, Member
from feint.planning.noisy.search import NoisySearch
from feint.strategies import Pursuit

P = Fraction(9, 10)
COINS = Problem("1/25", "2/25", 7)  # 16 questions; 20 without coins: docs/how-to/again.md
ROOM = Problem("1/16", "1/8", 3)  # level 6 would be possible too, and cost more


def asked(plans: list[Plan]) -> list[tuple[str, int, int]]:
    return [(each.method, each.queries, each.rounds) for each in plans]


def test_a_plan_may_toss_coins() -> None:
    assert (plan(COINS).queries, plan(COINS, repeatable=True).queries) == (16, 20)
    assert compare(COINS)[0].queries == 16
    assert compare(COINS, repeatable=True)[0].queries == 20


def test_a_plan_is_for_the_law_that_is_stated() -> None:
    """That is margin 1; with margin 2 a plan is as dear as one for twice the level."""
    once, twice = plan(ROOM), plan(ROOM, margin=2)
    assert once.queries == plan(ROOM, margin=1).queries
    assert once.queries < twice.queries == plan(replace(ROOM, level=6)).queries
    assert asked(compare(ROOM)) == asked(compare(ROOM, margin=1)) != asked(compare(ROOM, margin=2))
    trades = asked(frontier(ROOM))
    assert trades == asked(frontier(ROOM, margin=1)) != asked(frontier(ROOM, margin=2))


def test_a_budget_is_for_one_number_of_the_law_that_is_stated() -> None:
    """All of 1/δ = 4 places: with margin 2 it would be 2 of them, of two numbers 16."""
    bought = afford(queries=100, epsilon="1/8", delta="1/4")
    assert (bought.level, bought.plan.problem.dim) == (4, 1)
    assert afford(queries=100, epsilon="1/8", delta="1/4", margin=2).level == 2
    assert afford(queries=100, epsilon="1/8", delta="1/4", dim=2).level == 16


def test_short_questions_are_for_the_same_coins_and_the_same_law() -> None:
    domain = Domain(20, 100)
    found = plan(domain.problem(epsilon="0.5", delta=20, level=3), domain=domain)
    other = with_short_questions(found)
    assert other is not None
    assert not other.repeatable
    again = with_short_questions(found, repeatable=True)
    assert again is None or again.repeatable
    with pytest.raises(OutOfRegime):  # twice as dense, level 3 leaves no room beside delta
        plan(found.problem, domain=other.domain, margin=2)
    assert with_short_questions(found, margin=2) is None


def test_whole_values_are_found_exactly_and_fill_their_range() -> None:
    lattice = Lattice.of_values(Problem("1/40", "1/8", 3, values=40))
    assert (lattice.cells, lattice.accuracy) == (40, 1)
    assert (lattice.window, lattice.slack) == (Fraction(5), Fraction(1))
    assert lattice.line.cut_short == (0, 0)


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (0, 1, (0, 0)),
        ("0.05", 1, (1, 0)),
        (0, "0.95", (0, 1)),
        ("0.05", "0.95", (1, 1)),
    ],
)
def test_ticks_stick_out_where_an_end_is_no_multiple(
    low: str | int, high: str | int, cut: tuple[int, int]
) -> None:
    domain = Domain(low, high, tick="0.1")
    problem = domain.problem(epsilon="0.1", delta="0.2", level=2)
    assert Lattice.of_ticks(problem, domain, Fraction(1, 10)).line.cut_short == cut


def test_a_calibration_begins_at_seed_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    search = Pursuit(P, "tilted")
    missed = Calibrated(P, runs=60)._missed(9, "tilted", 12)
    assert np.array_equal(missed, simulate(search, 9, 12, 60, 0))
    assert not np.array_equal(missed, simulate(search, 9, 12, 60, 1))


def test_few_cells_are_walked() -> None:
    for cells in (2, 4):
        count, _, rule = Theorem(P).answers(cells, 0.1)
        most, _, other = Theorem(P, walked=False).answers(cells, 0.1)
        assert (rule, other) == ("posterior", "tilted")
        assert count < most


def test_a_member_without_claims_promises_nothing() -> None:
    member = Member(shape=noisy_shape(1, 0, 2, 1, 2, 0), part_cells=4)
    assert member.success == 1
    assert not member.losses


def test_blocks_parts_and_places_of_an_interval_are_all_alike() -> None:
    """Of 12 values too, in 2 blocks of 3 parts; of 13 they are not."""
    interval = Division(Problem("1/24", "1/6", 2, p=P), 2, 3, 2)
    assert interval.lean == Lean(1.0, 1.0, 1.0)
    even, uneven = (
        Division(Problem(Fraction(1, m), Fraction(1, m), 2, p=P, values=m), 2, 3, m // 6 + m % 2)
        for m in (12, 13)
    )
    assert even.lean == Lean(1.0, 1.0, 1.0)
    assert uneven.lean == Lean(14 / 13, 9 / 7, 3 / 2)


def test_what_may_be_lost_is_exact_unless_a_bound_will_do() -> None:
    """After the vote ε/2 less what the vote and the cell lose; a bound says a little more."""
    division = Division(Problem("1/24", "1/6", 2, p="0.8"), 1, 5, 7)
    told = dict(division.losses(3, 0.0, 0.0))
    left = told["allowed"] - told["cut"] - told["cell"]
    assert division.allowed(3) == pytest.approx(left, rel=1e-9)
    assert division.allowed(3, at_most=True) > division.allowed(3) + 1e-6


def test_fewest_questions_are_sought_rather_than_rounds() -> None:
    """Blocks save questions and take rounds: ⌊1/(2δ)⌋ = 5 of them at most, or none but one."""
    problem = Problem("1/40", "1/10", 2, p=P, confidence="0.8")
    cheap = NoisySearch(problem, 2, Theorem(P))
    quick = NoisySearch(problem, 2, Theorem(P), quickest=True)
    assert [*cheap._block_counts(2)] == [5, 4, 3, 2, 1]
    assert [*quick._block_counts(2)] == [1]
    for each in (cheap, quick):
        each.divide(1, 3)
    assert cheap.best is not None
    assert quick.best is not None
    assert cheap.best.queries <= quick.best.queries
    assert quick.best.rounds <= cheap.best.rounds
    assert cheap.queries == cheap.best.queries < quick.queries == LONGEST + 1
