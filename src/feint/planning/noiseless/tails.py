"""The cheapest way to hide a block of whole values in parts of one width and a tail.

She wins with probability at most 1/L whatever the number of values: proofs/tails.md. What remains
is to choose the width w ≥ D and how a part is found among the C = ⌊n/w⌋ parts of the block.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.exact import ceil_div
from feint.strategies import Block, StagedShape, TailedShape, divided, halvings, located

Int = NDArray[np.int64]
Levels = tuple[tuple[int, int], ...]

_SPLITS = range(2, 9)  # groups at the first level above parts that is not a halving,
_AGAIN = (2, 3, 4)  # and groups that each of those is split into
_MOST_KEPT = 64  # with more parts kept, groups are not tried
_WIDTHS = 256  # that are all tried


class Finding(NamedTuple):
    """A way to find a part among others.

    Attributes:
        queries: How many questions it asks.
        levels: As in `TailedShape`.
    """

    queries: int
    levels: Levels


@lru_cache(maxsize=1 << 14)
def finding(parts: int, kept: int, *, tailed: bool) -> Finding:
    """The fewest questions that find a part and leave it among others that are as likely.

    Args:
        parts: C.
        kept: L, at most C.
        tailed: Whether there is a tail to be told apart from the last part.

    Returns:
        The way: all inner ends at once, or level by level.
    """
    best = Finding(parts - 1 + tailed, ())
    if kept > _MOST_KEPT:
        return best
    most = max(1, parts // kept).bit_length()  # fewer halvings before groups lose against one more
    for halved in range(max(0, most - 2), most):
        for least, levels in _levels(parts >> halved, kept):
            if halved + least < best.queries:
                found = located(parts, ((2, 1),) * halved + levels, tailed=tailed)
                if found is not None and found.least >= kept and found.asked[-1] > 0:
                    asked = sum(found.asked)
                    if asked < best.queries:
                        best = Finding(asked, ((2, 1),) * halved + levels)
    return best


@lru_cache(maxsize=4096)
def findings(kept: int, most: int) -> Int:
    """[parts − kept, without or with a tail] the questions of `finding`, for parts up to `most`."""
    pairs = [
        [finding(parts, kept, tailed=tailed).queries for tailed in (False, True)]
        for parts in range(kept, most + 1)
    ]
    return _shared(np.array(pairs))


@lru_cache(maxsize=1024)
def tail_questions(width: int) -> Int:
    """[tails] how many questions a tail of each size shorter than a part takes, beside those."""
    return _shared(divided(width, np.arange(width)).sum(axis=1))


def _shared(found: Int) -> Int:
    """What everybody who asks gets, and nobody may change."""
    found.flags.writeable = False
    return found


def _levels(parts: int, kept: int) -> Iterator[tuple[int, Levels]]:
    """Levels that may leave little more than the parts that are kept, `kept` of them at least.

    With each, a number of questions that it does not fall below: with s out of k groups kept, k − 1
    questions tell them apart, and s·⌊C/k⌋ or more parts, but no fewer than L, are told apart in
    them.
    """
    yield max(parts, kept) - 1, ()
    for split in _SPLITS:
        small = parts // split
        for some in range(ceil_div(split * kept, parts + 1), split):
            yield split - 1 + max(kept, some * small) - some, ((split, some),)
            for again in _AGAIN:
                least = ceil_div(split * again * kept, parts + 1)
                asked = split - 1 + some * (again - 1)
                for few in range(max(1, least), min(some * again, least + 2)):
                    told = max(kept, few * (small // again)) - few
                    yield asked + told, ((split, some), (again, few))


class Hiding(NamedTuple):
    """A way to hide a block.

    Attributes:
        queries: How many questions it asks.
        shape: The way.
    """

    queries: int
    shape: TailedShape


def cheapest_tailed(
    values: int, window: int, kept: int, *, below: int, accuracy: int
) -> Hiding | None:
    """The way with the fewest questions, if it has fewer than a given number.

    Args:
        values: m.
        window: D, the least width of a part.
        kept: L.
        below: Only a way with fewer questions is of use.
        accuracy: How many neighbouring values the last piece may have.

    Returns:
        The way, or None.
    """
    best: Hiding | None = None
    for width in _widths(values, window, kept, accuracy):
        parts, tail = divmod(values, width)
        hide = kept * halvings(width, accuracy)
        least = hide + kept - 1 + max(0, math.floor(math.log2(parts / kept)))
        if least < below:
            found = finding(parts, kept, tailed=tail > 0)
            asked = found.queries + hide
            if asked < below:
                asked += int(divided(width, np.array([tail]), accuracy=accuracy).sum())
            if asked < below:
                shape = TailedShape(width=width, levels=found.levels, kept=kept, accuracy=accuracy)
                best, below = Hiding(asked, shape), asked
    return best


def ridden(size: int, shape: TailedShape, riders: tuple[int, int]) -> tuple[Block, ...]:
    """A block in parts of one width, with a cell set off before it, after it, or both.

    Each acts the cell of its block that is a part's width away.

    Args:
        size: Of the block, in cells.
        shape: How it is hidden.
        riders: How many cells ride before it and after it, each 0 or 1.

    Returns:
        The blocks in order of place.
    """
    first, last = riders
    end = first + size
    before, after = (first,) * first, (end,) * last
    alone = StagedShape(hide=(1,))
    found = [Block(start=first, size=size, path=before + after, shape=shape)]
    if first:
        found.insert(0, Block(start=0, size=1, path=before, shape=alone, acts=shape.width))
    if last:
        acts = end - shape.width
        found.append(Block(start=end, size=1, path=before + after, shape=alone, acts=acts))
    return tuple(found)


def _widths(values: int, window: int, kept: int, accuracy: int) -> Iterator[int]:
    """Widths that take as few halvings as the window does, or one more."""
    most = min(values // kept, 2 * accuracy << halvings(window, accuracy))
    if most - window < _WIDTHS:
        yield from range(window, most + 1)
        return
    for parts in range(max(kept, values // most), min(values // window, 4 * kept) + 1):
        yield min(values // parts, most)  # the shortest tail for this number of parts
