"""`feint export`: a whole search as JSON, to go on with elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag
from feint.cli.flags.place import DatabaseFlags, Name, Place, Server, place
from feint.errors import InvalidValue, NotOpen
from feint.search import write_private

To = Annotated[
    Path, flag("A new file, which only you may read.", "FILE", "Output", "--to", dir_okay=False)
]


def export(*, name: Name, server: Server = None, where: DatabaseFlags, to: To) -> None:
    """Write a whole search with its key and its answers to a file. Secret.

    Pause or archive it first, and go on with one copy only. Respondents, and votes on questions
    that are still open, are not in it: it says how many votes.
    """
    kept = place(server, where)
    document, left = kept.search(name).to_json(), _votes(kept, name)
    try:
        write_private(to, document.encode())
    except FileExistsError:
        raise InvalidValue("--to", to, "there is a file of this name", "name a new one") from None
    show.lines(f"{name} is in {to}, with its key: whoever reads it knows what you know.")
    if left:
        cast = "is not in it, and must be cast" if left == 1 else "are not in it, and must be cast"
        open_still = f"{show.count(left, 'vote')} on questions that are still open"
        show.lines(f"{open_still} {cast} again where it goes on.")


def _votes(kept: Place, name: str) -> int:
    """How many votes there are that are no answer yet."""
    try:
        questions = kept.status(name)["questions"]
    except NotOpen:  # a program answers it, and nobody votes
        return 0
    return sum(each["yes"] + each["no"] for each in questions if not each["closed"])
