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
        settings: The settings.
        host: The address to listen on.
        port: The port; 0: any that is free.
        workers: The number of processes.
        proxies: The addresses of trusted proxies, which report the client's address.
        new_owner: True to create a new token for the owner and revoke the old one.
        say: Receives the server's address; if the owner's token is new, with the token after the #.

    Raises:
        InvalidValue: The server cannot listen on this address and port, for example because it is
            taken.
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
        "ws": "none",  # the application has no web sockets
        "forwarded_allow_ips": proxies,
        "timeout_graceful_shutdown": int(settings.grace),
        "http": protocol(),
        # `LimitedH11` refuses at `head` with a reason, so h11's own limit must be higher.
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
    """Return the server's URL; IPv6 addresses are in brackets."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _check_free(host: str, port: int) -> None:
    """Check that the server can listen there, before the owner's link is printed.

    Raises:
        InvalidValue: The server cannot listen there.
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
