"""The line: cells, places and masses agree with each other, and with a count by hand."""

import doctest
import math
from bisect import bisect_right
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import feint.problem
from feint import Domain, Prior
from feint.problem import Line, line

F = Fraction
UNEVEN = Prior([3, 0, 1, 2])
LINES = {
    "unit": Line.of_cells(12),
    "values": Line(F(-3), F(11), 7),
    "ticks that fit": Line.of_ticks(F(1), F(8), F(1, 2)),
    "ends cut short": Line.of_ticks(F(1, 2), F(27, 4), F(1)),
    "first cut short": Line.of_ticks(F(1, 3), F(5), F(1)),
    "last cut short": Line.of_ticks(F(0), F(16, 3), F(2)),
    "rounded": Line(F(0), F(20), 7, F(1)),
    "rounded, ends between ticks": Line(F(1, 3), F(31, 3), 6, F(1)),
    "rounded and cut short": Line(F(-1), F(21), 11, F(1), (F(0), F(20))),
    "quantiles": Line.of_quantiles(F(-2), F(6), UNEVEN, 5, F(1, 10)),
    "empty cells": Line(F(0), F(20), 8, F(1), None, (9, 9, 10, 10, 11, 11, 12)),
    "weighed values": Line(F(0), F(8), 8, prior=Prior([1, 0, 0, 4, 2, 2, 0, 5])),
    "weighed ticks": Line.of_ticks(F(1, 2), F(27, 4), F(1), UNEVEN),
    "weighed empty cells": Line(F(0), F(20), 8, F(1), None, (9, 9, 10, 10, 11, 11, 12), UNEVEN),
    "one cell": Line(F(5), F(6), 1),
    "far from zero": Line(F(10**30), F(10**30 + 20), 7, F(1)),
}


@pytest.fixture(params=LINES, name="line")
def one_line(request: pytest.FixtureRequest) -> Line:
    return LINES[request.param]


def boundaries(line: Line) -> list[Fraction]:
    return [line.at(each) for each in range(line.size + 1)]


def mass_below(line: Line, place: Fraction) -> Fraction:
    """The mass below a place, bin by bin."""
    weights = (line.prior or Prior([1])).weights
    wide, start, found = line.width / len(weights), line.at(0), F(0)
    for number, weight in enumerate(weights):
        inside = min(max(place - start - wide * number, F(0)), wide)
        found += weight * inside / wide
    return found / sum(weights)


def test_places_rise_from_the_beginning_of_the_range_to_its_end(line: Line) -> None:
    places = boundaries(line)
    assert places == sorted(places)
    assert places[-1] - places[0] == line.width
    if line.tick is not None:
        assert all(each % line.tick == 0 for each in places[1:-1])
    if line.even:
        assert {high - low for low, high in pairwise(places)} == {line.cell}


def test_masses_add_up(line: Line) -> None:
    masses = [line.mass(each) for each in range(line.size + 1)]
    assert masses == [mass_below(line, each) for each in boundaries(line)]
    assert [masses[0], masses[-1]] == [0, 1]


