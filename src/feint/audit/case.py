"""Describe an audit: a strategy, its promise, the number of searches, and what is overheard."""

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

_MOST = 1000  # the most searches in one audit, as documented; more would take hours
_FRESH = "fresh_keys"


@dataclass(frozen=True, kw_only=True)
class Course:
    """The searches for one number, its motion, and the questions overheard.

    Attributes:
        searches: The number of searches.
        fresh_keys: True if each search has its own key, False if all share one.
        motion: The motion of the number between two searches; None: it stays.
        hears: The questions that the eavesdropper hears.
        knows: The questions whose answers she knows.
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
            InvalidValue: An argument is wrong, or is about a second search and there is only one.
        """
        searches = whole(repeat, "repeat", least=1, most=_MOST)
        fresh, moves = (
            switch_of(fresh_keys, _FRESH),
            None if motion is None else Motion.read(motion),
        )
        given = {"motion": moves and moves.words, _FRESH: fresh or None}
        for name, value in given.items():
            if value is not None and searches == 1:
                rule = "this needs several searches, and there is only one"
                raise InvalidValue(name, value, rule, "give repeat = 2 or more")
        known = Hearing.read(knows, "knows").plainest
        if known.random:
            rule = "the known answers must be named, not drawn at random"
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
        """Return True if it is one search with every question heard and no answer known."""
        return self == Course()

    @property
    def asks_the_same(self) -> bool:
        """Return True if every search repeats the first one's questions and all are heard."""
        return self == Course(searches=self.searches)


class Coordinate(NamedTuple):
    """One coordinate of an audit.

    Attributes:
        strategy: The search of the coordinate.
        line: Its line.
        ear: The questions overheard.
    """

    strategy: Strategy
    line: Places
    ear: Ear


@dataclass(frozen=True, kw_only=True)
class Case:
    """A strategy, its promise, and what the eavesdropper hears.

    Attributes:
        strategy: The audited strategy.
        problem: The promise; the strategy may have been made for another problem.
        domain: The user's units.
        prior: The distribution of X*, one per coordinate.
        theorem: The theorem behind the promise; empty if nothing is proved.
        scales: The places of each coordinate's questions; None: exactly at the boundaries.
        course: The searches, and what is overheard.
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
        """Return the most questions that a run asks."""
        return most_queries(self.strategy)

    @property
    def worst_case(self) -> bool:
        """Return True in the deterministic setting, where the promise is about possible places."""
        return self.problem.setting == "deterministic"

    @property
    def blind(self) -> Fraction:
        """Return the success of the best guess without listening, over all coordinates."""
        return math.prod((law.blind(self.problem.delta) for law in self.prior), start=Fraction(1))

    @property
    def uniform(self) -> bool:
        """Return True if X* is uniform in every coordinate."""
        return all(each.uniform for each in self.prior)

    @property
    def rounded(self) -> bool:
        """Return True if the questions of an even lattice are rounded to decimals."""
        return any(each.tick is not None and each.marks is None for each in self.scales or ())

    @property
    def takes_cells_as_equal(self) -> bool:
        """Return True if uneven cells are too fine to move mass between them."""
        return any(too_fine(each, self.problem.delta) for each in self.scales or ())

    @cached_property
    def coinless(self) -> bool:
        """Return True if X* alone decides the questions."""
        return not self.problem.noisy and repeatable(self.strategy)

    @property
    def distance(self) -> Fraction:
        """Return the largest increase of her success from the binned to the stated priors.

        It is 0 in the deterministic setting, which has no prior.
        """
        return Fraction(0) if self.worst_case else off_by(self.prior)

    def keeps(self, success: Fraction) -> bool:
        """Return True if her success in the bins keeps the promise under the stated priors.

        The effect of rounding to decimals is allowed for.
        """
        return keeps(success, self.problem, self.scales, distance=self.distance)

    def stated_ratio(self, success: float) -> float:
        """Return L times her success under the stated priors, given her success in the bins."""
        return (success + float(self.distance)) * self.problem.level

    def holds_only_binned(self, success: Fraction) -> bool:
        """Return True if the promise holds for the bins, but the binning error is too large.

        Then it is unknown whether it holds for the stated priors.
        """
        binned = keeps(success, self.problem, self.scales, distance=Fraction(0))
        return not self.worst_case and binned and not self.keeps(success)

    def excused(self, success: Fraction) -> bool:
        """Return True if her success exceeds 1/L by no more than rounding may add."""
        above = min(Fraction(1), success + self.distance) * self.problem.level > 1
        return not self.worst_case and above and self.keeps(success)

    def parts(self, *, fits_windows: bool = True) -> tuple[Coordinate, ...]:
        """Return the coordinates, each ready to be audited by itself.

        Args:
            fits_windows: As in `Places`.

        Raises:
            InvalidValue: The strategy is not a product, or has no such round or question.
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
        InvalidValue: It does not search its coordinates independently.
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
