"""Pictures are drawn from the report's own numbers."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Annotation

from feint import Domain, Problem
from feint.audit import Prior, audit
from feint.errors import InvalidValue, MissingExtra, WrongType
from feint.planning import Plan, plan
from feint.research.plot import check, draw, figure, look
from feint.research.sweep import grid, sweep
from feint.simulate import simulate
from feint.simulate.adversaries import NAMES
from feint.strategies import blocks, staged, tailed

PROBLEM = Problem("1/64", "1/12", 3)


def rectangle(patch: Patch) -> Rectangle:
    assert isinstance(patch, Rectangle)
    return patch


def test_bars_and_pieces_are_the_measured_ones(tmp_path: Path) -> None:
    report = audit(plan(PROBLEM))
    bars, left = figure(report).axes
    widths = [rectangle(each).get_width() for each in bars.patches]
    assert widths == [pytest.approx(1 / 12), pytest.approx(1 / 3)]
    heights = [rectangle(each).get_height() for each in left.patches[:3]]
    sizes = [float(piece.high - piece.low) for piece in report.exhibits[0].pieces]
    assert heights == [pytest.approx(1 / 3 / size) for size in sizes]
    assert [label.get_text() for label in bars.get_yticklabels()][-1] == "best eavesdropper"
    draw(report, tmp_path / "report.png")
    assert (tmp_path / "report.png").read_bytes().startswith(b"\x89PNG")


def test_sampled_reports_have_bars_alone() -> None:
    made = figure(audit(plan(PROBLEM), runs=2000))
    assert len(made.axes) == 1
    assert len(made.axes[0].get_yticklabels()) == 1 + len(NAMES)


def test_deterministic_reports_say_what_the_line_is() -> None:
    made = figure(audit(plan(Problem("1/64", "1/8", 3, setting="deterministic"))))
    texts = [each.get_text() for each in made.axes[0].texts]
    assert "dashed: promised in the worst case only, 1/3" in texts
    assert "best on average" in [each.get_text() for each in made.axes[0].get_yticklabels()]


def test_a_picture_says_for_which_numbers_it_holds_and_how_often_each_wins() -> None:
    report = audit(plan(PROBLEM), runs=2000)
    made = figure(report)
    (axes,) = made.axes
    assert axes.get_title("left") == "ε = 0.015625, δ = 1/12, L = 3, bayesian, 13 questions"
    assert made.get_suptitle() == "Verdict: no leak found"
    assert axes.get_xlabel() == "probability that she comes within 1/24 of the number"
    # Right of the bars, never over them: where the axes end.
    beside = [each for each in axes.texts if isinstance(each, Annotation) and each.xy[0] == 1]
    names = [each.get_text() for each in axes.get_yticklabels()]
    for rate in report.adversaries:
        words = f"{rate.success:.3g} ({rate.low:.3g} to {rate.high:.3g})"
        assert beside[names.index(rate.name)].get_text() == words


def test_looks_are_all_different() -> None:
    """One colour and marker for one thing, and no two things alike; an unknown one has one too."""
    assert look("blind") == look("without listening")  # two names of one thing
    named = [each for each in NAMES if each != "blind"]
    things = [*named, "best eavesdropper", "without listening", "promise", "upper bound"]
    things += ["lower bound", "earlier upper bound", "earlier lower bound", "missed", "mean error"]
    things += ["tight", "paper", "replicated", "opportunistic", "bisection", "the number"]
    looks = [look(each) for each in (*things, "one of my own")]
    assert len({(each.colour, each.marker, each.dashes) for each in looks}) == len(looks)
    markers = [each.marker for each in looks if each.marker]
    assert len(set(markers)) == len(markers)


def test_a_noisy_audit_shows_the_mean_of_its_transcripts() -> None:
    """As `audit` reports it: a success that is not exact, and no adversaries."""
    report = replace(audit(plan(PROBLEM)), exact=False, exhibits=())
    (axes,) = figure(report).axes
    names = [each.get_text() for each in axes.get_yticklabels()]
    assert names == ["without listening", "best eavesdropper,\nmean of transcripts"]


def test_areas_are_probabilities() -> None:
    """A piece twice as long with twice the probability is as high: a prior of odds 1:3 shows it."""
    report = audit(plan(Problem("1/8", "1/4", 2), method="grid"), prior=Prior([1, 3]))
    left, right = figure(report).axes[1].patches[:2]
    assert rectangle(left).get_height() == pytest.approx(1 / 2)
    assert rectangle(right).get_height() == pytest.approx(3 / 2)


def test_a_plan_for_whole_values_shows_the_probability_of_each() -> None:
    values = Domain(10, 30, step=2)
    found = plan(
        values.problem(delta=2, level=2, prior=[1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]), domain=values
    )
    (axes,) = figure(found).axes
    assert axes.get_ylabel() == "probability of a value"
    assert axes.get_ylim()[1] == pytest.approx(1.15 * 6 / 36)
    assert axes.get_xticks().tolist() == list(range(10, 31, 2))


def test_a_plan_for_several_numbers_names_them_and_says_once_what_it_promises() -> None:
    problem = Problem("1/8", "1/4", 2, dim=2, prior=Prior([1, 2, 1]))
    one, other = figure(plan(problem)).axes
    assert (one.get_xlabel(), other.get_xlabel()) == ("coordinate 1", "coordinate 2")
    assert one.get_title("left")
    assert not other.get_title("left")


def test_a_picture_that_cannot_be_written_is_refused_before_and_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place in (tmp_path / "nowhere" / "report.png", tmp_path):
        with pytest.raises(InvalidValue, match=r"a folder that exists|always works"):
            check(place)
    monkeypatch.setattr("feint.research.plot.drawing.os.access", lambda place, mode: False)
    with pytest.raises(InvalidValue, match="may not be written"):
        check(tmp_path / "report.png")
    monkeypatch.undo()
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    with pytest.raises(InvalidValue, match="No space left"):
        draw(audit(plan(PROBLEM)), tmp_path / "report.png")


def full(*given: object, **options: object) -> None:
    raise OSError(28, "No space left on device")


def test_formats_and_the_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    report = audit(plan(PROBLEM))
    with pytest.raises(InvalidValue, match=r"report\.png always works"):
        draw(report, "report.txt")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"feint\[plot\]"):
        figure(report)


def test_a_simulation_is_drawn_with_its_limit_and_its_errors() -> None:
    found = simulate(plan(PROBLEM), runs=500, adversaries=["last", "uniform"])
    made = figure(found)
    bars, errors = made.axes
    assert [each.get_text() for each in bars.get_yticklabels()] == ["uniform", "last"]
    assert "dashed: limit, 1/3" in [each.get_text() for each in bars.texts]
    shares = [rectangle(each).get_height() for each in errors.patches]
    assert shares == pytest.approx([count / 500 for count in found.errors[1][: len(shares)]])
    assert sum(shares) == pytest.approx(1)
    assert errors.get_title("left") == "0 of 500 runs missed by more than ε/2"
    alone = figure(simulate(plan(PROBLEM), runs=50))
    assert len(alone.axes) == 1  # nobody listened


def test_errors_of_a_noisy_simulation_end_where_the_last_one_is() -> None:
    """Bin 17 ends at ε, 18 at 2ε: the last tick says where the last bin ends."""
    found = simulate(plan(Problem("1/64", "1/12", 3, p="0.9")), runs=2000)
    edges, counts = found.errors
    (axes,) = figure(found).axes
    last = max(index for index, count in enumerate(counts) if count) + 1
    assert len(axes.patches) == last > 16
    ends = float(edges[last] * 64)
    assert axes.get_xticklabels()[-1].get_text() == f"{ends:g}ε"


def test_a_sweep_is_drawn_against_what_varies() -> None:
    axes: dict[str, Any] = {"epsilon": ["2^-10", "2^-20"], "delta": ["2^-8"], "level": [4, 15]}
    table = sweep(grid(axes), methods=["tight", "paper"], runs=50, adversaries=["last"])
    above, below = figure(table).axes
    names = ["tight, level = 4", "paper, level = 4", "tight, level = 15", "paper, level = 15"]
    assert [line.get_label() for line in above.lines] == names
    first = [row["queries"] for row in table if (row["method"], row["level"]) == ("tight", 4)]
    drawn = np.asarray(above.lines[0].get_ydata()).tolist()
    assert drawn == first[::-1]  # the smallest epsilon first
    assert above.get_xlabel() == "epsilon"
    assert [each.get_text() for each in above.get_xticklabels()] == ["2^-20", "1/1024"]
    assert len(below.containers) == 4
    alone = figure(sweep(grid(axes | {"level": [4]}), methods=["tight"]))
    assert len(alone.axes) == 1
    assert alone.get_suptitle() == "delta = 1/256, level = 4"


def test_what_cannot_be_drawn_is_refused() -> None:
    many: dict[str, Any] = {"epsilon": ["2^-10"], "delta": ["2^-8", "2^-7"], "level": range(2, 9)}
    table = sweep(grid(many), methods=["tight", "paper"])
    with pytest.raises(InvalidValue, match="plot = 14 lines: at most 12 lines can be told apart"):
        figure(table)
    with pytest.raises(InvalidValue, match="every row was refused"):
        figure(sweep(grid({"epsilon": ["1/8"], "delta": ["1/2"], "level": [3]})))
    with pytest.raises(WrongType, match="shown = a Problem: there are pictures of plans, repo"):
        figure(cast(Any, PROBLEM))
    with pytest.raises(WrongType, match="path = 3: must be the name of a file"):
        check(cast(Any, 3))


def test_a_table_shows_its_blocks_and_parts() -> None:
    problem = Problem("1/64", "1/12", 3)
    low = staged(problem, 48, parts=6, kept=5, hide=(2, 2, 2))
    high = tailed(problem, 50, width=7, kept=4)
    made = figure(Plan.of(blocks(problem, ((48,), (low, high)))))
    labels = made.axes[0].get_legend_handles_labels()[1]
    assert [each for each in labels if each in ("pieces", "parts", "blocks")] == [
        "pieces",
        "parts",
        "blocks",
    ]
