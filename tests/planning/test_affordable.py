"""What a budget buys: the largest level, or delta, whose plan it pays for, and none beyond."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.support.examples import later

from feint import Domain, Problem
from feint.errors import NoPlan
from feint.planning import Plan, afford, plan
from feint.planning.affordable import _largest_delta, _Purse
from feint.problem import UNIT


@pytest.mark.parametrize(("delta", "most"), [("1/4", 4), ("2/7", 3), ("1/9", 9)])
def test_a_budget_without_end_buys_the_largest_level_there_is(delta: str, most: int) -> None:
    """Beyond 1/δ nobody is private: a blind guess wins with δ."""
    bought = afford(queries=10**5, epsilon="1/60", delta=delta)
    assert bought.level == most
    assert bought.plan.private
    assert bought.plan.problem == Problem("1/60", delta, most)


def test_what_is_believed_is_paid_for() -> None:
    """The middle third is twice as likely: 14 questions buy level 2, and 4 without it."""
    wanted: dict[str, Any] = {"queries": 14, "epsilon": "1/12", "delta": "1/4"}
    bought = afford(**wanted, prior=[1, 2, 1])
    believed = UNIT.problem(epsilon="1/12", delta="1/4", level=2, prior=[1, 2, 1])
    assert (bought.level, bought.plan.problem) == (2, believed)
    assert bought.plan.queries == plan(believed, domain=UNIT).queries <= 14
    assert afford(**wanted).level == 4


DEAR = {(queries, 2) for queries in (31, 32, 33, 60)}


@pytest.mark.parametrize(
    ("queries", "dim"), later(product([9, 14, 20, 31, 32, 33, 60], [1, 2]), DEAR)
)
def test_one_level_more_costs_too_much(queries: int, dim: int) -> None:
    def cost(level: int) -> int:
        return plan(Problem("1/40", "1/8", level, dim=dim), domain=UNIT).queries

    if cost(2) > queries:
        with pytest.raises(NoPlan, match=f"give {cost(2)} or more"):
            afford(queries=queries, epsilon="1/40", delta="1/8", dim=dim)
        return
    bought = afford(queries=queries, epsilon="1/40", delta="1/8", dim=dim)
    assert bought.plan.queries == cost(bought.level) <= queries
    assert bought.level == 8**dim or cost(bought.level + 1) > queries


@pytest.mark.parametrize("queries", [7, 9, 12, 15, 20, 39])
@pytest.mark.parametrize("level", [2, 3, 5])
def test_one_value_more_costs_too_much(queries: int, level: int) -> None:
    domain = Domain(1, 40, step=1)

    def cost(delta: int) -> int:
        return plan(domain.problem(delta=delta, level=level), domain=domain).queries

    if cost(1) > queries:
        with pytest.raises(NoPlan, match=f"give {cost(1)} or more"):
            afford(queries=queries, domain=domain, level=level)
        return
    bought = afford(queries=queries, domain=domain, level=level)
    assert bought.delta.denominator == 1
    assert cost(int(bought.delta)) <= queries
    assert bought.delta == 40 // level or cost(int(bought.delta) + 1) > queries


# The largest delta for few questions is no simple fraction, and takes tens of plans: one such is
# bought in test_plan.py.
@pytest.mark.parametrize("queries", later([10, 13, 16, 24, 59], {10, 13, 16}))
def test_a_little_more_delta_costs_too_much(queries: int) -> None:
    bought = afford(queries=queries, epsilon="1/60", level=3)
    assert bought.plan.problem.delta == bought.delta
    assert bought.plan.queries <= queries
    wider = bought.delta * (1 + Fraction(1, 10**6))
    dearer = Problem("1/60", min(wider, Fraction(1, 3)), 3)
    assert bought.delta == Fraction(1, 3) or plan(dearer, domain=UNIT).queries > queries


def _bought(largest: Fraction, steps: int) -> tuple[Fraction, int]:
    """Buy a delta of 1/30 to 1/3 with a budget that pays for those up to the largest.

    Returns:
        The delta, and how many plans were made.
    """
    low, high = Fraction(1, 30), Fraction(1, 3)
    cheap, dear = plan(Problem("1/8", "1/4", 2)), plan(Problem("1/32", "1/16", 5))
    asked: list[Fraction] = []

    def planned(delta: Fraction, level: int) -> Plan:
        asked.append(delta)
        return cheap if delta <= largest else dear

    bought = _largest_delta((low, steps), (2, high), _Purse(cheap.queries, planned))
    assert (bought.level, bought.plan) == (2, cheap)
    return bought.delta, len(asked)


@pytest.mark.parametrize("largest", ["1/8", "2/9", "3/17", "1/5", "11/60"])
def test_a_simple_delta_is_found_with_few_plans(largest: str) -> None:
    found, plans = _bought(Fraction(largest), 1 << 40)
    assert found == Fraction(largest)
    assert plans <= 20


@pytest.mark.parametrize("steps", [4, 1 << 8, 1 << 40])
@pytest.mark.parametrize("largest", ["16497/390001", "123456789/987654321"])
def test_any_delta_is_found_to_one_step(largest: str, steps: int) -> None:
    """Bisection alone would take one plan for each bit of the steps."""
    found, plans = _bought(Fraction(largest), steps)
    step = Fraction(3, 10) / steps
    assert found <= Fraction(largest) < found + step
    assert plans <= 3 * steps.bit_length()
