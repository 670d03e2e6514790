"""What goes over the wire: the questions of a round out, one bit a question back.

A record of questions holds them exactly, as text filled up with spaces to one length: 64 signs, and
a power of two beyond that where a range's ends have dozens of digits. A record of bits has one byte
a question. So their sizes say nothing. Neither ever holds a result.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from feint.errors import InvalidValue, MissingExtra
from feint.exact import fraction, text
from feint.problem import Query

_ROOM = 64  # far above what a question takes on a lattice of 2^62 cells between short numbers
RECORD = "feint"
EARLIER = "query"
"""The type of messages before version 0.2, which took the place of a user's own query handler."""
ACTION = "feint"
KIND = f"{EARLIER}.{ACTION}"
"""The type of feint's messages; Flower routes it to the handler of this action alone."""


def flwr() -> Any:
    """Flower's own module of messages and records.

    Raises:
        MissingExtra: Flower is not installed.
    """
    try:
        import flwr.app as found
    except ImportError:
        raise MissingExtra("flower", "flwr") from None
    return found


class Question(NamedTuple):
    """Is your number at least this?

    Attributes:
        value: Where the question is put, exactly.
        coordinate: Which of the client's numbers it is about, from 0.
        exact: Whether a float is not fine enough for it in this search.
    """

    value: Fraction
    coordinate: int
    exact: bool

    @property
    def number(self) -> int | float | Fraction:
        """The value as a function gets it: an int when it is whole; a float where that is as good.

        The float is not above the value, so that a number which is the value is at least it.
        """
        if self.value.denominator == 1:
            return int(self.value)
        if self.exact:
            return self.value
        near = float(self.value)
        return near if near <= self.value else math.nextafter(near, -math.inf)


class Terms(NamedTuple):
    """How a search wants its bits flipped.

    Attributes:
        search: What the search is known by: 32 hexadecimal digits.
        loss: What one answer may lose, as local differential privacy.
    """

    search: str
    loss: Fraction


def questions(
    queries: Sequence[Query],
    *,
    dim: int | None = None,
    stepped: bool = False,
    terms: Terms | None = None,
) -> Any:
    """A record of questions: "is your number at least this?", each with its coordinate.

    Args:
        queries: What is asked.
        dim: How many numbers a client has; None: that is not known.
        stepped: Whether numbers are whole steps. What is asked then is the float that is not above
            the step: a client's 0.3 may be a float, which is less than 3/10, and no step lies
            between the two.
        terms: How bits are to be flipped; None: they are not.
    """
    held: dict[str, Any] = {
        "coordinate": [query.coordinate for query in queries],
        "value": [
            _filled(text(Fraction(query.number if stepped else query.value))) for query in queries
        ],
        "exact": [isinstance(query.number, Fraction) for query in queries],
        "dim": dim or 0,
    }
    if terms is not None:
        held |= {"search": terms.search, "loss": text(terms.loss)}
    return flwr().RecordDict({RECORD: flwr().ConfigRecord(held)})


def holds_questions(message: Any) -> bool:
    """Return True if a message asks feint's questions, by its type or as earlier versions did.

    A user's own message of type "query" has no record of this name with questions in it.
    """
    kind = message.metadata.message_type
    if kind == KIND or kind != EARLIER or not message.has_content():
        return bool(kind == KIND)
    return "value" in message.content.config_records.get(RECORD, {})


def read_questions(content: Any) -> tuple[list[Question], int | None]:
    """The questions of a record, and how many numbers a client must have; None: that is not said.

    Raises:
        InvalidValue: It holds none.
    """
    try:
        held = content.config_records[RECORD]
        columns = zip(held["value"], held["coordinate"], held["exact"], strict=True)
        asked = [
            Question(fraction(value.strip(), "value"), int(coordinate), bool(exact))
            for value, coordinate, exact in columns
        ]
        return asked, int(held["dim"]) or None
    except (AttributeError, KeyError, TypeError, ValueError):
        rule = "must hold the questions of a round, as feint sends them"
        raise InvalidValue(
            "message", "its content", rule, "answer only messages of feint"
        ) from None


def read_terms(content: Any) -> Terms | None:
    """Return how the questions of a record want bits flipped; None if they do not.

    Raises:
        InvalidValue: It says so in another way than feint does.
    """
    held = content.config_records[RECORD]
    if "search" not in held and "loss" not in held:
        return None
    try:
        terms = Terms(str(held["search"]), fraction(held["loss"], "loss"))
    except (KeyError, TypeError, ValueError, AttributeError):
        terms = Terms("", Fraction(0))
    if not re.fullmatch("[0-9a-f]{32}", terms.search) or terms.loss <= 0:  # it names a folder
        rule = "must name its search, and a positive loss"
        raise InvalidValue("message", "its content", rule, "answer only messages of feint")
    return terms


def _filled(number: str) -> str:
    """Text of one length, whatever the number: its digits would say something of it."""
    room = _ROOM
    while room < len(number):
        room *= 2
    return number.ljust(room)


def bits(answers: Sequence[bool]) -> Any:
    """A record of answers."""
    held = {"bits": bytes(answers)}
    return flwr().RecordDict({RECORD: flwr().ConfigRecord(held)})


def read_bits(content: Any, count: int) -> list[bool] | None:
    """The answers of a record; None where it is damaged, or not as long as it must be."""
    try:
        held = content.config_records[RECORD]["bits"]
    except (KeyError, TypeError, AttributeError):
        return None
    if not isinstance(held, bytes) or len(held) != count or set(held) - {0, 1}:
        return None
    return [bool(bit) for bit in held]
