"""Checks that fail at two rates: the promise holds by brute force, and why each rule is needed.

`tests/support/two_rates.py` shares no code with feint, and says what the proof says of any search.
The last tests play feint's own strategy, every coin and every answer, in exact fractions.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.support.two_rates import Member, Rule

from feint import Problem
from feint.beliefs import steps_of
from feint.branches import noisy_branches
from feint.interfaces import UNASKED
from feint.planning.noisy.claims import Division
from feint.problem import Rates, decision
from feint.strategies import SequentialNoisy, SequentialShape
from feint.strategies.rates import TwoRates


def member(rule: Rule = "coin", **other: Any) -> Member:
    """A one-sided member with parts of twice the window, where 1/L' is promised."""
    stated: dict[str, Any] = {"good": Fraction(0), "bad": Fraction(1, 2)}
    fixed: dict[str, Any] = {"parts": 2, "cells": 4, "repeats": 1, "longest": 7}
    wanted = stated | fixed | {"error": Fraction(1, 100)} | other
    truth = {"true_good": wanted["good"], "true_bad": wanted["bad"]}
    return Member(rule=rule, **(truth | wanted))


def times_parts(found: Member) -> float:
    """What she wins with, times L'; a window is half of a part."""
    return float(found.success(found.cells // 2) * found.parts)


@pytest.mark.parametrize(
    ("rule", "times"), [("coin", 0.9818), ("plain", 1.0762), ("early", 1.0762)]
)
def test_the_coin_keeps_the_promise_and_without_it_it_breaks(rule: Rule, times: float) -> None:
    """Two parts of four cells, each boundary checked once: 1.0762 for 1 without the coin."""
    assert times_parts(member(rule)) == pytest.approx(times, abs=1e-4)


def test_a_cut_that_stops_at_the_first_failure_breaks_it_badly() -> None:
    """How often a boundary was checked tells its verdict: 2.03/L' in four parts, 2.78 in six."""
    few = {"cells": 2, "bad": Fraction(3, 10), "repeats": 3, "error": Fraction(1, 10)}
    found = member("early", parts=4, longest=4, **few)
    assert times_parts(found) == pytest.approx(2.0288, abs=1e-4)
    assert times_parts(member("coin", parts=4, longest=4, **few)) <= 1


@pytest.mark.long
def test_more_parts_leak_more_where_a_cut_stops_early() -> None:
    few = {"cells": 2, "bad": Fraction(3, 10), "repeats": 3, "error": Fraction(1, 10)}
    found = member("early", parts=6, longest=4, **few)
    assert times_parts(found) == pytest.approx(2.7793, abs=1e-4)


@pytest.mark.long
@pytest.mark.parametrize(("parts", "times"), [(2, 1.0762), (3, 1.1011), (4, 1.1135)])
def test_without_the_coin_more_parts_leak_more(parts: int, times: float) -> None:
    """1.08, 1.10 and 1.11/L' for two, three and four parts; with the coin at most 1."""
    assert times_parts(member("plain", parts=parts)) == pytest.approx(times, abs=1e-4)
    assert times_parts(member("coin", parts=parts)) <= 1


def drawn(number: int) -> Member:
    """A small member, at its own rates."""
    random = Random(number)
    good = random.choice([Fraction(0), Fraction(1, 20), Fraction(1, 5), Fraction(1, 3)])
    bad = random.choice(
        [each for each in (Fraction(3, 10), Fraction(1, 2), Fraction(9, 10)) if each > good]
    )
    cells = random.choice([2, 4])
    return member(
        good=good,
        bad=bad,
        parts=random.randint(2, 4),
        cells=cells,
        repeats=random.randint(1, 3),
        error=random.choice([Fraction(1, 100), Fraction(1, 10), Fraction(1, 3)]),
        longest=random.randint(1, 4),
    )


def promised(found: Member, width: int) -> Fraction:
    """[1 + (2δ/w − 1)Ā]/L', with Ā by what an end part loses."""
    lost = sum((chance for _, part, chance in found.cuts(0) if part), Fraction(0))
    ratio = Fraction(2 * width, found.cells)
    return max(Fraction(1), 1 + (ratio - 1) * lost) / found.parts


@pytest.mark.parametrize("first", [0, pytest.param(40, marks=pytest.mark.long)])
def test_small_members_keep_the_bound(first: int) -> None:
    """At known rates of any kind, for windows from one cell to a whole part."""
    for number in range(first, first + (4 if first == 0 else 200)):
        found = drawn(number)
        for width in range(1, found.cells + 1):
            assert found.success(width) <= promised(found, width), number


@pytest.mark.long
def test_better_rates_than_stated_keep_the_bound_of_a_minimum() -> None:
    """[1 + 2(δ/w)Ā]/L' at all rates in the range; that of known rates is broken at some."""
    broken = 0
    for number in range(30):
        random, found = Random(number), drawn(number)
        better = {
            "true_good": found.good * Fraction(random.randint(0, 2), 2),
            "true_bad": 1 - (1 - found.bad) * Fraction(random.randint(0, 2), 2),
        }
        true = Member(**{**vars(found), **better})
        lost = sum((chance for _, part, chance in found.cuts(0) if part), Fraction(0))
        width = max(1, found.cells // 2)
        bound = (1 + Fraction(2 * width, found.cells) * lost) / found.parts
        success = true.success(width)
        assert success <= bound
        broken += success > promised(found, width)
    assert broken


def test_who_stops_sure_is_wrong_no_more_often_than_said() -> None:
    """At the stated rates; where good commits never fail, at every higher rate of bad ones too."""
    for number in range(12):
        random, found = Random(number), drawn(number)
        search = Member(**{**vars(found), "longest": 7, "cells": random.randint(2, 4)})
        assert search.wrong() <= search.error
        if found.good == 0:
            higher = 1 - (1 - found.bad) * Fraction(random.randint(0, 4), 4)
            assert Member(**{**vars(search), "true_bad": higher}).wrong() <= search.error


def test_a_margin_covers_all_rates_that_are_better_than_stated() -> None:
    """With odds of e/(N − 1) instead of e: Ville, for every place by itself."""
    for number in range(25):
        random, found = Random(number), drawn(number)
        cells, error = random.randint(2, 4), found.error
        strict = error / (cells - 1 + error)
        search = Member(**{**vars(found), "longest": 7, "cells": cells, "error": strict})
        better = {
            "true_good": found.good * Fraction(random.randint(0, 4), 4),
            "true_bad": 1 - (1 - found.bad) * Fraction(random.randint(0, 4), 4),
        }
        assert Member(**{**vars(search), **better}).wrong() <= error


@pytest.mark.parametrize("number", range(12))
def test_the_coin_of_feint_is_that_of_brute_force(number: int) -> None:
    found = drawn(number)
    rule = decision(Rates.of(found.good, found.bad), found.repeats)
    assert (rule.threshold, rule.coin) == found.coin() or found.coin()[1] in (0, 1)
    assert {1 - chance for _, verdict, chance in found.verdicts(found.good) if verdict} == {
        rule.error
    }
    assert {chance for _, verdict, chance in found.verdicts(found.bad) if verdict} == {rule.error}


class Run(NamedTuple):
    """One way that a search of feint goes: what it asked, and how likely that is for each cell."""

    asked: tuple[tuple[int, ...], ...]
    chances: tuple[Fraction, ...]


def every_run(strategy: SequentialNoisy, good: Fraction, bad: Fraction) -> Iterator[Run]:
    """Play every coin and every answer, at true rates."""
    size = strategy.size
    waiting: list[tuple[Any, Run]] = [(strategy.start(1), Run((), (Fraction(1),) * size))]
    while waiting:
        state, run = waiting.pop()
        if len(run.asked) == len(strategy.rounds):
            yield run
            continue
        weights = strategy.coin(state)
        if weights is not None:
            whole = [Fraction(float(each)) for each in weights[0]]
            for side, weight in enumerate(whole):
                if weight:
                    more = tuple(each * weight / sum(whole) for each in run.chances)
                    waiting.append((strategy.toss(state, np.array([side])), Run(run.asked, more)))
            continue
        row = strategy.ask(state)[0]
        points = tuple(int(each) for each in row if each != UNASKED)
        if not points:
            yield run
            continue
        for answers in product((False, True), repeat=len(points)):
            told, chances = np.zeros((1, len(row)), bool), list(run.chances)
            told[0, np.flatnonzero(row != UNASKED)] = answers
            for cell in range(size):
                for point, passed in zip(points, answers, strict=True):
                    rate = good if cell >= point else bad
                    chances[cell] *= 1 - rate if passed else rate
            if any(chances):
                after = Run((*run.asked, points), tuple(chances))
                waiting.append((strategy.tell(state, told), after))


OWN = [
    ("0", "1/2", 2, 2, 4, (2, 0), 1),
    ("0", "1/2", 2, 2, 4, (2, 0), 2),
    ("1/20", "3/5", 2, 1, 4, (3, 0), 2),
    ("1/5", "1/2", 3, 1, 2, (1, 0), 1),
]


@pytest.mark.parametrize(
    ("good", "bad", "parts", "repeats", "cells", "cap", "width"),
    [OWN[0], *(pytest.param(*each, marks=pytest.mark.long) for each in OWN[1:])],
)
def test_the_strategy_keeps_its_claim(
    good: str, bad: str, parts: int, repeats: int, cells: int, cap: tuple[int, int], width: int
) -> None:
    """Every coin and answer of feint's own strategy, at the stated rates and at better ones."""
    size = parts * cells
    for stated in (Rates.of(good, bad), Rates.of(f"{good}-", f"{bad}+")):
        delta = Fraction(width, size)
        problem = Problem(delta / 4, delta, 1, p=stated, confidence="0.6")
        shape = SequentialShape(
            parts=parts, repeats=repeats, kept=parts, hide_error=Fraction(1, 10), hide_cap=cap
        )
        claim = Division(problem, 1, parts, cells, stops=True).success(repeats, parts)
        truths = [stated.worst]
        if not stated.is_known:
            truths += [(Fraction(0), Fraction(1)), (Fraction(0), stated.worst[1])]
        for truth in truths:
            heard: dict[Any, list[Fraction]] = {}
            for run in every_run(SequentialNoisy(problem, size, shape), *truth):
                row = heard.setdefault(run.asked, [Fraction(0)] * size)
                for cell, chance in enumerate(run.chances):
                    row[cell] += chance
            assert sum(sum(row) for row in heard.values()) == size
            windows = range(size - width + 1)
            caught = (max(sum(row[at : at + width]) for at in windows) for row in heard.values())
            assert sum(caught, Fraction(0)) / size <= claim


def walked(cap: int) -> float:
    """What she wins with against feint's own strategy, times L', by feint's walk of its branches.

    The member is that of `member`; there the boundary that tells the most is that nearest to the
    median, at which brute force asks.
    """
    rates = Rates.of(0, "1/2")
    problem = Problem("1/16", "1/4", 1, p=rates, confidence="0.6")
    shape = SequentialShape(
        parts=2, repeats=1, kept=2, hide_error=Fraction(1, 100), hide_cap=(cap, 0)
    )
    assert Division(problem, 1, 2, 4, stops=True).success(1, 2) == Fraction(1, 2)
    below = np.pad(noisy_branches(SequentialNoisy(problem, 8, shape)).chance, ((0, 0), (1, 0)))
    below = below.cumsum(axis=1)
    return float((below[:, 2:] - below[:, :-2]).max(axis=1).sum() / 4)


def test_the_strategy_is_as_private_as_brute_force_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the last digit; and it breaks its claim by as much if the coin is left out."""
    assert walked(7) == pytest.approx(times_parts(member("coin")), abs=1e-9)

    def without(self: TwoRates, passed: Any, flips: Any) -> Any:
        return passed == self.shape.repeats

    monkeypatch.setattr(TwoRates, "verdicts", without)
    assert walked(7) == pytest.approx(times_parts(member("plain")), abs=1e-9)
    assert walked(7) > 1.07


@pytest.mark.parametrize("rates", [("0.05", "0.6"), ("0.1", "0.9"), ("0.33", "0.34"), ("0.2", "1")])
def test_steps_are_log_likelihoods(rates: tuple[str, str]) -> None:
    """In one unit, rounded by no more than is said; equal ones where checks err alike."""
    from math import inf, log

    stated = Rates.of(*rates)
    good, bad = (float(each) for each in stated.worst)
    steps = steps_of(stated)
    wanted = inf if bad == 1 else log((1 - good) / (1 - bad)) / log(bad / good)
    if wanted == inf:
        assert steps.yes >= 1000 * steps.no
    else:
        assert steps.yes / steps.no == pytest.approx(wanted, rel=1.01 * steps.blur + 1e-12)
        assert steps.blur <= 1e-3
