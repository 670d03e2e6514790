"""One live search: ask and tell, what is refused, and that a resume changes nothing."""

import hashlib
import json
import logging
import pickle
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from threading import Event
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.test_strategies import plans, problems

from feint import Domain, Problem, Query, Search
from feint.errors import (
    AnswerFixed,
    BadState,
    Contradictory,
    FeintError,
    InvalidValue,
    NotDone,
    ReplayDiffers,
    SearchDone,
    UnknownQuery,
)
from feint.interfaces import UNASKED, Estimate, Round
from feint.oracles import Hidden
from feint.planning import Plan, plan
from feint.search import coins, finish
from feint.search.saved import check, decode, encode
from feint.strategies.scalar import Scalar
from feint.strategies.tabular import Tabular

PRICE = Domain(10, 110, label="price")
KEY = bytes(range(32))


def price_plan(**options: Any) -> Plan:
    return plan(PRICE.problem(epsilon="0.05", delta=2, level=8), domain=PRICE, **options)


def advance(search: Search, target: float, rounds: int) -> None:
    """Answer whole rounds."""
    for _ in range(rounds):
        for query in search.ask():
            search.tell(query.id, target >= query.value)


@given(problems(), st.integers(0, 2**32), st.sampled_from(["at least", "below"]))
@settings(max_examples=150, deadline=None)
def test_every_plan_finds_every_number_exactly_as_promised(
    problem: Problem, seed: int, yes_means: Any
) -> None:
    random = np.random.default_rng(seed)
    step = None if problem.values is None else Fraction(1, 3)
    high = 7 + (1 if step is None else step * ((problem.values or 0) - 1))
    domain = Domain(7, high, step=step)
    for each in plans(problem):
        if each.method == "printed":
            continue
        cell = [int(random.integers(size)) for size in each.cells]
        targets = [domain.at(a, n) for a, n in zip(cell, each.cells, strict=True)]
        domains = (domain,) * problem.dim
        search = Search(each, seed=seed, yes_means=yes_means, domains=domains)
        result = finish(search, Hidden(*targets))
        assert (result.queries, result.rounds) == (each.queries, each.rounds)
        assert result.consistent
        assert search.transcript.points.shape == (1, each.queries)
        for found, target, size in zip(result.coordinates, targets, each.cells, strict=True):
            if step is not None:
                assert found.low == found.estimate == found.high == target
            else:
                assert found.low <= target < found.high
                assert found.estimate == (found.low + found.high) / 2
                rounding = 2 * domain.width / size / 1000  # of the decimals people are asked about
                assert found.high - found.low <= problem.epsilon * domain.width + rounding
        again = Search.from_json(search.to_json())
        assert again.result == result
        assert decode(json.loads(json.dumps(encode(each)))) == each


def test_asking_twice_gives_the_same_queries_and_only_the_open_ones() -> None:
    search = Search(price_plan())
    advance(search, 73.4, 2)
    first = search.ask()
    assert len(first) == 7
    assert search.ask() == first
    search.tell(first[3].id, True)
    assert search.ask() == first[:3] + first[4:]
    assert (search.round, search.answered) == (2, 3)


def test_the_same_answer_is_always_accepted_and_another_until_the_next_round() -> None:
    search = Search(price_plan())
    (only,) = search.ask()
    search.tell(only.id, True)
    search.tell(only.id, True)
    search.tell(only.id, False)
    search.tell(only.id, True)
    assert search.answered == 1
    (following,) = search.ask()
    assert following.value == 85
    search.tell(only.id, True)
    with pytest.raises(AnswerFixed, match="next round was shown"):
        search.tell(only.id, False)
    assert search.ask() == (following,)


def test_unknown_and_future_ids_are_refused() -> None:
    search = Search(price_plan())
    with pytest.raises(UnknownQuery, match="not been shown"):
        search.tell("q0.0", True)
    search.ask()
    for id in ("q0.1", "q99.0", "q-1.0", "q00.0", "q0.00", "0.0", "", "q0", "q0.", "q0._0", "q٣.0"):
        with pytest.raises(UnknownQuery, match="no such query"):
            search.tell(id, True)
    with pytest.raises(UnknownQuery, match="no such query"):
        search.tell(0, True)  # type: ignore[arg-type]
    with pytest.raises(UnknownQuery, match="not been shown"):
        search.tell("q1.0", True)
    with pytest.raises(LookupError):
        search.tell("q1.0", True)


