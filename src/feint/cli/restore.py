"""`feint restore`: make a database from a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag
from feint.cli.flags.place import DatabaseFlags

From = Annotated[
    Path,
    flag("The file that feint backup wrote.", "FILE", "Where it is kept", "--from", dir_okay=False),
]


def restore(*, where: DatabaseFlags, source: From) -> None:
    """Make a new database from a backup, and check all of it.

    Searches go on from where they stood when the copy was made. Rounds that were shown since then
    are shown again with the same coins. Give the same answers as before: different ones tell an
    eavesdropper who heard both more than the plan allows.
    """
    from feint.journal import read_key, restore

    count = restore(where.url, source, key=read_key(where.key, create=False))
    show.lines(
        f"{count} searches are restored, each as it was when the copy was made.",
        "Rounds that were shown since then will be shown again with the same coins. Give the same"
        " answers as before: others would tell an eavesdropper who heard both more than the plan"
        " allows. If you cannot, archive the search, and begin none for the same number.",
        "Compare each counter (feint status) with the one you noted.",
    )
