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
    said = capsys.readouterr().out
    assert "does not cover both" not in said
    assert "what was promised of one search holds for all of them" in said
    assert "For a number that has moved nothing is promised" in said


def test_a_fresh_key_is_warned_of_with_its_cost(capsys: pytest.CaptureFixture[str]) -> None:
    assert searched(*SPARE, "--state", "one.jsonl") == 0
    capsys.readouterr()
    assert searched("--again", "one.jsonl", "--fresh-key", "--state", "two.jsonl") == 0
    said = capsys.readouterr().out
    assert (
        "If the number is the same, an eavesdropper who hears both wins with 22.2 %, not 13.3 %."
        in said
    )
    assert "searched with 2 keys" in " ".join(said.split())
    assert "with odds of at most" not in said
    assert searched("--again", "two.jsonl", "--fresh-key", "--state", "two-more.jsonl") == 0
    assert (
        "an eavesdropper who hears all 3 wins with 28.1 %, not 13.3 %." in capsys.readouterr().out
    )
    assert searched(*SPARE, "--repeatable", "--state", "three.jsonl") == 0
    assert searched("--again", "three.jsonl", "--fresh-key", "--state", "four.jsonl") == 0
    assert "an eavesdropper who hears both" not in capsys.readouterr().out


def test_what_does_not_fit(capsys: pytest.CaptureFixture[str]) -> None:
    assert searched(*SPARE, "--state", "one.jsonl") == 0
    assert searched("--again", "one.jsonl", "--state", "one.jsonl") == 2
    assert "its own file" in capsys.readouterr().err
    assert searched("--again", "one.jsonl", "--level", "5", "--state", "two.jsonl") == 2
    assert searched("--again", "one.jsonl", "--state", "none/two.jsonl") == 4
    assert "--state none/two.jsonl: cannot be made" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--fresh-key", *SPARE],
            "--fresh-key: this is for the next search for the number of a file, and every other key"
            " is fresh; name the file with --again, or leave it out",
        ),
        (["--fresh-key", "--resume"], "name the file with --again"),
        (["--again", "one.jsonl", "--resume"], "--resume with --again: one goes on with a search"),
        (
            ["--again", "nosuch.jsonl"],
            "--again nosuch.jsonl: there is no such file, so no search was",
        ),
        (
            ["--again", "one.jsonl", "--seed", "3", "--state", "two.jsonl"],
            "--seed 3: another search for the number of a file takes its plan and its coins from",
        ),
        (
            ["--again", "one.jsonl", "--state", "other.jsonl"],
            "--state other.jsonl: this file exists already, and the new search needs its",
        ),
        (
            ["--resume", "--repeatable", "--state", "one.jsonl"],
            "--repeatable: the search in one.jsonl is for something else, a plan with coins",
        ),
    ],
)
def test_what_is_refused_is_named_as_it_was_typed(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert searched(*SPARE, "--state", "one.jsonl") == 0
    assert searched(*SPARE, "--state", "other.jsonl") == 0
    capsys.readouterr()
    assert searched(*words) == 2
    assert said in capsys.readouterr().err


def test_under_noise_the_cost_is_said_before_anything_is_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    noisy = ["--epsilon", "1/20", "--delta", "1/5", "--level", "2", "--p", "0.9"]
    assert searched(*noisy, "--confidence", "0.9", "--state", "one.jsonl") == 0
    assert searched("--again", "one.jsonl", "--state", "two.jsonl") == 2
    said = capsys.readouterr().err
    assert "no key asks the same again" in said
    assert "an eavesdropper who hears both wins with" in said
    assert not Path("two.jsonl").exists()


def document(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> Any:
    assert run([*words, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def test_audits_beyond_one_search(capsys: pytest.CaptureFixture[str]) -> None:
    """The figures of docs/how-to/again.md."""
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


NOISY = ["audit", "--epsilon", "1/20", "--delta", "1/5", "--level", "2", "--p", "0.9"]
NINTHS = ["plan", "--epsilon", "1/9", "--delta", "2/9", "--level", "3", "--method", "optimal"]
LARGE = ["audit", "--epsilon", "2^-20", "--delta", "2^-8", "--level", "15", "--repeat", "2"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*NOISY, "--knows", "last"], "--knows last: under noise no answer is known; leave --know"),
        ([*NOISY, "--hears", "every(2)"], "--hears every(2): under noise every question is heard"),
        ([*NOISY, "--repeat", "2"], "feint: no --fresh-keys: under noise no key asks the same aga"),
        ([*NOISY, "--repeat", "2", "--lemmas"], "feint: --lemmas: of several searches, or who h"),
        ([*AUDIT, "--fresh-keys"], "feint: --fresh-keys: this needs several searches, and the"),
        ([*AUDIT, "--motion", "steps(1/25)"], "--motion steps(1/25): this needs several searc"),
        (
            [*AUDIT, "--repeat", "2", "--motion", "steps(1/999)"],
            "--motion steps(1/999): moves must be multiples of 0.04",
        ),
        ([*AUDIT, "--hears", "rounds(9)"], "--hears rounds(9): this search has rounds 1 to 2"),
        ([*AUDIT, "--repeat", "2", "--adversary", "last"], "--adversary last: of several search"),
        (
            ["simulate", *SPARE, "--repeat", "2"],
            "has no --repeat; did you mean feint audit --repeat?",
        ),
        (
            [*NINTHS, "--repeatable"],
            "feint: --repeatable: method optimal tosses coins, and a second search with others"
            ' reveals more; use --method "tight", or leave --repeatable out and keep the key',
        ),
        (
            [*NINTHS, "--setting", "deterministic"],
            "in the deterministic setting it is limited to whole values, or ticks of width 1/9"
            " that fill the range, at most 12",
        ),
        (
            [*LARGE, "--fresh-keys"],
            "are held at once to audit several searches, or who hears what; sample: give --runs 1",
        ),
    ],
)
def test_errors_quote_what_was_typed(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    assert said in capsys.readouterr().err


def test_a_picture_of_several_searches(capsys: pytest.CaptureFixture[str]) -> None:
    words = [*AUDIT, "--repeat", "4", "--fresh-keys", "--plot", "again.png"]
    assert run(words) == 1
    assert Path("again.png").stat().st_size > 10_000