def test_what_is_no_answer_is_refused_and_not_repeated() -> None:
    search = Search(price_plan())
    (only,) = search.ask()
    with pytest.raises(InvalidValue, match="True or False") as caught:
        search.tell(only.id, "73.4181")  # type: ignore[arg-type]
    assert "73.4181" not in str(caught.value)
    search.tell(only.id, np.True_)  # type: ignore[arg-type]


def test_before_and_after_the_end() -> None:
    search = Search(price_plan())
    with pytest.raises(NotDone, match="57 questions"):
        _ = search.result
    assert not search.done
    finish(search, Hidden("73.4181"))
    assert search.done
    with pytest.raises(SearchDone, match="result"):
        search.ask()
    with pytest.raises(SearchDone, match="result"):
        search.tell("q0.0", True)
    assert search.result.low <= Fraction("73.4181") < search.result.high


def test_answers_may_come_in_any_order_and_in_parallel() -> None:
    one, other = Search(price_plan(), key=KEY), Search(price_plan(), key=KEY)
    finish(one, Hidden(42))
    with ThreadPoolExecutor(8) as pool:
        while not other.done:
            queries = other.ask()[::-1]
            list(pool.map(lambda query: other.tell(query.id, query.value <= 42), queries))
    assert other.result == one.result
    assert other.answered == 57
    assert (other.transcript.points == one.transcript.points).all()


def test_questions_speak_the_users_language() -> None:
    (query,) = Search(price_plan()).ask()
    assert query.text == "Is the price at least 60?"
    (query,) = Search(price_plan(), yes_means="below").ask()
    assert query.text == "Is the price below 60?"
    assert query.to_dict()["number"] == 60
    both = plan(Problem("1/100", "1/10", 4, dim=2))
    assert [each.text for each in Search(both).ask()][:1] == ["Is the first number at least 0.5?"]
    domains = (PRICE, Domain(0, 3, label="weight"))
    asked = Search(both, domains=domains).ask()
    assert {(each.coordinate, each.label) for each in asked} == {(0, "price"), (1, "weight")}
    with pytest.raises(InvalidValue, match="2 coordinates"):
        Search(both, domains=domains[:1])
    with pytest.raises(InvalidValue, match="as many values"):
        Search(price_plan(), domains=[Domain(1, 7, step=1)])


class AsShown:
    """Answers the questions as people read them, decimals and all."""

    def __init__(self, number: Fraction) -> None:
        self.number = number

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        return [
            (self.number >= Fraction(each.shown)) == (each.yes_means == "at least")
            for each in queries
        ]


@pytest.mark.parametrize("yes_means", ["at least", "below"])
def test_the_result_holds_for_the_questions_as_they_are_shown(yes_means: Any) -> None:
    """Thirds have no short decimal: numbers between a third and its decimal are found too."""
    thirds = Domain(0, 1)
    chosen = plan(Problem("1/27", "1/9", 3), domain=thirds, method="grid")
    rounded = 0
    for query in Search(chosen).ask():
        shown = Fraction(query.shown)
        assert abs(shown - query.value) < Fraction(1, 27_000)
        rounded += shown != query.value
        for number in (shown, query.value, (shown + query.value) / 2):
            found = finish(Search(chosen, yes_means=yes_means), AsShown(number))
            assert found.low <= number <= found.high
    assert rounded
    stepped = Domain(0, 9, step="1/3", label="third")
    chosen = plan(stepped.problem(delta=1, level=4), domain=stepped)
    for value in range(stepped.values or 0):
        search = Search(chosen, yes_means=yes_means)
        assert finish(search, AsShown(Fraction(value, 3))).estimate == Fraction(value, 3)


def test_a_result_of_several_numbers_has_no_single_estimate() -> None:
    search = Search(plan(Problem("1/100", "1/10", 4, dim=2)))
    result = finish(search, Hidden("0.3", "0.7"))
    assert [round(float(each.estimate), 1) for each in result.coordinates] == [0.3, 0.7]
    with pytest.raises(InvalidValue, match="use coordinates"):
        _ = result.estimate


