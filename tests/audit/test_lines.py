"""The line that a number lies on: every place is in the cell whose boundaries hold it."""

from bisect import bisect_right
from fractions import Fraction

import numpy as np
import pytest

from feint.audit import Prior
from feint.audit.places import Places
from feint.problem import Line

F = Fraction


@pytest.mark.parametrize(
    "scale",
    [
        Line(F(0), F(20), 7, F(1)),  # rounded up and down
        Line(F(20), F(100), 13, F(1, 2)),
        Line(F(1, 3), F(31, 3), 6, F(1)),  # the ends lie between ticks
        Line(F(-1), F(21), 11, F(1), (F(0), F(20))),  # first and last cell cut short
        Line(F(0), F(5), 5, None, (F(1, 2), F(19, 4))),
        Line(F(0), F(20), 5, F(1), None, (9, 10, 11, 12)),  # where a prior puts them
    ],
)
@pytest.mark.parametrize("weights", [(1,), (1, 2, 3)])
def test_every_place_of_an_uneven_line_is_in_its_cell(
    scale: Line, weights: tuple[int, ...]
) -> None:
    wide = scale.at(scale.size) - scale.at(0)
    line = Places(scale, F(1, 4), Prior(weights))
    ends = [(scale.at(each) - scale.at(0)) / wide * line.units for each in range(scale.size + 1)]
    assert ends[-1] == line.units
    places = np.arange(line.units)
    found = line.cell(places)
    assert found.tolist() == [bisect_right(ends, int(place)) - 1 for place in places]
    assert {*found.tolist()} == {*range(scale.size)}


def test_a_place_is_in_no_cell_that_comes_to_nothing() -> None:
    line = Places(Line(F(0), F(20), 8, F(1), None, (9, 9, 10, 10, 11, 11, 12)), F(1, 4))
    assert line.cell(np.arange(20)).tolist() == [0] * 9 + [2, 4, 6] + [7] * 8


def test_cells_of_an_even_line_are_equal() -> None:
    line = Places(Line.of_cells(4), F(1, 3))
    assert line.scale == 3
    assert line.cell(np.arange(12)).tolist() == [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3
