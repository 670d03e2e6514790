"""Search for one cell under noise: Burnashev–Zigangirov, or probabilistic bisection on cells.

Both ask about an end of the cell that contains the median of a belief.

- *tilted* (BZ): the belief is flatter than the posterior, α = √p/(√p+√(1−p)), and a coin decides
  which end is asked about. After n answers the densest of N cells is wrong with probability at most
  (N − 1)·ρ^n, ρ = ½ + √(p(1−p)), for every X*.
- *posterior*: α = p, and the end nearer to the median is asked about. Nothing is proved about it,
  but it needs fewer answers at moderate targets.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import TIE, Belief, densest, learn, median, uniform
from feint.interfaces import Rule

RULES: tuple[Rule, ...] = ("tilted", "posterior")
"""The rules by which a pursuit chooses its next question, the default first."""

Int = NDArray[np.int64]


class PursuitState(NamedTuple):
    """The state of each run.

    Attributes:
        belief: The belief, given the answers.
        cell: The cell that contains the median.
        left: The probability that its left end is asked about, rather than its right end.
        side: 0 for the left end, 1 for the right end; None before the coin.
    """

    belief: Belief
    cell: Int
    left: NDArray[np.float64]
    side: Int | None


@dataclass(frozen=True)
class Pursuit:
    """A noisy search; the number of cells may differ between runs.

    Attributes:
        p: The probability that an answer is right.
        rule: "tilted" or "posterior".
    """

    p: Fraction
    rule: Rule

    @cached_property
    def ratio(self) -> float:
        """The odds r = α/(1−α) that a piece gains by one agreeing answer."""
        odds = float(self.p / (1 - self.p))
        return math.sqrt(odds) if self.rule == "tilted" else odds

    @property
    def tossed(self) -> bool:
        """Whether a coin decides which end is asked about."""
        return self.rule == "tilted"

    def start(self, size: Int) -> PursuitState:
        """Return the state before the first answer, in which all cells are equally likely."""
        return self.resume(uniform(size))

    def toss(self, state: PursuitState, side: Int) -> PursuitState:
        """Return the state after the toss: the left end (0) or the right end (1) is asked about."""
        return state._replace(side=side)

    def ask(self, state: PursuitState) -> Int:
        """Return the boundary to ask about, one per run."""
        if state.side is None:
            raise RuntimeError("the coin of this round was not tossed")
        return state.cell + state.side

    def tell(self, state: PursuitState, answer: NDArray[np.bool_]) -> PursuitState:
        """Return the state after one answer per run."""
        return self.resume(learn(state.belief, self.ask(state), answer))

    def found(self, state: PursuitState) -> Int:
        """Return the cell that most answers agree with."""
        return densest(state.belief)

    def resume(self, belief: Belief) -> PursuitState:
        """Return the state for a belief."""
        cell, below, inside = median(belief, self.ratio)
        if self.tossed:
            # (μ[0,t) − μ[t,1]) / 2μ(cell), t the right end: then both ends are equally informative
            # on average.
            left = np.clip((2 * (below + inside) - 1) / (2 * inside), 0.0, 1.0)
            return PursuitState(belief, cell, left, None)
        side = nearest_end(belief, cell, below, inside) - cell
        return PursuitState(belief, cell, (1 - side).astype(np.float64), side)


def nearest_end(
    belief: Belief,
    cell: Int,
    below: NDArray[np.float64],
    inside: NDArray[np.float64],
    level: float = 0.5,
) -> Int:
    """Return the end of a quantile's cell that is nearer to the quantile, as a boundary.

    Args:
        belief: The belief.
        cell: [runs] the cell that contains the quantile.
        below: [runs] the mass below it.
        inside: [runs] the mass in it.
        level: The share of the mass below the quantile.

    Returns:
        [runs] the boundary: an inner one, if there is any.
    """
    # Ties are exact in whole counts but not in floats. A tie asks about the right end, unless
    # that is the end of the range, about which there is nothing to learn.
    nearer = np.abs(below - level) < np.abs(below + inside - level) - TIE
    left = (nearer & (cell > 0)) | ((cell == belief.size - 1) & (cell > 0))
    return np.where(left, cell, cell + 1)
