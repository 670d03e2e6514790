"""Find in one call; oracles of every kind; an oracle that fails loses nothing."""

import pickle
import sys
import traceback
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from feint import Domain, Query, find, finish
from feint.errors import BadState, InvalidValue, OracleFailed
from feint.oracles import Command, Function, Hidden, Rounds
from feint.planning import plan
from feint.search import Search, load

WANTED: dict[str, Any] = {"low": 10, "high": 110, "epsilon": "0.05", "delta": 2, "level": 8}


def test_a_function_of_a_number() -> None:
    result = find(lambda price: price <= 73.4181, **WANTED)
    assert abs(result.estimate - Fraction("73.4181")) <= Fraction("0.025")
    assert result.adversary_success == Fraction(1, 8)
    result = find(lambda price: price > 73.4181, yes_means="below", **WANTED)
    assert abs(result.estimate - Fraction("73.4181")) <= Fraction("0.025")


def test_whole_numbers_reach_the_function_as_whole_numbers() -> None:
    commits = ["good"] * 61 + ["bad"] * 36
    units = {"low": 0, "high": 96, "step": 1, "delta": 7, "level": 4}
    result = find(lambda number: commits[number] == "bad", yes_means="below", **units)  # type: ignore[arg-type]
    assert result.estimate == 60


def test_several_numbers_are_told_apart_by_their_coordinate() -> None:
    hidden = {"price": 0.31, "weight": 0.72}
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
    told = [str(caught.value), repr(caught.value), *traceback.format_exception_only(caught.value)]
    assert "73.4181" not in " ".join(told)
    assert pickle.loads(pickle.dumps(caught.value)).search is None


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


def test_too_few_answers() -> None:
    with pytest.raises(OracleFailed, match="fewer answers"):
        find(Rounds(lambda queries: []), **WANTED)


def test_a_hidden_value_may_err() -> None:
    domain = Domain(0, 1)
    search = Search(plan(domain.problem(epsilon="1/64", delta="1/8", level=2), domain=domain))
    (query,) = search.ask()
    answers = list(Hidden("0.9", p="0.8", seed=1).answer([query] * 4000))
    assert abs(sum(answers) - 3200) < 130  # five standard deviations
    assert all(Hidden("0.9").answer([query] * 100))
    with pytest.raises(InvalidValue, match="value of its own"):
        list(Hidden().answer([query]))
    assert "0.9" not in repr(Hidden("0.9"))


def test_a_command_answers_by_its_exit_code(tmp_path: Path) -> None:
    code = "import sys; sys.exit(float(sys.argv[1]) > 73.4181)"
    (tmp_path / "shop.py").write_text(code)
    shop = f"'{sys.executable}' -S '{tmp_path}/shop.py'"
    found = find(Command(shop + " {q}"), **WANTED | {"epsilon": 1, "level": 3})
    assert abs(found.estimate - Fraction("73.4181")) <= Fraction(1, 2)
    with pytest.raises(OracleFailed, match=r"left with code 7 at query q0\.0"):
        find(Command("echo {q} > /dev/null; exit 7"), **WANTED)
    with pytest.raises(OracleFailed, match="ended by signal 9"):
        find(Command(": {q}; kill -9 $$"), **WANTED)
    with pytest.raises(InvalidValue, match=r"must have \{q\}"):
        Command("test 73 -ge q")


def test_what_the_shell_is_given_is_quoted() -> None:
    domain = Domain(-1, 2, label="it's $(rm) `x`")
    chosen = plan(domain.problem(epsilon="0.01", delta="0.5", level=3), domain=domain)
    (query, *_) = Search(chosen).ask()
    line = Command("run {q} {coordinate} {label}").line(query)
    assert line == f"run {query.shown} 0 'it'\"'\"'s $(rm) `x`'"
    assert set(query.shown) <= set("-.0123456789")


def test_functions_answer_one_by_one() -> None:
    asked = list[float]()

    def answer(value: float) -> bool:
        asked.append(value)
        return True

    domain = Domain(0, 1)
    queries = Search(plan(domain.problem(epsilon="1/25", delta="2/25", level=7))).ask()
    next(Function(answer).answer(queries))
    assert len(asked) == 1 < len(queries)
