"""Decide whether a guess wins: compare it with the place of X* in each run.

A guess g wins if |g − X*| ≤ δ/2 in every coordinate. With g = ⌊g⌋ + part and X* = cell + rest, the
whole number d = ⌊g⌋ − cell must lie within the radius of rest − part, a number between −1 and 1. So
d is compared with whole limits. On a lattice finer than floats only the guess itself is rounded, as
if she had made the rounded guess.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.interfaces import UNASKED, Adversary, Estimate, Law, Strategy
from feint.problem import Line, Transcript

Float = NDArray[np.float64]
Int = NDArray[np.int64]
Bool = NDArray[np.bool_]

_DRAWN = 1 << 40  # resolution of a place; its product with the bins fits into 64 bits
_SLACK = 1 + 1e-12  # an error of ε/2 up to rounding is not a miss
_MARGIN = 1 << 12  # in cells: more than the rounding of a float on the finest lattice, 2^62 cells


@dataclass(frozen=True, kw_only=True)
class Place:
    """The place of X* in each run of a batch.

    Attributes:
        strategy: The strategy whose lattice is used.
        delta: The full width within which a guess wins, as a share of the interval.
        cell: [runs, coordinates] the cell that holds X*.
        rest: [runs, coordinates] the offset of X* in its cell, from 0 to 1. A whole value is a
            cell: a window that holds a share of it catches it with that probability.
        epsilon: The full width of the learner's accuracy; None: that of the strategy's problem.
        lines: The line of each coordinate with unequal cells; None: all cells are equal.
    """

    strategy: Strategy
    delta: Fraction
    cell: Int
    rest: Float
    epsilon: Fraction | None = None
    lines: tuple[Line | None, ...] | None = None

    def error(self, estimate: Estimate) -> Float:
        """Return [runs] the learner's error in the sup norm, on the unit interval."""
        if self.lines is not None:
            return self._measured_error(estimate)
        rest = self.rest if self.strategy.problem.values is None else 0.5
        gap = (estimate.cell - self.cell) + estimate.rest - rest
        error: Float = (np.abs(gap) / self.strategy.cells).max(axis=1)
        return error

    def missed(self, error: Float) -> Bool:
        """Return [runs] True if the learner's error exceeds ε/2."""
        epsilon = self.strategy.problem.epsilon if self.epsilon is None else self.epsilon
        missed: Bool = error > float(epsilon / 2) * _SLACK
        return missed

    def _measured_error(self, estimate: Estimate) -> Float:
        """Return the error on unequal cells: the middle is that of the places, not of the cells."""
        gaps = []
        for axis in range(len(self.strategy.cells)):
            here = self._at(axis, self.cell[:, axis] + self.rest[:, axis])
            said = self._said(axis, estimate.cell[:, axis], estimate.rest[:, axis])
            if not self.strategy.problem.noisy:
                ends = (self._at(axis, each[:, axis]) for each in (estimate.low, estimate.high))
                said = sum(ends, np.zeros(len(here))) / 2
            gaps.append(np.abs(said - here))
        worst: Float = np.max(gaps, axis=0)
        return worst

    def _said(self, axis: int, cell: Int, rest: Float) -> Float:
        """Return one coordinate's estimates as shares of the range, as a search shows them."""
        line = None if self.lines is None else self.lines[axis]
        return self._at(axis, cell + rest) if line is None else line.shares_between(cell, rest)

    def _at(self, axis: int, point: NDArray[Any]) -> Float:
        """Return one coordinate's places as shares of the range."""
        line = None if self.lines is None else self.lines[axis]
        if line is None:
            share: Float = point / self.strategy.cells[axis]
            return share
        return line.shares_at(point)

    def widest(self, estimate: Estimate) -> tuple[int, ...]:
        """Return the full width of the worst estimate of each coordinate, in cells.

        The width is twice the largest distance, over all runs, between the middle of low and high
        and a place in the cell that holds X*. It is an exact whole number. If cells are not equal,
        it is in the places of `Line.finest`.
        """
        twice = (estimate.low - self.cell) + (estimate.high - self.cell)
        widest: list[int] = np.maximum(twice, 2 - twice).max(axis=0, initial=0).tolist()
        for axis, line in enumerate(self.lines or ()):
            if line is not None:
                cell = self.cell[:, axis]
                both = line.place(estimate.low[:, axis]) + line.place(estimate.high[:, axis])
                off = np.maximum(both - 2 * line.place(cell), 2 * line.place(cell + 1) - both)
                widest[axis] = int(off.max(initial=0))
        return tuple(widest)

    def caught(self, guess: NDArray[Any]) -> Bool:
        """Return [runs] True if the guess, [runs, coordinates] in cells, wins."""
        wins = np.ones(len(self.cell), bool)
        for axis, radius in enumerate(self._radii):
            if self.lines is not None and self.lines[axis] is not None:
                here = self._at(axis, self.cell[:, axis] + self.rest[:, axis])
                gap = np.abs(self._at(axis, guess[:, axis]) - here)
                wins &= gap <= float(self.delta / 2) * _SLACK
                continue
            wins &= near(guess[:, axis], self.cell[:, axis], self.rest[:, axis], radius)
        return wins

    def near(self, transcript: Transcript) -> Int:
        """Count [runs] the asked queries that lie within δ/2 of their coordinate of X*."""
        count, axes = np.zeros(len(self.cell), np.int64), np.array(transcript.coordinates, np.intp)
        if self.lines is not None:
            runs, column = np.nonzero(transcript.points != UNASKED)
            is_near = self.is_near(transcript.points[runs, column], runs, axes[column])
            return np.bincount(runs[is_near], minlength=len(count))
        low, high = self._near_limits
        limits = list(zip(low.T, high.T, strict=True))
        for index, axis in enumerate(transcript.coordinates):  # as transcripts are laid out
            points = transcript.points[:, index]
            first, last = limits[axis if len(limits) > 1 else 0]
            count += (points >= first) & (points <= last)
        return count

    def is_near(self, points: Int, runs: Int, axes: Int) -> Bool:
        """Return whether queries lie within δ/2 of their own coordinate of X*.

        Args:
            points: [queries] the boundaries asked about.
            runs: [queries] the run of each query.
            axes: [queries] the coordinate of each query.
        """
        if self.lines is None:
            low, high = self._near_limits
            if low.shape[1] == 1:
                low, high = low[:, 0].take(runs), high[:, 0].take(runs)
            else:
                low, high = low[runs, axes], high[runs, axes]
            within: Bool = (points >= low) & (points <= high)
            return within
        within = np.zeros(len(points), bool)
        for axis in range(len(self.strategy.cells)):
            mine = axes == axis
            here = self._at(axis, self.cell[:, axis] + self.rest[:, axis])[runs[mine]]
            gap = np.abs(self._at(axis, points[mine]) - here)
            within[mine] = gap <= float(self.delta / 2) * _SLACK
        return within

    @cached_property
    def _radii(self) -> list[Fraction]:
        """Return δ/2 in cells for each coordinate."""
        return [self.delta * size / 2 for size in self.strategy.cells]

    @cached_property
    def _near_limits(self) -> tuple[Int, Int]:
        """Return [runs, coordinates] the first and the last boundary within δ/2 of X*.

        No boundary is below 0, so `UNASKED` never counts as near.
        """
        limits = [_limits(self.rest[:, i], radius) for i, radius in enumerate(self._radii)]
        low, high = (np.stack(each, axis=1) for each in zip(*limits, strict=True))
        return np.maximum(self.cell + low, 0), self.cell + high


