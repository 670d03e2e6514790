"""The old name of what simulations read off a line."""

from fractions import Fraction

import numpy as np
import pytest

from feint import Prior
from feint.problem import Line
from feint.simulate import Measure

PRIOR = Prior([3, 0, 1, 2])
LINE = Line.of_quantiles(Fraction(-2), Fraction(6), PRIOR, 5, Fraction(1, 10))


def test_a_measure_still_says_what_its_line_says() -> None:
    with pytest.warns(DeprecationWarning, match=r"use feint\.problem\.Line"):
        old = Measure.of(LINE)
    assert old is not None
    cell, rest = np.array([0, 2, 4]), np.array([0.0, 0.25, 0.5])
    assert old.shares.tolist() == LINE.shares.tolist()
    assert old.at(cell + rest).tolist() == LINE.shares_at(cell + rest).tolist()
    assert old.between(cell, rest).tolist() == LINE.shares_between(cell, rest).tolist()
    found, inside = old.draw(PRIOR, 50, np.random.default_rng(1))
    assert LINE.shares_at(found + inside) == pytest.approx(_drawn(50))
    places = old.places
    assert old.widest(np.array([0]), np.array([2]), np.array([1])) == max(
        places[2] - 2 * places[1], 2 * places[2] - places[2]
    )


def _drawn(runs: int) -> list[float]:
    cell, rest = PRIOR.draw(1 << 40, runs, np.random.default_rng(1))
    return [float(each) for each in (cell + rest) / (1 << 40)]


def test_equal_cells_need_no_measure() -> None:
    assert Measure.of(None) is None
    assert Measure.of(Line.of_cells(4)) is None
