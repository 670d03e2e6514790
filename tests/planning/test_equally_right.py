"""The promise under noise is for answers that are all right equally often: what says so, and why.

All answers to a small plan are tried, and nothing of `feint.planning` or `feint.audit` is used for
what an eavesdropper wins.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.fixed import any_plan, plan

from feint import Domain, Plan, Search
from feint.audit import audit
from feint.cli.app import run
from feint.interfaces import take

ROOT = Path(__file__).parents[2]
CONDITION = "all answers are right equally often"
TWELVE = Domain(1, 12, step=1)
Right = Callable[[NDArray[np.int64], NDArray[np.int64]], Any]


@pytest.fixture(scope="module")
def found() -> Plan:
    wanted = TWELVE.problem(delta=1, level=2, p="0.8", confidence="0.6")
    return plan(wanted, domain=TWELVE)


def won(found: Plan, right: Right) -> float:
    """What the best eavesdropper wins with; `right` is the chance of a right answer, by place."""
    strategy, values = found.strategy, np.arange(found.cells[0])
    state: Any = strategy.start(1)
    chance, heard = np.ones((1, len(values))), np.empty((1, 0), np.int64)
    for round_ in strategy.rounds:
        while (sides := strategy.coin(state)) is not None:
            index, side = np.nonzero(sides)
            chance = chance[index] * (sides[index, side] / sides.sum(axis=1)[index])[:, None]
            heard, state = heard[index], strategy.toss(take(state, index), side)
        asked = strategy.ask(state)
        index, told = np.arange(len(asked)), np.empty((len(asked), 0), bool)
        for column in range(len(round_.coordinates)):
            point = asked[index, column][:, None]
            p, above = right(values, point), values >= point
            chance = np.concatenate([chance * np.where(above == yes, p, 1 - p) for yes in (0, 1)])
            answer = np.repeat([False, True], len(told))[:, None]
            told = np.concatenate([np.tile(told, (2, 1)), answer], axis=1)
            index = np.tile(index, 2)
        heard = np.concatenate([heard[index], asked[index]], axis=1)
        state = strategy.tell(take(state, index), told)
    assert chance.sum() == pytest.approx(len(values))
    transcripts, of = np.unique(heard, axis=0, return_inverse=True)
    mass = np.zeros((len(transcripts), len(values)))
    np.add.at(mass, of.reshape(-1), chance)
    return float(mass.max(axis=1).sum()) / len(values)


def nearest(values: NDArray[np.int64], point: NDArray[np.int64]) -> Any:
    """0.8 at the two boundaries next to the number, and 0.9999 at all others."""
    return np.where((point == values) | (point == values + 1), 0.8, 0.9999)


def test_answers_of_unequal_reliability_break_the_promise(found: Plan) -> None:
    """Every answer is right with probability 0.8 or more, and she wins more than 1 time in 2."""
    assert found.private
    assert won(found, nearest) == pytest.approx(0.5275, abs=1e-4)


@pytest.mark.parametrize("p", [0.8, 0.85, 0.9, 0.99, 0.9999])
def test_any_equal_reliability_from_the_promised_one_upwards_keeps_it(
    found: Plan, p: float
) -> None:
    assert found.adversary_success is not None
    assert won(found, lambda _values, _point: p) <= float(found.adversary_success)


def test_a_plan_says_so(found: Plan) -> None:
    for words in (str(found), found._repr_html_(), json.dumps(found.to_dict())):
        assert CONDITION in " ".join(words.split())
    assert "with probability 0.8 or better" in found.condition
    quiet = any_plan(TWELVE.problem(delta=1, level=2), domain=TWELVE)
    assert quiet.condition == ""
    assert quiet.to_dict()["condition"] is None
    assert "equally often" not in str(quiet)


def test_a_report_says_so(found: Plan) -> None:
    report = audit(found, runs=20)
    for words in (str(report), json.dumps(report.to_dict())):
        assert "all are right equally often" in " ".join(words.split())


def test_a_result_says_so(found: Plan) -> None:
    search = Search(found)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, query.value <= 5)
    assert CONDITION in " ".join(str(search.result).split())


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_the_command_says_so(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ["--low", "1", "--high", "12", "--step", "1", "--delta", "1", "--level", "2"]
    noise = ["--p", "0.8", "--confidence", "0.6"]
    assert run(["plan", *wanted, *noise, *more]) == 0
    assert CONDITION in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "page", ["README.md", "docs/how-to/noise.md", "docs/reference/glossary.md", "proofs/noisy.md"]
)
def test_the_pages_say_so(page: str) -> None:
    words = " ".join((ROOT / page).read_text("utf-8").replace("*", "").split())
    assert "right equally often" in words
