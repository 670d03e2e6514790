"""What is printed: plans, transcripts, simulations, reports and tables, in 79 columns and HTML."""

import re
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from feint import Domain, Plan, Problem, plan
from feint.audit import audit
from feint.problem import Transcript
from feint.research.sweep import grid, sweep
from feint.simulate import play, simulate

PRICES = Domain(10, 110, label="price")
PLANS = {
    "interval": plan(Problem("1/64", "1/12", 3)),
    "units": plan(PRICES.problem(epsilon="0.05", delta=2, level=8), domain=PRICES),
    "values": plan(Domain(1, 97, step=1).problem(delta=7, level=4), domain=Domain(1, 97, step=1)),
    "bisection": plan(Problem("1/64", "1/12", 3), method="bisection"),
    "worst case": plan(Problem("1/64", "1/8", 3, setting="deterministic")),
    "noisy": plan(Problem("1/64", "1/12", 3, p="0.9")),
    "two numbers": plan(Problem("1/64", "1/12", 3, dim=2)),
    "fine": plan(Problem("2^-40", "2^-20", 15)),
    "own": Plan.of(plan(Problem("1/64", "1/12", 3)).strategy),
}


def heard(found: Plan, runs: int = 1) -> Transcript:
    random = np.random.default_rng(1)
    targets = random.integers(found.cells, size=(runs, len(found.cells)))
    return play(found.strategy, targets, random).transcript


class Balanced(HTMLParser):
    """Fails on an element that is not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """<path/> opens nothing."""


def whole(shown: Any) -> str:
    """The HTML of something, once it is seen to be well formed; and its text fits a terminal."""
    assert max(map(len, str(shown).splitlines())) <= 79
    assert str(shown).isascii()
    written: str = shown._repr_html_()
    parser = Balanced()
    parser.feed(written)
    assert parser.open == []
    return written


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_says_what_it_costs_and_promises(name: str) -> None:
    found = PLANS[name]
    written, told = whole(found), " ".join(str(found).split())
    for each in (told, written):
        assert f"Method {found.method}: {found.length}" in each
        assert ("nothing is promised" in each) == (not found.private)
        assert "what she sees" in each
        assert ("what you know" in each) == (not found.problem.noisy)
    assert all(phase.name in told for phase in found.phases)


def test_a_plan_is_drawn_in_two_lanes() -> None:
    """The plan of README's audit: from the cut on, three places look alike to her."""
    assert str(PLANS["interval"]).splitlines()[-9:] == [
        "    1  -----------------?----------------                    ?",
        "    2                   --------?--------                    .       ?",
        "                            ^ the number",
        "       0                                1   0                                1",
        "    3  ------------?------------?--------   .           ?            ?",
        "    4              -------?------           .     ?     .      ?     .     ?",
        "    5              --?--?--                 . ? ? .     . ?  ? .     . ? ? .",
        "                         ^ the number",
        "       0.494                        0.728   0.494                        0.728",
    ]


def test_a_plan_of_very_many_questions_is_not_drawn() -> None:
    found = plan(Problem("2^-20", "2^-8", 15), method="grid")
    assert "Method grid: 1,048,575 questions in 1 round" in str(found)
    assert "what she sees" not in str(found)


@pytest.mark.parametrize("name", ["interval", "two numbers", "noisy", "fine"])
@pytest.mark.parametrize("runs", [1, 3])
def test_a_transcript_shows_the_questions(name: str, runs: int) -> None:
    transcript = heard(PLANS[name], runs)
    assert str(transcript).startswith(f"Overheard in {runs} run")
    assert "cells; no answer." in " ".join(str(transcript).split())
    whole(transcript)
    for coordinate, size in enumerate(transcript.cells):
        asked = transcript.shares(coordinate=coordinate)
        assert len(asked) == max(transcript.rounds) + 1
        columns = [i for i, about in enumerate(transcript.coordinates) if about == coordinate]
        flat = [share for each in asked for share in each]
        assert flat == [int(transcript.points[0, i]) / size for i in columns]


def test_an_empty_transcript_can_be_printed() -> None:
    nothing = Transcript(np.empty((0, 2), np.int64), (0, 0), (0, 1), (8,))
    assert str(nothing) == "Overheard in 0 runs: 2 questions in 2 rounds, on 8 cells; no answer."
    whole(nothing)


def test_a_simulation_has_its_limit_beside_the_wins() -> None:
    found = simulate(PLANS["interval"], runs=2000, adversaries=["last", "uniform"])
    assert found.limit == Fraction(1, 3)
    header, last, uniform, *_ = str(found).splitlines()[1:]
    assert header.split() == ["eavesdropper", "wins", "99", "%", "interval", "limit"]
    assert last.split()[0] == "last"
    assert last.endswith("0.33333")
    assert uniform.endswith("0.33333")
    assert "<th" in whole(found)
    caught = simulate(PLANS["bisection"], runs=500, adversaries=["last"])
    assert str(caught).splitlines()[2].endswith("0.33333, exceeded")
    assert caught.to_dict()["limit"] == pytest.approx(1 / 3)


