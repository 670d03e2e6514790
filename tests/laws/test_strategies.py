"""Laws of every method on random problems of any size, run by the reference driver."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.checks import drive, obeys
from tests.support.examples import examples
from tests.support.problems import SPECIMENS, plans, problems

from feint import Problem
from feint.bounds import table
from feint.interfaces import UNASKED, columns
from feint.planning import compare


def accurate_and_as_announced(problem: Problem, seed: int) -> None:
    """The law, for every method; targets and coins follow from the seed."""
    random = np.random.default_rng(seed)
    for each in plans(problem):
        strategy = each.strategy
        ends = np.array([[0] * problem.dim, [size - 1 for size in strategy.cells]], np.int64)
        targets = np.concatenate((ends, random.integers(strategy.cells, size=(6, problem.dim))))
        points, estimate, sides = drive(strategy, targets, [])
        assert points.shape == (len(targets), columns(strategy))
        assert (((points >= 0) & (points <= max(strategy.cells))) | (points == UNASKED)).all()
        assert ((points != UNASKED).sum(axis=1) <= each.queries).all()
        again, _, _ = drive(strategy, targets, sides)
        assert (again == points).all()
        alone, found, _ = drive(strategy, targets[3:4], [side[3:4] for side in sides])
        assert (alone == points[3:4]).all()
        if each.method in SPECIMENS:
            continue
        assert (estimate.low <= targets).all()
        assert (targets < estimate.high).all()
        assert (found.low == estimate.low[3:4]).all()
        for size, width in zip(strategy.cells, (estimate.high - estimate.low).max(0), strict=True):
            assert Fraction(int(width), size) <= problem.epsilon


@given(problems(), st.integers(0, 2**32))
@examples(180)
def test_accurate_and_as_announced_for_every_target_and_coin(problem: Problem, seed: int) -> None:
    accurate_and_as_announced(problem, seed)


@pytest.mark.slow
@given(problems(), st.integers(0, 2**32))
@examples(2000)
def test_accurate_and_as_announced_for_two_thousand_problems(problem: Problem, seed: int) -> None:
    accurate_and_as_announced(problem, seed)


@given(problems())
@examples(200)
def test_each_method_stays_within_its_own_theorem(problem: Problem) -> None:
    """`tight` and `paper` within this paper's bound, the earlier methods within theirs."""
    limits = {row.name: row.value for row in table(problem) if row.applies}
    named = {"replicated": "earlier.upper", "opportunistic": "earlier.upper"}
    for each in compare(problem):
        limit = limits.get(named.get(each.method, "paper.upper"))
        if limit is not None and each.method not in ("bisection", "grid"):
            assert each.queries <= limit


@given(problems())
@examples(80)
def test_enumeration_covers_every_cell_once(problem: Problem) -> None:
    for each in plans(problem):
        if problem.dim == 1 and each.cells[0] <= 150:
            obeys(each.strategy, accurate=each.method not in SPECIMENS)
