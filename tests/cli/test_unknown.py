"""Answers of unknown reliability at the command line: as typed, in results, in resumed searches."""

import json
from pathlib import Path
from typing import Any

import pytest

from feint.cli.app import run

WORDS = ["--low", "1", "--high", "40", "--step", "1", "--delta", "3", "--level", "2"]
NOISE = ["--p", "0.82..0.88", "--confidence", "0.8"]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_plan_says_what_is_believed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", *WORDS, *NOISE, "--json"]) == 0
    found: Any = json.loads(capsys.readouterr().out)
    assert found["problem"]["p"] == "41/50..22/25"
    assert found["problem"]["p_float"] is None
    assert [each["method"] for each in found["plans"]] == ["tight"]
    assert "for every such p" in found["plans"][0]["condition"]
    assert not any(each["applies"] for each in found["bounds"])
    assert run(["plan", *WORDS, *NOISE]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "p = 0.82 to 0.88, confidence = 0.8" in shown
    assert "on average over the prior of p" in shown


def test_the_owner_is_told_how_often_answers_were_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["run", *WORDS, *NOISE, "--oracle", "test 17 -ge {q}"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Answers were right about 100 % of the time" in shown
    assert run(["run", "--resume", "--json"]) == 0
    right, told = json.loads(capsys.readouterr().out)["agreement"]
    assert right == told > 10


def test_a_range_may_be_typed_again_in_any_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", *WORDS, *NOISE, "--export-round", "1.csv"]) == 0
    assert run(["run", "--resume", "--p", "0.8..0.9", "--oracle", "test 17 -ge {q}"]) == 2
    assert "the search in feint-search.jsonl is for something else, 0.82 to 0.88" in (
        capsys.readouterr().err
    )
    again = ["--resume", "--p", "41/50 .. 0.88", "--confidence", ".8"]
    assert run(["run", *again, "--oracle", "test 17 -ge {q}"]) == 0


def test_a_wrong_range_is_refused_by_its_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", *WORDS, "--p", "0.9..0.6", "--confidence", "0.8"]) == 2
    assert "--p 0.9..0.6: a range begins below its end" in capsys.readouterr().err
    assert run(["plan", *WORDS, "--p", "0.9+"]) == 2
    assert "--confidence" in capsys.readouterr().err
