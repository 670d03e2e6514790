"""What the audit finds after one transcript under noise, as its sampled audit computes it."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.audit.hearing import ALL, NOTHING, Ear
from feint.audit.places import Places
from feint.audit.sampled import Follower, Heard, best_share, product
from feint.problem import UNIFORM, Line, Prior
from feint.strategies import StagedNoisy


def line_of(
    cells: int, delta: Fraction, prior: Prior = UNIFORM, scale: Line | None = None
) -> Places:
    """Return the line of a sampled audit."""
    return Places.of(
        scale, cells=cells, delta=delta, prior=prior, width=Fraction(1), fits_windows=False
    )


def won(
    strategy: StagedNoisy, delta: Fraction, points: NDArray[np.int64], prior: Prior = UNIFORM
) -> float:
    """Return the success of the best eavesdropper after a transcript."""
    (ear,) = Ear.of(ALL, NOTHING, strategy)
    follower = Follower(strategy=strategy, line=line_of(strategy.size, delta, prior), ear=ear)
    heard = Heard(points, np.ones(len(points), bool), {})
    ((found,), helped) = follower.success([heard], {})
    assert not helped
    return found


def weighed(
    line: Places, edges: NDArray[np.int64], mass: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the posterior, given the likelihood of the queries by cell."""
    return product(*line.prior_density, line.place(edges), mass)


def best(
    cells: int, prior: Prior, edges: NDArray[np.int64], mass: NDArray[np.float64], delta: Fraction
) -> float:
    """Return the success of the best window, given the likelihood of the queries by cell."""
    line = line_of(cells, delta, prior)
    return best_share(line, *weighed(line, edges, mass))
