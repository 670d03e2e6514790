"""Trees of blocks for more cells than V(b, n) is worked out for."""

from fractions import Fraction

import numpy as np
import pytest
from tests.support.brute import brute

from feint import Problem
from feint.planning.noiseless.blocks import MOST_CELLS, SLACK, _blocks, _Shape
from feint.planning.noiseless.forest import LARGEST, _Forest, cheapest_forest
from feint.strategies import Blocks


@pytest.mark.parametrize(("window", "level"), [("2", "5"), ("4", "7/2"), ("7/2", "2")])
def test_a_small_block_is_the_better_of_a_small_tree_and_parts_with_a_tail(
    window: str, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide, least = Fraction(window), Fraction(level)
    forest = _Forest(300, wide, least, loose=False)
    monkeypatch.setattr(_Forest, "_plant", lambda *_: None)
    tails = _Forest(300, wide, least, loose=False)
    assert forest.table is not None
    sizes = np.arange(MOST_CELLS + 1)
    enough = forest.table.least <= (sizes / float(least) + SLACK)[:, None]
    small = np.where(enough.any(axis=1), enough.argmax(axis=1), 1 << 30)
    both = np.minimum(small, tails.fewest[: MOST_CELLS + 1])
    assert (forest.fewest[1 : MOST_CELLS + 1] <= both[1:]).all()
    assert (forest.fewest <= tails.fewest).all()
    assert (forest.fewest < tails.fewest).any()


def test_what_has_no_shape_is_an_error() -> None:
    """Four parts of 40 cells do not go into 159, and where none is as small, nothing is known."""
    forest = _Forest(300, Fraction(40), Fraction(4), loose=False)
    assert forest.table is None
    assert [each.size for each in forest.blocks(5, 160, (5,))] == [160]
    with pytest.raises(RuntimeError, match="a block of this size has no shape"):
        forest.blocks(0, 159, ())


def test_tails_without_plays_are_an_error() -> None:
    """Where all parts are kept a tail can be searched by itself next to two of them, not three."""
    assert [each.size for each in _blocks(0, 11, (), _Shape(0, 2, 0, 0, 4, 1))] == [11]
    with pytest.raises(RuntimeError, match="a block has no plays"):
        _blocks(0, 15, (), _Shape(0, 3, 0, 0, 4, 1))


@pytest.mark.parametrize(("cells", "window", "level"), [(260, "2", "5"), (257, "4", "7/2")])
def test_what_is_claimed_of_a_forest_is_what_brute_force_finds(
    cells: int, window: str, level: str
) -> None:
    wide, least = Fraction(window), Fraction(level)
    tree = cheapest_forest(cells, wide, least, below=1000, loose=False)
    assert tree is not None
    problem = Problem(Fraction(1, cells), wide / cells, 2)
    strategy = Blocks(problem, cells, tree.blocks)
    assert brute(strategy, problem.delta).success == tree.success <= 1 / least
    assert len(strategy.rounds[0].coordinates) >= 1
    assert sum(len(each.coordinates) for each in strategy.rounds) == tree.queries
    assert cheapest_forest(cells, wide, least, below=tree.queries, loose=False) is None


def test_where_a_guess_already_wins_too_often_there_is_no_forest() -> None:
    assert cheapest_forest(300, 2, 150, below=10**6, loose=False) is not None
    assert cheapest_forest(300, 2, 151, below=10**6, loose=False) is None
    assert cheapest_forest(300, 2, 1, below=10**6, loose=False) is None
    assert cheapest_forest(LARGEST + 1, 2, 2, below=10**6, loose=False) is None
