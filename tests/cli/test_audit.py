"""`feint audit` as a person and as a machine meet it."""

import json
from pathlib import Path
from typing import Any

import pytest

from feint.cli.app import run

WORDS = ["audit", "--epsilon", "1/64", "--delta", "1/12", "--level", "3"]
WORST = ["audit", "--epsilon", "1/64", "--delta", "1/8", "--level", "3"]
WORST += ["--setting", "deterministic"]

MANY = ["--low", "0", "--high", "999999999999", "--step", "1", "--delta", "10", "--level", "3"]


def document(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> Any:
    assert run([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_json_has_the_documented_shape(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(WORDS, 0, capsys)
    expected = {
        "exact": True,
        "queries": 13,
        "adversary_success": "1/3",
        "covering_number": 3,
        "private": True,
        "accurate": True,
    }
    assert expected.items() <= found.items()
    assert found["accuracy"] == "1/72"
    assert found["transcripts"] == 8


def test_a_claim_that_fails_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    found = document([*WORST, "--method", "printed"], 1, capsys)
    assert (found["covering_number"], found["private"], found["accurate"]) == (1, False, False)
    assert document(WORST, 0, capsys)["covering_number"] == 3
    assert run([*WORDS, "--method", "bisection"]) == 1
    out = capsys.readouterr().out
    assert "Verdict: leaks" in out
    assert "Counterexample: she hears" in out


def test_a_sampled_audit_never_says_private(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*WORDS, "--runs", "4000", "--adversary", "last", "--adversary", "truncated"]
    found = document(words, 0, capsys)
    assert (found["exact"], found["private"], found["covering_number"]) == (False, None, None)
    assert [each["name"] for each in found["adversaries"]] == ["last", "truncated"]
    assert found["verdict"] == "no leak found"
    leaks = document([*words, "--method", "bisection"], 1, capsys)
    assert leaks["private"] is False


@pytest.mark.long
def test_a_noisy_audit_takes_a_seed_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "audit",
        "--epsilon",
        "1/12",
        "--delta",
        "1/3",
        "--level",
        "2",
        "--p",
        "0.97",
        "--json",
    ]
    told = []
    for seed in ("1", "2"):
        assert run([*words, "--seed", seed]) in (0, 1)
        told.append(json.loads(capsys.readouterr().out))
    assert told[0]["queries"] == told[1]["queries"]
    assert told[0] != told[1]


def test_priors_by_name_and_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert document([*WORDS, "--true-prior", "uniform"], 0, capsys)["adversary_success"] == "1/3"
    assert document([*WORDS, "--true-prior", "peak"], 1, capsys)["adversary_success"] == "349/792"
    planned = document([*WORDS, "--prior", "peak"], 0, capsys)
    assert planned["private"] is True
    weights = tmp_path / "weights.txt"
    weights.write_text("weights\n1/10\n0.5\n1/10\n", "utf-8")
    assert document([*WORDS, "--true-prior", str(weights)], 1, capsys)["private"] is False


def test_stretches_that_touch_are_one_in_a_counterexample(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A law of a thousand bins cut them into more pieces than are shown."""
    assert run([*WORDS, "--true-prior", "normal(0.3, 0.08)"]) == 1
    said = capsys.readouterr().out
    assert "Given these questions, the number can only be" in said
    assert "more pieces" not in said


def test_lemmas_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "report.svg"
    assert run([*WORDS, "--lemmas", "--plot", str(picture)]) == 0
    out = capsys.readouterr().out
    assert "largest E 1/|I_k| over 2^k" in out
    assert "(at most 1, the number uniform)" in out
    assert "<svg" in picture.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*WORDS, "--method", "opportunistic"], "tight, paper, replicated"),
        ([*WORDS, "--runs", "1"], "--runs"),
        ([*WORDS, "--runs", "10", "--adversary", "me"], "uniform, last, proportional"),
        ([*WORDS, "--adversary", "last"], "--adversary last: only an audit measured on runs has"),
        ([*WORDS, "--runs", "9", "--adversary", "last,last"], "--adversary last, last: each lis"),
        ([*WORDS, "--runs", "9", "--failure", "2"], "--failure 2: must lie strictly between"),
        ([*WORDS, "--prior", "nowhere.txt"], "must be one of normal(mean, sd)"),
        ([*WORDS, "--prior-file", "nowhere.csv"], "No such file"),
        ([*WORDS, "--prior", "peak", "--prior-file", "x.csv"], "a prior is stated once"),
        ([*WORDS, "--plot", "report.txt"], "report.png always works"),
        ([*WORDS, "--plot", "nowhere/report.png"], "a folder that exists"),
        ([*WORDS, "--seed", "3"], "--seed 3: this is for a sampled audit; give --runs too"),
        ([*WORDS, "--failure", "0.1"], "give --runs too"),
        (["audit", *MANY, "--prior", "peak"], "at most 1048576 bins"),
        pytest.param(
            ["audit", "--epsilon", "2^-40", "--delta", "2^-8", "--level", "15"],
            "--runs 100000",
            marks=pytest.mark.slow,  # it walks as far as an audit may
        ),
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
