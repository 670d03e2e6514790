"""A wrong type anywhere in what people call gives one sentence that says what to pass."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from tests.support.price import PRICE, price_plan

from feint import (
    FeintError,
    Problem,
    Search,
    WrongType,
    create,
    find,
    finish,
    load,
)
from feint.search import export_round, import_answers
from feint.simulate.oracles import Command, Function, Hidden, Rounds
from feint.simulate.oracles.majority import Majority

NONE: Any = None
WANTED: dict[str, Any] = {"low": 10, "high": 110, "epsilon": "0.05", "delta": 2, "level": 8}
PROBLEM = Problem("1/64", "1/12", 3)
PLAN = price_plan()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: Search(cast(Any, PROBLEM)),
            "plan = a Problem: must be a Plan; pass plan(problem)",
        ),
        (lambda: Search(NONE), "plan = None: must be a Plan"),
        (lambda: Search(cast(Any, Search(PLAN))), "pass its attribute plan"),
        (lambda: Search(cast(Any, PLAN.strategy)), "pass Plan.of(strategy)"),
        (lambda: Search(PLAN, domains=cast(Any, PRICE)), "one per number; pass [domain]"),
        (lambda: Search(PLAN, domains=cast(Any, [(0, 9)])), "pass Domain(0, 9) for (0, 9)"),
        (lambda: Search(PLAN, domains=cast(Any, 7)), "pass [Domain(low, high), …]"),
        (lambda: Search(PLAN, key=cast(Any, "k")), "key = str: must be 32 secret bytes"),
        (lambda: Search(PLAN, record=cast(Any, "log")), "record = 'log': must be a function"),
        (lambda: Search.from_json(NONE), "not a saved search; pass the output of Search.to_json()"),
        (lambda: create(NONE, PLAN), "state = None: must be the name of a file"),
        (lambda: load(cast(Any, 7)), "state = 7: must be the name of a file"),
        (lambda: create("never", cast(Any, PROBLEM)), "plan = a Problem: must be a Plan"),
        (lambda: find(NONE, **WANTED), "oracle = None: must be a function of a number; pass one"),
        (lambda: find(cast(Any, PROBLEM), **WANTED), "oracle = a Problem: must be a function"),
        (lambda: find(cast(Any, Hidden), **WANTED), "oracle = the class Hidden: must be"),
        (lambda: find(bool, args=cast(Any, 73.42), **WANTED), "args = of type float: must be a"),
        (lambda: find(Hidden(5), args=(1,), **WANTED), "an Oracle is asked about queries"),
        (lambda: find(bool, **WANTED | {"low": None}), "low = None: must be a number"),
        (lambda: find(bool, **WANTED | {"low": {}}), "low = {}: must be a number"),
        (lambda: find(bool, state=cast(Any, 7), **WANTED), "state = 7: must be the name"),
        (lambda: find(bool, domains=cast(Any, PRICE), epsilon=1, delta=4, level=4), "[domain]"),
        (lambda: finish(cast(Any, PLAN), bool), "search = a Plan: must be a Search; pass Search"),
        (lambda: finish(NONE, bool), "search = None: must be a Search"),
        (lambda: finish(Search(PLAN), NONE), "oracle = None: must be a function"),
        (lambda: export_round(cast(Any, PLAN), "never"), "search = a Plan: must be a Search"),
        (lambda: import_answers(Search(PLAN), NONE), "path = None: must be the name of a file"),
        (lambda: Command(cast(Any, ["test"])), "oracle = ['test']: must be a line of the shell"),
        (lambda: Function(cast(Any, 7)), "function = 7: must be a function; pass a function of a"),
        (lambda: Rounds(cast(Any, 7)), "function = 7: must be a function; pass a function of a"),
        (lambda: Majority(cast(Any, 7), 3), "sample = 7: must be a function; pass a function of"),
    ],
)
def test_one_sentence_says_what_to_pass(call: Callable[[], object], said: str) -> None:
    with pytest.raises(FeintError) as caught:
        call()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_answer_is_of_the_wrong_type_and_not_shown() -> None:
    search = Search(PLAN)
    (query,) = search.ask()
    for wrong in (None, 1, "73.4181", 73.4181):
        with pytest.raises(WrongType, match="must be True or False") as caught:
            search.tell(query.id, cast(Any, wrong))
        assert isinstance(caught.value, TypeError)
        assert "73.4181" not in str(caught.value)


def test_secrets_among_the_arguments_are_not_shown() -> None:
    with pytest.raises(WrongType) as caught:
        find(bool, args=cast(Any, 73.4181), **WANTED)
    assert "73.4181" not in str(caught.value)
