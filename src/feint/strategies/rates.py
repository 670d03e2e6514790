"""Adapt a noisy search that stops when it is sure to two rates of failed checks.

Answers count by their own likelihood. The next question is the most informative one. In the cut a
coin turns the checks of a boundary into one verdict that errs equally often on both sides. So an
eavesdropper hears the same as in a search whose answers are all right equally often
(proofs/rates.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import TIE, Belief, steps_of, weights_of
from feint.problem import Rates, decision
from feint.strategies.cuts import Int
from feint.strategies.schedule import SequentialShape

Bool = NDArray[np.bool_]
Float = NDArray[np.float64]


@dataclass(frozen=True)
class TwoRates:
    """The rules of a search under two rates.

    Attributes:
        rates: The rates.
        shape: The member of the family.
    """

    rates: Rates
    shape: SequentialShape

    @property
    def unit(self) -> Fraction:
        """Return the p whose odds are one unit of log-likelihood."""
        odds = Fraction(float(weights_of(self.rates)))  # type: ignore[arg-type]
        return odds / (1 + odds)

    def coin(self, cutting: Bool) -> Float:
        """Return the coin of one boundary; 1 says that a tie counts as bad.

        Args:
            cutting: [runs] True for runs that cut; in others the coin has one possible side.
        """
        weights = np.repeat(np.eye(1, 2), len(cutting), axis=0)
        bad = decision(self.rates, self.shape.repeats).coin
        if bad.denominator < 1 << 53:  # as integers, which floats represent exactly
            weights[cutting] = bad.denominator - bad.numerator, bad.numerator
        else:
            weights[cutting] = 1 - float(bad), float(bad)
        return weights

    def verdicts(self, passed: Int, flips: Int) -> Int:
        """Return 1 for a boundary that counts as answered yes, 0 for one that counts as no.

        Args:
            passed: [runs, boundaries] the number of its checks that passed.
            flips: [runs, boundaries] the sides of its coin.
        """
        rule = decision(self.rates, self.shape.repeats)
        failed = self.shape.repeats - passed
        good = (failed < rule.threshold) | ((failed == rule.threshold) & (flips == 0))
        found: Int = good.astype(np.int64)
        return found

    def doubt(self, error: float, size: Int) -> Float:
        """Return the doubt at which a search stops that may be wrong with a given probability.

        Args:
            error: The probability.
            size: [runs] the number of cells.
        """
        longest = sum(self.shape.narrow_cap) + sum(self.shape.hide_cap)
        least = error * math.exp(-steps_of(self.rates).slack(longest))
        if not self.rates.needs_margin:
            return np.full(len(size), least)
        # The odds of all others against X*, at first size − 1, rise above (1 − e)/e with
        # probability (size − 1)·e/(1 − e) at most (Ville), whichever rates in the range are true.
        return least / (np.maximum(size - 1, 1) + least)

    def nearest_end(self, belief: Belief, cell: Int, below: Float, inside: Float) -> Int:
        """Return the end of a cell about which a check is more informative, as a boundary.

        Args:
            belief: The belief.
            cell: [runs] the cell that contains the most informative quantile.
            below: [runs] the mass below it.
            inside: [runs] the mass in it.
        """
        left, right = (information(self.rates, each) for each in (below, below + inside))
        is_left = (left > right + TIE) | (cell == belief.size - 1)
        return np.where(is_left & (cell > 0), cell, cell + 1)


def information(rates: Rates, is_bad: Float) -> Float:
    """Return the information of a check, in bits, at the worst rates.

    Args:
        rates: The rates.
        is_bad: The probability that the checked commit is bad.
    """
    good, bad = (np.array(float(rate)) for rate in rates.worst)
    mean = entropy(is_bad * bad + (1 - is_bad) * good)
    found: Float = mean - is_bad * entropy(bad) - (1 - is_bad) * entropy(good)
    return found


def entropy(p: Float) -> Float:
    """Return the entropy of coins in bits.

    Args:
        p: The probability of one side of each coin.
    """
    inside = np.clip(p, 1e-300, 1 - 1e-16)
    found: Float = -inside * np.log2(inside) - (1 - inside) * np.log1p(-inside) / math.log(2)
    return found
