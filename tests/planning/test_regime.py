"""Where the theorems end and plans go on: delta below twice epsilon, and level 1."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.examples import examples

from feint import Problem, UnknownMethod, plan
from feint.bounds import table
from feint.branches import success
from feint.cli.app import run
from feint.planning import methods

OURS = {"feint.lower", "converse.lower"}
"""Bounds that do not rest on the paper's theorems."""


def test_delta_may_be_below_two_epsilon() -> None:
    """The family's proof needs no 2ε ≤ δ; below it the paper's theorems say nothing.

    Three halvings end in pieces of 1/4 before the last answer, of which δ = 1/10 catches 2/5.
    """
    problem = Problem("1/8", "1/10", 2)
    found = plan(problem)
    assert (found.queries, found.adversary_success) == (3, Fraction(2, 5))
    assert found.private
    assert methods(problem)[:3] == ("tight", "bisection", "grid")
    with pytest.raises(UnknownMethod, match="where delta is below 2·epsilon"):
        plan(problem, method="paper")
    assert not any(row.applies for row in table(problem) if row.name not in OURS)


@given(st.integers(2, 20), st.integers(1, 40), st.integers(2, 12))
@examples(30)
def test_below_two_epsilon_the_claim_is_what_is_enumerated(
    cells: int, share: int, level: int
) -> None:
    epsilon = Fraction(1, cells)
    delta = epsilon * Fraction(share, 20)
    assume(delta * level <= 1)
    found = plan(Problem(epsilon, delta, level))
    assert success(found.strategy) == found.adversary_success
    assert success(found.strategy) * level <= 1


@pytest.mark.parametrize(
    ("fields", "queries"),
    [
        ({}, 7),
        ({"dim": 3}, 21),
        ({"setting": "deterministic"}, 7),
        ({"p": 0.9, "confidence": 0.9}, None),
        ({"p": 0.9, "confidence": 0.9, "dim": 2}, None),
    ],
)
def test_at_level_1_nothing_is_hidden(fields: dict[str, Any], queries: int | None) -> None:
    """⌈log 100⌉ = 7 questions a coordinate; under noise as many answers as a search by itself."""
    problem = Problem("1/100", "1/200", 1, **fields)
    found = plan(problem, method="fixed" if problem.noisy else "tight")
    alone = plan(problem, method="bz" if problem.noisy else "bisection")
    assert found.private
    assert found.queries == alone.queries == (queries or alone.queries)
    assert not any(row.applies for row in table(problem) if row.name not in OURS)
    with pytest.raises(UnknownMethod):
        plan(problem, method="paper")


def test_the_command_line_says_that_nothing_is_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "--epsilon", "0.01", "--delta", "0.1", "--level", "1"]) == 0
    assert "At level 1 nothing is hidden: tight is bisection." in capsys.readouterr().out
