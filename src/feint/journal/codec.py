"""Events and rows as bytes whose length says nothing of what is in them.

Everything is JSON followed by spaces. An event that shows a round has room for the digits of any
place of 64 bits; whatever else is filled up to a power of two that is far above what an answer, a
vote or a date takes. So all events of a kind and a width have one length, and so have all votes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from feint.errors import BadState, InvalidValue
from feint.interfaces import OFFICE

LEAST = 128
_DIGITS = 21  # of a place below 2^63, with its sign and a comma
_LONGEST = 200


def packed(value: Mapping[str, Any]) -> bytes:
    """A mapping of plain values as JSON of a padded length."""
    text = json.dumps(value, separators=(",", ":")).encode()
    asked = value.get("ask")
    if isinstance(asked, list):
        longest = max((len(str(each)) + 1 for each in asked), default=0)
        digits = _DIGITS if longest <= _DIGITS else _room(longest)
        return text.ljust(LEAST + digits * len(asked))
    return text.ljust(_room(len(text)))


def unpacked(data: bytes) -> dict[str, Any]:
    """The mapping that was packed.

    Raises:
        BadState: It is none.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        rule = "must be an event or a row as it was written"
        raise BadState("journal", "something else", rule, "restore it from a backup")
    return value


def _room(length: int) -> int:
    room = LEAST
    while room < length:
        room *= 2
    return room


def checked_name(name: str) -> str:
    """A name that a search may have.

    Raises:
        InvalidValue: It may not.
    """
    fits = 0 < len(name) <= _LONGEST and name.isprintable() and name == name.strip()
    if not fits or name == OFFICE or "/" in name or name.startswith("."):
        rule = f'must be 1 to {_LONGEST} letters, digits and signs without "/", not "{OFFICE}"'
        raise InvalidValue("name", name, rule, "choose another, such as price-2026")
    return name
