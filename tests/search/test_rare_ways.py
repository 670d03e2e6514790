"""Ways that few searches go: rounds that ask nothing, places past the range, writes that fail."""

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.support import saved
from tests.support.price import KEY
from tests.support.saved import SAVED
from tests.support.strategies import staged, staged_noisy

from feint import Domain, Plan, Problem, Search, find, find_async
from feint.errors import InvalidValue
from feint.interfaces import Estimate, Round
from feint.problem import YES_MEANS
from feint.search import Event, create, create_again, load, named, prepared
from feint.simulate.oracles import Hidden
from feint.strategies import (
    StagedShape,
)
from feint.strategies.retired import (
    Block,
    Blocks,
    Tabular,
)

PLAN = Plan.of(staged(Problem("1/16", "1/4", 3), 16, (2,), 4, 3, (2,)))
WANTED: dict[str, Any] = {"delta": "1/8", "level": 3, "epsilon": "1/16"}


class Rest(NamedTuple):
    """How many rounds are over, whether a coin was tossed in this one, and what fell before."""

    round: int
    tossed: bool
    sides: tuple[int, ...]
    above: Any


@dataclass(frozen=True)
class Resting:
    """One question in the middle, then two rounds of a coin and no question.

    Where in its half the number is said to lie is what the coins say.
    """

    problem: Problem
    cells: tuple[int, ...] = (4,)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        return (Round("ask", (0,)), Round("rest", ()), Round("rest", ()))

    def start(self, runs: int) -> Rest:
        return Rest(0, True, (), np.zeros(runs, bool))

    def coin(self, state: Rest) -> Any:
        return None if state.tossed or state.round == 3 else np.array([[1, 1, 1, 1, 1]])

    def toss(self, state: Rest, side: Any) -> Rest:
        return state._replace(tossed=True, sides=(*state.sides, int(side[0])))

    def ask(self, state: Rest) -> Any:
        return np.full((1, len(self.rounds[state.round].coordinates)), 2)

    def tell(self, state: Rest, answers: Any) -> Rest:
        if answers.shape != (1, len(self.rounds[state.round].coordinates)):
            raise RuntimeError("these are answers to another round")
        above = answers[:, 0] if state.round == 0 else state.above
        return Rest(state.round + 1, False, state.sides, above)

    def estimate(self, state: Rest) -> Estimate:
        if state.round != 3:
            raise RuntimeError("there are rounds left")
        low, (one, other) = 2 * state.above[:, None], state.sides
        rest = np.full((1, 1), one / 8 + other / 64)
        return Estimate(cell=low, rest=rest, low=low, high=low + 2)


def fallen(number: int) -> int:
    """On which of five sides the first coin of a round falls: its digest modulo five."""
    place = number.to_bytes(8, "big") + bytes(8)
    return int.from_bytes(blake2b(place, key=KEY, person=b"feint coin").digest(), "big") % 5


@pytest.mark.parametrize("answer", [False, True])
def test_rounds_at_the_end_that_ask_nothing_are_gone_through(answer: bool) -> None:
    """Each with its own coins: a search is done without them, and its result is not."""
    search = Search(Plan.of(Resting(Problem("1/8", "1/2", 2, p="0.9"))), key=KEY)
    search.tell(search.ask()[0].id, answer)
    assert (search.done, search.round) == (True, 0)
    assert fallen(1) != fallen(2)
    into = Fraction(fallen(1), 8) + Fraction(fallen(2), 64)
    found = search.result
    assert (found.low, found.high) == (Fraction(answer, 2), Fraction(answer + 1, 2))
    assert found.estimate == (2 * answer + into) / 4
    assert search.round == 0


@pytest.mark.parametrize("yes_means", ["at least", "below"])
def test_a_number_is_never_said_to_lie_past_its_range(yes_means: Any) -> None:
    """Of 0 to 3 the boundary past the last value is 4; at 3 the range does not end yet."""
    days = Domain(0, 3, step=1, label="day")
    table = {(): [(3, 1)], ((3, True),): [(4, 1)], ((3, False),): [(4, 1)]}
    strategy = Tabular.from_histories(Problem("1/4", "1/2", 2, values=4), 4, 2, table)
    for last in (True, False):
        search = Search(Plan.of(strategy, domain=days), yes_means=yes_means)
        yes = yes_means == "at least"
        search.tell(search.ask()[0].id, yes)
        assert not search.contradictions
        (query,) = search.ask()
        assert query.value == 4
        search.tell(query.id, last == yes)
        if not last:
            assert not search.contradictions
            continue
        (found,) = search.contradictions
        assert found == (query, query, "above")
        assert str(found) == "you said that the day is at least 4, past its range"


