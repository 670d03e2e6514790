"""`feint run` in words of one's own: prompts, sheets, resuming, the report; and --within."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from tests.support.sheets import by_rule

from feint.cli.app import run
from feint.search import load

pytestmark = pytest.mark.usefixtures("in_a_folder")

Output = pytest.CaptureFixture[str]
RANGE = ["--low", "20", "--high", "100", "--delta", "5", "--level", "4", "--label", "price"]
WORDED = [*RANGE, "--within", "0.5", "--unit", "€", "--question", "Would you pay €{value}?"]
EVIL = "=cmd|' /C calc'!A0"


def typed(text: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    return run(["run", *words])


def test_within_is_half_of_epsilon(capsys: Output) -> None:
    told = []
    for words in (["--within", "0.5"], ["--epsilon", "1"]):
        assert run(["plan", *RANGE, *words, "--method", "tight", "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0].pop("typed") != told[1].pop("typed")
    assert told[0] == told[1]
    deal = "You learn the number to within ±0.5; a watcher gets within ±2.5 at most 1 time in 4."
    assert told[0]["plans"][0]["deal"].endswith(deal)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--within", "0.5", "--epsilon", "1"], "--within 0.5: is half of epsilon, and epsilon"),
        (["--within", "x"], "--within x: must be a finite number"),
        (["--within", "60"], "--epsilon 120: (twice within) "),
        (["--within", "0.5", "--step", "1"], "--within 0.5: with a step the number is found"),
        ([], "missing --epsilon"),
    ],
)
def test_within_is_refused_by_its_name(words: list[str], said: str, capsys: Output) -> None:
    assert run(["plan", *RANGE, *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("command", ["audit", "simulate", "bounds"])
def test_every_command_with_a_problem_takes_it(command: str, capsys: Output) -> None:
    runs = ["--runs", "10"] if command == "simulate" else []
    problem = ["--low", "0", "--high", "8", "--within", "0.5", "--delta", "2", "--level", "2"]
    assert run([command, *problem, *runs]) == 0


def test_a_budget_and_a_sweep_take_it(capsys: Output) -> None:
    assert run(["plan", "--low", "0", "--high", "8", "--within", "0.5", "--level", "2"]) == 2
    capsys.readouterr()
    words = ["--low", "0", "--high", "8", "--level", "2", "--budget", "6"]
    shown = []
    for accuracy in (["--within", "0.5"], ["--epsilon", "1"]):
        assert run(["plan", *words, *accuracy]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    grid = ["--low", "0", "--high", "64", "--delta", "8", "--level", "2,3"]
    shown = []
    for accuracy in (["--within", "0.5,1"], ["--epsilon", "1,2"]):
        assert run(["sweep", *grid, *accuracy]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    Path("grid.toml").write_text(
        "[grid]\nwithin = [0.5, 1]\ndelta = 8\nlevel = [2, 3]\n[units]\nlow = 0\nhigh = 64\n"
    )
    assert run(["sweep", "--file", "grid.toml"]) == 0
    assert capsys.readouterr().out == shown[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--epsilon", "0,5"], "--epsilon 0,5: a comma separates values: this is 0 and 5; write 0"),
        (["--epsilon", "1", "--low", "0,1"], "--low 0,1: all problems of a sweep have one range"),
        (["--epsilon", "1", "--within", "2"], "--within 2: is half of epsilon"),
    ],
)
def test_a_sweep_explains_commas(words: list[str], said: str, capsys: Output) -> None:
    grid = ["--delta", "8", "--level", "2", "--high", "64"]
    low = [] if "--low" in words else ["--low", "0"]
    assert run(["sweep", *grid, *low, *words]) == 2
    assert said in capsys.readouterr().err


def test_the_prompt_asks_in_ones_own_words(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    assert typed("y\nq\n", WORDED, monkeypatch) == 3
    out = capsys.readouterr().out
    assert "Searching for the price, between €20 and €100, to within €0.5." in out
    assert "Yes means: the price is at least the value in the question." in out
    assert "a watcher gets within ±€2.5 at most 1 time in 4." in out
    assert "Would you pay €60?" in out
    assert typed("q\n", ["--resume", *WORDED], monkeypatch) == 3
    capsys.readouterr()
    other = ["--resume", "--question", "Too dear at {value}?"]
    assert run(["run", *other]) == 2
    assert "is for something else, Would you pay €{value}?" in capsys.readouterr().err


def test_yes_may_mean_below(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    words = [
        *RANGE,
        "--within",
        "0.5",
        "--question",
        "Too dear at {value}?",
        "--yes-means",
        "below",
    ]
    assert typed("q\n", words, monkeypatch) == 3
    assert "Yes means: the price is below the value in the question." in capsys.readouterr().out
    assert load("feint-search.jsonl").ask()[0].text == "Too dear at 60?"


def test_a_sheet_says_who_asks_and_no_cell_is_a_formula(capsys: Output) -> None:
    asking = ["--asker", "=Ada", "--introduction", EVIL]
    question = ["--question", "+{value}?", "--unit", "€"]
    words = [*RANGE, "--within", "0.5", *question, *asking]
    assert run(["run", *words, "--export-round", "1.csv"]) == 0
    (row,) = csv.DictReader(Path("1.csv").read_text("utf-8").splitlines())
    assert row == {
        "id": "q0.0",
        "label": "price",
        "value": "60",
        "question": "'+60?",
        "asker": "'=Ada",
        "introduction": f"'{EVIL.replace('|', '|')}",
        "answer": "",
    }
    for number in range(1, 10):
        by_rule(f"{number}.csv")
        taken = ["run", "--resume", "--import-answers", f"{number}.csv"]
        assert run([*taken, "--export-round", f"{number + 1}.csv"]) == 0
        if load("feint-search.jsonl").done:
            break
    out = capsys.readouterr().out
    assert "The price is €" in out


def test_a_sheet_without_a_preface_is_as_it_was(capsys: Output) -> None:
    assert run(["run", *RANGE, "--within", "0.5", "--export-round", "-"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "id,label,value,question,answer"


def test_status_and_result_have_the_deal(capsys: Output) -> None:
    assert run(["run", *WORDED, "--oracle", "test 61 -ge {q}", "--json"]) == 0
    deal = json.loads(capsys.readouterr().out)["deal"]
    promise = (
        "You learn the price to within ±€0.5; a watcher gets within ±€2.5 at most 1 time in 4."
    )
    assert deal.startswith("It took ")
    assert deal.endswith(promise)
    assert run(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["deal"].endswith(promise)
