"""The cheapest tree of blocks, each with its own staged shape, by dynamic programming.

V(b, n), the least (what she wins) × b that is proved for b cells and n questions, is that of the
best shape without narrowing, or of the best cut into x and b − x cells with a question fewer; a
plan needs V(m, n) ≤ m/L. See proofs/blocks.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.exact import ceil_log2
from feint.planning.noiseless.loose import loose_shape, loosened
from feint.planning.noiseless.tails import finding, findings, tail_questions
from feint.planning.noiseless.whole import success_bound
from feint.strategies import Block, LooseShape, StagedShape, TailedShape

Int = NDArray[np.int64]
Float = NDArray[np.float64]

MOST_CELLS = 256
"""The most cells that are searched block by block."""

_RIDERS = 4
SLACK = 1e-9
"""What sums of floats may be off by."""

_STEP = 16


@dataclass(frozen=True)
class Tree:
    """Blocks that together are everything.

    Attributes:
        blocks: Each block with its shape.
        queries: As many as the longest needs.
        success: What the best eavesdropper wins with, at most.
    """

    blocks: tuple[Block, ...]
    queries: int
    success: Fraction


def cheapest_tree(
    cells: int,
    window: Fraction | int,
    level: Fraction | int,
    *,
    below: int,
    spare: bool = True,
    loose: bool = False,
) -> Tree | None:
    """The tree with the fewest questions, if it has fewer than a given number.

    Args:
        cells: m.
        window: D, how many neighbouring cells the eavesdropper names; it may be fractional.
        level: L; any rational of at least 1.
        below: Only a tree with fewer questions is of use.
        spare: Whether some parts may be left alone; otherwise there is no coin.
        loose: Whether tails may be searched by themselves, which takes coins and more rounds.

    Returns:
        The tree, or None.
    """
    if cells > MOST_CELLS or below < 2 or level * window > cells or loose > spare:
        return None
    table = table_of(cells, Fraction(window), below, spare=spare, loose=loose)
    target = Fraction(cells) / level
    for queries in np.flatnonzero(table.least[cells, :below] <= float(target) + SLACK).tolist():
        blocks = table.tree(0, cells, queries, ())
        total = sum((caught(each, Fraction(window)) for each in blocks), Fraction(0))
        if total <= target:
            return Tree(tuple(blocks), queries, total / cells)
    return None


class _Shape(NamedTuple):
    """How one block is hidden: in near-equal parts, or where there is a width, in parts of that."""

    parts: int
    kept: int
    halvings: int
    riders: int
    width: int = 0
    loose: int = 0  # whether there is a tail that is searched by itself


class Table:
    """V(b, n) for all b up to m and n below a limit, in floats, with the choices that attain it."""

    def __init__(
        self, cells: int, window: Fraction, limit: int, spare: bool, plain: Table | None = None
    ) -> None:
        """Work out all of it; or of a plain one, what loose tails make of it."""
        self.window, self.limit, self.spare = window, limit, spare
        self.cuts: Int = np.zeros((cells + 1, limit), np.int64)
        if plain is None:
            self.least: Float = np.full((cells + 1, limit), np.inf)
            self.shapes: Int = np.zeros((cells + 1, limit, len(_Shape._fields)), np.int64)
            self._hide(cells)
            if spare:  # where a tail joins, a coin decides
                self._trail(cells)
        else:
            self.least, self.shapes = plain.uncut[0].copy(), plain.uncut[1].copy()
            self._loosen(cells)
        self.uncut: tuple[Float, Int] = self.least.copy(), self.shapes.copy()
        self._ride()
        self._cut(cells)

    def _hide(self, cells: int) -> None:
        """Every shape without narrowing: parts, halvings, kept parts; all sizes at once."""
        one = np.ones(1, np.int64)
        self._offer(one, one - 1, np.array([min(1.0, float(self.window))]), _Shape(1, 1, 0, 0))
        for parts in range(1, min(cells, self.limit) + 1):
            size = np.arange(max(2, parts + 1), cells + 1)
            if parts > 1:
                size = size[size // parts >= math.ceil(self.window)]
            if not len(size):
                break
            longest = -(-size // parts)
            for halvings in range(ceil_log2(int(longest[-1]))):
                fits = longest > (1 << halvings)
                own, each = size[fits], halvings - 1 + -(-longest[fits] // (1 << halvings))
                caught = parts * _split_catch(longest[fits], 1 << halvings, float(self.window))
                for kept in range(1, parts + 1) if self.spare else sorted({1, parts}):
                    asked = parts - 1 + kept * each
                    if int(asked.min()) >= self.limit:
                        break
                    self._offer(own, asked, caught / kept, _Shape(parts, kept, halvings, 0))

    def _trail(self, cells: int) -> None:
        """Every width of part that leaves a tail, and every number of kept parts."""
        for width in range(max(2, math.ceil(self.window)), cells // 2 + 1):
            steps = ceil_log2(width)
            more = tail_questions(width)
            for kept in range(2, cells // width + 1):
                if kept - 1 + kept * steps >= self.limit:
                    break
                last = min(cells // width, 2 * kept)  # more parts than these are cut in two before
                found = findings(kept, last)
                size = np.arange(kept * width, min(cells, (last + 1) * width - 1) + 1)
                parts, tail = np.divmod(size, width)
                asked = found[parts - kept, 1 * (tail > 0)] + more[tail] + kept * steps
                self._offer(size, asked, size / kept, _Shape(0, kept, 0, 0, width))

    def _loosen(self, cells: int) -> None:
        """Every width of part that leaves a tail which may be searched by itself."""
        for kept, held in loosened(MOST_CELLS).items():
            size, asked, width = held[:, (held[0] <= cells) & (held[2] >= math.ceil(self.window))]
            shapes = np.zeros((len(size), len(_Shape._fields)), np.int64)
            shapes[:] = _Shape(0, kept, 0, 0, 0, 1)
            shapes[:, _Shape._fields.index("width")] = width
            self._offer(size, asked, size / kept, shapes)

    def _ride(self) -> None:
        """A few cells more, set off one by one before the block: nothing more is caught.

        The block must have parts of D cells or more, as every shape for D cells or more has.
        """
        wide = math.ceil(self.window)
        least, shapes = self.least.copy(), self.shapes.copy()
        for riders in range(1, min(_RIDERS, wide) + 1):
            moved = least[wide:-riders, :-riders]
            target = (slice(wide + riders, None), slice(riders, None))
            better = moved < self.least[target] - SLACK
            more = shapes[wide:-riders, :-riders] + np.array(_Shape(0, 0, 0, riders))
            self.shapes[target] = np.where(better[..., None], more, self.shapes[target])
            self.least[target] = np.where(better, moved, self.least[target])

    def _offer(self, size: Int, asked: Int, caught: Float, shape: _Shape | Int) -> None:
        short = np.flatnonzero(asked < self.limit)
        better = short[caught[short] < self.least[size[short], asked[short]] - SLACK]
        size, asked = size[better], asked[better]
        self.least[size, asked] = caught[better]
        self.shapes[size, asked] = shape if isinstance(shape, _Shape) else shape[better]

    def _cut(self, cells: int) -> None:
        """Every way to cut in two; and more questions never hurt."""
        size, first = np.arange(cells + 1), np.arange(1, max(2, cells // 2 + 1))
        rest = np.maximum(size[:, None] - first, 0)
        never = np.where(2 * first > size[:, None], np.inf, 0.0)
        for queries in range(1, self.limit):
            before = self.least[:, queries - 1]
            both = before[first] + before[rest] + never
            best = both.argmin(axis=1)
            total = both[size, best]
            better = total < self.least[:, queries] - SLACK
            self.least[better, queries] = total[better]
            self.cuts[better, queries] = best[better] + 1
            np.minimum(self.least[:, queries], before, out=self.least[:, queries])

    def tree(self, start: int, size: int, queries: int, path: tuple[int, ...]) -> list[Block]:
        """The blocks that attain V."""
        while queries and self.least[size, queries - 1] <= self.least[size, queries] + SLACK:
            queries -= 1
        cut = int(self.cuts[size, queries])
        if not cut:
            return _blocks(start, size, path, _Shape(*self.shapes[size, queries].tolist()))
        middle = start + cut
        lower = self.tree(start, cut, queries - 1, (*path, middle))
        return lower + self.tree(middle, size - cut, queries - 1, (*path, middle))


def _blocks(start: int, size: int, path: tuple[int, ...], shape: _Shape) -> list[Block]:
    """A block and the cells that ride with it: the nearest acts the first part's last cell."""
    own, first = size - shape.riders, start + shape.riders
    width = shape.width or own // shape.parts
    found = []
    for cell in range(start, first):
        path = (*path, cell + 1)
        alone = StagedShape(hide=(1,))
        found.append(Block(start=cell, size=1, path=path, shape=alone, acts=width + cell))
    if shape.loose:
        loose = loose_shape(own, shape.width, shape.kept)
        if loose is None:
            raise RuntimeError("a block has no plays")
        return [*found, Block(start=first, size=own, path=path, shape=loose)]
    if shape.width:
        parts, tail = divmod(own, shape.width)
        levels = finding(parts, shape.kept, tailed=tail > 0).levels
        tailed = TailedShape(width=shape.width, levels=levels, kept=shape.kept)
        return [*found, Block(start=first, size=own, path=path, shape=tailed)]
    longest = -(-own // shape.parts)
    hide = (2,) * shape.halvings + (-(-longest // (1 << shape.halvings)),)
    own_shape = StagedShape(parts=shape.parts, kept=shape.kept, hide=hide)
    return [*found, Block(start=first, size=own, path=path, shape=own_shape)]


def table_of(cells: int, window: Fraction, below: int, *, spare: bool = True, loose: bool) -> Table:
    """V(b, n) for all b up to m and n below a limit, or a few more."""
    return _table(cells, window, -(-below // _STEP) * _STEP, spare, loose)


@lru_cache(maxsize=64)
def _table(cells: int, window: Fraction, limit: int, spare: bool, loose: bool) -> Table:
    plain = _table(cells, window, limit, spare, False) if loose else None
    return Table(cells, window, limit, spare, plain)


def _split_catch(longest: Int, pieces: int, window: float) -> Float:
    """Σ_pieces min(window, |piece|) over near-equal pieces."""
    each, more = longest // pieces, longest % pieces
    small: Float = np.minimum(each.astype(float), window)
    large: Float = np.minimum(each + 1.0, window)
    return (pieces - more) * small + more * large


def caught(block: Block, window: Fraction) -> Fraction:
    """What she catches of a block, at most, in cells; those who act add nothing."""
    if block.acts is not None:
        return Fraction(0)
    if isinstance(block.shape, TailedShape | LooseShape):
        return Fraction(block.size, block.shape.kept)
    return success_bound(block.shape, block.size, window) * block.size
