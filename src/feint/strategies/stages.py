"""Share steps of all strategies under noise: the vote for a part, and the posterior estimate."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import best_window, quantile
from feint.errors import InvalidValue
from feint.interfaces import Estimate
from feint.problem import Problem
from feint.strategies.cuts import Int, Piece, cut

CREDIBLE = 0.95  # the level of the credible interval if no confidence is required


def known_p(problem: Problem) -> Fraction:
    """Return the one known probability by which answers are weighed.

    Raises:
        InvalidValue: Answers are always right, or the probability is only believed or bounded.
    """
    if problem.known_p is None:
        rule = "answers that may be wrong need one known probability"
        shown = None if problem.noise is None else problem.noise.words
        raise InvalidValue("p", shown, rule, "give p")
    return problem.known_p


def inner(block: Piece, parts: int) -> Int:
    """Return the inner boundaries of the parts of each run's block, [runs, parts − 1]."""
    start, size = block
    return start[:, None] + cut(size[:, None], parts, np.arange(1, parts))


def likeliest(yes: Int, repeats: int, last: Int) -> Int:
    """Return the part that most answers of a cut agree with.

    Args:
        yes: [runs, parts − 1] the number of yes answers to each inner boundary.
        repeats: m, the number of questions about each.
        last: [runs] 1 if the last of equally likely parts is taken, 0 if the first.

    Returns:
        [runs] the number of the part.
    """
    score, best, chosen = (np.zeros(len(yes), np.int64) for _ in range(3))
    for number in range(1, yes.shape[1] + 1):  # argmax on short rows is far slower
        score = score + 2 * yes[:, number - 1] - repeats
        better = score + (last == 1) > best
        chosen[better], best = number, np.maximum(best, score)
    return chosen


def best_estimate(
    problem: Problem, size: int, edges: Int, density: NDArray[np.float64]
) -> Estimate:
    """Return the best estimate for a problem's criterion, and a credible interval.

    The estimate is the middle of the likeliest window of length ε (with a confidence) or the median
    (on average). The interval leaves equal chances on either side; it is as sure as the problem's
    confidence (95 % on average) if answers are right as often as promised.

    Args:
        problem: The problem, which has the criterion.
        size: The number of cells of the lattice.
        edges: [runs, pieces + 1] where the pieces of the posterior begin and end.
        density: [runs, pieces] the posterior, up to a factor.

    Returns:
        The estimate. A whole value stands for the middle of its cell.
    """
    sure = problem.confidence
    if sure is None:
        cell, rest = quantile(edges, density, 0.5)
        if problem.values is not None:
            rest = np.full_like(rest, 0.5)
    else:
        (cell, rest), _ = best_window(edges, density, problem.epsilon * size)
    tail = (1 - (CREDIBLE if sure is None else float(sure))) / 2
    bottom, top = (quantile(edges, density, each) for each in (tail, 1 - tail))
    low = np.minimum(bottom.cell, cell)
    high = np.maximum(top.cell + (top.rest > 0), cell + (rest > 0))
    high = np.minimum(np.maximum(high, low + 1), size)
    return Estimate(cell=cell[:, None], rest=rest[:, None], low=low[:, None], high=high[:, None])
