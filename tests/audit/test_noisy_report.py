"""`audit` and `feint audit` under noise: a report with an interval that holds."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.support.followed import line_of
from tests.support.strategies import staged_noisy

from feint import Domain, Problem
from feint.audit import Prior, audit, noisy_audit
from feint.audit.accuracy import sample_errors
from feint.audit.hearing import ALL, NOTHING, Ear
from feint.audit.histories import _told_all
from feint.audit.sampled import Follower, _tasks
from feint.cli.app import run
from feint.errors import InvalidValue
from feint.planning import plan
from feint.problem import UNIFORM
from feint.strategies import Pursuit, StagedNoisy

PEAK = Prior([1, 3, 3, 1])
SMALL = Problem("1/60", "1/12", 3, p="0.9", confidence="0.9")


def test_a_certified_plan_shows_no_leak() -> None:
    report = audit(plan(SMALL), runs=300, seed=1)
    assert (report.private, report.accurate, report.exact) == (None, None, False)
    assert report.verdict == "no leak found"
    assert report.adversary_success is not None
    assert 1 / 12 <= float(report.adversary_success) <= 0.4
    assert "with probability 0.9" in report.claim


def test_a_search_that_hides_nothing_leaks() -> None:
    """One part: BZ by itself. Its transcript ends where X* is."""
    bare = plan(SMALL, method="bz")
    assert isinstance(bare.strategy, StagedNoisy)
    report = audit(bare, runs=300, seed=1)
    assert report.private is False
    assert report.verdict.startswith("leaks")


@pytest.mark.long
def test_whole_values_and_two_numbers() -> None:
    domain = Domain(1, 40, step=1)
    problem = domain.problem(delta=4, level=3, p="0.9", confidence="0.9")
    assert audit(plan(problem, domain=domain), runs=100).private is None
    problem = Problem("1/60", "1/12", 3, p="0.9", confidence="0.9", dim=2)
    assert audit(plan(problem), runs=60).private is None


@pytest.mark.parametrize("weights", [None, (1, 3, 3, 1)])
def test_whole_values_are_missed_by_whole_values(weights: tuple[int, ...] | None) -> None:
    problem = Problem("1/40", "1/10", 3, p="0.9", confidence="0.9", values=40)
    line = line_of(40, problem.delta, Prior(weights or (1,)))
    missed = 40 * sample_errors(plan(problem).strategy, [line], 50, 1, whole_values=True)
    assert missed == pytest.approx(np.round(missed), abs=1e-9)
    assert np.median(missed) == pytest.approx(0)


def test_too_few_transcripts_do_not_tell() -> None:
    """She wins 1 in 4, and 1 in 5 was promised: ten transcripts are not enough to say so."""
    found, promised = plan(SMALL), Problem("1/60", "1/12", 5, p="0.9", confidence="0.9")
    report = audit(found, problem=promised, runs=10, seed=1)
    assert report.verdict == "cannot be told from these transcripts"


def test_on_average() -> None:
    report = audit(plan(Problem("1/60", "1/12", 3, p="0.9")), runs=100)
    assert "on average" in report.claim
    assert any("on average" in note for note in report.notes)


@pytest.mark.long
def test_it_is_judged_by_the_promise_that_is_asked_about() -> None:
    """A plan that hides a tenth of the range does not hide nearly half of it."""
    found = plan(Problem("0.01", "0.04", 2, p="0.9", confidence="0.9"))
    wider = Problem("0.01", "0.45", 2, p="0.9", confidence="0.9")
    report = audit(found, problem=wider, runs=300)
    assert report.verdict == "leaks"
    assert report.adversary_success is not None
    assert report.adversary_success > Fraction(9, 10)
    finer = Problem("0.0001", "0.04", 2, p="0.9", confidence="0.9")
    assert audit(found, problem=finer, runs=300).accurate is False


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (Problem("1/60", "1/12", 3), "p = None: the strategy is for answers that are right with"),
        (Problem("1/60", "1/12", 3, p="0.6", confidence="0.9"), "p = 0.6: the strategy"),
        (Problem("1/60", "1/12", 3, p="0.9", confidence="0.9", dim=2), "searches 1 coordinate"),
        (Problem("1/50", "1/10", 3, p="0.9", confidence="0.9", values=50), "values are found"),
    ],
)
def test_another_kind_of_problem_is_refused(other: Problem, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        audit(plan(SMALL), problem=other, runs=100)
    if not other.noisy:
        with pytest.raises(InvalidValue, match="answers that are always right"):
            audit(plan(other), problem=SMALL, runs=100)


def test_a_mean_error_that_breaks_the_promise_is_inaccurate() -> None:
    hasty = staged_noisy(Problem("0.01", "0.05", 4, p="0.8"), 400, 4, 1, 5, 1, 5, 1)
    report = audit(hasty, runs=500, domain=Domain(10, 110))
    assert report.accurate is False
    assert report.verdict.endswith("and inaccurate")
    seen = float(report.accuracy) / 2 * 100
    assert f"the error is {seen:.3g} on average" in report.notes  # in the user's units


def test_statements_are_wrong_one_time_in_a_hundred_unless_said_otherwise() -> None:
    strategy = plan(SMALL).strategy
    assert noisy_audit(strategy, runs=40, seed=0) == noisy_audit(
        strategy, runs=40, seed=0, failure=0.01
    )


@pytest.mark.parametrize("failure", [0, 1, 5, -1, math.nan])
def test_a_failure_is_a_probability(failure: float) -> None:
    words = "must be a finite number" if math.isnan(failure) else "strictly between 0 and 1"
    with pytest.raises(InvalidValue, match=words):
        audit(plan(SMALL), runs=100, failure=failure)
    with pytest.raises(InvalidValue, match=words):
        noisy_audit(plan(SMALL).strategy, runs=100, seed=0, failure=failure)


@pytest.mark.parametrize("runs", [1, 2.5, 10**9])
def test_runs_are_a_whole_number_within_limits(runs: int) -> None:
    with pytest.raises(InvalidValue, match="whole number from 2 to 10\\^7"):
        audit(plan(SMALL), runs=runs)


def test_batches_are_audited_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is that of a batch, and batches do not repeat each other."""
    alone = audit(plan(SMALL), runs=64)
    monkeypatch.setattr("feint.audit.sampled.PLAYED", 1)
    report = audit(plan(SMALL), runs=64)
    assert report.verdict == "no leak found"
    assert report.adversary_success != alone.adversary_success
    strategy = plan(SMALL, method="fixed").strategy
    assert isinstance(strategy, StagedNoisy)
    (ear,) = Ear.of(ALL, NOTHING, strategy)
    follower = Follower(strategy=strategy, line=line_of(strategy.size, SMALL.delta), ear=ear)
    first, second, *_ = _tasks(follower, 1, 48, np.random.default_rng(0), 0)
    assert [run[0].points.tolist() for run in first] != [run[0].points.tolist() for run in second]


