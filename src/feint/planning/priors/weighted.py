"""Leaves of V(interval, questions, rounds) under a prior, with cells of unequal mass.

An interval is hidden in parts whose pieces are searched at the same time. The mass that she catches
of it with all C parts kept is estimated from some of the transcripts. With K of them it is at most
C/K times as much (proofs/quantile.md). This module claims nothing: `layout` enumerates her success.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from feint.planning.limits import EVERY_LEVEL, GRID_PIECES, ROUGH_TRANSCRIPTS
from feint.planning.noiseless import cheapest_factors
from feint.planning.priors.places import Divided, Divider, Float, Int, PriorLine
from feint.planning.programme import Programme
from feint.strategies import StagedShape


@dataclass(frozen=True)
class Hidden:
    """A block and the way it is hidden.

    Attributes:
        ends: The start and the end of the block, in places.
        divided: The parts and pieces of the block.
        divider: The divider that made them.
        shape: The steps that search them, without narrowing.
        path: The cuts that lead to the block, in places.
    """

    ends: tuple[int, int]
    divided: Divided
    divider: int
    shape: StagedShape
    path: tuple[int, ...]


class _Way(NamedTuple):
    """The way one interval is hidden."""

    divided: Divided
    divider: int
    hide: tuple[int, ...]


class Weighted(Programme):
    """The programme for the intervals between given places."""

    def __init__(
        self,
        line: PriorLine,
        places: Sequence[int],
        dividers: Mapping[int, Divider],
        level: Fraction | int,
        below: int,
        *,
        stride: int = 1,
        spare: bool = True,
        rounds: int | None = None,
        tell: Callable[[], None] | None = None,
    ) -> None:
        """Compute V for all numbers of questions below a limit.

        Args:
            line: The range.
            places: The places where intervals may be cut, in order, with both ends of the range.
            dividers: The ways to divide intervals into parts and pieces, by number.
            level: The level L. Leaves that are too dear for it are not tried.
            below: Only plans with fewer questions are considered.
            stride: A power of two. Intervals lie between any two of every stride-th place, and
                shorter ones between halvings. Pairs of places are many, and each takes a tenth of a
                millisecond to divide, so most pairs of many places are left out.
            spare: True if some parts may be left alone.
            rounds: The most rounds; None for any number.
            tell: Called after each number of parts.
        """
        self.line, self.places, self.level, self.spare = line, places, level, spare
        self.last = len(places) - 1
        self._below = line.coordinate(1.0).of(np.asarray(places))
        pairs = sorted(_pairs(self.last, stride), key=lambda pair: pair[1] - pair[0])
        self.pairs = {pair: row for row, pair in enumerate(pairs)}
        self._ways: list[_Way] = []
        super().__init__(len(pairs), max(1, below), rounds, fields=2)
        for parts in part_counts(level):
            self._hide(parts, dividers)
            if tell is not None:
                tell()
        self.cut()

    def _hide(self, parts: int, dividers: Mapping[int, Divider]) -> None:
        """Offer every interval in a number of parts."""
        own = [pair for pair in self.pairs if self._worth(pair, parts)]
        for number, divider in dividers.items():
            found = []
            for low, high in own:
                divided = divider.divided((self.places[low], self.places[high]), parts, None)
                if divided is not None:
                    found.append(((low, high), divided))
            self._search(number, found)

    def _worth(self, pair: tuple[int, int], parts: int) -> bool:
        """Return True if a short enough plan may hide an interval in this many parts."""
        low, high = pair
        before = (low > 0) + (high < self.last)  # questions that separate the interval
        width = self.places[high] - self.places[low]
        if width <= 0:
            return False
        each = math.log2(max(1.0, width / parts / self.line.accuracy))
        kept = min(parts, max(1.0, float(self.level) * self._mass(low, high)))
        return before + parts - 1 + kept * min(each, GRID_PIECES / 2) < self.limit

    def _mass(self, low: int, high: int) -> float:
        """Return the mass of an interval."""
        return float(self._below[high] - self._below[low])

    def _search(self, divider: int, blocks: list[tuple[tuple[int, int], Divided]]) -> None:
        """Offer all ways to search the pieces of intervals with equally many parts."""
        ways, turns, pairs = list[_Way](), list[int](), list[tuple[int, int]]()
        window = float(self.line.window / self.line.accuracy)  # fractions are slow to look up
        for pair, divided in blocks:
            turn = 0
            for hide in _steps(divided.pieces, window, self.rounds):
                if divided.parts - 1 + sum(hide) - len(hide) < self.limit:
                    ways.append(_Way(divided, divider, hide))
                    pairs.append(pair)
                    turns.append(turn)
                    turn += 1
        if ways:
            rows = [way.divided.rows(way.hide, ROUGH_TRANSCRIPTS) for way in ways]
            most, held = np.array(self.line.roughly(rows)).T
            mass = self._below[[high for _, high in pairs]] - self._below[[low for low, _ in pairs]]
            caught = np.divide(most * mass, held, out=np.zeros_like(mass), where=held > 0)
            row = np.array([self.pairs[pair] for pair in pairs])
            self._take(np.array(turns), row, ways, caught)

    def _take(self, turn: Int, row: Int, ways: list[_Way], caught: Float) -> None:
        """Offer ways with every number of kept parts.

        Args:
            turn: [ways] The number of the turn. No two ways of a turn are of the same interval.
            row: [ways] The intervals.
            ways: The ways they are hidden, all in equally many parts.
            caught: [ways] The mass that she catches with all parts kept.
        """
        first, parts = len(self._ways), ways[0].divided.parts
        self._ways += ways
        each = np.array([sum(way.hide) - len(way.hide) for way in ways])
        rounds = np.array([len(way.hide) for way in ways]) * (each > 0) + (parts > 1)
        for now, taken in sorted(set(zip(turn.tolist(), rounds.tolist(), strict=True))):
            layer = self.layer_of(taken)
            if layer is None:
                continue
            own = np.flatnonzero((turn == now) & (rounds == taken))
            kept, which = np.arange(1, parts + 1)[:, None], np.arange(len(own))
            some = (kept == parts) | ((each[own] > 0) & self.spare)
            number, which = np.nonzero(some)
            kept, own = number + 1, own[which]
            leaf = np.stack((first + own, kept), axis=1)
            asked = parts - 1 + kept * each[own]
            self.offer(layer, row[own], asked, caught[own] * parts / kept, leaf)

    def splits(self) -> Iterator[tuple[int, Int, Int, Int]]:
        """Yield the cuts of every interval at the ends of other intervals."""
        for (low, high), row in self.pairs.items():
            middles = [
                (self.pairs[low, middle], self.pairs[middle, high], middle)
                for middle in range(low + 1, high)
                if (low, middle) in self.pairs and (middle, high) in self.pairs
            ]
            if middles:
                lower, upper, places = np.array(middles).T
                yield row, lower, upper, places

    def blocks(self, queries: int) -> list[Hidden]:
        """Return the blocks that attain V of the whole range with a number of questions."""
        return self._blocks((0, self.last), queries, len(self.least) - 1, ())

    def _blocks(
        self, pair: tuple[int, int], queries: int, layer: int, path: tuple[int, ...]
    ) -> list[Hidden]:
        found = self.choice(self.pairs[pair], queries, layer)
        if found.cut:
            path, left = (*path, self.places[found.cut]), found.queries - 1
            after = max(0, found.layer - 1)
            lower = self._blocks((pair[0], found.cut), left, after, path)
            return lower + self._blocks((found.cut, pair[1]), left, after, path)
        way, kept = self._ways[found.leaf[0]], found.leaf[1]
        shape = StagedShape(parts=way.divided.parts, kept=kept, hide=way.hide)
        ends = self.places[pair[0]], self.places[pair[1]]
        return [Hidden(ends, way.divided, way.divider, shape, path)]


def _pairs(last: int, stride: int) -> list[tuple[int, int]]:
    """Return the blocks between any two of every stride-th place, and halvings of the shortest."""
    marks = range(0, last + 1, stride)
    found = [(i, j) for i in marks for j in marks if i < j]
    width = stride // 2
    while width:
        found += [(i, i + width) for i in range(0, last, width)]
        width //= 2
    return found


def part_counts(level: Fraction | int) -> Iterable[int]:
    """Return numbers of parts: all up to slightly more than twice the level, then some."""
    least = math.ceil(level)
    if least <= EVERY_LEVEL:
        return range(1, 2 * least + 5)
    near = {math.ceil(least * each) for each in (1, 1.03, 1.07, 1.12, 1.2, 1.35, 1.6)}
    fewer = {1, 2, 3, 4} | {math.ceil(least * each) for each in (0.35, 0.5, 0.65, 0.8, 0.9)}
    return sorted(near | fewer)


@lru_cache(maxsize=4096)
def _steps(
    pieces: int, window: Fraction | float, rounds: int | None = None
) -> list[tuple[int, ...]]:
    """Return steps that end in single pieces: halvings and a last grid wider than δ/2.

    If rounds are limited, near-equal steps are among them, since few halvings leave too wide a
    grid.
    """
    if pieces == 1:
        return [(1,)]
    most = (pieces - 1).bit_length() - 1
    found = []
    for halvings in range(most, -1, -1):
        last = -(-pieces // (1 << halvings))
        if halvings < most and last > GRID_PIECES:
            break
        if halvings == most or 2 * last >= window:
            found.append((2,) * halvings + (last,))
    for count in range(1, min(rounds or 0, most + 1) + 1):
        found.append(cheapest_factors(pieces, count))
    return list(dict.fromkeys(found))
