"""Any finite game: lines, planes with half-spaces and discs, noise."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from scripts.optima import NOISY, line, noisy_optimum, plane, shown

from feint.errors import InvalidValue, NoPlan, TooLarge
from feint.planning.optimal import FiniteGame, Norm, plane_game, solve, solve_finite
from feint.planning.optimal.plane import Point, axis_questions, balls, half_space_questions

ONE = Fraction(1)
PAGE = (Path(__file__).parents[3] / "docs" / "research" / "optimum.md").read_text("utf-8")


def points(rows: int, columns: int) -> list[Point]:
    return list(product(range(rows), range(columns)))


@pytest.mark.parametrize(
    ("cells", "window", "queries"),
    [(4, 1, 2), (4, 2, 3), (5, 2, 3), (6, 2, 4), (6, 3, 4), (7, 2, 4)],
)
def test_on_a_line_it_is_the_optimum_of_the_lattice(cells: int, window: int, queries: int) -> None:
    found = solve_finite(line(cells, window, queries, ONE, ONE))
    assert found.value == solve(cells, 1, window, queries).value


def test_symmetry_does_not_change_the_value() -> None:
    game = line(6, 2, 4, ONE, ONE)
    plain = FiniteGame(
        points=6, questions=game.questions, windows=game.windows, queries=4, symmetries=()
    )
    assert solve_finite(plain).value == solve_finite(game).value
    assert solve_finite(plain).variables > solve_finite(game).variables


@pytest.mark.parametrize(("rows", "columns", "count"), [(2, 2, 6), (2, 3, 13), (3, 3, 28)])
def test_half_spaces_are_those_that_a_search_over_directions_finds(
    rows: int, columns: int, count: int
) -> None:
    """Normals with entries up to 7 part these lattices in every way there is (A114043)."""
    every, full = points(rows, columns), (1 << rows * columns) - 1
    found = set()
    for a, b in product(range(-7, 8), repeat=2):
        for c in range(-40, 41):
            side = sum(1 << i for i, (x, y) in enumerate(every) if 2 * (a * x + b * y) > c)
            if side not in (0, full):
                found.add(side if not side & 1 else full ^ side)
    assert set(half_space_questions(every)) == found
    assert len(found) == count
    canonical = {each if not each & 1 else full ^ each for each in axis_questions(every)}
    assert canonical <= found


@pytest.mark.parametrize(
    ("diameter", "norm", "sizes"),
    [
        ("1", "sup", [4, 4, 4, 4]),
        ("1", "euclidean", [2] * 12),  # neighbours
        ("3/2", "euclidean", [4, 4, 4, 4]),  # √2 < 3/2 < 2
        ("2", "sup", [9]),
        ("2", "euclidean", [4] * 8 + [5]),  # squares, an edge with the middle, a cross
    ],
)
def test_windows_are_squares_and_discs(diameter: str, norm: Norm, sizes: list[int]) -> None:
    found = balls(points(3, 3), Fraction(diameter), norm)
    assert sorted(each.bit_count() for each in found) == sizes


def test_half_spaces_help_on_two_by_four_points() -> None:
    """Three questions find one of 8 points; a 2 × 2 window then catches it always, or half the
    time: parallel to the axes the questions are a bisection, and slanted ones leave a column open.
    """
    axis = solve_finite(plane_game(2, 4, queries=3, delta=1))
    half = solve_finite(plane_game(2, 4, queries=3, delta=1, questions="half-space"))
    assert (axis.value, half.value) == (Fraction(1), Fraction(1, 2))
    assert solve_finite(plane_game(2, 4, queries=4, delta=1)).value == Fraction(1, 2)


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (3, 3)])
@pytest.mark.parametrize("norm", ["sup", "euclidean"])
def test_the_table_in_the_docs_is_what_comes_out(shape: tuple[int, int], norm: Norm) -> None:
    for epsilon, delta in ((0, 0), (0, 1), (1, 1)):
        for row in plane(shape, epsilon, delta, norm):
            assert f"| {' | '.join(row)} |" in PAGE


@pytest.mark.parametrize("number", range(4))
def test_the_noisy_table_in_the_docs_is_what_comes_out(number: int) -> None:
    values, window, level, p, sure = NOISY[number]
    queries, found = noisy_optimum(values, window, level, Fraction(p), Fraction(sure))
    row = f"| {values} | {window} | {level} | {p} | {sure} | "
    cells = next(each for each in PAGE.splitlines() if each.startswith(row)).split(" | ")
    assert cells[6:8] == [str(queries), f"{float(found.lower):.6f}"]
    assert found.lower <= found.upper <= Fraction(1, level)


def test_a_majority_of_noisy_answers_by_hand() -> None:
    """Two values, three answers to the one question there is: right with p²(3 − 2p) = .972.

    The question tells nothing of X*, so she wins half the time however sure the learner is.
    """
    nine = Fraction(9, 10)
    found = solve_finite(line(2, 1, 3, nine, Fraction(972, 1000)))
    assert found.value == Fraction(1, 2)
    with pytest.raises(NoPlan, match=r"confidence of 0\.972 at most"):
        solve_finite(line(2, 1, 3, nine, Fraction(973, 1000)))


@pytest.mark.slow
def test_four_by_four_with_half_spaces_does_not_fit() -> None:
    with pytest.raises(TooLarge, match="variables"):
        solve_finite(plane_game(4, 4, queries=5, delta=1, questions="half-space"))


def test_refusals() -> None:
    with pytest.raises(NoPlan, match="too few"):
        solve_finite(line(8, 2, 2, ONE, ONE))
    with pytest.raises(InvalidValue, match="sets must hold"):
        FiniteGame(points=2, questions=(4,), windows=(1,), queries=1)
    with pytest.raises(InvalidValue, match="whole weights"):
        FiniteGame(points=2, questions=(1,), windows=(1,), queries=1, prior=(1, 2, 3))
    assert shown(solve_finite(line(4, 1, 2, ONE, ONE))) == "1/2"
