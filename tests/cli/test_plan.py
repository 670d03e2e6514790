"""`feint plan` as a person and as a machine meet it."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from feint.cli.app import run

WORDS = ["plan", "--epsilon", "2^-20", "--delta", "2^-8", "--level", "15"]


def document(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_has_the_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(WORDS, capsys)
    assert {"problem", "plans", "bounds"} <= set(found)
    best = found["plans"][0]
    keys = {"method", "queries", "rounds", "phases", "cells", "certificate", "adversary_success"}
    assert keys <= set(best)
    assert (best["method"], best["queries"], best["adversary_success"]) == ("tight", 199, "1/15")
    assert [each["method"] for each in found["plans"]] == [
        "tight",
        "paper",
        "replicated",
        "bisection",
        "grid",
    ]
    assert sum(phase["queries"] for phase in best["phases"]) == 199


def test_json_has_numbers_as_typed_and_as_floats(capsys: pytest.CaptureFixture[str]) -> None:
    units = ["--low", "10", "--high", "1e2", "--epsilon", ".5", "--delta", "15/2"]
    found = document(["plan", *units, "--level", "4"], capsys)
    typed = {"low": "10", "high": "1e2", "epsilon": ".5", "delta": "15/2", "level": "4"}
    assert found["typed"] == typed
    assert (found["problem"]["delta"], found["problem"]["delta_float"]) == ("1/12", 1 / 12)
    assert (found["domain"]["high"], found["domain"]["high_float"]) == ("100", 100.0)
    assert found["domain"]["step_float"] is None
    for each in found["plans"]:
        success = each["adversary_success"]
        assert each["adversary_success_float"] == float(Fraction(success))
    bought = document(["plan", *units, "--budget", "40"], capsys)
    assert "level" not in bought["typed"]


def test_the_optimum_is_shown_where_it_wins_and_its_limit_where_it_cannot_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """7 values, D = 3, L = 2: five questions hold her to 17/35, and tight takes six."""
    steps = ["--low", "1", "--step", "1", "--delta", "3", "--level", "2"]
    found = document(["plan", *steps, "--high", "7"], capsys)["plans"]
    assert found[-1]["method"] == "optimal"
    assert (found[-1]["queries"], found[-1]["adversary_success"]) == (5, "17/35")
    assert found[0]["queries"] == 6
    limits = {
        "8": None,  # nothing is better there
        "97": "optimal: it is limited to 9 values, and there are 97.",
    }
    for high, said in limits.items():
        assert run(["plan", *steps, "--high", high]) == 0
        out = capsys.readouterr().out
        assert ("Skipped optimal" in out) == (said is not None)
        assert not any(line.startswith("optimal") for line in out.splitlines())
        assert said is None or f"Skipped {said}" in out.splitlines()
    dense = ["--low", "1", "--high", "9", "--step", "1", "--delta", "1", "--level", "7"]
    assert run(["plan", *dense]) == 0
    assert "Skipped optimal: it may take a minute" in capsys.readouterr().out
    assert run(["plan", *WORDS[1:], "--method", "optimal"]) == 2
    assert "limited to 9 cells, and there are 1048576" in capsys.readouterr().err


@pytest.mark.parametrize("more", [[], ["--frontier"], ["--method", "tight"]])
def test_planning_can_be_interrupted(
    more: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("feint.planning.planner._choose", interrupted)
    assert run([*WORDS, *more]) == 130
    assert capsys.readouterr().out == ""


def test_one_method_alone(capsys: pytest.CaptureFixture[str]) -> None:
    found = document([*WORDS, "--method", "paper"], capsys)
    assert [(each["method"], each["queries"]) for each in found["plans"]] == [("paper", 213)]


def test_fewer_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    best = document([*WORDS, "--max-rounds", "8"], capsys)["plans"][0]
    assert best["queries"] <= 300
    assert best["rounds"] <= 8


def test_the_frontier(capsys: pytest.CaptureFixture[str]) -> None:
    plans = document([*WORDS, "--frontier"], capsys)["plans"]
    assert (plans[0]["queries"], plans[-1]["rounds"]) == (199, 1)


def test_the_frontier_under_noise_shows_mean_rounds_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A limit on the longest search lowers the mean too, which is what users wait for."""
    words = ["plan", "--epsilon", "1/32", "--delta", "1/8", "--level", "2", "--p", "0.9"]
    words += ["--confidence", "0.6", "--frontier"]
    plans = document(words, capsys)["plans"]
    assert run(words) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines() if line[:6] == "tight "]
    assert len(rows) == len(plans) > 2
    for (_, most, mean, rounds, rounds_mean, *_), each in zip(rows, plans, strict=True):
        assert (int(most), int(rounds)) == (each["queries"], each["rounds"])
        assert float(mean) == pytest.approx(each["queries_mean"], abs=0.005)
        assert float(rounds_mean) == pytest.approx(each["rounds_mean"], abs=0.005)
    assert plans[-1]["rounds_mean"] < plans[0]["rounds_mean"] < plans[0]["rounds"]