def test_what_is_not_audited_under_noise_is_refused() -> None:
    found = plan(SMALL)
    with pytest.raises(InvalidValue, match="adversaries"):
        audit(found, adversaries=["last"], runs=100)


def test_a_noisy_plan_is_audited_under_any_prior() -> None:
    """Where nearly all of the mass is one window's, she nearly always wins."""
    sure = audit(plan(SMALL), prior=Prior([0] * 7 + [1000] + [1] * 8), runs=60)
    assert sure.adversary_success is not None
    assert sure.adversary_success > Fraction(9, 10)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["audit", "--epsilon", "1/60", "--delta", "1/12", "--level", "3", "--p", "0.9"]
    words += ["--confidence", "0.9", "--runs", "100"]
    assert run([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["private"] is None
    assert document["verdict"] == "no leak found"
    assert run(words) == 0
    assert "simulated transcripts" in capsys.readouterr().out


def test_who_is_helped_is_counted_in_several_searches_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no states followed every run needs help, and the lower limit is nothing."""
    monkeypatch.setattr("feint.audit.sampled.states_followed", lambda _: 1)
    subject = plan(Problem("1/30", "1/6", 2, p="0.9", confidence="0.9"))
    found = audit(subject, repeat=2, fresh_keys=True, runs=6)
    assert any(
        each.startswith("in 6 transcripts too many histories fitted") for each in found.notes
    )
    assert found.limits[-1][0] == 0


def test_who_hears_every_answer_weighs_those_within_the_range() -> None:
    """Answers at the ends are no news: 0 is always reached, and the last end never."""
    points, answers = np.array([0, 3, 8, 5, 3, 0, 8]), np.array([1, 1, 0, 0, 1, 1, 0], bool)
    found = _told_all(Pursuit(Fraction(9, 10), "posterior"), 8, points, answers)
    inner = [(at, told) for at, told in zip(points, answers, strict=True) if 0 < at < 8]
    odds = [math.prod(0.9 if (x >= at) == told else 0.1 for at, told in inner) for x in range(8)]
    value = found.at(np.arange(8))
    assert value / value.sum() == pytest.approx(np.array(odds) / sum(odds))
    assert found.at(np.array([-1, 8])).tolist() == [value[0], value[7]]  # past the ends, as there


def test_of_two_numbers_one_may_be_believed_to_be_somewhere() -> None:
    """Errors are shares of the range, whichever number has the larger one."""
    problem = Problem("1/20", "1/5", 4, p="0.9", confidence="0.9", dim=2)
    strategy = plan(problem).strategy
    lines = [line_of(strategy.cells[0], problem.delta, law) for law in (PEAK, UNIFORM)]
    found = sample_errors(strategy, lines, 60, 1, whole_values=False)
    assert 0 < np.median(found) <= 1 / 40
    assert found.max() <= 1
