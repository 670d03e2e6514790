"""What the best window wins under noise and a prior, beside a sum over every place."""

from fractions import Fraction

import numpy as np
import pytest
from tests.support.followed import best as best_window

from feint.problem import Prior

ATOMS = 120  # cells, bins and windows begin and end on them


@pytest.mark.parametrize("weights", [(1,), (1, 4, 2), (3, 0, 1, 1)])
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 4), Fraction(1, 2)])
def test_the_best_window(weights: tuple[int, ...], delta: Fraction) -> None:
    size, edges, mass = 6, np.array([0, 2, 3, 6]), np.array([0.3, 0.1, 0.9])
    found = best_window(size, Prior(weights), edges, mass, delta)
    atom = np.arange(ATOMS)
    likely = np.repeat(mass, np.diff(edges))[atom * size // ATOMS]
    density = likely * np.array(weights, float)[atom * len(weights) // ATOMS]
    total = np.concatenate(([0.0], np.cumsum(density)))
    wide = int(delta * ATOMS)
    best = (total[wide:] - total[:-wide]).max() / total[-1]
    assert found == pytest.approx(best, rel=1e-9)
