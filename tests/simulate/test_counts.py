"""Questions counted while they are asked are those that a transcript would have held."""

from fractions import Fraction

import numpy as np
import pytest
from tests.support.uneven import Forked

from feint import Problem
from feint.interfaces import Strategy
from feint.problem import Line, Prior
from feint.simulate import play
from feint.simulate.counts import Counts
from feint.simulate.place import Place
from feint.strategies import SequentialNoisy, SequentialShape

SHAPE = SequentialShape(
    blocks=2, narrow_cap=(3, 1), parts=3, repeats=2, kept=2, hide_cap=(4, 2), at_once=2
)
PRIOR = Prior([1, 2, 3, 4])
NOISY = SequentialNoisy(Problem("1/24", "1/4", 2, p="0.8", confidence="0.6"), 24, SHAPE)


@pytest.mark.parametrize("strategy", [Forked(), NOISY], ids=["without noise", "with noise"])
@pytest.mark.parametrize("is_even", [True, False])
def test_counts_are_those_of_the_transcript(strategy: Strategy, is_even: bool) -> None:
    random, (size,) = np.random.default_rng(0), strategy.cells
    cell, rest = random.integers(size, size=(3000, 1)), random.random((3000, 1))
    line = (
        None
        if is_even
        else Line.of_quantiles(Fraction(0), Fraction(1), PRIOR, size, Fraction(1, 1000))
    )
    lines = None if line is None else (line,)
    place = Place(strategy=strategy, delta=Fraction(1, 4), cell=cell, rest=rest, lines=lines)
    counts = Counts(len(cell), place.is_near)
    kept = play(strategy, cell, np.random.default_rng(1), trim=True)
    counted = play(strategy, cell, np.random.default_rng(1), trim=True, counts=counts)
    queries, rounds = kept.transcript.lengths()
    assert counted.transcript.points.shape == (3000, 0)
    assert (counts.queries == queries).all()
    assert (counts.rounds == rounds).all()
    assert (counts.near == place.near(kept.transcript)).all()
    assert counts.near.any()
    assert (counted.estimate.cell == kept.estimate.cell).all()
