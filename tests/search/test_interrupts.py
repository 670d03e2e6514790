"""Interrupts between a record and what it records, and threads that come between."""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any

import pytest
from tests.support.price import KEY, advance, price_plan

from feint import Search
from feint.errors import (
    SearchDone,
)


def test_an_interrupt_between_the_record_and_the_round_does_no_harm() -> None:
    events: list[Any] = []

    def record(event: Any) -> None:
        events.append(event)
        if len(events) in (1, 3):
            raise KeyboardInterrupt

    search = Search(price_plan(), key=KEY, record=record)
    with pytest.raises(KeyboardInterrupt):
        search.ask()
    (query,) = search.ask()
    with pytest.raises(KeyboardInterrupt):
        search.tell(query.id, True)
    search.tell(query.id, False)
    assert search.ask()[0].shown == "34.8"
    again = Search.replayed(search.header(), events)
    assert again.to_json() == search.to_json()


def test_a_last_answer_that_was_interrupted_and_told_again() -> None:
    """It is on the disk twice, perhaps with another answer the second time: the last one counts."""
    events: list[Any] = []
    broken = False

    def record(event: Any) -> None:
        events.append(event)
        if broken:
            raise KeyboardInterrupt

    for answer in (True, False):
        events.clear()
        search = Search(price_plan(), key=KEY, record=record)
        while search.answered < 56:
            query = search.ask()[0]
            search.tell(query.id, query.value <= 42)
        (query,) = search.ask()
        broken = True
        with pytest.raises(KeyboardInterrupt):
            search.tell(query.id, True)
        broken = False
        assert not search.done
        search.tell(query.id, answer)
        again = Search.replayed(search.header(), events)
        assert again.done
        assert again.result == search.result


def test_an_answer_may_change_until_a_round_is_shown_though_it_was_recorded() -> None:
    """Recorded, and interrupted before it was shown: the round before it is still open."""
    events: list[Any] = []

    def record(event: Any) -> None:
        events.append(event)
        if len(events) == 3:
            raise KeyboardInterrupt

    search = Search(price_plan(), key=KEY, record=record)
    (query,) = search.ask()
    search.tell(query.id, True)
    with pytest.raises(KeyboardInterrupt):
        search.ask()
    search.tell(query.id, False)
    assert Search.replayed(search.header(), events).to_json() == search.to_json()
    assert search.ask()[0].shown == "34.8"
    assert Search.replayed(search.header(), events).to_json() == search.to_json()


@pytest.mark.parametrize("change", ["other", "back"])
def test_a_change_that_was_recorded_and_interrupted_does_no_harm(change: str) -> None:
    """The record holds the change, and the search does not: before it goes on both are the same."""
    events: list[Any] = []
    broken = False

    def record(event: Any) -> None:
        events.append(event)
        if broken:
            raise KeyboardInterrupt

    search = Search(price_plan(), key=KEY, record=record)
    (query,) = search.ask()
    search.tell(query.id, True)
    broken = True
    other, back = partial(search.tell, query.id, False), partial(search.take_back, query.id)
    with pytest.raises(KeyboardInterrupt):
        {"other": other, "back": back}[change]()
    broken = False
    assert search.ask()[0].shown == "84.8"  # by the answer that counts
    again = Search.replayed(search.header(), events)
    assert again.to_json() == search.to_json()


def test_an_answer_that_was_recorded_and_interrupted_can_be_taken_back() -> None:
    events: list[Any] = []
    broken = True

    def record(event: Any) -> None:
        events.append(event)
        if broken and "tell" in event:
            raise KeyboardInterrupt

    search = Search(price_plan(), key=KEY, record=record)
    (query,) = search.ask()
    with pytest.raises(KeyboardInterrupt):
        search.tell(query.id, True)
    broken = False
    search.take_back(query.id)
    again = Search.replayed(search.header(), events)
    assert again.to_json() == search.to_json()
    assert again.ask() == (query,)


class Slow(Search):
    """Every step of telling and of showing leaves time for another thread to come between."""

    showing: Event

    def _take(self, at: tuple[int, int], above: bool | None) -> None:
        first = self._ledger.answer(at) is None
        time.sleep(0.001)
        super()._take(at, above)
        if not first:
            raise RuntimeError("two threads told the same query")

    def _show(self, state: Any, points: list[int]) -> None:
        if self.round == len(self._ledger.widths) - 2:
            self.showing.set()
            time.sleep(0.02)
        super()._show(state, points)
        time.sleep(0.02)


def test_threads_do_not_come_between() -> None:
    """Four threads ask and tell at once: each answer and each round is recorded once."""
    events: list[Any] = []

    def record(event: Any) -> None:
        time.sleep(0.001)
        events.append(event)

    search = Slow(price_plan(), key=KEY, record=record)
    search.showing = Event()

    def work(_: int) -> None:
        while not search.done:
            try:
                for query in search.ask():
                    search.tell(query.id, query.value <= 42)
            except SearchDone:
                return

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert search.done
    assert len(events) == len({str(event) for event in events}) == 57 + 9
    assert search.answered == 57


def test_it_is_not_done_while_the_last_round_is_being_shown() -> None:
    search = Slow(price_plan(), key=KEY)
    search.showing = Event()
    advance(search, 42, 8)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(search.ask)
        assert search.showing.wait(10)
        seen = [(search.done, search.round) for _ in range(20)]
        assert len(asked.result()) == 8
    assert seen == [(False, 8)] * 20
