"""What the learner believes when answers can be wrong: piecewise constant, whatever the lattice.

A belief is constant between queried points, so it has at most one piece more than there were
answers. Each piece holds a whole number, how many answers agree with it; beliefs that are equal are
equal bits, and no number of answers underflows.
"""

from feint.beliefs.density import best_window, expected_error, quantile
from feint.beliefs.pieces import (
    TIE,
    Belief,
    densest,
    densities,
    learn,
    median,
    powers,
    uniform,
    weigh,
)

__all__ = [
    "TIE",
    "Belief",
    "best_window",
    "densest",
    "densities",
    "expected_error",
    "learn",
    "median",
    "powers",
    "quantile",
    "uniform",
    "weigh",
]
