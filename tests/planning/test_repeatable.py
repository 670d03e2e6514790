"""Repeatable plans: no coins, the least extra cost, and what cannot be one."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.problems import problems
from tests.support.strategies import planted, staged

from feint import Domain, Problem, plan
from feint.audit import audit
from feint.branches import branches
from feint.errors import NoPlan
from feint.interfaces import Strategy
from feint.planning import Plan, compare, repeatable
from feint.strategies import (
    StagedShape,
)
from feint.strategies.retired import (
    Block,
    Blocks,
    LooseShape,
    Padded,
    Play,
    Tabular,
    Tailed,
    TailedShape,
)


def cheapest(epsilon: Fraction, delta: Fraction, level: int) -> int:
    """Over the family without spare parts: K₁ halvings, C parts all kept, K₂ halvings, a grid."""
    best = math.ceil(1 / epsilon) - 1
    for narrow in range(12):
        for parts in range(1, int(1 / (delta * 2**narrow)) + 1):
            for hide in range(12):
                piece = Fraction(1, 2**narrow * parts * 2**hide)
                grid = max(2, math.ceil(piece / epsilon))
                success = min(piece, delta) / (piece * parts)
                if success * level <= 1:
                    asked = narrow + parts - 1 + parts * (hide + grid - 1)
                    best = min(best, asked)
    return best


@given(st.integers(2, 9), st.integers(2, 12), st.integers(2, 40))
@examples(12)
def test_never_dearer_than_the_family_without_spare_parts(
    level: int, more: int, finer: int
) -> None:
    delta = Fraction(1, level * more)
    problem = Problem(delta / finer, delta, level)
    found = plan(problem, repeatable=True)
    assert found.repeatable
    assert found.private
    assert plan(problem).queries <= found.queries
    assert found.queries <= cheapest(problem.epsilon, delta, level)


@pytest.mark.parametrize(
    ("epsilon", "delta", "level", "free", "repeated"),
    [
        ("1/9", "2/9", 3, 6, 8),
        ("1/25", "2/25", 7, 16, 20),
        ("1/64", "1/12", 3, 13, 13),
        ("2^-20", "2^-8", 15, 199, 211),
    ],
)
def test_what_repeating_costs(
    epsilon: str, delta: str, level: int, free: int, repeated: int
) -> None:
    """The figures of docs/how-to/again.md."""
    problem = Problem(epsilon, delta, level)
    assert plan(problem).queries == free
    assert plan(problem, repeatable=True).queries == repeated


@given(problems())
@examples(25)
def test_a_repeatable_plan_keeps_every_promise(problem: Problem) -> None:
    """In any dimension, of whole values too; and its branches show no coin."""
    if problem.setting == "deterministic":
        return
    found = plan(problem, repeatable=True)
    assert found.private
    assert found.repeatable
    assert found.queries >= plan(problem).queries
    if problem.dim == 1 and found.cells[0] <= 150:
        assert coinless(found.strategy)


def coinless(strategy: Strategy) -> bool:
    return all(bool((part.weight == part.total).all()) for part in branches(strategy))


def test_in_units_of_ones_own() -> None:
    prices = Domain(20, 100)
    problem = prices.problem(epsilon="0.7", delta=6, level=7)
    free, found = plan(problem, domain=prices), plan(problem, domain=prices, repeatable=True)
    assert (free.repeatable, found.repeatable, found.private) == (False, True, True)
    assert (free.queries, found.queries) == (35, 37)


def test_as_once_however_often_and_whatever_the_key() -> None:
    found = plan(Problem("1/25", "2/25", 7), repeatable=True)
    report = audit(found, repeat=3, fresh_keys=True)
    assert report.successes == (found.adversary_success,) * 3
    assert report.private


@pytest.mark.parametrize("max_rounds", [1, 2, 3, 4, 6])
def test_within_a_number_of_rounds(max_rounds: int) -> None:
    problem = Problem("1/200", "1/40", 6)
    found = plan(problem, repeatable=True, max_rounds=max_rounds)
    assert found.rounds <= max_rounds
    assert (found.repeatable, found.private) == (True, True)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"setting": "deterministic", "epsilon": "1/64"}, "tosses coins"),
        (
            {"p": "0.9", "confidence": "0.9", "delta": "1/5", "level": 2},
            "wrong answers change the next questions",
        ),
    ],
)
def test_what_cannot_be_repeated_is_refused(given: dict[str, Any], rule: str) -> None:
    wanted: dict[str, Any] = {"epsilon": "1/20", "delta": "1/8", "level": 3}
    with pytest.raises(NoPlan, match=rule):
        plan(Problem(**wanted | given), repeatable=True)


def test_methods_without_coins_stay_as_they_are() -> None:
    problem = Problem("1/64", "1/12", 3)
    for each in compare(problem, repeatable=True):
        assert each.repeatable
        assert each.to_dict()["repeatable"] is True


def test_strategies_of_all_families() -> None:
    worst = Problem("1/12", "1/6", 3, setting="deterministic")
    small = Problem("1/4", "1/2", 2)
    table = {(): [(2, 1)], ((2, True),): [(3, 1)], ((2, False),): [(1, 1)]}
    fixed = Tabular.from_histories(small, 4, 2, table)
    drawn = Tabular.from_histories(small, 4, 1, {(): [(1, 1), (2, 1)]})
    assert repeatable(fixed)
    assert not repeatable(drawn)
    assert not repeatable(planted(worst, 12, True, False, 2, 1, (3,)))
    assert repeatable(staged(small, 16, (2,), 4, 1, (2,)))  # one window: nothing to toss
    assert not Plan.of(staged(small, 16, (), 4, 3, (4,))).repeatable
    noisy = plan(Problem("1/20", "1/5", 2, p="0.9", confidence="0.9"))
    assert not noisy.repeatable


@pytest.mark.parametrize("values", [12, 13, 26, 29, 31, 57, 72, 95])
@pytest.mark.parametrize("setting", ["bayesian", "deterministic"])
def test_repeatable_is_that_no_coin_decides(values: int, setting: Any) -> None:
    """By every branch there is: each is taken for certain, or some coin decides."""
    for window, level in [(1, 2), (2, 3), (4, 3), (8, 3), (16, 4)]:
        if window * level > values:
            continue
        least = Fraction(1, values)
        problem = Problem(least, window * least, level, setting=setting, values=values)
        for again in (True, False) if setting == "bayesian" else (False,):
            found = [plan(problem, repeatable=True)] if again else compare(problem)
            for each in found:
                if each.method == "grid":
                    continue
                parts = branches(each.strategy)
                certain = all(bool((part.weight == part.total).all()) for part in parts)
                assert repeatable(each.strategy) == certain, each.method
                assert repeatable(Padded(each.strategy)) == certain


PLAYS = tuple(
    Play(asked=((1, 2),), places=places, mass=mass, high=high)
    for places, mass, high in [
        ((0, 1), 2, False),
        ((0, 1), 3, True),
        ((0, 2), 3, False),
        ((1, 2), 3, False),
    ]
)


@pytest.mark.parametrize(
    ("size", "shape", "certain"),
    [
        (9, TailedShape(width=3, kept=3), True),  # three parts of three, and no tail
        (11, TailedShape(width=3, kept=3), False),  # where the tail joins, a coin decides
        (12, TailedShape(width=3, kept=2), False),
        (22, LooseShape(width=8, plays=PLAYS), False),
        (8, StagedShape(narrow=(), parts=2, kept=2, hide=(4,)), True),
        (9, StagedShape(narrow=(), parts=3, kept=2, hide=(3,)), False),
    ],
)
def test_a_block_is_repeatable_if_no_coin_decides(size: int, shape: Any, certain: bool) -> None:
    """Alone, in a tree of one block, and with a wrapper round it."""
    problem = Problem(Fraction(1, size), Fraction(1, size), 2, values=size)
    tree = Blocks(problem, size, (Block(start=0, size=size, path=(), shape=shape),))
    kinds: list[Strategy] = [tree, Padded(tree)]
    if isinstance(shape, TailedShape):
        kinds.append(Tailed(problem, size, shape))
    for each in kinds:
        assert coinless(each) == certain
        assert repeatable(each) == certain


def test_what_takes_too_long_to_walk_is_not_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four cells, four branches."""
    table = {(): [(2, 1)], ((2, True),): [(3, 1)], ((2, False),): [(1, 1)]}
    fixed = Tabular.from_histories(Problem("1/4", "1/2", 2), 4, 2, table)
    monkeypatch.setattr("feint.planning.repetition.WALKED_BRANCHES", 4)
    assert repeatable(fixed)
    monkeypatch.setattr("feint.planning.repetition.WALKED_BRANCHES", 3)
    assert not repeatable(fixed)


def test_what_is_too_large_to_walk_is_told_by_what_it_wraps() -> None:
    """2^18 cells: nobody walks as many branches to find out whether there is a coin."""
    for kept, certain in ((3, True), (2, False)):
        large = staged(Problem("2^-18", "1/12", 2), 1 << 18, (), 3, kept, (2,) * 17)
        assert repeatable(Padded(large)) == repeatable(large) == certain
