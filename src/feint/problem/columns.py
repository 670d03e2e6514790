"""A CSV of what is believed, as people and spreadsheets write it: its heading and its numbers."""

from __future__ import annotations

import re
from typing import Any

from feint.errors import InvalidValue
from feint.exact import rational

_BETWEEN = re.compile(r"[;\t]")
"""What parts columns where it occurs at all: a comma is then a decimal one."""


def columns(words: str, name: str) -> tuple[str, list[list[str]]]:
    """The heading and the numbers of a table of one or two columns.

    Cells may stand in double quotes. Empty lines, and those that begin with #, say nothing.

    Args:
        words: The text of the file.
        name: What the file is called, for an error.

    Returns:
        The first column's heading in small letters, empty where there is none, and the rows, all
        of one length, every cell a number.

    Raises:
        InvalidValue: There are no numbers, or a line is something else; it is named by its number.
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
                rule = f"line {number} must be a value and a weight, or one number a line"
                raise InvalidValue("prior", name, rule, "check that line")
    if not rows:
        raise InvalidValue("prior", name, "holds no numbers", "give a value and a weight a line")
    return heading, rows


def is_number(word: Any) -> bool:
    """Whether it can be read as a finite number."""
    try:
        rational(word, "it")
    except InvalidValue:
        return False
    return True