def test_contradictions_are_noticed_and_said_in_words() -> None:
    search = Search(price_plan())
    advance(search, 73.4, 2)
    queries = search.ask()
    for query in queries:
        search.tell(query.id, query.value <= 60)
    assert not search.contradictions
    search.tell(queries[-1].id, True)
    (found,) = search.contradictions
    assert (found.above, found.below) == (queries[-1], queries[0])  # 60 to 85, cut in eight
    assert str(found) == "you said that the price is at least 81.875 and below 63.125"
    search.tell(queries[-1].id, False)
    assert not search.contradictions
    search.tell(queries[-1].id, True)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, False)
    assert not search.result.consistent


def test_answers_that_lead_nowhere_can_be_corrected() -> None:
    problem = Problem("1/4", "1/2", 2)
    table: Any = {(): [(2, 1)], ((2, False),): [(2, 1)], ((2, True),): [(3, 1)]}
    table |= {((2, False), (2, False)): [(1, 1)], ((2, True), (3, True)): [(1, 1)]}
    strategy = Tabular.from_histories(problem, 4, 3, table)
    search = Search(Plan(problem, Domain(0, 4), "table", strategy, None, None))
    for query, answer in ((search.ask()[0], False), (search.ask()[0], False)):
        search.tell(query.id, answer)
    (again,) = search.ask()
    assert again.id == "q1.0"
    search.tell(again.id, True)
    with pytest.raises(Contradictory, match="correct an answer"):
        search.ask()
    search.tell(again.id, False)
    assert search.ask()[0].value == 1
    assert Search.from_json(search.to_json()).ask() == search.ask()


def test_a_strategy_that_leaves_a_query_out_is_not_run() -> None:
    problem = Problem("1/4", "1/2", 2)
    rounds = (Round("guess", (0,)),)
    broken = Scalar(problem, 4, rounds, lambda answers, sides: [UNASKED])
    search = Search(Plan(problem, Domain(0, 1), "broken", broken, None, None))
    with pytest.raises(InvalidValue, match="wrap it in Padded"):
        search.ask()
    with pytest.raises(InvalidValue, match="plain values"):
        search.to_json()


class Coarse(NamedTuple):
    """Where a `Repeating` run stands."""

    round: int
    tossed: bool
    counts: Any


@dataclass(frozen=True)
class Repeating:
    """A stand-in for noisy strategies: float coins, points asked twice, a float estimate."""

    problem: Problem
    cells: tuple[int, ...] = (16,)
    rounds: Sequence[Round] = (Round("repeat", (0, 0, 0)),) * 4

    def start(self, runs: int) -> Coarse:
        return Coarse(0, False, np.zeros((runs, 16)))

    def coin(self, state: Coarse) -> Any:
        left = not state.tossed and state.round < len(self.rounds)
        return np.array([[0.25, 0.0, 0.5]] * len(state.counts)) if left else None

    def toss(self, state: Coarse, side: Any) -> Coarse:
        return state._replace(tossed=True, counts=state.counts + 0.001 * side[:, None])

    def ask(self, state: Coarse) -> Any:
        low = np.full(len(state.counts), 4 + state.round) + (state.counts[:, 0] > 0)
        return np.stack((low, low, low + 4), axis=1)

    def tell(self, state: Coarse, answers: Any) -> Coarse:
        above = np.arange(16) >= self.ask(state)[:, :, None]
        agree = (above == answers[:, :, None]).sum(1)
        return Coarse(state.round + 1, False, state.counts + agree)

    def estimate(self, state: Coarse) -> Estimate:
        best = state.counts.argmax(1)[:, None]
        return Estimate(best + 0.375, best, best + 1)


def test_noisy_strategies_run_through_the_same_contract() -> None:
    problem = Problem("1/16", "1/4", 2, p="0.9")
    strategy = Repeating(problem)
    for domain, estimate in ((Domain(0, 16), Fraction("7.375")), (Domain(1, 16, step=1), 8)):
        values = domain.values
        asked = Problem("1/16", "1/4", 2, p="0.9", values=values)
        search = Search(Plan(asked, domain, "repeat", strategy, None, None), key=KEY)
        first = search.ask()
        assert first[0].value == first[1].value
        assert first[0].id != first[1].id
        search.tell(first[0].id, True)
        search.tell(first[1].id, False)  # noise: no contradiction
        assert [each.id for each in search.ask()] == ["q0.2"]
        search.tell("q0.2", False)
        result = finish(search, Hidden(domain.at(7, 16)))
        assert not search.contradictions
        assert result.consistent
        assert result.estimate == estimate
        assert result.low <= result.estimate <= result.high


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
    assert search.ask()[0].value == 35
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
    assert search.ask()[0].value == 35
    assert Search.replayed(search.header(), events).to_json() == search.to_json()


