"""Noisy searches that stop when they are sure: lengths, caps, runs in different stages."""

from fractions import Fraction

import numpy as np
import pytest
from tests.support.checks import obeys

from feint import Problem
from feint.errors import InvalidValue
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
@pytest.mark.parametrize("narrow_cap", [(0, 3), (6, 2), (9, 0)])
@pytest.mark.parametrize("kept", [3, 4])
def test_it_obeys_every_law(
    at_once: int, confidence: str | None, narrow_cap: tuple[int, int], kept: int
) -> None:
    shape = SequentialShape(
        blocks=3,
        narrow_cap=narrow_cap,
        parts=4,
        repeats=2,
        kept=kept,
        hide_error=Fraction("0.1"),
        hide_cap=(7, 3),
        at_once=at_once,
    )
    obeys(SequentialNoisy(problem(confidence), 240, shape))
    obeys(SequentialNoisy(whole(confidence), 50, shape))


@pytest.mark.parametrize(
    "shape",
    [
        SequentialShape(hide_cap=(12, 4)),
        SequentialShape(hide_cap=(0, 5)),
        SequentialShape(hide_cap=(0, 0)),
        SequentialShape(blocks=4, narrow_cap=(9, 3), hide_cap=(12, 4), at_once=2),
        SequentialShape(parts=3, repeats=1, kept=1, hide_cap=(12, 4)),
        SequentialShape(blocks=4, narrow_cap=(0, 0), parts=3, repeats=1, kept=2, hide_cap=(5, 0)),
        SequentialShape(blocks=8, narrow_cap=(90, 5), parts=3, repeats=9, kept=2, hide_cap=(5, 0)),
    ],
)
def test_so_do_members_that_lack_a_stage(shape: SequentialShape) -> None:
    obeys(SequentialNoisy(problem(), 240, shape))


def whole(confidence: str | None) -> Problem:
    return Problem("1/50", "2/50", 5, values=50, p="0.9", confidence=confidence)


def test_runs_of_one_batch_are_in_different_stages() -> None:
    strategy = SequentialNoisy(problem(), 1000, ROW)
    targets = np.random.default_rng(1).integers(1000, size=(500, 1))
    told = np.empty((500, columns(strategy)), bool)
    played = play(strategy, targets, np.random.default_rng(2), told=told)
    asked, ends = played.transcript.lengths()
    assert asked.max() <= strategy.queries
    assert ends.max() <= ROW.rounds == len(strategy.rounds)
    assert len(set(asked.tolist())) > 20
    assert not told[played.transcript.points == UNASKED].any()


def test_a_cut_that_asks_nothing_is_refused() -> None:
    with pytest.raises(InvalidValue, match="a cut must ask about every boundary"):
        SequentialNoisy(problem(), 240, SequentialShape(parts=3, kept=2))
