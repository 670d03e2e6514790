"""Sums over the runs of a chunk, which can be added to those of other chunks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from feint.simulate.place import Float, Int

FINE = 16
"""The number of bins for errors up to ε/2; beyond that, each bin is twice as long as the last."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Exact sums over runs: the order of addition does not change a digit.

    Attributes:
        runs: The number of runs.
        wins: The number of runs that each adversary won.
        misses: The number of runs whose error exceeds ε/2.
        errors: [bins] the number of runs whose error lies between each pair of `edges`.
        total: The sum of the errors.
        squares: The sum of their squares.
        near: [columns + 1] entry k is the number of runs with k queries within δ/2 of X*.
        widest: The full width of the worst estimate of each coordinate, in cells.
        queries: The number of questions of all runs.
        rounds: The number of rounds of all runs.
    """

    runs: int
    wins: tuple[int, ...]
    misses: int
    errors: Int
    total: Fraction
    squares: Fraction
    near: Int
    widest: tuple[int, ...]
    queries: int
    rounds: int

    def __add__(self, other: Tally) -> Tally:
        """Add the sums of two tallies; of `widest`, take the larger."""
        return Tally(
            runs=self.runs + other.runs,
            wins=tuple(mine + theirs for mine, theirs in zip(self.wins, other.wins, strict=True)),
            misses=self.misses + other.misses,
            errors=self.errors + other.errors,
            total=self.total + other.total,
            squares=self.squares + other.squares,
            near=self.near + other.near,
            widest=tuple(map(max, self.widest, other.widest)),
            queries=self.queries + other.queries,
            rounds=self.rounds + other.rounds,
        )


def edges(epsilon: Fraction) -> Float:
    """Return the edges of the histogram of errors, from 0 to 1 or a little more."""
    half = float(epsilon / 2)
    coarse = half * 2.0 ** np.arange(1, max(1, math.ceil(-math.log2(half))) + 1)
    return np.concatenate((half * np.arange(FINE + 1) / FINE, coarse))
