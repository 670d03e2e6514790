"""Pictures are drawn from the report's own numbers."""

import sys
from pathlib import Path

import pytest

from feint import Problem
from feint.audit import audit
from feint.errors import InvalidValue, MissingExtra
from feint.planning import plan
from feint.plot import draw, figure

PROBLEM = Problem("1/64", "1/12", 3)


def test_bars_and_pieces_are_the_measured_ones(tmp_path: Path) -> None:
    report = audit(plan(PROBLEM))
    bars, left = figure(report).axes
    widths = [patch.get_width() for patch in bars.patches]  # type: ignore[attr-defined]
    assert widths == [pytest.approx(1 / 12), pytest.approx(1 / 3)]
    heights = [patch.get_height() for patch in left.patches[:3]]  # type: ignore[attr-defined]
    assert heights == [pytest.approx(1 / 3)] * 3
    draw(report, tmp_path / "report.png")
    assert (tmp_path / "report.png").read_bytes().startswith(b"\x89PNG")


def test_sampled_reports_have_bars_alone() -> None:
    made = figure(audit(plan(PROBLEM), runs=2000))
    assert len(made.axes) == 1
    assert len(made.axes[0].get_yticklabels()) == 6


def test_deterministic_reports_say_what_the_line_is() -> None:
    made = figure(audit(plan(Problem("1/64", "1/8", 3, setting="deterministic"))))
    texts = [each.get_text() for each in made.axes[0].texts]
    assert "promised in the worst case only: 1/3" in texts


def test_formats_and_the_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    report = audit(plan(PROBLEM))
    with pytest.raises(InvalidValue, match=r"report\.png always works"):
        draw(report, "report.txt")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"feint\[plot\]"):
        figure(report)
