"""The plays that hide a block of whole values in parts of one width and a loose tail.

She wins with probability at most 1/L if every place of a play brings the same mass to it, and X*
can choose its play as it learns where it is: proofs/loose.md. Both are linear in the masses, which
are worked out in fractions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from feint.exact import ceil_log2
from feint.strategies import LooseShape, Play

Int = NDArray[np.int64]
Asked = tuple[tuple[int, ...], ...]

KEPT = range(2, 5)
"""How many places may be kept: with more, there are many plays, and others may be better."""


@lru_cache(maxsize=4)
def loosened(most: int) -> dict[int, Int]:
    """Every block that may be hidden so, by the number of places kept.

    Args:
        most: How many values a block may have.

    Returns:
        For each of `KEPT` [size, questions, width], a column each way.
    """
    return {
        kept: np.concatenate(
            [
                np.empty((3, 0), np.int64),
                *(
                    _columns(width, parts, kept, most)
                    for parts in range(kept, 2 * kept)
                    for width in range(2, most // parts + 1)
                ),
            ],
            axis=1,
        )
        for kept in KEPT
    }


def _columns(width: int, parts: int, kept: int, most: int) -> Int:
    """Those with parts of one width: where `loose_shape` finds plays, by the sum in the proof."""
    tail = np.arange(1, min(width, most - parts * width + 1))
    half = 1 << (ceil_log2(width) - 1)
    over = (kept - 1) * tail - (parts - kept) * width
    able = (over <= 0) | ((tail > half) & (over <= kept * half))
    size = parts * width + tail[able & (parts > kept or kept == 2)]
    asked = _fewest(parts, kept) + kept * ceil_log2(width)
    return np.stack((size, np.full_like(size, asked), np.full_like(size, width)))


@lru_cache(maxsize=1 << 10)
def loose_shape(size: int, width: int, kept: int) -> LooseShape | None:
    """The plays that ask the fewest questions.

    Args:
        size: How many values the block has.
        width: w, at least D.
        kept: L.

    Returns:
        The shape; None if there is none.
    """
    parts, tail = divmod(size, width)
    half = 1 << (ceil_log2(width) - 1)
    for ways in sorted(_ways(parts, kept), key=lambda each: sum(map(len, each[0]))):
        for halves in (False, True)[: 1 + (tail > half)]:
            plays = [each for asked in ways for each in _plays(asked, parts, kept, halves=halves)]
            masses = _masses(plays, width, parts, tail)
            if masses is not None:
                unit = math.lcm(*(each.denominator for each in masses))
                held = [each for each in zip(plays, masses, strict=True) if each[1]]
                found = [replace(each, mass=int(mass * unit)) for each, mass in held]
                return LooseShape(width=width, plays=tuple(found))
    return None


@lru_cache(maxsize=256)
def _fewest(parts: int, kept: int) -> int:
    return min(sum(map(len, each[0])) for each in _ways(parts, kept))


def _ways(parts: int, kept: int) -> list[list[Asked]]:
    """Ends to ask, round by round: lists of such as may be mixed, since they are equally many."""
    found: list[list[Asked]] = [[(tuple(range(1, parts + 1)),)]]
    if parts % 2 == kept % 2 == 0:  # parts in pairs: some pairs are told apart, and the tail
        evens, odds = range(2, parts + 1, 2), range(1, parts, 2)
        found.append([(tuple(evens), each) for each in combinations(odds, kept // 2)])
    if kept > 2 and parts == 2 * kept - 1:  # half of the parts, and the last part and the tail
        end, middle = parts - 1, kept - 1
        inner = [range(1, middle), range(middle + 1, end)]
        groups = [[(end,), (middle,), *_last_two([*each, parts])] for each in inner]
        evens, odds = range(2, end, 2), range(1, end, 2)
        rest = [
            [(end,), (2,), *_last_two([*evens[1:], *each])]
            for each in combinations(odds, kept - len(evens))
        ]
        found.append([tuple(each) for each in (*groups, *rest)])
    return found


def _last_two(ends: Sequence[int]) -> list[tuple[int, ...]]:
    """One end a round, and two in the last."""
    return [*((each,) for each in ends[:-2]), tuple(ends[-2:])]


def _plays(asked: Asked, parts: int, kept: int, *, halves: bool) -> Iterator[Play]:
    """Every play that asks these ends."""
    ends = {0, parts + 1, *(end for each in asked for end in each)}
    told = [place for place in range(parts + 1) if {place, place + 1} <= ends]
    last = parts - 1
    for places in combinations(told, kept):
        both = {last, parts} <= set(places)
        if not both or (halves and last - 1 not in places):
            yield Play(asked=asked, places=places, mass=0)
        if halves and last in places and not both:
            yield Play(asked=asked, places=places, mass=0, high=True)


def _masses(plays: Sequence[Play], width: int, parts: int, tail: int) -> list[Fraction] | None:
    """Masses that make all of X* of each place, and let it choose as it learns where it is."""
    half, last = 1 << (ceil_log2(width) - 1), parts - 1

    def share(play: Play, place: int, above: bool) -> Fraction:
        """How much of each cell of a place, by its half, a unit of mass takes."""
        if place not in play.places:
            return Fraction(0)
        kind = play.kind(parts)
        if place == last and kind in ("low", "high"):
            fits = above == (kind == "high")
            return Fraction(fits, width - half if above else half)
        return Fraction(1, tail if place == parts else width)

    low = [[share(play, place, False) for play in plays] for place in range(parts + 1)]
    high = [share(play, last, True) for play in plays]
    rows, right = [*low, high], [Fraction(1)] * (parts + 2)
    for asked in dict.fromkeys(play.asked for play in plays):
        here = [play.asked == asked for play in plays]
        rows.append([(a - b) * c for a, b, c in zip(low[last], high, here, strict=True)])
    for path in dict.fromkeys(
        play.asked[:depth] for play in plays for depth in range(1, len(play.asked) + 1)
    ):
        through = [play.asked[: len(path)] == path for play in plays]
        ends = sorted({0, parts + 1, *(end for each in path[:-1] for end in each)})
        for first, past in pairwise(ends):
            for place in range(first + 1, past):  # as likely to be here as the first of them
                pairs = zip(low[first], low[place], through, strict=True)
                rows.append([(a - b) * c for a, b, c in pairs])
    return _feasible(rows, right + [Fraction(0)] * (len(rows) - len(right)))


def _feasible(
    rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]
) -> list[Fraction] | None:
    """Some x ≥ 0 with rows·x = right ≥ 0, by the simplex method with Bland's rule, if any."""
    many, count = len(rows[0]), len(rows)
    table = [[*row, value] for row, value in zip(rows, right, strict=True)]
    basis = list(range(many, many + count))  # those past the end stand for what is still missing
    cost = [-sum(column, Fraction(0)) for column in zip(*table, strict=True)]
    while any(each < 0 for each in cost[:many]):
        enter = next(j for j in range(many) if cost[j] < 0)
        able = [
            (row[-1] / row[enter], basis[i], i) for i, row in enumerate(table) if row[enter] > 0
        ]
        _, _, leave = min(able)
        pivot = table[leave][enter]
        table[leave] = [each / pivot for each in table[leave]]
        for row in (*(each for i, each in enumerate(table) if i != leave), cost):
            factor = row[enter]
            if factor:
                row[:] = [a - factor * b for a, b in zip(row, table[leave], strict=True)]
        basis[leave] = enter
    if cost[-1] != 0:
        return None
    found = [Fraction(0)] * many
    for i, variable in enumerate(basis):
        if variable < many:
            found[variable] = table[i][-1]
    return found
