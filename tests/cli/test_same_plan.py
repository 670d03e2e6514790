"""The same flags of a problem are the same plan, or it is said which plan a search follows."""

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
    found["simulate"] = int(said.removeprefix("at most ").split()[0])
    Path("search.jsonl").unlink(missing_ok=True)
    assert run(["run", *words, *ORACLE, "--json", "--state", "search.jsonl"]) == 0
    asked = json.loads(capsys.readouterr().out)["queries"]  # a search may end early
    found["run"] = load("search.jsonl").plan.queries
    assert asked <= found["run"]
    return found


@pytest.mark.parametrize(("units", "counts"), [([], [6, 6, 6, 7]), (UNIT, [7, 7, 7, 7])])
def test_every_command_has_the_plan_that_is_shown(
    units: list[str], counts: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    """Ninths need 6 questions (docs/how-to/again.md); at decimals, which no ninth is, 7."""
    assert list(queries([*NINTHS, *units], capsys).values()) == counts


@pytest.mark.parametrize("command", ["plan", "audit", "simulate"])
def test_every_plan_says_that_a_search_asks_at_decimals(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"simulate": ["--runs", "10"]}.get(command, [])
    said = "feint run asks at decimals: add --low 0 --high 1 to see its plan."
    assert run([command, *NINTHS, *more]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    assert run([command, *NINTHS, *UNIT, *more]) == 0
    assert said not in " ".join(capsys.readouterr().out.split())


def test_the_promise_of_a_search_is_about_what_is_shown() -> None:
    assert run(["run", *NINTHS, *ORACLE]) == 0
    assert load("feint-search.jsonl").plan.scales is not None
