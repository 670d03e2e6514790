"""What is audited: a strategy, its promise, how often it searches, and what is overheard."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from feint.audit.hearing import ALL, NOTHING, Ear, Hearing
from feint.audit.motion import Motion
from feint.audit.places import Places, too_fine
from feint.errors import InvalidValue
from feint.exact import Number, whole
from feint.interfaces import Progress, Strategy, most_queries, strategy_of, switch_of
from feint.planning import keeps, repeatable
from feint.problem import Domain, Line, Prior, Problem, off_by
from feint.strategies import Product

_MOST = 1000  # searches in one audit: docs say so, and more would take hours
_FRESH = "fresh_keys"


@dataclass(frozen=True, kw_only=True)
class Course:
    """How often one number is searched for, how it moves, and what is overheard.

    Attributes:
        searches: The number of searches.
        fresh_keys: Whether each search has its own key; otherwise all share one.
        motion: How the number moves between two searches, of which there are several then; None:
            it stays.
        hears: Which questions the eavesdropper hears.
        knows: Whose answers she knows.
    """

    searches: int = 1
    fresh_keys: bool = False
    motion: Motion | None = None
    hears: Hearing = ALL
    knows: Hearing = NOTHING

    @classmethod
    def read(
        cls,
        *,
        repeat: Number,
        fresh_keys: bool,
        motion: Motion | str | None,
        hears: Hearing | str | Iterable[int],
        knows: Hearing | str | Iterable[int],
    ) -> Course:
        """Read the arguments of `audit`.

        Raises:
            WrongType: An argument has the wrong type.
            InvalidValue: An argument is wrong, or is about a second search when there is only one.
        """
        searches = whole(repeat, "repeat", least=1, most=_MOST)
        fresh, moves = (
            switch_of(fresh_keys, _FRESH),
            None if motion is None else Motion.read(motion),
        )
        given = {"motion": moves and moves.words, _FRESH: fresh or None}
        for name, value in given.items():
            if value is not None and searches == 1:
                rule = "this is about several searches, and there is one"
                raise InvalidValue(name, value, rule, "say how many with repeat")
        known = Hearing.read(knows, "knows").plainest
        if known.random:
            rule = "which answers are known must be said, not left to chance"
            raise InvalidValue("knows", known.words, rule, "name them, such as last(2)")
        return cls(
            searches=searches,
            fresh_keys=fresh,
            motion=moves,
            hears=Hearing.read(hears, "hears").plainest,
            knows=known,
        )

    @property
    def is_single(self) -> bool:
        """Whether it is one search, every question heard and no answer known."""
        return self == Course()

    @property
    def asks_the_same(self) -> bool:
        """Whether every search asks what the first one did, and all of it is heard each time."""
        return self == Course(searches=self.searches)


class Coordinate(NamedTuple):
    """One coordinate of what is audited.

    Attributes:
        strategy: Its search.
        line: Its range.
        ear: What is overheard of it.
    """

    strategy: Strategy
    line: Places
    ear: Ear


@dataclass(frozen=True, kw_only=True)
class Case:
    """A strategy, the promise that it is audited against, and what the eavesdropper gets.

    Attributes:
        strategy: What is audited.
        problem: What is promised; the strategy may have been made for another problem.
        domain: The user's units.
        prior: The distribution of X*, one per coordinate.
        theorem: Why the promise is expected to hold; empty if nothing is proved.
        scales: Where each coordinate's questions are shown; None: where they fall.
        course: How often it searches, and what is overheard.
    """

    strategy: Strategy
    problem: Problem
    domain: Domain
    prior: tuple[Prior, ...]
    theorem: str
    scales: tuple[Line, ...] | None = None
    course: Course = Course()

    @property
    def queries(self) -> int:
        """The most questions that a run asks."""
        return most_queries(self.strategy)

    @property
    def worst_case(self) -> bool:
        """Whether the promise is about what is possible, not about what is likely."""
        return self.problem.setting == "deterministic"

    @property
    def blind(self) -> Fraction:
        """The success of the best guess without listening, over all coordinates."""
        return math.prod((law.blind(self.problem.delta) for law in self.prior), start=Fraction(1))

    @property
    def uniform(self) -> bool:
        """Whether X* is uniform in every coordinate."""
        return all(each.uniform for each in self.prior)

    @property
    def rounded(self) -> bool:
        """Whether the questions of an even lattice are rounded to decimals."""
        return any(each.tick is not None and each.marks is None for each in self.scales or ())

    @property
    def takes_cells_as_equal(self) -> bool:
        """Whether uneven cells are too fine to move mass between them."""
        return any(too_fine(each, self.problem.delta) for each in self.scales or ())

    @cached_property
    def coinless(self) -> bool:
        """Whether nothing but X* decides what is asked."""
        return not self.problem.noisy and repeatable(self.strategy)

    @property
    def distance(self) -> Fraction:
        """How much more often she may win under the stated priors than under their bins.

        It is 0 in the worst case, which has no prior.
        """
        return Fraction(0) if self.worst_case else off_by(self.prior)

    def keeps(self, success: Fraction) -> bool:
        """Return True if her success in the bins keeps the promise under the stated priors.

        What rounding to decimals may add is allowed for.
        """
        return keeps(success, self.problem, self.scales, distance=self.distance)

    def stated_ratio(self, success: float) -> float:
        """Return her success under the stated priors over 1/L, given that in the bins."""
        return (success + float(self.distance)) * self.problem.level

    def holds_only_binned(self, success: Fraction) -> bool:
        """Return True if the promise holds in the bins, which are too far from the stated priors.

        It then is not known whether it holds under the priors as stated.
        """
        binned = keeps(success, self.problem, self.scales, distance=Fraction(0))
        return not self.worst_case and binned and not self.keeps(success)

    def excused(self, success: Fraction) -> bool:
        """Return True if her success lies above 1/L by no more than rounding may add."""
        above = min(Fraction(1), success + self.distance) * self.problem.level > 1
        return not self.worst_case and above and self.keeps(success)

    def parts(self, *, fits_windows: bool = True) -> tuple[Coordinate, ...]:
        """Return what is needed to audit each coordinate by itself.

        Args:
            fits_windows: As in `Places`.

        Raises:
            InvalidValue: The strategy is no product, or it has no such round or question.
        """
        searches = coordinates(self.strategy)
        ears = Ear.of(self.course.hears, self.course.knows, self.strategy)
        lines = (
            Places.of(
                None if self.scales is None else self.scales[index],
                cells=each.cells[0],
                delta=self.problem.delta,
                prior=self.prior[index],
                width=self.domain.width,
                moving=self.course.motion is not None,
                fits_windows=fits_windows,
            )
            for index, each in enumerate(searches)
        )
        return tuple(map(Coordinate, searches, lines, ears))


def coordinates(strategy: Strategy) -> tuple[Strategy, ...]:
    """Split a strategy into its searches of single coordinates.

    Args:
        strategy: A search of one coordinate, or a Product of such.

    Returns:
        One search per coordinate, in order.

    Raises:
        InvalidValue: It searches several coordinates in a way of its own.
    """
    strategy = strategy_of(strategy)
    if isinstance(strategy, Product):
        return tuple(one for factor in strategy.factors for one in coordinates(factor))
    if len(strategy.cells) != 1:
        rule = "several coordinates are audited one by one, as the factors of a Product"
        remedy = "make it a Product, or sample runs instead"
        raise InvalidValue("strategy", type(strategy).__name__, rule, remedy)
    return (strategy,)


def for_coordinate(progress: Progress | None, index: int, count: int) -> Progress | None:
    """Return progress that names the coordinate, if there are several."""
    if progress is None or count == 1:
        return progress
    tell: Callable[[str, int, int], None] = progress
    return lambda what, done, wanted: tell(f"{what} of coordinate {index}", done, wanted)
