"""One live search: ask and tell, what is refused, and that a resume changes nothing."""

import json
import logging
import pickle
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.price import KEY, PRICE, advance, price_plan
from tests.support.problems import plans, problems

from feint import Domain, Problem, Query, Search
from feint.errors import (
    AnswerFixed,
    Contradictory,
    FeintError,
    InvalidValue,
    NotDone,
    SearchDone,
    UnknownQuery,
    WrongType,
)
from feint.interfaces import UNASKED, Estimate, Round, columns
from feint.planning import Plan, plan
from feint.search import finish
from feint.search.saved import decode, encode
from feint.search.units import Asked
from feint.simulate.oracles import Hidden
from feint.strategies import (
    Scalar,
)
from feint.strategies.retired import (
    Tabular,
)


@given(problems(), st.integers(0, 2**32), st.sampled_from(["at least", "below"]))
@examples(60)
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
        targets = [domain.line(n).at(a) for a, n in zip(cell, each.cells, strict=True)]
        domains = (domain,) * problem.dim
        search = Search(each, seed=seed, yes_means=yes_means, domains=domains)
        result = finish(search, Hidden(*targets))
        assert result.queries == len(search.history) <= each.queries
        assert result.rounds <= each.rounds
        assert result.queries == each.queries or not each.asks_all
        assert result.consistent
        assert search.transcript.points.shape == (1, columns(each.strategy))
        for found, target, size in zip(result.coordinates, targets, each.cells, strict=True):
            if step is not None:
                assert found.low == found.estimate == found.high == target
            else:
                assert found.low <= target < found.high
                rounding = domain.width / size / 10**6  # a plan without units, asked at decimals
                assert abs(found.estimate - target) <= problem.epsilon * domain.width / 2 + rounding
                assert found.high - found.low <= problem.epsilon * domain.width + 2 * rounding
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
    assert following.shown == "84.8"
    search.tell(only.id, True)
    with pytest.raises(AnswerFixed, match="next round was shown"):
        search.tell(only.id, False)
    assert search.ask() == (following,)


def test_unknown_and_future_ids_are_refused() -> None:
    search = Search(price_plan())
    with pytest.raises(UnknownQuery, match="not been shown"):
        search.tell("q0.0", True)
    (query,) = search.ask()
    with pytest.raises(WrongType, match=r"id = a Query: .*; give query\.id"):
        search.tell(cast(Any, query), True)
    for id in ("q0.1", "q99.0", "q-1.0", "q00.0", "q0.00", "0.0", "", "q0", "q0.", "q0._0", "q٣.0"):
        with pytest.raises(UnknownQuery, match="no such query"):
            search.tell(id, True)
    with pytest.raises(UnknownQuery, match="no such query"):
        search.tell(cast(Any, 0), True)
    with pytest.raises(UnknownQuery, match="not been shown"):
        search.tell("q1.0", True)
    with pytest.raises(LookupError):
        search.tell("q1.0", True)


def test_what_is_no_answer_is_refused_and_not_repeated() -> None:
    search = Search(price_plan())
    (only,) = search.ask()
    with pytest.raises(InvalidValue, match="True or False") as caught:
        search.tell(only.id, cast(Any, "73.4181"))
    assert "73.4181" not in str(caught.value)
    search.tell(only.id, cast(Any, np.True_))


def test_before_and_after_the_end() -> None:
    search = Search(price_plan())
    with pytest.raises(NotDone, match="57 questions"):
        _ = search.result
    assert not search.done
    finish(search, Hidden("73.4181"))
    assert search.done
    with pytest.raises(SearchDone, match="result"):
        search.ask()
    search.tell("q0.0", True)
    with pytest.raises(AnswerFixed, match="next round was shown"):
        search.tell("q0.0", False)
    with pytest.raises(UnknownQuery):
        search.tell("q99.0", True)
    assert search.result.low <= Fraction("73.4181") < search.result.high


def test_an_answer_is_taken_back_until_the_next_round_is_shown() -> None:
    search = Search(price_plan(), key=KEY)
    advance(search, 73.4, 2)
    queries = search.ask()
    before = search.to_json()
    for query in queries[:3]:
        search.tell(query.id, query.value <= 60)
    search.take_back(queries[1].id)
    assert search.ask() == (queries[1], *queries[3:])
    assert (search.open, search.answered) == (5, 4)
    search.take_back(queries[0].id)
    search.take_back(queries[2].id)
    search.take_back(queries[3].id)  # which has none
    assert search.to_json() == before
    for query in queries:
        search.tell(query.id, query.value <= 73.4)
    search.take_back(queries[-1].id)
    search.tell(queries[-1].id, False)
    search.ask()
    with pytest.raises(AnswerFixed, match="next round was shown"):
        search.take_back(queries[0].id)
    with pytest.raises(UnknownQuery):
        search.take_back("q8.0")


