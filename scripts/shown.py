"""Read the commands and their output from pages, for the tests and for a release."""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

_BLOCK = re.compile(r"^```console\n\$ \.venv/bin/feint (.*?)\n(.*?)^```", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^\|[^|]*\| \*\*(.+?)\*\*[^|]*\| `feint (.+?)` \|$", re.MULTILINE)


class Session(NamedTuple):
    """A command and what it prints, as a page shows it.

    Attributes:
        command: The words after `feint`, as typed.
        output: What it prints, line by line.
    """

    command: str
    output: list[str]

    @property
    def words(self) -> list[str]:
        """The words after `feint`, as a program gets them."""
        return shlex.split(self.command)


def sessions(page: str) -> list[Session]:
    """Return the blocks of a page that begin with `$ .venv/bin/feint`.

    Args:
        page: The text of the page.
    """
    return [Session(command, output.splitlines()) for command, output in _BLOCK.findall(page)]


def figures(page: str) -> list[tuple[str, str]]:
    """Return the figures in the tables of a page, each with the command in its row.

    >>> figures("| questions | **199** | `feint plan --level 15` |")
    [('199', 'plan --level 15')]
    """
    return _ROW.findall(page)


def prints(output: str, figure: str) -> bool:
    """Return True if a figure stands in an output by itself, and not as a part of another.

    >>> prints("27 questions", "27"), prints("0.27 of 427", "27")
    (True, False)
    """
    return re.search(rf"(?<![\w.,/]){re.escape(figure)}(?![\w/]|[.,]\d)", output) is not None