def test_a_search_that_is_cancelled_between_two_rounds_asks_nothing_more(tmp_path: Path) -> None:
    """It is cancelled while nobody is asked; what was answered before is kept."""
    asked, words = list[float](), WANTED | {"state": tmp_path / "kept", "method": "bisection"}

    async def main() -> None:
        loop = asyncio.get_running_loop()

        async def answer(value: float) -> bool:
            asked.append(value)
            return value <= 0.3

        async def cancel() -> None:
            task.cancel()
            for _ in range(20):  # until it was heard of
                await asyncio.sleep(0)

        def progress(what: str, done: int, all_: int) -> None:
            if done == 1:
                asyncio.run_coroutine_threadsafe(cancel(), loop).result()

        task = asyncio.create_task(find_async(answer, progress=progress, **words))
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert len(asked) == 1
    kept = load(tmp_path / "kept")
    assert (kept.answered, kept.round) == (1, 1)


def test_a_round_that_was_taken_away_does_not_count_as_asked() -> None:
    """Under noise a point comes often, and a query says which time it is, and of how many.

    A round was recorded and never shown: the replay shows it, takes it away for the answer that
    changed, and shows what then came. It counts as the search does that never showed it.
    """
    problem = Problem("1/8", "1/2", 2, p="0.9", confidence="0.9")
    plan = Plan.of(staged_noisy(problem, 16, 1, 0, 2, 6, 2, 3))
    for number in range(1, len(plan.strategy.rounds)):
        events, broken = list[Event](), [number]

        def record(event: Event, events: list[Event] = events, broken: list[int] = broken) -> None:
            events.append(event)
            if event.get("round") in broken:
                broken.clear()
                raise KeyboardInterrupt

        search = Search(plan, key=KEY, record=record)
        while not search.done:
            try:
                queries = search.ask()
            except KeyboardInterrupt:
                first = search.current[0].id
                search.tell(first, not search.told(first))
                continue
            again = Search.replayed(search.header(), events)
            assert again.current == search.current
            assert again.open == search.open == len(queries)
            for query in queries:
                search.tell(query.id, query.number <= 0.4)
        assert not broken
        assert Search.replayed(search.header(), events).result == search.result


def test_a_round_whose_write_could_not_be_undone_is_taken_away(
    tmp_path: Path, monkeypatch: Any
) -> None:
    """The disk fails after a round was written, and again when its line should be put back.

    Nobody saw that round, so an answer of the one before may change; the file then holds what the
    search does, and a further answer is one write again.
    """
    path, real, calls = tmp_path / "kept", os.write, list[int]()
    plan = Plan.of(staged(Problem("1/16", "1/4", 3), 16, (2,), 4, 2, (2,)))
    assert [len(each.coordinates) for each in plan.strategy.rounds] == [1, 3, 2]
    search = create(path, plan)
    (query,) = search.ask()
    search.tell(query.id, True)
    before = path.read_bytes()

    def fails(*rest: Any) -> int:
        raise OSError(5, "Input/output error")

    def once(descriptor: int, data: bytes) -> int:
        calls.append(len(data))
        return real(descriptor, data) if len(calls) == 1 else fails()

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", once)
        patch.setattr(os, "fsync", fails)
        with pytest.raises(OSError, match="Input/output error"):
            search.ask()
    assert (search.round, search.open) == (0, 0)
    assert path.read_bytes() != before
    calls.clear()

    def counted(descriptor: int, data: bytes) -> int:
        calls.append(len(data))
        return real(descriptor, data)

    monkeypatch.setattr(os, "write", counted)
    search.tell(query.id, False)
    assert (saved.told(path), calls[-1]) == ({query.id: False}, 18)
    assert path.read_bytes().count(b"n") == before.count(b"n") + 1  # and no line of a round
    calls.clear()
    search.tell(query.id, True)
    assert (saved.told(path), calls) == ({query.id: True}, [18, 18])  # one is blanked first
    text, asked = search.to_json(), None
    del search
    search = load(path)
    assert search.to_json() == text
    while not search.done:
        asked = search.ask()
        search.tell(asked[0].id, asked[0].number <= 0.3)
    found = search.result
    del search
    assert load(path).result == found


def test_the_same_number_again_has_the_same_key_unless_told(tmp_path: Path) -> None:
    first = Search(PLAN)
    again = create_again(tmp_path / "again", first)
    for each in (first.again(), again):
        assert (each.header(), each.keys, each.round) == (first.header(), 1, -1)


def test_what_counts_is_recorded_again_after_an_interrupt() -> None:
    """The record holds a change that does not count: before the next round it is set right."""
    events, broken = list[Event](), list[bool]()

    def record(event: Event) -> None:
        events.append(event)
        if broken:
            raise KeyboardInterrupt

    for yes_means in YES_MEANS:
        for answer in (True, False):
            events.clear()
            search = Search(PLAN, yes_means=yes_means, record=record)
            search.tell(search.ask()[0].id, answer)
            *_, last = search.ask()
            assert last.id == "q1.2"
            search.tell_all({each.id: answer for each in search.ask()})
            so_far = list(events)
            broken.append(True)
            with pytest.raises(KeyboardInterrupt):
                search.tell(last.id, not answer)
            broken.clear()
            search.ask()
            assert events[: len(so_far)] == so_far
            change, counts, shown = events[len(so_far) :]
            assert change == {"tell": last.id, "yes": not answer}
            assert counts == {"tell": last.id, "yes": answer}
            assert shown["round"] == 2


