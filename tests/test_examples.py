"""The programs in examples/ run as they are, and say what they promise."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.examples import later

PRICING = Path(__file__).parents[1] / "examples" / "pricing" / "pricing.py"
NUMBER = r"(\d+(?:\.\d+)?)"


@pytest.mark.long  # a plan takes seconds
def test_pricing_finds_a_price_and_draws_what_the_competitor_makes_of_it(tmp_path: Path) -> None:
    picture = tmp_path / "drawn.png"
    words = [sys.executable, "-W", "error", str(PRICING), str(picture), "--seed", "7"]
    run = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    found, true, asked, competitor, drawn = run.stdout.splitlines()
    said = rf"price found +{NUMBER}, within {NUMBER} of the true one with probability {NUMBER}"
    price, within, probability = _numbers(said, found)
    assert (within, probability) == (2, 0.9)  # epsilon is 4
    (truth,) = _numbers(rf"true price +{NUMBER}", true)
    assert abs(price - truth) <= within
    says = rf"asked +{NUMBER} customers in {NUMBER} rounds; {NUMBER} on average"
    customers, rounds, mean = _numbers(says, asked)
    assert 100 < customers < 3000  # what an analyst has
    assert 100 < mean < 2000
    assert rounds < 150
    says = rf"best guess {NUMBER}, right with probability {NUMBER}; on average at most {NUMBER}"
    guess, sure, most = _numbers(rf"competitor +{says}", competitor)
    assert 10 <= guess <= 110
    assert 0.16 <= sure < 1  # what she has who hears nothing
    assert most <= 0.333
    assert drawn.split(maxsplit=1) == ["picture", str(picture)]
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--seed", "-1"], "seed = -1: must be a whole number"),
        pytest.param(["drawn.xyz"], "drawn.xyz: must end in one of", marks=pytest.mark.long),
        pytest.param(["nowhere/drawn.png"], "must be a file in a folder", marks=pytest.mark.long),
    ],
)
def test_pricing_refuses_before_it_searches(words: list[str], said: str, tmp_path: Path) -> None:
    program = [sys.executable, str(PRICING), *words]
    run = subprocess.run(program, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (run.returncode, run.stdout) == (2, "")
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def _numbers(pattern: str, line: str) -> list[float]:
    match = re.fullmatch(pattern, line)
    assert match, line
    return [float(each) for each in match.groups()]


@pytest.mark.parametrize(
    "program", later(["roots/evaluations.py", "bisect/commits.py"], {"roots/evaluations.py"})
)
def test_what_an_observer_sees_is_drawn(program: str, tmp_path: Path) -> None:
    picture = tmp_path / "drawn.png"
    path = Path(__file__).parents[1] / "examples" / program
    subprocess.run([sys.executable, "-W", "error", str(path), str(picture)], check=True)
    assert picture.read_bytes().startswith(b"\x89PNG")
