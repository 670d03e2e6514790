"""The cheapest way to hide a block of whole values in parts of one width and a tail.

She wins with probability at most 1/L whatever the number of values: proofs/hiding.md. What remains
is to choose the width w ≥ D and how a part is found among the C = ⌊n/w⌋ parts of the block.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.exact import ceil_div
from feint.planning.limits import GROUPS, MOST_GROUPED, SUBGROUPS
from feint.strategies import divided, halvings, located

Int = NDArray[np.int64]
Levels = tuple[tuple[int, int], ...]


class Finding(NamedTuple):
    """A way to find a part among others.

    Attributes:
        queries: How many questions it asks.
        levels: For each level above single parts, into how many groups every kept one is
            split, and how many of them all are kept.
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
    if kept > MOST_GROUPED:
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


@lru_cache(maxsize=4096)
def levels_of(kept: int, most: int) -> Int:
    """[parts − kept, without or with a tail] how many levels `finding` has, as `findings`."""
    pairs = [
        [len(finding(parts, kept, tailed=tailed).levels) for tailed in (False, True)]
        for parts in range(kept, most + 1)
    ]
    return _shared(np.array(pairs))


@lru_cache(maxsize=64)
def tail_questions(least: int, most: int, accuracy: int = 1) -> Int:
    """How many questions a tail shorter than a part takes, beside those of parts.

    Args:
        least: The smallest width of parts.
        most: The largest.
        accuracy: How many cells the last piece may have.

    Returns:
        For each width, one after the other, those of tails of 0, 1, ... cells.
    """
    found = list[Int]()
    while least <= most:
        last = min(most, accuracy << halvings(least, accuracy))  # as many halvings up to there
        width = np.arange(least, last + 1)
        tail = np.arange(width.sum()) - np.repeat(width.cumsum() - width, width)
        found.append(divided(np.repeat(width, width), tail, accuracy=accuracy).sum(axis=1))
        least = last + 1
    return _shared(np.concatenate(found))


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
    for split in GROUPS:
        small = parts // split
        for some in range(ceil_div(split * kept, parts + 1), split):
            yield split - 1 + max(kept, some * small) - some, ((split, some),)
            for again in SUBGROUPS:
                least = ceil_div(split * again * kept, parts + 1)
                asked = split - 1 + some * (again - 1)
                for few in range(max(1, least), min(some * again, least + 2)):
                    told = max(kept, few * (small // again)) - few
                    yield asked + told, ((split, some), (again, few))
