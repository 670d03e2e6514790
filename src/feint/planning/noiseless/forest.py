"""Trees of blocks for more cells than V(b, n) is worked out for.

Every block by itself holds her to 1/L, so that numbers of questions are all there is to add up:
f(b), the fewest for b cells, is that of the best block, or one more than the worse of the best cut
into x and b − x cells. The best block is a small tree of `blocks`, or parts of one width and a
tail, which fit any number of cells. See proofs/tails.md.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from feint.exact import ceil_log2
from feint.planning.noiseless.blocks import MOST_CELLS, SLACK, Table, Tree, caught, table_of
from feint.planning.noiseless.tails import finding, findings, tail_questions
from feint.strategies import Block, TailedShape

Int = NDArray[np.int64]

LARGEST = 1 << 12
"""The most cells that are cut into a tree."""

_NEVER = 1 << 30
_MOST_BLOCKS = 512
_MOST_PARTS = 2  # times the parts that are kept: a block with more is better cut in two


def cheapest_forest(
    cells: int,
    window: Fraction | int,
    level: Fraction | int,
    *,
    below: int,
    loose: bool,
) -> Tree | None:
    """The tree with the fewest questions, if it has fewer than a given number.

    Args:
        cells: m, at most `LARGEST`.
        window: D, how many neighbouring cells the eavesdropper names; it may be fractional.
        level: L; any rational above 1.
        below: Only a tree with fewer questions is of use.
        loose: Whether tails may be searched by themselves, which takes more rounds.

    Returns:
        The tree, or None.
    """
    if cells > LARGEST or level * window > cells or level <= 1:
        return None
    if loose and not _planted(Fraction(window), Fraction(level)):
        return None
    forest = _forest(cells, Fraction(window), Fraction(level), loose)
    queries = int(forest.fewest[cells])
    if queries >= below:
        return None
    blocks = forest.blocks(0, cells, ())
    total = sum((caught(each, Fraction(window)) for each in blocks), Fraction(0))
    if len(blocks) > _MOST_BLOCKS or total * level > cells:
        return None
    return Tree(tuple(blocks), queries, total / cells)


def _planted(window: Fraction, level: Fraction) -> bool:
    """Whether small trees are tried: else hardly any block is as small as that."""
    return 2 * level * window <= MOST_CELLS


class _Forest:
    """f(b) for all b up to m, with the choices that attain it.

    Attributes:
        fewest: The questions.
        widths: The width of part where a block has a tail; 0: it is a small tree.
        cuts: Where a block is cut in two; 0: it is not.
    """

    def __init__(self, cells: int, window: Fraction, level: Fraction, loose: bool) -> None:
        """Work out all sizes, the small ones first."""
        self.level, self.kept = level, math.ceil(level)
        self.fewest: Int = np.full(cells + 1, _NEVER)
        self.widths: Int = np.zeros(cells + 1, np.int64)
        self.cuts: Int = np.zeros(cells + 1, np.int64)
        self.table: Table | None = None
        self._trail(cells, math.ceil(window))
        if _planted(window, level):
            self._plant(window, loose)
        self._cut(cells)

    def _plant(self, window: Fraction, loose: bool) -> None:
        """The small trees, where they are better."""
        known = self.fewest[: MOST_CELLS + 1]
        below = int(known[known < _NEVER].max()) + 1
        self.table = table_of(MOST_CELLS, window, below, loose=loose)
        size = np.arange(MOST_CELLS + 1)
        enough = self.table.least <= (size / float(self.level) + SLACK)[:, None]
        small = np.where(enough.any(axis=1), enough.argmax(axis=1), _NEVER)
        better = (small < known) & (size > 0)
        known[better], self.widths[: MOST_CELLS + 1][better] = small[better], 0

    def _trail(self, cells: int, window: int) -> None:
        """Blocks in parts of one width, with a tail."""
        kept = self.kept
        found = findings(kept, _MOST_PARTS * kept)
        for width in range(window, min(cells // kept, 2 << ceil_log2(window)) + 1):
            more = tail_questions(width)
            last = min(cells, (_MOST_PARTS * kept + 1) * width - 1)
            size = np.arange(kept * width, last + 1)
            parts, tail = np.divmod(size, width)
            asked = found[parts - kept, 1 * (tail > 0)] + more[tail] + kept * ceil_log2(width)
            better = asked < self.fewest[size]
            self.fewest[size[better]] = asked[better]
            self.widths[size[better]] = width

    def _cut(self, cells: int) -> None:
        """Every way to cut in two, evenly where that is as good."""
        least = int(np.argmax(self.fewest < _NEVER))
        for size in range(2 * least, cells + 1):
            first = np.arange(size // 2, least - 1, -1)
            both = np.maximum(self.fewest[first], self.fewest[size - first])
            best = int(both.argmin())
            if both[best] + 1 < self.fewest[size]:
                self.fewest[size] = both[best] + 1
                self.cuts[size] = first[best]

    def blocks(self, start: int, size: int, path: tuple[int, ...]) -> list[Block]:
        """The blocks that attain f."""
        cut, width = int(self.cuts[size]), int(self.widths[size])
        if cut:
            middle = start + cut
            lower = self.blocks(start, cut, (*path, middle))
            return lower + self.blocks(middle, size - cut, (*path, middle))
        if width:
            levels = finding(size // width, self.kept, tailed=size % width > 0).levels
            shape = TailedShape(width=width, levels=levels, kept=self.kept)
            return [Block(start=start, size=size, path=path, shape=shape)]
        if self.table is None:
            raise RuntimeError("a block of this size has no shape")
        return self.table.tree(start, size, int(self.fewest[size]), path)


@lru_cache(maxsize=64)
def _forest(cells: int, window: Fraction, level: Fraction, loose: bool) -> _Forest:
    return _Forest(cells, window, level, loose)
