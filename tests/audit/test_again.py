"""The same number again, and a number that moves: exact figures, with their sources."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.repeated import drift, repeated, staged_search, stay
from tests.support.strategies import staged

from feint import Domain, Problem, plan
from feint.audit import audit, coordinates, outcomes, steps, walk
from feint.audit.keys import keyed
from feint.branches import branches
from feint.errors import InvalidValue, TooLarge
from feint.planning import Plan
from feint.problem import Prior
from feint.strategies import Staged

F = Fraction
SPARE = Problem("1/16", "1/4", 3)
MOVING = Problem("1/64", "1/8", 4)
LINE = Domain(0, 64)


def spare(hide: tuple[int, ...] = (2, 2)) -> Staged:
    return staged(SPARE, 16, (), 4, 3, hide)


def moving() -> Plan:
    """Two blocks, four parts of eight cells, all kept: no coins."""
    return Plan.of(staged(MOVING, 64, (2,), 4, 4, (2, 2, 2)), domain=LINE)


def test_windows_of_fresh_keys_intersect() -> None:
    """C = 4, L_p = 3: docs/how-to/again.md, and by a brute force that shares no code."""
    found = audit(spare(), repeat=4, fresh_keys=True)
    assert found.successes == (F(1, 3), F(4, 9), F(16, 27), F(58, 81))
    assert found.adversary_success == F(58, 81)
    assert list(found.successes[:3]) == repeated(16, 4, staged_search(1, 4, 3, (2, 2)), stay, 3)
    heard = "she hears every question in each of 4 searches with a fresh key each"
    assert (found.verdict, found.private) == (f"leaks if {heard}", False)
    assert "in search 4, round 1: 0.25, 0.5, 0.75" in found.counterexample


@pytest.mark.parametrize(
    ("epsilon", "delta", "level", "shape", "expected"),
    [
        ("1/9", "2/9", 3, (9, 2, (1, 3, 2, (3,))), (F(1, 3), F(1, 2), F(7, 12))),
        ("1/25", "2/25", 7, (25, 2, (1, 5, 3, (5,))), (F(2, 15), F(2, 9), F(38, 135))),
    ],
)
def test_plans_with_spare_parts(
    epsilon: str,
    delta: str,
    level: int,
    shape: tuple[int, int, tuple[int, int, int, tuple[int, ...]]],
    expected: tuple[Fraction, ...],
) -> None:
    """Fresh keys cost; the same key, or a plan without coins, is as once."""
    chosen = plan(Problem(epsilon, delta, level))
    found = audit(chosen, repeat=3, fresh_keys=True)
    assert found.successes == expected
    cells, window, inside = shape
    assert list(expected) == repeated(cells, window, staged_search(*inside), stay, 3)
    same = audit(chosen, repeat=3)
    assert (same.successes, same.private) == (expected[:1] * 3, True)
    assert not chosen.repeatable


@pytest.mark.parametrize(
    ("most", "expected"),
    [
        (1, (F(1, 4), F(13, 48), F(41, 144))),
        (2, (F(1, 4), F(23, 80), F(5, 16))),
        (4, (F(1, 4), F(23, 72))),
    ],
)
def test_a_number_that_drifts(most: int, expected: tuple[Fraction, ...]) -> None:
    """docs/how-to/again.md: two blocks, four parts of eight cells, δ one part; no coins."""
    for fresh in (False, True):
        found = audit(moving(), repeat=len(expected), motion=steps(most), fresh_keys=fresh)
        assert found.successes == expected


def test_drift_by_brute_force() -> None:
    """A smaller line, with spare parts and without, fresh keys."""
    for kept in (2, 3):
        strategy = staged(Problem("1/12", "1/3", 2), 12, (), 3, kept, (2, 2))
        found = audit(strategy, domain=Domain(0, 12), repeat=3, motion="steps(1)", fresh_keys=True)
        search = staged_search(1, 3, kept, (2, 2))
        assert list(found.successes) == repeated(12, 4, search, drift(12, 1), 3)


def test_the_same_coins_for_a_number_that_moves() -> None:
    """Every key by itself, by brute force: coins are part of what stays hidden."""
    strategy, window = staged(Problem("1/12", "1/3", 2), 12, (), 3, 2, (2, 2)), 4
    cells, keys = 12, 2

    def search(state: int) -> dict[tuple[object, ...], Fraction]:
        cell, key = state // keys, state % keys
        first, low = (cell // 4 - key) % 3, cell % 4 // 2 * 2
        kept = sorted((first + j) % 3 for j in range(2))
        asked = (*(4 * each + 2 for each in kept), *(4 * each + low + 1 for each in kept))
        return {asked: Fraction(1)}

    def move(state: int) -> dict[int, Fraction]:
        cell, key = state // keys, state % keys
        return {there * keys + key: mass for there, mass in drift(cells, 1)(cell).items()}

    brute = repeated(cells * keys, window * keys, search, move, 3, aligned=keys)
    found = audit(strategy, domain=Domain(0, 12), repeat=3, motion="steps(1)")
    assert list(found.successes) == brute


def test_the_same_key_of_a_number_that_stays_is_as_once_by_its_coins_too() -> None:
    """What `audit` takes for granted, from the filter: a jump that never comes tracks the keys."""
    found = audit(spare(), repeat=3, motion="jump(0)")
    assert found.successes == (F(1, 3),) * 3
    assert len(keyed(spare(), limit=1 << 10)) == 3


def test_other_laws_of_motion() -> None:
    """A number that is always drawn anew tells nothing of itself; a walk comes both ways."""
    assert audit(moving(), repeat=3, motion="jump(1)").successes == (F(1, 4),) * 3
    once = audit(moving(), repeat=2, motion=walk(1)).successes
    twice = audit(moving(), repeat=2, motion="walk(1, 2)").successes
    assert once[0] == twice[0] == F(1, 4)
    assert F(1, 4) < once[1] < 1
    assert F(1, 4) < twice[1] < 1


@pytest.mark.parametrize(
    ("held", "words"), [(10, "branches"), (100, "questions in its transcripts")]
)
def test_what_is_too_much_is_named(held: int, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has 64 branches, and 32 transcripts of 16 questions."""
    monkeypatch.setattr(outcomes, "HELD", held)
    with pytest.raises(TooLarge, match=words):
        outcomes.Rows.held(enumerate(branches(moving().strategy)), 16)


