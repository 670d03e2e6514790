"""Strategies from hidden blocks: the places of their questions, and her success."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from feint.errors import InvalidValue
from feint.exact import decimal, decimal_places, plain
from feint.interfaces import Strategy, most_queries
from feint.planning.decimals import power_of_ten
from feint.planning.enumeration import enumerated
from feint.planning.limits import PRIOR_PLACES, RANGE_PLACES, TICKS_PER_EPSILON
from feint.planning.noiseless import staged_of, staged_table
from feint.planning.option import Option
from feint.planning.priors.places import QUANTILE, Divider, PriorLine, Values
from feint.planning.priors.weighted import Hidden
from feint.problem import Domain, Line, Prior, Problem
from feint.strategies import Tree, blocks

BLENDS = (0.0, 0.5, QUANTILE)
"""The coordinates in which parts and pieces may be alike: place, half-way, quantile."""


@dataclass(frozen=True)
class Candidate:
    """A way to search one coordinate that is not on ticks yet.

    Attributes:
        queries: The number of questions it asks.
        hidden: The blocks, in order of place.
        narrow: The k of every narrowing step, if all blocks are reached and hidden in the same way.
            None if each has a separate path and shape.
    """

    queries: int
    hidden: tuple[Hidden, ...]
    narrow: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Ground:
    """One coordinate with its requirements and units.

    Attributes:
        problem: The problem of this coordinate alone.
        prior: The distribution of X*.
        domain: The range in the user's units.
    """

    problem: Problem
    prior: Prior
    domain: Domain

    @property
    def finest(self) -> Fraction:
        """Return the tick to plan with."""
        if self.problem.values is not None:
            return Fraction(1)
        if self.domain.tick is not None:
            return self.domain.tick
        wanted = (
            max(self.problem.epsilon / TICKS_PER_EPSILON, Fraction(1, PRIOR_PLACES))
            * self.domain.width
        )
        return power_of_ten(wanted)

    def ticks(self) -> list[Fraction]:
        """Return the ticks to show questions at, the coarsest first."""
        last = self.finest
        if self.problem.values is not None or self.domain.tick is not None:
            return [last]
        ticks = [power_of_ten(self.problem.epsilon * self.domain.width)]
        while ticks[-1] > last:
            ticks.append(ticks[-1] / 10)
        return ticks

    def line(self, tick: Fraction) -> PriorLine:
        """Return the range in places, questions at multiples of a tick."""
        problem, domain, of_tick = self.problem, self.domain, None
        if problem.values is not None:
            line = Line.of_cells(problem.values, self.prior)
        else:
            line = Line.of_places(domain.low, domain.high, tick, self.prior)
            of_tick = tick
        if line.size > RANGE_PLACES:
            raise _too_fine(domain)
        window, accuracy = line.window(problem.delta), line.accuracy(problem.epsilon)
        return PriorLine(line, window, accuracy, of_tick is None, of_tick)

    def dividers(self, line: PriorLine) -> tuple[Divider, ...]:
        """Return the ways to divide a block."""
        if self.problem.values is not None:
            return (Values(line),)
        return tuple(line.coordinate(each) for each in BLENDS)

    def option(self, candidate: Candidate, most: Fraction) -> Option | None:
        """Return a candidate on the coarsest ticks that keep her success within a limit.

        Returns:
            The option, as `shown` makes it, or None if even the finest ticks are too coarse.
        """
        shown = (self.shown(candidate, tick) for tick in self.ticks())
        return next((each for each in shown if each is not None and each.share <= most), None)

    def shown(self, candidate: Candidate, tick: Fraction) -> Option | None:
        """Return a candidate with its questions at multiples of a tick.

        Her success is enumerated from the strategy that is returned. If that takes too long, it is
        replaced by `success_bound`.

        Returns:
            The option, or None if its pieces would be too wide at that tick.
        """
        line = self.line(tick)
        if tick != self.finest:
            moved = self._moved(candidate, self.line(self.finest), line)
            if moved is None:
                return None
            candidate = moved
        # With a tick, every piece is a cell. Whole values are cells themselves.
        sizes = [
            each.ends[1] - each.ends[0] if line.tick is None else each.divided.marks[:, 1:].size
            for each in candidate.hidden
        ]
        cells = sum(sizes)
        if candidate.narrow is not None:
            shape = replace(candidate.hidden[0].shape, narrow=candidate.narrow)
            strategy = staged_of(self.problem, cells, shape)
        else:
            strategy = _strategy(self.problem, list(zip(candidate.hidden, sizes, strict=True)))
        scale = None if line.tick is None else self._scale(candidate, line, cells, line.tick)
        own = replace(scale or Line.of_cells(cells), prior=self.prior)
        exact = enumerated(strategy, own)
        return Option(
            queries=most_queries(strategy),
            share=success_bound(line, candidate.hidden) if exact is None else exact,
            strategy=strategy,
            success=exact,
            scale=scale,
            is_enumerated=exact is not None,
        )

    def _moved(self, candidate: Candidate, fine: PriorLine, line: PriorLine) -> Candidate | None:
        """Return a candidate at coarser ticks, or None if its pieces become too wide."""
        ratio = Fraction(line.cells, fine.cells)
        dividers = self.dividers(line)

        def place(at: int) -> int:
            if at in (0, fine.cells):
                return line.cells if at else 0
            return int(line.snap(np.array(math.floor(at * ratio))))

        blocks = []
        for each in candidate.hidden:
            ends = place(each.ends[0]), place(each.ends[1])
            pieces = math.prod(each.shape.hide)
            divider = dividers[each.divider]
            count = each.divided.pieces if candidate.narrow is not None else None
            divided = (
                divider.divided(ends, each.divided.parts, count) if ends[0] < ends[1] else None
            )
            if divided is None or divided.pieces > pieces:
                return None
            path = tuple(place(at) for at in each.path)
            blocks.append(replace(each, ends=ends, divided=divided, path=path))
        return replace(candidate, hidden=tuple(blocks))

    def _scale(self, candidate: Candidate, line: PriorLine, cells: int, tick: Fraction) -> Line:
        places = [
            at for each in candidate.hidden for at in each.divided.marks[:, :-1].ravel().tolist()
        ]
        low, high = self.domain.low, self.domain.low + self.domain.width
        first = math.floor(low / tick)  # in ticks: `line.origin` counts from here
        marks = tuple((at + line.origin) // line.step + first for at in places[1:])
        return Line(low, high, cells, tick, None, marks)


def success_bound(line: PriorLine, hidden: Sequence[Hidden]) -> Fraction:
    """Return an upper bound on the best eavesdropper's success against hidden blocks.

    It applies claim 3 of proofs/quantile.md in exact arithmetic: with K of C parts kept, she wins
    at most C/K times as often as with all of them. Runs that stop early do not tell more.
    """
    rows = [each.divided.last_pieces(each.shape.hide) for each in hidden]
    pairs = zip(hidden, line.caught(rows), strict=True)
    total = sum(
        (Fraction(most * each.shape.parts, each.shape.kept) for each, most in pairs), Fraction(0)
    )
    return min(Fraction(1), total / line.mass)


def _strategy(problem: Problem, hidden: Sequence[tuple[Hidden, int]]) -> Strategy:
    """Return the strategy of hidden blocks, in order of place and each with its cells."""
    if len(hidden) == 1:
        (block, cells), *_ = hidden
        return staged_of(problem, cells, block.shape)
    return blocks(problem, _tree(problem, hidden, 0))


def _tree(problem: Problem, hidden: Sequence[tuple[Hidden, int]], depth: int) -> Tree:
    """Return a tree of cuts as `feint.strategies.blocks` takes it, without the first `depth`."""
    if len(hidden) == 1:
        (block, cells), *_ = hidden
        return staged_table(problem, cells, block.shape)
    place = hidden[0][0].path[depth]
    lower = [each for each in hidden if each[0].ends[0] < place]
    upper = hidden[len(lower) :]
    cut = sum(cells for _, cells in lower)
    return (cut,), (_tree(problem, lower, depth + 1), _tree(problem, upper, depth + 1))


def _too_fine(domain: Domain) -> InvalidValue:
    """Build the error for ends of a range with too many digits for whole numbers of places."""
    low, high = domain.low, domain.low + domain.width
    name, end = ("low", low) if low.denominator >= high.denominator else ("high", high)
    shown = decimal(end) or plain(end)
    rule = "under a prior the range is at most 2·10^18 times as wide as the last digit of its ends"
    digits = decimal_places(power_of_ten(domain.width / 10**15))  # far finer than ticks
    return InvalidValue(name, shown, rule, f"round low and high to {digits} decimals")