class Slow(Search):
    """Every step of telling and of showing leaves time for another thread to come between."""

    showing: Event

    def _take(self, round_: int, column: int, above: bool) -> None:
        first = self._above[round_][column] is None
        time.sleep(0.001)
        super()._take(round_, column, above)
        if not first:
            raise RuntimeError("two threads told the same query")

    def _show(self, state: Any, points: list[int]) -> None:
        if len(self._shown) == self._last:
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


@dataclass(frozen=True)
class Tossing:
    """Two coins of a thousand sides a round, and the points asked about are what they showed."""

    problem: Problem
    cells: tuple[int, ...] = (1000,)
    rounds: Sequence[Round] = (Round("toss", (0, 0)),) * 3

    def start(self, runs: int) -> Any:
        return ((),)

    def coin(self, state: Any) -> Any:
        return np.ones((1, 1000), np.int64) if len(state[-1]) < 2 else None

    def toss(self, state: Any, side: Any) -> Any:
        return (*state[:-1], (*state[-1], int(side[0])))

    def ask(self, state: Any) -> Any:
        return np.array([state[-1]])

    def tell(self, state: Any, answers: Any) -> Any:
        return (*state, ())

    def estimate(self, state: Any) -> Estimate:
        zero = np.zeros((1, 1), np.int64)
        return Estimate(zero.astype(float), zero, zero + 1)


def test_every_coin_of_a_search_follows_from_its_round_and_its_toss() -> None:
    """BLAKE2b of the round and the toss, 8 bytes each, under the key, modulo the sides."""
    problem = Problem("1/1000", "1/100", 2)
    search = Search(Plan(problem, Domain(0, 1), "toss", Tossing(problem), None, None), key=KEY)
    finish(search, Hidden("0.5"))
    expected = []
    for place in ((round_, toss) for round_ in range(3) for toss in range(2)):
        counters = b"".join(each.to_bytes(8, "big") for each in place)
        digest = hashlib.blake2b(counters, key=KEY, person=b"feint coin").digest()
        expected.append(int.from_bytes(digest, "big") % 1000)
    assert search.transcript.points.tolist() == [expected]
    assert len(set(expected)) == 6


def test_keys_and_seeds() -> None:
    chosen = plan(Problem("1/25", "2/25", 7))  # the first query of its third round is a coin's
    assert finish(Search(chosen, seed=4), Hidden("0.4")).seeded
    assert not finish(Search(chosen), Hidden("0.4")).seeded
    seen = set()
    for _ in range(40):
        search = Search(chosen)
        finish(search, Hidden("0.4"))
        seen.add(tuple(search.transcript.points[0].tolist()))
    assert len(seen) == 3  # L_p = 3 windows hold the true part: all are drawn within 40 searches
    with pytest.raises(InvalidValue, match="give one of them"):
        Search(chosen, key=KEY, seed=1)
    with pytest.raises(InvalidValue, match="32 secret bytes") as caught:
        Search(chosen, key=b"recognisable")
    assert "recognisable" not in str(caught.value)
    with pytest.raises(InvalidValue, match="at least"):
        Search(chosen, yes_means="yes")  # type: ignore[arg-type]


def test_coins_are_fixed_for_ever_and_fall_as_they_weigh() -> None:
    """A golden value: hashlib's BLAKE2b of two 8-byte counters under the key, modulo the sum."""
    from hashlib import blake2b

    place = (5).to_bytes(8, "big") + (2).to_bytes(8, "big")
    digest = int.from_bytes(blake2b(place, key=KEY, person=b"feint coin").digest(), "big")
    assert coins.side(KEY, 5, 2, np.ones(1000, np.int64)) == digest % 1000
    for weights in (np.array([0, 3, 0, 1]), np.array([0.0, 0.3, 0.0, 0.1])):
        sides = [coins.side(KEY, 0, toss, weights) for toss in range(4000)]
        assert set(sides) == {1, 3}
        assert abs(sides.count(1) - 3000) < 150  # five standard deviations and more
    assert coins.side(KEY, 0, 0, np.array([0.0, 5e-324, 0.0])) == 1


def test_a_replay_that_would_ask_something_else_refuses() -> None:
    search = Search(price_plan())
    advance(search, 73.4, 3)
    search.ask()
    document = json.loads(search.to_json())
    assert next(iter(document)) == "secret"
    asked = [event for event in document["events"] if "ask" in event]
    asked[2]["ask"][0] += 1
    with pytest.raises(ReplayDiffers, match="round 2"):
        Search.from_json(json.dumps(document))


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else []


