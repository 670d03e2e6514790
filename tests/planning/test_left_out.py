"""What an argument that is left out stands for: parts may be spared, values are told apart."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.support.trees import cheapest_tree

from feint import Problem
from feint.audit import Prior
from feint.planning.noiseless.methods import noiseless_methods
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.steps import cheapest_cut, narrowings
from feint.planning.noiseless.uniform import Uniform, Wanted
from feint.planning.noiseless.whole import _Blocks, _Search, cheapest_whole
from feint.planning.priors.places import PriorLine, Values
from feint.planning.priors.weighted import Weighted
from feint.problem import Line
from feint.strategies import StagedShape

PROBLEM = Problem("1/40", "1/10", 3)
LINE = PriorLine(Line.of_cells(16, Prior([1, 2, 1])), Fraction(2), 1)


def tight(**given: Any) -> object:
    return noiseless_methods(PROBLEM, **given)["tight"](PROBLEM, 3, None)


def staged(**given: Any) -> object:
    return cheapest_staged(Fraction(1, 40), Fraction(1, 10), 3, **given)


def whole(**given: Any) -> object:
    return cheapest_whole(20, 2, 4, **given)


def cut(**given: Any) -> object:
    return cheapest_cut(5, 6, 4, rounds=None, below=99, **given)


def tree(**given: Any) -> object:
    return cheapest_tree(23, 4, Wanted(window=Fraction(3), **given), below=60)


def believed(**given: Any) -> object:
    made = Weighted(LINE, range(0, 17, 2), {0: Values(LINE)}, 3, 20, **given)
    return made.least.tolist()


@pytest.mark.parametrize(
    ("found", "left_out", "other"),
    [
        (tight, {"spare": True}, {"spare": False}),
        (staged, {"spare": True}, {"spare": False}),
        (whole, {"spare": True}, {"spare": False}),
        (whole, {"accuracy": 1}, {"accuracy": 2}),
        (cut, {"spare": True}, {"spare": False}),
        (tree, {"spare": True}, {"spare": False}),
        (tree, {"accuracy": 1}, {"accuracy": 2}),
        (tree, {"rounds": None}, {"rounds": 2}),
        (believed, {"spare": True}, {"spare": False}),
        (believed, {"stride": 1}, {"stride": 4}),
    ],
)
def test_it_stands_for(
    found: Callable[..., object], left_out: dict[str, Any], other: dict[str, Any]
) -> None:
    assert found() == found(**left_out)
    assert found() != found(**other)


def test_every_number_of_parts_is_tried() -> None:
    """20 values, two neighbours, level 4: 5 parts of each half, 1 + 4 + 4 questions."""
    found = {}
    for stride in (1, 2):
        search = _Search(20, Fraction(2), Fraction(4), None, 1, spare=True)
        for way in narrowings(2, None):
            search.cut(way, 1, 20, stride)
        found[stride] = search.best
    search = _Search(20, Fraction(2), Fraction(4), None, 1, spare=True)
    for way in narrowings(2, None):
        search.cut(way, 1, 20)
    assert search.best == found[1] == StagedShape(narrow=(2,), parts=5, kept=4, hide=(2,))
    assert found[2].queries > found[1].queries == 9


def test_what_she_catches_is_counted_in_values() -> None:
    """Ten values in pieces of 3, 3 and 4: of windows of two she catches 2 each, of four all."""
    blocks = _Blocks.of(10, 1)
    assert blocks.caught(1, 3, 2) == 6
    assert blocks.caught(1, 3, 4) == 10


def test_a_line_begins_at_zero_and_questions_fall_on_every_place() -> None:
    assert (LINE.origin, LINE.step, LINE.cells) == (0, 1, 16)
    assert np.array_equal(LINE.snap(np.arange(17)), np.arange(17))


def test_a_block_has_near_equal_parts_and_no_tail() -> None:
    """Of four cells two halvings leave her one of each pair, and a grid one of all."""
    table = Uniform(4, 4, Wanted(window=Fraction(1), spare=False))
    assert table.row.tolist() == [np.inf, np.inf, 2.0, 1.0]
    for questions, hide in ((2, (2, 2)), (3, (4,))):
        found = table.tree(questions)
        assert (found.size, found.parts, found.shape) == (4, (), StagedShape(hide=hide))
