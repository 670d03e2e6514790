"""The noisy audit against brute force: every answer, every coin, every cell."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.examples import later
from tests.support.followed import won
from tests.support.noisy import brute, caught
from tests.support.strategies import staged_noisy

from feint import Problem
from feint.audit import audit
from feint.audit.histories import Truth, likelihood
from feint.audit.posterior import joint, truths_of
from feint.audit.sampled import noisy_audit
from feint.errors import InvalidValue
from feint.interfaces import Rule, take
from feint.planning import plan
from feint.problem import Prior
from feint.simulate import Processes
from feint.strategies import Pursuit, StagedNoisy, vote

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Played = tuple[float, Int, NDArray[np.bool_], Any]


def spread(strategy: StagedNoisy, transcript: tuple[int, ...]) -> Float:
    """P(q | X) for every cell, by the audit."""
    found = joint(strategy, np.array(transcript), None)
    return np.repeat(found.mass, np.diff(found.edges)) * math.exp(found.log)


def bound(strategy: StagedNoisy, truth: float | None = None) -> float:
    """[1 + (2δ/w − 1)Ā]/L', for equal parts."""
    p = float(strategy.p) if truth is None else truth
    lost = vote(strategy.shape.parts, strategy.shape.repeats, p).lost
    ratio = float(strategy.problem.delta) * strategy.shape.blocks * strategy.shape.parts
    return (1 + (2 * ratio - 1) * lost) / strategy.shape.kept


def member(
    blocks: int,
    narrow: int,
    parts: int,
    repeats: int,
    kept: int,
    hide: int,
    cells: int,
    *,
    p: str = "0.8",
    rule: Rule = "tilted",
    width: Fraction = Fraction(1),
) -> StagedNoisy:
    """A small plan; `width` is δ in parts."""
    delta = width / (blocks * parts)
    problem = Problem(delta / 4, delta, 2, p=p)
    rules = (rule, rule)
    return staged_noisy(
        problem, blocks * parts * cells, blocks, narrow, parts, repeats, kept, hide, rules
    )


SMALL = [
    member(1, 0, 2, 3, 2, 3, 4),
    member(1, 0, 2, 3, 2, 3, 4, rule="posterior"),
    member(2, 3, 2, 1, 2, 3, 3, p="0.7"),
    member(3, 4, 2, 1, 2, 2, 4, p="0.9", rule="posterior"),
    member(1, 0, 3, 1, 2, 3, 3),
    member(2, 3, 3, 1, 2, 2, 2, p="0.6", width=Fraction(1, 2)),
    member(2, 2, 4, 1, 3, 1, 3),
    member(1, 0, 3, 2, 3, 2, 5, p="0.95"),
    member(2, 2, 3, 1, 3, 2, 3, p="0.75", width=Fraction(2, 3)),
    member(1, 0, 2, 2, 2, 4, 6, width=Fraction(1, 3)),
    member(4, 5, 2, 1, 2, 2, 2, p="0.85"),
    member(1, 0, 4, 1, 2, 2, 3, p="0.99"),
]


LARGER = (2, 9, 10)  # places in SMALL
TRIED = [
    pytest.param(each, id=str(place), marks=[pytest.mark.slow] if place in LARGER else [])
    for place, each in enumerate(SMALL)
]


@pytest.mark.parametrize("strategy", TRIED)
def test_agrees_with_brute_force_and_stays_within_the_bound(strategy: StagedNoisy) -> None:
    total = 0.0
    for transcript, mass in brute(strategy).items():
        assert spread(strategy, transcript) == pytest.approx(mass, abs=1e-12, rel=1e-9)
        total += caught(strategy, mass) / strategy.size
    exact = sum(
        caught(strategy, spread(strategy, each)) / strategy.size for each in brute(strategy)
    )
    assert exact == pytest.approx(total, abs=1e-9)
    assert total <= bound(strategy) + 1e-12


