"""The report: says the same in a terminal, a notebook and JSON."""

import io
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

from feint import Domain, Problem
from feint.audit import Report, audit
from feint.picture import bars
from feint.planning import plan
from feint.simulate.adversaries import Function

DOMAIN = Domain(10, 110, label="price")


@pytest.fixture
def leaking() -> Report:
    problem = DOMAIN.problem(epsilon=1, delta=5, level=4)
    return audit(plan(problem, domain=DOMAIN, method="bisection"))


def test_words_are_in_the_units_of_the_user(leaking: Report) -> None:
    text = str(leaking)
    assert "comes within 2.5 of the number" in text
    assert "round 1: 60\n" in text
    assert "accuracy, full width" in text
    assert "Verdict: leaks" in text
    assert "(for any other number, some question would have been different)" in text
    assert max(map(len, text.splitlines())) <= 79


def test_rich_and_plain_text_agree(leaking: Report) -> None:
    from rich.console import Console

    out = io.StringIO()
    Console(width=100, file=out, highlight=False).print(leaking)
    shown = [line.rstrip() for line in out.getvalue().splitlines()]
    assert shown == [line.rstrip() for line in str(leaking).splitlines()]


@pytest.mark.parametrize("width", [40, 60])
def test_narrow_terminals_get_narrow_lines(leaking: Report, width: int) -> None:
    """Nothing is left to the terminal to break, so indents hold; and no word is lost."""
    from rich.console import Console

    out = io.StringIO()
    Console(width=width, file=out, highlight=False).print(leaking)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    letters = re.compile("[^-?=]*[A-Za-z0-9][^-?=]*")  # a picture has other signs when narrower
    shown, told = (letters.findall(words) for words in (out.getvalue(), str(leaking)))
    assert [word for each in shown for word in each.split()] == [
        word for each in told for word in each.split()
    ]
    assert [line for line in lines if line.startswith("comes")] == []


def test_notebooks_get_html_that_cannot_break_out(leaking: Report) -> None:
    html = leaking._repr_html_()
    assert "<table>" in html
    assert "<strong>Verdict: leaks</strong>" in html
    sly = Function("<script>", lambda heard, random: heard.points[:, 0] + 0.0)
    html = audit(plan(Problem("1/8", "1/4", 2)), adversaries=[sly], runs=100)._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script>" not in html


def test_json_there_and_back(leaking: Report, tmp_path: Path) -> None:
    leaking.save(tmp_path / "report.json")
    document = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert document == leaking.to_dict()
    assert document["exact"] is True
    assert document["adversary_success"] == "1"
    assert document["accuracy"] == "1/100"  # halvings of a hundred ticks
    assert document["private"] is False
    assert document["accurate"] is True
    assert document["covering_number"] == 1
    assert document["transcripts"] == 64
    assert document["queries"] == 7


def test_long_transcripts_are_cut_short() -> None:
    report = audit(plan(Problem("2^-16", "2^-4", 2), method="bisection"))
    assert "  ... 4 rounds more ...\n" in report.counterexample
    wide = audit(plan(Problem("1/40", "1/20", 5, dim=2), method="bisection"))
    assert "hears about coordinates 0 and 1 alike" in wide.counterexample


def test_what_rounding_adds_is_said() -> None:
    """No decimals divide 80 by six: she wins with 4166667/25000000, which is above 1/6."""
    price = Domain(20, 100)
    found = plan(price.problem(epsilon="0.5", delta=10, level=6), domain=price)
    assert found.excused
    assert "one part in a million above 1/6" in " ".join(str(found).split())
    assert (found.to_dict()["private"], found.to_dict()["rounding"]) == (True, "1/1000000")
    report = audit(found)
    assert report.adversary_success is not None
    assert 1 < 6 * report.adversary_success < 1 + Fraction(1, 10**6)
    assert "at most 1/6, and one part in a million more" in report.claim
    assert report.verdict == "private to one part in a million"
    assert "rounding these questions to decimals" in report.notes[0]
    again = audit(found, repeat=2)
    assert again.verdict.startswith("private to one part in a million if she hears")
    assert "one part in a million" in again.claim


def test_and_not_where_nothing_is_rounded() -> None:
    price = Domain(20, 100, tick="0.5")
    found = plan(price.problem(epsilon="0.5", delta=10, level=6), domain=price)
    assert not found.excused
    assert found.to_dict()["rounding"] == "0"
    report = audit(found)
    assert "million" not in str(found) + str(report)
    assert report.verdict == "private"


def test_her_guess_has_a_colour_of_its_own_in_a_notebook(leaking: Report) -> None:
    html, (exhibit,) = leaking._repr_html_(), leaking.exhibits
    ends = [(float(exhibit.window.low), float(exhibit.window.high))]
    assert bars(ends, guess=True) != bars(ends)
    assert bars(ends, guess=True) in html
