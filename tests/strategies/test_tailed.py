"""Parts of one width and a tail: claims by brute force, weights by the proof, laws, figures."""

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.brute import brute, runs
from tests.support.checks import obeys
from tests.support.examples import examples

from feint import InvalidValue, Problem
from feint.strategies import Act, Table, Tree, blocks, located
from feint.strategies import tailed as build

Levels = tuple[tuple[int, int], ...]


def tailed(
    size: int,
    width: int,
    levels: Levels,
    kept: int,
    window: int | None = None,
    *,
    accuracy: int = 1,
) -> Table:
    problem = Problem(Fraction(1, size), Fraction(window or width, size), 2, values=size)
    return build(problem, size, width=width, levels=levels, kept=kept, accuracy=accuracy)


class Shape(NamedTuple):
    """A table and what it was built from."""

    table: Table
    width: int
    kept: int
    accuracy: int


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    """Any shape on at most 50 cells, not only those that plans choose."""
    kept, width = draw(st.integers(2, 4)), draw(st.integers(1, 9))
    parts = draw(st.integers(kept, 3 * kept))
    size = parts * width + draw(st.integers(0, width - 1))
    assume(2 * width <= size <= 50)
    levels: Levels = ()
    groups = 1
    for _ in range(draw(st.integers(0, 2))):
        split = draw(st.integers(2, 4))
        levels = (*levels, (split, draw(st.integers(1, groups * split))))
        groups = levels[-1][1]
    found = located(parts, levels, tailed=size % width > 0)
    assume(found is not None and found.least >= kept and found.asked[-1] > 0)
    window, accuracy = draw(st.integers(1, width)), draw(st.sampled_from([1, 1, 2, 3, width]))
    table = tailed(size, width, levels, kept, window, accuracy=accuracy)
    return Shape(table, width, kept, accuracy)


@given(shapes())
@examples(25)
def test_nobody_wins_more_often_than_claimed(shape: Shape) -> None:
    found = brute(shape.table, shape.table.problem.delta)
    assert found.success <= Fraction(1, shape.kept)
    assert found.accuracy <= Fraction(shape.accuracy, shape.table.size)
    obeys(shape.table)


@given(shapes())
@examples(25)
def test_a_tail_is_as_likely_as_a_part(shape: Shape) -> None:
    """Given any transcript, the cells of every offset weigh L times the heaviest of them or more.

    Given the window that is kept, L of them have that weight; windows that sound alike add up.
    """
    heard: dict[tuple[int, ...], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for points, cell, chance, _, _ in runs(shape.table):
        heard[points][cell] += chance
    for weights in heard.values():
        offsets: dict[int, list[Fraction]] = defaultdict(list)
        for cell, weight in weights.items():
            offsets[cell % shape.width].append(weight)
        for each in offsets.values():
            assert sum(each) >= shape.kept * max(each)
            if shape.width > shape.accuracy:  # parts are searched: W is heard
                assert each.count(max(each)) >= shape.kept


@pytest.mark.parametrize(
    ("size", "width", "levels", "kept"),
    [(37, 3, ((2, 2), (2, 3)), 3), (49, 4, ((2, 2), (3, 4)), 3), (26, 2, ((3, 2), (2, 3)), 3)],
)
def test_a_window_of_groups_that_several_groups_were_split_into(
    size: int, width: int, levels: Levels, kept: int
) -> None:
    strategy = tailed(size, width, levels, kept)
    assert brute(strategy, strategy.problem.delta).success <= Fraction(1, kept)
    obeys(strategy)


def test_windows_that_sound_alike_add_up() -> None:
    """13 cells, parts of 2 that are not searched: two windows keep the last of them."""
    strategy = tailed(13, 2, ((2, 1), (3, 2)), 2, accuracy=2)
    heard: dict[tuple[int, ...], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for points, cell, chance, _, _ in runs(strategy):
        heard[points][cell] += chance
    half = Fraction(1, 2)
    assert heard[6, 8, 10, 12] == {**dict.fromkeys(range(6, 10), half), 10: 1, 11: 1, 12: 1}
    assert brute(strategy, Fraction(2, 13)).success == Fraction(5, 13)


def test_five_parts_and_half_a_part_by_hand() -> None:
    """72 cells, D = 16, L = 4: 16, 16, 16, 16 and 8 cells, 4 + 4·4 questions, exactly 1/4.

    Offsets 0…7 lie in five places, of which four are kept, the others in four: (8·5 + 8·4)/4 = 18
    of the 72 cells are caught.
    """
    strategy = tailed(72, 16, (), 4)
    assert sum(len(each.coordinates) for each in strategy.rounds) == 20
    assert brute(strategy, strategy.problem.delta).success == Fraction(1, 4)


def test_a_tail_that_a_halving_divides_takes_a_question_more() -> None:
    """Of 16 offsets a tail of 5 is divided by the cut at 4 only: 8 ≥ 5, 4 < 5, then 6 and 5.

    Offsets 0…3 lie in five places, of which four are kept; offset 4 in five and 5…15 in four, and
    nothing is dropped: 4·5/4 + 1 + 11 = 17 of 69 cells are caught.
    """
    strategy = tailed(69, 16, (), 4)
    assert [len(each.coordinates) for each in strategy.rounds] == [4, 4, 5, 4, 4]
    assert brute(strategy, strategy.problem.delta).success == Fraction(17, 69)


def test_groups_of_parts() -> None:
    """Seven parts in groups of 3, 2 and 2, of which two are kept: 2 + 3 questions instead of 6."""
    strategy = tailed(28, 4, ((3, 2),), 4)
    assert [len(each.coordinates) for each in strategy.rounds] == [2, 3, 4, 4]
    assert brute(strategy, strategy.problem.delta).success == Fraction(1, 4)


@pytest.mark.parametrize("riders", [1, 2, 3])
def test_riders_add_nothing(riders: int) -> None:
    """Cells set off before a block with a tail act the end of its first part: proofs/hiding.md."""
    size, width = 4 * 4 + 3, 4
    total = size + riders
    problem = Problem(Fraction(1, total), Fraction(width, total), 2, values=total)
    tree: Tree = build(problem, size, width=width, kept=4)
    for _ in range(riders):
        tree = ((1,), (Act(width), tree))
    strategy = blocks(problem, tree)
    assert brute(strategy, problem.delta).success * total <= Fraction(size, 4)
    obeys(strategy)


def test_a_group_too_small_to_keep_is_refused() -> None:
    with pytest.raises(InvalidValue, match="must be at most the 1 parts that are told apart"):
        tailed(12, 3, ((3, 1),), 2)
    with pytest.raises(InvalidValue, match="groups of 4 parts cannot be split into 5"):
        tailed(12, 3, ((5, 2),), 2)
    assert located(4, ((5, 2),), tailed=False) is None