def signed(document: Any) -> Any:
    """The document under a digest that fits, as if a broken feint had saved it."""
    names = document.keys() - {"check", "events"}
    key = document.get("key", "")
    if len(key) == 2 * coins.KEY_BYTES:
        fields = {name: document[name] for name in names}
        document["check"] = check(fields, bytes.fromhex(key))
    return document


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda document: document.update(version=2), "version = 2"),
        (lambda document: document.pop("key"), "KeyError"),
        (lambda document: document.update(key="00"), "InvalidValue"),
        (lambda document: document.update(key="no hex"), "ValueError"),
        (lambda document: document.update(plan={"type": "os.system"}), "plan = KeyError"),
        (lambda document: document.update(plan={"type": "planning.plan.plan"}), "TypeError"),
        (lambda document: document.update(plan={"fraction": "1/2"}), "plan = Fraction"),
        (lambda document: document["plan"].pop("strategy"), "plan = TypeError"),
        (lambda document: document["plan"].update(places={"fraction": "1/0"}), "ZeroDivision"),
        (lambda document: document["plan"]["strategy"].update(hide=[]), "IndexError"),
        (lambda document: document["plan"]["strategy"].update(size=10**30), "OverflowError"),
        (lambda document: document["plan"].update(places=nested(700)), "RecursionError"),
        (lambda document: document["events"].append({"tell": "q9.9", "yes": True}), "UnknownQuery"),
        (lambda document: document["events"].append({"ask": [1]}), "KeyError"),
        (lambda document: document["events"].append(7), "TypeError"),
        (lambda document: document.pop("events"), "to_json"),
    ],
)
def test_what_is_no_saved_search_is_refused(change: Any, message: str) -> None:
    search = Search(price_plan())
    advance(search, 73.4, 2)
    search.ask()
    document = json.loads(search.to_json())
    change(document)
    with pytest.raises(BadState, match=message):
        Search.from_json(json.dumps(signed(document)))
    for text in ("{", "[" * 100_000):
        with pytest.raises(BadState):
            Search.from_json(text)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["plan"]["strategy"].update(kept=0),
        lambda document: document["plan"]["strategy"].update(parts=0),
        lambda document: document["plan"]["strategy"].update(hide=[0]),
        lambda document: document["plan"].update(adversary_success={"fraction": "1/9"}),
        lambda document: document.update(yes_means="below"),
        lambda document: document.update(seeded=1),
        lambda document: document.update(note="more"),
        lambda document: document.update(key=bytes(32).hex()),
        lambda document: document.pop("check"),
    ],
)
def test_a_header_that_was_changed_is_refused(change: Any) -> None:
    document = json.loads(Search(price_plan()).to_json())
    assert Search.from_json(json.dumps(document)).round == -1
    change(document)
    with pytest.raises(BadState, match="digest does not fit"):
        Search.from_json(json.dumps(document))


def test_nothing_but_the_result_and_the_save_holds_an_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Whatever else can be had of a search is the same whichever way its last round was answered.

    Earlier answers show in the queries, which is what they are for; so the searches differ in the
    answers of the round that is open, all told but one.
    """
    caplog.set_level(logging.DEBUG)
    outsides = set()
    for answer in (True, False):
        search = Search(price_plan(), key=KEY)
        advance(search, 73.4, 3)
        *queries, left = search.ask()
        for query in queries:
            search.tell(query.id, answer)
        transcript = search.transcript
        said = [repr(search), str(search), repr(transcript), str(search.ask()), left.text]
        wrong: list[partial[Any]] = [
            partial(search.tell, "q3.999", answer),
            partial(search.tell, "q4.0", answer),
            partial(search.tell, left.id, 73.4181),  # type: ignore[arg-type]
            partial(getattr, search, "result"),
            partial(pickle.dumps, search),
        ]
        for mistake in wrong:
            try:
                mistake()
            except (FeintError, TypeError) as error:
                said += [str(error), repr(error), *traceback.format_exception_only(error)]
                said += [repr(vars(error))]
        assert KEY.hex() not in " ".join(said)
        assert "73.4181" not in " ".join(said)
        outsides.add(tuple(said))
    assert len(outsides) == 1
    assert not caplog.records
