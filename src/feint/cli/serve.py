"""Define `feint serve`, which runs searches with many respondents over HTTP."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from feint.cli import show
from feint.cli.flags.place import DatabaseFlags
from feint.cli.flags.wording import flagged


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    proxies: str = "127.0.0.1",
    rate: int | None = None,
    session_hours: int | None = None,
    new_owner: bool = False,
    where: DatabaseFlags,
) -> None:
    """Serve searches to many respondents. The owner's link is printed once."""
    with _loading():
        from feint.server import Settings, serve

    settings = Settings.from_environment(database=where.url, key_file=where.key)
    if rate is not None:
        settings = settings.paced(rate)
    if session_hours is not None:
        settings = replace(settings, session=3600 * session_hours)
    if (advice := where.advice()) is not None:
        show.complain(advice)
    with flagged(port="--port"):
        serve(
            settings,
            host=host,
            port=port,
            workers=workers,
            proxies=proxies,
            new_owner=new_owner,
            say=_say,
        )


@contextmanager
def _loading() -> Iterator[None]:
    """Import without garbage collection, which would take a tenth of the starting time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # later collections skip imported objects
        gc.enable()


def _say(link: str) -> None:
    if "#" in link:
        show.lines(
            "The owner's link. It is printed only this once, and is as good as a password:", link
        )
    else:
        where = f"At {link}, for the holder of the owner's link of the first start;"
        show.lines(f"{where} --new-owner makes a new one.")
