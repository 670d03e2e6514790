"""Encode messages: the questions of a round, and replies with one bit per question.

A record of questions holds their exact values as text, padded with spaces to one length: 64
characters, or the next power of two if the ends of a range have dozens of digits. A record of bits
has one byte per question. So the sizes of records reveal nothing. No record ever contains a result.
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
"""The type of messages before version 0.2, which took the place of a user's own query handler."""
ACTION = "feint"
KIND = f"{EARLIER}.{ACTION}"
"""The type of feint's messages; Flower routes it to the handler of this action alone."""


def flwr() -> Any:
    """Import Flower's module of messages and records.

    Raises:
        MissingExtra: Flower is not installed.
    """
    try:
        import flwr.app as found
    except ImportError:
        raise MissingExtra("flower", "flwr") from None
    return found


class Question(NamedTuple):
    """The question "is your number at least this?".

    Attributes:
        value: The exact value that it asks about.
        coordinate: The index of the client's number that it is about, from 0.
        exact: Whether a float is too coarse for it in this search.
    """

    value: Fraction
    coordinate: int
    exact: bool

    @property
    def number(self) -> int | float | Fraction:
        """The value for a function: an int if it is whole; a float if that is fine enough.

        The float is not above the value, so that a number equal to the value is at least the float.
        """
        if self.value.denominator == 1:
            return int(self.value)
        if self.exact:
            return self.value
        near = float(self.value)
        return near if near <= self.value else math.nextafter(near, -math.inf)


class Terms(NamedTuple):
    """The terms of a search for flipping bits.

    Attributes:
        search: The identifier of the search: 32 hexadecimal digits.
        loss: The privacy loss of one answer, as local differential privacy.
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
    """Build a record of questions "is your number at least this?", each with its coordinate.

    Args:
        queries: The questions.
        dim: The number of numbers of a client; None: unknown.
        stepped: Whether numbers are whole steps. Questions then use the nearest float that is not
            above the step: a client's 0.3 may be a float, which is less than 3/10, and no step lies
            between the two.
        terms: The terms for flipping bits; None: bits are not flipped.
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
    """Return True if a message has feint's questions, by its type or as in earlier versions.

    A user's own message of type "query" has no record of this name with questions in it.
    """
    kind = message.metadata.message_type
    if kind == KIND or kind != EARLIER or not message.has_content():
        return bool(kind == KIND)
    return "value" in message.content.config_records.get(RECORD, {})


def read_questions(content: Any) -> tuple[list[Question], int | None]:
    """Return the questions of a record, and the number of numbers of a client; None: unknown.

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
        rule = "must hold the questions of a round, as feint sends them"
        raise InvalidValue(
            "message", "its content", rule, "answer only messages of feint"
        ) from None


def read_terms(content: Any) -> Terms | None:
    """Return the terms of a record for flipping bits; None if bits are not flipped.

    Raises:
        InvalidValue: The terms are malformed.
    """
    held = content.config_records[RECORD]
    if "search" not in held and "loss" not in held:
        return None
    try:
        terms = Terms(str(held["search"]), fraction(held["loss"], "loss"))
    except (KeyError, TypeError, ValueError, AttributeError):
        terms = Terms("", Fraction(0))
    # it becomes the name of a folder
    if not re.fullmatch("[0-9a-f]{32}", terms.search) or terms.loss <= 0:
        rule = "must name its search, and a positive loss"
        raise InvalidValue("message", "its content", rule, "answer only messages of feint")
    return terms


def _filled(number: str) -> str:
    """Return a number as text of a fixed length, since its digits would reveal something."""
    room = _ROOM
    while room < len(number):
        room *= 2
    return number.ljust(room)


def bits(answers: Sequence[bool]) -> Any:
    """Build a record of answers."""
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
