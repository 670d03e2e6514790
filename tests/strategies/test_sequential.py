"""Noisy searches that stop when they are sure: lengths, caps, runs in different stages."""

from fractions import Fraction

import numpy as np
import pytest

from feint import Problem
from feint.interfaces import UNASKED, columns
from feint.simulate import play, simulate
from feint.strategies import SequentialNoisy, SequentialShape

ROW = SequentialShape(
    blocks=5,
    narrow_error=Fraction("0.006"),
    narrow_cap=(40, 0),
    parts=5,
    repeats=5,
    kept=5,
    hide_error=Fraction("0.03"),
    hide_cap=(80, 0),
)


def problem(confidence: str | None = "0.95") -> Problem:
    return Problem("0.001", "0.02", 5, p="0.9", confidence=confidence)


@pytest.mark.long
def test_the_mean_length_is_that_of_an_independent_computation() -> None:
    """87 questions (10,000 runs of a program that shares no code with this one).

    A run's standard deviation is below 20, so 3000 runs have a standard error below 0.4.
    """
    found = simulate(SequentialNoisy(problem(), 1000, ROW), runs=3000)
    assert abs(found.tally.queries / found.runs - 87) < 1.6
    assert found.tally.misses / found.runs < 0.05


def test_nothing_hidden_takes_as_many_answers_as_bisection_by_the_posterior() -> None:
    """200 cells, 95 %, p = .9: 15.5 answers on average (the same program)."""
    shape = SequentialShape(hide_error=Fraction("0.05"), hide_cap=(100, 0))
    strategy = SequentialNoisy(Problem("0.005", "0.5", 1, p="0.9", confidence="0.95"), 200, shape)
    found = simulate(strategy, runs=3000)
    assert abs(found.tally.queries / found.runs - 15.5) < 0.4


@pytest.mark.parametrize("at_once", [1, 3])
@pytest.mark.parametrize("confidence", ["0.95", None])
def test_questions_stay_within_what_was_announced(at_once: int, confidence: str | None) -> None:
    shape = SequentialShape(
        blocks=3,
        narrow_cap=(6, 2),
        parts=4,
        repeats=2,
        kept=3,
        hide_error=Fraction("0.1"),
        hide_cap=(7, 3),
        at_once=at_once,
    )
    strategy = SequentialNoisy(problem(confidence), 240, shape)
    targets = np.random.default_rng(1).integers(240, size=(500, 1))
    told = np.empty((500, columns(strategy)), bool)
    played = play(strategy, targets, np.random.default_rng(2), told=told)
    asked, ends = played.transcript.lengths()
    assert asked.max() <= strategy.queries
    assert ends.max() <= shape.rounds == len(strategy.rounds)
    assert len(set(asked.tolist())) > 3
    assert (asked >= 6 + 3).all()  # the cut, and one question in every kept part
    points = played.transcript.points
    assert ((points == UNASKED) | ((points >= 0) & (points <= 240))).all()
    assert not told[points == UNASKED].any()
