"""`feint watch`: say whenever a search on a server moves on."""

from __future__ import annotations

from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag
from feint.cli.flags.place import TOKEN, Name, token

Url = Annotated[
    str, flag(f"The server's address; the token is in {TOKEN}.", "URL", "Where it is kept")
]


def watch(*, name: Name, server: Url) -> None:
    """Print a line whenever a search moves on, until it is done."""
    from feint.client import Client

    with Client(server, token()) as client:
        for news in client.search(name).watch():
            show.lines(f"{name}: {news['standing']}, round {news['round'] + 1}")
            if news["standing"] == "done":
                return
