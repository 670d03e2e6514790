"""Run the server: one process, or several workers on one database."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from feint.errors import InvalidValue
from feint.journal import SQL, read_key
from feint.journal.polls import Polls
from feint.server.app import application
from feint.server.connections import protocol
from feint.server.guard import log_lines
from feint.server.settings import Settings

_LONGEST = 1 << 30


def serve(
    settings: Settings,
    *,
    host: str,
    port: int,
    workers: int = 1,
    proxies: str = "127.0.0.1",
    new_owner: bool = False,
    say: Callable[[str], None],
) -> None:
    """Serve until asked to stop; then requests are finished, and streams are closed.

    Args:
        settings: How it is set up.
        host: The address to listen at.
        port: The port; 0: any that is free.
        workers: How many processes.
        proxies: The addresses whose word about who asks is taken.
        new_owner: Make a new token for the owner; the old one is revoked.
        say: Told the server's address: with the owner's token behind the # where it is new, once.

    Raises:
        InvalidValue: Nobody can listen at this address and port, such as one that is taken.
        FeintError: The database cannot be opened.
    """
    _check_free(host, port)
    log_lines()
    polls = Polls(SQL(settings.database, key=read_key(settings.key_file)))
    token = polls.tokens.own(again=new_owner)
    say(_address(host, port) + ("" if token is None else f"#token={token}"))
    common: dict[str, Any] = {
        "host": host,
        "port": port,
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "ws": "none",  # there are no web sockets here
        "forwarded_allow_ips": proxies,
        "timeout_graceful_shutdown": int(settings.grace),
        "http": protocol(),
        # Ours refuses at `head`, and says so: h11's own limit, if h11 is used, comes after it.
        "h11_max_incomplete_event_size": settings.head or _LONGEST,
        # uvicorn takes whole seconds, and 0 would end a connection before its next request.
        "timeout_keep_alive": max(1, round(settings.idle_time)),
    }
    if workers == 1:
        uvicorn.run(application(settings, polls=polls), **common)
        return
    polls.close()
    os.environ.update(settings.to_environment())
    uvicorn.run("feint.server:from_environment", factory=True, workers=workers, **common)


def _address(host: str, port: int) -> str:
    """Where a browser finds the server; an address of IPv6 stands in brackets."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _check_free(host: str, port: int) -> None:
    """See that one can listen there, before the owner's link is printed.

    Raises:
        InvalidValue: One cannot.
    """
    try:
        where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = where[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
    except OSError as error:
        rule = f"cannot listen at {host}: {error.strerror}"
        raise InvalidValue("port", port, rule, "free it, or name another") from None