def test_in_the_last_round_an_answer_may_change_until_the_result_is_read() -> None:
    search, target = Search(price_plan(), key=KEY), Fraction("73.4181")
    advance(search, 73.4181, 9)
    assert search.done
    last = search.current
    wrong = next(each for each in last if each.value > target)  # of the true part, or a decoy
    for _ in range(2):
        search.tell(wrong.id, True)
        search.tell(wrong.id, False)
        search.take_back(wrong.id)
        assert not search.done
        with pytest.raises(NotDone, match="1 question without"):
            _ = search.result
        assert search.ask() == (wrong,)
        search.tell(wrong.id, False)
    again = Search.from_json(search.to_json())
    assert search.result.low <= target < search.result.high
    search.tell(wrong.id, False)
    for change in (partial(search.tell, wrong.id, True), partial(search.take_back, wrong.id)):
        with pytest.raises(AnswerFixed, match="result was shown"):
            change()
    again.tell(wrong.id, True)  # its result was not read
    assert again.done


def test_several_answers_are_told_or_none() -> None:
    search = Search(price_plan(), key=KEY)
    advance(search, 73.4, 2)
    queries = search.ask()
    good = {query.id: query.value <= 73.4 for query in queries}
    for id, answer, error in (
        ("q9.0", True, UnknownQuery),
        ("q3.0", True, UnknownQuery),
        ("q0.0", False, AnswerFixed),
        (queries[0].id, "yes", WrongType),
    ):
        with pytest.raises(error):
            search.tell_all(good | {id: cast(Any, answer)})
        assert search.answered == 2
    search.tell_all(good | {"q0.0": True})
    assert (search.answered, search.open) == (9, 0)


def test_what_was_asked_and_told_makes_a_table() -> None:
    search = Search(price_plan(), key=KEY, yes_means="below")
    (query,) = search.ask()
    assert search.history == ((query.id, 0, 0, "price", 60, None),)
    search.tell(query.id, False)
    result = finish(search, Hidden("73.4181"))
    assert result.history == search.history
    assert len(result.history) == result.queries
    for row in result.history:
        assert row.answer is (Fraction(row.value) > Fraction("73.4181"))
    table = pandas.DataFrame(result.history)
    assert list(table.columns) == ["id", "round", "coordinate", "label", "value", "answer"]
    assert table["answer"].dtype == bool
    assert table["value"].between(10, 110).all()
    below = table[table["answer"]]["value"].min()
    assert table[~table["answer"]]["value"].max() <= 73.4181 < below
    assert "history" not in repr(result)


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
    """What is shown is what was planned: numbers near a question are found, however it is heard."""
    thirds = Domain(0, "1/3")
    chosen = plan(thirds.problem(epsilon="1/81", delta="1/27", level=3), domain=thirds)
    for query in Search(chosen, seed=1).ask():
        assert Fraction(query.shown) == query.value
        for off in (0, Fraction(1, 10**9), -Fraction(1, 10**9)):
            for oracle in (AsShown(query.value + off), Hidden(query.value + off)):
                found = finish(Search(chosen, yes_means=yes_means), oracle)
                assert found.low <= query.value + off <= found.high
                assert abs(found.estimate - query.value - off) <= Fraction(1, 162)
    stepped = Domain(0, 9, step="1/3", label="third")
    chosen = plan(stepped.problem(delta=1, level=4), domain=stepped)
    for value in range(stepped.values or 0):
        search = Search(chosen, yes_means=yes_means)
        assert finish(search, AsShown(Fraction(value, 3))).estimate == Fraction(value, 3)


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("confidence", ["0.9", "0.99999", None])
def test_rounded_questions_are_within_what_may_be_lost(confidence: str | None, dim: int) -> None:
    """Where X* is between a boundary and its decimal the search may miss: that has its room."""
    problem = Problem("1/300", "5/300", 2, p="0.99", confidence=confidence, dim=dim)
    chosen = plan(problem)
    units = Search(chosen)._units
    assert chosen.losses is not None
    spare, cells = chosen.losses["allowed"] - chosen.losses["total"], chosen.cells[0]
    off = [
        abs(float(units.query(Asked(0, 0, point)).value * cells - point))
        for point in range(1, cells)
    ]
    assert max(off) > 0
    if confidence is None:
        cost = max(off) * (2 * chosen.losses["total"] + 1 / cells)
    else:
        cost = sum(off) / cells
    assert 0 < cost * dim <= spare


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
    (would,) = search.conflicts({queries[-1].id: True})
    assert not search.contradictions
    assert not search.conflicts({queries[-1].id: False})
    assert not search.conflicts({query.id: query.value <= 73.4 for query in queries})
    search.tell(queries[-1].id, True)
    (found,) = search.contradictions
    assert found == would
    assert not search.conflicts({queries[-2].id: True})  # there is one already
    assert (found.above, found.below) == (queries[-1], queries[0])  # 60 to 84.8, cut in eight
    assert str(found) == "you said that the price is at least 81.7 and below 63.1"
    search.tell(queries[-1].id, False)
    assert not search.contradictions
    search.tell(queries[-1].id, True)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, False)
    assert not search.result.consistent


