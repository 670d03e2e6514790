"""One definition of winning: what is written anywhere is what the auditor measures."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import pytest

from feint import Domain, InvalidValue, plan
from feint.audit import audit
from feint.cli.app import run
from feint.problem import Problem

ROOT = Path(__file__).parent.parent
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "proofs").glob("*.md")),
]
SAYS = re.compile(r"(comes?|came|is|be|wins?|lies|lie) within (\*\*)?(delta|δ)/2")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_that_says_when_she_wins_says_it_of_whole_values_too(page: Path) -> None:
    text = page.read_text("utf-8")
    if not SAYS.search(text):
        return
    assert "neighbouring" in text, page


def test_what_plans_reports_and_help_say_is_what_is_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """30 values, D = 7: a window of 7 values catches at most 1/L; within δ/2 it would be 8."""
    domain = Domain(1, 30, step=1)
    problem = domain.problem(delta=7, level=2)
    words = "names 7 neighbouring values, one of which is the number"
    assert domain.wins(problem) == words
    found = plan(problem, domain=domain)
    report = audit(found)
    assert words in report.claim
    assert report.adversary_success == found.adversary_success
    wider = audit(found.strategy, problem=Problem(problem.epsilon, Fraction(8, 30), 2, values=30))
    assert wider.adversary_success is not None
    assert found.adversary_success is not None
    assert wider.adversary_success > found.adversary_success
    flags = ["--low", "1", "--high", "30", "--step", "1", "--delta", "7", "--level", "2"]
    assert run(["plan", *flags]) == 0
    assert "names 7 neighbouring values" in " ".join(capsys.readouterr().out.split())
    assert run(["audit", *flags]) == 0
    assert "names 7 neighbouring values" in " ".join(capsys.readouterr().out.split())
    assert run(["plan", "--help"]) == 0
    assert "neighbouring values" in " ".join(
        re.sub(r"[│╭╮╰╯─]", " ", capsys.readouterr().out).split()
    )


def test_the_other_reading_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Within δ/2 of X*, D + 1 values: one time in two at most, where D values alone gave .933."""
    domain = Domain(1, 30, step=1)
    within = domain.problem(delta=1, level=2, winning="within")
    assert within == domain.problem(delta=2, level=2)
    report = audit(plan(within, domain=domain))
    assert report.private
    assert "names 2 neighbouring values" in report.claim
    flags = ["--low", "1", "--high", "30", "--step", "1", "--delta", "1", "--level", "2"]
    assert run(["plan", *flags, "--winning", "within"]) == 0
    assert "names 2 neighbouring values" in " ".join(capsys.readouterr().out.split())
    with pytest.raises(InvalidValue, match="names, within"):
        domain.problem(delta=1, level=2, winning=cast(Any, "near"))
    interval = Domain(0, 1)
    assert interval.problem(epsilon="0.01", delta="0.1", level=2, winning="within") == (
        interval.problem(epsilon="0.01", delta="0.1", level=2)
    )
    assert interval.wins(interval.problem(epsilon="0.01", delta="0.1", level=2)) == (
        "comes within 0.05 of the number"
    )
