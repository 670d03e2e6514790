"""Cells that stick out of a range, by brute force: they ride, or the bound leaves them room."""

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.support.believed import best_window
from tests.support.brute import brute, runs
from tests.support.checks import obeys

from feint import Domain, Problem, plan
from feint.interfaces import Strategy
from feint.planning.grain import Grain
from feint.planning.noiseless.methods import _by_tail, _grid, _optimal
from feint.planning.noiseless.tails import ridden
from feint.planning.optimal import solve
from feint.strategies import Block, Blocks, StagedShape, TailedShape


def won(strategy: Strategy, domain: Domain, delta: Fraction) -> Fraction:
    """Her success where the cells are ticks, and the range ends within the first and the last."""
    heard = defaultdict[tuple[int, ...], list[tuple[int, Fraction]]](list)
    for points, cell, chance, low, high in runs(strategy):
        assert (low, high) == (cell, cell + 1)
        heard[points].append((cell, chance))
    ends = [Fraction(k) for k in range(strategy.cells[0] + 1)]
    ends[0], ends[-1] = domain.low, domain.high
    at = [(end - domain.low) / domain.width for end in ends]
    pieces = (
        [(at[cell], at[cell + 1], chance) for cell, chance in held] for held in heard.values()
    )
    return sum((best_window(each, (1,), delta) for each in pieces), Fraction(0))


@pytest.mark.parametrize("riders", [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_a_cell_before_and_a_cell_after(riders: tuple[int, int]) -> None:
    """Each acts the cell a part's width away: it adds nothing to what she catches."""
    size, shape = 19, TailedShape(width=4, kept=4)
    before, after = riders
    total, end, alone = size + sum(riders), size + before, StagedShape(hide=(1,))
    found = ridden(size, shape, riders)
    path = ((1,) if before else ()) + ((end,) if after else ())
    first = [Block(start=0, size=1, path=(1,), shape=alone, acts=4)]
    last = [Block(start=end, size=1, path=path, shape=alone, acts=end - 4)]
    block = Block(start=before, size=size, path=path, shape=shape)
    assert found == (*first[:before], block, *last[:after])
    problem = Problem(Fraction(1, total), Fraction(4, total), 2, values=total)
    strategy = Blocks(problem, total, found)
    assert brute(strategy, problem.delta).success * total <= Fraction(size, 4)
    obeys(strategy)


@pytest.mark.parametrize(("low", "high", "kept"), [("0", "20.25", 3), ("0.1", "21.9", 5)])
def test_ends_that_ride_leave_no_slack(low: str, high: str, kept: int) -> None:
    domain = Domain(low, high, tick=1)
    problem = domain.problem(epsilon=1, delta=2, level=kept)
    grain = Grain.of_ticks(problem, domain, Fraction(1))
    found = _by_tail(problem, kept, None, _grid(problem, kept, None, grain), grain, spare=True)
    assert found is not None
    assert isinstance(found.strategy, Blocks)
    assert len(found.strategy.blocks) == 1 + sum(grain.cut_short)
    assert found.share == Fraction(1, kept)
    assert won(found.strategy, domain, problem.delta) <= found.share
    assert found.queries == sum(len(each.coordinates) for each in found.strategy.rounds)


def test_the_optimum_leaves_room_for_what_sticks_out() -> None:
    """Five ticks cover 4.5 of them: what is proved of five cells counts 10/9 times."""
    domain = Domain("0.5", 5, tick=1)
    problem = domain.problem(epsilon=1, delta=1, level=2)
    grain = Grain.of_ticks(problem, domain, Fraction(1))

    def every(problem: Problem, level: Any, rounds: int | None) -> Any:
        return _grid(problem, level, rounds, grain)

    found = _optimal(problem, 2, None, grain, every)
    assert found is not None
    assert found.queries == 3 == plan(problem, domain=domain).queries
    assert found.share == solve(5, 1, 1, 3).upper * Fraction(10, 9) <= Fraction(1, 2)
    assert won(found.strategy, domain, problem.delta) <= found.share
    assert found.strategy == replace(solve(5, 1, 1, 3).strategy, problem=problem)


def test_a_coin_is_what_larger_trees_take() -> None:
    """300 values: 17 questions with every part kept, and no forest, which spares some."""
    found = plan(Problem("1/300", "1/60", 3, values=300), repeatable=True)
    assert found.repeatable
    assert found.queries == 17
    assert found.adversary_success is not None
    assert found.adversary_success <= Fraction(1, 3)
