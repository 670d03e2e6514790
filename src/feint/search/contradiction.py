"""Find answers that contradict each other in a search without noise."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from feint.problem import Query
from feint.search.units import Asked, Units


class Contradiction(NamedTuple):
    """Two answers that contradict each other, or one that the range excludes. Secret.

    Attributes:
        above: The query whose answer says that the number is at least its value.
        below: The query, at the same value or lower, whose answer says that the number is less.
        outside: "below" or "above" if the range rules out the answer to a single query, which is
            then both of these.
    """

    above: Query
    below: Query
    outside: Literal["below", "above"] | None = None

    def __str__(self) -> str:
        """Return the contradiction as a sentence."""
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
    """Return the pair that lies farthest apart for each coordinate with a contradiction.

    Args:
        told: Every answered query, its coordinate, and True if X* lies at or above it.
        units: The user's units.

    Returns:
        The pairs; empty if some number of the range fits all answers.
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
