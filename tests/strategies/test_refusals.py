"""Strategies that make no sense: the whole of what is said."""

from typing import Any

import pytest
from tests.support.strategies import staged_noisy

from feint import InvalidValue, Problem
from feint.strategies.retired import (
    Tabular,
)

THREE = Problem("1/3", "1/3", 2, values=3)
WEIGHTS = (
    "weights must not be negative, and their sum must lie between 1 and 2^62;"
    " scale them, or drop the node"
)


def test_answers_that_may_be_wrong_need_to_be_so_often() -> None:
    strategy = staged_noisy(Problem("1/24", "1/6", 2), 24, 1, 0, 3, 2, 2, 3)
    with pytest.raises(InvalidValue) as refused:
        strategy.start(1)
    words = "p = None: answers that may be wrong need one known probability; give p"
    assert str(refused.value) == words


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        (
            [[[[1, 1]], []]],
            "nodes[0] = (): must give children to each of its 1 choices; -1 stands for none",
        ),
        (
            [[[[4, 1]], [[-1, -1]]]],
            "nodes[0] = 4: queries must lie on the lattice, 0 to 3;"
            " move it to the nearest boundary",
        ),
        ([[[[-1, 1]], [[-1, -1]]]], "nodes[0] = -1: queries must lie on the lattice, 0 to 3;"),
        ([[[[1, 0]], [[-1, -1]]]], f"nodes[0] = [0]: {WEIGHTS}"),
        ([[[[1, 2], [2, -1]], [[-1, -1]] * 2]], f"nodes[0] = [2, -1]: {WEIGHTS}"),
        ([[[[1, 1 << 62]], [[-1, -1]]]], f"nodes[0] = [4611686018427387904]: {WEIGHTS}"),
        (
            [[[[1, 1]], [[-1, -1]]], [[[1, 1]], [[2, -1]]]],
            "nodes[1] = 2: children must be nodes, 0 to 1; -1 stands for none",
        ),
        ([[[[1, 1]], [[-2, -1]]]], "nodes[0] = -2: children must be nodes, 0 to 0;"),
    ],
)
def test_tables(nodes: Any, words: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        Tabular(THREE, 3, 1, nodes)
    assert str(refused.value).startswith(words)


def test_the_ends_of_the_lattice_and_the_heaviest_weight_may_be_asked() -> None:
    nodes: Any = [[[[0, (1 << 62) - 2], [3, 1]], [[0, 0], [-1, -1]]]]
    assert Tabular(THREE, 3, 1, nodes).nodes[0].choices == ((0, (1 << 62) - 2), (3, 1))


def test_a_table_without_a_beginning_or_with_halves() -> None:
    with pytest.raises(InvalidValue) as refused:
        Tabular.from_histories(THREE, 3, 1, {})
    assert str(refused.value) == "table = no (): must say how to start; add the empty history"
    halves: Any = [([(2, 0.5)], [(-1, -1)])]
    with pytest.raises(InvalidValue) as refused:
        Tabular(THREE, 3, 1, halves)
    assert str(refused.value).startswith("nodes = something else: ")
    assert str(refused.value).endswith("; scale weights to ints")
