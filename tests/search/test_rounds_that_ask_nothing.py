"""Rounds that ask nothing, recorded once or several times, are gone through once."""

from typing import Any

import pytest
from tests.support.price import KEY

from feint import Plan, Problem, Search
from feint.errors import BadState, ReplayDiffers
from feint.interfaces import Round
from feint.strategies import Scalar

ASK, REST = Round("ask", (0,)), Round("rest", ())


def pausing(rests: int) -> Plan:
    """A question, so many rounds that ask nothing, and a question by the first one's answer."""
    rounds = (ASK, *[REST] * rests, ASK)

    def function(told: Any, _: Any) -> tuple[int, ...]:
        if rounds[len(told)] is REST:
            return ()
        return ((6,) if told[0][0] else (2,)) if told else (4,)

    return Plan.of(Scalar(Problem("1/4", "1/2", 2), 8, rounds, function))


def recorded(rests: int, broken: tuple[int, ...]) -> tuple[Search, list[Any]]:
    """A search whose records of these numbers were interrupted, and all that was recorded."""
    events: list[Any] = []

    def record(event: Any) -> None:
        events.append(event)
        if len(events) - 1 in broken:
            raise KeyboardInterrupt

    search = Search(pausing(rests), key=KEY, record=record)
    search.tell(search.ask()[0].id, True)
    for _ in broken:
        with pytest.raises(KeyboardInterrupt):
            search.ask()
    (query,) = search.ask()
    assert query.round == rests + 1
    return search, events


@pytest.mark.parametrize(
    ("rests", "broken"),
    [(1, ()), (1, (2,)), (1, (2, 3)), (2, ()), (2, (2,)), (2, (3,)), (2, (2, 4)), (3, (4,))],
)
def test_a_rest_that_was_interrupted_and_recorded_again_is_one_rest(
    rests: int, broken: tuple[int, ...]
) -> None:
    """The record holds it once more for each interrupt, and what follows is the same."""
    search, events = recorded(rests, broken)
    asked = [each["ask"] for each in events if "ask" in each]
    assert asked == [[4], *[[]] * (rests + len(broken)), [6]]
    other = Search(search.plan, key=KEY)
    other.follow(events)
    assert other.round == search.round == rests + 1
    assert other.ask() == search.ask()
    assert other.history == search.history
    for each in (search, other):
        each.tell(each.ask()[0].id, False)
        assert each.done
    assert other.result == search.result


def test_a_rest_that_the_plan_does_not_have_is_refused() -> None:
    """Before the first round, and after one that asked something: nothing was recorded twice."""
    search = Search(pausing(0), key=KEY)
    with pytest.raises(ReplayDiffers, match="round 0 would not ask"):
        search.follow([{"round": 0, "ask": []}])
    search.tell(search.ask()[0].id, True)
    with pytest.raises(ReplayDiffers, match="round 1 would not ask"):
        search.follow([{"round": 1, "ask": []}])
    assert search.ask()[0].round == 1


def test_a_rest_after_the_end_is_refused() -> None:
    search, _ = recorded(1, ())
    search.tell(search.ask()[0].id, True)
    with pytest.raises(BadState):
        search.follow([{"round": 3, "ask": []}])


def test_a_round_that_asks_what_the_one_before_did_is_another_round() -> None:
    """Recorded twice while it is open it is one; once it is answered the next begins."""
    twice = Plan.of(Scalar(Problem("1/4", "1/2", 2), 8, (ASK, ASK), lambda *_: (4,)))
    events: list[Any] = []
    search = Search(twice, key=KEY, record=events.append)
    for _ in range(2):
        search.tell(search.ask()[0].id, True)
    first, told, second, last = events
    other = Search(twice, key=KEY)
    other.follow([first, first, told])
    assert (other.round, other.open) == (0, 0)
    other.follow([second, second])
    assert (other.round, other.open) == (1, 1)
    other.follow([last])
    assert other.history == search.history
    assert other.done
