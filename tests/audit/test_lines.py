"""The line that a number lies on: every place is in the cell whose boundaries hold it."""

from bisect import bisect_right
from fractions import Fraction

import numpy as np
import pytest

from feint.audit import Prior
from feint.audit.sequence.line import Line
from feint.branches import Ruler
from feint.problem import Scale

F = Fraction


@pytest.mark.parametrize(
    "scale",
    [
        Scale(F(0), F(20), 7, F(1)),  # rounded up and down
        Scale(F(20), F(100), 13, F(1, 2)),
        Scale(F(1, 3), F(31, 3), 6, F(1)),  # the ends lie between ticks
        Scale(F(-1), F(21), 11, F(1), (F(0), F(20))),  # first and last cell cut short
        Scale(F(0), F(5), 5, None, (F(1, 2), F(19, 4))),
        Scale(F(0), F(20), 5, F(1), None, (9, 10, 11, 12)),  # where a prior puts them
    ],
)
@pytest.mark.parametrize("weights", [(1,), (1, 2, 3)])
def test_every_place_of_an_uneven_line_is_in_its_cell(
    scale: Scale, weights: tuple[int, ...]
) -> None:
    wide = scale.at(scale.size) - scale.at(0)
    delta = F(1, 4)
    ruler = Ruler(scale, delta * wide)
    line = Line(cells=scale.size, delta=delta, prior=Prior(weights), width=wide, ruler=ruler)
    ends = [(scale.at(each) - scale.at(0)) / wide * line.units for each in range(scale.size + 1)]
    assert ends[-1] == line.units
    places = np.arange(line.units)
    found = line.cell(places)
    assert found.tolist() == [bisect_right(ends, int(place)) - 1 for place in places]
    assert {*found.tolist()} == {*range(scale.size)}


def test_a_place_is_in_no_cell_that_comes_to_nothing() -> None:
    scale = Scale(F(0), F(20), 8, F(1), None, (9, 9, 10, 10, 11, 11, 12))
    ruler = Ruler(scale, F(5))
    line = Line(cells=8, delta=F(1, 4), prior=Prior([1]), width=F(20), ruler=ruler)
    assert line.cell(np.arange(20)).tolist() == [0] * 9 + [2, 4, 6] + [7] * 8


def test_cells_of_an_even_line_are_equal() -> None:
    line = Line(cells=4, delta=F(1, 3), prior=Prior([1]), width=F(1))
    assert line.scale == 3
    assert line.cell(np.arange(12)).tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
