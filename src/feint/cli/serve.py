"""`feint serve`: searches with many respondents, over HTTP."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated

from feint.cli import show
from feint.cli.flags.flag import flag, flagged, switch
from feint.cli.flags.place import DatabaseFlags
from feint.exact import whole

Host = Annotated[str, flag("Where to listen. Default: 127.0.0.1.", "ADDRESS", "The server")]
Port = Annotated[str, flag("At which port. Default: 8000.", "COUNT", "The server")]
Workers = Annotated[str, flag("How many processes. Default: 1.", "COUNT", "The server")]
Proxies = Annotated[
    str,
    flag(
        "Proxies whose word about who asks is taken, with commas between. Default: 127.0.0.1.",
        "ADDRESS",
        "The server",
    ),
]
Rate = Annotated[
    str | None,
    flag("Requests a second of one token, 0 for any number. Default: 50.", "COUNT", "The server"),
]
Hours = Annotated[
    str | None,
    flag("Hours after which the owner opens the link again. Default: 12.", "COUNT", "The server"),
]
NewOwner = Annotated[
    bool,
    switch(
        "--new-owner",
        "Make a new owner's token; the old one and its sessions are revoked.",
        "The server",
    ),
]


def serve(
    *,
    host: Host = "127.0.0.1",
    port: Port = "8000",
    workers: Workers = "1",
    proxies: Proxies = "127.0.0.1",
    rate: Rate = None,
    session_hours: Hours = None,
    new_owner: NewOwner = False,
    where: DatabaseFlags,
) -> None:
    """Serve searches to many respondents; the owner's link is printed once."""
    with _loading():
        from feint.server import Settings, serve

    settings = Settings.from_environment(database=where.url, key_file=where.key)
    if rate is not None:
        settings = settings.paced(whole(rate, "--rate", least=0))
    if session_hours is not None:
        hours = whole(session_hours, "--session-hours", least=1, most=24 * 365)
        settings = replace(settings, session=3600 * hours)
    if (advice := where.advice()) is not None:
        show.complain(advice)
    with flagged(port="--port"):
        serve(
            settings,
            host=host,
            port=whole(port, "--port", least=0, most=65535),
            workers=whole(workers, "--workers", least=1, most=256),
            proxies=proxies,
            new_owner=new_owner,
            say=_say,
        )


@contextmanager
def _loading() -> Iterator[None]:
    """Load without looking for garbage: there is none, and it takes a tenth of the start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # nor is what was loaded looked through later
        gc.enable()


def _say(link: str) -> None:
    if "#" in link:
        show.lines("The owner's link, printed this once (it is as good as a password):", link)
    else:
        where = f"At {link}, for whoever has the owner's link of the first start;"
        show.lines(f"{where} --new-owner makes a new one.")
