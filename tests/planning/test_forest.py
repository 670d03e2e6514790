"""Trees of blocks for more cells than V(b, n) is worked out for."""

from fractions import Fraction

import numpy as np
import pytest

from feint.planning.noiseless.blocks import MOST_CELLS, SLACK
from feint.planning.noiseless.forest import _Forest


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
