"""Who hears what: which questions reach the eavesdropper, or whose answers she knows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue, WrongType
from feint.exact import Number, plain, rational
from feint.interfaces import Round

Bool = NDArray[np.bool_]
Kind = Literal["all", "nothing", "rounds", "coordinates", "questions", "every", "last", "each"]
_WAYS = "all, nothing, rounds(1-3), coordinates(0), questions(2,5-7), every(2), last(1), each(1/2)"
_FORM = re.compile(r"\s*([a-z]+)\s*(?:\(\s*([^()]*?)\s*\))?\s*")


@dataclass(frozen=True)
class Hearing:
    """Some of the questions of a search, the same in every search or drawn anew in each.

    Rounds and questions are counted from 1, in the order of asking; coordinates from 0.

    Attributes:
        kind: "all" or "nothing"; the "rounds", "coordinates" or "questions" with these numbers;
            "every" n-th question; the "last" n questions; or "each" question with some chance,
            independently of the others.
        numbers: Which ones; n for "every" and "last".
        chance: For "each": the probability of hearing a question.
    """

    kind: Kind
    numbers: tuple[int, ...] = ()
    chance: Fraction = Fraction(1)

    @classmethod
    def read(cls, given: Hearing | str | Iterable[int], argument: str) -> Hearing:
        """What is heard, from words or from the numbers of questions.

        Args:
            given: A hearing; words such as "rounds(1-3)"; or the numbers of questions, from 1.
            argument: What to call it in an error.

        Returns:
            The hearing; that its numbers exist is checked once the rounds are known.

        Raises:
            WrongType: It is neither words nor numbers.
            InvalidValue: There is no such way to hear.
        """
        if isinstance(given, Hearing):
            return given
        if not isinstance(given, str):
            numbers = _listed(given, argument)
            return cls("questions", numbers) if numbers else cls("nothing")
        form = _FORM.fullmatch(given)
        rule = f"must be one of {_WAYS}"
        if form is None:
            raise InvalidValue(argument, given, rule, "pick one of them")
        kind, inside = form[1], form[2]
        if kind == "all" and not inside:
            return cls("all")
        if kind == "nothing" and not inside:
            return cls("nothing")
        if kind == "last":
            return cls("last", _counted(inside or "1", argument, given))
        if kind == "every" and inside:
            return cls("every", _counted(inside, argument, given))
        if kind == "each" and inside:
            return each(inside, argument=argument)
        if kind in ("rounds", "coordinates", "questions") and inside:
            return cls(_NUMBERED[kind], _numbers(inside, argument, given))
        raise InvalidValue(argument, given, rule, "pick one of them")

    @property
    def random(self) -> bool:
        """Whether what is heard is drawn anew in each search."""
        return self.kind == "each" and 0 < self.chance < 1

    @property
    def plainest(self) -> Hearing:
        """The same questions as all or nothing, where they are that in every search."""
        every = self.kind == "every" and self.numbers == (1,)
        if every or (self.kind == "each" and self.chance == 1):
            return Hearing("all")
        return Hearing("nothing") if self.kind == "each" and not self.chance else self

    @property
    def words(self) -> str:
        """What is meant, after "she hears" or "she knows the answers of"."""
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
        """Which questions may be heard at all.

        Args:
            rounds: The rounds of the whole search, all coordinates together.
            argument: What to call it in an error.

        Returns:
            [questions] in the order of asking; for "each", all of them unless the chance is 0.

        Raises:
            InvalidValue: There is no round, coordinate or question of such a number.
        """
        turn = np.repeat(np.arange(len(rounds)), [len(each.coordinates) for each in rounds])
        axis = np.array([axis for each in rounds for axis in each.coordinates], np.int64)
        place = np.arange(len(turn)) + 1
        if self.kind in ("all", "nothing", "each"):
            heard = self.kind == "all" or (self.kind == "each" and self.chance > 0)
            return np.full(len(turn), heard)
        if self.kind == "every":
            return np.asarray(place % self.numbers[0] == 0)
        if self.kind == "last":
            return np.asarray(place > len(place) - self.numbers[0])
        what, first = {
            "rounds": (turn + 1, 1),
            "coordinates": (axis, 0),
            "questions": (place, 1),
        }[self.kind]
        last = len(rounds) if self.kind == "rounds" else int(what.max(initial=first))
        off = [number for number in self.numbers if not first <= number <= last]
        if off:
            rule = f"this search has {self.kind} {first} to {last}"
            raise InvalidValue(argument, off[0], rule, "name some of these")
        return np.isin(what, self.numbers)


def each(chance: Number, *, argument: str = "hears") -> Hearing:
    """Each question is heard with some probability, independently of the others.

    Args:
        chance: The probability; she notices which ones she missed.
        argument: What to call it in an error.

    Returns:
        The hearing.

    Raises:
        InvalidValue: It is no number from 0 to 1.
    """
    read = rational(chance, argument)
    if not 0 <= read <= 1:
        rule = "the probability of hearing a question must lie from 0 to 1"
        raise InvalidValue(argument, chance, rule, "values such as 1/2 work")
    return Hearing("each", chance=read)


ALL, NOTHING = Hearing("all"), Hearing("nothing")
_NUMBERED: dict[str, Kind] = {
    "rounds": "rounds",
    "coordinates": "coordinates",
    "questions": "questions",
}


def _listed(given: object, argument: str) -> tuple[int, ...]:
    """The numbers of questions, rising.

    Raises:
        WrongType: They are something else.
    """
    listed = tuple(given) if isinstance(given, Iterable) and not isinstance(given, bytes) else None
    if listed is None or not all(isinstance(each, int | np.integer) for each in listed):
        rule = "must be words, the numbers of questions, or a Hearing"
        remedy = "pass 'all', 'nothing', 'rounds(1-3)' or such as [1, 4]"
        raise WrongType.of(argument, given, rule, remedy)
    return tuple(sorted({int(each) for each in listed}))


def _counted(inside: str, argument: str, given: str) -> tuple[int]:
    if not inside.isdecimal() or int(inside) < 1:
        rule = "what stands in brackets must be a whole number of at least 1"
        raise InvalidValue(argument, given, rule, "every(2) is every second question")
    return (int(inside),)


def _numbers(inside: str, argument: str, given: str) -> tuple[int, ...]:
    """Numbers and ranges with commas between: 1,3-5."""
    found = set[int]()
    for word in inside.split(","):
        ends = [end.strip() for end in word.split("-")]
        if len(ends) > 2 or not all(end.isdecimal() for end in ends):
            rule = "what stands in brackets must be numbers and ranges with commas between"
            raise InvalidValue(argument, given, rule, "such as rounds(1,3-5)")
        found.update(range(int(ends[0]), int(ends[-1]) + 1))
    if not found:
        raise InvalidValue(argument, given, "ranges must rise", "such as rounds(3-5)")
    return tuple(sorted(found))
