"""Cells that parts of one width leave over ride, and the last may stick out: by brute force."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.brute import brute
from tests.support.checks import obeys
from tests.support.examples import examples

from feint import Problem, plan
from feint.planning.noiseless.emitted import ridden
from feint.strategies import Table, cheapest_way, halvings, mixed, refined, tailed

SHAPES = [
    (way.parts + more, width, window, kept)
    for kept, window, wider in product(range(2, 6), range(1, 6), range(3))
    for width in (window + wider,)
    for way in (cheapest_way(kept, width, 1, wider),)
    for more in range(3)
    if way.queries < kept * halvings(width, 1) and (way.parts + more) * width <= 30
]
"""Parts of which some divide, on few cells: parts, their width, D and how many are left."""


def parts_of(parts: int, width: int, window: int, kept: int) -> Table:
    """Return the table of parts that divide."""
    size = parts * width
    problem = Problem(Fraction(1, size), Fraction(window, size), 2, values=size)
    return mixed(problem, size, width=width, kept=kept, slack=width - window)


@given(st.sampled_from(SHAPES), st.integers(1, 3), st.integers(1, 9), st.integers(0, 2))
@examples(25)
def test_riders_of_a_finer_lattice_add_nothing(
    numbers: tuple[int, int, int, int], times: int, riders: int, short: int
) -> None:
    """She catches 1/K of the parts' cells, whatever rides, also if the first rider is shorter."""
    _, width, window, kept = numbers
    riders, short = min(riders, width), short % times
    main = parts_of(*numbers)
    size = (main.size + riders) * times - short
    problem = Problem(Fraction(times, size), Fraction(window * times, size), 2)
    table = ridden(problem, main, width, cells=size, times=times)
    assert (table.size, table.queries) == (size, main.queries + riders)
    found = brute(table, problem.delta)
    assert found.success <= Fraction(main.size * times, kept * size)
    assert found.accuracy <= problem.epsilon
    obeys(table)


@pytest.mark.parametrize("numbers", SHAPES[::5])
@pytest.mark.parametrize("short", [1, 2])
def test_a_last_cell_that_sticks_out_changes_no_question(
    numbers: tuple[int, int, int, int], short: int
) -> None:
    main = parts_of(*numbers)
    size = main.size * 3 - short
    problem = Problem(Fraction(3, size), Fraction(3 * numbers[2], size), 2)
    table = ridden(problem, main, numbers[1], cells=size, times=3)
    assert (table.size, table.queries, len(table.rounds)) == (size, main.queries, len(main.rounds))
    assert brute(table, problem.delta).success <= Fraction(3 * main.size, numbers[3] * size)
    obeys(table)


def test_a_finer_lattice_asks_the_same() -> None:
    table = tailed(Problem("1/37", "5/37", 3, values=37), 37, width=5, levels=((3, 2),), kept=3)
    finer = refined(table, 4)
    assert refined(table, 1) is table
    assert (finer.size, finer.queries, len(finer.rounds)) == (148, table.queries, len(table.rounds))
    assert brute(finer, Fraction(5, 37)).success == brute(table, Fraction(5, 37)).success


@pytest.mark.parametrize(
    ("epsilon", "times", "level", "queries"),
    [("3/50", 4, 3, 10), ("2/53", 4, 5, 17), ("2/67", 8, 2, 9), ("3/97", 4, 4, 13)],
)
def test_plans_on_cells_of_which_delta_is_a_multiple(
    epsilon: str, times: int, level: int, queries: int
) -> None:
    """Cells as wide as epsilon, of which δ is a multiple: narrower ones make a part one longer."""
    problem = Problem(epsilon, times * Fraction(epsilon), level)
    found = plan(problem)
    assert found.queries == queries
    assert found.strategy.cells[0] * problem.epsilon == Fraction(epsilon).numerator
    shown = brute(found.strategy, problem.delta)
    assert shown.success <= Fraction(1, level)
    assert shown.accuracy <= problem.epsilon