def test_units_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "--low", "1", "--high", "97", "--step", "1", "--delta", "7", "--level", "4"]
    best = document(words, capsys)["plans"][0]
    assert best["queries"] <= 25
    assert best["certificate"] == "exact"
    words = ["plan", "--low", "10", "--high", "110", "--epsilon", "0.5", "--delta", "5"]
    assert run([*words, "--level", "8"]) == 0
    assert "from 10 to 110" in capsys.readouterr().out


def test_a_budget(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "--epsilon", "1/1000", "--delta", "1/20", "--budget", "40"]
    found = document(words, capsys)
    assert found["budget"] == 40
    assert found["problem"]["level"] == 5
    assert found["plans"][0]["queries"] <= 40
    words = ["plan", "--epsilon", "0.1", "--low", "0", "--high", "100", "--level", "4"]
    assert run([*words, "--budget", "40"]) == 0
    assert "The budget buys level 4 at delta 25." in capsys.readouterr().out


def test_the_worst_case_setting_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "--epsilon", "1/64", "--delta", "1/8", "--level", "2"]
    assert run([*words, "--setting", "deterministic"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Worst case only" in out
    assert "places left" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*WORDS, "--method", "opportunistic"], "tight, paper, replicated, bisection, grid"),
        ([*WORDS, "--method", "paper", "--max-rounds", "3"], "takes 18 rounds"),
        ([*WORDS, "--max-rounds", "0"], "--max-rounds"),
        ([*WORDS, "--p", "0.9", "--certificate", "proved"], "theorem, calibrated"),
        ([*WORDS, "--certificate", "calibrated"], "without noise"),
        (["plan", "--epsilon", "0.01", "--delta", "1/3", "--level", "3", "--p", "0.9"], "0.25"),
        (
            ["plan", "--epsilon", "1/9", "--budget", "10"],
            "--budget 10 finds the level for a given --delta",
        ),
        ([*WORDS, "--budget", "10"], "--budget 10 finds the level for a given --delta, or the del"),
        (["plan", "--level", "9", "--budget", "10"], "--budget 10 needs --within or --epsilon too"),
        (["plan", "--epsilon", "1/9", "--delta", "0", "--budget", "10"], "must be above zero"),
        ([*WORDS, "--epsilon", "2^-70"], "2^62"),
        ([*WORDS, "--workers", "2"], "add --certificate calibrated"),
        ([*WORDS, "--dask", "here"], "--dask"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_noisy_plans_show_what_they_may_lose(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "--epsilon", "0.01", "--delta", "0.04", "--level", "2", "--p", "0.9"]
    found = document([*words, "--confidence", "0.9"], capsys)
    assert [each["method"] for each in found["plans"]] == [
        "tight",
        "fixed",
        "paper",
        "bz",
        "bisection",
    ]
    best = found["plans"][0]
    assert best["certificate"] == "theorem"
    assert set(best["losses"]) == {"narrow", "cut", "hide", "total", "allowed"}
    assert best["losses"]["total"] <= best["losses"]["allowed"]
    assert found["plans"][4]["certificate"] is None
    assert run(words) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Expected error by stage" in shown
    assert "allowed 0.005" in shown
    units = ["--low", "10", "--high", "110", "--epsilon", "1", "--delta", "4"]
    assert run(["plan", *units, *words[5:]]) == 0
    assert "allowed 0.5" in " ".join(capsys.readouterr().out.split())  # in the user's units


@pytest.mark.long
def test_a_calibrated_plan_by_two_processes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["plan", "--epsilon", "0.05", "--delta", "0.2", "--level", "2", "--p", "0.97"]
    words += ["--confidence", "0.9", "--method", "tight"]
    plans = list[Any]()
    for more in ([], ["--certificate", "calibrated"], ["--workers", "2"]):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / str(len(plans))))
        words += more
        plans.append(document(words, capsys)["plans"][0])
    by_theorem, alone, shared = plans
    assert shared == alone
    assert alone["certificate"] == "calibrated"
    assert alone["queries"] < by_theorem["queries"]


