"""Compute the eavesdropper's posterior after each transcript, and her best guess.

Given a transcript, the posterior is a weighted union of intervals, so its density is constant
between the ends of rows. A best window of length δ has its left end where the density rises or its
right end where it falls. A greedy scan from the left finds the fewest windows that cover everything
possible.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.branches.checked import SAFE
from feint.branches.walk import Branches, branches
from feint.interfaces import Strategy
from feint.problem import UNIFORM, Line, Prior

Int = NDArray[np.int64]
_COVERINGS = 1 << 40


class Window(NamedTuple):
    """A part of the interval, and the probability that it holds X*.

    Attributes:
        low: Its start, as a share of the interval.
        high: Its end.
        probability: The probability that X* lies in it, given the transcript.
    """

    low: Fraction
    high: Fraction
    probability: Fraction


class Posteriors:
    """The posteriors of several transcripts, side by side on one line.

    Transcript number g owns the places from g·span on. Places are whole numbers, `scale` of them
    per cell, so that bins of the prior and windows end at places.
    """

    def __init__(
        self,
        low: Int,
        high: Int,
        weight: NDArray[Any],
        group: Int,
        *,
        groups: int,
        cells: int,
        scale: int = 1,
        prior: Prior = UNIFORM,
    ) -> None:
        """Add up rows of branches in one dimension.

        Args:
            low: [rows] the first cell of each row.
            high: [rows] the cell past the last.
            weight: [rows] the weight of each of its cells from the coins.
            group: [rows] the transcript of each row.
            groups: The number of transcripts.
            cells: The size of the lattice.
            scale: The number of places in a cell; see `refine`.
            prior: The distribution of X*.
        """
        self.groups, self.cells, self.scale = groups, cells, scale
        self.units = cells * scale
        self.span = self.units + 1
        heaviest = np.asarray(weight, float) @ np.asarray(high - low, float) * scale
        large = (
            max(self.span * (groups + 1), float(heaviest) * max(prior.weights)) >= SAFE
            or float(np.asarray(weight, float).sum()) * max(prior.weights) >= SAFE
        )
        kind = object if large else np.int64
        low, high = low.astype(kind) * scale, high.astype(kind) * scale
        weight, group = weight.astype(kind), group.astype(kind)
        if not prior.uniform:
            low, high, weight, group = _spread(low, high, weight, group, self.units, prior)
        ends = np.concatenate((group * self.span + low, group * self.span + high))
        change = np.concatenate((weight, -weight))
        order = np.argsort(ends, kind="stable")
        ends, change = ends[order], change[order]
        first = np.flatnonzero(np.concatenate(([True], ends[1:] != ends[:-1])))
        change = np.add.reduceat(change, first)
        kept = change != 0
        zero = np.zeros(1, kind)
        self._ends = np.concatenate((zero - 1, ends[first][kept]))
        self._change = np.concatenate((zero, change[kept]))
        self._density = np.cumsum(self._change)
        steps = np.diff(self._ends) * self._density[:-1]
        self._mass = np.concatenate((zero, np.cumsum(steps)))
        self._starts = self._ends[1:] // self.span

    @classmethod
    def of(cls, part: Branches, cells: int, scale: int, *, prior: Prior = UNIFORM) -> Posteriors:
        """Return the posteriors of a chunk of branches in one dimension; arguments as above."""
        low, high = part.low[:, 0], part.high[:, 0]
        groups = len(part.heard)
        return cls(
            low,
            high,
            part.weight,
            part.group,
            groups=groups,
            cells=cells,
            scale=scale,
            prior=prior,
        )

    def below(self, place: NDArray[Any]) -> NDArray[Any]:
        """Return the mass below places of the common line."""
        last = np.searchsorted(self._ends, place, side="right") - 1
        mass: NDArray[Any] = self._mass[last] + self._density[last] * (place - self._ends[last])
        return mass

    def total(self) -> NDArray[Any]:
        """Return [groups] the mass of each transcript."""
        edges = np.arange(self.groups + 1).astype(self._ends.dtype) * self.span
        return np.diff(self.below(edges - (edges > 0)))

    def caught(self, length: int) -> NDArray[Any]:
        """Return [groups] the mass of a best window of `length` places."""
        best = np.zeros(self.groups, self._mass.dtype)
        for place, catch in self._candidates(length):
            np.maximum.at(best, (place // self.span).astype(np.int64), catch)
        return best

    def best(self, delta: Fraction) -> list[Fraction]:
        """Return the probability that the best window of length δ wins, for each transcript."""
        length = int(delta * self.units)
        pairs = zip(self.caught(length).tolist(), self.total().tolist(), strict=True)
        return [Fraction(caught, total) for caught, total in pairs]

    def opens(self, length: int) -> NDArray[Any]:
        """Return [groups] the start of a best window of `length` places, from the transcript's."""
        best, low = self.caught(length), np.zeros(self.groups, self._ends.dtype)
        opening, closing = self._candidates(length)
        for (place, catch), back in ((closing, length), (opening, 0)):
            group = (place // self.span).astype(np.int64)
            attained = np.flatnonzero(catch == best[group])
            low[group[attained]] = (place % self.span - back)[attained]
        return np.clip(low, 0, max(self.units - length, 0))

    def window(self, group: int, delta: Fraction) -> Window:
        """Return a best window of length δ for one transcript."""
        length = int(delta * self.units)
        low = int(self.opens(length)[group])
        success = Fraction(int(self.caught(length)[group]), int(self.total()[group]))
        return Window(Fraction(low, self.units), Fraction(low + length, self.units), success)

    def around(self, points: Int, radius: int) -> NDArray[Any]:
        """Return [groups, points] the mass within `radius` places of boundaries of the lattice."""
        kind = self._ends.dtype
        start = np.arange(self.groups).astype(kind)[:, None] * self.span
        place = points.astype(kind) * self.scale
        low, high = (
            self.below((np.clip(place + way, 0, self.units) + start).reshape(-1))
            for way in (-radius, radius)
        )
        mass: NDArray[Any] = high - low
        return mass.reshape(points.shape)

    def pieces(self, group: int) -> list[Window]:
        """Return the possible intervals of X* after one transcript, with their probabilities."""
        mine = np.flatnonzero(self._starts == group) + 1
        whole, start, found = int(self.total()[group]), group * self.span, []
        for here, there in pairwise(mine.tolist()):
            low, high = int(self._ends[here]) - start, int(self._ends[there]) - start
            mass = int(self._density[here]) * (high - low)
            if mass:
                ends = Fraction(low, self.units), Fraction(high, self.units)
                found.append(Window(*ends, Fraction(mass, whole)))
        return found

    def coverings(self, length: int) -> Int:
        """Return [groups] the fewest windows of `length` places that cover the possible places.

        Windows are closed and pieces half open, so a window that only touches the start of a piece
        does not cover it.
        """
        inside = self._density > 0
        rise = np.flatnonzero(inside[1:] & ~inside[:-1]) + 1
        fall = np.flatnonzero(inside[:-1] & ~inside[1:]) + 1
        begins, ends = self._ends[rise], self._ends[fall]
        edges = np.arange(self.groups + 1).astype(self._ends.dtype) * self.span
        bounds = np.searchsorted(begins, edges)
        count = np.zeros(self.groups, np.int64)
        active, at, stop = np.flatnonzero(np.diff(bounds)), bounds[:-1], bounds[1:]
        at = at[active]
        covered = begins[at]  # all possible places before this one are covered
        while len(active):
            start = np.maximum(covered, begins[at])
            more = -((start - ends[at]) // length)
            # There may be more tiny windows than 63 bits can count; the limit is a safe lower
            # number.
            count[active] += np.minimum(more, _COVERINGS).astype(np.int64)
            covered = start + more * length
            at = np.searchsorted(ends, covered, side="right")
            left = at < stop[active]
            active, at, covered = active[left], at[left], covered[left]
        return count

    def _candidates(self, length: int) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Return (place, catch) of windows that open at rises and close at falls of the density."""
        found = []
        for sign in (1, -1):
            index = np.flatnonzero(self._change * sign > 0)
            place = self._ends[index]
            start = place // self.span * self.span
            far = np.clip(place + sign * length, start, start + self.units)
            found.append((place, sign * (self.below(far) - self._mass[index])))
        return found


def laid(part: Branches, line: Line, units: int | None = None) -> Branches:
    """Return branches whose low, high and estimate are places of a line, as in `Line.place`."""
    ends = (line.place(each, units) for each in (part.low, part.high, *part.estimate))
    low, high, begin, end = ends
    return replace(part, low=low, high=high, estimate=(begin, end))


def success(
    strategy: Strategy,
    *,
    line: Line | None = None,
    chunk: int = 1 << 15,
    limit: int = 1 << 26,
) -> Fraction:
    """Return the success of the best eavesdropper, exactly, in one dimension.

    Args:
        strategy: A noiseless strategy.
        line: The places of its questions and the distribution of X*; None: equal cells, uniform.
        chunk: As in `branches`.
        limit: As in `branches`.

    Returns:
        The sum over transcripts of the most mass a window of length δ can catch.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    line, delta = line or Line.of_cells(strategy.cells[0]), strategy.problem.delta
    units, prior = line.units(delta), line.prior or UNIFORM
    found, length, whole = Fraction(0), int(delta * units), mass(units, prior)
    for part in branches(strategy, chunk=chunk, limit=limit):
        caught = Posteriors.of(laid(part, line, units), units, 1, prior=prior).caught(length)
        found += Fraction(int(caught.sum()), part.total * whole)
    return found


def mass(units: int, prior: Prior) -> int:
    """Return the weight of the whole line, without the coins.

    Args:
        units: The number of places on it.
        prior: The distribution of X*.

    Returns:
        The sum of the weights of all places.
    """
    return units if prior.uniform else units // prior.bins * sum(prior.weights)


def _spread(
    low: NDArray[Any],
    high: NDArray[Any],
    weight: NDArray[Any],
    group: NDArray[Any],
    units: int,
    prior: Prior,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Cut rows at the ends of the prior's bins, and give each piece its bin's weight."""
    width = units // prior.bins
    first, last = low // width, (high - 1) // width
    count = (last - first + 1).astype(np.int64)
    row = np.repeat(np.arange(len(low)), count)
    turn = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    bin_ = first[row] + turn
    weights = np.array(prior.weights, weight.dtype)[bin_.astype(np.int64)]
    low, high = np.maximum(low[row], bin_ * width), np.minimum(high[row], (bin_ + 1) * width)
    return low, high, weight[row] * weights, group[row]


def joined(pieces: Iterable[Window]) -> list[Window]:
    """Join pieces that touch, because a prior cuts them at every bin."""
    found: list[Window] = []
    for each in pieces:
        if found and found[-1].high == each.low:
            last = found.pop()
            each = Window(last.low, each.high, last.probability + each.probability)
        found.append(each)
    return found
