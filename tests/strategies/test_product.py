"""Products: independent coordinates, so successes and covering numbers multiply."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.brute import joint_success
from tests.support.checks import coverings, information, obeys
from tests.support.strategies import planted, staged

from feint import Problem
from feint.branches import success
from feint.interfaces import Round
from feint.strategies import (
    Product,
    Staged,
)
from feint.strategies.retired import (
    Tabular,
)

BOTH = Problem("1/8", "1/4", 4, dim=2)
LINE = Problem("1/8", "1/4", 2)
WORST = Problem("1/16", "1/4", 2, setting="deterministic")


STAGED = [
    staged(LINE, 8, (), 3, 2, (2, 2)),
    staged(LINE, 8, (2,), 2, 2, (2,)),
    staged(LINE, 8, (), 1, 1, (8,)),
    staged(LINE, 8, (), 4, 3, (2,)),
    staged(LINE, 8, (2, 2, 2), 1, 1, (2,)),
]


@pytest.mark.parametrize("first", STAGED)
@pytest.mark.parametrize("second", STAGED)
def test_successes_multiply(first: Staged, second: Staged) -> None:
    """δ is two cells and every end lies on the lattice, so whole positions are enough."""
    both = Product(BOTH, (first, second))
    assert joint_success(both, 2) == success(first) * success(second)


def test_laws_of_a_mixed_product() -> None:
    """Factors of different lengths and lattices, with coins in some rounds of each."""
    guessed = planted(WORST, 9, True, False, 1, 2, (2,) * 3)
    obeys(Product(BOTH, (STAGED[0], guessed)))
    obeys(Product(BOTH, (guessed, STAGED[1])))
    table = Tabular.from_histories(LINE, 3, 1, {(): [(1, 1), (2, 2)]})
    obeys(Product(BOTH, (STAGED[3], table, guessed)))


def test_columns_and_coordinates() -> None:
    guessed = planted(WORST, 16, False, False, 2, 1, (2, 2))
    both = Product(BOTH, (STAGED[0], guessed))
    assert both.cells == (8, 16)
    assert both.rounds == (
        Round("cut/guess", (0, 0, 1, 1)),
        Round("hide/guess", (0, 0, 1, 1)),
        Round("finish/bisect", (0, 0, 1)),
        Round("bisect", (1,)),
    )
    nested = Product(BOTH, (both, guessed))
    assert nested.cells == (8, 16, 16)
    assert nested.rounds[3].coordinates == (1, 2)


def test_a_toss_without_a_coin_is_refused() -> None:
    both = Product(BOTH, (STAGED[4], STAGED[4]))
    with pytest.raises(RuntimeError, match="no coin"):
        both.toss(both.start(1), np.zeros(1, np.int64))


@given(
    st.tuples(st.booleans(), st.booleans(), st.integers(0, 1), st.integers(1, 2)),
    st.tuples(st.booleans(), st.booleans(), st.integers(0, 1), st.integers(1, 2)),
)
def test_covering_numbers_multiply(
    one: tuple[bool, bool, int, int], two: tuple[bool, bool, int, int]
) -> None:
    """Points pairwise more than δ apart in the sup norm, each its own window's, fill the product.

    The information set of a joint transcript is the product of its factors', cell by cell, and the
    places where greedy windows begin, nudged apart, are a packing of it.
    """
    factors = [planted(WORST, 8, *shape, (2,) * 3) for shape in (one, two)]
    both = Product(BOTH, (factors[0], factors[1]))
    alone = [information(factor) for factor in factors]
    axis = np.array([c for round_ in both.rounds for c in round_.coordinates])
    numbers = [coverings(factor) for factor in factors]
    for transcript, boxes in information(both).items():
        keys = [tuple(np.array(transcript)[axis == i].tolist()) for i in (0, 1)]
        sides = [
            {int(c) for low, high in alone[i][keys[i]] for c in range(low[0], high[0])}
            for i in (0, 1)
        ]
        joint = {
            cell
            for low, high in boxes
            for cell in product(*map(range, low.tolist(), high.tolist()))
        }
        assert joint == set(product(*sides))
        packed = [packing(side, Fraction(2)) for side in sides]
        assert [len(each) for each in packed] == [numbers[i][keys[i]] for i in (0, 1)]
        points = list(product(*packed))
        assert all((int(x), int(y)) in joint for x, y in points)
        for index, (x, y) in enumerate(points):
            assert all(max(abs(x - u), abs(y - v)) > 2 for u, v in points[:index])


def packing(cells: set[int], delta: Fraction) -> list[Fraction]:
    """Points of the cells, each more than delta past the last: as many as can be."""
    points: list[Fraction] = []
    nudge = Fraction(1, 1000)
    for cell in sorted(cells):
        least = Fraction(cell) if not points else max(Fraction(cell), points[-1] + delta + nudge)
        if least < cell + 1:
            points.append(least)
    return points


def test_planted_in_two_dimensions() -> None:
    """2 × 2 guesses: at least four squares of side δ, whatever is overheard."""
    factor = planted(WORST, 16, False, False, 2, 1, (2, 2))
    least: dict[int, int] = defaultdict(int)
    for boxes in information(Product(BOTH, (factor, factor))).values():
        starts = [{int(low[i]) for low, _ in boxes} for i in (0, 1)]
        least[len(packing(starts[0], Fraction(4))) * len(packing(starts[1], Fraction(4)))] += 1
    assert min(least) >= 4
