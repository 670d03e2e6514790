"""`feint watch`: say whenever a search on a server moves on."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from feint.cli import show
from feint.cli.flags.flag import flag
from feint.cli.flags.place import TOKEN, Name, token
from feint.errors import Unavailable

if TYPE_CHECKING:
    from feint.server.client import RemoteSearch

Url = Annotated[
    str, flag(f"The server's address; the token is in {TOKEN}.", "URL", "Where it is kept")
]


_TRIES = 3  # streams in a row that tell nothing new, before it is given up


def watch(*, name: Name, server: Url) -> None:
    """Print a line whenever a search moves on, until it is done.

    A server that is started again is asked anew; one that stays away is an error, and so is a
    search that is deleted.
    """
    from feint.server.client import Client

    with Client(server, token()) as client:
        if not _followed(client.search(name)):
            said = "the server ends every stream before the search is done"
            raise Unavailable(f"{said}; see whether it is stopping, and watch again")


def _followed(search: RemoteSearch) -> bool:
    """Print where a search stands whenever that changes: True once it is done, False: in vain."""
    last, vain = None, 0
    while vain < _TRIES:
        vain += 1
        with suppress(Unavailable):
            for news in search.watch():
                if news != last:
                    last, vain = news, 0
                    show.lines(f"{search.name}: {news['standing']}, round {news['round'] + 1}")
                    sys.stdout.flush()  # or whoever reads a pipe hears of it at the end
                if news["standing"] == "done":
                    return True
        search.status()  # whether it and the server are there; asked a number of times
    return False
