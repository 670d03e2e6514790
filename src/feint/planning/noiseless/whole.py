"""The cheapest member of the staged family on whole numbers (prices in ticks, commits, counts).

Blocks and parts differ by one value, so the posterior is uneven. A window of D values catches at
most min(D, |piece|) values of all kept parts together, each of weight 1/(m·L_p). So the best
eavesdropper wins with probability at most (C/L_p)·Σ_blocks Σ_pieces min(D, |piece|)/m: see
proofs/hiding.md. L_p is the least number of parts that brings this to 1/L.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from feint.exact import ceil_div, ceil_log2
from feint.planning.limits import (
    FREE_LEVEL,
    LARGEST,
    LONGEST,
    NEAR_PARTS,
    PARTS_AT_ONCE,
    WAYS_TRIED,
)
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.steps import (
    Narrowing,
    cheapest_factors,
    factors,
    largest_product,
    narrowings,
)
from feint.strategies import StagedShape

Int = NDArray[np.int64]
Float = NDArray[np.float64]

_LESS = 1 - 1e-9
_SLACK = 1e-6  # the relative errors of floats are far smaller


@dataclass(frozen=True)
class _Blocks:
    """Near-equal blocks of two sizes that differ by one, and the number of each."""

    small: int
    large: int
    count_small: int
    count_large: int

    @classmethod
    def of(cls, size: int, pieces: int) -> _Blocks:
        each, more = divmod(size, pieces)
        return cls(each, each + (more > 0), pieces - more, more)

    def caught(self, parts: int, pieces: int, window: int, unit: int = 1) -> int:
        """Return Σ_blocks Σ_pieces min(D, |piece|) over pieces of the longest part of each block.

        Args:
            parts: The number of parts that a block is cut into.
            pieces: The number of pieces that each part has before the last step.
            window: The window D, in 1/`unit` of a value.
            unit: The fineness of the sum, in counts per value.

        Returns:
            The sum, in 1/`unit` of a value.
        """
        total = 0
        for size, count in ((self.small, self.count_small), (self.large, self.count_large)):
            if count:
                each, more = divmod(-(-size // parts), pieces)
                total += count * (pieces - more) * min(window, each * unit)
                total += count * more * min(window, (each + 1) * unit)
        return total


def success_bound(shape: StagedShape, values: int, window: Fraction | int) -> Fraction:
    """Return a bound on the best success if every part has `window` values or more.

    Args:
        shape: The plan.
        values: The number m of values.
        window: The number D of neighbouring values that the eavesdropper names. On an interval it
            may be fractional.

    Returns:
        The bound.
    """
    blocks = _Blocks.of(values, math.prod(shape.narrow))
    wide, unit = Fraction(window).as_integer_ratio()
    caught = blocks.caught(shape.parts, math.prod(shape.hide[:-1]), wide, unit)
    return Fraction(shape.parts * caught, shape.kept * values * unit)


def cheapest_whole(
    values: int,
    window: Fraction | int,
    level: Fraction | int,
    *,
    accuracy: int = 1,
    rounds: int | None = None,
    spare: bool = True,
) -> StagedShape | None:
    """Return the shape that finds one of `values` values with the fewest questions.

    Args:
        values: The number m of values.
        window: The number D of neighbouring values that the eavesdropper names. For ticks it may
            be fractional.
        level: L, any rational of at least 1.
        accuracy: The most neighbouring values that the last interval may have.
        rounds: The most rounds; None for any number.
        spare: True if some parts may be left alone. If False, there is no coin.

    Returns:
        The shape, or None if the blind guess already wins too often.
    """
    if level * window > values:
        return None
    return _cheapest(values, Fraction(window), Fraction(level), accuracy, rounds, spare)


@lru_cache(maxsize=4096)  # other coordinates, levels and ticks ask for the same again
def _cheapest(
    values: int,
    window: Fraction,
    level: Fraction,
    accuracy: int,
    rounds: int | None,
    spare: bool,
) -> StagedShape:
    # Start near the interval's answer: whole numbers differ from it by one value per part.
    near = _Search(values, window, level, rounds, accuracy, spare)
    fine, wide = Fraction(accuracy, values), window / values
    guess = cheapest_staged(fine, wide, level, rounds=rounds, spare=spare)
    if guess is not None:
        for way in _around(guess):
            span = guess.parts // 4 + NEAR_PARTS
            near.cut(way, guess.parts - span, guess.parts + span, max(1, span // 128))
    ways = narrowings(max(1, min(LARGEST, int(values // (level * window)))), rounds)
    above, below = window.as_integer_ratio()
    work = sum(values * below // (way.product * above) for way in ways)
    if work > WAYS_TRIED and (rounds is not None or level > FREE_LEVEL):
        return near.best
    search = _Search(values, window, level, rounds, accuracy, spare)
    if near.best.queries < search.best.queries:
        search.below = near.best.queries + 1  # so that the first of equal ones is found
    for way in ways:
        search.cut(way, 1, values)
    return search.best if search.best.queries <= near.best.queries else near.best


class _Search:
    """A search that keeps the best shape, at first the grid, which is always private enough."""

    def __init__(
        self,
        values: int,
        window: Fraction,
        level: Fraction,
        rounds: int | None,
        accuracy: int,
        spare: bool,
    ) -> None:
        self.values, self.window, self.level, self.rounds = values, window, level, rounds
        self.accuracy, self.spare = accuracy, spare
        self._level, self._window = float(level), float(window)
        # In whole numbers: the catch in fractions of a value, and L/m of it, rounded up.
        self._wide, self._unit = window.as_integer_ratio()
        wanted = level / (values * self._unit)
        self._times, self._per = wanted.as_integer_ratio()
        self.best = StagedShape(hide=(ceil_div(values, accuracy),))
        self.below = min(self.best.queries, LONGEST + 1)

    def cut(self, way: Narrowing, first: int, last: int, stride: int = 1) -> None:
        """Try the numbers of parts in a range after one way of narrowing."""
        blocks, paid = _Blocks.of(self.values, way.product), way.asked
        spare = None if self.rounds is None else self.rounds - len(way.narrow)
        first = max(1, first)
        most = blocks.small // math.ceil(self.window)  # the shortest part must also have D values
        last = min(last, max(1, most), self.below - paid)
        if first > last or blocks.large > LARGEST:
            return
        alone = first == 1 and blocks.large > self.accuracy and spare != 0
        if alone and paid + self._bound(blocks.large, 1, 1, spare) < self.below:
            self._hide(way, blocks, 1, ceil_div(blocks.large, self.accuracy))
        first, spare = max(2, first), None if spare is None else spare - 1  # a cut takes a round
        if first > last or (spare is not None and spare < 1):
            return
        if paid + self._bound(blocks.large, first, last, spare) >= self.below:
            return
        for begin in range(first, last + 1, PARTS_AT_ONCE * stride):
            tried = np.arange(begin, min(last, begin + PARTS_AT_ONCE * stride - 1) + 1, stride)
            longest = -(-blocks.large // tried)
            pieces = -(-longest // self.accuracy)  # pieces that a part must end in
            asked = paid + tried - 1 + self._least(longest, pieces, spare)
            for row in np.flatnonzero((pieces > 1) & (asked < self.below)).tolist():
                if asked[row] < self.below:
                    self._hide(way, blocks, int(tried[row]), int(pieces[row]))

    def _hide(self, way: Narrowing, blocks: _Blocks, parts: int, pieces: int) -> None:
        """Try the ways to hide in parts, each of which must end in `pieces` pieces."""
        paid = way.asked + parts - 1
        spare = None if self.rounds is None else self.rounds - len(way.narrow) - (parts > 1)
        longest, window = -(-blocks.large // parts), self._window // 1
        ways = _hides(pieces, spare)  # each asks no more questions per part than the one before
        begin = bisect_right(ways, paid - self.below, key=lambda hiding: -hiding[1])
        for hide, each, before in ways[begin:]:
            # She catches at most D of a piece, so fewer parts suffice if pieces are longer.
            least = self._level * min(1.0, window * before / longest)
            if paid + max(1.0, least * _LESS) * each >= self.below:
                continue
            caught = blocks.caught(parts, before, self._wide, self._unit)
            kept = max(1, -(-parts * caught * self._times // self._per))
            if 1 < kept < parts and not self.spare:
                kept = parts
            if kept <= parts and paid + kept * each < self.below:
                self.best = StagedShape(narrow=way.narrow, parts=parts, kept=kept, hide=hide)
                self.below = self.best.queries

    def _least(self, longest: Int, pieces: Int, rounds: int | None) -> Float:
        """Return a lower bound on the questions of hiding among parts this long.

        With L parts kept, each ends in `pieces` pieces. That takes log₂(pieces) halvings, and in r
        rounds at least the questions of r equal steps. If a piece before the last step has a > D
        values, L·D/a parts suffice, each with a/accuracy − 1 questions: most at a = longest.
        """
        level, window = self._level, self._window
        if rounds is None:
            full = np.log2(pieces)
        else:
            full = rounds * (pieces.astype(float) ** (1 / rounds) - 1)
        partly = window * (1 / self.accuracy - 1 / longest)
        least: Float = level * np.where(longest <= window, full, np.minimum(full, partly)) - _SLACK
        return least

    def _bound(self, block: int, first: int, last: int, rounds: int | None) -> float:
        """Return a lower bound on the questions with any number of parts in a range.

        Of the bounds of `_least`, P − 1 + L·log₂(n/P) is least at P = L/ln 2. In r rounds,
        P − 1 + L·r·((n/P)^(1/r) − 1) is least at P^(1+1/r) = L·n^(1/r). The other bound is linear
        in P.
        """
        level, window, pieces = self._level, self._window, block / self.accuracy
        if rounds is None:
            middle = min(max(level / math.log(2), first), last)
            full = middle - 1 + level * max(0.0, math.log2(pieces / middle))
        else:
            middle = (level * pieces ** (1 / rounds)) ** (rounds / (rounds + 1))
            middle = min(max(middle, first), last)
            full = middle - 1 + level * rounds * max(0.0, (pieces / middle) ** (1 / rounds) - 1)
        partly = min(
            parts - 1 + level * window * max(0.0, 1 / self.accuracy - parts / block)
            for parts in (first, last)
        )
        return min(full, partly) - _SLACK


def _around(shape: StagedShape) -> list[Narrowing]:
    """Return the narrowing itself and near-equal ones with a few questions more or fewer."""
    steps, asked = len(shape.narrow), sum(shape.narrow) - len(shape.narrow)
    close = range(max(steps, asked - NEAR_PARTS), asked + NEAR_PARTS) if steps else ()
    near = (factors(largest_product(each, steps), each, steps) for each in close)
    return [Narrowing.by(narrow) for narrow in dict.fromkeys((shape.narrow, *near))]


@lru_cache(maxsize=4096)
def _hides(pieces: int, rounds: int | None) -> list[tuple[tuple[int, ...], int, int]]:
    """Return steps that end in this many pieces: halvings and a grid, or near-equal factors.

    Each comes with its questions per part and with the number of pieces before the last step.
    """
    if rounds is None:
        halvings = range(ceil_log2(pieces))
        found = [(2,) * each + (-(-pieces // (1 << each)),) for each in halvings]
    else:
        counts = range(1, min(rounds, ceil_log2(pieces)) + 1)
        found = [cheapest_factors(pieces, each) for each in counts]
    return [(hide, sum(hide) - len(hide), math.prod(hide[:-1])) for hide in found]
