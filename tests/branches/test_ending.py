"""The claims of proofs/ending.md: what may be left out, and what it tells if it may not."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples

from feint import Problem
from feint.branches import success
from feint.interfaces import UNASKED, Round
from feint.strategies import Scalar
from feint.testing import check

Answers = tuple[tuple[bool, ...], ...]
Ask = Callable[[Answers, tuple[int, ...]], Sequence[int]]
CELLS = 6


def transcript(ask: Ask, rounds: int, x: int, coins: tuple[int, ...]) -> tuple[int, ...]:
    """Play one run by hand."""
    told: Answers = ()
    heard: tuple[int, ...] = ()
    for number in range(rounds):
        points = tuple(ask(told, coins[: number + 1]))
        heard += points
        told += (tuple(point != UNASKED and x >= point for point in points),)
    return heard


def left_out(ask: Ask, rounds: int) -> Ask:
    """Leave out every column whose answer is the same for all x that fit what was asked so far.

    A round that would ask nothing, though a later one may ask something, is asked in full.
    """
    every = [(x, coins) for x in range(CELLS) for coins in product((0, 1), repeat=3)]
    heard = {run: transcript(ask, rounds, *run) for run in every}

    def fits(past: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        return [run for run in every if heard[run][: len(past)] == past]

    def known(past: tuple[int, ...]) -> list[bool]:
        """Which columns of the round heard last have one answer."""
        return [len({x >= point for x, _ in fits(past)}) == 1 for point in past[-2:]]

    def out(past: tuple[int, ...]) -> list[bool]:
        later = {heard[run][:end] for run in fits(past) for end in range(len(past), 7, 2)}
        return (
            known(past) if not all(known(past)) or all(map(all, map(known, later))) else [False] * 2
        )

    def asks(told: Answers, coins: tuple[int, ...]) -> list[int]:
        full: Answers = ()
        past: tuple[int, ...] = ()
        for number in range(len(told) + 1):
            points = tuple(ask(full, coins[: number + 1]))
            past += points
            if number == len(told):
                break
            some = fits(past)[0][0]
            row = zip(points, out(past), told[number], strict=True)
            full += (tuple(some >= point if gone else yes for point, gone, yes in row),)
        return [UNASKED if gone else point for point, gone in zip(points, out(past), strict=True)]

    return asks


def by_hand(ask: Ask, rounds: int, wide: int) -> Fraction:
    """Find what the best guess of so many neighbours wins with, over every run."""
    found = defaultdict[tuple[int, ...], list[int]](lambda: [0] * CELLS)
    for x in range(CELLS):
        for coins in product((0, 1), repeat=3):
            found[transcript(ask, rounds, x, coins)][x] += 1
    best = (max(sum(each[a : a + wide]) for a in range(CELLS)) for each in found.values())
    return Fraction(sum(best), CELLS * 8)


@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3]))
@examples(60)
def test_what_is_public_may_go(seed: int, wide: int) -> None:
    """Random questions that follow from answers and coins; in the last rounds many are known."""

    def ask(told: Answers, coins: tuple[int, ...]) -> list[int]:
        past = hash((seed, told, coins))
        return [past % (CELLS + 1), past // 7 % (CELLS + 1)]

    rounds = (Round("ask", (0, 0)),) * 3
    problem = Problem(Fraction(1, CELLS), Fraction(wide, CELLS), 2, values=CELLS)
    asks = left_out(ask, 3)
    fewer = Scalar(problem, CELLS, rounds, asks, (2, 2, 2))
    every = success(Scalar(problem, CELLS, rounds, ask, (2, 2, 2)))
    assert every == by_hand(ask, 3, wide)
    check(fewer)
    assert success(fewer) == by_hand(asks, 3, wide) <= every


def parts(offsets: bool) -> Scalar:
    """The example of claim 3: {0, 1, 2} and {3, 4}, done by shared offsets or by the true part."""

    def ask(told: Answers, coins: tuple[int, ...]) -> list[int]:
        if not told:
            return [3]
        if len(told) == 1:
            return [1, 4]
        (right,), answers = told[0], told[1]
        on = answers[right] if offsets else answers[0] and not right
        return [2] if on else [UNASKED]

    rounds = (Round("cut", (0,)), Round("hide", (0, 0)), Round("finish", (0,)))
    return Scalar(Problem("1/5", "2/5", 2, values=5), 5, rounds, ask)


@pytest.mark.parametrize(("offsets", "wins"), [(True, Fraction(3, 5)), (False, Fraction(4, 5))])
def test_what_is_not_public_may_not_go(offsets: bool, wins: Fraction) -> None:
    strategy = parts(offsets)
    check(strategy)
    assert success(strategy) == wins
