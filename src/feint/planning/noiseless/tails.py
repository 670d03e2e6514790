"""The cheapest way to hide a block of whole values in parts of one width and a tail.

With K parts kept, she catches at most 1/K of a block of any size (proofs/hiding.md). So only two
choices remain: the width w ≥ D, and the way to find a part among the C = ⌊n/w⌋ parts of the block.
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
        queries: The number of questions it asks.
        levels: For each level above single parts, the number of groups that every kept one is
            split into, and the number of all these groups that are kept.
    """

    queries: int
    levels: Levels


@lru_cache(maxsize=1 << 14)
def finding(parts: int, kept: int, *, tailed: bool) -> Finding:
    """Return the cheapest way to find a part that leaves it among equally likely others.

    Args:
        parts: The number C of parts.
        kept: The number L of kept parts, at most C.
        tailed: True if there is a tail to tell apart from the last part.

    Returns:
        The way, which asks about all inner ends at once or goes level by level.
    """
    best = Finding(parts - 1 + tailed, ())
    if kept > MOST_GROUPED:
        return best
    most = max(1, parts // kept).bit_length()  # fewer halvings before groups lose to one more
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
    """Return [parts − kept, has a tail] the questions of `finding`, for parts up to `most`."""
    pairs = [
        [finding(parts, kept, tailed=tailed).queries for tailed in (False, True)]
        for parts in range(kept, most + 1)
    ]
    return _shared(np.array(pairs))


@lru_cache(maxsize=4096)
def levels_of(kept: int, most: int) -> Int:
    """Return [parts − kept, has a tail] the numbers of levels of `finding`, as `findings` does."""
    pairs = [
        [len(finding(parts, kept, tailed=tailed).levels) for tailed in (False, True)]
        for parts in range(kept, most + 1)
    ]
    return _shared(np.array(pairs))


@lru_cache(maxsize=64)
def tail_questions(least: int, most: int, accuracy: int = 1) -> Int:
    """Return the questions that tails shorter than a part take on top of those of parts.

    Args:
        least: The smallest width of parts.
        most: The largest.
        accuracy: The most cells that the last piece may have.

    Returns:
        The questions of tails of 0, 1, ... cells for each width, one width after the other.
    """
    found = list[Int]()
    while least <= most:
        last = min(most, accuracy << halvings(least, accuracy))  # equally many halvings up to here
        width = np.arange(least, last + 1)
        tail = np.arange(width.sum()) - np.repeat(width.cumsum() - width, width)
        found.append(divided(np.repeat(width, width), tail, accuracy=accuracy).sum(axis=1))
        least = last + 1
    return _shared(np.concatenate(found))


def _shared(found: Int) -> Int:
    """Mark a cached array read-only and return it."""
    found.flags.writeable = False
    return found


def _levels(parts: int, kept: int) -> Iterator[tuple[int, Levels]]:
    """Yield levels that may leave little more than the kept parts, and at least `kept` parts.

    Each comes with a lower bound on its questions. With s out of k groups kept, k − 1 questions
    tell the groups apart. Within them, s·⌊C/k⌋ or more parts, but no fewer than L, remain to be
    told apart.
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
