"""Noisy search for one cell: Burnashev–Zigangirov, or probabilistic bisection on cells.

Both ask about an end of the cell that holds the median of a belief. *tilted* (BZ): the belief is
milder than the posterior, α = √p/(√p+√(1−p)), and a coin decides which end; after n answers the
densest of N cells is wrong with probability at most (N − 1)·ρ^n, ρ = ½ + √(p(1−p)), whatever X*
is. *posterior*: α = p and the end nearer to the median; nothing is proved of it, and it needs fewer
answers at moderate targets.
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
    """Where each run stands.

    Attributes:
        belief: What the answers say.
        cell: The cell that holds the median.
        left: How likely its left end is to be asked about, rather than its right one.
        side: 0 for the left end, 1 for the right one; None before the coin.
    """

    belief: Belief
    cell: Int
    left: NDArray[np.float64]
    side: Int | None


@dataclass(frozen=True)
class Pursuit:
    """One noisy search; the number of cells may differ from run to run.

    Attributes:
        p: Probability that an answer is right.
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
        """Whether a coin decides which end to ask about."""
        return self.rule == "tilted"

    def start(self, size: Int) -> PursuitState:
        """Every cell is as likely as the others."""
        return self.resume(uniform(size))

    def toss(self, state: PursuitState, side: Int) -> PursuitState:
        """Ask about the left end (0) or the right one (1)."""
        return state._replace(side=side)

    def ask(self, state: PursuitState) -> Int:
        """The boundary to ask about, one a run."""
        if state.side is None:
            raise RuntimeError("the coin of this round was not tossed")
        return state.cell + state.side

    def tell(self, state: PursuitState, answer: NDArray[np.bool_]) -> PursuitState:
        """The state after one answer a run."""
        return self.resume(learn(state.belief, self.ask(state), answer))

    def found(self, state: PursuitState) -> Int:
        """The cell that most answers agree with."""
        return densest(state.belief)

    def resume(self, belief: Belief) -> PursuitState:
        """The state that a belief amounts to."""
        cell, below, inside = median(belief, self.ratio)
        if self.tossed:
            # (μ[0,t) − μ[t,1]) / 2μ(cell), t the right end: on average both ends tell as much.
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
        belief: What is believed.
        cell: [runs] the cell that holds the quantile.
        below: [runs] the mass below it.
        inside: [runs] the mass in it.
        level: The share of the mass below the quantile.

    Returns:
        [runs] the boundary: an inner one, if there is any.
    """
    # Ties are exact in whole counts but not in floats: what is as near asks the right end, unless
    # that is the end of everything, about which there is nothing to learn.
    nearer = np.abs(below - level) < np.abs(below + inside - level) - TIE
    left = (nearer & (cell > 0)) | ((cell == belief.size - 1) & (cell > 0))
    return np.where(left, cell, cell + 1)