def near(guess: NDArray[Any], cell: Int, rest: Float, radius: Fraction) -> Bool:
    """Return [runs] True if |guess − (cell + rest)| ≤ radius, in cells.

    Args:
        guess: [runs] whole numbers or floats, in cells; anything finite.
        cell: [runs] the cell that holds X*, at most 2^62 of them.
        rest: [runs] the offset of X* in its cell, from 0 to 1.
        radius: The largest distance from X* at which a guess wins, less than 2^61.

    Returns:
        True for each guess that wins. Cells are compared as whole numbers; only offsets within a
        cell are rounded, by 2^-52.
    """
    # No guess wins further out than this, and 64-bit whole numbers do not overflow.
    far = math.floor(radius) + _MARGIN
    most = int(cell.max(initial=0)) + far
    if guess.dtype.kind == "i":
        floor, place = np.clip(guess.astype(np.int64), -far, most), rest
    else:
        kept = np.clip(guess.astype(np.float64), -far, most)
        floor, place = np.floor(kept).astype(np.int64), rest - (kept - np.floor(kept))
    low, high = _limits(place, radius)
    gap = floor - cell
    within: Bool = (gap >= low) & (gap <= high)
    return within


def _limits(place: Float, radius: Fraction) -> tuple[Int, Int]:
    """Return the least and the largest whole number within the radius of places in [−1, 1]."""
    whole = math.floor(radius)
    part = float(radius - whole)
    low, high = np.ceil(place - part), np.floor(place + part)
    return low.astype(np.int64) - whole, high.astype(np.int64) + whole


def drawn(line: Line, law: Law | None, runs: int, random: np.random.Generator) -> tuple[Int, Float]:
    """Draw X* on a line of unequal cells: [runs] its cells and its offsets in them, in [0, 1]."""
    if law is None:
        return line.split(random.random(runs))
    cell, rest = law.draw(_DRAWN, runs, random)
    return line.split((cell + rest) / _DRAWN)


def guess(
    adversary: Adversary, transcript: Transcript, random: np.random.Generator
) -> NDArray[Any]:
    """Return an adversary's guesses, [runs, coordinates] in cells.

    Raises:
        InvalidValue: The guesses are not one finite number for every run and coordinate.
    """
    found: NDArray[Any] = np.asarray(adversary.guess(transcript, random))
    shape = (len(transcript.points), len(transcript.cells))
    if found.shape != shape or found.dtype.kind not in "if":
        rule = f"must return one estimate per run and coordinate, {shape} in all"
        what = f"an array {found.shape} of {found.dtype}"
        raise InvalidValue(f"adversary {adversary.name}", what, rule, "return floats")
    if not np.isfinite(found).all():
        rule = "must guess numbers: one that is infinite or none at all is no estimate"
        where, remedy = f"adversary {adversary.name}", "guess the middle instead"
        raise InvalidValue(where, "a guess that is not finite", rule, remedy)
    return found
