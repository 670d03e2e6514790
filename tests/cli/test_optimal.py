"""`feint optimal` and `feint atlas`: what they print, and what they refuse."""

import json
from fractions import Fraction

import pytest

from feint.cli.app import run

Output = pytest.CaptureFixture[str]
GAME = ["optimal", "--cells", "8", "--delta-cells", "2"]


def test_the_value_as_a_fraction(capsys: Output) -> None:
    assert run([*GAME, "--queries", "5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["value"] == found["lower"] == found["upper"] == "7/16"
    assert (found["cells"], found["delta_cells"], found["queries"]) == (8, 2, 5)


def test_the_fewest_questions_for_a_level(capsys: Output) -> None:
    assert run([*GAME, "--level", "2"]) == 0
    shown = capsys.readouterr().out
    assert "4 questions" in shown
    assert "1/2" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*GAME], "one of --queries and --level"),
        ([*GAME, "--queries", "2"], "--queries 2: 3 queries are needed"),
        (
            ["optimal", "--cells", "8", "--delta-cells", "5", "--level", "2"],
            "give --delta-cells 4 or",
        ),
        (["atlas", "--cells", "40"], "--cells 40"),
    ],
)
def test_refusals(words: list[str], message: str, capsys: Output) -> None:
    assert run(words) == 2
    assert message in capsys.readouterr().err


def test_a_small_atlas(capsys: Output) -> None:
    """Every bracket holds and closes; ours is nowhere above the optimum up to 6 cells."""
    assert run(["atlas", "--cells", "6", "--worst-cells", "6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    for entry in found["values"]:
        assert Fraction(entry["lower"]) == Fraction(entry["upper"]) == Fraction(entry["value"])
    for row in found["bayesian"]:
        assert row["tight_whole"] == row["optimum"] >= row["lower_bound"]
        assert row["gap"] in (None, 0)
        assert row["lower"] is None or Fraction(row["lower"]) <= row["optimum"]
    for row in found["deterministic"]:
        assert row["lower_bound"] <= row["optimum"] <= row["tight_whole"]
        assert row["lower"] is None or Fraction(row["lower"]) <= row["optimum"]


def test_an_atlas_is_a_page(capsys: Output) -> None:
    assert run(["atlas", "--cells", "4", "--worst-cells", "4"]) == 0
    page = capsys.readouterr().out
    assert "Made by `feint atlas --cells 4 --worst-cells 4`" in page
    assert "| 4 | 2 | 2 | 5 | 3 | 3 | 3 | 0 | 3 | 0 |" in page


def test_the_optimum_as_a_method(capsys: Output) -> None:
    words = ["plan", "--epsilon", "1/6", "--delta", "1/2", "--level", "2", "--method", "optimal"]
    assert run([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["plans"][0]
    assert (found["queries"], found["certificate"], found["private"]) == (5, "exact", True)
    words[2], words[4] = "1/100", "1/10"
    assert run(words) == 2
    assert "optimal" in capsys.readouterr().err
