"""Parts that divide: claims by brute force, what they cost, weights by the proof, laws."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.brute import brute, runs
from tests.support.checks import obeys
from tests.support.examples import examples

from feint import Problem
from feint.strategies import Table, Way, cheapest_way, halvings, mixed


class Shape(NamedTuple):
    """A table and what it was built from."""

    table: Table
    way: Way
    parts: int
    width: int
    kept: int
    accuracy: int


def built(parts: int, width: int, window: int, kept: int, accuracy: int, short: int) -> Shape:
    size, slack = parts * width - short, width - window
    table = mixed(
        Problem(Fraction(1, size), Fraction(window, size), 2, values=size),
        size,
        width=width,
        kept=kept,
        accuracy=accuracy,
        slack=slack,
    )
    way = cheapest_way(kept, width, accuracy, slack)
    return Shape(table, way, parts, width, kept, accuracy)


SHAPES = [
    (way.parts + more, width, window, kept, accuracy)
    for kept, window, wider, accuracy in product(range(2, 7), range(1, 7), range(5), (1, 2))
    for width in (window + wider,)
    for way in (cheapest_way(kept, width, accuracy, wider),)
    for more in range(3)
    if way.queries < kept * halvings(width, accuracy) and (way.parts + more) * width <= 40
]
"""Every shape on at most 40 cells whose parts do not all go the same way."""


@given(st.sampled_from(SHAPES), st.integers(0, 9))
@examples(25)
def test_nobody_wins_more_often_than_claimed(
    numbers: tuple[int, int, int, int, int], short: int
) -> None:
    """She catches at most 1/K of all cells, those included that stick out."""
    parts, width, window, kept, accuracy = numbers
    shape = built(parts, width, window, kept, accuracy, short % width)
    found = brute(shape.table, shape.table.problem.delta)
    cells = Fraction(shape.parts * shape.width, shape.table.size)
    assert found.success <= cells / shape.kept
    assert found.accuracy <= Fraction(shape.accuracy, shape.table.size)
    assert shape.table.queries <= shape.parts - 1 + shape.way.queries
    obeys(shape.table)


@pytest.mark.parametrize(
    ("parts", "width", "window", "kept"),
    [(4, 3, 3, 3), (5, 3, 3, 4), (8, 5, 5, 6), (3, 7, 5, 3), (4, 10, 6, 4), (3, 5, 1, 3)],
)
def test_parts_that_are_left_are_equally_likely(
    parts: int, width: int, window: int, kept: int
) -> None:
    """Given any transcript, cells no window holds together weigh K times what one does, or more."""
    shape = built(parts, width, window, kept, 1, 0)
    heard: dict[tuple[int, ...], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for points, cell, chance, _, _ in runs(shape.table):
        heard[points][cell] += chance
    for weights in heard.values():
        caught = max(
            sum(weights.get(cell, Fraction(0)) for cell in range(first, first + window))
            for first in range(parts * width)
        )
        assert caught * kept <= sum(weights.values())


def test_a_window_that_begins_inside_a_cell_catches_no_more() -> None:
    """With D = 5/2 cells, the slack of parts of five is two."""
    size = 20
    table = mixed(Problem("1/20", "1/8", 2), size, width=5, kept=4, slack=2)
    assert brute(table, Fraction(1, 8)).success <= Fraction(1, 4)


def test_without_a_gap_neighbours_are_too_near() -> None:
    """As if there were slack: what the dropped part is for."""
    size = 12
    table = mixed(Problem("1/12", "1/4", 2, values=size), size, width=3, kept=4, slack=2)
    assert table.queries == 3 + 4 + 3
    assert brute(table, Fraction(3, 12)).success > Fraction(1, 4)


@given(st.integers(1, 30), st.integers(1, 60), st.integers(1, 3), st.integers(0, 60))
@examples(100)
def test_questions_lie_between_the_mean_depth_and_halvings(
    kept: int, cells: int, accuracy: int, slack: int
) -> None:
    """Kraft: no tree on r leaves has a mean depth below log r; halvings alike are always there."""
    way = cheapest_way(kept, cells, accuracy, slack)
    steps = halvings(cells, accuracy)
    assert way.parts + way.queries <= kept + kept * steps
    pieces = -(-cells // accuracy)
    assert 2**way.queries >= pieces**kept or accuracy > 1
    assert way.parts == kept or way.gap


@pytest.mark.parametrize(
    ("kept", "cells", "slack", "questions"),
    [
        (30, 3, 2, 50),  # one offset in three is alone, two in three are a pair: 5/3 each
        (30, 3, 0, 51),  # one part more is asked once, and dropped
        (30, 5, 4, 72),  # 12/5 each
        (30, 8, 7, 90),  # a power of two has nothing to gain
        (12, 40, 7, 66),  # three halvings, and five offsets in 12/5 each, rounded up twice
    ],
)
def test_what_some_ways_ask(kept: int, cells: int, slack: int, questions: int) -> None:
    assert cheapest_way(kept, cells, 1, slack).queries == questions
