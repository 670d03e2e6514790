"""Record the questions and answers of a search, as boundaries of the lattice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from feint.errors import UnknownQuery, WrongType
from feint.interfaces import UNASKED, Round
from feint.problem import Query
from feint.search.units import Asked, place

Place = tuple[int, int]
"""The round and the column of a query."""


class Ledger:
    """The rounds shown, and their answers.

    An answer is True if X* lies at or above the point, else False; None means no answer yet. A
    column that was left out is `UNASKED` and never has an answer.

    Attributes:
        widths: The number of columns of each round of the plan.
        shown: The points of every shown round.
        above: The answers to them.
        open: The number of unanswered queries in the last shown round.
        answered: The number of answered queries in all rounds.
    """

    def __init__(self, rounds: Sequence[Round]) -> None:
        """Create an empty ledger.

        Args:
            rounds: The rounds of the plan.
        """
        self._rounds = rounds
        self.widths = [len(each.coordinates) for each in rounds]
        self.shown: list[list[int]] = []
        self.above: list[list[bool | None]] = []
        self.open = self.answered = 0
        # how many times each point of a coordinate was asked
        self._times = Counter[tuple[int, int]]()
        # per round: the repetition number of each of its points
        self._numbers: list[list[int]] = []

    @property
    def round(self) -> int:
        """Return the number of the last shown round; −1 before the first."""
        return len(self.shown) - 1

    @property
    def left(self) -> int:
        """Return the number of unanswered columns in the open and all later rounds."""
        return self.open + sum(self.widths[len(self.shown) :])

    def place(self, id: object) -> Place:
        """Return the place of a shown query.

        Raises:
            UnknownQuery: There is no such query, or it was not shown.
            WrongType: The argument is a query, not its id.
        """
        if isinstance(id, Query):
            raise WrongType.of("id", id, "must be the id of a query", "give query.id")
        found = place(id)
        if (
            found is None
            or found[0] not in range(len(self.widths))
            or found[1] not in range(self.widths[found[0]])
        ):
            raise UnknownQuery("id", id, "this plan has no such query", _REMEDY)
        if found[0] > self.round:
            raise UnknownQuery("id", id, "this query has not been shown yet", _REMEDY)
        if self.shown[found[0]][found[1]] == UNASKED:
            raise UnknownQuery("id", id, "this search leaves this query out", _REMEDY)
        return found

    def asked(self, at: Place) -> Asked:
        """Return the query at a place."""
        return Asked(*at, self.shown[at[0]][at[1]])

    def answer(self, at: Place) -> bool | None:
        """Return the answer to the query at a place."""
        return self.above[at[0]][at[1]]

    def coordinate(self, at: Place) -> int:
        """Return the coordinate of the query at a place."""
        return self._rounds[at[0]].coordinates[at[1]]

    def show(self, points: list[int]) -> None:
        """Add a round without answers."""
        self.open = len(points) - points.count(UNASKED)
        self.shown.append(points)
        self.above.append([None] * len(points))
        self._numbers.append([])
        for what in self._last_asked():
            self._times[what] += 1
            self._numbers[-1].append(self._times[what])

    def unshow(self) -> None:
        """Remove the last round, which has no answers. The round before has all of its answers."""
        self._times.subtract(self._last_asked())
        del self.shown[-1], self.above[-1], self._numbers[-1]
        self.open = 0

    def take(self, at: Place, above: bool | None) -> None:
        """Set the answer to a query of the last shown round."""
        before, self.above[at[0]][at[1]] = self.answer(at), above
        more = (above is not None) - (before is not None)
        self.open -= more
        self.answered += more

    def places(self) -> Iterator[Place]:
        """Yield every shown query, in the order of asking."""
        for number, points in enumerate(self.shown):
            for column, point in enumerate(points):
                if point != UNASKED:
                    yield number, column

    def told(self) -> Iterator[tuple[Asked, int, bool]]:
        """Yield every answered query, its coordinate, and True if X* lies at or above it."""
        for at in self.places():
            if (above := self.answer(at)) is not None:
                yield self.asked(at), self.coordinate(at), above

    def alike(self, coordinates: int) -> list[bool | None]:
        """Return the common answer of each coordinate whose answers all agree, else None."""
        said: list[set[bool]] = [set() for _ in range(coordinates)]
        for _, coordinate, above in self.told():
            said[coordinate].add(above)
        return [each.pop() if len(each) == 1 else None for each in said]

    def samples(self) -> list[tuple[int, int]]:
        """Return the repetition number and the repetitions so far of each query in the last round.

        The repetitions include earlier rounds and all of this round.
        """
        if not self.shown:
            return []
        asked = zip(self._numbers[-1], self._last_asked(), strict=True)
        return [(number, self._times[what]) for number, what in asked]

    def _last_asked(self) -> list[tuple[int, int]]:
        """Return coordinate and point of each query in the last shown round."""
        asked = zip(self._rounds[self.round].coordinates, self.shown[-1], strict=True)
        return [(coordinate, point) for coordinate, point in asked if point != UNASKED]


_REMEDY = "ask() gives the open ones"