@pytest.mark.parametrize("delta", [F(0), F(1, 7), F(1, 4), F(5, 12)])
def test_whole_places_are_exact(line: Line, delta: Fraction) -> None:
    """Boundaries, windows and bins all end on a place, and every place is in its cell."""
    units = line.units(delta)
    places = boundaries(line)
    found = line.place(np.arange(line.size + 1), units).tolist()
    assert [F(each, units) * line.width + places[0] for each in found] == places
    assert (delta * units).denominator == 1
    assert units % (line.prior or Prior([1])).bins == 0
    held = np.arange(0, units, max(1, units // 500))
    at = [places[0] + F(int(each), units) * line.width for each in held]
    wanted = [bisect_right(places, each) - 1 for each in at]  # of empty cells, the one after them
    assert line.cells(held, units).tolist() == wanted


def test_places_of_an_array_keep_its_shape_and_what_was_not_asked(line: Line) -> None:
    asked = np.array([[-1, 0, line.size], [line.size // 2, -1, -1]])
    found = line.place(asked)
    assert found.shape == asked.shape
    assert found[asked < 0].tolist() == [-1, -1, -1]
    assert found[0, 1:].tolist() == [0, line.finest]


def test_floats_agree_with_rationals(line: Line) -> None:
    start = line.at(0)
    shares = [float((each - start) / line.width) for each in boundaries(line)]
    assert line.shares.tolist() == shares
    random = np.random.default_rng(5)
    cell, rest = random.integers(line.size, size=200), random.random(200)
    wanted = [
        float((line.between(int(a), F(b)) - start) / line.width)
        for a, b in zip(cell, rest, strict=True)
    ]
    assert line.shares_between(cell, rest) == pytest.approx(wanted, abs=1e-12)
    held, inside = line.split(random.random(200))
    assert (line.shares[held] < line.shares[held + 1]).all()  # no number lies in an empty cell
    assert ((inside >= 0) & (inside <= 1)).all()


def test_points_go_there_and_back_in_floats(line: Line) -> None:
    shares = np.random.default_rng(6).random(300)
    cell, rest = line.split(shares)
    assert line.shares_at(cell + rest) == pytest.approx(shares, abs=1e-12)


def test_an_estimate_on_ticks_is_not_rounded() -> None:
    rounded = Line(F(0), F(20), 7, F(1))
    assert rounded.at(1) == 3
    assert rounded.between(1, F(0)) == F(20, 7)
    assert rounded.between(1, F(1, 2)) == F(30, 7)


def test_cells_of_mean_width_go_on_past_the_ends() -> None:
    found = Line.of_cells(4).shares_at(np.array([-2.0, 0.0, 4.0, 5.0]))
    assert found.tolist() == [-0.5, 0.0, 1.0, 1.25]


def test_a_share_of_a_cell_is_a_share_of_its_mass_under_a_prior() -> None:
    """Cells of equal mass: half of the first is an eighth of all mass, whichever bins it spans."""
    found = Line.of_quantiles(F(0), F(4), Prior([1, 0, 3]), 4, F(1, 1000))
    assert found.at(1) == F(1333, 1000)  # at or below the end of the first bin, 4/3
    assert found.between(0, F(1, 2)) == F(4, 3) / 2
    assert found.between(1, F(1, 3)) == F(8, 3) + F(4, 3) / 9
    assert replace(found, prior=None).between(0, F(1, 2)) == F(1333, 2000)


def test_quantiles_lie_at_the_tick_at_or_below() -> None:
    for domain in (Domain(-2, 6), Domain("1/3", 7)):
        tick, size = F(1, 10), 9
        found = Line.of_quantiles(domain.low, domain.high, UNEVEN, size, tick)
        for boundary in range(1, size):
            exact = domain.low + domain.width * UNEVEN.quantile(F(boundary, size))
            assert 0 <= exact - found.at(boundary) < tick


def test_ticks_cover_the_range_and_no_more_of_them() -> None:
    found = Line.of_ticks(F(1, 2), F(27, 4), F(1))
    assert [found.low, found.high, found.size] == [0, 7, 7]
    assert [found.at(0), found.at(1), found.at(7)] == [F(1, 2), 1, F(27, 4)]
    assert found.cut_short == (1, 1)
    assert found.slack == 7 / F(25, 4)
    assert found.window(F(1, 5)) == F(25, 4) / 5
    assert (found.accuracy(F(1, 5)), found.accuracy(F(8, 25))) == (1, 2)
    fits = Line.of_ticks(F(1), F(8), F(1, 2))
    assert (fits.cut_short, fits.slack, fits.clip) == ((0, 0), F(1), None)
    assert Line.of_ticks(F(1, 3), F(5), F(1)).cut_short == (1, 0)
    assert Line.of_ticks(F(0), F(16, 3), F(2)).cut_short == (0, 1)


@pytest.mark.parametrize(
    ("low", "high", "tick", "cell"),
    [
        (F(1, 2), F(8), F(1, 3), F(1, 6)),
        (F(0), F(6), F(4), F(2)),
        (F(0), F(3, 4), F(1, 2), F(1, 4)),
        (F(-7, 3), F(5), F(1), F(1, 3)),
        (F(10**30), F(10**30 + 6), F(3), F(1)),
    ],
)
def test_places_hold_every_tick_and_both_ends(
    low: Fraction, high: Fraction, tick: Fraction, cell: Fraction
) -> None:
    found = Line.of_places(low, high, tick, UNEVEN)
    assert (found.cell, found.at(0), found.at(found.size)) == (cell, low, high)
    ticks = [k * tick for k in range(math.ceil(low / tick), math.floor(high / tick) + 1)]
    assert ticks
    assert set(ticks) <= set(boundaries(found))


def test_large_places_are_pythons_whole_numbers() -> None:
    """Finer than 64 bits, and as exact."""
    tiny = Line(F(0), F(1), 6, F(1, 10**25))
    found = tiny.place(np.arange(7))
    assert found.dtype == object
    assert found.tolist() == [math.floor(F(k, 6) * 10**25 + F(1, 2)) for k in range(7)]
    marks = tuple(7**k for k in range(3, 8))
    far = Line(F(0), F(10**20), 6, F(1), None, marks)
    assert far.place(np.arange(7)).tolist() == [0, *marks, 10**20]
    even = Line.of_cells(1 << 61)
    assert even.place(np.array([0, 1 << 61]), even.units(F(1, 3))).tolist() == [0, 3 << 61]
    assert even.cells(np.array([(3 << 61) - 1], object), 3 << 61).tolist() == [(1 << 61) - 1]
    assert tiny.shares.tolist() == [
        float(F(math.floor(F(k, 6) * 10**25 + F(1, 2)), 10**25)) for k in range(7)
    ]


def test_the_unit_is_what_every_inner_boundary_is_a_multiple_of() -> None:
    assert Line(F(2), F(5), 20).unit == F(3, 20)
    assert Line(F(0), F(1), 3).unit is None
    assert Line(F(0), F(1), 3, F(1, 10)).unit == F(1, 10)


def test_old_names_still_work() -> None:
    with pytest.warns(DeprecationWarning, match="use feint.problem.Line"):
        old = feint.problem.Scale  # type: ignore[attr-defined]
    assert old is Line
    domain = Domain(0, 9)
    with pytest.warns(DeprecationWarning, match=r"use Domain\.line"):
        assert domain.scale(3, F(1, 2)) == domain.line(3, F(1, 2))
    with pytest.warns(DeprecationWarning, match=r"use Domain\.line"):
        assert domain.at(1, 3) == 3


def test_examples_run() -> None:
    names = {"Domain": Domain, "Fraction": Fraction, "Prior": Prior}
    found = doctest.testmod(line, extraglobs=names)
    assert (found.failed, found.attempted > 20) == (0, True)
