"""Write and read messages: the questions of a round, and one bit per question back.

A record of questions contains them exactly, as text padded with spaces to one length: 64
characters, or a power of two above that if the ends of the range have dozens of digits. A record of
bits has one byte per question. So their sizes reveal nothing. Neither ever contains a result.
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

_ROOM = 64  # far above the length of a question on a lattice of 2^62 cells between short numbers
RECORD = "feint"
EARLIER = "query"
"""The type of messages before version 0.2, which replaced a user's own query handler."""
ACTION = "feint"
KIND = f"{EARLIER}.{ACTION}"
"""The type of feint's messages. Flower passes them only to the handler of this action."""


def flwr() -> Any:
    """Return Flower's own module of messages and records.

    Raises:
        MissingExtra: Flower is not installed.
    """
    try:
        import flwr.app as found
    except ImportError:
        raise MissingExtra("flower", "flwr") from None
    return found


class Question(NamedTuple):
    """A question: is your number at least this?

    Attributes:
        value: The exact number in the question.
        coordinate: The index of the client's number, from 0.
        exact: True if a float is not fine enough for the value in this search.
    """

    value: Fraction
    coordinate: int
    exact: bool

    @property
    def number(self) -> int | float | Fraction:
        """Return the value for a function: an int if it is whole, a float if that is fine enough.

        The float is not above the value, so a number that equals the value is at least the float.
        """
        if self.value.denominator == 1:
            return int(self.value)
        if self.exact:
            return self.value
        near = float(self.value)
        return near if near <= self.value else math.nextafter(near, -math.inf)


class Terms(NamedTuple):
    """The terms of a search for flipped bits.

    Attributes:
        search: The name of the search for clients, 32 hexadecimal digits.
        loss: The allowed local privacy loss of one answer.
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
    """Return a record of questions: "is your number at least this?", each with its coordinate.

    Args:
        queries: The questions.
        dim: The number of numbers that each client has. None: not known.
        stepped: True if numbers are whole steps. The value in a question is then the largest float
            that is not above the step: a client's 0.3 may be a float, which is less than 3/10, and
            no step lies between the two.
        terms: The terms for flipped bits. None: bits are not flipped.
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
    """Return True if a message asks feint's questions, by its type or as in earlier versions.

    A user's own message of type "query" has no record of this name with questions.
    """
    kind = message.metadata.message_type
    if kind == KIND or kind != EARLIER or not message.has_content():
        return bool(kind == KIND)
    return "value" in message.content.config_records.get(RECORD, {})


def read_questions(content: Any) -> tuple[list[Question], int | None]:
    """Return the questions of a record and the number of numbers per client, None if not stated.

    Raises:
        InvalidValue: The record has no questions.
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
        rule = "must contain the questions of a round, as feint sends them"
        raise InvalidValue(
            "message", "its content", rule, "answer only messages of feint"
        ) from None


def read_terms(content: Any) -> Terms | None:
    """Return the terms of a record for flipped bits; None if bits are not to be flipped.

    Raises:
        InvalidValue: The terms are not as feint writes them.
    """
    held = content.config_records[RECORD]
    if "search" not in held and "loss" not in held:
        return None
    try:
        terms = Terms(str(held["search"]), fraction(held["loss"], "loss"))
    except (KeyError, TypeError, ValueError, AttributeError):
        terms = Terms("", Fraction(0))
    # the name becomes the name of a folder
    if not re.fullmatch("[0-9a-f]{32}", terms.search) or terms.loss <= 0:
        rule = "must name its search, and a positive loss"
        raise InvalidValue("message", "its content", rule, "answer only messages of feint")
    return terms


def _filled(number: str) -> str:
    """Return text of one length for any number, since its digits would reveal something."""
    room = _ROOM
    while room < len(number):
        room *= 2
    return number.ljust(room)


def bits(answers: Sequence[bool]) -> Any:
    """Return a record of answers."""
    held = {"bits": bytes(answers)}
    return flwr().RecordDict({RECORD: flwr().ConfigRecord(held)})


def read_bits(content: Any, count: int) -> list[bool] | None:
    """Return the answers of a record; None if it is damaged or has the wrong length."""
    try:
        held = content.config_records[RECORD]["bits"]
    except (KeyError, TypeError, AttributeError):
        return None
    if not isinstance(held, bytes) or len(held) != count or set(held) - {0, 1}:
        return None
    return [bool(bit) for bit in held]
