"""Tables: any finite strategy, its first query drawn at random if need be."""

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.support.checks import information, obeys

from feint import InvalidValue, Problem
from feint.branches import success
from feint.interfaces import UNASKED
from feint.strategies import END, History, Table, from_choices, from_histories

PROBLEM = Problem("1/3", "1/3", 2, values=3)
# Three values, two queries: 1 then 2, or 2 then 1, by an uneven coin.
TABLE: dict[History, list[tuple[int, int]]] = {
    (): [(1, 1), (2, 3)],
    ((1, False),): [(2, 1)],
    ((1, True),): [(2, 1)],
    ((2, False),): [(1, 1)],
    ((2, True),): [(1, 1)],
}


def test_a_random_first_query() -> None:
    """All boundaries are asked either way: the eavesdropper learns nothing and wins by 1/3."""
    strategy = from_histories(PROBLEM, 3, TABLE)
    assert success(strategy) == Fraction(1, 3)
    assert set(information(strategy)) == {(1, 2), (2, 1)}
    obeys(strategy)


def test_the_weights_decide_how_often() -> None:
    """Bisect from a random side, and the second query tells: by hand, over 4 × 3.

    First 1 (weight 1): "no" is cell 0, then ask 1 again; "yes" asks 2. First 2 (weight 3): "yes"
    is cell 2, then ask 2 again; "no" asks 1. She wins 1·(1 + 1) + 3·(1 + 1) of 12.
    """
    table = {
        **TABLE,
        ((1, False),): [(1, 1)],
        ((2, True),): [(2, 1)],
    }
    strategy = from_histories(PROBLEM, 3, table)
    assert success(strategy) == Fraction(8, 12)
    obeys(strategy)


def test_impossible_histories_may_be_left_out() -> None:
    table: dict[History, list[tuple[int, int]]] = {
        (): [(0, 1), (3, 1)],
        ((0, True),): [(1, 1), (2, 1)],
        ((3, False),): [(1, 1), (2, 1)],
    }
    obeys(from_histories(PROBLEM, 3, table))


def test_questions_that_everybody_knows_are_left_out() -> None:
    """After 0 comes 1 or 2, as after 3: one question in all, by one coin before it."""
    table: dict[History, list[tuple[int, int]]] = {
        (): [(0, 1), (3, 1)],
        ((0, True),): [(1, 1), (2, 1)],
        ((3, False),): [(1, 1), (2, 1)],
    }
    strategy = from_histories(PROBLEM, 3, table)
    assert (strategy.queries, len(strategy.rounds)) == (1, 1)
    assert set(information(strategy)) == {(1,), (2,)}


def test_a_run_ends_where_the_table_does() -> None:
    strategy = from_histories(PROBLEM, 3, {(): [(1, 1)], ((1, True),): [(2, 1)]})
    assert (strategy.queries, strategy.has_coins, strategy.asks_all) == (2, False, False)
    assert set(information(strategy)) == {(1, UNASKED), (1, 2)}
    assert from_histories(PROBLEM, 3, {}).rounds == ()
    obeys(strategy)


def test_histories_may_share_what_follows() -> None:
    """Entry 1 asks 2 after either answer, and comes before the entry that leads to it."""
    after = ([(2, 1)], [(END, END)])
    strategy = from_choices(PROBLEM, 3, [([(1, 1)], [(2, 1)]), after, ([(2, 1)], [(1, END)])])
    assert len(strategy.nodes) == 3
    assert success(strategy) == Fraction(2, 3)


def test_json_there_and_back() -> None:
    strategy = from_histories(PROBLEM, 3, TABLE)
    layouts, nodes = json.loads(json.dumps([strategy.layouts, strategy.nodes]))
    again = Table(PROBLEM, 3, layouts, nodes)
    assert again == strategy
    assert hash(again) == hash(strategy)


def test_all_histories_of_a_uniform_strategy() -> None:
    """Three random queries among four cells, repeats and all."""
    table: dict[History, list[tuple[int, int]]] = {
        history: [(1, 1), (2, 2), (3, 1)]
        for length in range(3)
        for history in product(product((1, 2, 3), (False, True)), repeat=length)
    }
    obeys(from_histories(Problem("1/4", "1/4", 2, values=4), 4, table))


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([([(4, 1)], [(-1, -1)])], r"entries\[0\] = 4: questions must lie on the lattice, 0 to 3"),
        ([([(1, 0), (2, 0)], [(-1, -1)] * 2)], r"nodes\[0\] = \(0, 0\): weights"),
        ([([(1, 2), (2, -1)], [(-1, -1)] * 2)], "must not be negative"),
        ([([(1, 1 << 62), (2, 1)], [(-1, -1)] * 2)], "2\\^62"),
        ([([(1, 1)], [(1, -1)])], "entries = 1: must lead to other entries, 0 to 0"),
        ([([(1, 1)], [(0, -1)])], "entries = 0: .* never back"),
        ([([(1, 1)], [(1, -1)]), ([(2, 1)], [(0, 0)])], "entries = 0: .* never back"),
    ],
)
def test_tables_that_make_no_sense(entries: Any, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        from_choices(PROBLEM, 3, entries)


def test_weights_must_be_whole() -> None:
    with pytest.raises(InvalidValue, match="rows of edges"):
        from_histories(PROBLEM, 3, {(): [(1, 0.5), (2, 0.5)]})  # type: ignore[list-item]
