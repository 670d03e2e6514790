"""The file that keeps a search, as commands name it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

from feint.cli.flags.flag import flag

STATE = Path("feint-search.jsonl")

State = Annotated[
    Path,
    flag(f"The file that keeps the search; secret. Default: {STATE}.", "FILE", "The search"),
]


def go_on(state: Path) -> str:
    """The command that goes on with the search in a file."""
    where = "" if state == STATE else f" --state {shlex.quote(str(state))}"
    return f"feint run --resume{where}"