@pytest.mark.parametrize("yes_means", ["at least", "below"])
def test_an_answer_that_the_range_rules_out_is_a_contradiction(yes_means: Any) -> None:
    """A question at the very end of the range has an answer that is known."""
    commits = Domain(0, 12, step=1, label="commit")
    rounds = (Round("ask", (0,)), Round("ask", (0, 0)))
    ends = Scalar(
        commits.problem(delta=2, level=3), 13, rounds, lambda told, _: (0, 3) if told else (6,)
    )
    search = Search(Plan.of(ends, domain=commits), key=KEY, yes_means=yes_means)
    yes = yes_means == "at least"
    search.tell(search.ask()[0].id, not yes)
    first = search.ask()[0]
    assert first.value == 0
    assert not search.conflicts({first.id: yes})
    (found,) = search.conflicts({first.id: not yes})
    assert str(found) == "you said that the commit is below 0, where its range begins"
    past = found._replace(outside="above")
    assert str(past) == "you said that the commit is at least 0, past its range"
    search.tell_all({query.id: not yes for query in search.ask()})
    assert not search.result.consistent


def test_answers_that_lead_nowhere_can_be_corrected() -> None:
    problem = Problem("1/4", "1/2", 2)
    table: Any = {(): [(2, 1)], ((2, False),): [(2, 1)], ((2, True),): [(3, 1)]}
    table |= {((2, False), (2, False)): [(1, 1)], ((2, True), (3, True)): [(1, 1)]}
    strategy = Tabular.from_histories(problem, 4, 3, table)
    search = Search(Plan.of(strategy, domain=Domain(0, 4)))
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


def test_a_strategy_that_asks_nothing_is_done_at_once() -> None:
    problem = Problem("1/4", "1/2", 2)
    rounds = (Round("guess", (0,)),)
    silent = Scalar(problem, 4, rounds, lambda answers, sides: [UNASKED])
    search = Search(Plan.of(silent))
    assert search.done
    with pytest.raises(SearchDone):
        search.ask()
    assert (search.result.queries, search.result.rounds) == (0, 0)
    assert search.transcript.points.tolist() == [[UNASKED]]
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
        return Estimate(cell=best, rest=np.full(best.shape, 0.375), low=best, high=best + 1)


def test_noisy_strategies_run_through_the_same_contract() -> None:
    for domain, estimate in ((Domain(0, 16), Fraction("7.375")), (Domain(1, 16, step=1), 8)):
        strategy = Repeating(Problem("1/16", "1/4", 2, p="0.9", values=domain.values))
        search = Search(Plan.of(strategy, domain=domain), key=KEY)
        first = search.ask()
        assert first[0].value == first[1].value
        assert first[0].id != first[1].id
        search.tell(first[0].id, True)
        search.tell(first[1].id, False)  # noise: no contradiction
        assert [each.id for each in search.ask()] == ["q0.2"]
        search.tell("q0.2", False)
        result = finish(search, Hidden(domain.line(16).at(7)))
        assert not search.contradictions
        assert result.consistent
        assert result.estimate == estimate
        assert result.low <= result.estimate <= result.high


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
            partial(search.tell, left.id, cast(Any, 73.4181)),
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