def test_there_is_a_limit_only_where_one_is_promised() -> None:
    assert simulate(PLANS["worst case"], runs=9).limit is None
    assert simulate(PLANS["interval"], runs=9, delta="1/2").limit is None
    assert simulate(PLANS["interval"], runs=9, delta="1/20").limit == Fraction(1, 3)
    assert "limit" not in str(simulate(PLANS["worst case"], runs=9, adversaries=["last"]))


@pytest.mark.parametrize("name", ["interval", "bisection", "worst case", "two numbers"])
def test_a_report_draws_what_one_transcript_leaves(name: str) -> None:
    report = audit(PLANS[name])
    written = whole(report)
    lanes = [
        line for line in str(report).splitlines() if re.match("  (questi|possib|her gu)", line)
    ]
    assert len(lanes) == 1 + 3 * len(report.exhibits)  # one row of the table is of questions too
    assert written.count("<svg") == len(report.exhibits)
    if name == "interval":
        assert lanes[2].count(" ---") >= 2  # three pieces, as many as the level


GRID = grid({"epsilon": ["2^-12", "1e-3"], "delta": ["2^-6", "1/3"], "level": [2, 5]})


@pytest.fixture(scope="module")
def table() -> Any:
    return sweep(GRID, methods=["tight", "paper"], runs=100, adversaries=["last", "truncated"])


@pytest.mark.parametrize("width", [60, 79, 110, 160])
def test_a_table_fits_and_leaves_nothing_out(table: Any, width: int) -> None:
    lines = table.lines(width=width)
    assert max(map(len, lines)) <= width
    shown = "\n".join(lines)
    planned = [row for row in table if row["refused"] is None]
    figures = [line for line in lines if re.search(r"\d\.\d{4}-\d\.\d{4}$", line)]
    assert len(figures) == len(planned)
    for row, line in zip(planned, figures, strict=True):
        assert f"{row['success']:.4f}  {row['low']:.4f}-{row['high']:.4f}" in line
        assert f" {row['adversary']} " in line
        assert width < 79 or f"{row['queries']}  " in line
    assert "100 runs" in lines[0]
    assert "no run missed by more than" in " ".join(lines[:2])
    for value in ("1/4096", "0.001", "1/64", "1/3", "tight", "paper"):
        assert value in shown
    assert "Refused (4 rows): delta = 1/3: must be at most 1/level = 0.2" in shown.replace(
        "\n   ", ""
    )


def test_a_table_for_a_notebook(table: Any) -> None:
    assert whole(table).count("<tr>") == 1 + sum(row["refused"] is None for row in table)


def test_what_is_constant_is_told_once() -> None:
    found = sweep(grid({"epsilon": ["2^-20"], "delta": ["1/256", 0.01], "level": [4]}))
    assert str(found).splitlines() == [
        "epsilon = 2^-20, level = 4, bayesian, method = tight",
        "delta  questions  bound  rounds  at most",
        "1/256         57     57      19   0.2500",
        " 0.01         63     61      19   0.2500",
    ]


def test_a_sweep_in_the_users_units() -> None:
    """Widths of points and table are in the units; a step is epsilon; plans are for the domain."""
    prices = Domain(1, 97, step=1)
    rows = sweep(grid({"delta": [7, 8], "level": [4]}), domain=prices, runs=50).records()
    assert [(row["epsilon"], row["delta"], row["values"]) for row in rows] == [
        (1.0, 7.0, 97),
        (1.0, 8.0, 97),
    ]
    one = plan(prices.problem(delta=7, level=4), domain=prices)
    assert rows[0]["queries"] == one.queries
    wide = Domain(10, 110)
    (row,) = sweep(grid({"epsilon": [0.05], "delta": [2], "level": [8]}), domain=wide, runs=500)
    assert 0.01 < row["mean_error"] < 0.015  # a quarter of epsilon
    assert 0 < row["error_low"] < row["mean_error"] < row["error_high"] < 0.025


def test_a_sweep_plans_within_rounds() -> None:
    points = grid({"epsilon": ["1/64"], "delta": ["1/12"], "level": [3]})
    (row,) = sweep(points, max_rounds=3)
    assert (row["queries"], row["rounds"]) == (17, 3)
    noisy = grid({"epsilon": ["1/64"], "delta": ["1/12"], "level": [3], "p": [0.9]})
    rows = sweep(noisy, methods=["tight", "bz"], certificate="theorem").records()
    assert [row["certificate"] for row in rows] == ["theorem", "theorem"]
    assert sweep(noisy, certificate="proof")["refused"][0].startswith("certificate = proof: must")
