"""`audit` and `feint audit` under noise: a report with an interval that holds."""

import json

import pytest

from feint import Domain, Problem
from feint.audit import Prior, audit
from feint.cli.app import run
from feint.errors import InvalidValue
from feint.planning import plan
from feint.strategies.staged_noisy import StagedNoisy

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


def test_whole_values_and_two_numbers() -> None:
    domain = Domain(1, 40, step=1)
    problem = domain.problem(delta=4, level=3, p="0.9", confidence="0.9")
    assert audit(plan(problem, domain=domain), runs=100).private is None
    problem = Problem("1/60", "1/12", 3, p="0.9", confidence="0.9", dim=2)
    assert audit(plan(problem), runs=60).private is None


def test_on_average() -> None:
    report = audit(plan(Problem("1/60", "1/12", 3, p="0.9")), runs=100)
    assert "on average" in report.claim
    assert any("on average" in note for note in report.notes)


def test_what_is_not_audited_under_noise_is_refused() -> None:
    found = plan(SMALL)
    with pytest.raises(InvalidValue, match="prior"):
        audit(found, prior=Prior.named("peak", 8), runs=100)
    with pytest.raises(InvalidValue, match="adversary"):
        audit(found, adversaries=["last"], runs=100)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["audit", "--epsilon", "1/60", "--delta", "1/12", "--level", "3", "--p", "0.9"]
    words += ["--confidence", "0.9", "--runs", "100"]
    assert run([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["private"] is None
    assert document["verdict"] == "no leak found"
    assert run(words) == 0
    assert "simulated transcripts" in capsys.readouterr().out
