"""Answers that cannot all be right when answers are never wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from feint.problem import Query
from feint.search.units import Asked, Units


class Contradiction(NamedTuple):
    """Two answers that cannot both be right, or one that the range rules out. Secret.

    Attributes:
        above: The query that the number was said to reach.
        below: The query, at the same place or lower, that it was said to stay below.
        outside: Where the range rules out the answer to one query, which is then both: "below" it,
            or "above" it.
    """

    above: Query
    below: Query
    outside: Literal["below", "above"] | None = None

    def __str__(self) -> str:
        """The contradiction in words."""
        name = self.above.label or "number"
        if self.outside == "below":
            return f"you said that the {name} is below {self.below.shown}, where its range begins"
        if self.outside == "above":
            return f"you said that the {name} is at least {self.above.shown}, past its range"
        return (
            f"you said that the {name} is at least {self.above.shown} and below {self.below.shown}"
        )


def contradictions(
    told: Iterable[tuple[Asked, int, bool]], units: Units
) -> tuple[Contradiction, ...]:
    """For each coordinate with a contradiction, the pair that lies farthest apart.

    Args:
        told: Every answered query, its coordinate, and whether X* lies at or above it.
        units: The user's.

    Returns:
        The pairs; none when some number of the range fits all answers.
    """
    above, below = dict[int, Asked](), dict[int, Asked]()
    for asked, coordinate, yes in told:
        if yes and (coordinate not in above or asked.point > above[coordinate].point):
            above[coordinate] = asked
        if not yes and (coordinate not in below or asked.point < below[coordinate].point):
            below[coordinate] = asked
    found = list[Contradiction]()
    for each in sorted(above.keys() | below.keys()):
        low, high = above.get(each), below.get(each)
        if low is not None and high is not None and low.point >= high.point:
            found.append(Contradiction(units.query(low), units.query(high)))
        elif high is not None and units.starts(each, high.point):
            found.append(Contradiction(units.query(high), units.query(high), "below"))
        elif low is not None and units.ends(each, low.point):
            found.append(Contradiction(units.query(low), units.query(low), "above"))
    return tuple(found)
