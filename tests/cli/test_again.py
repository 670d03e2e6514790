"""`feint run --again` and the flags of audits beyond one search."""

import json
from pathlib import Path
from typing import Any

import pytest

from feint.cli.app import run
from feint.search import load

pytestmark = pytest.mark.usefixtures("in_a_folder")

SPARE = ["--epsilon", "1/25", "--delta", "2/25", "--level", "7"]
ORACLE = ["--oracle", "awk 'BEGIN { exit !(0.3 >= {q}) }'"]
AUDIT = ["audit", *SPARE]


def searched(*words: str) -> int:
    return run(["run", *words, *ORACLE])


def points(path: str) -> list[int]:
    found: list[int] = load(Path(path)).transcript.points[0].tolist()
    return found


def test_the_same_number_again_asks_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert searched(*SPARE, "--state", "one.jsonl") == 0
    assert searched("--again", "one.jsonl", "--state", "two.jsonl") == 0
    assert points("one.jsonl") == points("two.jsonl")
    assert "more than was promised" not in capsys.readouterr().out


def test_a_fresh_key_is_warned_of_with_its_cost(capsys: pytest.CaptureFixture[str]) -> None:
    assert searched(*SPARE, "--state", "one.jsonl") == 0
    capsys.readouterr()
    assert searched("--again", "one.jsonl", "--fresh-key", "--state", "two.jsonl") == 0
    said = capsys.readouterr().out
    assert "Whoever hears both wins with 22.2 %, not 13.3 %." in said
    assert "searched with 2 keys" in " ".join(said.split())
    assert "with odds of at most" not in said
    assert searched("--again", "two.jsonl", "--fresh-key", "--state", "two-more.jsonl") == 0
    assert "Whoever hears all 3 wins with 28.1 %, not 13.3 %." in capsys.readouterr().out
    assert searched(*SPARE, "--repeatable", "--state", "three.jsonl") == 0
    assert searched("--again", "three.jsonl", "--fresh-key", "--state", "four.jsonl") == 0
    assert "Whoever hears both" not in capsys.readouterr().out


def test_what_does_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    assert searched(*SPARE, "--state", "one.jsonl") == 0
    assert searched("--again", "one.jsonl", "--state", "one.jsonl") == 2
    assert "file of its own" in capsys.readouterr().err
    assert searched("--fresh-key", *SPARE) == 2
    assert searched("--again", "one.jsonl", "--resume") == 2
    assert searched("--again", "one.jsonl", "--level", "5", "--state", "two.jsonl") == 2
    assert run(["run", "--resume", "--repeatable", "--state", "one.jsonl"]) == 2


def test_under_noise_the_cost_is_said_before_anything_is_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    noisy = ["--epsilon", "1/20", "--delta", "1/5", "--level", "2", "--p", "0.9"]
    assert searched(*noisy, "--confidence", "0.9", "--state", "one.jsonl") == 0
    assert searched("--again", "one.jsonl", "--state", "two.jsonl") == 2
    said = capsys.readouterr().err
    assert "no key asks the same again" in said
    assert "Whoever hears both wins with" in said
    assert not Path("two.jsonl").exists()


def document(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> Any:
    assert run([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_audits_beyond_one_search(capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of docs/again.md."""
    fresh = document([*AUDIT, "--repeat", "3", "--fresh-keys"], 1, capsys)
    assert fresh["successes"] == ["2/15", "2/9", "38/135"]
    same = document([*AUDIT, "--repeat", "3"], 0, capsys)
    assert same["successes"] == ["2/15", "2/15", "2/15"]
    silent = document([*AUDIT, "--hears", "nothing"], 0, capsys)
    assert silent["adversary_success"] == silent["blind"] == "2/25"
    known = document([*AUDIT, "--knows", "last"], 1, capsys)
    assert known["adversary_success"] == "1/5"
    drift = ["--low", "0", "--high", "25", "--epsilon", "1", "--delta", "2", "--level", "7"]
    words = ["audit", *drift, "--repeat", "2", "--motion", "steps(1)", "--repeatable"]
    assert len(document(words, 1, capsys)["successes"]) == 2
    assert run([*AUDIT, "--motion", "steps(1)"]) == 2
    assert "--repeat" in capsys.readouterr().err


def test_a_picture_of_several_searches(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*AUDIT, "--repeat", "4", "--fresh-keys", "--plot", "again.png"]
    assert run(words) == 1
    assert Path("again.png").stat().st_size > 10_000
