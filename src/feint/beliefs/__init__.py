"""Track the learner's beliefs under noise, which are piecewise constant on a lattice of any size.

A belief is constant between queried points, so it has at most one piece more than there were
answers. The number of answers that agree with a piece is an integer. So equal beliefs are equal bit
by bit, and no number of answers underflows.
"""

from feint.beliefs.compiled import expect
from feint.beliefs.density import Spot, best_window, mean_error, quantile
from feint.beliefs.pieces import (
    TIE,
    Belief,
    agreeing,
    changes,
    densest,
    densities,
    doubt,
    learn,
    median,
    most_agreeing,
    scores,
    tally,
    uniform,
    weigh,
)
from feint.beliefs.weights import MeanWeights, Steps, Weights, powers, steps_of, weights_of

__all__ = [
    "TIE",
    "Belief",
    "MeanWeights",
    "Spot",
    "Steps",
    "Weights",
    "agreeing",
    "best_window",
    "changes",
    "densest",
    "densities",
    "doubt",
    "expect",
    "learn",
    "mean_error",
    "median",
    "most_agreeing",
    "powers",
    "quantile",
    "scores",
    "steps_of",
    "tally",
    "uniform",
    "weigh",
    "weights_of",
]
