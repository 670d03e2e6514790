"""Text for the cells of a CSV file, written so that no spreadsheet runs it as a formula."""

from __future__ import annotations

import re

# What begins a formula in one spreadsheet or another, in ASCII and in full width. A program may
# split lines at semicolons or tabs instead of commas, so that a cell may begin after any of them.
_BEGINS = re.compile(r"(^|[,;|\t\r\n])([\s\"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
_NUMBER = re.compile(r"\s*[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?(/[0-9]+)?\s*")


def as_text(cell: str) -> str:
    """Return a cell that a spreadsheet shows and does not compute.

    Args:
        cell: Any text, such as a label that somebody chose.

    Returns:
        The same text, with an apostrophe before whatever could begin a formula. A number stays as
        it is, a negative one too.
    """
    return cell if _NUMBER.fullmatch(cell) else _BEGINS.sub(r"\1\2'", cell)
