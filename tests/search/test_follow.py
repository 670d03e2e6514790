"""A search that follows what another process recorded stands where that one does."""

import pytest

from feint import BadState, Problem, Search, UnknownQuery, plan
from feint.search import Event

PLAN = plan(Problem("1/64", "1/12", 3))


def test_who_follows_asks_the_same() -> None:
    kept: list[Event] = []
    first = Search.replayed(Search(PLAN).header(), [], record=kept.append)
    second = Search.from_json(first.to_json())
    while not first.done:
        for query in first.ask():
            first.tell(query.id, query.value <= PLAN.problem.delta)
        second.follow(kept)
        kept.clear()
        assert second.current == first.current
    assert second.result == first.result


def test_what_does_not_follow_is_refused() -> None:
    search = Search(PLAN)
    with pytest.raises(BadState):
        search.follow([{"tell": "q0.0", "yes": True}])


def test_told_is_the_answer() -> None:
    search = Search(PLAN, yes_means="below")
    (first, *_) = search.ask()
    assert search.told(first.id) is None
    for answer in (True, False):
        search.tell(first.id, answer)
        assert search.told(first.id) is answer
    with pytest.raises(UnknownQuery):
        search.told("q999.0")
