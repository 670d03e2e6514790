"""Find in one call; oracles of every kind; an oracle that fails loses nothing."""

import itertools
import pickle
import traceback
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, assert_type, cast

import numpy as np
import pytest

from feint import Domain, Query, find, finish
from feint.errors import BadState, InvalidValue, OracleFailed
from feint.problem import NumberResult, Result
from feint.search import Search, load, prepared
from feint.simulate.oracles import Rounds

WANTED: dict[str, Any] = {"low": 10, "high": 110, "epsilon": "0.05", "delta": 2, "level": 8}


def test_a_function_of_a_number() -> None:
    result = find(lambda price: price <= 73.4181, **WANTED)
    assert abs(result.estimate - Fraction("73.4181")) <= Fraction("0.025")
    assert result.adversary_success == Fraction(1, 8)
    result = find(lambda price: price > 73.4181, yes_means="below", **WANTED)
    assert abs(result.estimate - Fraction("73.4181")) <= Fraction("0.025")


def test_whole_numbers_reach_the_function_as_whole_numbers() -> None:
    commits = ["good"] * 61 + ["bad"] * 36
    units: dict[str, Any] = {"low": 0, "high": 96, "step": 1, "delta": 7, "level": 4}
    result = find(lambda number: commits[number] == "bad", yes_means="below", **units)
    assert result.estimate == 60


def test_several_numbers_are_told_apart_by_their_coordinate() -> None:
    hidden = {"price": 0.3137, "weight": 0.7237}
    names = list(hidden)
    seen = set[tuple[int, str | None]]()

    def answer(queries: Sequence[Query]) -> Iterable[bool]:
        seen.update((query.coordinate, query.label) for query in queries)
        return [query.value <= hidden[str(query.label)] for query in queries]

    units: dict[str, Any] = {"epsilon": "0.01", "delta": "0.1", "level": 6, "dim": 2}
    by_round = find(Rounds(answer), labels=names, **units)
    by_place = find(lambda value, which: value <= hidden[names[which]], labels=names, **units)
    assert by_round == by_place
    assert seen == {(0, "price"), (1, "weight")}
    with pytest.raises(InvalidValue, match="one for each"):
        find(Rounds(answer), labels=["price"], **units)


def test_a_function_may_have_more_arguments() -> None:
    result = find(lambda price, most, more: price <= most + more, args=(73, 0.4181), **WANTED)
    assert abs(result.estimate - Fraction("73.4181")) <= Fraction("0.025")
    both: dict[str, Any] = {"epsilon": "0.01", "delta": "0.1", "level": 6, "dim": 2}
    hidden = (0.3137, 0.7237)
    result = find(lambda value, which, at: value <= at[which], args=(hidden,), **both)
    assert [abs(x - y) <= 0.005 for x, y in zip(cast(Any, result.x), hidden, strict=True)]


def test_a_range_for_each_number() -> None:
    """The same as domains; what is given once holds for all."""

    def answer(value: float, which: int) -> bool:
        return value <= (73.21, -3.3)[which]

    wanted: dict[str, Any] = {"epsilon": 1, "delta": 4, "level": 4}
    domains = (Domain(0, 100, label="price"), Domain(-10, 30, label="cost"))
    expected = find(answer, domains=domains, **wanted)
    for low, high in (((0, -10), (100, 30)), (np.array([0, -10]), np.array([100, 30]))):
        assert find(answer, low=low, high=high, labels=("price", "cost"), **wanted) == expected
    same = find(answer, low=-10, high=[100, 100], dim=2, **wanted)
    assert [each.domain for each in same.coordinates] == [Domain(-10, 100)] * 2
    stepped = find(
        lambda value, which: value <= 5 + which, low=[0, 1], high=[47, 48], step=1, delta=4, level=4
    )
    assert stepped.x == (5, 6)
    cents = find(answer, low=[-10, -10], high=[100, 100], tick="0.5", **wanted)
    assert all(Fraction(row.value) % Fraction(1, 2) == 0 for row in cents.history)
    for given, said in (
        ({"low": [0, 1], "high": [9, 9, 9]}, "high = 3 of them: low has 2, one per number"),
        ({"low": [0, 1], "high": 9, "labels": ["a"]}, "labels = 1 of them: low has 2"),
        ({"low": [0, 1], "high": 90, "dim": 3}, "domains = 2 of them: there are 3 coordinates"),
        ({"low": [0, 1], "high": 90, "tick": 1}, "tick = 1: numbers with different ranges"),
        ({"low": [], "high": 9}, "there must be one per number"),
        (
            {"low": [0, 0, 0], "high": [10, 100, 1], "level": 8},
            "delta = 4: in the narrowest range, 0 to 1, it must be at most 1/",
        ),
        ({"low": [0, 1], "high": [4, 5], "level": 8}, "delta = 4: must be at most"),
    ):
        with pytest.raises(InvalidValue) as caught:
            find(answer, **wanted | cast(dict[str, Any], given))
        assert said in str(caught.value)


