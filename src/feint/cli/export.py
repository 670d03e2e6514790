"""`feint export`: a whole search as JSON, to go on with elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag
from feint.cli.flags.place import DatabaseFlags, Name, Server, place
from feint.errors import InvalidValue
from feint.search import write_private

To = Annotated[
    Path, flag("A new file, which only you may read.", "FILE", "Output", "--to", dir_okay=False)
]


def export(*, name: Name, server: Server = None, where: DatabaseFlags, to: To) -> None:
    """Write a whole search with its key and its answers to a file. Secret.

    Pause or archive it first, and go on with one copy only.
    """
    document = place(server, where).search(name).to_json()
    try:
        write_private(to, document.encode())
    except FileExistsError:
        raise InvalidValue("--to", to, "there is a file of this name", "name a new one") from None
    show.lines(f"{name} is in {to}, with its key: whoever reads it knows what you know.")
