"""Each eavesdropper on transcripts small enough to read."""

import numpy as np
import pytest
from tests.support.uneven import Forked

from feint import InvalidValue, Problem
from feint.interfaces import UNASKED
from feint.planning import plan
from feint.problem import Transcript
from feint.simulate import simulate
from feint.simulate.adversaries import (
    NAMES,
    Function,
    LastQuery,
    LearnedQuery,
    Proportional,
    UniformGuess,
    named,
    standard,
)

RANDOM = np.random.default_rng(0)
# Two coordinates: columns 0, 2, 3 ask about the first, column 1 about the second.
TABLE = np.array([[5, 1, 6, 7], [2, 3, 1, UNASKED]])
TRANSCRIPT = Transcript(TABLE, (0, 1, 0, 0), (0, 0, 1, 2), (8, 4))


def test_the_last_query_of_each_coordinate() -> None:
    assert LastQuery().guess(TRANSCRIPT, RANDOM).tolist() == [[7, 1], [1, 3]]


def test_nothing_heard_is_the_middle() -> None:
    silent = Transcript(np.full((2, 1), UNASKED), (0,), (0,), (8, 4))
    for each in (LastQuery(), Proportional(), Proportional(skip=5)):
        assert each.guess(silent, RANDOM).tolist() == [[4, 2], [4, 2]]


def test_uniform_guesses_fill_the_interval() -> None:
    many = Transcript(np.zeros((20_000, 1), np.int64), (0,), (0,), (8, 4))
    guess = UniformGuess().guess(many, RANDOM)
    assert np.histogram(guess[:, 0], bins=8, range=(0, 8))[0].min() > 2200
    assert guess[:, 1].max() <= 4


@pytest.mark.parametrize(
    "problem",
    [
        Problem("1/64", "1/8", 4),
        Problem("1/64", "1/8", 9, dim=2),
        Problem("1/40", "7/40", 3, values=40),  # 7 of 40 values, neither middle nor boundary
        Problem("1/41", "4/41", 3, values=41),
        Problem("1/64", "1/8", 4, p=0.9, confidence=0.9),
    ],
    ids=str,
)
def test_the_blind_guess_wins_with_delta_to_the_dim(problem: Problem) -> None:
    """Whatever the plan is: nothing is listened to; within five standard errors."""
    found = plan(problem)
    blind = named("blind", problem, found.cells)
    won = simulate(found.strategy, runs=20_000, adversaries=[blind], seed=3).adversaries[0].rate
    chance = float(problem.delta**problem.dim)
    assert float(won) == pytest.approx(chance, abs=5 * (chance * (1 - chance) / 20_000) ** 0.5)


def test_proportional_sampling_draws_every_query_alike() -> None:
    """Three queries about the first coordinate in row 0: a third each; two in row 1: a half."""
    many = Transcript(TABLE.repeat(9000, axis=0), TRANSCRIPT.coordinates, (0, 0, 1, 2), (8, 4))
    guess = Proportional().guess(many, RANDOM)[:, 0]
    drawn = [np.unique(rows, return_counts=True) for rows in (guess[:9000], guess[9000:])]
    assert [values.tolist() for values, _ in drawn] == [[5, 6, 7], [1, 2]]
    assert drawn[0][1].min() > 2700
    assert drawn[1][1].min() > 4200


def test_truncation_leaves_out_the_first() -> None:
    """K = ⌊log 1/(Lδ)⌋ = ⌊log 16/3⌋ = 2, so only the third query about a coordinate counts."""
    truncated = Proportional.truncated(Problem("1/64", "1/16", 3))
    assert truncated.skip == 2
    # γ = √5 in two dimensions, not 3: ⌊log₂ 9/√5⌋ = 2, where ⌊log₂ 9/3⌋ = 1.
    assert Proportional.truncated(Problem("1/64", "1/9", 5, dim=2)).skip == 2
    assert truncated.guess(TRANSCRIPT, RANDOM).tolist() == [[7, 2], [4, 2]]


def test_one_of_ones_own_in_a_few_lines() -> None:
    one = Transcript(np.array([[1, 2, 6]]), (0, 0, 0), (0, 1, 2), (8,))
    median = Function("median", lambda heard, random: np.median(heard.points, axis=1))
    assert median.guess(one, RANDOM).tolist() == [[2]]
    wrong = Function("wrong", lambda heard, random: np.zeros(5))
    with pytest.raises(InvalidValue, match="one estimate per run and coordinate"):
        wrong.guess(one, RANDOM)


def test_all_names_are_known() -> None:
    found = standard(Problem("1/64", "1/16", 3), (64,))
    assert tuple(each.name for each in found) == NAMES  # what a table says is what a flag takes


def test_the_learned_query_is_counted_as_heard_and_by_how_many_there_are() -> None:
    """Short runs are right at their first question, long ones at their last, in another column."""
    points = np.array([[UNASKED, 3, UNASKED], [UNASKED, 5, UNASKED], [1, 4, 7], [2, 4, 6]])
    heard = Transcript(points, (0, 0, 0), (0, 1, 2), (8,))
    fitted = LearnedQuery((0.5,)).fit(heard, np.array([[3.0], [5.0], [7.0], [6.0]]))
    assert fitted.picks == ((-1, 0, -1, 2),)
    other = np.array([[2, UNASKED, UNASKED], [1, 2, 3], [1, UNASKED, 3], [UNASKED] * 3])
    guess = fitted.guess(Transcript(other, (0, 0, 0), (0, 1, 2), (8,)), RANDOM)
    assert guess[:, 0].tolist() == [2, 3, 4, 4]  # of two nothing is known: the middle


def test_every_adversary_hears_runs_of_different_lengths() -> None:
    """None of them beats the exact bound, one guess in four, by more than five standard errors."""
    found = simulate(Forked(), runs=20_000, adversaries=None, seed=1)
    assert {each.name for each in found.adversaries} == set(NAMES)
    assert all(
        each.success <= 0.25 + 5 * (0.25 * 0.75 / 20_000) ** 0.5 for each in found.adversaries
    )
