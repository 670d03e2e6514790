"""What is too large is refused by name, before it takes hours."""

from typing import Any

import pytest

from feint import Problem, TooLarge, plan
from feint.audit import BestReply, audit, best
from feint.audit.sequence import beliefs, outcomes
from feint.audit.sequence import sampled as several

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
    monkeypatch.setattr(best, "_REMEMBERED", count)
    BestReply(NINTHS.strategy)
    monkeypatch.setattr(best, "_REMEMBERED", count - 1)
    with pytest.raises(TooLarge, match=f"at most {count - 1} are remembered"):
        BestReply(NINTHS.strategy)
