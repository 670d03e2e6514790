"""`feint simulate`, `feint sweep` and `feint reproduce` as a person and as a machine meet them."""

import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from feint.cli.app import run
from feint.simulate import simulate
from feint.simulate.adversaries import NAMES

PROBLEM = ["--epsilon", "2^-10", "--delta", "2^-5", "--level", "4"]


def document(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    assert run([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_simulate_has_the_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", *PROBLEM, "--runs", "2000"]
    found = document(words, capsys)
    assert {"runs", "adversaries", "miss_rate", "mean_error", "queries"} <= set(found)
    assert found["runs"] == 2000
    assert found["miss_rate"] == 0
    assert len(found["adversaries"]) == len(NAMES)
    for each in found["adversaries"]:
        assert set(each) == {"name", "success", "interval"}
        assert each["interval"][0] <= each["success"] <= each["interval"][1]
        assert each["interval"][0] <= 1 / 4
    assert document([*words, "--workers", "2"], capsys) == found
    assert document([*words, "--seed", "1"], capsys) != found


def test_simulate_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", *PROBLEM, "--runs", "500", "--adversary", "last", "--method", "bisection"]
    assert run(words) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Method bisection: 10 questions in 10 rounds; 500 runs" in out
    assert "last 1.00000" in out
    assert "Missed by more than epsilon/2: 0 of 500 runs" in out


def test_one_of_a_thing_is_not_two(capsys: pytest.CaptureFixture[str]) -> None:
    """Two values, one question, one run."""
    words = ["--low", "1", "--high", "2", "--step", "1", "--delta", "1", "--level", "2"]
    words += ["--runs", "1"]
    assert run(["simulate", *words, "--method", "bisection"]) == 0
    out = capsys.readouterr().out
    assert "Method bisection: 1 question in 1 round; 1 run\n" in out
    assert "0 of 1 run (" in out


def test_simulate_says_that_the_interval_of_errors_is_approximate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["simulate", *PROBLEM, "--runs", "20", "--adversary", "last"]) == 0
    out = capsys.readouterr().out
    assert "(approximate 99 % interval" in out
    assert "unseen" not in out  # without noise no error is larger than epsilon/2
    noisy = ["--epsilon", "1/50", "--delta", "1/10", "--level", "2", "--p", "0.9"]
    assert run(["simulate", *noisy, "--runs", "20", "--adversary", "last"]) == 0
    assert "; rare large errors may be unseen)" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [["simulate", "--runs", "50"], ["sweep", "--level", "2,4"], ["audit", "--runs", "50"]],
)
def test_what_was_found_is_drawn(
    words: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    command, *others = words
    place = tmp_path / "found.png"
    assert run([command, *PROBLEM, *others, "--plot", str(place)]) == 0
    assert place.read_bytes().startswith(b"\x89PNG")
    assert run([command, *PROBLEM, *others, "--plot", "found.foo"]) == 2
    assert "--plot found.foo: must end in one of" in capsys.readouterr().err


def test_simulate_prints_the_limit_beside_the_wins(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", *PROBLEM, "--runs", "500", "--adversary", "last"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split()[-1] == "limit"
    assert lines[3].split()[-1] == "0.25000"
    best = "The best possible eavesdropper wins 1 in 4 (theorem)."
    assert lines[-1] == f"The limit is what was asked for, 1 in 4. {best}"
    words = ["--runs", "500", "--adversary", "last", "--method", "bisection"]
    assert run(["simulate", *PROBLEM, *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].endswith("0.25000, exceeded")
    assert lines[-1].endswith("method bisection does not keep it.")
    assert run(["simulate", *PROBLEM, *words, "--setting", "deterministic"]) == 0
    assert "There is no limit on averages" in capsys.readouterr().out


def test_simulate_plans_as_everybody_does(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(["simulate", *PROBLEM, "--runs", "50", "--failure", "1e-6"], capsys)
    assert found["failure"] == 1e-6
    assert run(["simulate", *PROBLEM, "--runs", "50", "--max-rounds", "3"]) == 0
    assert " in 3 rounds; 50 runs" in capsys.readouterr().out
    assert run(["simulate", *PROBLEM, "--runs", "50", "--certificate", "calibrated"]) == 2
    assert "--certificate calibrated: plans without noise" in capsys.readouterr().err


@pytest.mark.parametrize("width", ["60", "80", "110"])
def test_sweep_fits_the_terminal_and_shows_what_it_simulated(
    width: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    words = ["--epsilon", "2^-20", "--delta", "2^-8,0.01", "--level", "4,15"]
    words += ["--method", "tight", "--method", "paper", "--runs", "50", "--adversary", "last"]
    assert run(["sweep", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= int(width)
    assert lines[0].startswith("epsilon = 2^-20, bayesian, 50 runs, no run missed by more")
    assert sum(" last " in line for line in lines) == 8
    header = next(line for line in lines if "eavesdropper" in line)
    assert header.endswith("eavesdropper    wins  99 % interval")


def test_sweep_in_the_users_units(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--low", "1", "--high", "97", "--step", "1", "--delta", "7,8", "--level", "4"]
    rows = document(["sweep", *words], capsys)
    assert [(row["epsilon"], row["delta"], row["values"]) for row in rows] == [
        (1, 7, 97),
        (1, 8, 97),
    ]
    assert run(["sweep", *words]) == 0
    assert capsys.readouterr().out.startswith("from 1 to 97, in steps of 1, 97 values\n")
    file = tmp_path / "grid.toml"
    units = "[units]\nlow = 1\nhigh = 97\nstep = 1\n"
    file.write_text(f"[grid]\ndelta = [7, 8]\nlevel = 4\n{units}", "utf-8")
    assert document(["sweep", "--file", str(file)], capsys) == rows
    within = document(["sweep", *words, "--winning", "within"], capsys)
    assert [row["delta"] for row in within] == [8, 9]


def test_with_runs_everybody_listens(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(["sweep", *PROBLEM, "--runs", "20"], capsys)
    assert [row["adversary"] for row in rows] == list(NAMES)
    (row,) = document(["sweep", *PROBLEM], capsys)
    assert row["adversary"] is None


def test_an_adversary_listens_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", *PROBLEM, "--adversary", "last,last"]) == 2
    error = capsys.readouterr().err
    assert error == "feint: --adversary last, last: each listens once; name each of them once\n"


def test_simulate_in_the_users_units(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "simulate",
        "--low",
        "1",
        "--high",
        "97",
        "--step",
        "1",
        "--delta",
        "7",
        "--level",
        "4",
    ]
    assert document([*words, "--runs", "300"], capsys)["mean_error"] == 0


def test_people_and_machines_are_told_errors_in_the_same_units(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["simulate", "--low", "10", "--high", "110", "--epsilon", "0.05", "--delta", "2"]
    words += ["--level", "8", "--runs", "1e3", "--seed", "1e1"]
    found = document(words, capsys)
    assert found["seed"] == 10
    low, high = found["mean_error_interval"]
    assert 0.01 < low < found["mean_error"] < high < 0.015
    assert found["errors"]["edges"][16] == pytest.approx(0.025)
    assert run(words) == 0
    assert f"Mean error: {found['mean_error']:.4g} " in capsys.readouterr().out


def test_runs_that_are_stopped_say_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*words: Any, **options: Any) -> Any:
        return replace(simulate(*words, **options), wanted=10**6)

    monkeypatch.setattr("feint.simulate.simulate", stopped)
    assert run(["simulate", *PROBLEM, "--runs", "100", "--json"]) == 130
    captured = capsys.readouterr()
    assert json.loads(captured.out)["runs"] == 100
    assert "100 of 1,000,000 runs are done" in captured.err


def test_sweep_from_flags_and_from_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    flags = ["--epsilon", "2^-10,0.01", "--delta", "1/16,0.1", "--level", "2,4"]
    flags += ["--method", "tight,paper", "--runs", "100", "--adversary", "truncated"]
    rows = document(["sweep", *flags], capsys)
    assert len(rows) == 2 * 2 * 2 * 2
    file = tmp_path / "grid.toml"
    file.write_text(
        'methods = ["tight", "paper"]\nadversaries = ["truncated"]\nruns = 100\n'
        '[grid]\nepsilon = ["2^-10", 0.01]\ndelta = ["1/16", 0.1]\nlevel = [2, 4]\n',
        "utf-8",
    )
    assert document(["sweep", "--file", str(file)], capsys) == rows
    table = tmp_path / "table.csv"
    assert run(["sweep", *flags, "--out", str(table), "--workers", "2"]) == 0
    assert "Wrote 16 rows" in capsys.readouterr().out
    assert len(table.read_text("utf-8").splitlines()) == 17


def test_sweep_for_people_says_what_was_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["sweep", "--epsilon", "2^-12", "--delta", "2^-6,1/3", "--level", "2,5"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "questions" in out
    assert "Refused (1 row): --delta 1/3: must be at most 1/level = 0.2" in out
    assert "works is --delta 0.2, or --level 3" in out


def test_a_sweep_of_refused_rows_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["sweep", "--epsilon", "2^-12", "--delta", "1/3", "--level", "5,6"]
    table = tmp_path / "table.csv"
    assert run([*words, "--out", str(table)]) == 2
    captured = capsys.readouterr()
    assert captured.err == "feint: every row was refused; its column 'refused' says why\n"
    assert len(table.read_text("utf-8").splitlines()) == 3
    assert run([*words, "--level", "2,5"]) == 0


def test_a_sweep_that_is_stopped_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    room = importlib.import_module("feint.research.sweep.run")
    real, calls = room.simulate, list[int]()

    def stopped(*words: Any, **options: Any) -> Any:
        if calls:
            raise KeyboardInterrupt
        calls.append(1)
        return real(*words, **options)

    monkeypatch.setattr(room, "simulate", stopped)
    words = ["--level", "2,3,4", "--runs", "50", "--adversary", "last", "--json"]
    assert run(["sweep", *PROBLEM, *words]) == 130
    captured = capsys.readouterr()
    assert [row["level"] for row in json.loads(captured.out)] == [2]
    assert captured.err == "feint: stopped: 1 of 3 problems are done\n"


@pytest.mark.parametrize(
    ("words", "pictures"),
    [
        (["--only", "strategies,dimensions"], 5),
        pytest.param([], 13, marks=pytest.mark.slow),
    ],
)
def test_reproduce_writes_a_page(
    words: list[str], pictures: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "pictures"
    assert run(["reproduce", "--out", str(out), "--runs", "50", *words]) == 0
    assert len(list(out.glob("*.png"))) == len(list(out.glob("*.svg"))) == pictures
    page = (out / "index.html").read_text("utf-8")
    assert all(f'src="{path.name}"' in page for path in out.glob("*.png"))
    assert "index.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["simulate", *PROBLEM, "--runs", "0"], "--runs"),
        (["simulate", *PROBLEM, "--adversary", "nobody"], "must be one of uniform, last"),
        (["simulate", *PROBLEM, "--memory", "1"], "allow"),
        (["simulate", *PROBLEM, "--workers", "0"], "--workers"),
        (["simulate", *PROBLEM, "--workers", "2", "--dask", "here"], "leave out --workers"),
        (["simulate", *PROBLEM, "--dask", "zzz://here:1"], "--dask zzz://here:1: no scheduler"),
        (["sweep", "--epsilon", "1/9"], "there is no --delta and no --level"),
        (["sweep", *PROBLEM, "--low", "3"], "missing --high"),
        (["sweep", "--file", "nowhere.toml"], "cannot be read (no such file or directory); name"),
        (["sweep", *PROBLEM, "--out", "table.xls"], "--out table.xls: must end in .csv, .json or"),
        (["sweep", *PROBLEM, "--out", "no/such/folder/table.csv"], "folder"),
        (["sweep", *PROBLEM, "--method", "tihgt"], "--method tihgt: the problems of this sweep"),
        (["sweep", *PROBLEM, "--runs", "9", "--adversary", "lats"], "--adversary lats: must be"),
        (
            ["sweep", *PROBLEM, "--adversary", "last"],
            "without runs there are no eavesdroppers; give --runs 10000",
        ),
        (["sweep", *PROBLEM, "--epsilon", ","], "--epsilon nothing"),
        (["sweep", *PROBLEM, "--memory", "0"], "--memory"),
        (["reproduce", "--only", "figure-1"], "--only figure-1: must be among bounds"),
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


def test_a_file_with_unknown_keys_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "grid.toml"
    file.write_text("rums = 3\n", "utf-8")
    assert run(["sweep", "--file", str(file)]) == 2
    assert "grid.toml: key = rums: a sweep has grid, units" in capsys.readouterr().err
    file.write_text("runs = 'x'\n", "utf-8")
    assert run(["sweep", "--file", str(file)]) == 2
    assert "grid.toml: runs = x: must be a whole number" in capsys.readouterr().err
    file.write_text("[units]\nlow = 1\nhi = 2\n", "utf-8")
    assert run(["sweep", "--file", str(file)]) == 2
    assert "units = hi: units have low, high, step, tick" in capsys.readouterr().err


def test_a_file_without_epsilon_has_values_or_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "grid.toml"
    file.write_text('[grid]\nvalues = [97, 194]\ndelta = "7/97"\nlevel = 4\n', "utf-8")
    rows = document(["sweep", "--file", str(file)], capsys)
    assert [(row["values"], row["epsilon"]) for row in rows] == [(97, 1 / 97), (194, 1 / 194)]
    assert rows[0]["queries"] == 17
    assert run(["sweep", "--file", str(file)]) == 0
    assert "values" in capsys.readouterr().out.splitlines()[1].split()
    file.write_text("[grid]\nvalues = 97\ndelta = '7/97'\nlevel = 4\n", "utf-8")
    assert run(["sweep", "--file", str(file)]) == 0
    assert "values = 97," in capsys.readouterr().out.splitlines()[0]  # one value is one too
    assert run(["sweep", *PROBLEM]) == 0
    assert "values" not in capsys.readouterr().out
    file.write_text("[grid]\nvalues = [97]\nlevel = 4\n", "utf-8")
    assert run(["sweep", "--file", str(file)]) == 2
    error = capsys.readouterr().err
    assert "the grid needs epsilon (or values), delta and level; " in error
    assert "grid.toml has no delta under [grid]" in error
    file.write_text("[grid]\nvalues = [1]\ndelta = '1/8'\nlevel = 4\n", "utf-8")
    assert run(["sweep", "--file", str(file)]) == 2
    assert "values = 1: must be a whole number of at least 2" in capsys.readouterr().err


def test_a_file_whose_methods_are_no_words_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "grid.toml"
    path.write_text('methods = [["tight"]]\n[grid]\nepsilon = "1/64"\ndelta = "1/8"\nlevel = 2\n')
    assert run(["sweep", "--file", str(path)]) == 2
    assert "must be words" in capsys.readouterr().err


def test_the_averages_of_a_search_that_stops_when_sure_are_those_of_the_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Those of the plan were simulated with fewer runs; two averages of one thing would confuse."""
    words = ["simulate", "--epsilon", "1/32", "--delta", "1/8", "--level", "2", "--p", "0.9"]
    words += ["--confidence", "0.6", "--runs", "500", "--adversary", "last"]
    assert run(words) == 0
    shown = capsys.readouterr().out
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    asked, took = (f"{found[name]:.2f}".rstrip("0") for name in ("queries_mean", "rounds_mean"))
    assert f"questions ({asked} on average) in at most {found['rounds']} rounds; 500 runs" in shown
    assert f"These runs took {took} rounds on average." in shown
