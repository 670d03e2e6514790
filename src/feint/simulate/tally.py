"""What a chunk of runs leaves behind: sums that add up to those of any number of runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED, Estimate, Strategy
from feint.problem import Transcript

Float = NDArray[np.float64]
Count = NDArray[np.int64]

FINE = 16
"""Bins of the errors that are no misses; beyond ε/2 each bin is twice as long as the last."""


@dataclass(frozen=True)
class Tally:
    """Sums over runs, exact: the same to the last digit in whatever order they are added up.

    Attributes:
        runs: How many.
        wins: How often each adversary came within δ/2 of X*.
        misses: How often the learner did not come within ε/2.
        errors: [bins] how often the error fell between each pair of `edges`.
        total: The sum of the errors.
        squares: The sum of their squares.
        near: [queries + 1] how many runs asked so many queries within δ/2 of X*.
    """

    runs: int
    wins: tuple[int, ...]
    misses: int
    errors: Count
    total: Fraction
    squares: Fraction
    near: Count

    def __add__(self, other: Tally) -> Tally:
        """The sums over the runs of both."""
        return Tally(
            self.runs + other.runs,
            tuple(mine + theirs for mine, theirs in zip(self.wins, other.wins, strict=True)),
            self.misses + other.misses,
            self.errors + other.errors,
            self.total + other.total,
            self.squares + other.squares,
            self.near + other.near,
        )


@dataclass(frozen=True)
class Place:
    """Where X* is, exactly: cells are whole numbers, and may be too many for a float.

    Attributes:
        strategy: Whose lattice it is on.
        cell: [runs, coordinates].
        rest: [runs, coordinates] how far into its cell X* lies. A whole value is a cell: a window
            that holds a share of it catches it with that probability.
    """

    strategy: Strategy
    cell: Count
    rest: Float

    def off(self, estimate: Estimate) -> Float:
        """[runs] the learner's error in the sup norm, on the unit interval; values are middles."""
        rest = self.rest if self.strategy.problem.values is None else 0.5
        gap = (estimate.cell - self.cell) + estimate.rest - rest
        error: Float = (np.abs(gap) / self.strategy.cells).max(axis=1)
        return error

    def caught(self, guess: Float) -> NDArray[np.bool_]:
        """[runs] whether a guess, [runs, coordinates] in cells, comes within δ/2 in all of them."""
        within = self._within((guess - self.cell) - self.rest)
        caught: NDArray[np.bool_] = np.logical_and.reduce(within, axis=1)
        return caught

    def near(self, transcript: Transcript) -> Count:
        """[runs] how many queries lie within δ/2 of their own coordinate of X*; asked ones only."""
        count, axes = np.zeros(len(self.cell), np.int64), np.array(transcript.coordinates, np.intp)
        step = max(1, _TOGETHER // max(1, len(count)))
        for first in range(0, len(axes), step):
            axis, points = axes[first : first + step], transcript.points[:, first : first + step]
            near = self._within((points - self.cell[:, axis]) - self.rest[:, axis], axis)
            count += (near & (points != UNASKED)).sum(axis=1)
        return count

    def missed(self, error: Float) -> NDArray[np.bool_]:
        """[runs] whether an error of the learner exceeds ε/2."""
        missed: NDArray[np.bool_] = error > float(self.strategy.problem.epsilon / 2) * _SLACK
        return missed

    def _within(self, gap: Float, axis: Count | slice = slice(None)) -> NDArray[np.bool_]:
        """Whether gaps in cells, [runs, columns], are at most δ/2 of each column's coordinate."""
        reach = float(self.strategy.problem.delta / 2) * np.array(self.strategy.cells)
        within: NDArray[np.bool_] = np.abs(gap) <= reach[axis]
        return within


def edges(strategy: Strategy) -> Float:
    """Where the bins of the errors begin and end, from 0 to 1 or a little more."""
    half = float(strategy.problem.epsilon / 2)
    coarse = half * 2.0 ** np.arange(1, max(1, math.ceil(-math.log2(half))) + 1)
    return np.concatenate((half * np.arange(FINE + 1) / FINE, coarse))


_TOGETHER = 1 << 15  # queries looked at together
_SLACK = 1 + 1e-12  # an error of ε/2 to the last digit is no miss
