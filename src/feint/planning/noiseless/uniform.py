"""Leaves of V(size, questions, rounds) on equal cells, where V depends on the size alone.

A block of equal cells is hidden in one of two ways:

- *near-equal parts*: C parts that differ by at most one cell. K of them are kept, and each is
  searched by the same steps (proofs/hiding.md);
- *parts of one width and a tail*: K of them are kept, and she catches 1/K of a block of any size
  (proofs/hiding.md).

A few cells before a block may *ride*: they are split off one by one and play cells of its first
part, so she catches nothing more. All sizes are computed at once, in floats. `caught` is an exact
bound on what she catches of a block.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from feint.exact import ceil_log2
from feint.planning.limits import (
    LIMIT_STEP,
    MEAN_CELLS,
    MEAN_PRICES,
    MOST_CUTS,
    MOST_RIDERS,
    MOST_SIZES,
    PRICES_KEPT,
    SURE_SIZES,
)
from feint.planning.noiseless.steps import cheapest_factors, factors, fewest
from feint.planning.noiseless.tails import finding, findings, levels_of, tail_questions
from feint.planning.noiseless.whole import success_bound
from feint.planning.programme import Choice, Float, Int, Programme
from feint.strategies import StagedShape, divided, halvings

SLACK = 1e-9
"""Sums of floats are off by less than this; fractions decide what is enough."""


class _Leaf(NamedTuple):
    """The way one block is hidden: in near-equal parts, or in parts of one width if it is given."""

    parts: int
    kept: int
    steps: int
    """Of near-equal parts: h ≥ 0 halvings and a last step, or k near-equal steps as −k."""
    width: int = 0
    riders: int = 0
    """Cells set off one by one before the block, which act cells of its first part."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The requirements on a programme.

    Attributes:
        window: The number D of neighbouring cells that the eavesdropper names. It may be
            fractional.
        accuracy: The most cells that the last piece may have.
        spare: True if some parts may be left alone, which takes a coin.
        rounds: The most rounds; None for any number.
        level: Roughly the level that is planned for. Tails keep from a quarter of it to twice as
            many parts. With more or fewer, other leaves are cheaper, and ways to find a part among
            many take seconds to compare.
    """

    window: Fraction
    accuracy: int = 1
    spare: bool = True
    rounds: int | None = None
    level: int = 8

    @property
    def kept(self) -> range:
        """The numbers of parts that tails may keep."""
        return range(max(2, self.level // 4), 2 * self.level + 1)


class Tails(NamedTuple):
    """Parts of one width and a tail, as `feint.strategies.tailed` builds them."""

    width: int
    levels: tuple[tuple[int, int], ...]
    kept: int
    accuracy: int


@dataclass(frozen=True)
class Node:
    """A block that is hidden by itself or cut. Blocks of one size and treatment share a node.

    Attributes:
        size: The number of cells in the block.
        caught: An upper bound on what she catches of it, in cells.
        parts: The blocks that it is cut into; none if it is hidden by itself.
        shape: The way it is hidden; None if it is cut.
        riders: The number of cells before the hidden ones that play cells of its first part.
        asked: An upper bound on the questions of all its cells: its size times their mean.
    """

    size: int
    caught: Fraction
    asked: int
    parts: tuple[Node, ...] = ()
    shape: StagedShape | Tails | None = None
    riders: int = 0


@dataclass(frozen=True)
class Tree:
    """A division of all cells into blocks.

    Attributes:
        root: The first block.
        queries: The questions of the longest run.
        success: An upper bound on the best eavesdropper's success.
        programme: The programme that the tree attains V of.
    """

    root: Node
    queries: int
    success: Fraction
    programme: Uniform = field(compare=False, repr=False)


def uniform(cells: int, below: int, wanted: Wanted) -> Uniform:
    """Return V for a number of cells and for numbers of questions up to `below` or more."""
    limit = -(-below // LIMIT_STEP) * LIMIT_STEP
    every = _every(cells, limit, wanted.rounds)
    known = _known(cells, every, wanted)
    if not known or known[0].limit < limit:
        known[:] = [Uniform(cells, limit, wanted)]
    return known[0]


@lru_cache(maxsize=64)  # other coordinates and levels ask for the same again
def _known(cells: int, every: int, wanted: Wanted) -> list[Uniform]:
    """Return a cached list for the V with the most questions, which holds for fewer ones too."""
    return []


def _every(cells: int, limit: int, rounds: int | None) -> int:
    """Return the size up to which every cut of a block is tried."""
    layers = 1 if rounds is None else rounds + 1
    most = math.isqrt(4 * MOST_CUTS // (limit * layers))  # m²/4 cuts in all
    return min(cells, max(SURE_SIZES, min(MOST_SIZES, most)))


def trees(
    cells: int,
    target: Fraction,
    wanted: Wanted,
    *,
    below: int,
    room: Fraction = Fraction(1),
    frugal: bool = True,
) -> Iterator[Tree]:
    """Yield trees of which she catches at most `target` cells, the fewest questions first.

    Args:
        cells: The number m of cells.
        target: The most that she may catch, in cells.
        wanted: The window, accuracy, coins and rounds.
        below: Only trees with fewer questions are considered.
        room: Trees whose bound exceeds the target by up to this factor are tried too. They must be
            audited.
        frugal: True if the catch may rise to the target to ask less on average.
    """
    found = uniform(cells, below, wanted)
    most = target * room
    for queries in np.flatnonzero(found.row[:below] <= float(most) + SLACK).tolist():
        root = found.frugal(queries, target) if frugal else found.tree(queries)
        if root.caught <= most:
            yield Tree(root, queries, root.caught / cells, found)


class Uniform(Programme):
    """V for the sizes that blocks of m cells may have.

    Attributes:
        sizes: The sizes in rising order: every size up to a limit, and above it those that arise if
            m is halved again and again. To try every cut of large blocks takes too long.
        every: The limit up to which every size is present.
        built: A cache of what callers build of trees, which recur from level to level.
    """

    def __init__(self, cells: int, limit: int, wanted: Wanted) -> None:
        """Compute V.

        Args:
            cells: The number m of cells.
            limit: Only fewer questions than this are considered.
            wanted: The requirements.
        """
        self.wanted, self.cells = wanted, cells
        self.every = _every(cells, limit, wanted.rounds)
        self.sizes: Int = np.array([*range(1, self.every + 1), *_halved(cells, self.every)])
        self._index = {size: number for number, size in enumerate(self.sizes.tolist())}
        self._nodes = dict[tuple[int, int, int], Node]()
        self._priced = dict[float, Uniform]()
        self.built = dict[Hashable, Any]()
        super().__init__(len(self.sizes), limit, wanted.rounds, fields=len(_Leaf._fields))
        alone = self.sizes[self.sizes <= wanted.accuracy]
        self._hidden(0, alone, alone * 0, np.minimum(alone, float(wanted.window)), _Leaf(1, 1, 0))
        self._near_equal()
        if wanted.spare:  # a coin decides which part a tail joins
            self._tailed()
        self._ride()
        self.cut()

    def _near_equal(self) -> None:
        """Offer all numbers of near-equal parts and kept parts, with all ways to search a part."""
        wide, accuracy = math.ceil(self.wanted.window), self.wanted.accuracy
        for parts in range(1, min(self.cells, self.limit) + 1):
            size = self.sizes[self.sizes > parts]
            if parts > 1:
                size = size[size // parts >= wide]  # then a window catches the size of one part
            if not len(size):
                break
            longest = -(-size // parts)
            pieces = -(-longest // accuracy)
            size, pieces = size[pieces > 1], pieces[pieces > 1]
            if len(size):
                for steps in self._ways(int(pieces[-1]), parts):
                    self._hide(size, pieces, parts, steps)

    def _ways(self, pieces: int, parts: int) -> Iterable[int]:
        """Return ways to search a part of up to a number of pieces, as in `_Leaf.steps`."""
        most, rounds = ceil_log2(pieces), self.wanted.rounds
        if rounds is None:
            return range(most)
        left = min(most, rounds - (parts > 1))
        return (*range(left), *range(-left, -1))  # one step is no halving and a last step

    def _hide(self, size: Int, pieces: Int, parts: int, steps: int) -> None:
        """Offer one number of near-equal parts and one way to search each, for all sizes."""
        if steps >= 0:
            fits = pieces > 1 << steps
            size, pieces = size[fits], pieces[fits]
            each, before = steps - 1 + -(-pieces // (1 << steps)), np.full(len(size), 1 << steps)
            rounds = steps + 1
        else:
            kinds, which = np.unique(pieces, return_inverse=True)
            found = np.array([_near_equal_steps(each, -steps) for each in kinds.tolist()])
            each, before = found[which].T
            rounds = -steps
        short = each < self.limit  # so that the products below do not overflow either
        size, each, before = size[short], each[short], before[short]
        if not len(size):
            return
        most = min(parts, (self.limit - parts) // int(each.min()))
        kept = np.arange(1, most + 1) if self.wanted.spare else np.unique([1, parts])
        asked = parts - 1 + kept[:, None] * each
        which, of_size = np.nonzero(asked < self.limit)
        asked, kept, longest = asked[which, of_size], kept[which], -(-size // parts)
        catch = parts * _split_catch(longest, before, float(self.wanted.window))[of_size] / kept
        leaf = np.zeros((len(kept), len(_Leaf._fields)), np.int64)
        leaf[:] = _Leaf(parts, 0, steps)
        leaf[:, _Leaf._fields.index("kept")] = kept
        self._hidden(rounds + (parts > 1), size[of_size], asked, catch, leaf)

    def _tailed(self) -> None:
        """Offer every width of part that may leave a tail, and every number of kept parts."""
        wide, accuracy = math.ceil(self.wanted.window), self.wanted.accuracy
        tables: Int | None = None
        for kept in self.wanted.kept:
            halved = self.limit // kept - 1  # with more halvings, kept parts ask too much
            if halved < halvings(wide, accuracy) or kept * wide > self.cells:
                break
            widths = np.arange(wide, min(self.every // kept, accuracy << halved) + 1)
            if len(widths):
                if tables is None:
                    tables = tail_questions(wide, int(widths[-1]), accuracy)
                more = 2 * kept + 1  # blocks of this many parts are better cut in two
                count = np.minimum(self.every, more * widths - 1) - kept * widths + 1
                width = np.repeat(widths, count)
                size = np.arange(len(width)) - np.repeat(count.cumsum() - count, count)
                size += kept * width
                start = np.repeat(widths.cumsum() - widths, count)
                self._trail(size, width, kept, tables[start + size % width])
            for large in self.sizes[self.every :].tolist():
                width = np.array(_widths(large, wide, kept, accuracy), np.int64)
                if len(width):
                    asked = _tail_questions(width, large % width, accuracy)
                    self._trail(np.full_like(width, large), width, kept, asked)

    def _trail(self, size: Int, width: Int, kept: int, asked: Int) -> None:
        """Offer pairs of a size and a width, with from `kept` parts to twice as many.

        What she catches depends on the size alone, so the width that asks least suffices.

        Args:
            size: [pairs] The size of the block.
            width: [pairs] The width of its parts, none narrower than the one before it.
            kept: The number of parts that are kept.
            asked: [pairs] The questions of the tail on top of those of parts.
        """
        parts, tail = np.divmod(size, width)
        steps = _halvings(width, self.wanted.accuracy)
        which = parts - kept, 1 * (tail > 0)
        asked = asked + findings(kept, int(parts.max()))[which] + kept * steps
        rounds = np.zeros_like(size)
        if self.rounds is not None:
            rounds = levels_of(kept, int(parts.max()))[which] + 1 + steps
        order = np.lexsort((asked, size, rounds))  # stable: the narrowest of equal ones is first
        again = (np.diff(size[order], prepend=0) == 0) & (np.diff(rounds[order], prepend=-1) == 0)
        best = order[~again]
        leaf = np.zeros((len(best), len(_Leaf._fields)), np.int64)
        leaf[:] = _Leaf(0, kept, 0)
        leaf[:, _Leaf._fields.index("width")] = width[best]
        size, asked, rounds = size[best], asked[best], rounds[best]
        for taken in np.unique(rounds).tolist():
            own = rounds == taken
            self._hidden(taken, size[own], asked[own], size[own] / kept, leaf[own])

    def _hidden(self, rounds: int, size: Int, asked: Int, catch: Float, leaf: Any) -> None:
        """Offer leaves that take a given number of rounds."""
        layer = self.layer_of(rounds)
        if layer is not None:
            row = size - 1
            large = row >= self.every
            if large.any():
                row[large] = np.searchsorted(self.sizes, size[large])
            self.offer(layer, row, asked, catch, leaf)

    def _ride(self) -> None:
        """Offer a few more cells, split off one by one before a block; she catches nothing more.

        The block must have parts of D cells or more, as does every leaf for D cells or more.
        """
        wide, every = math.ceil(self.wanted.window), self.every
        least, leaves = self.least[:, :every].copy(), self._leaves[:, :every].copy()
        rounds = MOST_RIDERS if self.rounds is None else self.rounds
        for riders in range(1, min(MOST_RIDERS, wide, every - wide, self.limit - 1, rounds) + 1):
            later = 0 if self.rounds is None else riders
            source = (
                slice(None, len(least) - later),
                slice(wide - 1, -riders),
                slice(None, -riders),
            )
            target = (slice(later, None), slice(wide - 1 + riders, every), slice(riders, None))
            better = least[source] < self.least[target] - SLACK
            more = np.array(_Leaf(0, 0, 0, 0, riders))
            self._leaves[target][better] = leaves[source][better] + more
            self.least[target][better] = least[source][better]

    def splits(self) -> Iterator[tuple[int, Any, Any, Int]]:
        """Yield the cuts of each size, nearest to the middle first: the first wins ties."""
        for row, size in enumerate(self.sizes.tolist()[1:], 1):
            half, least = size // 2, max(1, size - self.every)
            if least > half:  # for large blocks only the halves are known
                yield row, [self._index[half]], [self._index[size - half]], np.array([half])
            else:
                lower = slice(half - 1, least - 2 if least > 1 else None, -1)
                upper = slice(size - half - 1, size - least)
                yield row, lower, upper, np.arange(half, least - 1, -1)

    def cut_further(self, layer: int, before: Float) -> None:
        """Cut blocks into three or more near-equal ones at once, which saves rounds."""
        costs = np.broadcast_to(self.cut_cost, len(self.sizes))
        for count in range(3, min(self.limit, self.every) + 1):
            size = np.arange(count, self.every + 1)
            small, more = size // count, (size % count)[:, None]
            large = np.minimum(small, self.every - 1)  # the row of one cell more
            lower, upper = before[small - 1, : 1 - count], before[large, : 1 - count]
            total = (count - more) * lower + more * np.where(more, upper, 0)
            total += (count - 1) * costs[size - 1, None]
            self.improve(layer, count - 1, size - 1, total, -count)

    def frugal(self, queries: int, target: Fraction) -> Node:
        """Return blocks that ask few questions on average, and at most a number of them.

        Room between V and the target is spent on fewer questions: of several prices for the catch,
        the lowest that keeps it within the target is taken.

        Args:
            queries: The most questions.
            target: The most that she may catch.
        """
        best, low, high = self.tree(queries), 0.0, math.inf
        if self.cells > MEAN_CELLS or best.caught > target:
            return best
        price = queries + 1.0
        for _ in range(MEAN_PRICES):
            found = self._at_price(price).tree(queries)
            if found.caught <= target:
                high = price
                best = min(best, found, key=lambda node: node.asked)
            else:
                low = price
            price = min(2 * price, (low + high) / 2)
        return best

    def _at_price(self, price: float) -> Uniform:
        """Return the programme at a price, from a cache for the first prices, which recur."""
        found = self._priced.get(price)
        if found is None:
            found = self.priced(self.sizes, price)
            found._nodes, found._priced, found.built = {}, {}, {}
            if len(self._priced) < PRICES_KEPT:
                self._priced[price] = found
        return found

    def tree(self, queries: int) -> Node:
        """Return the tree that attains V of all cells with a number of questions."""
        return self._node(self.cells, queries, len(self.least) - 1)

    def _node(self, size: int, queries: int, layer: int) -> Node:
        found = self.choice(self._index[size], queries, layer)
        key = (size, found.queries, found.layer)
        if key not in self._nodes:
            self._nodes[key] = self._made(size, found)
        return self._nodes[key]

    def _made(self, size: int, found: Choice) -> Node:
        if not found.cut:
            return self._leaf(size, found.queries, _Leaf(*found.leaf))
        sizes = [found.cut, size - found.cut] if found.cut > 0 else near_equal(size, -found.cut)
        left, after = found.queries - len(sizes) + 1, max(0, found.layer - 1)
        parts = tuple(self._node(each, left, after) for each in sizes)
        caught = sum((each.caught for each in parts), Fraction(0))
        asked = (len(parts) - 1) * size + sum(each.asked for each in parts)
        return Node(size, caught, asked, parts)

    def _leaf(self, size: int, queries: int, leaf: _Leaf) -> Node:
        """Return a block that is hidden by itself; riding cells add nothing to the catch."""
        own = size - leaf.riders
        shape = self._shape(own, leaf)
        if isinstance(shape, Tails):
            catch = Fraction(own, shape.kept)
        else:
            catch = success_bound(shape, own, self.wanted.window) * own
        return Node(size, catch, queries * size, (), shape, leaf.riders)

    def _shape(self, size: int, leaf: _Leaf) -> StagedShape | Tails:
        accuracy = self.wanted.accuracy
        if leaf.width:
            parts, tail = divmod(size, leaf.width)
            levels = finding(parts, leaf.kept, tailed=tail > 0).levels
            return Tails(leaf.width, levels, leaf.kept, accuracy)
        longest = -(-size // leaf.parts)
        pieces = -(-longest // accuracy)
        if leaf.steps >= 0:
            hide = (2,) * leaf.steps + (-(-pieces // (1 << leaf.steps)),)
        else:
            hide = cheapest_factors(pieces, -leaf.steps)
        return StagedShape(parts=leaf.parts, kept=leaf.kept, hide=hide)


def near_equal(size: int, count: int) -> list[int]:
    """Return the sizes of near-equal blocks, in order of place."""
    return [(number + 1) * size // count - number * size // count for number in range(count)]


def _halved(cells: int, every: int) -> list[int]:
    """Return in rising order the sizes above a limit that repeated halving of cells gives."""
    found = set[int]()
    pair = {cells}
    while max(pair) > every:
        found |= {size for size in pair if size > every}
        pair = {half for size in pair if size > every for half in (size // 2, -(-size // 2))}
    return sorted(found)


def _widths(size: int, window: int, kept: int, accuracy: int) -> list[int]:
    """Return rising widths for a large block, with the shortest tail for each number of parts."""
    if kept * window > size:
        return []
    most = min(size // kept, 2 * accuracy << halvings(window, accuracy))
    last = min(size // window, 2 * kept)
    found = {min(size // parts, most) for parts in range(max(kept, size // most), last + 1)}
    return sorted(found)


def _halvings(width: Int, accuracy: int) -> Int:
    """Return `halvings` for rising widths."""
    ends = [accuracy << number for number in range(halvings(int(width[-1]), accuracy) + 1)]
    return np.searchsorted(np.array(ends), width)


def _tail_questions(width: Int, tail: Int, accuracy: int) -> Int:
    """Return the questions that tails take on top of those of parts, for rising widths."""
    steps, found = _halvings(width, accuracy), np.zeros_like(tail)
    for each in np.unique(steps).tolist():
        own = steps == each
        found[own] = divided(width[own], tail[own], accuracy=accuracy).sum(axis=1)
    return found


@lru_cache(maxsize=1 << 14)
def _near_equal_steps(pieces: int, rounds: int) -> tuple[int, int]:
    """Return the questions of a number of near-equal steps, and the pieces before the last."""
    asked = fewest(pieces, rounds)
    steps = factors(pieces, asked, rounds)
    return asked, math.prod(steps[:-1])


def _split_catch(longest: Int, pieces: Int, window: float) -> Float:
    """Return Σ min(window, |piece|) over near-equal pieces of a part."""
    each, more = longest // pieces, longest % pieces
    small: Float = np.minimum(each.astype(float), window)
    large: Float = np.minimum(each + 1.0, window)
    return (pieces - more) * small + more * large
