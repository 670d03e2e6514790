"""Noisy audits at the ends of what they say: what counts as a miss, as a leak, as followed."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta
from tests.support.followed import best, line_of, weighed
from tests.support.strategies import noisy_shape, staged_noisy

from feint import Domain, Problem
from feint.audit import audit, noisy_audit
from feint.audit.accuracy import noisy_accuracy, sample_errors
from feint.audit.case import Case
from feint.audit.histories import Likelihood, likelihood
from feint.audit.posterior import states_followed, truths_of
from feint.audit.words import NOTHING_HIDDEN, sampled_privacy, verdict
from feint.problem import Line, Prior
from feint.simulate import play
from feint.strategies import NoisyShape, Product, Pursuit, StagedNoisy, StagedNoisyState

SURE = Problem("1/4", "1/2", 1, p="0.8", confidence="3/4")
MEAN = Problem("1/4", "1/2", 1, p="0.8")
RANGE = Domain(0, 40)
SMALL = Problem("1/24", "1/6", 2, p="0.8", confidence="0.9")
SHAPE = (1, 0, 3, 2, 2, 3)


def long(narrow: int, hide: int) -> StagedNoisy:
    return StagedNoisy(SMALL, 24, noisy_shape(2, narrow, 3, 2, 2, hide))


@pytest.mark.parametrize(
    ("narrow", "hide", "states"),
    [
        (1, 1024, 256),
        (1024, 1, 256),
        (1, 1025, 0),
        (1025, 1, 0),
        (3, 512, 512),
        (100, 7, 2621),
        (0, 1, 1 << 18),
        (0, 0, 1 << 18),
    ],
)
def test_as_many_states_are_followed_as_is_said(narrow: int, hide: int, states: int) -> None:
    """2^18 over the queries of the longest search, and none beyond 2^10 queries."""
    assert states_followed(long(narrow, hide)) == states


@pytest.mark.parametrize(
    ("leaks", "ratio", "accurate", "said"),
    [
        (False, 1.0, None, "no leak found"),
        (False, 1.049, None, "no leak found"),
        (False, 1.06, None, "cannot be told from these transcripts"),
        (True, 1.06, None, "leaks"),
        (True, 1.0, None, "leaks"),
        (True, 1.2, False, "leaks, and inaccurate"),
        (False, 0.5, False, "no leak found, and inaccurate"),
        (False, 1.2, False, "cannot be told from these transcripts, and inaccurate"),
    ],
)
def test_the_verdict(leaks: bool, ratio: float, accurate: bool | None, said: str) -> None:
    one = staged_noisy(SMALL, 24, *SHAPE)
    case = Case(strategy=one, problem=SMALL, domain=RANGE, prior=(Prior([1]),), theorem="")
    private = False if leaks else None
    assert verdict(case, sampled_privacy(leaks, ratio), private, accurate) == said


def test_an_error_of_just_half_of_epsilon_is_no_miss() -> None:
    """ε/2 is 1/8: 40 runs err by that, two by a hair more, and a fourth of them may."""
    error = np.array([0.125] * 40 + [math.nextafter(0.125, 1)] * 2)
    width, accurate, words = noisy_accuracy(error, SURE, RANGE, 0.01)[:3]
    assert words == "2 of 42 runs missed by more than epsilon/2; 0.25 may"
    assert width == Fraction(1, 4)
    assert accurate is None


@pytest.mark.parametrize("misses", range(20, 45))
def test_inaccurate_is_what_misses_too_often_beyond_doubt(misses: int) -> None:
    """By the lower limit of Clopper and Pearson at half the failure, against 1 − confidence."""
    error = np.array([0.5] * misses + [0.01] * (100 - misses))
    least = float(beta.ppf(0.05 / 2, misses, 101 - misses))
    assert noisy_accuracy(error, SURE, RANGE, 0.05)[1] is (False if least > 0.25 else None)


def test_the_width_is_that_of_the_errors_that_the_promise_is_about() -> None:
    """Of 101 errors 0, 1/500, …, 1/5 three fourths are 3/20 or less."""
    error = np.arange(101) / 500
    assert noisy_accuracy(error, SURE, RANGE, 0.01)[0] == Fraction(3, 10)
    width, accurate, words, _ = noisy_accuracy(error, MEAN, RANGE, 0.01)
    assert width == Fraction(1, 5)
    assert words == "the error is 4 on average"
    assert accurate is None


@pytest.mark.parametrize(("error", "accurate"), [(0.13, None), (0.124, None), (0.2, False)])
def test_a_mean_error_is_too_large_beyond_doubt(error: float, accurate: bool | None) -> None:
    """All alike, so that 7 ln(4/f)/3(n−1) is all the doubt there is: 0.0210 with 1,000 runs."""
    doubt = 7 * math.log(4 / 0.0005) / (3 * 999)
    assert 0.13 - doubt < 0.125 < 0.2 - doubt
    assert noisy_accuracy(np.full(1000, error), MEAN, RANGE, 0.0005).kept is accurate


def test_where_nothing_may_be_nobody_wins() -> None:
    """Queries that only the upper half asks, and an X* in the lower one."""
    law, edges = Prior([1, 0]), np.array([0, 2, 4])
    assert best(4, law, edges, np.array([0.0, 1.0]), Fraction(1, 4)) == 0
    assert best(4, law, edges, np.array([1.0, 0.0]), Fraction(1, 4)) == pytest.approx(0.5)
    assert best(4, law, edges, np.array([1.0, 0.5]), Fraction(1, 2)) == 1


def test_bins_that_cells_do_not_divide() -> None:
    """Cells of 1/4 and bins of 1/3, of which the last is three times as likely.

    The posterior in twelfths is 2 2 2 2 | 1 1 1 1 | 3 3 3 3 by bins, the second half at half that:
    2 2 2 2 1 1 ½ ½ 1½ 1½ 1½ 1½, 17 in all; the best window of four has 8 of them.
    """
    law, edges, mass = Prior([2, 1, 3]), np.array([0, 2, 4]), np.array([1.0, 0.5])
    assert best(4, law, edges, mass, Fraction(1, 3)) == pytest.approx(8 / 17, rel=1e-12)
    assert best(4, law, edges, mass, Fraction(1, 12)) == pytest.approx(2 / 17, rel=1e-12)


def test_what_is_believed_of_coordinates_that_differ() -> None:
    """A prior, uneven cells, both or neither: each coordinate has its own line."""
    one = staged_noisy(SMALL, 24, *SHAPE)
    flat, peak = Prior([1, 1]), Prior([1, 3])
    equal = Line(Fraction(0), Fraction(40), 24)
    marks = tuple(range(1, 24))  # in ticks of one, so that the last cell is 17 ticks wide
    uneven = Line(Fraction(0), Fraction(40), 24, tick=Fraction(1), marks=marks)
    laws, scales = (flat, peak, flat, peak), (equal, equal, uneven, uneven)
    four = Problem("1/24", "1/6", 2, p="0.8", confidence="0.9", dim=4)
    case = Case(
        strategy=Product(four, (one,) * 4),
        problem=four,
        domain=RANGE,
        prior=laws,
        theorem="",
        scales=scales,
    )
    lines = [each.line for each in case.parts()]
    assert [line.prior for line in lines] == [*laws]
    assert [line.line.even for line in lines] == [True, True, False, False]
    assert [line.marks for line in lines[:2]] == [24, 24]
    assert all(each.line.line.even for each in replace(case, scales=None).parts())
    line = line_of(24, SMALL.delta, flat, uneven)
    ends, density = weighed(line, np.array([0, 23, 24]), np.array([1.0, 0.5]))
    assert ends[np.flatnonzero(density == 0.5)[0]] == 23 / 40 * ends[-1]


def test_a_likelihood_at_and_between_the_queries() -> None:
    """A query at 3 asks whether X* is in cell 3 or beyond: cell 3 is above it, cell 2 below."""
    held = Likelihood(np.array([3, 5]), np.array([0.1, 0.2, 0.3]), 0.0, False)
    assert held.at(np.array([-1, 2, 3, 4, 5, 9])).tolist() == [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]


def test_a_search_that_asks_nothing_tells_nothing() -> None:
    """It finds the first cell of all, whatever X* is."""
    search, none = Pursuit(Fraction(4, 5), "tilted"), np.empty(0, np.int64)
    for found in (None, 0):
        held = likelihood(search, 5, none, found=found, truth=None)
        assert (held.value.tolist(), held.log, held.helped) == ([1.0], 0.0, False)
    assert likelihood(search, 5, none, found=1, truth=None).value.tolist() == [0.0]


@pytest.mark.parametrize("shape", [(1, 0, 3, 2, 2, 3), (2, 3, 2, 1, 2, 2), (2, 2, 3, 1, 3, 0)])
def test_what_happened_is_what_each_search_was_told(shape: tuple[int, ...]) -> None:
    """The first answers, and of the last ones those in the part that is searched."""
    strategy = staged_noisy(SMALL, 24, *shape)
    random, narrow, kept, hide = np.random.default_rng(3), shape[1], shape[4], shape[5]
    queries = sum(len(each.coordinates) for each in strategy.rounds)
    told = np.empty((20, queries), bool)
    state: StagedNoisyState = play(
        strategy, random.integers(24, size=(20, 1)), random, told=told
    ).state
    column = [0] * 20 if state.window is None else state.window[1].tolist()
    for row, truths in enumerate(truths_of(strategy, state, told, 7)):
        assert (truths.coarse.most, truths.fine.most) == (7, 7)
        assert truths.coarse.answers.tolist() == told[row, :narrow].tolist()
        first = narrow + (shape[2] - 1) * shape[3]
        mine = told[row].tolist()[first + column[row] :: kept]
        assert truths.fine.answers.tolist() == mine[:hide]


def test_a_window_of_its_own_width() -> None:
    """By default she wins within the strategy's own δ; a wider one she hits more often."""
    strategy = staged_noisy(SMALL, 24, *SHAPE)
    plain = noisy_audit(strategy, runs=20, seed=2)
    assert plain == noisy_audit(strategy, runs=20, seed=2, delta=Fraction(1, 6))
    assert plain.success < noisy_audit(strategy, runs=20, seed=2, delta=Fraction(1, 4)).success
    assert noisy_audit(strategy, runs=20, seed=2, delta=Fraction(1)).success == 1


