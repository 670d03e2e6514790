"""A line of equal places under a prior: blended coordinates, and what windows catch.

Places are ticks of the user's units, so that what is planned is what is shown. A coordinate
H = λF + (1−λ)x runs from the place itself (λ = 0) to the prior's quantile (λ = 1).
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
    """A lattice whose line says where X* may be: a cell is a place.

    Attributes:
        tick: Questions are put at multiples of it, in the user's units; None: at every place.
    """

    tick: Fraction | None = None

    @property
    def prior(self) -> Prior:
        """Return the distribution of X*."""
        return self.line.prior or UNIFORM

    @cached_property
    def step(self) -> int:
        """Return how many places lie between two that a question may be put at."""
        return 1 if self.tick is None else int(self.tick / self.line.cell)

    @cached_property
    def origin(self) -> int:
        """Return how many places the range begins above a multiple of the tick."""
        # The beginning of a range far from 0, in places, need not fit into 64 bits: this does.
        return int(self.line.low / self.line.cell) % self.step

    @cached_property
    def units(self) -> int:
        """Return how many units the range has in which `caught` is exact."""
        return self.line.units(self.window / self.cells)

    @property
    def mass(self) -> int:
        """Return what everything weighs, in the unit that `caught` counts in."""
        return mass(self.units, self.prior)

    def coordinate(self, blend: float) -> Blend:
        """Return the coordinate λF + (1−λ)x."""
        knots = np.linspace(0.0, float(self.cells), self.prior.bins + 1)
        cumulative = np.concatenate(([0.0], np.cumsum(np.asarray(self.prior.weights, float))))
        share = blend * cumulative / cumulative[-1] + (1 - blend) * knots / self.cells
        share[-1] = 1.0
        return Blend(knots, share, self)

    def snap(self, place: Int) -> Int:
        """Return the last place at or below at which a question may be put, or the first one."""
        if self.step == 1:
            return place
        below: Int = place - (place + self.origin) % self.step
        return np.maximum(below, np.int64(-self.origin % self.step))

    def caught(self, rows: Sequence[tuple[Int, Int]]) -> list[int]:
        """Return the most that windows of length δ catch of posteriors, added up for each group.

        Args:
            rows: For each group of transcripts, where pieces begin and end, [pieces, transcripts]
                each: the pieces of one transcript are a column.

        Returns:
            For each group, the sum over its transcripts of the most mass that a window catches;
            everything weighs `mass`.
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
        """Return roughly what `caught` gives, and what the posteriors weigh, as shares of all.

        Windows are tried that begin with a piece, end with one, or lie within one: quick, and
        seldom off by more than a little.

        Args:
            rows: As in `caught`, all with as many pieces to a transcript.

        Returns:
            For each group, what windows catch and what there is to catch.
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
    """A block in parts whose pieces are searched at the same time.

    Attributes:
        marks: [parts, pieces + 1] the ends of the pieces, in places; those of a shorter part may
            come to nothing.
    """

    marks: Int

    @property
    def parts(self) -> int:
        """Return how many parts there are."""
        return len(self.marks)

    @property
    def pieces(self) -> int:
        """Return how many pieces each part has."""
        return int(self.marks.shape[1]) - 1

    def rows(self, hide: Sequence[int], most: int) -> tuple[Int, Int]:
        """Return what is left of each part when the last question is asked, in some transcripts.

        Args:
            hide: The steps.
            most: How many transcripts to take at most, evenly spread.

        Returns:
            Where what is left begins and ends, [parts, transcripts] each.
        """
        first, past = heard(self.pieces, tuple(hide))
        if len(first) > most:
            some = (np.arange(most) * 2 + 1) * len(first) // (2 * most)
            first, past = first[some], past[some]
        return self.marks[:, first], self.marks[:, past]

    def last_pieces(self, hide: Sequence[int]) -> tuple[Int, Int]:
        """Return what is left of each part before the last step, in all transcripts, as `rows`.

        Runs that are done may stop before the last step, and then tell less than this.
        """
        at = bounds(self.pieces, tuple(hide[:-1]))
        return self.marks[:, at[:-1]], self.marks[:, at[1:]]


class Divider(Protocol):
    """A way to divide blocks into parts and pieces."""

    def divided(self, block: tuple[int, int], parts: int, count: int | None) -> Divided | None:
        """Divide a block into parts and pieces, as few as ε allows, or a given number of pieces.

        Returns:
            The block in parts; None if it cannot be so divided.
        """


@dataclass(frozen=True)
class Blend:
    """A coordinate of the range that rises with the place, linear within every bin.

    Attributes:
        knots: The bins' ends, in places.
        share: The coordinate there, from 0 to 1.
        line: The range.
    """

    knots: Float
    share: Float
    line: PriorLine

    def place(self, share: Float) -> Int:
        """Return the last place at or below a coordinate at which a question may be put."""
        exact = np.interp(share, self.share, self.knots)
        return self.line.snap(np.floor(exact * (1 + 1e-15) + 1e-6).astype(np.int64))

    def of(self, place: NDArray[Any]) -> Float:
        """Return the coordinate of a place."""
        share: Float = np.interp(place, self.knots, self.share)
        return share

    def cut(self, block: tuple[int, int], parts: int) -> Int:
        """Return [parts + 1] the ends of parts of a block that are alike in this coordinate."""
        low, high = self.of(np.array(block))
        ends = self.place(low + (high - low) * (np.arange(parts + 1) / parts))
        ends[0], ends[-1] = block
        return _within(ends, *block)

    def divided(
        self, block: tuple[int, int], parts: int, count: int | None = None
    ) -> Divided | None:
        """Divide a block into parts alike in this coordinate, all cut at the same shares of it.

        With x_c(u) the place of share u in part c, the shares are those at which the integral of
        max_c x_c' passes equal steps of at most ε: each part is then at most as wide between two of
        them (proofs/quantile.md).

        Args:
            block: Where it begins and ends.
            parts: How many parts it is cut into.
            count: How many pieces each part has; None: as few as this rule allows.

        Returns:
            The block, divided; None if a piece would be too wide, or there would be too many.
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
                # On coarse ticks pieces come to nothing: what does so in every part is none.
                if count is None and not widest.all():
                    marks = marks[:, np.append(True, widest > 0)]
                return Divided(marks)
        return None

    def _run(self, ends: Int, base: Float, wide: Float) -> tuple[Float, Float]:
        """Return shares at which some part passes a bin's end, and the width up to each.

        Args:
            ends: The ends of the parts.
            base: Their coordinates.
            wide: How much of the coordinate each part has.
        """
        first, last = np.searchsorted(self.knots, ends[[0, -1]], "right")
        inner = self.knots[first:last]
        home = np.minimum(np.searchsorted(ends, inner, "right") - 1, len(wide) - 1)
        marks = _within((self.share[first:last] - base[home]) / wide[home], 0, 1)
        share = np.sort(np.concatenate(([0.0, 1.0], marks)))  # equal ones have nothing between them
        middle = (share[1:] + share[:-1]) / 2
        bin_ = np.searchsorted(self.share, base[:-1, None] + middle * wide[:, None]) - 1
        slope = self._slopes[_within(bin_, 0, len(self._slopes) - 1)]
        widest = (slope * wide[:, None]).max(axis=0) * (share[1:] - share[:-1])
        return share, np.concatenate(([0.0], np.cumsum(widest)))

    def _at(self, ends: Int, base: Float, at: Float) -> Int:
        """Return [parts, pieces + 1] the places of shares of every part, its ends included."""
        low, high = ends[:-1, None], ends[1:, None]
        places = np.empty((len(low), len(at) + 2), np.int64)
        places[:, :1], places[:, -1:] = low, high
        places[:, 1:-1] = self.place(base[:-1, None] + at * (base[1:] - base[:-1])[:, None])
        return _within(places, low, high)

    @cached_property
    def _slopes(self) -> Float:
        """Return the places per unit of the coordinate, bin by bin."""
        return np.diff(self.knots) / np.maximum(np.diff(self.share), 1e-300)