def test_coordinates_multiply() -> None:
    chosen = plan(Problem("1/25", "2/25", 49, dim=2))
    found = audit(chosen, repeat=2, fresh_keys=True)
    parts = [audit(each, repeat=2, fresh_keys=True) for each in coordinates(chosen.strategy)]
    assert found.successes[1] == parts[0].successes[1] * parts[1].successes[1]


def test_questions_at_ticks_repeat_as_any() -> None:
    """Uneven cells go through the ruler: one search as today, more searches no less."""
    prices = Domain(20, 100)
    chosen = plan(prices.problem(epsilon="0.7", delta=6, level=7), domain=prices)
    assert chosen.scales is not None
    today = audit(chosen).adversary_success
    found = audit(chosen, repeat=2, fresh_keys=True)
    assert found.successes[0] == today
    assert found.successes[1] >= today
    moved = audit(chosen, repeat=2, motion="steps(1)", fresh_keys=True)
    assert moved.successes[0] == today


def test_samples_agree_with_the_exact_figures() -> None:
    exact = audit(spare(), repeat=2, fresh_keys=True)
    found = audit(spare(), repeat=2, fresh_keys=True, runs=200, seed=3)
    assert not found.exact
    for mean, value in zip(found.successes, exact.successes, strict=True):
        assert abs(mean - value) < F(1, 15)
    drifted = audit(moving(), repeat=3, motion="steps(2)", runs=600, seed=4)
    for mean, value in zip(drifted.successes, (F(1, 4), F(23, 80), F(5, 16)), strict=True):
        assert abs(mean - value) < F(1, 50)


