"""Trees of blocks for more cells than V(b, n) is worked out for: never worse than V."""

from fractions import Fraction

import numpy as np
import pytest

from feint.planning.noiseless.blocks import SLACK
from feint.planning.noiseless.forest import _Forest


@pytest.mark.parametrize(("window", "level"), [(4, 3), (3, 2), (5, 4)])
def test_a_small_block_takes_what_the_small_trees_take_or_fewer(window: int, level: int) -> None:
    forest = _Forest(300, Fraction(window), Fraction(level))
    assert forest.table is not None
    planted = 0
    for size in range(window * level, len(forest.table.least)):
        enough = forest.table.least[size] <= size / level + SLACK
        if enough.any():
            assert forest.fewest[size] <= np.argmax(enough)
            planted += not forest.widths[size] and not forest.cuts[size]
    assert planted > 0
