"""What a chunk of runs leaves behind: sums that add up to those of any number of runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from feint.simulate.place import Float, Int

FINE = 16
"""Bins of the errors that are no misses; beyond ε/2 each bin is twice as long as the last."""


@dataclass(frozen=True, kw_only=True)
class Tally:
    """Sums over runs, exact: the same to the last digit in whatever order they are added up.

    Attributes:
        runs: The number of runs.
        wins: The number of runs that each adversary won, in the order of the adversaries.
        misses: The number of runs whose error exceeds ε/2.
        errors: [bins] the number of runs whose error lies between each pair of `edges`.
        total: The sum of the errors.
        squares: The sum of their squares.
        near: [columns + 1] entry k is the number of runs with k queries within δ/2 of X*.
        widest: For each coordinate, the full width in cells that the worst estimate is good for.
        queries: The number of questions that all runs asked.
        rounds: The number of rounds that all runs took.
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
        """The sums over the runs of both; of `widest`, the larger."""
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
    """Where the bins of the errors begin and end, from 0 to 1 or a little more."""
    half = float(epsilon / 2)
    coarse = half * 2.0 ** np.arange(1, max(1, math.ceil(-math.log2(half))) + 1)
    return np.concatenate((half * np.arange(FINE + 1) / FINE, coarse))