@pytest.mark.parametrize("fine", [False, True])
def test_samples_of_a_number_that_is_drawn_anew_agree_with_the_exact_figures(fine: bool) -> None:
    """It is drawn by the prior, which is far from even, on places that may be finer than cells."""
    chosen = plan(Problem("1/16", "1/5", 2)) if fine else moving()
    law, jump = Prior([1, 1, 1, 13]), "jump(0.5)"
    exact = audit(chosen, prior=law, repeat=3, motion=jump).successes
    found = audit(chosen, prior=law, repeat=3, motion=jump, runs=600, seed=4).successes
    assert [float(each) for each in found] == pytest.approx(list(map(float, exact)), abs=0.03)


def test_samples_reach_lattices_that_no_walk_can() -> None:
    found = audit(plan(Problem("2^-40", "2^-8", 3)), repeat=2, fresh_keys=True, runs=4, seed=1)
    assert found.successes[0] == F(333333, 10**6)


def test_noisy_searches_tell_more_each_time() -> None:
    """Every search is an independent look: success rises, and a key does not help."""
    chosen = plan(Problem("1/20", "1/5", 2, p="0.9", confidence="0.9"))
    assert not chosen.repeatable
    found = audit(chosen, repeat=3, fresh_keys=True, runs=24)
    first, second, third = found.successes
    assert first < second < third
    with pytest.raises(InvalidValue, match="no key asks the same again"):
        audit(chosen, repeat=2, runs=60)
    with pytest.raises(
        InvalidValue, match=r"hears = every\(2\): under noise every question is heard"
    ):
        audit(chosen, hears="every(2)", runs=60)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"motion": "steps(2)"}, "motion = steps.2.: .* there is only one"),
        ({"fresh_keys": True}, "fresh_keys = True: .* there is only one"),
        ({"repeat": 0}, "repeat"),
        ({"repeat": 2, "motion": "hops(2)"}, "must be steps"),
        ({"repeat": 2, "motion": "steps(0)"}, "must be positive"),
        ({"repeat": 2, "motion": "steps(0.001)"}, "motion = steps.0.001.: moves must be"),
        ({"repeat": 2, "motion": "walk(1)"}, "motion = walk.1.: from some values, every move"),
        ({"repeat": 2, "motion": "jump(2)"}, "from 0 to 1"),
        ({"repeat": 2, "lemmas": True}, "only the best eavesdropper"),
        ({"repeat": 2, "seed": 3}, "no number of runs"),
        ({"hears": "some"}, "must be one of"),
        ({"hears": "rounds(9)"}, "hears = rounds.9.: this search has rounds 1 to 3"),
        ({"hears": "each(2)"}, "from 0 to 1"),
        ({"hears": "every(x)"}, "whole number"),
        ({"hears": "rounds(3-1)"}, "must rise"),
        ({"hears": "rounds(a)"}, "numbers and ranges"),
        ({"knows": "each(1/2)"}, "not drawn at random"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], rule: str) -> None:
    with pytest.raises(InvalidValue, match=rule):
        audit(spare(), **given)


def test_too_many_ways_are_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcomes, "HELD", 50)
    with pytest.raises(TooLarge, match="give runs = 1000"):
        audit(spare(), repeat=2, fresh_keys=True)
    monkeypatch.setattr(outcomes, "HELD", 90)
    with pytest.raises(TooLarge, match="too many ways to walk them all"):
        audit(spare(), hears="each(1/2)")


def test_seeds_repeat() -> None:
    one, two = (
        audit(spare(), repeat=2, fresh_keys=True, runs=40, seed=5).successes for _ in range(2)
    )
    assert one == two
    assert np.isfinite(float(one[1]))


@pytest.mark.parametrize("level", [4, 5, 6])
def test_what_a_second_search_of_a_number_that_drifts_adds(level: int) -> None:
    """The mean distance over the width of a part, over L: the rule of docs/how-to/again.md."""
    units = Domain(0, 1000)
    chosen = plan(units.problem(epsilon=1, delta=20, level=level))
    assert isinstance(chosen.strategy, Staged)
    shape, cells = chosen.strategy.shape, chosen.cells[0]
    far = 5 * cells // 1000
    mean = F(far * (far + 1), 2 * far + 1)
    part = F(cells, 2 ** len(shape.narrow) * shape.parts)
    once, twice = audit(chosen, domain=units, repeat=2, motion="steps(5)").successes
    assert twice - once == mean / part / level
