"""What the learner believes when answers can be wrong: piecewise constant, whatever the lattice.

A belief is constant between queried points, so it has at most one piece more than there were
answers. How many answers agree with a piece is a whole number; beliefs that are equal are equal
bits, and no number of answers underflows.
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