@pytest.mark.parametrize("weights", [(1, 2, 3), (5, 0, 1, 1)])
@pytest.mark.parametrize("place", [0, 4, 7])
def test_under_a_prior_every_transcript_agrees_with_brute_force(
    place: int, weights: tuple[int, ...]
) -> None:
    """Windows begin at every twelfth of a cell, where that of a bin or a cell does."""
    strategy, fine = SMALL[place], 12
    at = np.arange(strategy.size * fine)
    density = np.array(weights, float)[at * len(weights) // len(at)]
    wide = strategy.problem.delta * strategy.size * fine
    assert wide.denominator == 1
    for transcript, mass in brute(strategy).items():
        total = np.concatenate(([0.0], np.cumsum(density * mass[at // fine])))
        best = (total[int(wide) :] - total[: -int(wide)]).max() / total[-1]
        found = won(strategy, strategy.problem.delta, np.array(transcript), Prior(weights))
        assert found == pytest.approx(best, rel=1e-9)


def test_several_searches_under_a_prior_agree_with_brute_force() -> None:
    """Every pair of transcripts: chances multiply, and windows begin where a cell or a bin does."""
    strategy, weights, fine = SMALL[4], (1, 4, 2), 12
    at = np.arange(strategy.size * fine)
    density = np.array(weights, float)[at * len(weights) // len(at)]
    density /= density.sum()
    wide = int(strategy.problem.delta * strategy.size * fine)
    chances = [mass[at // fine] for mass in brute(strategy).values()]
    exact = [0.0, 0.0]
    for number, others in enumerate(([np.ones(len(at))], chances)):
        for first, second in product(chances, others):
            total = np.concatenate(([0.0], np.cumsum(density * first * second)))
            exact[number] += (total[wide:] - total[:-wide]).max()
    given: dict[str, Any] = {"repeat": 2, "fresh_keys": True, "prior": Prior(weights)}
    found = audit(strategy, **given, runs=400, seed=4)
    assert exact[0] + 0.01 < exact[1]
    assert list(map(float, found.successes)) == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("truth", [0.5, 0.52, 0.65, 0.85, 0.97, 0.999])
@pytest.mark.parametrize("strategy", TRIED[:10])
def test_the_bound_holds_whatever_p_is_in_truth(strategy: StagedNoisy, truth: float) -> None:
    """proofs/noisy.md: better answers break no claim, worse ones at most double it."""
    total = sum(caught(strategy, mass) for mass in brute(strategy, truth).values()) / strategy.size
    assert total <= bound(strategy, truth) + 1e-12
    claimed = max(1 / strategy.shape.kept, bound(strategy))
    ratio = float(strategy.problem.delta) * strategy.shape.blocks * strategy.shape.parts
    if truth >= strategy.p or ratio <= 1 / 2:
        assert total <= claimed + 1e-12
    assert total <= max(1.0, 2 * ratio) / strategy.shape.kept + 1e-12


def test_uneven_parts_of_whole_numbers() -> None:
    """Seven values in two blocks and two parts: sizes 3 and 4, parts of 1 and 2."""
    problem = Problem("1/7", "1/7", 2, values=7, p="0.8")
    strategy = staged_noisy(problem, 7, 2, 2, 2, 3, 2, 2, ("tilted", "posterior"))
    for transcript, mass in brute(strategy).items():
        assert spread(strategy, transcript) == pytest.approx(mass, abs=1e-12, rel=1e-9)


def test_simulated_transcripts_agree_with_enumeration() -> None:
    strategy = SMALL[4]
    exact = sum(caught(strategy, mass) for mass in brute(strategy).values()) / strategy.size
    audit = noisy_audit(strategy, runs=600, seed=1)
    assert audit.low <= exact <= audit.high
    assert audit == noisy_audit(strategy, runs=600, seed=1)


@pytest.mark.long
def test_an_eavesdropper_who_is_helped_does_better_but_stays_within_the_bound() -> None:
    """What she is told must be exactly that: the truth, and only where states are too many."""
    strategy = member(1, 0, 2, 1, 2, 3, 4, p="0.7")
    exact = sum(caught(strategy, mass) for mass in brute(strategy).values()) / strategy.size
    alone = noisy_audit(strategy, runs=300, seed=3)
    assert alone.helped == 0
    assert alone.low == alone.least
    assert alone.low <= exact <= alone.high
    before, played = exact, list(every_run(strategy))
    for states in (2, 0):  # the fewer are followed, the more she is told
        helped = noisy_audit(strategy, runs=300, seed=3, states=states)
        assert helped.helped > 0
        assert helped.least < helped.low
        known = with_help(strategy, states, played)
        assert helped.low <= known <= helped.high
        assert exact - 1e-12 <= known <= bound(strategy) + 1e-12
        before = max(before, known)
    assert before > exact + 1e-6


def with_help(strategy: StagedNoisy, states: int, played: list[Played]) -> float:
    """What she wins with who is helped, exactly: every run, what she is told in it, every cell."""
    heard: dict[object, Float] = {}
    for coins, points, told, state in played:
        (truths,) = truths_of(strategy, state, told[None], states)
        found = joint(strategy, points, truths)
        mass = np.repeat(found.mass, np.diff(found.edges))
        if states:  # the joint is that of what she overheard and was told
            heard[tuple(points), found.mass.tobytes(), found.log] = mass * math.exp(found.log)
        else:  # she was told all answers that matter: add up the runs in which they are the same
            key = tuple(points), truths.coarse.answers.tobytes(), truths.fine.answers.tobytes()
            chance = coins * chance_of(strategy, points, told)
            heard[key] = heard.get(key, np.zeros(strategy.size)) + chance
    return sum(caught(strategy, mass) for mass in heard.values()) / strategy.size


def every_run(strategy: StagedNoisy) -> Iterator[Played]:
    """The chance of the coins, the queries, the answers and the last state of every run."""
    coins, points, told = np.ones(1), np.empty((1, 0), np.int64), np.empty((1, 0), bool)
    state = strategy.start(1)
    for round_ in strategy.rounds:
        while (weights := strategy.coin(state)) is not None:
            index, side = np.nonzero(weights)
            coins = coins[index] * weights[index, side] / weights.sum(axis=1)[index]
            points, told = points[index], told[index]
            state = strategy.toss(take(state, index), side)
        asked = strategy.ask(state)
        patterns = np.array(list(product((False, True), repeat=len(round_.coordinates))))
        index = np.repeat(np.arange(len(points)), len(patterns))
        answers = np.tile(patterns, (len(points), 1))
        coins, points = coins[index], np.concatenate((points[index], asked[index]), axis=1)
        told = np.concatenate((told[index], answers), axis=1)
        state = strategy.tell(take(state, index), answers)
    for row in range(len(points)):
        yield float(coins[row]), points[row], told[row], take(state, np.array([row]))


def chance_of(strategy: StagedNoisy, points: Int, told: NDArray[np.bool_]) -> Float:
    """P(answers | queries, X) for every cell."""
    p, cells = float(strategy.p), np.arange(strategy.size)
    right = ((cells >= points[:, None]) == told[:, None]).sum(axis=0)
    chance: Float = p**right * (1 - p) ** (len(points) - right)
    return chance


def test_a_reading_that_does_not_fit_counts_nothing() -> None:
    """Parts of one cell beside fewer kept ones: the queries can be read in two ways."""
    problem = Problem("1/16", "1/16", 2, values=16, p="0.75")
    rules: tuple[Rule, Rule] = ("posterior", "posterior")
    strategy = staged_noisy(problem, 16, 3, 2, 4, 2, 2, 2, rules)
    assert noisy_audit(strategy, runs=200, seed=0).helped == 0


@pytest.mark.long
def test_long_searches_are_audited_in_a_moment() -> None:
    """Where nothing is followed she is told every answer, and still stays within the bound."""
    strategy = plan(Problem("0.01", "0.1", 5, p="0.55"), method="fixed").strategy
    assert isinstance(strategy, StagedNoisy)
    audit = noisy_audit(strategy, runs=300, seed=0)
    assert audit.helped == 300
    assert audit.low <= 1 / 5
    assert 0.15 < audit.success < 0.21


@pytest.mark.parametrize("states", later([1, 2, 3], {1, 2}))
def test_with_all_that_she_may_be_told_the_chances_add_up(states: int) -> None:
    """Σ over what she is told of P(queries, told | X) = P(queries | X), for every X."""
    search = Pursuit(Fraction(7, 10), "tilted")
    random = np.random.default_rng(2)
    state = search.start(np.array([9]))
    asked, cell = [], 4
    for _ in range(10):
        state = search.toss(state, (random.random(1) >= state.left).astype(np.int64))
        asked.append(int(search.ask(state)[0]))
        state = search.tell(state, (cell >= search.ask(state)) == (random.random(1) < 0.7))
    points = np.array(asked)
    whole = likelihood(search, 9, points, found=None, truth=None)
    place = np.arange(9)
    told = {}
    for answers in product((False, True), repeat=len(points)):
        truth = Truth(np.array(answers), states)
        each = likelihood(search, 9, points, found=None, truth=truth)
        if each.value.any():  # or with these answers the search does not ask these queries
            told[tuple(each.value), each.log] = each
    total = sum(each.at(place) * math.exp(each.log) for each in told.values())
    assert len(told) > 1
    assert total == pytest.approx(whole.at(place) * math.exp(whole.log), rel=1e-9)


def test_parts_that_are_no_neighbours_are_not_what_the_strategy_keeps() -> None:
    """Of six parts three are kept, one after the other around the end; others nobody asks about."""
    strategy = member(1, 0, 6, 1, 3, 1, 4)
    middle = [24 // 6 * part for part in range(1, 6)]
    for kept in combinations(range(6), 3):
        points = np.array([*middle, *(4 * part + 2 for part in kept)])
        gaps = [(after - part) % 6 for part, after in zip(kept, kept[1:] + kept[:1], strict=True)]
        if sorted(gaps) == [1, 1, 4]:
            assert won(strategy, Fraction(1, 6), points) < 1
        else:
            with pytest.raises(RuntimeError, match="does not ask these"):
                joint(strategy, points, None)


def test_processes_find_the_same(two: Processes) -> None:
    strategy = member(1, 0, 2, 1, 2, 5, 6, p="0.7")
    found = noisy_audit(strategy, runs=40, seed=0, executor=two)
    assert found == noisy_audit(strategy, runs=40, seed=0)


def test_a_plan_holds_its_eavesdropper() -> None:
    problem = Problem("0.01", "0.08", 3, p="0.9", confidence="0.9")
    audit = noisy_audit(plan(problem).strategy, runs=300, seed=0)
    assert audit.low <= 1 / 3
    assert audit.success <= 1 / 3 + 0.02


def test_other_strategies_are_refused() -> None:
    problem = Problem("1/48", "1/12", 3)
    with pytest.raises(InvalidValue, match="staged family under noise"):
        noisy_audit(plan(problem).strategy, runs=10, seed=0)
