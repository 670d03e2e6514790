"""`feint rotate`: a new master key for the database, or new data keys in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag, switch
from feint.cli.flags.place import DatabaseFlags
from feint.errors import InvalidValue

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


Data = Annotated[
    bool,
    switch(
        "--data",
        "Leave the master key, and give every search a new data key: all of it is sealed anew.",
        "Output",
    ),
]


def rotate(*, where: DatabaseFlags, to: To = None, data: Data = False) -> None:
    """Give the database a new master key; the old one opens it no more.

    Stop the server first, and start it again with the new key. Backups open with the key of their
    time: with --to the old key file stays as it is. If it is cut off, run it again.

    With --data the keys of the searches are replaced, and the server may go on. Copies of single
    searches that were made before are refused afterwards.
    """
    from feint.journal import rotate_data_keys, rotate_key

    if data:
        if to is not None:
            rule = "--data leaves the master key as it is"
            raise InvalidValue("--to", to, rule, "leave one of them out")
        count = rotate_data_keys(where.url, where.key)
        show.lines(f"{count} searches have new data keys.")
        return
    held = rotate_key(where.url, where.key, to=to)
    show.lines(f"The database opens with the key in {held}, and with the old one no more.")
