"""The same flags of a problem are the same plan, whichever command they are given to."""

import json
from pathlib import Path

import pytest

from feint.cli.app import run
from feint.search import load

pytestmark = pytest.mark.usefixtures("in_a_folder")

NINTHS = ["--epsilon", "1/9", "--delta", "2/9", "--level", "3"]
UNIT = ["--low", "0", "--high", "1"]
ORACLE = ["--oracle", "awk 'BEGIN { exit !(0.3 >= {q}) }'"]


def queries(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, int]:
    """The number of questions that each command speaks of."""
    found: dict[str, int] = {}
    assert run(["plan", *words, "--json"]) == 0
    found["plan"] = json.loads(capsys.readouterr().out)["plans"][0]["queries"]
    assert run(["audit", *words, "--json"]) == 0
    found["audit"] = json.loads(capsys.readouterr().out)["queries"]
    assert run(["simulate", *words, "--runs", "10"]) == 0
    said = capsys.readouterr().out.split("Method tight: ")[1]
    found["simulate"] = int(said.split()[0])
    Path("search.jsonl").unlink(missing_ok=True)
    assert run(["run", *words, *ORACLE, "--json", "--state", "search.jsonl"]) == 0
    found["run"] = json.loads(capsys.readouterr().out)["queries"]
    return found


@pytest.mark.parametrize(("units", "count"), [([], 6), (UNIT, 7)])
def test_every_command_has_the_same_plan(
    units: list[str], count: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ninths need 6 questions (docs/again.md); at decimals, which no ninth is, 7."""
    assert set(queries([*NINTHS, *units], capsys).values()) == {count}


@pytest.mark.parametrize("command", ["plan", "audit", "simulate", "run"])
def test_every_command_says_what_becomes_of_questions_that_are_no_decimals(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"simulate": ["--runs", "10"], "run": ORACLE}.get(command, [])
    assert run([command, *NINTHS, *more]) == 0
    assert "at the nearest multiple of 0.00000001" in capsys.readouterr().out
    if command == "run":
        assert load("feint-search.jsonl").plan.scales is None
        Path("feint-search.jsonl").unlink()
    assert run([command, *NINTHS, *UNIT, *more]) == 0
    assert "nearest multiple" not in capsys.readouterr().out
