"""The cheapest member of the staged family on whole numbers (prices in ticks, commits, counts).

Blocks and parts differ by one value, so the posterior is uneven. A window of D values catches at
most min(D, |piece|) values of all kept parts together, each of weight 1/(m·L_p), so the best
eavesdropper wins with probability at most (C/L_p)·Σ_blocks Σ_pieces min(D, |piece|)/m: see
proofs/whole.md. L_p is the least that brings this to 1/L.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from feint.exact import ceil_div, ceil_log2
from feint.planning.noiseless.staged import cheapest_staged
from feint.planning.noiseless.steps import factors, fewest, largest_product, narrowings
from feint.strategies import StagedShape

_WORK = 200_000  # ways to narrow and cut that are all tried;
_LOW = 100  # with rounds to spare and up to this level, any number of them
_WIDEST = 1 << 62
_NEAR = 32


@dataclass(frozen=True)
class _Blocks:
    """Near-equal blocks: they have two sizes, which differ by one, and there are some of each."""

    small: int
    large: int
    count_small: int
    count_large: int

    @classmethod
    def of(cls, size: int, pieces: int) -> _Blocks:
        each, more = divmod(size, pieces)
        return cls(each, each + (more > 0), pieces - more, more)

    def caught(self, parts: int, pieces: int, window: int, unit: int = 1) -> int:
        """Σ_blocks Σ_pieces min(D, |piece|), the pieces of the longest part of each block.

        Args:
            parts: How many parts a block is cut into.
            pieces: How many pieces each part has before the last step.
            window: D, in 1/`unit` of a value.
            unit: How finely the sum is counted.

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
    """What the best eavesdropper wins with, at most, when every part has `window` values or more.

    Args:
        shape: The plan.
        values: m, how many values there are.
        window: D, how many neighbouring values she names; on an interval it may be fractional.

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
    """The fewest questions that find one of `values` values, within a number of rounds.

    Args:
        values: m, how many values there are.
        window: D, how many neighbouring values the eavesdropper names; of ticks it may be
            fractional.
        level: L; any rational of at least 1.
        accuracy: How many neighbouring values the last interval may have.
        rounds: How many rounds there may be; None: any number.
        spare: Whether some parts may be left alone; otherwise there is no coin.

    Returns:
        The shape, or None when the blind guess already wins too often.
    """
    if level * window > values:
        return None
    search = _Search(values, window, level, rounds, accuracy, spare)
    ways = narrowings(max(1, min(_WIDEST, int(values // (level * window)))), rounds)
    work = sum(values // (math.prod(narrow) * window) for narrow in ways)
    if work <= _WORK or (rounds is None and level <= _LOW):
        for narrow in ways:
            search.cut(narrow, 1, values)
    else:  # near the interval's answer: whole numbers differ from it by one value a part
        fine, wide = Fraction(accuracy, values), Fraction(window) / values
        near = cheapest_staged(fine, wide, level, rounds=rounds, spare=spare)
        if near is None:
            return search.best
        for narrow in _around(near):
            span = near.parts // 4 + _NEAR
            search.cut(narrow, near.parts - span, near.parts + span, max(1, span // 128))
    return search.best


class _Search:
    """The best shape so far; at first the grid, which is always private enough."""

    def __init__(
        self,
        values: int,
        window: Fraction | int,
        level: Fraction | int,
        rounds: int | None,
        accuracy: int,
        spare: bool,
    ) -> None:
        self.values, self.window, self.level, self.rounds = values, window, level, rounds
        self.accuracy, self.spare = accuracy, spare
        # In whole numbers: what is caught, in parts of a value, and L/m of it, rounded up.
        self._wide, self._unit = Fraction(window).as_integer_ratio()
        wanted = Fraction(level) / (values * self._unit)
        self._times, self._per = wanted.as_integer_ratio()
        self.best = StagedShape(hide=(ceil_div(values, accuracy),))

    def cut(self, narrow: tuple[int, ...], first: int, last: int, stride: int = 1) -> None:
        """Try the numbers of parts in a range after one way of narrowing."""
        blocks = _Blocks.of(self.values, math.prod(narrow))
        paid = sum(narrow) - len(narrow)
        last = min(last, max(1, int(blocks.small // self.window)))
        for parts in range(max(1, first), last + 1, stride):
            longest = -(-blocks.large // parts)
            pieces = ceil_div(longest, self.accuracy)  # a part must end in
            if pieces < 2 or paid + parts - 1 >= self.best.queries:
                return
            if paid + parts - 1 + self._least(longest, pieces) >= self.best.queries:
                continue
            spare = None if self.rounds is None else self.rounds - len(narrow) - (parts > 1)
            for hide in _hides(pieces, spare):
                caught = blocks.caught(parts, math.prod(hide[:-1]), self._wide, self._unit)
                kept = max(1, -(-parts * caught * self._times // self._per))
                if 1 < kept < parts and not self.spare:
                    kept = parts
                shape = StagedShape(narrow=narrow, parts=parts, kept=kept, hide=hide)
                if kept <= parts and shape.queries < self.best.queries:
                    self.best = shape

    def _least(self, longest: int, pieces: int) -> float:
        """No way of hiding among parts this long asks fewer questions.

        With L parts kept, each ends in `pieces` pieces. A piece a longer than D before the last
        step lets L·D/a parts do, each with a/accuracy − 1 questions: most at a = longest.
        """
        level, window = float(self.level), float(self.window)
        if longest <= window:
            return level * math.log2(pieces)
        return level * min(math.log2(pieces), window * (1 / self.accuracy - 1 / longest))


def _around(shape: StagedShape) -> set[tuple[int, ...]]:
    """The same narrowing, and near-equal ones that ask a few questions more or fewer."""
    steps, asked = len(shape.narrow), sum(shape.narrow) - len(shape.narrow)
    close = range(max(steps, asked - _NEAR), asked + _NEAR) if steps else ()
    return {shape.narrow} | {factors(largest_product(each, steps), each, steps) for each in close}


@lru_cache(maxsize=4096)
def _hides(pieces: int, rounds: int | None) -> list[tuple[int, ...]]:
    """Steps that end in this many pieces: some halvings and a grid, or near-equal factors."""
    if rounds is None:
        halvings = range(ceil_log2(pieces))
        return [(2,) * each + (-(-pieces // (1 << each)),) for each in halvings]
    counts = range(1, min(rounds, ceil_log2(pieces)) + 1)
    return [factors(pieces, fewest(pieces, each), each) for each in counts]
