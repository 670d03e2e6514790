"""How kept parts share their questions when a part's offsets are no power of two.

If all parts go the same way, every search takes as many halvings as the longest. Here a group of
parts may *divide*: some go to the lower offsets, the others to the upper ones, each in proportion
to what they hold. Then the questions of all parts together are those of a mean part. See
proofs/hiding.md, claim 8, for when that tells nothing.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from feint.strategies.tails import halvings

MOST_DIVISIONS = 2  # one after another: a third saves less than one question in a hundred
CUTS = 4  # places where a group may divide: a smaller lower side saves next to nothing


class Way(NamedTuple):
    """What a group of parts does next, and what it takes.

    Attributes:
        parts: How many parts it begins with.
        queries: How many questions all of them ask together, at most.
        cut: Where it divides; 0: all of it is halved in the same way, or done.
        gap: Whether one part is dropped where upper offsets would be followed by lower ones.
        lows: How many parts may be left in the end of those that go to the lower offsets.
    """

    parts: int
    queries: int
    cut: int = 0
    gap: bool = False
    lows: tuple[int, ...] = ()


@lru_cache(maxsize=1 << 16)  # planner and builder ask the same
def cheapest_way(
    kept: int,
    cells: int,
    accuracy: int,
    slack: int,
    divisions: int = MOST_DIVISIONS,
    gaps: bool = True,
) -> Way:
    """Return the way with the fewest questions, each part dropped counted as one more.

    Args:
        kept: How many parts are left in the end.
        cells: How many offsets a part of the group has.
        accuracy: How many the last piece may have.
        slack: How many cells nearer than they are neighbouring parts could lie.
        divisions: How many more divisions there may be, one after another.
        gaps: Whether parts may be dropped: not once they have been halved, which costs more.
    """
    steps = halvings(cells, accuracy)
    if not divisions or kept <= 1 or steps <= 1:
        return Way(kept, kept * steps)
    half, rest = cells // 2, cells - cells // 2
    below = [cheapest_way(kept, each, accuracy, slack, divisions, False) for each in (half, rest)]
    best = Way(kept, kept + max(each.queries for each in below))
    gap = cells > slack + 1
    if gap and not gaps:
        return best
    for step in range(max(0, steps - CUTS), steps):
        cut = accuracy << step  # the lower side halves without loss
        few, more = divmod(kept * cut, cells)
        lows = (few, few + 1) if more else (few,)
        found = set[tuple[int, int]]()
        for low in lows:
            sides = [
                cheapest_way(some, each, accuracy, slack, divisions - 1, gaps)
                for some, each in ((low, cut), (kept - low, cells - cut))
            ]
            parts = sum(each.parts for each in sides) + gap
            found.add((parts, parts + sum(each.queries for each in sides)))
        parts, queries = max(found)
        # Every run begins with as many parts, whichever of the numbers a coin picks.
        if len({each for each, _ in found}) == 1 and parts + queries < best.parts + best.queries:
            best = Way(parts, queries, cut, gap, lows)
    return best