def _within(values: NDArray[Any], low: Any, high: Any) -> NDArray[Any]:
    """Clip values; `np.clip` takes longer than the rest on short arrays."""
    clipped: NDArray[Any] = np.minimum(np.maximum(values, low), high)
    return clipped


@dataclass(frozen=True)
class Values:
    """Whole values: parts of near-equal count, a value a piece, as `Staged` divides them."""

    line: PriorLine

    def divided(
        self, block: tuple[int, int], parts: int, count: int | None = None
    ) -> Divided | None:
        """Divide into near-equal parts; an offset past a shorter part's end is that end."""
        low, high = block
        if high - low < parts:
            return None
        ends = low + cut(high - low, parts, np.arange(parts + 1))
        longest = -(-(high - low) // parts)
        marks = np.minimum(ends[:-1, None] + np.arange(longest + 1), ends[1:, None])
        return Divided(marks)


@lru_cache(maxsize=1 << 14)
def heard(pieces: int, steps: tuple[int, ...]) -> tuple[Int, Int]:
    """Return where pieces that are overheard begin and end: what is left at the last question.

    Nobody hears the last answers. A run that has found its piece stops, so what is left at its last
    question may be found steps before those of other runs.
    """
    if pieces <= 1 or len(steps) < 2 or pieces <= steps[0]:  # all is found, and nothing follows
        return np.array([0]), np.array([pieces])
    ends = [number * pieces // steps[0] for number in range(steps[0] + 1)]
    found = [(low, *heard(high - low, steps[1:])) for low, high in pairwise(ends)]
    first, past = ([low + each[side] for low, *each in found] for side in (0, 1))
    return np.concatenate(first), np.concatenate(past)


@lru_cache(maxsize=4096)
def bounds(pieces: int, steps: tuple[int, ...]) -> Int:
    """Return where near-equal steps cut a number of pieces, the ends included."""
    if not steps:
        return np.array([0, pieces])
    found, k = bounds(pieces, steps[:-1]), steps[-1]
    size = found[1:] - found[:-1]
    inner = found[:-1, None] + cut(size[:, None], k, np.arange(k))
    return np.append(inner.reshape(-1), pieces)
