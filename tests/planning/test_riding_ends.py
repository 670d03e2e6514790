"""Cells that stick out of a range, by brute force: an audit, or a bound, leaves them room."""

from collections import defaultdict
from fractions import Fraction

import pytest
from tests.support.believed import best_window
from tests.support.brute import runs

from feint import Domain, Problem, plan
from feint.interfaces import Strategy
from feint.planning.lattice import Lattice
from feint.planning.noiseless import noiseless_methods
from feint.planning.optimal import solve


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


def test_the_optimum_leaves_room_for_what_sticks_out() -> None:
    """Five ticks cover 4.5 of them: what is proved of five cells counts 10/9 times."""
    domain = Domain("0.5", 5, tick=1)
    problem = domain.problem(epsilon=1, delta=1, level=2)
    lattice = Lattice.of_ticks(problem, domain, Fraction(1))
    found = noiseless_methods(problem, lattice)["optimal"](problem, 2, None)
    assert found is not None
    assert found.queries == 3 == plan(problem, domain=domain).queries
    assert solve(5, 1, 1, 3).upper * Fraction(10, 9) <= Fraction(1, 2)
    assert won(found.strategy, domain, problem.delta) <= found.share <= Fraction(1, 2)


@pytest.mark.parametrize(("low", "high", "level"), [("0", "20.25", 3), ("0.1", "21.9", 5)])
def test_ends_that_stick_out_weigh_what_they_do(low: str, high: str, level: int) -> None:
    domain = Domain(low, high, tick=1)
    found = plan(domain.problem(epsilon=1, delta=2, level=level), domain=domain)
    assert found.adversary_success == won(found.strategy, domain, found.problem.delta)
    assert found.adversary_success <= Fraction(1, level)


def test_larger_trees_do_without_coins() -> None:
    """300 values: 15 questions with every part kept; 17 before trees of so many were tried."""
    found = plan(Problem("1/300", "1/60", 3, values=300), repeatable=True)
    assert found.repeatable
    assert found.queries == 15
    assert found.adversary_success is not None
    assert found.adversary_success <= Fraction(1, 3)
