"""Write text into CSV cells so that no spreadsheet runs it as a formula."""

from __future__ import annotations

import re

# Signs that begin a formula in some spreadsheet, in ASCII and in full width. A program may split
# lines at semicolons or tabs instead of commas, so a cell may begin after any of them.
_BEGINS = re.compile(r"(^|[,;|\t\r\n])([\s\"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
_NUMBER = re.compile(r"\s*[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?(/[0-9]+)?\s*")


def as_text(cell: str) -> str:
    """Return a cell that a spreadsheet displays and does not compute.

    Args:
        cell: Any text, such as a label that a user chose.

    Returns:
        The same text, with an apostrophe before anything that could begin a formula. Numbers,
        including negative ones, stay unchanged.
    """
    return cell if _NUMBER.fullmatch(cell) else _BEGINS.sub(r"\1\2'", cell)
