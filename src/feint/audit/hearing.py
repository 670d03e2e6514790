"""Select the questions that the eavesdropper hears, and the answers that she knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue, WrongType
from feint.exact import Number, plain, rational
from feint.interfaces import UNASKED, Round, Strategy

Bool = NDArray[np.bool_]
Int = NDArray[np.int64]
Kind = Literal["all", "nothing", "rounds", "coordinates", "questions", "every", "last", "each"]
_WAYS = "all, nothing, rounds(1-3), coordinates(0), questions(2,5-7), every(2), last(1), each(1/2)"
_FORM = re.compile(r"\s*([a-z]+)\s*(?:\(\s*([^()]*?)\s*\))?\s*")
_KINDS: dict[str, Kind] = {kind: kind for kind in get_args(Kind)}


@dataclass(frozen=True)
class Hearing:
    """A selection of a search's questions, the same in every search or drawn anew in each.

    Rounds and questions are counted from 1, in the order of asking; coordinates from 0.

    Attributes:
        kind: "all" or "nothing"; the "rounds", "coordinates" or "questions" with these numbers;
            "every" n-th question; the "last" n questions that a run asks; or "each" question with
            some probability, independently of the others.
        numbers: Their numbers; n for "every" and "last".
        chance: For "each": the probability of hearing a question.
    """

    kind: Kind
    numbers: tuple[int, ...] = ()
    chance: Fraction = Fraction(1)

    @classmethod
    def read(cls, given: Hearing | str | Iterable[int], argument: str) -> Hearing:
        """Read words such as "rounds(1-3)", or the numbers of questions from 1.

        `columns` checks that the search has such numbers.

        Args:
            given: A hearing, words, or numbers.
            argument: Its name in errors.

        Raises:
            WrongType: The value is neither words nor numbers.
            InvalidValue: The words are unknown.
        """
        if isinstance(given, Hearing):
            return given
        if not isinstance(given, str):
            numbers = _listed(given, argument)
            return cls("questions", numbers) if numbers else cls("nothing")
        form = _FORM.fullmatch(given)
        kind, inside = (_KINDS.get(form[1]), form[2]) if form else (None, None)
        if kind in ("all", "nothing") and not inside:
            return cls(kind)
        if kind == "last" or (kind == "every" and inside):
            return cls(kind, _counted(inside or "1", argument, given))
        if kind == "each" and inside:
            return each(inside, argument=argument)
        if kind in ("rounds", "coordinates", "questions") and inside:
            return cls(kind, _numbers(inside, argument, given))
        raise InvalidValue(argument, given, f"must be one of {_WAYS}", "pick one of them")

    @property
    def random(self) -> bool:
        """Return True if the selection is drawn anew in each search."""
        return self.kind == "each" and 0 < self.chance < 1

    @property
    def plainest(self) -> Hearing:
        """Return "all" or "nothing" if the selection always amounts to that, else the selection."""
        if self in (Hearing("every", (1,)), Hearing("each")):
            return ALL
        return NOTHING if self.kind == "each" and not self.chance else self

    @property
    def words(self) -> str:
        """Return the phrase that follows "she hears" or "she knows the answers of"."""
        listed = ", ".join(map(str, self.numbers))
        if self.kind in ("rounds", "coordinates", "questions"):
            return f"{self.kind if len(self.numbers) > 1 else self.kind[:-1]} {listed} only"
        if self.kind == "every":
            return "every question" if self.numbers == (1,) else f"one question in {listed} only"
        if self.kind == "last":
            last = "question" if self.numbers == (1,) else f"{listed} questions"
            return f"the last {last} only"
        if self.kind == "each":
            return f"each question with probability {plain(self.chance)}"
        return "every question" if self.kind == "all" else "no question"

    def columns(self, rounds: Sequence[Round], argument: str) -> Bool:
        """Return [questions] True for questions that may be heard.

        Args:
            rounds: The rounds of the search, all coordinates together.
            argument: Its name in errors.

        Raises:
            InvalidValue: The search has no round, coordinate or question with such a number.
        """
        turn = np.repeat(np.arange(len(rounds)), [len(each.coordinates) for each in rounds]) + 1
        axis = np.array([axis for each in rounds for axis in each.coordinates], np.int64)
        place = np.arange(len(turn)) + 1
        if self.kind in ("all", "nothing", "each"):
            heard = self.kind == "all" or (self.kind == "each" and self.chance > 0)
            return np.full(len(turn), heard)
        if self.kind == "every":
            return np.asarray(place % self.numbers[0] == 0)
        if self.kind == "last":
            return np.asarray(place > len(place) - self.numbers[0])
        what = {"rounds": turn, "coordinates": axis, "questions": place}[self.kind]
        first = 0 if self.kind == "coordinates" else 1
        last = len(rounds) if self.kind == "rounds" else int(what.max(initial=first))
        off = [number for number in self.numbers if not first <= number <= last]
        if off:
            rule = f"this search has {self.kind} {first} to {last}"
            raise InvalidValue(argument, off[0], rule, "name some of these")
        return np.isin(what, self.numbers)


ALL, NOTHING = Hearing("all"), Hearing("nothing")


class Ear(NamedTuple):
    """The eavesdropper's view of one coordinate of a search.

    An eavesdropper who hears a question also notices if a run leaves it out (UNASKED). If she hears
    each question with some probability, she knows which ones she missed. Numbered questions are
    counted in the order in which a run asks them.

    Attributes:
        hears: [questions] True for questions that may be heard.
        chance: The probability of hearing each of them, independently of the others.
        knows: [questions] True for questions whose answers are known.
        hears_kind: The `Hearing.kind` of the heard ones.
        knows_kind: The `Hearing.kind` of the known ones.
    """

    hears: Bool
    chance: Fraction
    knows: Bool
    hears_kind: Kind = "all"
    knows_kind: Kind = "nothing"

    @property
    def deaf(self) -> bool:
        """Return True if nothing is heard and no answer known."""
        return not self.hears.any() and not self.knows.any()

    @property
    def hears_all(self) -> bool:
        """Return True if every question is heard and no answer known."""
        return bool(self.hears.all()) and self.chance == 1 and not self.knows.any()

    @classmethod
    def of(cls, hears: Hearing, knows: Hearing, strategy: Strategy) -> tuple[Ear, ...]:
        """Return the view of each coordinate.

        Raises:
            InvalidValue: The search has no such round, coordinate or question.
        """
        heard = hears.columns(strategy.rounds, "hears")
        known = knows.columns(strategy.rounds, "knows")
        axis = np.array([axis for each in strategy.rounds for axis in each.coordinates], np.int64)
        chance = hears.chance if hears.random else Fraction(1)
        kinds = hears.kind, knows.kind
        axes = range(len(strategy.cells))
        return tuple(cls(heard[axis == i], chance, known[axis == i], *kinds) for i in axes)

    def heard_in(self, points: Int) -> Bool:
        """Return [runs, questions] True for questions that may be heard in these runs."""
        return _in_runs(self.hears, points, self.hears_kind)

    def known_in(self, points: Int) -> Bool:
        """Return [runs, questions] True for questions whose answers are known in these runs."""
        return _in_runs(self.knows, points, self.knows_kind)

    def alike(self, points: Int, run: Int) -> Bool:
        """Return [runs] equal numbers for runs that are heard in the same columns."""
        same: Bool = (self.heard_in(points) == self.heard_in(run[None])).all(axis=1)
        same &= (self.known_in(points) == self.known_in(run[None])).all(axis=1)
        if self.chance < 1:
            same &= ((points == UNASKED) == (run == UNASKED)).all(axis=1)
        return same


def _in_runs(columns: Bool, points: Int, kind: Kind) -> Bool:
    """Return the selected columns of each run; numbered questions are counted as asked."""
    if kind not in ("questions", "every", "last") or not columns.any():
        return np.broadcast_to(columns, points.shape)
    asked = points != UNASKED
    if kind == "last":
        from_end = asked[:, ::-1].cumsum(axis=1)[:, ::-1]
        return np.asarray(asked & (from_end <= columns.sum()))
    number = np.maximum(asked.cumsum(axis=1) - 1, 0)
    return np.asarray(asked & columns[number])


def each(chance: Number, *, argument: str = "hears") -> Hearing:
    """Return the `Hearing` of each question with some probability, independently.

    She notices which questions she missed.

    Raises:
        InvalidValue: The probability is not a number from 0 to 1.
    """
    read = rational(chance, argument)
    if not 0 <= read <= 1:
        rule = "the probability of hearing a question must lie from 0 to 1"
        raise InvalidValue(argument, chance, rule, "values such as 1/2 work")
    return Hearing("each", chance=read)


def _listed(given: object, argument: str) -> tuple[int, ...]:
    """Return the numbers of questions in increasing order."""
    listed = tuple(given) if isinstance(given, Iterable) and not isinstance(given, bytes) else None
    if listed is None or not all(isinstance(each, int | np.integer) for each in listed):
        rule = "must be words, the numbers of questions, or a Hearing"
        remedy = "pass 'all', 'nothing', 'rounds(1-3)' or such as [1, 4]"
        raise WrongType.of(argument, given, rule, remedy)
    return tuple(sorted({int(each) for each in listed}))


def _counted(inside: str, argument: str, given: str) -> tuple[int]:
    if not inside.isdecimal() or int(inside) < 1:
        rule = "the number in brackets must be a whole number of at least 1"
        raise InvalidValue(argument, given, rule, "every(2) is every second question")
    return (int(inside),)


def _numbers(inside: str, argument: str, given: str) -> tuple[int, ...]:
    """Parse numbers and ranges, separated by commas: 1,3-5."""
    found = set[int]()
    for word in inside.split(","):
        ends = [end.strip() for end in word.split("-")]
        if len(ends) > 2 or not all(end.isdecimal() for end in ends):
            rule = "in brackets there must be numbers and ranges, separated by commas"
            raise InvalidValue(argument, given, rule, "such as rounds(1,3-5)")
        found.update(range(int(ends[0]), int(ends[-1]) + 1))
    if not found:
        raise InvalidValue(argument, given, "ranges must rise", "such as rounds(3-5)")
    return tuple(sorted(found))
