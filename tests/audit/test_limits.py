"""What is too large is refused by name, before it takes hours."""

from fractions import Fraction
from typing import Any

import pytest
from tests.support.strategies import staged

from feint import Problem, TooLarge, plan
from feint.audit import BestReply, adversaries, audit, beliefs, outcomes
from feint.audit import sampled as several

NINTHS = plan(Problem("1/9", "2/9", 3))
SPARE = plan(Problem("1/26", "2/26", 3, values=26))


@pytest.mark.parametrize(
    ("room", "limit", "value", "given", "words"),
    [
        (outcomes, "HELD", 10, {"repeat": 2, "fresh_keys": True}, "too many|at most 10"),
        (beliefs, "_HELD", 10, {"repeat": 3, "fresh_keys": True}, "too many|at most 10"),
        (several, "_LARGEST", 20, {"repeat": 2, "fresh_keys": True, "runs": 9}, "coarser"),
    ],
)
def test_a_limit_is_said(
    room: Any, limit: str, value: int, given: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit(SPARE, **given)
    monkeypatch.setattr(room, limit, value)
    with pytest.raises(TooLarge, match=words):
        audit(SPARE, **given)


def test_replies_are_remembered_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    count = audit(NINTHS).transcripts
    assert count is not None
    BestReply(NINTHS.strategy)
    monkeypatch.setattr(adversaries, "_REMEMBERED", count)
    BestReply(NINTHS.strategy)
    monkeypatch.setattr(adversaries, "_REMEMBERED", count - 1)
    with pytest.raises(TooLarge, match=f"at most {count - 1} are remembered"):
        BestReply(NINTHS.strategy)


def test_equal_cells_are_counted_where_the_number_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six cells, and windows of a third: no finer place is needed, and six may be held."""
    grid = staged(Problem("1/6", "1/3", 2), 6, (), 1, 1, (6,))
    given: dict[str, Any] = {"hears": "nothing", "repeat": 2, "motion": "jump(1/2)"}
    monkeypatch.setattr(outcomes, "HELD", 6)
    assert audit(grid, **given).adversary_success == Fraction(1, 3)
    monkeypatch.setattr(outcomes, "HELD", 5)
    with pytest.raises(TooLarge) as refused:
        audit(grid, **given)
    assert str(refused.value) == (
        "cells = over 6: at most 5 are held at once to audit several searches, or who hears what;"
        " sample: give runs = 1000"
    )


def test_cells_on_which_mass_is_moved_are_counted_in_samples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    grid = staged(Problem("1/6", "1/3", 2), 6, (), 1, 1, (6,))
    given: dict[str, Any] = {"repeat": 2, "motion": "jump(1/2)", "runs": 2}
    monkeypatch.setattr(several, "_ATOMS", 6)
    assert audit(grid, **given).adversary_success == Fraction(333333, 10**6)  # a third
    monkeypatch.setattr(several, "_ATOMS", 5)
    with pytest.raises(TooLarge) as refused:
        audit(grid, **given)
    assert str(refused.value) == (
        "cells = 6: at most 5 of them are sampled; audit a coarser problem"
    )
