"""Where delta is no whole number of ticks: no part is narrower, and what is stated is what is."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from tests.support.brute import brute

from feint import Domain, Problem, plan
from feint.audit import audit
from feint.planning.noiseless.whole import cheapest_whole, success_bound
from feint.strategies import Staged


@pytest.mark.parametrize("seed", range(12))
def test_a_bound_is_never_below_what_brute_force_finds(seed: int) -> None:
    """D = 25/3 in blocks of 50: five parts, since of six some would have 8 values."""
    draw = Random(seed)
    for _ in range(4):
        values, rounds = draw.randrange(30, 90), draw.choice([None, 2, 3, 4])
        window = Fraction(draw.randrange(7, 40), draw.choice([2, 3, 4, 6]))
        level = Fraction(draw.choice(["2", "3", "4", "7/2", "5"]))
        how: dict[str, Any] = {"accuracy": draw.choice([1, 2]), "rounds": rounds}
        shape = cheapest_whole(values, window, level, **how, spare=draw.random() < 0.5)
        if shape is None:
            assert level * window > values
            continue
        problem = Problem(Fraction(1, values), window / values, 2)
        really = brute(Staged(problem, values, shape), problem.delta).success
        assert really <= success_bound(shape, values, window) <= 1 / level


@pytest.mark.parametrize(
    ("high", "shares", "level", "more"),
    [
        (276, 10, 4, {"repeatable": True}),
        (283, 16, 7, {"max_rounds": 4}),
        (613, 12, 7, {"max_rounds": 3}),
        (97, 12, 5, {"margin": "1.1"}),
    ],
)
def test_a_plan_states_what_an_audit_finds(
    high: int, shares: int, level: int, more: dict[str, Any]
) -> None:
    domain = Domain(0, high, tick=1)
    problem = domain.problem(epsilon=1, delta=Fraction(high, shares), level=level)
    found = plan(problem, domain=domain, **more)
    assert found.private
    assert found.adversary_success is not None
    assert found.adversary_success * Fraction(more.get("margin", 1)) <= Fraction(1, level)
    assert audit(found).adversary_success == found.adversary_success
