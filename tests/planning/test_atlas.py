"""The atlas in the docs is what the code says today, and `tight` is next to the optimum in it."""

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from feint import Problem, plan
from feint.bounds import lower_bound, near_lower
from feint.problem import SETTINGS, Line, Setting
from feint.research.sweep.atlas import Entry, rows, values, worst_rows
from feint.simulate import Processes

PAGE = Path(__file__).parents[2] / "docs" / "research" / "atlas.md"


def section(heading: str) -> list[list[str]]:
    """The cells of the rows under a heading."""
    text = PAGE.read_text(encoding="utf-8").split(f"## {heading}")[1].split("\n## ")[0]
    lines = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines[2:]]


@pytest.mark.parametrize("setting", SETTINGS)
def test_ours_in_the_docs_is_ours_today(setting: Setting) -> None:
    for cells, window, level, _, tight, whole, _, _, bound, _ in section(setting.capitalize()):
        epsilon, delta = Fraction(1, int(cells)), Fraction(int(window), int(cells))
        values_ = Problem(epsilon, delta, level, setting=setting, values=cells)
        assert plan(values_).queries == int(whole)
        assert lower_bound(values_) == int(bound)
        if tight != "-":
            assert plan(Problem(epsilon, delta, level, setting=setting)).queries == int(tight)


def test_tight_is_at_most_one_query_above_the_optimum() -> None:
    """Up to 9 cells; the one exception for whole numbers is told of in docs/research/optimum.md."""
    found = section("Bayesian")
    assert len(found) == sum(m // d - 1 for m in range(2, 10) for d in range(1, m // 2 + 1))
    assert all(int(row[9]) <= 0 for row in found if row[9] != "-")
    above = [row[:3] for row in found if int(row[5]) > int(row[6])]
    assert above == [["7", "3", "2"]]


@pytest.mark.parametrize(("setting", "met"), [("bayesian", 45), ("deterministic", 75)])
def test_our_lower_bound_is_never_above_the_optimum(setting: Setting, met: int) -> None:
    """Every lattice of the page; it is the optimum in so many rows."""
    pairs = [(int(row[8]), int(row[6])) for row in section(setting.capitalize())]
    assert all(bound <= optimum for bound, optimum in pairs)
    assert sum(bound == optimum for bound, optimum in pairs) == met


def test_no_bound_is_above_any_game_of_the_page() -> None:
    """Every game: so few questions leave an eavesdropper so much, on values and on an interval."""
    met = 0
    for row in section("The success of the best eavesdropper"):
        cells, window, queries = map(int, row[:3])
        # A value that is no fraction is printed with twelve digits.
        success = Fraction(row[3]) + (0 if "/" in row[3] else Fraction(1, 10**11))
        width, reach = Fraction(1, cells), Fraction(window, cells)
        numbers = near_lower(Problem(width, reach, 1, values=cells), success=success)
        interval = near_lower(Problem(width, reach, 1), success=success)
        assert max(numbers, interval) <= queries
        met += numbers == queries
    assert met > 40


@pytest.mark.parametrize("seed", range(6))
def test_no_bound_is_above_the_optimum_on_an_interval(seed: int) -> None:
    """Windows that are no whole number of cells, and cells narrower than they need be."""
    draw = Random(seed)
    cells, level = draw.randint(3, 7), draw.randint(2, 4)
    delta = Fraction(draw.randint(1, 4 * cells // level), 4 * cells)
    epsilon = Fraction(1, cells) + Fraction(draw.randint(0, 9), 100 * cells * cells)
    problem = Problem(epsilon, delta, level)
    found = plan(problem, method="optimal")
    on_lattice = lower_bound(problem, line=Line.of_cells(found.cells[0]))
    assert on_lattice is not None
    assert near_lower(problem) <= on_lattice <= found.queries


def test_every_bracket_in_the_docs_is_narrow() -> None:
    for cells, _, _, _, width in section("The success of the best eavesdropper"):
        assert float(width) <= 1e-9
        assert int(cells) > 8 or width == "0"


def computed(most: int) -> None:
    """The optima up to so many cells, again."""
    entries = values(most)
    written = {tuple(row[:3]): row[3] for row in section("The success of the best eavesdropper")}
    for each in entries:
        key = (str(each.cells), str(each.delta_cells), str(each.queries))
        assert written[key] == str(each.solution.value)
    again = {(row.cells, row.delta_cells, row.level): row.optimum for row in rows(entries)}
    page = {tuple(map(int, row[:3])): int(row[6]) for row in section("Bayesian")}
    assert again == {key: value for key, value in page.items() if key[0] <= most}


def test_the_optima_up_to_seven_cells() -> None:
    computed(7)


@pytest.mark.slow
def test_the_optima_up_to_eight_cells() -> None:
    computed(8)


def test_whoever_solves_the_games_finds_the_same(two: Processes) -> None:
    told: list[tuple[str, int, int]] = []
    serial = values(5, progress=lambda *words: told.append(words))
    worst = worst_rows(6)
    assert told[-1] == ("Bayesian games", 10, 10)  # m = 2 to 5: ⌊m/2⌋(m − ⌈log m⌉) = 1 + 1 + 4 + 4
    assert told == sorted(set(told))
    again = values(5, executor=two)
    assert worst_rows(6, executor=two) == worst
    assert [_plain(each) for each in again] == [_plain(each) for each in serial]
    keys = [_plain(each)[:3] for each in serial]
    assert keys == sorted(set(keys))


def _plain(entry: Entry) -> tuple[int, int, int, Fraction, Fraction]:
    found = entry.solution
    return entry.cells, entry.delta_cells, entry.queries, found.lower, found.upper


def test_the_worst_case_optima() -> None:
    page = {tuple(map(int, row[:3])): int(row[6]) for row in section("Deterministic")}
    assert {(row.cells, row.delta_cells, row.level): row.optimum for row in worst_rows(10)} == {
        key: value for key, value in page.items() if key[0] <= 10
    }
