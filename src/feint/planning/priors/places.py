"""A line of equal places under a prior: blended coordinates and the mass that windows catch.

Places are ticks of the user's units, so questions are shown exactly as planned. The coordinate
H = λF + (1−λ)x blends the place itself (λ = 0) with the prior's quantile (λ = 1).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from feint.branches import Posteriors, mass
from feint.planning.lattice import Lattice
from feint.planning.limits import PART_PIECES
from feint.problem import UNIFORM, Prior
from feint.strategies import cut

Int = NDArray[np.int64]
Float = NDArray[np.float64]

QUANTILE = 1 - 2.0**-24
"""The blend that stands for λ = 1: a stretch without mass still has a place in it."""


@dataclass(frozen=True)
class PriorLine(Lattice):
    """A lattice whose cells are places and whose line is the distribution of X*.

    Attributes:
        tick: The distance between possible questions, in the user's units. With None, questions may
            be put at every place.
    """

    tick: Fraction | None = None

    @property
    def prior(self) -> Prior:
        """Return the distribution of X*."""
        return self.line.prior or UNIFORM

    @cached_property
    def step(self) -> int:
        """Return the number of places from one possible question to the next."""
        return 1 if self.tick is None else int(self.tick / self.line.cell)

    @cached_property
    def origin(self) -> int:
        """Return the number of places from a multiple of the tick to the start of the range."""
        # The start of a range far from 0, in places, may not fit into 64 bits. This number does.
        return int(self.line.low / self.line.cell) % self.step

    @cached_property
    def units(self) -> int:
        """Return the number of units of the range in which `caught` is exact."""
        return self.line.units(self.window / self.cells)

    @property
    def mass(self) -> int:
        """Return the total mass in the unit of `caught`."""
        return mass(self.units, self.prior)

    def coordinate(self, blend: float) -> Blend:
        """Return the coordinate λF + (1−λ)x."""
        knots = np.linspace(0.0, float(self.cells), self.prior.bins + 1)
        cumulative = np.concatenate(([0.0], np.cumsum(np.asarray(self.prior.weights, float))))
        share = blend * cumulative / cumulative[-1] + (1 - blend) * knots / self.cells
        share[-1] = 1.0
        return Blend(knots, share, self)

    def snap(self, place: Int) -> Int:
        """Return the last possible question at or below a place, or the first question."""
        if self.step == 1:
            return place
        below: Int = place - (place + self.origin) % self.step
        return np.maximum(below, np.int64(-self.origin % self.step))

    def caught(self, rows: Sequence[tuple[Int, Int]]) -> list[int]:
        """Return the most mass that windows of length δ catch of posteriors, summed by group.

        Args:
            rows: The starts and the ends of pieces for each group of transcripts. Each is an array
                [pieces, transcripts], with the pieces of one transcript in a column.

        Returns:
            For each group, the sum over its transcripts of the most mass that a window catches. The
            total mass is `mass`.
        """
        low = np.concatenate([each.reshape(-1) for each, _ in rows])
        high = np.concatenate([each.reshape(-1) for _, each in rows])
        counts = [each.shape[1] for each, _ in rows]
        starts = np.concatenate(([0], np.cumsum(counts)))
        group = np.concatenate(
            [
                np.tile(np.arange(first, first + count), len(each))
                for (each, _), first, count in zip(rows, starts.tolist(), counts, strict=False)
            ]
        )
        some = high > low
        held = Posteriors(
            low[some],
            high[some],
            np.ones(int(some.sum()), np.int64),
            group[some],
            groups=int(starts[-1]),
            cells=self.cells,
            scale=self.units // self.cells,
            prior=self.prior,
        )
        most = held.caught(int(self.window / self.cells * self.units))
        sums = np.add.reduceat(most, starts[:-1])
        return [int(each) for each in sums]

    def roughly(self, rows: Sequence[tuple[Int, Int]]) -> list[tuple[float, float]]:
        """Return roughly `caught`, and the mass of the posteriors, as fractions of the total mass.

        It tries only windows that begin with a piece, end with one, or lie within one. That is
        quick and seldom off by more than a little.

        Args:
            rows: As in `caught`, with equally many pieces per transcript in all groups.

        Returns:
            For each group, the mass that windows catch and the mass of the posteriors.
        """
        low = np.concatenate([each for each, _ in rows], axis=1)
        high = np.concatenate([each for _, each in rows], axis=1)
        starts = np.cumsum([0, *(each.shape[1] for each, _ in rows)])[:-1]
        below, wide = self._quantile.of, float(self.window)
        begin, end = below(low), below(high)
        best = np.zeros(low.shape[1])
        after, before = below(low + wide), below(high - wide)
        opened = closed = np.zeros(low.shape)
        for shift in range(len(low)):
            last = len(low) - shift
            near = (after[:last] > begin[shift:]) | (before[shift:] < end[:last])
            if not near.any():
                break
            piece = np.minimum(end[shift:], after[:last]) - begin[shift:]
            opened = opened[:last] + np.maximum(piece, 0)
            best = np.maximum(best, opened.max(axis=0))
            piece = end[:last] - np.maximum(begin[:last], before[shift:])
            closed = closed[1 if shift else 0 :] + np.maximum(piece, 0)
            best = np.maximum(best, closed.max(axis=0))
        held = np.add.reduceat((end - begin).sum(axis=0), starts)
        room = high - low - wide
        some = np.flatnonzero((room > 0).any(axis=0))
        if len(some):
            low, end, room = low[:, some], end[:, some], np.maximum(room[:, some], 0)
            for share in (0.25, 0.5, 0.75):
                at = low + room * share
                inside = np.minimum(below(at + wide), end) - below(at)
                best[some] = np.maximum(best[some], inside.max(axis=0))
        return list(zip(np.add.reduceat(best, starts).tolist(), held.tolist(), strict=True))

    @cached_property
    def _quantile(self) -> Blend:
        return self.coordinate(1.0)


@dataclass(frozen=True)
class Divided:
    """A block divided into parts whose pieces are searched at the same time.

    Attributes:
        marks: [parts, pieces + 1] The ends of the pieces, in places. Pieces of a shorter part may
            be empty.
    """

    marks: Int

    @property
    def parts(self) -> int:
        """Return the number of parts."""
        return len(self.marks)

    @property
    def pieces(self) -> int:
        """Return the number of pieces of each part."""
        return int(self.marks.shape[1]) - 1

    def rows(self, hide: Sequence[int], most: int) -> tuple[Int, Int]:
        """Return the rest of each part before the last question, in some of the transcripts.

        Args:
            hide: The steps.
            most: The most transcripts to take, evenly spread.

        Returns:
            The starts and the ends of the rest, each an array [parts, transcripts].
        """
        first, past = heard(self.pieces, tuple(hide))
        if len(first) > most:
            some = (np.arange(most) * 2 + 1) * len(first) // (2 * most)
            first, past = first[some], past[some]
        return self.marks[:, first], self.marks[:, past]

    def last_pieces(self, hide: Sequence[int]) -> tuple[Int, Int]:
        """Return the rest of each part before the last step in all transcripts, as `rows` does.

        Runs that are done may stop before the last step. They then tell less than this.
        """
        at = bounds(self.pieces, tuple(hide[:-1]))
        return self.marks[:, at[:-1]], self.marks[:, at[1:]]


class Divider(Protocol):
    """A way to divide blocks into parts and pieces."""

    def divided(self, block: tuple[int, int], parts: int, count: int | None) -> Divided | None:
        """Divide a block into parts with a given number of pieces, or as few as ε allows.

        Returns:
            The divided block, or None if it cannot be divided in this way.
        """


@dataclass(frozen=True)
class Blend:
    """A coordinate of the range that rises with the place and is linear within every bin.

    Attributes:
        knots: The ends of the bins, in places.
        share: The coordinate at the knots, from 0 to 1.
        line: The range.
    """

    knots: Float
    share: Float
    line: PriorLine

    def place(self, share: Float) -> Int:
        """Return the last possible question at or below a coordinate."""
        exact = np.interp(share, self.share, self.knots)
        return self.line.snap(np.floor(exact * (1 + 1e-15) + 1e-6).astype(np.int64))

    def of(self, place: NDArray[Any]) -> Float:
        """Return the coordinate of a place."""
        share: Float = np.interp(place, self.knots, self.share)
        return share

    def cut(self, block: tuple[int, int], parts: int) -> Int:
        """Return [parts + 1] the ends of parts of a block that are equal in this coordinate."""
        low, high = self.of(np.array(block))
        ends = self.place(low + (high - low) * (np.arange(parts + 1) / parts))
        ends[0], ends[-1] = block
        return _within(ends, *block)

    def divided(
        self, block: tuple[int, int], parts: int, count: int | None = None
    ) -> Divided | None:
        """Divide a block into parts equal in this coordinate, all cut at the same shares of it.

        Let x_c(u) be the place of share u in part c. The shares are those at which the integral of
        max_c x_c' passes equal steps of at most ε. So between two shares each part is at most one
        step wide (proofs/quantile.md).

        Args:
            block: The start and the end of the block.
            parts: The number of parts.
            count: The number of pieces of each part; None for as few as this rule allows.

        Returns:
            The divided block, or None if a piece would be too wide or there would be too many.
        """
        ends = self.cut(block, parts)
        accuracy = self.line.accuracy
        if int((ends[1:] - ends[:-1]).max()) > accuracy * min(count or PART_PIECES, PART_PIECES):
            return None
        base = self.of(ends)
        wide = np.maximum(base[1:] - base[:-1], 1e-300)
        share, run = self._run(ends, base, wide)
        tries = [count] if count else [max(1, math.ceil(run[-1] / accuracy - 1e-6))]
        if count is None:
            tries += [tries[0] + 1, math.ceil(run[-1] / max(1, accuracy - self.line.step)) + 1]
        for each in tries:
            if each > PART_PIECES:
                return None
            at = np.interp(np.arange(1, each) * (run[-1] / each), run, share)
            marks = self._at(ends, base, at)
            widest = (marks[:, 1:] - marks[:, :-1]).max(axis=0)  # over the parts
            if int(widest.max()) <= accuracy:
                # On coarse ticks pieces may be empty. Drop those that are empty in every part.
                if count is None and not widest.all():
                    marks = marks[:, np.append(True, widest > 0)]
                return Divided(marks)
        return None

    def _run(self, ends: Int, base: Float, wide: Float) -> tuple[Float, Float]:
        """Return the shares at which some part passes a bin's end, and the width up to each.

        Args:
            ends: The ends of the parts.
            base: Their coordinates.
            wide: The length of each part in the coordinate.
        """
        first, last = np.searchsorted(self.knots, ends[[0, -1]], "right")
        inner = self.knots[first:last]
        home = np.minimum(np.searchsorted(ends, inner, "right") - 1, len(wide) - 1)
        marks = _within((self.share[first:last] - base[home]) / wide[home], 0, 1)
        share = np.sort(
            np.concatenate(([0.0, 1.0], marks))
        )  # equal shares have nothing between them
        middle = (share[1:] + share[:-1]) / 2
        bin_ = np.searchsorted(self.share, base[:-1, None] + middle * wide[:, None]) - 1
        slope = self._slopes[_within(bin_, 0, len(self._slopes) - 1)]
        widest = (slope * wide[:, None]).max(axis=0) * (share[1:] - share[:-1])
        return share, np.concatenate(([0.0], np.cumsum(widest)))

    def _at(self, ends: Int, base: Float, at: Float) -> Int:
        """Return [parts, pieces + 1] the places of shares of every part, including its ends."""
        low, high = ends[:-1, None], ends[1:, None]
        places = np.empty((len(low), len(at) + 2), np.int64)
        places[:, :1], places[:, -1:] = low, high
        places[:, 1:-1] = self.place(base[:-1, None] + at * (base[1:] - base[:-1])[:, None])
        return _within(places, low, high)

    @cached_property
    def _slopes(self) -> Float:
        """Return the places per unit of the coordinate for each bin."""
        return np.diff(self.knots) / np.maximum(np.diff(self.share), 1e-300)


def _within(values: NDArray[Any], low: Any, high: Any) -> NDArray[Any]:
    """Clip values without `np.clip`, which takes longer than all the rest on short arrays."""
    clipped: NDArray[Any] = np.minimum(np.maximum(values, low), high)
    return clipped


@dataclass(frozen=True)
class Values:
    """A divider of whole values: near-equal parts, one value per piece, as in `Staged`."""

    line: PriorLine

    def divided(
        self, block: tuple[int, int], parts: int, count: int | None = None
    ) -> Divided | None:
        """Divide into near-equal parts; an offset past a shorter part's end becomes that end."""
        low, high = block
        if high - low < parts:
            return None
        ends = low + cut(high - low, parts, np.arange(parts + 1))
        longest = -(-(high - low) // parts)
        marks = np.minimum(ends[:-1, None] + np.arange(longest + 1), ends[1:, None])
        return Divided(marks)


@lru_cache(maxsize=1 << 14)
def heard(pieces: int, steps: tuple[int, ...]) -> tuple[Int, Int]:
    """Return the starts and the ends of the groups of pieces that eavesdroppers can tell apart.

    The eavesdropper does not hear the last answers, so a group is what remains before the last
    question. A run that has found its piece stops, so its last question may come steps before
    those of other runs.
    """
    if pieces <= 1 or len(steps) < 2 or pieces <= steps[0]:  # the last step
        return np.array([0]), np.array([pieces])
    ends = [number * pieces // steps[0] for number in range(steps[0] + 1)]
    found = [(low, *heard(high - low, steps[1:])) for low, high in pairwise(ends)]
    first, past = ([low + each[side] for low, *each in found] for side in (0, 1))
    return np.concatenate(first), np.concatenate(past)


@lru_cache(maxsize=4096)
def bounds(pieces: int, steps: tuple[int, ...]) -> Int:
    """Return where near-equal steps cut a number of pieces, including the ends."""
    if not steps:
        return np.array([0, pieces])
    found, k = bounds(pieces, steps[:-1]), steps[-1]
    size = found[1:] - found[:-1]
    inner = found[:-1, None] + cut(size[:, None], k, np.arange(k))
    return np.append(inner.reshape(-1), pieces)
