"""The cheapest tree of blocks under a prior: V(b, n) with weights, by dynamic programming.

A block is cut in two, or into parts whose pieces are searched at the same time. What she catches
of a block with all C parts kept is computed roughly, from some of the transcripts; with L_p of them
it is at most C/L_p times as much. Only the sum over blocks must come to 1/L: proofs/quantile.md.
Nothing is claimed here: `layout` computes what is, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from feint.planning.priors.line import Divided, Divider, Float, Int, Line
from feint.strategies import StagedShape

_GRID = 16  # pieces that a last step may have at most, where it is more than a halving
_EVERY = 6  # the level up to which every number of parts is tried
_TRANSCRIPTS = 16  # of a block that are tried; what they say of the others is checked at the end


@dataclass(frozen=True)
class Hidden:
    """A block and how it is hidden.

    Attributes:
        ends: Where it begins and ends, in places.
        divided: Its parts and pieces.
        divider: What divided it.
        shape: How they are searched; without narrowing.
        path: Where the cuts lie that lead to the block, in places.
    """

    ends: tuple[int, int]
    divided: Divided
    divider: int
    shape: StagedShape
    path: tuple[int, ...]


@dataclass(frozen=True)
class _Way:
    """How one block is hidden."""

    divided: Divided
    divider: int
    kept: int
    hide: tuple[int, ...]


@dataclass
class _Node:
    """A block: what numbers of questions buy.

    Attributes:
        least: [questions] the least share of everything that she catches of it.
        ways: How it is hidden where it is not cut in two.
        cuts: [questions] where it is cut in two; -1: nowhere.
    """

    least: Float
    ways: list[_Way | None]
    cuts: Int


class Tree:
    """V(b, n) for blocks between given places.

    Attributes:
        least: [questions] the least that is proved of everything with that many questions.
    """

    def __init__(
        self,
        line: Line,
        places: Sequence[int],
        dividers: Mapping[int, Divider],
        level: Fraction | int,
        below: int,
        *,
        stride: int = 1,
        spare: bool = True,
        tell: Callable[[], None] | None = None,
    ) -> None:
        """Find V for all numbers of questions below a limit.

        Args:
            line: The range.
            places: Where blocks may be cut in two, both ends of the range included; none falls.
            dividers: How blocks may be divided into parts and pieces, by number.
            level: L; what is too dear for it is not tried.
            below: Only trees with fewer questions are of use.
            stride: Blocks lie between any two of every stride-th place, and where one is shorter,
                between halvings; a power of two.
            spare: Whether some parts may be left alone.
            tell: Called after each number of parts.
        """
        self.line, self.places, self.level, self.below = line, places, level, max(1, below)
        self.last, self.spare = len(places) - 1, spare
        self._below = line.coordinate(1.0).of(np.asarray(places))
        pairs = _pairs(self.last, stride)
        self.nodes = {pair: self._empty() for pair in pairs}
        for parts in part_counts(level):
            self._hide(parts, dividers)
            if tell is not None:
                tell()
        self._cut()
        self.least = self.nodes[0, self.last].least

    def _empty(self) -> _Node:
        count = self.below
        return _Node(np.full(count, np.inf), [None] * count, np.full(count, -1))

    def _hide(self, parts: int, dividers: Mapping[int, Divider]) -> None:
        """Every block in a number of parts."""
        own = [pair for pair in self.nodes if self._worth(pair, parts)]
        for number, divider in dividers.items():
            found = []
            for low, high in own:
                divided = divider.divided((self.places[low], self.places[high]), parts, None)
                if divided is not None:
                    found.append(((low, high), divided))
            self._offer(number, found)

    def _worth(self, pair: tuple[int, int], parts: int) -> bool:
        """Whether a block cut into this many parts may belong to a tree that is short enough."""
        low, high = pair
        before = (low > 0) + (high < self.last)  # questions that set the block apart
        width = self.places[high] - self.places[low]
        if width <= 0:
            return False
        each = math.log2(max(1.0, width / parts / self.line.accuracy))
        kept = min(parts, max(1.0, float(self.level) * self._mass(low, high)))
        return before + parts - 1 + kept * min(each, _GRID / 2) < self.below

    def _mass(self, low: int, high: int) -> float:
        """The mass of a block: she wins of it no more than 1/L of everything."""
        return float(self._below[high] - self._below[low])

    def _offer(self, divider: int, blocks: list[tuple[tuple[int, int], Divided]]) -> None:
        """All ways to search the pieces of blocks."""
        rows, owners = [], []
        window = self.line.window / self.line.accuracy
        for pair, divided in blocks:
            for hide in _steps(divided.pieces, window):
                least = sum(hide) - len(hide)
                if divided.parts - 1 + least < self.below:
                    rows.append(divided.rows(hide, _TRANSCRIPTS))
                    owners.append((pair, divided, hide))
        if rows:
            caught = self.line.roughly(rows)
            for (pair, divided, hide), (most, held) in zip(owners, caught, strict=True):
                share = most / held * self._mass(*pair) if held > 0 else 0.0
                self._take(self.nodes[pair], (divided, divider), hide, share)

    def _take(
        self, node: _Node, way: tuple[Divided, int], hide: tuple[int, ...], caught: float
    ) -> None:
        each, parts = sum(hide) - len(hide), way[0].parts
        for kept in range(1 if each and self.spare else parts, parts + 1):
            asked = parts - 1 + kept * each
            if asked >= self.below:
                return
            share = caught * parts / kept
            if share < node.least[asked] * (1 - 1e-12):
                node.least[asked] = share
                node.ways[asked], node.cuts[asked] = _Way(*way, kept, hide), -1

    def _cut(self) -> None:
        """Every block cut in two where that is better; and more questions never hurt."""
        for low, high in sorted(self.nodes, key=lambda pair: pair[1] - pair[0]):
            node = self.nodes[low, high]
            for middle in range(low + 1, high):
                if (low, middle) not in self.nodes or (middle, high) not in self.nodes:
                    continue
                left, right = self.nodes[low, middle], self.nodes[middle, high]
                both = np.concatenate(([np.inf], (left.least + right.least)[:-1]))
                better = both < node.least * (1 - 1e-12)
                node.least[better], node.cuts[better] = both[better], middle
            np.minimum.accumulate(node.least, out=node.least)

    def blocks(self, questions: int) -> list[Hidden]:
        """The blocks that attain V with a number of questions."""
        return self._blocks((0, self.last), questions, ())

    def _blocks(self, pair: tuple[int, int], questions: int, path: tuple[int, ...]) -> list[Hidden]:
        node = self.nodes[pair]
        while questions and node.least[questions - 1] <= node.least[questions]:
            questions -= 1
        middle = int(node.cuts[questions])
        if middle >= 0:
            after = (*path, self.places[middle])
            left = self._blocks((pair[0], middle), questions - 1, after)
            return left + self._blocks((middle, pair[1]), questions - 1, after)
        way = node.ways[questions]
        if way is None:
            raise RuntimeError("no block is hidden with that many questions")
        shape = StagedShape(parts=way.divided.parts, kept=way.kept, hide=way.hide)
        ends = self.places[pair[0]], self.places[pair[1]]
        return [Hidden(ends, way.divided, way.divider, shape, path)]


def _pairs(last: int, stride: int) -> list[tuple[int, int]]:
    """The blocks: between any two of every stride-th place, or halvings of the shortest of them."""
    marks = range(0, last + 1, stride)
    found = [(i, j) for i in marks for j in marks if i < j]
    width = stride // 2
    while width:
        found += [(i, i + width) for i in range(0, last, width)]
        width //= 2
    return found


def part_counts(level: Fraction | int) -> Iterable[int]:
    """Numbers of parts: all of them up to a few more than twice the level, then some."""
    least = math.ceil(level)
    if least <= _EVERY:
        return range(1, 2 * least + 5)
    near = {math.ceil(least * each) for each in (1, 1.03, 1.07, 1.12, 1.2, 1.35, 1.6)}
    fewer = {1, 2, 3, 4} | {math.ceil(least * each) for each in (0.35, 0.5, 0.65, 0.8, 0.9)}
    return sorted(near | fewer)


def _steps(pieces: int, window: Fraction) -> list[tuple[int, ...]]:
    """Steps that end in single pieces: halvings, and a last grid where it is wider than δ/2."""
    if pieces == 1:
        return [(1,)]
    most = (pieces - 1).bit_length() - 1
    found = []
    for halvings in range(most, -1, -1):
        last = -(-pieces // (1 << halvings))
        if halvings < most and last > _GRID:
            break
        if halvings == most or 2 * last >= window:
            found.append((2,) * halvings + (last,))
    return found
