"""`feint backup`: a consistent copy of the database while it is in use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag
from feint.cli.flags.place import DatabaseFlags

To = Annotated[
    Path, flag("A new file, which only you may read.", "FILE", "Output", "--to", dir_okay=False)
]


def backup(*, where: DatabaseFlags, to: To) -> None:
    """Copy the database while it is in use; the copy is sealed, and its key is not in it."""
    from feint.journal import backup

    backup(where.url, to)
    show.lines(f"The copy is {to}. It opens with the key of today, which is not in it.")
