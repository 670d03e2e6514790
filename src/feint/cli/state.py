"""The file that keeps a search, as commands name it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from feint.cli.flags.flag import flag
from feint.errors import BadState

if TYPE_CHECKING:
    from feint.search import Search

STATE = Path("feint-search.jsonl")

State = Annotated[
    Path,
    flag(f"The file that keeps the search; secret. Default: {STATE}.", "FILE", "The search"),
]


BEGIN = "feint run --low 0 --high 120 --epsilon 5 --delta 30 --level 3"
"""A command that begins a search, as an example."""


def held(state: Path) -> Search:
    """The search in a file.

    Raises:
        BadState: There is none, and then the message says how to begin one; or it cannot be read.
        FeintError: It cannot be resumed.
    """
    from feint.search import load

    if not state.exists():
        rule = "there is no such file, so no search was begun here"
        remedy = f"begin one, such as {BEGIN}, or name its file"
        raise BadState("state", state, rule, remedy)
    return load(state)


def go_on(state: Path) -> str:
    """The command that goes on with the search in a file."""
    where = "" if state == STATE else f" --state {shlex.quote(str(state))}"
    return f"feint run --resume{where}"
