"""Read a prior from CSV as people and spreadsheets write it: its heading and its numbers."""

from __future__ import annotations

import re
from typing import Any

from feint.errors import InvalidValue
from feint.exact import rational

_BETWEEN = re.compile(r"[;\t]")
"""Separators that are unambiguous: if a text has one, its commas are decimal points."""


def columns(words: str, name: str) -> tuple[str, list[list[str]]]:
    """Return the heading and the numbers of a table of one or two columns.

    Cells may stand in double quotes. Empty lines, and lines that begin with #, are skipped.

    Args:
        words: The text of the file.
        name: The name of the file in an error.

    Returns:
        The first column's heading in small letters, which is empty if there is none, and the rows,
        which have the same length and only numbers.

    Raises:
        InvalidValue: There are no numbers, or a line is malformed; the message has its number.
    """
    parted = _BETWEEN if _BETWEEN.search(words) else re.compile(r"[,\s]")
    rows: list[list[str]] = []
    heading = ""
    for number, line in enumerate(words.removeprefix("\ufeff").splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        split = (each.strip().strip('"').strip() for each in parted.split(line))
        row = [each.replace("\N{MINUS SIGN}", "-").replace(",", ".") for each in split if each]
        if row and not rows and not heading and not any(map(is_number, row)):
            heading = row[0].lower()
        elif row:
            rows.append(row)
            if len(row) not in (1, 2) or len(row) != len(rows[0]) or not all(map(is_number, row)):
                rule = f"line {number} must be a value and a weight, or a single number"
                raise InvalidValue("prior", name, rule, "check that line")
    if not rows:
        raise InvalidValue("prior", name, "holds no numbers", "give a value and a weight per line")
    return heading, rows


def is_number(word: Any) -> bool:
    """Return True if a text can be read as a finite number."""
    try:
        rational(word, "it")
    except InvalidValue:
        return False
    return True
