"""Parse JSON from files and messages strictly, so that no input can stall or surprise the caller.

The json module accepts NaN and Infinity, keeps the last of two fields with one name, and raises
RecursionError on deep nesting. Here each of these is a ValueError.
"""

from __future__ import annotations

import json
import math
from typing import Any

LONGEST = 4300
"""The most digits of a whole number. Python refuses to print longer ones, so no file has one."""


def parse(text: str | bytes) -> Any:
    """Return the value of a JSON document.

    Args:
        text: The document; bytes are read as UTF-8.

    Raises:
        ValueError: The text is not JSON, or it has a number that is too long or not finite, two
            fields with one name, or too many levels.
    """
    try:
        return json.loads(
            text,
            parse_int=_whole,
            parse_float=_finite,
            parse_constant=_refused,
            object_pairs_hook=_fields,
        )
    except RecursionError:
        raise ValueError("the document is nested too deeply") from None


def _whole(digits: str) -> int:
    # The time to read digits grows with the square of their number, so count them first.
    if len(digits) > LONGEST:
        raise ValueError("a number has too many digits")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refused(digits)


def _refused(word: str) -> float:
    raise ValueError("a number is not finite")


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("two fields have the same name")
    return found
