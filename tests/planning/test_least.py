"""How close plans are to the best possible: the bound that each carries, and its words."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import pytest

from feint import Domain, Plan, Problem, plan
from feint.bounds import lower_bound
from feint.cli.app import run
from feint.errors import InvalidValue
from feint.planning import compare, frontier
from feint.problem import Prior

Output = pytest.CaptureFixture[str]
OPTIMAL = "At most 199 questions, which is optimal: no plan can ask fewer (proofs/near.md)."


def test_a_plan_that_meets_the_bound_is_optimal() -> None:
    found = plan(Problem("2^-20", "2^-8", 15))
    assert (found.queries, found.lower_bound, found.is_optimal) == (199, 199, True)
    assert found.optimality == OPTIMAL
    assert found.certificate == "theorem"


def test_a_plan_above_the_bound_says_how_far() -> None:
    found = plan(Problem("1/64", "1/12", 3))
    assert (found.queries, found.lower_bound, found.is_optimal) == (13, 11, False)
    assert found.optimality == "At most 13 questions; no plan with a maximum below 11 exists."
    assert found.optimality in " ".join(str(found).split())
    assert found.optimality in found._repr_html_()


@pytest.mark.parametrize("method", ["bisection", "paper"])
def test_the_bound_is_about_plans_that_keep_the_promise(method: str) -> None:
    """Bisection asks 20 questions where no private plan has fewer than 199."""
    found = plan(Problem("2^-20", "2^-8", 15), method=method)
    assert found.lower_bound == (199 if found.private else None)
    assert bool(found.optimality) == found.private
    assert found.to_dict()["lower_bound"] == found.lower_bound


def test_under_a_prior_it_is_about_the_lattice() -> None:
    found = plan(Problem("1/8", "1/8", 2, values=8, prior=Prior([1, 2, 2, 3, 3, 2, 2, 1])))
    assert found.lower_bound == lower_bound(found.problem)
    assert "among plans on this lattice, none" in found.optimality
    found = plan(Problem("1/20", "1/10", 3, prior=Prior([1, 2, 2, 1])), domain=Domain(0, 1))
    assert found.lower_bound is not None
    assert found.lower_bound > 5  # what counting says
    assert "among plans on this lattice, none" in found.optimality


def test_with_a_tick_it_is_about_the_ticks() -> None:
    problem = Problem("0.15", "0.3", 3)
    free, kept = plan(problem), plan(problem, domain=Domain(0, 1, tick="0.1"))
    assert free.lower_bound == 6
    assert kept.lower_bound == 7
    assert "among plans on this lattice" in kept.optimality
    assert "lattice" not in free.optimality


def test_several_numbers_are_searched_each_by_itself() -> None:
    found = plan(Problem("2^-10", "2^-6", 9, dim=2))
    assert (found.queries, found.lower_bound) == (38, 38)
    assert "among plans that search each number by itself, none can ask fewer" in found.optimality


def test_where_nothing_is_proved_there_is_no_bound() -> None:
    """Noise, a prior, and accuracy on average."""
    problem = Problem("0.02", "0.1", 3, p="0.9", prior=Prior([1, 2, 2, 1]))
    found = plan(problem, domain=Domain(0, 1))
    assert found.lower_bound is None
    assert found.optimality == ""
    assert found.to_dict()["lower_bound"] is None


def test_rounded_questions_are_held_against_what_they_promise() -> None:
    """She may win a millionth more often than 1/L, so the bound is for that success."""
    problem = Problem("1/1000", "1/30", 5)
    rounded = plan(problem, domain=Domain(0, Fraction(1000, 7)))
    assert rounded.excused
    assert rounded.lower_bound == lower_bound(problem, success=rounded.promised)
    easier, least = lower_bound(problem, success=Fraction(1, 4)), lower_bound(problem)
    assert easier is not None
    assert least is not None
    assert easier < least


def test_every_plan_of_a_comparison_and_a_frontier_carries_it() -> None:
    problem = Problem("1/64", "1/12", 3)
    for found in (*compare(problem), *frontier(problem)):
        assert found.lower_bound == (11 if found.private else None)


def test_the_command_says_it(capsys: Output) -> None:
    words = ["plan", "--epsilon", "2^-20", "--delta", "2^-8", "--level", "15"]
    assert run(words) == 0
    assert OPTIMAL in capsys.readouterr().out.splitlines()
    assert run([*words, "--json"]) == 0
    plans = json.loads(capsys.readouterr().out)["plans"]
    assert {each["method"]: each["lower_bound"] for each in plans} == {
        "tight": 199,
        "paper": 199,
        "replicated": 199,
        "bisection": None,
        "grid": 199,
    }


Draw = random.Random


def _interval(draw: Draw) -> Plan:
    level = draw.randint(1, 24)
    delta = Fraction(draw.randint(20, 80), 80 * level * draw.randint(1, 30))
    return plan(
        Problem(delta * Fraction(draw.randint(4, 80), 8) / draw.randint(8, 999), delta, level)
    )


def _values(draw: Draw) -> Plan:
    values = draw.randint(2, 300)
    window, level = draw.randint(1, max(1, values // 3)), draw.randint(1, 12)
    problem = Problem(Fraction(1, values), Fraction(window, values), level, values=values)
    return plan(problem)


def _ticks(draw: Draw) -> Plan:
    ticks, level = draw.randint(4, 300), draw.randint(1, 8)
    epsilon = Fraction(draw.randint(2, 8), 2 * ticks)
    delta = Fraction(draw.randint(1, 40), 100)
    low = Fraction(draw.randint(0, 9), 10 * ticks)
    units = Domain(low, low + 1, tick=Fraction(1, ticks))
    return plan(Problem(epsilon, delta, level), domain=units)


def _units(draw: Draw) -> Plan:
    """Ranges that decimals do not divide: questions are rounded."""
    level = draw.randint(2, 12)
    problem = Problem(Fraction(1, draw.randint(20, 900)), Fraction(1, draw.randint(9, 90)), level)
    return plan(problem, domain=Domain(0, Fraction(draw.randint(1, 99), draw.choice([1, 3, 7]))))


def _prior(draw: Draw) -> Plan:
    weights = [draw.choice([0, 1, 1, 2, 3]) for _ in range(draw.randint(3, 24))]
    prior, level = Prior([*weights, 1]), draw.randint(1, 4)
    if draw.random() < 0.5:
        cells = len(weights) + 1
        delta = Fraction(draw.randint(1, 3), cells)
        return plan(Problem(Fraction(1, cells), delta, level, values=cells, prior=prior))
    problem = Problem(Fraction(1, draw.randint(8, 60)), Fraction(1, draw.randint(6, 40)), level)
    return plan(replace(problem, prior=(prior,)), domain=Domain(0, 1))


def _several(draw: Draw) -> Plan:
    problem = Problem(
        Fraction(1, draw.randint(8, 2000)),
        Fraction(1, draw.randint(3, 90)),
        draw.randint(1, 40),
        dim=draw.choice([2, 3]),
        setting=draw.choice(["bayesian", "deterministic"]),
    )
    return plan(problem)


def _worst_case(draw: Draw) -> Plan:
    size, level, window = draw.randint(3, 400), draw.randint(1, 9), draw.randint(1, 40)
    whole = draw.choice([None, size])
    width, reach = Fraction(1, size), Fraction(window, size)
    return plan(Problem(width, reach, level, setting="deterministic", values=whole))


def _noisy(draw: Draw) -> Plan:
    level = draw.choice([1, 2, 3, 5])
    delta = Fraction(1, level * draw.randint(2, 30))
    problem = Problem(
        delta / draw.randint(4, 60),
        delta,
        level,
        p=draw.choice(["0.7", "0.8", "0.9", "0.95"]),
        confidence=draw.choice([None, "0.9", "0.99"]),
        dim=draw.choice([1, 1, 1, 2]),
    )
    return plan(problem)


KINDS = (_interval, _values, _ticks, _units, _prior, _several, _worst_case, _noisy)


def held(kind: Callable[[Draw], Plan], draws: range) -> int:
    """Hold the bound against plans of random problems of a kind; return how many had one."""
    bounded = 0
    for seed in draws:
        try:
            found = kind(Draw(seed))
        except InvalidValue:  # no such problem, or no plan
            continue
        if found.lower_bound is not None:
            assert found.lower_bound <= found.queries, found.problem
            bounded += 1
    return bounded


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__[1:])
def test_never_above_a_plan(kind: Callable[[Draw], Plan]) -> None:
    assert held(kind, range(7)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, 1000, 100))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__[1:])
def test_never_above_any_of_five_thousand_plans(kind: Callable[[Draw], Plan], start: int) -> None:
    """Of these 8,000 draws 6,635 have a plan and a bound."""
    assert held(kind, range(start, start + 100)) > 0
