"""Blocks hidden each in its own way: figures, laws, riders, claims that enumeration confirms."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.checks import information, obeys
from tests.support.examples import examples
from tests.support.trees import cheapest_tree

from feint import Domain, InvalidValue, Problem, plan
from feint.branches import success
from feint.planning.noiseless.emitted import table_of
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.uniform import Wanted
from feint.planning.noiseless.whole import cheapest_whole
from feint.strategies import Act, blocks, staged


def test_figures_of_whole_numbers() -> None:
    """1…97, D = 7, L = 4: 25 with equal blocks, 19 with blocks of 48 and 49, 17 with a rider."""
    domain = Domain(1, 97, step=1)
    found = plan(domain.problem(delta=7, level=4), domain=domain)
    assert found.queries == 17
    assert found.certificate == "exact"
    assert found.adversary_success == success(found.strategy) == Fraction(24, 97)
    equal = cheapest_whole(97, 7, 4)
    assert equal is not None
    assert equal.queries == 25


def test_figures_of_an_interval() -> None:
    found = plan(Problem("1/82", "7/82", 5))
    assert found.queries <= 21
    assert found.private
    assert success(found.strategy) == found.adversary_success
    equal = cheapest_staged(Fraction(1, 82), Fraction(7, 82), 5)
    assert equal is not None
    assert equal.queries == 25


def test_two_blocks_by_hand() -> None:
    """Blocks of 48 in 6 parts and 49 in 7, four kept: (6/4)·8 + (7/4)·7 = 24.25 of 97."""
    problem = Problem("1/97", "7/97", 4, values=97)
    low = staged(problem, 48, parts=6, kept=4, hide=(2, 2, 2))
    high = staged(problem, 49, parts=7, kept=4, hide=(2, 2, 2))
    strategy = blocks(problem, ((48,), (low, high)))
    assert strategy.queries == 19
    assert success(strategy) == Fraction(1, 4)
    obeys(strategy)


def test_a_rider_is_heard_as_the_cell_it_acts() -> None:
    """Nine cells, D = 4, L = 2 in six questions: cell 0 is set off and then acts cell 4."""
    problem = Problem("1/9", "4/9", 2, values=9)
    hidden = staged(problem, 8, parts=2, kept=2, hide=(2, 2))
    strategy = blocks(problem, ((1,), (Act(4), hidden)))
    assert (strategy.queries, success(strategy)) == (6, Fraction(4, 9))
    cells = [
        {cell for low, high in boxes for cell in range(int(low[0]), int(high[0]))}
        for boxes in information(strategy).values()
    ]
    assert all((0 in each) == (4 in each) for each in cells)
    assert plan(problem).queries <= strategy.queries
    obeys(strategy)


def test_subtrees_must_meet_where_the_cut_says() -> None:
    problem = Problem("1/9", "4/9", 2, values=9)
    with pytest.raises(InvalidValue, match=r"offsets = \(4,\): must be where its 2 subtrees meet"):
        blocks(problem, ((4,), (5, 4)))


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, Fraction, Fraction]:
    cells = draw(st.integers(2, 90))
    reach = draw(st.fractions(1, Fraction(cells, 2), max_denominator=3))
    level = draw(st.fractions(1, 9, max_denominator=4))
    return cells, reach, level


@given(problems())
@examples(40)
def test_claims_hold_on_any_lattice(case: tuple[int, Fraction, Fraction]) -> None:
    cells, reach, level = case
    found = cheapest_tree(cells, level, Wanted(window=reach), below=cells + 1)
    assert (found is None) == (level * reach > cells)
    assume(found is not None)
    assert found is not None
    strategy = table_of(Problem(reach / cells / 2, reach / cells, 2), found.root)
    assert strategy is not None
    assert strategy.queries <= found.queries
    assert success(strategy) <= found.success <= 1 / level
    obeys(strategy)


@given(problems(), st.fractions(Fraction(1, 4), 1, max_denominator=8))
@examples(40)
def test_counts_rise_with_delta_and_level(
    case: tuple[int, Fraction, Fraction], less: Fraction
) -> None:
    cells, reach, level = case
    here = cheapest_tree(cells, level, Wanted(window=reach), below=cells + 1)
    assume(here is not None)
    assert here is not None
    for easier in (
        cheapest_tree(cells, max(Fraction(1), less * level), Wanted(window=reach), below=cells + 1),
        cheapest_tree(cells, level, Wanted(window=less * reach), below=cells + 1),
    ):
        assert easier is not None
        assert easier.queries <= here.queries


@pytest.mark.parametrize(("values", "reach", "level"), [(97, 7, 4), (40, 3, 3), (25, 2, 7)])
def test_never_more_than_equal_blocks(values: int, reach: int, level: int) -> None:
    equal = cheapest_whole(values, reach, level)
    assert equal is not None
    found = plan(Problem(Fraction(1, values), Fraction(reach, values), level, values=values))
    assert found.queries <= equal.queries
    assert found.private


def test_a_coin_that_was_not_asked_for() -> None:
    strategy = staged(Problem("1/97", "7/97", 4, values=97), 97, parts=5, kept=4, hide=(2,) * 5)
    with pytest.raises(RuntimeError, match="no coin"):
        strategy.toss(strategy.start(1), np.zeros(1, np.int64))