@pytest.mark.parametrize("runs", [2, 16, 17, 33])
def test_transcripts_are_counted_as_they_are_done(runs: int) -> None:
    told: list[tuple[str, int, int]] = []
    strategy = staged_noisy(SMALL, 24, *SHAPE)
    found = noisy_audit(strategy, runs=runs, seed=2, progress=lambda *each: told.append(each))
    assert found.runs == runs
    assert 0 <= found.least <= found.low <= found.success <= found.high <= 1
    done = [count for _, count, _ in told]
    assert done == sorted(set(done))
    assert told[-1] == ("transcripts", runs, runs)


def test_a_level_of_one_hides_nothing_and_says_so() -> None:
    open_ = staged_noisy(MEAN, 24, 1, 0, 1, 0, 1, 4)
    assert NOTHING_HIDDEN in audit(open_, runs=10).notes
    hidden = audit(staged_noisy(SMALL, 24, *SHAPE), runs=10)
    assert NOTHING_HIDDEN not in hidden.notes


@pytest.mark.parametrize("values", [None, 24])
def test_errors_are_shares_of_the_range(values: int | None) -> None:
    """A search that asks nothing says the middle: X* is a fourth of the range away on average."""
    problem = Problem("1/24", "1/6", 2, p="0.8", values=values)
    strategy = StagedNoisy(problem, 24, NoisyShape(hide=0))
    lines, whole = [line_of(24, problem.delta)], values is not None
    found = sample_errors(strategy, lines, 400, 5, whole_values=whole)
    assert len(found) == 400
    assert found.max() <= 1 / 2 + 1 / 48
    assert found.mean() == pytest.approx(1 / 4, abs=0.03)
    again = sample_errors(strategy, lines, 400, 5, whole_values=whole)
    assert (again == found).all()
    assert (sample_errors(strategy, lines, 400, 6, whole_values=whole) != found).any()
