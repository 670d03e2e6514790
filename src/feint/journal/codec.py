"""Encode events and rows as bytes whose length is independent of secret content.

The format is JSON padded with spaces. An event that shows a round has room for the digits of any
64-bit place. Everything else is padded to a power of two well above the size of an answer, a vote
or a date. So all events of one kind and width have the same length, and so have all votes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from feint.errors import BadState, InvalidValue
from feint.interfaces import OFFICE

LEAST = 128
_DIGITS = 21  # digits of a place below 2^63, with its sign and a comma
_LONGEST = 200


def packed(value: Mapping[str, Any]) -> bytes:
    """Encode a mapping of plain values as padded JSON."""
    text = json.dumps(value, separators=(",", ":")).encode()
    asked = value.get("ask")
    if isinstance(asked, list):
        longest = max((len(str(each)) + 1 for each in asked), default=0)
        digits = _DIGITS if longest <= _DIGITS else _room(longest)
        return text.ljust(LEAST + digits * len(asked))
    return text.ljust(_room(len(text)))


def unpacked(data: bytes) -> dict[str, Any]:
    """Decode a packed mapping.

    Raises:
        BadState: The bytes are not a packed mapping.
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
    """Return the name of a search after checking it.

    Raises:
        InvalidValue: The name is not allowed.
    """
    fits = 0 < len(name) <= _LONGEST and name.isprintable() and name == name.strip()
    if not fits or name == OFFICE or "/" in name or name.startswith("."):
        rule = f'must be 1 to {_LONGEST} letters, digits and signs without "/", not "{OFFICE}"'
        raise InvalidValue("name", name, rule, "choose another, such as price-2026")
    return name