def test_what_is_left_out_is_the_unit_interval_and_no_margin() -> None:
    """A margin of two wants twice the level, and so more questions."""
    found = find(Hidden("0.3"), seed=1, **WANTED)
    assert found == find(Hidden("0.3"), seed=1, low=0, high=1, margin=1, **WANTED)
    plan, units = prepared(**WANTED)
    assert units == (Domain(0, 1),)
    assert found.queries == plan.queries
    assert (plan, units) == prepared(low=0, high=1, margin=1, repeatable=False, **WANTED)
    assert plan.queries < prepared(margin=2, **WANTED)[0].queries


def test_a_plan_is_not_repeatable_unless_told() -> None:
    seven: dict[str, Any] = {"epsilon": "1/25", "delta": "2/25", "level": 7}
    assert not prepared(**seven)[0].repeatable
    assert prepared(repeatable=True, **seven)[0].repeatable


def test_one_word_is_one_label() -> None:
    assert [each.label for each in named(Domain(0, 1), 1, "ab")] == ["ab"]
    for number in (2, 3):
        with pytest.raises(InvalidValue) as caught:
            named(Domain(0, 1), number, "ab")
        rule = f"there are {number} coordinates"
        assert str(caught.value) == f"labels = ab: {rule}; give one for each"


def test_a_query_that_is_looked_up_is_the_one_that_was_asked() -> None:
    """Without noise each is asked once."""
    search = Search(PLAN)
    (query,) = search.ask()
    assert search.query(query.id) == query
    assert (search.query(query.id).sample, search.query(query.id).samples) == (1, 1)


def test_the_first_version_kept_a_block_as_a_row_and_its_text_had_events() -> None:
    """Every number of a row is where it belongs, and every event happened."""
    lines = (SAVED / "v1" / "blocks.jsonl").read_text("utf-8").splitlines()
    header, *events = map(json.loads, lines)
    search = Search.from_json(json.dumps(header | {"events": events}))
    strategy = search.plan.strategy
    assert isinstance(strategy, Blocks)
    rows = header["plan"]["strategy"]["blocks"]
    for block, (start, size, path, parts, kept, hide, acts) in zip(
        strategy.blocks, rows, strict=True
    ):
        shape = StagedShape(parts=parts, kept=kept, hide=tuple(hide))
        own = Block(start=start, size=size, path=tuple(path), shape=shape, acts=acts)
        assert block == own
    shown = [each["ask"] for each in events if "ask" in each]
    assert search.transcript.points.tolist() == [[place for each in shown for place in each]]
    told = {each["tell"]: each["yes"] for each in events if "tell" in each}
    assert {each.id: each.answer for each in search.history if each.id in told} == told
    assert [each.id for each in search.ask()] == ["q3.4"]


def test_a_plan_for_a_prior_is_for_its_range(tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    path.write_bytes((SAVED / "v3" / "prior.jsonl").read_bytes())
    path.chmod(0o600)
    plan = load(path).plan
    Search(plan, domains=[Domain(0, 200, label="other")]).ask()
    for low, high in ((0, 100), (-10, 200)):
        search = Search(plan, domains=[Domain(low, high)])
        with pytest.raises(InvalidValue) as caught:
            search.ask()
        rule = "the plan was made for a prior on another range"
        assert (
            str(caught.value) == f"domains = one from {low} to {high}: {rule}; plan for this range"
        )


@pytest.mark.parametrize("answer", [False, True])
def test_nobody_is_asked_about_the_ends_of_the_range(answer: bool) -> None:
    """As plans were before version 3: what is found reaches just to an end, and no decimal past it.

    Elsewhere it reaches to where people were asked, a thousandth of a cell further at most.
    """
    domain, cell = Domain("1/3", "5/3"), Fraction(4, 3) / 16
    search = Search(replace(PLAN, domain=domain, scales=()), key=KEY)
    asked = set[Fraction]()
    while not search.done:
        for query in search.ask():
            asked.add(Fraction(query.shown))
            search.tell(query.id, answer)
    found = search.result
    exact, other = (found.high, found.low) if answer else (found.low, found.high)
    assert exact == (domain.high if answer else domain.low)
    near = domain.high - cell if answer else domain.low + cell
    shown = min(asked, key=lambda each: abs(each - near))
    assert 0 < abs(shown - near) <= cell / 1000
    assert other == (min(near, shown) if answer else max(near, shown))
