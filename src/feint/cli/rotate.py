"""`feint rotate`: a new master key for the database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag
from feint.cli.flags.place import DatabaseFlags

To = Annotated[
    Path | None,
    flag(
        "The file of the new key, which is made if there is none. Default: the key file, in which"
        " the new key takes the place of the old one.",
        "FILE",
        "Output",
        "--to",
        dir_okay=False,
    ),
]


def rotate(*, where: DatabaseFlags, to: To = None) -> None:
    """Give the database a new master key; the old one opens it no more.

    Stop the server first, and start it again with the new key. Backups open with the key of their
    time: with --to the old key file stays as it is. If it is cut off, run it again.
    """
    from feint.journal import rotate_key

    held = rotate_key(where.url, where.key, to=to)
    show.lines(f"The database opens with the key in {held}, and with the old one no more.")
