"""Pictures: one look for one thing, ticks at values, names beside the values, never over them."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.legend import Legend

from feint.research.plot import look
from feint.research.reproduce import Chart, Curve, Drawing, exhibits
from feint.research.reproduce.draw import figure

STAGED, _, PLANTED = (each for each in exhibits(only=["strategies"]) if isinstance(each, Drawing))
MANY = Chart(
    name="many",
    title="A chart of many places",
    parameters="L = 15, cut somewhere",
    caption="",
    x_label="ε",
    y_label="questions",
    x=tuple(2.0**-k for k in range(60, 11, -1)),
    curves=tuple(
        Curve(f"the {thing}", tuple(k + 9 * number for k in range(60, 11, -1)), thing)
        for number, thing in enumerate(
            ("earlier upper bound", "upper bound", "lower bound", "tight", "paper", "replicated")
        )
    ),
    log_x=2,
)
BELOW = Chart(
    name="below",
    title="A chart over another",
    parameters="L = 60, ε = 1/100",
    caption="",
    x_label="p − 1/2",
    y_label="questions",
    x=(1 / 64, 1 / 8, 0.4),
    curves=(
        Curve("upper bound, this paper", (900, 500, 300), "upper bound"),
        Curve("tight (feint's default)", (800, 400, None), "tight"),
    ),
    log_x=2,
    log_y=10,
    below=(
        Curve("allowed: 0.05", (0.05,) * 3, "promise"),
        Curve.sampled("missed", [(0.01, (0.0, 0.02)), None, (0.04, (0.03, 0.05))], "missed"),
    ),
    below_label="missed",
)
IN_PLACE = replace(MANY, name="in-place", named_in_place=True)


@pytest.mark.parametrize("chart", [MANY, IN_PLACE, BELOW], ids=lambda chart: chart.name)
def test_ticks_stand_where_the_values_are(chart: Chart) -> None:
    made = figure(chart)
    for axes in made.axes:
        assert {*axes.get_xticks()} <= {*chart.x}
        assert not axes.get_xticks(minor=True).size
        for line in axes.get_lines():  # and every marker has a tick
            marked = line.get_markevery()
            if line.get_marker() != "None" and isinstance(marked, list):
                places = np.asarray(line.get_xdata())[marked]
                assert {*places.tolist()} <= {*axes.get_xticks()}


def test_powers_of_two_are_written_as_such_and_others_as_they_are() -> None:
    _, under = figure(BELOW).axes
    assert [each.get_text() for each in under.get_xticklabels()] == ["$2^{-6}$", "$2^{-3}$", "0.4"]


def legend_of(axes: Axes) -> Legend:
    legend = axes.get_legend()
    assert legend is not None
    return legend


@pytest.mark.parametrize("chart", [MANY, BELOW], ids=lambda chart: chart.name)
def test_a_legend_stands_outside_of_its_chart(chart: Chart) -> None:
    made = figure(chart)
    made.draw_without_rendering()
    assert len(made.axes) == 1 + bool(chart.below)
    for axes in made.axes:
        place = legend_of(axes).get_window_extent()
        assert place.y0 >= axes.get_window_extent().y1
        assert place.x1 <= made.bbox.x1


@pytest.mark.parametrize("exhibit", [MANY, IN_PLACE, BELOW, STAGED, PLANTED])
def test_parameters_are_in_the_picture(exhibit: Chart | Drawing) -> None:
    made = figure(exhibit)
    written = [axes.get_title("left") for axes in made.axes]
    written += [legend_of(each).get_title().get_text() for each in made.axes if each.get_legend()]
    assert exhibit.parameters in written
    assert made.get_suptitle() == exhibit.title


def test_a_thing_looks_the_same_wherever_it_is() -> None:
    """Colour and marker of `tight`, of the bounds and of what is allowed are those of `look`."""
    found: dict[str, set[tuple[str, str]]] = {}
    for chart in (MANY, IN_PLACE, BELOW):
        things = {curve.label: curve.thing for curve in (*chart.curves, *chart.below)}
        for axes in figure(chart).axes:
            for line in axes.get_lines():
                if line.get_label() in things:
                    drawn = (str(line.get_color()), str(line.get_marker()))
                    found.setdefault(things[str(line.get_label())], set()).add(drawn)
    assert {"tight", "paper", "upper bound", "lower bound", "promise"} <= set(found)
    for thing, looks in found.items():
        assert looks == {(look(thing).colour, look(thing).marker or "None")}


def test_drawings_have_ticks_at_the_guesses_and_at_the_cuts() -> None:
    (axes,) = figure(PLANTED).axes
    guesses = [low for low, _ in PLANTED.possible]
    assert [*axes.get_xticks()] == sorted({*guesses, 0, 1})
    whole, part = figure(STAGED).axes
    assert [*whole.get_xticks()] == [0, 1 / 4, 3 / 8, 1 / 2, 1]
    fifth = Fraction(1, 8) / 5
    assert [*part.get_xticks()] == pytest.approx([float(3 / 8 + fifth * k) for k in range(6)])