class Flaky:
    """Answers by a rule, but fails at one call."""

    def __init__(self, fails_at: int) -> None:
        self.calls, self.fails_at = 0, fails_at

    def __call__(self, price: float) -> bool:
        self.calls += 1
        if self.calls == self.fails_at:
            raise ConnectionError("the shop at 73.4181 is closed")
        return price <= 73.4181


def test_an_oracle_that_raises_leaves_the_search_resumable() -> None:
    flaky = Flaky(fails_at=20)
    with pytest.raises(OracleFailed, match="raised ConnectionError") as caught:
        find(flaky, **WANTED)
    assert isinstance(caught.value.__cause__, ConnectionError)
    search = caught.value.search
    assert isinstance(search, Search)
    assert search.answered == 19
    assert abs(finish(search, flaky).estimate - Fraction("73.4181")) <= Fraction("0.025")
    assert flaky.calls == 58
    assert caught.value.for_owner == "ConnectionError: the shop at 73.4181 is closed"
    told = [str(caught.value), repr(caught.value), *traceback.format_exception_only(caught.value)]
    assert "73.4181" not in " ".join(told)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.search, again.for_owner) == (None, None)


def test_a_search_in_a_file_goes_on_in_the_next_call(tmp_path: Path) -> None:
    kept = tmp_path / "search.jsonl"
    flaky = Flaky(fails_at=20)
    with pytest.raises(OracleFailed) as caught:
        find(flaky, state=kept, **WANTED)
    with pytest.raises(BadState, match="in use"):
        load(kept)
    del caught
    result = find(flaky, state=kept, **WANTED)
    assert flaky.calls == 58
    assert find(flaky, state=kept, **WANTED) == result
    assert flaky.calls == 58
    with pytest.raises(BadState, match="something else"):
        find(flaky, state=kept, **WANTED | {"level": 9})


def test_another_search_without_an_answer_makes_room(tmp_path: Path) -> None:
    kept = tmp_path / "search.jsonl"
    with pytest.raises(OracleFailed) as caught:
        find(Flaky(fails_at=1), state=kept, **WANTED)
    del caught
    before = kept.read_bytes()
    find(lambda price: price <= 42, state=kept, **WANTED)  # the same goes on
    assert kept.read_bytes()[:200] == before[:200]
    with pytest.raises(BadState, match="something else"):
        find(lambda price: price <= 42, state=kept, **WANTED | {"level": 9})
    other = tmp_path / "other.jsonl"
    with pytest.raises(OracleFailed) as caught:
        find(Flaky(fails_at=1), state=other, **WANTED)
    del caught
    find(lambda price: price <= 42, state=other, **WANTED | {"level": 9})
    assert load(other).plan.problem.level == 9
    assert load(tmp_path / "other.jsonl.1").plan.problem.level == 8


