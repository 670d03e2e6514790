"""The deterministic optimum: against brute force by definition, and against what can be played."""

from fractions import Fraction
from functools import cache
from itertools import chain, combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.checks import cover
from tests.support.examples import examples

from feint import Problem
from feint.audit import audit
from feint.errors import OutOfRegime
from feint.planning import plan
from feint.planning.optimal import worst_case, worst_case_strategy

Intervals = frozenset[tuple[int, int]]


def possible(cells: int, window: int, level: int, queries: int) -> bool:
    """By definition: some choice of possible queries at every position leaves places enough."""

    def held_after(held: Intervals, asked: tuple[int, ...]) -> Intervals:
        ends = (0, *sorted(asked), cells)
        pieces = [(a, b) for a, b in pairwise(ends) if a < b]
        return frozenset(
            (a, b) for a, b in pieces if any(low <= a and b <= high for low, high in held)
        )

    @cache
    def wins(asked: tuple[int, ...], held: Intervals) -> bool:
        if len(asked) == queries:
            fine = all(high - low == 1 for low, high in held)
            return fine and cover(held, Fraction(window)) >= level
        points = range(1, cells)
        some = list(chain.from_iterable(combinations(points, k) for k in range(1, cells)))
        for choice in product(some, repeat=len(held)):
            chosen = list(zip(sorted(held), choice, strict=True))
            used = {point for points_ in choice for point in points_}
            if all(
                wins(
                    tuple(sorted((*asked, point))),
                    held_after(
                        frozenset(each for each, may in chosen if point in may),
                        (*asked, point),
                    ),
                )
                for point in used
            ):
                return True
        return False

    return wins((), frozenset({(0, cells)}))


@pytest.mark.parametrize(
    ("cells", "window", "level"),
    [(2, 1, 2), (3, 1, 2), (3, 1, 3), (4, 1, 2), (4, 1, 3), (4, 1, 4), (4, 2, 2)],
)
def test_equals_brute_force(cells: int, window: int, level: int) -> None:
    found = worst_case(cells, window, level)
    assert possible(cells, window, level, found)
    assert not possible(cells, window, level, found - 1)


@pytest.mark.parametrize("cells", range(2, 11))
def test_no_strategy_of_ours_beats_it(cells: int) -> None:
    for window in range(1, cells // 2 + 1):
        for level in range(2, cells // window + 1):
            delta = Fraction(window, cells)
            problem = Problem(
                Fraction(1, cells), delta, level, setting="deterministic", values=cells
            )
            assert plan(problem).queries >= worst_case(cells, window, level)


@pytest.mark.parametrize("cells", [*range(2, 10), pytest.param(10, marks=pytest.mark.slow)])
def test_it_can_be_played(cells: int) -> None:
    """As many queries as the optimum says, every value found, and enough places left, by audit."""
    for window in range(1, cells // 2 + 1):
        for level in range(2, cells // window + 1):
            strategy = worst_case_strategy(cells, window, level)
            assert strategy.queries == worst_case(cells, window, level)
            report = audit(strategy)
            assert report.private
            assert report.accurate


@pytest.mark.parametrize(
    "cells", [*range(2, 10), *(pytest.param(each, marks=pytest.mark.slow) for each in (10, 11, 12))]
)
def test_tight_and_optimal_ask_as_few_as_the_optimum(cells: int) -> None:
    for window in range(1, cells // 2 + 1):
        for level in range(2, cells // window + 1):
            problem = Problem(
                Fraction(1, cells),
                Fraction(window, cells),
                level,
                setting="deterministic",
                values=cells,
            )
            fewest = worst_case(cells, window, level)
            for method in ("tight", "optimal"):
                found = plan(problem, method=method)
                assert (found.queries, found.private) == (fewest, True)


def test_one_halving_and_a_grid() -> None:
    """12 values, D = 1, six places: ask the middle, then all five boundaries of that half.

    The same on an interval and on more values: 1 + 31 questions leave 32 of 64 values possible.
    """
    problem = Problem("1/12", "1/12", 6, setting="deterministic", values=12)
    assert plan(problem).queries == 6
    wide = Problem("1/64", "1/64", 32, setting="deterministic", values=64)
    assert (plan(wide).queries, plan(wide).places) == (32, 32)
    assert audit(plan(wide)).private
    assert plan(Problem("1/64", "1/32", 16, setting="deterministic")).queries == 32


@given(st.integers(2, 40), st.data())
@examples(30)
def test_a_plan_leaves_the_places_that_it_claims(cells: int, data: st.DataObject) -> None:
    """By audit, for whole values of every size, whatever the method."""
    window = data.draw(st.integers(1, max(1, cells // 4)))
    level = data.draw(st.integers(1, cells // window))
    delta = Fraction(window, cells)
    problem = Problem(Fraction(1, cells), delta, level, setting="deterministic", values=cells)
    for method in ("tight", "bisection", "grid"):
        found = plan(problem, method=method)
        assert found.places is not None
        assert (audit(found).covering_number or 0) >= found.places
        assert found.private or method == "bisection"


def test_figures() -> None:
    """Two places among 12 cells cost nothing: bisection takes four queries too."""
    assert worst_case(12, 2, 2) == 4
    assert worst_case(16, 2, 2) == 5
    assert worst_case(8, 2, 1) == 3
    assert worst_case(8, 4, 2, epsilon_cells=2) == 3


def test_refusals() -> None:
    with pytest.raises(OutOfRegime, match="only 2 places"):
        worst_case(8, 4, 3)