UNITS = ["plan", "--low", "10", "--high", "110", "--level", "3"]
STEPS = ["plan", "--low", "0", "--step", "1"]
NOISE = ["--p", "0.9"]
SMALL = ["--epsilon", "2^-65", "--delta", "24"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            [*UNITS, *NOISE, "--epsilon", "1", "--delta", "32"],
            "--delta 32: .* near to delta = 100/3; --delta 25 works",
        ),
        (
            [*UNITS, *NOISE, "--epsilon", "1", "--delta", "32", "--max-rounds", "9"],
            "--delta 32: .* --max-rounds 36 with --delta 25 works",
        ),
        (
            [*UNITS, *NOISE, "--epsilon", "1", "--delta", "7", "--method", "paper"],
            r"--delta 7: .* 7·level·delta ≤ \(high − low\), so delta ≤ 100/21; use --method",
        ),
        (
            [*STEPS, *NOISE, "--high", "99", "--delta", "30", "--level", "3"],
            "--delta 30: .* --delta 25 works",
        ),
        # A part of four has up to 3 of 9 values, 1/3 without any room for noise; one of nine has 1.
        (
            [*STEPS, *NOISE, "--high", "8", "--delta", "3", "--level", "3"],
            "--delta 3: .* --delta 1 works",
        ),
        ([*STEPS, *NOISE, "--high", "3", "--delta", "1", "--level", "4"], "lower the level"),
        (
            [*UNITS, *NOISE, "--epsilon", "8", "--delta", "32"],
            "--epsilon 6.25 with --delta 25 works",
        ),
        ([*UNITS, *SMALL], "--epsilon 0.00000000000000009 always fits"),
        (
            [*UNITS, *SMALL],
            r"--epsilon \S+: takes a lattice of about \S+ cells, and it may have at",
        ),
        (
            [*STEPS, "--high", "1e20", "--delta", "9", "--level", "3"],
            r"--step 1: the range has about 1e\+20 values, .*; a step of 87 or more always fits",
        ),
        ([*UNITS, *SMALL, *NOISE], "--epsilon 0.00000000000009 always fits"),
        ([*UNITS[:-2], "--epsilon", "1", "--delta", "60", "--budget", "30"], "level = 50"),
        ([*UNITS, "--epsilon", "0.01", "--budget", "3"], "--budget 3: .* even for delta = 0.02"),
    ],
)
def test_refusals_speak_in_the_users_units(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    assert re.search(said, capsys.readouterr().err)


@pytest.mark.parametrize(
    "words",
    [
        [*UNITS, *NOISE, "--epsilon", "1", "--delta", "25"],
        [*UNITS, *NOISE, "--epsilon", "6.25", "--delta", "25"],
        [*UNITS, *NOISE, "--epsilon", "1", "--delta", "25", "--max-rounds", "36"],
        [*STEPS, *NOISE, "--high", "99", "--delta", "25", "--level", "3"],
        [*STEPS, *NOISE, "--high", "8", "--delta", "1", "--level", "3"],
        [*UNITS, "--epsilon", "0.00000000000000009", "--delta", "24"],
        [*UNITS, *NOISE, "--epsilon", "0.00000000000009", "--delta", "24"],
    ],
)
def test_what_a_refusal_names_works(words: list[str]) -> None:
    assert run(words) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--epsilon", "0.01", "--delta", "0.1", *NOISE],
            "Skipped paper: the paper's strategy needs 7·level·delta ≤ 1, so delta ≤ 1/35.",
        ),
        (
            ["--epsilon", "0.01", "--delta", "0.1", "--max-rounds", "3"],
            "Skipped paper: method paper takes 7 rounds.",
        ),
        (
            ["--epsilon", "2^-30", "--delta", "0.1"],
            "Skipped grid: a plan may ask at most 2^24 questions.",
        ),
        (
            ["--epsilon", "0.01", "--delta", "0.1", "--tick", "0.001", "--low", "0", "--high", "1"],
            "Skipped replicated: it divides the range evenly, not at multiples of a tick.",
        ),
    ],
)
def test_a_method_is_left_out_for_its_own_reason(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--level", "5", *words]) == 0
    assert said in capsys.readouterr().out.splitlines()


def test_long_decimals_come_with_a_tick_that_shortens_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["plan", "--low", "20", "--high", "100", "--epsilon", "0.5", "--delta", "10"]
    hint = "--tick 0.5 keeps questions to multiples of 0.5: 36 questions instead of 35."
    assert run([*words, "--level", "6"]) == 0
    assert hint in capsys.readouterr().out.splitlines()
    assert run([*words, "--level", "4"]) == 0
    assert "--tick" not in capsys.readouterr().out


SHOP = ["plan", "--low", "0", "--high", "200", "--epsilon", "5", "--delta", "20", "--level", "3"]
BELIEVED = [*SHOP, "--prior", "normal(90, 45)"]


def test_a_plan_under_a_prior(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "plan.svg"
    found = document([*BELIEVED, "--plot", str(picture)], capsys)
    assert "<svg" in picture.read_text("utf-8")
    best = found["plans"][0]
    assert (best["certificate"], best["private"]) == ("exact", True)
    assert float(Fraction(best["margin"])) >= 1
    assert found["problem"]["prior"][0]["source"] == "normal(90, 45)"
    assert not any(row["applies"] for row in found["bounds"])
    assert run([*BELIEVED, "--method", "tight"]) == 0
    said = capsys.readouterr().out
    assert "prior normal(90, 45)" in said
    assert "Planned for normal(90, 45), read into 1000 bins" in said
    assert "The promise holds for every law that is at most" in said


def test_each_coordinate_may_have_a_prior(capsys: pytest.CaptureFixture[str]) -> None:
    """A second --prior once took the place of the first, without a word."""
    words = [*SHOP, "--method", "tight", "--prior", "normal(90, 45)", "--prior", "uniform"]
    held = document([*words, "--dim", "2"], capsys)
    assert [each["source"] for each in held["problem"]["prior"]] == ["normal(90, 45)", "uniform"]
    assert held["typed"]["prior"] == ["normal(90, 45)", "uniform"]
    assert run(words) == 2
    assert "--prior 2 of them: must be one, for one coordinate" in capsys.readouterr().err


def test_what_promises_nothing_is_not_said_to_be_rounded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run([*BELIEVED, "--method", "bisection"]) == 0
    assert "No decimals divide" not in capsys.readouterr().out


def test_a_plan_leaves_room_for_what_binning_may_cost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [
        "plan",
        "--low",
        "0",
        "--high",
        "120",
        "--epsilon",
        "1",
        "--delta",
        "4",
        "--level",
        "4",
    ]
    words += ["--prior", "normal(60, 15)", "--method", "tight"]
    assert run(words) == 0
    said = "Under the law as stated, before it was binned, she wins 24.96 % at most."
    assert said in capsys.readouterr().out.splitlines()


@pytest.mark.long
def test_what_a_budget_buys_with_a_margin(capsys: pytest.CaptureFixture[str]) -> None:
    bought = [*SHOP[:-2], "--prior", "normal(90, 45)", "--budget", "24", "--method", "tight"]
    plain, wide = (document([*bought, *more], capsys) for more in ([], ["--margin", "1.3"]))
    assert wide["problem"]["level"] < plain["problem"]["level"]
    assert Fraction(wide["plans"][0]["margin"]) >= Fraction(13, 10)


def test_a_uniform_prior_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    plain, uniform = document(SHOP, capsys), document([*SHOP, "--prior", "uniform"], capsys)
    assert uniform.pop("typed") == plain.pop("typed") | {"prior": "uniform"}
    assert uniform == plain


def test_a_prior_from_a_file_and_a_margin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sales = tmp_path / "sales.csv"
    sales.write_text("value,weight\n25,1\n75,4\n125,4\n175,1\n", "utf-8")
    words = [*SHOP, "--prior-file", str(sales), "--method", "tight"]
    wide = document([*words, "--margin", "1.05"], capsys)["plans"][0]
    assert Fraction(wide["margin"]) >= Fraction(21, 20)
    sales.write_text("value,weight\n25,lots\n", "utf-8")
    assert run(words) == 2
    assert "line 2 must be a value and a weight" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*SHOP, "--prior", "normal(60, 5)"], "a guess without listening already wins"),
        ([*SHOP, "--prior", "bell(3)"], "must be one of normal(mean, sd)"),
        ([*BELIEVED, "--setting", "deterministic"], "no place is likelier"),
        ([*BELIEVED, "--margin", "3"], "and 3 times that is more than 1/level"),
        (
            [*BELIEVED[:-4], "--budget", "30", "--margin", "9", *BELIEVED[-2:]],
            "9 times that is more",
        ),
        ([*SHOP, "--prior", "normal(60, 5)", "--margin", "1.5"], "and 1.5 times that is more"),
        ([*SHOP, "--prior", "normal(60, 5)", "--margin", "x"], "--margin x: must be a finite"),
        ([*SHOP, "--prior", "normal(60, 5)", "--margin", "0.5"], "--margin 0.5: must be 1 or more"),
        ([*SHOP, "--prior", "normal(60, 0.01)"], "already wins with probability 1"),
    ],
)
def test_a_prior_that_cannot_be(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ('{"samples": 5}', "samples must be a list of numbers"),
        ('{"samples": null}', "samples must be a list of numbers"),
        ('{"points": 5}', "points must be a list of numbers"),
        ('{"weights": [1, 2], "edges": 5}', "edges must be a list of numbers"),
        ('{"edges": [0, 1], "weights": null}', "weights must be a list of numbers"),
        ('{"weights": [1, 2], "outside": "x"}', "outside must be a finite number"),
        ('{"weights": [1, 2], "distance": "x"}', "distance must be a finite number"),
        ('{"weights": [1, 2], "source": 5}', "source must be text"),
    ],
)
def test_a_file_that_states_no_prior_is_one_line(
    held: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "prior.json"
    path.write_text(held, "utf-8")
    assert run([*SHOP, "--prior-file", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert f"--prior-file prior.json: {message}" in captured.err