@pytest.mark.parametrize(("seeds", "fits"), [((3, 3), True), ((3, 4), False), ((3, None), False)])
def test_a_search_in_a_file_goes_on_under_its_own_seed(
    tmp_path: Path, seeds: Any, fits: bool
) -> None:
    kept, wanted = tmp_path / "search.jsonl", WANTED | {"labels": ["price"]}
    kept.touch(0o600)  # killed before it began
    result = find(lambda price: price <= 42, state=kept, seed=seeds[0], **wanted)
    again = partial(find, lambda price: price <= 42, state=kept, seed=seeds[1])
    if fits:
        assert again(**wanted) == again(**WANTED) == result
        with pytest.raises(BadState, match="something else"):
            again(**wanted | {"labels": ["weight"]})
    else:
        with pytest.raises(BadState, match="other coins"):
            again(**wanted)


async def later(value: float) -> bool:
    return value <= 42


class Wrong:
    """An oracle of one's own that does not keep the contract."""

    def answer(self, queries: Sequence[Query]) -> Any:
        return ["no"] * len(queries)


@pytest.mark.parametrize(
    ("oracle", "kind"),
    [
        (lambda price: None, "NoneType"),
        (lambda price: "no", "str"),
        (lambda price: 1, "int"),
        (later, "coroutine"),
        (Rounds(lambda queries: ["no"] * len(queries)), "str"),
        (Rounds(cast(Any, later)), "coroutine"),
        (Wrong(), "str"),
    ],
)
def test_what_is_neither_true_nor_false_is_no_answer(oracle: Any, kind: str) -> None:
    with pytest.raises(OracleFailed, match=rf"gave a {kind} at query q0\.0") as caught:
        find(oracle, **WANTED)
    assert isinstance(caught.value.search, Search)
    assert caught.value.search.answered == 0
    assert "no'" not in str(caught.value)


def test_a_coroutine_is_sent_to_find_async() -> None:
    with pytest.raises(OracleFailed, match="pass the coroutine to find_async"):
        find(later, **WANTED)


def test_one_number_is_typed_as_a_float() -> None:
    """A type checker reads this: mypy fails in `make lint` if `x` may be a tuple."""
    result = find(lambda price: price <= 42, low=0, high=100, within="0.5", delta=10, level=2)
    assert_type(result, NumberResult)
    estimate: float = result.x
    assert abs(estimate - 42) <= 0.5
    pair = find(lambda price, which: price <= 42, low=[0, 0], high=100, within=2, delta=20, level=2)
    assert_type(pair, Result)
    assert isinstance(pair.x, tuple)
    assert not isinstance(pair, NumberResult)


def test_truths_of_numpy_are_answers() -> None:
    result = find(lambda price: np.float64(price) <= 42, **WANTED)
    assert result == find(Rounds(lambda asked: np.array([q.number <= 42 for q in asked])), **WANTED)


def test_too_many_answers() -> None:
    with pytest.raises(OracleFailed, match="more answers"):
        find(Rounds(lambda queries: itertools.repeat(True)), **WANTED)


def test_too_few_answers() -> None:
    with pytest.raises(OracleFailed, match="fewer answers"):
        find(Rounds(lambda queries: []), **WANTED)


def test_a_prior_is_planned_for() -> None:
    """What is believed makes the search cheaper where it is sure, and the number is found."""
    wanted: dict[str, Any] = {"low": 0, "high": 100, "epsilon": 1, "delta": 5, "level": 4}
    found = find(lambda price: price <= 61, prior="points(30, 60, 90)", **wanted)
    plan, domains = prepared(prior="points(30, 60, 90)", **wanted)
    assert found.low <= 61 <= found.high
    assert found.high - found.low <= 1
    assert plan.problem.prior is not None
    assert found.queries == plan.queries
    assert domains == (Domain(0, 100),)
    wide = find(lambda price: price <= 61, prior="points(30, 60, 90)", margin="1.2", **wanted)
    assert wide.adversary_success is not None
    assert wide.adversary_success * 4 * Fraction(6, 5) <= 1
