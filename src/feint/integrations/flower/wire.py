"""What goes over the wire: the questions of a round out, one bit a question back.

A record of questions holds them exactly, as text; a record of bits has one byte a question, so that
its size says nothing. Neither ever holds a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from feint.errors import InvalidValue, MissingExtra
from feint.exact import text
from feint.problem import Query

RECORD = "feint"
KIND = "query"
"""The category of Flower's messages that ask, and do not train."""


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


def questions(queries: Sequence[Query]) -> Any:
    """A record of questions: "is your number at least this?", each with its coordinate."""
    held = {
        "coordinate": [query.coordinate for query in queries],
        "value": [text(query.value) for query in queries],
    }
    return flwr().RecordDict({RECORD: flwr().ConfigRecord(held)})


def read_questions(content: Any) -> list[tuple[Fraction, int]]:
    """The questions of a record: each number with its coordinate.

    Raises:
        InvalidValue: It holds none.
    """
    try:
        held = content.config_records[RECORD]
        pairs = zip(held["value"], held["coordinate"], strict=True)
        return [(Fraction(value), int(coordinate)) for value, coordinate in pairs]
    except (KeyError, TypeError, ValueError):
        rule = "must hold the questions of a round, as feint sends them"
        raise InvalidValue(
            "message", "its content", rule, "answer only messages of feint"
        ) from None


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
