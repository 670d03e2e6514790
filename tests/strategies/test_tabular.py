"""Tables: any finite strategy, its first query drawn at random if need be."""

import json
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.support.checks import information, obeys

from feint import InvalidValue, Problem
from feint.branches import success
from feint.strategies import Tabular
from feint.strategies.tabular import History

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
    strategy = Tabular.from_histories(PROBLEM, 3, 2, TABLE)
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
    strategy = Tabular.from_histories(PROBLEM, 3, 2, table)
    assert success(strategy) == Fraction(8, 12)
    obeys(strategy)


def test_impossible_histories_may_be_left_out() -> None:
    table: dict[History, list[tuple[int, int]]] = {
        (): [(0, 1), (3, 1)],
        ((0, True),): [(1, 1), (2, 1)],
        ((3, False),): [(1, 1), (2, 1)],
    }
    obeys(Tabular.from_histories(PROBLEM, 3, 2, table))


def test_json_there_and_back() -> None:
    strategy = Tabular.from_histories(PROBLEM, 3, 2, TABLE)
    again = Tabular(PROBLEM, 3, 2, json.loads(json.dumps(strategy.nodes)))
    assert again == strategy
    assert hash(again) == hash(strategy)


def test_all_histories_of_a_uniform_strategy() -> None:
    """Three random queries among four cells, repeats and all."""
    table: dict[History, list[tuple[int, int]]] = {
        history: [(1, 1), (2, 2), (3, 1)]
        for length in range(3)
        for history in product(product((1, 2, 3), (False, True)), repeat=length)
    }
    obeys(Tabular.from_histories(Problem("1/4", "1/4", 2, values=4), 4, 3, table))


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ([[[[4, 1]], [[-1, -1]]]], r"nodes\[0\] = 4: .* 0 to 3"),
        ([[[[1, 0]], [[-1, -1]]]], r"nodes\[0\] = \[0\]: weights"),
        ([[[[1, 2], [2, -1]], [[-1, -1], [-1, -1]]]], "must not be negative"),
        ([[[[1, 1 << 62]], [[-1, -1]]]], "2\\^62"),
        ([[[[1, 1]], []]], "must give children to each of its 1 choices"),
        ([[[[1, 1]], [[1, -1]]]], r"nodes\[0\] = 1: children must be nodes"),
        ([[[], []]], "weights"),
    ],
)
def test_tables_that_make_no_sense(nodes: Any, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        Tabular(PROBLEM, 3, 1, nodes)


def test_holes_are_named() -> None:
    with pytest.raises(InvalidValue, match="must say how to start"):
        Tabular.from_histories(PROBLEM, 3, 1, {})
    strategy = Tabular.from_histories(PROBLEM, 3, 2, {(): [(1, 1)]})
    with pytest.raises(InvalidValue, match="no entry for a history of 1 queries"):
        success(strategy)
    with pytest.raises(RuntimeError, match="not tossed"):
        strategy.ask(strategy.start(1))
    assert np.array_equal(strategy.start(2).high, [3, 3])


def test_weights_must_be_whole() -> None:
    nodes: Any = [([(2, 0.5)], [(-1, -1)])]
    with pytest.raises(InvalidValue, match="scale weights to ints"):
        Tabular(Problem("1/4", "1/2", 2), 4, 1, nodes)
