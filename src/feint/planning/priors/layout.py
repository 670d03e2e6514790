"""From hidden blocks to a strategy, where its questions are shown, and what she wins with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from feint.errors import InvalidValue
from feint.exact import decimal, decimal_places, plain
from feint.planning.option import Option
from feint.planning.priors.line import QUANTILE, Divider, Line, Values
from feint.planning.priors.tree import Hidden
from feint.problem import Domain, Prior, Problem, Scale
from feint.strategies import Block, Blocks, Staged

BLENDS = (0.0, 0.5, QUANTILE)
"""The coordinates in which parts and pieces may be alike: place, half-way, quantile."""

MOST_CELLS = 1 << 19
"""Cells of an uneven lattice, at most: each has its own place."""

_FINE = 10**6  # ticks to an epsilon, about, where no tick is given
_PLACES = 1 << 33  # and at most this many in all, so that sums stay within 64 bits
_MOST_PLACES = 1 << 61  # of ranges whose ends have many digits: sums of two stay within 64 bits


@dataclass(frozen=True)
class Candidate:
    """A way to search one coordinate, not laid out yet.

    Attributes:
        queries: How many questions it asks.
        hidden: Its blocks, in order of place.
        narrow: The k of every narrowing step where blocks are reached alike and are hidden alike;
            None: each has a path and a shape of its own.
    """

    queries: int
    hidden: tuple[Hidden, ...]
    narrow: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Ground:
    """One coordinate: what is wanted of it, and in which units.

    Attributes:
        problem: The problem of this coordinate alone.
        prior: Where X* may be.
        domain: The user's units.
    """

    problem: Problem
    prior: Prior
    domain: Domain

    @property
    def finest(self) -> Fraction:
        """The tick that is planned with."""
        if self.domain.tick is not None:
            return self.domain.tick
        wanted = max(self.problem.epsilon / _FINE, Fraction(1, _PLACES)) * self.domain.width
        return power(wanted)

    def ticks(self) -> list[Fraction]:
        """The ticks to show questions at, the coarsest first."""
        last = self.finest
        if self.domain.tick is not None:
            return [last]
        found = [power(self.problem.epsilon * self.domain.width)]
        while found[-1] > last:
            found.append(found[-1] / 10)
        return found

    def line(self, tick: Fraction) -> Line:
        """The range in places, questions at multiples of a tick."""
        if self.problem.values is not None:
            values = self.problem.values
            return Line(self.prior, values, self.problem.delta * values, 1)
        low, width = self.domain.low, self.domain.width
        unit = common(common(tick, low), low + width)
        places, step = int(width / unit), int(tick / unit)
        if places > _MOST_PLACES:
            raise _too_fine(self.domain)
        # Where multiples of the tick lie is known from the rest alone, and the rest is short also
        # if the range lies far from zero.
        return Line(
            self.prior,
            places,
            self.problem.delta * places,
            int(self.problem.epsilon * places),
            int(low / unit) % step,
            step,
        )

    def dividers(self, line: Line) -> tuple[Divider, ...]:
        """The ways to divide a block."""
        if self.problem.values is not None:
            return (Values(line),)
        return tuple(line.coordinate(each) for each in BLENDS)

    def option(self, found: Candidate, most: Fraction) -> Option | None:
        """A candidate on the coarsest ticks on which she wins with no more than this.

        Returns:
            The option, its success exact for the questions as shown; None where even the finest
            ticks do not do.
        """
        if self.problem.values is not None:
            line = self.line(Fraction(1))
            success = caught(line, found.hidden)
            return self._option(found, line, success) if success <= most else None
        fine = self.line(self.finest)
        for tick in self.ticks():
            line = self.line(tick)
            moved = found if tick == self.finest else self._moved(found, fine, line)
            if moved is None:
                continue
            success = caught(line, moved.hidden)
            if success <= most:
                return self._option(moved, line, success, tick)
        return None

    def _moved(self, found: Candidate, fine: Line, line: Line) -> Candidate | None:
        """A candidate at coarser ticks, if its pieces still are narrow enough."""
        ratio = Fraction(line.places, fine.places)
        dividers = self.dividers(line)

        def place(at: int) -> int:
            if at in (0, fine.places):
                return line.places if at else 0
            return int(line.snap(np.array(math.floor(at * ratio))))

        blocks = []
        for each in found.hidden:
            ends = place(each.ends[0]), place(each.ends[1])
            pieces = math.prod(each.shape.hide)
            divider = dividers[each.divider]
            count = each.divided.pieces if found.narrow is not None else None
            divided = (
                divider.divided(ends, each.divided.parts, count) if ends[0] < ends[1] else None
            )
            if divided is None or divided.pieces > pieces:
                return None
            path = tuple(place(at) for at in each.path)
            blocks.append(replace(each, ends=ends, divided=divided, path=path))
        return replace(found, hidden=tuple(blocks))

    def _option(
        self, found: Candidate, line: Line, success: Fraction, tick: Fraction | None = None
    ) -> Option:
        starts, cells = {}, 0
        for each in found.hidden:
            starts[each.ends[0]] = cells
            count = each.divided.pieces * each.divided.parts
            cells += count if tick is not None else each.ends[1] - each.ends[0]
        strategy: Staged | Blocks
        first = found.hidden[0]
        if found.narrow is not None or len(found.hidden) == 1:
            shape = replace(first.shape, narrow=found.narrow or ())
            strategy = Staged(self.problem, cells, shape)
        else:
            ends = [*list(starts.values())[1:], cells]
            blocks = tuple(
                Block(
                    start=starts[each.ends[0]],
                    size=end - starts[each.ends[0]],
                    path=tuple(starts[at] for at in each.path),
                    shape=each.shape,
                )
                for each, end in zip(found.hidden, ends, strict=True)
            )
            strategy = Blocks(self.problem, cells, blocks)
        scale = None if tick is None else self._scale(found, line, cells, tick)
        return Option(
            queries=sum(len(each.coordinates) for each in strategy.rounds),
            share=success,
            strategy=strategy,
            success=success,
            scale=scale,
        )

    def _scale(self, found: Candidate, line: Line, cells: int, tick: Fraction) -> Scale:
        places = [at for each in found.hidden for at in each.divided.marks[:, :-1].ravel().tolist()]
        low, high = self.domain.low, self.domain.low + self.domain.width
        first = math.floor(low / tick)  # in ticks, where `line.origin` counts from
        marks = tuple((at + line.origin) // line.step + first for at in places[1:])
        return Scale(low, high, cells, tick, None, marks)


def caught(line: Line, hidden: Sequence[Hidden]) -> Fraction:
    """What the best eavesdropper wins with against hidden blocks, exactly.

    What she hears fixes the block, the window of kept parts and the pieces before the last step;
    each window has the probability one over the number of kept parts.
    """
    rows = [each.divided.windows(each.shape.hide, each.shape.kept) for each in hidden]
    total = Fraction(0)
    for each, most in zip(hidden, line.caught(rows), strict=True):
        tossed = each.shape.kept if each.shape.kept < each.shape.parts else 1
        total += Fraction(most, tossed)
    return total / line.whole


def _too_fine(domain: Domain) -> InvalidValue:
    """Build the error for a range whose ends have too many digits to be whole numbers of places."""
    low, high = domain.low, domain.low + domain.width
    name, end = ("low", low) if low.denominator >= high.denominator else ("high", high)
    shown = decimal(end) or plain(end)
    rule = "under a prior the range is at most 2·10^18 times as wide as the last digit of its ends"
    digits = decimal_places(power(domain.width / 10**15))  # far finer than ticks are
    return InvalidValue(name, shown, rule, f"round low and high to {digits} decimals")


def common(a: Fraction, b: Fraction) -> Fraction:
    """The largest number that divides both; of zero, the other."""
    below = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(int(a * below), int(b * below)), below)


def power(most: Fraction) -> Fraction:
    """The largest power of ten that is no larger."""
    found = Fraction(1)
    while found > most:
        found /= 10
    while found * 10 <= most:
        found *= 10
    return found
