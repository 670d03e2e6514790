"""Live noisy searches that stop when they are sure: saved anywhere, resumed, and equal to see."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support import damage
from tests.support.price import KEY

from feint import Plan, Problem, Search
from feint.errors import BadState
from feint.search import create, load
from feint.search.rounds import line
from feint.search.saved import decode, encode
from feint.strategies import Product, SequentialNoisy, SequentialShape

ONE = Problem("1/48", "1/12", 2, p="0.8", confidence="0.8")
SHAPE = SequentialShape(
    blocks=2,
    narrow_error=Fraction(1, 10),
    narrow_cap=(4, 2),
    parts=3,
    repeats=2,
    kept=2,
    hide_error=Fraction(1, 6),
    hide_cap=(5, 3),
)
STRATEGY = SequentialNoisy(ONE, 48, SHAPE)
PLANS = {
    "one": Plan.of(STRATEGY),
    "two at once": Plan.of(replace(STRATEGY, shape=replace(SHAPE, at_once=2))),
    "average": Plan.of(replace(STRATEGY, problem=Problem("1/48", "1/12", 2, p="0.8"))),
    "two numbers": Plan.of(
        Product(Problem("1/48", "1/12", 4, p="0.8", confidence="0.6", dim=2), (STRATEGY,) * 2)
    ),
}


def answer(search: Search, seed: int, most: int = 1000) -> list[tuple[str, Fraction, bool]]:
    """Answer at most so many questions, each by itself: what is said follows from its name."""
    told = list[tuple[str, Fraction, bool]]()
    while not search.done and len(told) < most:
        query = next(each for each in search.ask() if search.told(each.id) is None)
        numbers = [int(each) for each in query.id[1:].split(".")]
        wrong = np.random.default_rng([seed, *numbers]).random() < 0.3
        yes = bool((query.number <= 0.4) != wrong)
        search.tell(query.id, yes)
        told.append((query.id, query.value, yes))
    return told


@pytest.mark.parametrize("name", PLANS)
def test_a_search_is_saved_anywhere_and_goes_on(name: str) -> None:
    for seed in range(3):
        whole = Search(PLANS[name], key=KEY)
        expected = answer(whole, seed)
        begun, before = Search(PLANS[name], key=KEY), []
        while not begun.done:
            before += answer(begun, seed, 1)
            begun = Search.from_json(begun.to_json())
        assert before == expected
        assert begun.result == whole.result
        assert begun.to_json() == whole.to_json()
        assert begun.result.queries == len(expected) <= PLANS[name].queries


def test_searches_end_at_different_times_and_say_so() -> None:
    lengths = set()
    for seed in range(20):
        search = Search(PLANS["one"], key=KEY)
        lengths.add(len(answer(search, seed)))
        assert search.transcript.lengths()[0].tolist() == [search.answered]
    assert len(lengths) > 2


def test_a_file_has_one_length_from_the_beginning_whenever_it_ends(tmp_path: Path) -> None:
    sizes, lengths = set(), set()
    for seed in range(5):
        path = tmp_path / str(seed)
        search = create(path, PLANS["one"])
        while not search.done:
            sizes.add(path.stat().st_size)
            answer(search, seed, 1)
        sizes.add(path.stat().st_size)
        lengths.add(search.result.queries)
        result = search.result
        del search
        assert load(path).result == result
    assert len(sizes) == 1
    assert len(lengths) > 1


def test_equal_questions_leave_equal_bytes_but_for_answers() -> None:
    """Two searches whose decoys were answered otherwise: what is asked does not change."""
    first, other = (Search(PLANS["one"], key=KEY) for _ in range(2))
    hidden = list[str]()
    while not first.done:
        queries = first.ask()
        assert [each.id for each in other.ask()] == [each.id for each in queries]
        state = first._course._state
        for column, query in enumerate(queries):
            follows = len(queries) != 2 or column == state.column[0]
            yes = query.number <= 0.6
            first.tell(query.id, yes)
            other.tell(query.id, yes if follows else not yes)
            hidden += [] if follows else [query.id]
    assert other.done
    assert hidden
    assert first.transcript.points.tolist() == other.transcript.points.tolist()
    for mine, theirs in zip(first.kept(), other.kept(), strict=True):
        assert {**mine, "told": ""} == {**theirs, "told": ""}
        assert len(line(mine)) == len(line(theirs))


def test_a_plan_comes_back_as_it_was() -> None:
    for plan in PLANS.values():
        assert decode(encode(plan)) == plan


@pytest.mark.parametrize(
    "changes",
    [
        {"blocks": 0},
        {"blocks": 49},
        {"narrow_cap": (-1, 0)},
        {"narrow_cap": (1 << 60, 0)},
        {"hide_cap": (3,)},
        {"hide_cap": (1, -1)},
        {"hide_error": Fraction(0)},
        {"narrow_error": 0.5},
        {"repeats": 0},
        {"kept": 4},
        {"at_once": 0},
        {"parts": 1 << 40},
    ],
)
def test_a_plan_that_no_search_could_follow_is_refused(changes: dict[str, Any]) -> None:
    document = damage.document(Search(PLANS["one"], key=KEY).to_json())
    assert damage.outcome(damage.text(damage.signed(document))) == "loads"
    document["plan"]["strategy"]["shape"] = encode(replace(SHAPE, **changes))
    with damage.limited(), pytest.raises(BadState):
        Search.from_json(damage.text(damage.signed(document)))


def test_a_round_says_its_phase_by_what_it_asks() -> None:
    """Two searches may be in different phases in one round; whoever hears one knows in which."""
    found = set()
    for seed in range(8):
        search = Search(PLANS["one"], key=KEY)
        answer(search, seed)
        names = search.phases
        cut = names.index("cut")
        assert names == ("narrow",) * cut + ("cut",) + ("hide",) * (len(names) - cut - 1)
        asked = [len(each) for each in rounds_of(search)]
        assert asked == [1] * cut + [4] + [2] * (len(names) - cut - 1)
        found.add(cut)
        for name, announced in zip(names, STRATEGY.rounds, strict=False):
            assert name in announced.phase.split("/")
    assert len(found) > 1


def test_several_numbers_join_their_phases() -> None:
    search = Search(PLANS["two numbers"], key=KEY)
    answer(search, 1)
    assert search.phases[0] == "narrow"
    assert {"narrow", "cut", "hide"} == {name for each in search.phases for name in each.split("/")}
    assert search.phases[-1] == "hide"


def rounds_of(search: Search) -> list[list[str]]:
    """The questions that were shown, a list a round."""
    found: list[list[str]] = [[] for _ in range(search.round + 1)]
    for told in search.history:
        found[told.round].append(told.id)
    return found
