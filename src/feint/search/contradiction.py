"""Answers that cannot all be right when answers are never wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from feint.problem import Query
from feint.search.units import Asked, Units


class Contradiction(NamedTuple):
    """Two answers that cannot both be right. Secret, as the answers are.

    Attributes:
        above: The query that the number was said to reach.
        below: The query, at the same place or lower, that it was said to stay below.
    """

    above: Query
    below: Query

    def __str__(self) -> str:
        """The contradiction in words."""
        name = self.above.label or "number"
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
        The pairs; none when some number fits all answers.
    """
    above, below = dict[int, Asked](), dict[int, Asked]()
    for asked, coordinate, yes in told:
        if yes and (coordinate not in above or asked.point > above[coordinate].point):
            above[coordinate] = asked
        if not yes and (coordinate not in below or asked.point < below[coordinate].point):
            below[coordinate] = asked
    return tuple(
        Contradiction(units.query(above[each]), units.query(below[each]))
        for each in sorted(above.keys() & below.keys())
        if above[each].point >= below[each].point
    )
