"""The lower bound on ticks and under priors on intervals, and for several numbers."""

import random
from fractions import Fraction

import pytest
from tests.support.least_success import optimum

from feint import Domain, Problem, plan
from feint.bounds import lower_bound, near_lower, near_product_lower, near_queries
from feint.bounds.lattice import fewest_pieces, last_leaves, near_queries_of_line
from feint.errors import InvalidValue, OutOfRegime
from feint.problem import Line, Prior


def _drawn(seed: int) -> tuple[list[int], int]:
    """Return masses of three to seven cells, some of them empty, and a window."""
    draw = random.Random(seed)
    while True:
        masses = [draw.choice([0, 1, 1, 2, 3, 5, 20]) for _ in range(draw.randint(3, 7))]
        if sum(mass > 0 for mass in masses) > 1:
            return masses, draw.randint(1, max(1, len(masses) // 2))


def _bound(masses: list[int], window: int, success: Fraction) -> int:
    """Return the bound on the lattice of so many equal cells of an interval."""
    cells = len(masses)
    problem = Problem(Fraction(1, cells), Fraction(window, cells), 1, prior=Prior(masses))
    line = Line.of_cells(cells, Prior(masses))
    return near_lower(problem, line=line, success=success)


@pytest.mark.parametrize("seed", range(20))
def test_never_above_the_optimum_of_a_lattice(seed: int) -> None:
    masses, window = _drawn(seed)
    held = 0
    for queries in range(1, 5):
        least = optimum(masses, window, queries)
        if least is not None:
            # A success that is a little too large stands for a level that is a little too small.
            success = min(Fraction(1), Fraction(least) + Fraction(1, 10**9))
            assert _bound(masses, window, success) <= queries
            held += 1
    assert held


def test_the_optimum_of_a_lattice_is_often_met() -> None:
    """A bound that is always 0 would pass the test above."""
    met = 0
    for seed in range(20):
        masses, window = _drawn(seed)
        for queries in range(2, 4):
            least = optimum(masses, window, queries)
            if least is not None and least < 0.999:
                success = Fraction(least).limit_denominator(10**6)
                met += _bound(masses, window, success) == queries
    assert met >= 10


@pytest.mark.parametrize(("cells", "window"), [(16, 4), (64, 8), (128, 4)])
def test_a_lattice_of_cells_as_wide_as_epsilon_is_no_worse(cells: int, window: int) -> None:
    """Where all is even, the best tree has its boundaries on the lattice."""
    epsilon, delta = Fraction(1, cells), Fraction(window, cells)
    on_lattice = near_queries_of_line(Line.of_cells(cells), epsilon, delta)
    assert 0 <= on_lattice - near_queries(epsilon, delta) < Fraction(1, 10**9)


def test_a_coarse_tick_needs_more_questions() -> None:
    problem, coarse = Problem("0.15", "0.3", 3), Line.of_cells(10)
    assert near_lower(problem) < near_lower(problem, line=coarse)
    assert lower_bound(problem, line=coarse) == near_lower(problem, line=coarse)


def test_leaves_end_where_mass_ends() -> None:
    """Two cells of mass with three empty ones between them; ε is two cells."""
    line = Line.of_cells(6, Prior([1, 0, 0, 0, 1, 1]))
    assert last_leaves(line, Fraction(1, 3)) == [4, 6, 6, 6, 6, 6]


def test_leaves_count_mass_within_a_cell() -> None:
    """The mass of the middle cell lies in its first half, so it fits with the cell before it."""
    line = Line.of_cells(3, Prior([1, 1, 1, 0, 1, 1]))
    assert last_leaves(line, Fraction(1, 2)) == [2, 2, 3]


@pytest.mark.parametrize(
    ("weights", "epsilon", "pieces"),
    [([1], "0.3", 4), ([1, 0, 0, 1], "1/8", 4), ([1, 0, 1, 0], "3/4", 1), ([0, 1, 1, 1], "1/2", 2)],
)
def test_pieces_cover_the_mass(weights: list[int], epsilon: str, pieces: int) -> None:
    assert fewest_pieces(Line.of_cells(1, Prior(weights)), Fraction(epsilon)) == pieces


@pytest.mark.parametrize("seed", range(5))
def test_never_above_a_plan_at_ticks(seed: int) -> None:
    draw = random.Random(seed)
    held = 0
    while held < 6:
        level, ticks = draw.randint(2, 6), draw.randint(8, 200)
        epsilon = Fraction(draw.randint(1, 3), ticks)
        try:
            problem = Problem(epsilon, Fraction(draw.randint(1, 2 * ticks), 10 * ticks), level)
            line = Line.of_ticks(Fraction(0), Fraction(1), Fraction(1, ticks))
            found = plan(problem, domain=Domain(0, 1, tick=Fraction(1, ticks)))
        except InvalidValue:
            continue
        anywhere, at_ticks = lower_bound(problem), lower_bound(problem, line=line)
        assert anywhere is not None
        assert at_ticks is not None
        assert anywhere <= at_ticks <= found.queries
        held += 1


@pytest.mark.parametrize("dim", [2, 3])
def test_several_numbers_by_all_shares(dim: int) -> None:
    """The least sum of bounds over how much success each number allows, on a grid of shares."""
    whole = Problem("1/100", "1/12", 8, dim=dim)
    one = Problem("1/100", "1/12", 1)
    shares = {Fraction(k, 360) for k in range(45, 361)}
    alone = {share: near_lower(one, success=share) for share in shares}

    def least(left: int, success: Fraction) -> int:
        if left == 1:
            fits = [share for share in shares if share <= success]
            return alone[max(fits)] if fits else 10**6
        return min(alone[share] + least(left - 1, success / share) for share in shares)

    found = near_product_lower(whole)
    if dim == 2:
        assert found == least(2, Fraction(1, 8))
    assert found <= min(alone[share] * dim for share in shares if share**dim <= Fraction(1, 8))


def test_one_number_is_a_product_of_one() -> None:
    for epsilon, delta, level in [("2^-20", "2^-8", 15), ("1/31000", "1/3875", 31)]:
        problem = Problem(epsilon, delta, level)
        assert near_product_lower(problem) == near_lower(problem)


@pytest.mark.parametrize("seed", range(4))
def test_never_above_a_plan_for_several_numbers(seed: int) -> None:
    draw = random.Random(seed)
    held = 0
    while held < 6:
        level, delta = draw.randint(2, 30), Fraction(1, draw.randint(4, 60))
        epsilon = delta / Fraction(draw.randint(4, 900), 3)
        try:
            problem = Problem(epsilon, delta, level, dim=draw.choice([2, 3]))
        except InvalidValue:
            continue
        assert near_product_lower(problem) <= plan(problem).queries
        held += 1


def test_under_a_prior_several_numbers_are_refused() -> None:
    with pytest.raises(OutOfRegime, match="prior"):
        near_product_lower(Problem("1/64", "1/12", 3, dim=2, prior=Prior([1, 2, 2, 1])))
