"""Limit connections before a request is complete: their number, the length of a head, the time.

uvicorn itself waits for a request without a time limit and buffers a head of any length. The
classes here stand between uvicorn and the socket. They track the phase of every connection:

- head: the request line and headers are incomplete;
- body: the head is complete, the body is not;
- answering: the request is complete, the response is not;
- idle: there is no request; uvicorn closes the connection after its keep-alive time.

Every phase has a time limit except answering, which may be a stream. If all places are taken, a new
connection displaces the one that has been *waiting* longest (in any phase but answering). So
half-open connections never keep other clients out.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from importlib import import_module
from importlib.util import find_spec
from ipaddress import IPv6Address, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from feint.server.settings import Settings

Phase = Literal["head", "body", "answering", "idle", "refused"]

STATE = "feint_connections"
"""The name under which the application's lifespan hands its `Connections` to the protocol."""

_DEFAULTS = Settings(database="", key_file=Path())  # used if no application provides its own
_RESERVE = 256  # open files besides connections: the database, the log, Python modules
_HEADERS = 100  # Apache's LimitRequestFields; 8,000 tiny ones would take 1 MiB as objects
_PIPELINED = 8  # pipelined requests; browsers and proxies send none
_LINGER = 2.0  # seconds to read and discard what a refused client still sends
_SAID = {
    400: ("bad_request", "the request cannot be read as HTTP"),
    408: ("too_slow", "the request did not arrive in time; send it again, and faster"),
    431: ("too_long", "the request line and headers are too long; send less"),
    503: ("unavailable", "too many connections are open; try again in a second"),
}


class Connections:
    """Track the open connections of one process and choose which to close for a new one.

    Attributes:
        settings: The limits.
        closed: How many connections were closed or refused, by reason.
    """

    def __init__(self, settings: Settings) -> None:
        """Start without connections."""
        self.settings = settings
        self.closed: Counter[str] = Counter()
        self._most = _affordable(settings.connections)
        # By address; dicts keep the order in which connections began to wait.
        self._waiting: dict[str, dict[Limited, None]] = {}
        self._all: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of open connections."""
        return self._all.total()

    def admit(self, connection: Limited, address: str, *, shared: bool) -> bool:
        """Find a place for a new connection, and close a waiting one if all are taken.

        Args:
            connection: The new connection, in phase head.
            address: Its address, as `group` writes it.
            shared: Whether many clients share this address, as behind a proxy. Such an address has
                no limit of its own.

        Returns:
            False if every place is taken by a request that is being answered.
        """
        own = self.settings.address_connections
        if own and not shared and self._all[address] >= own:
            if not self._evict(address):
                return False
        elif self._most and len(self) >= self._most:
            # The address with the most connections loses one, so a flood closes its own.
            most = max(self._waiting, key=self._all.__getitem__, default=None)
            if most is None or not self._evict(most):
                return False
        self._all[address] += 1
        self._waiting.setdefault(address, {})[connection] = None
        return True

    def move(self, connection: Limited, address: str, *, waiting: bool) -> None:
        """Record the new phase of a connection."""
        if waiting:
            self._waiting.setdefault(address, {})[connection] = None
        else:
            self._stop_waiting(connection, address)

    def leave(self, connection: Limited, address: str) -> None:
        """Remove a connection that has ended."""
        self._stop_waiting(connection, address)
        self._all[address] -= 1
        if not self._all[address]:
            del self._all[address]

    def _stop_waiting(self, connection: Limited, address: str) -> None:
        of_address = self._waiting.get(address, {})
        of_address.pop(connection, None)
        if not of_address:
            self._waiting.pop(address, None)

    def _evict(self, address: str) -> bool:
        of_address = self._waiting.get(address)
        if not of_address:
            return False
        next(iter(of_address)).drop("too many")
        return True


class Limited(asyncio.Protocol):
    """Add phases, limits and refusals to either of uvicorn's protocol classes."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    config: Any
    app_state: dict[str, Any]
    cycle: Any

    _phase: Phase = "head"
    _taken = 0  # bytes of the head received so far
    _timer: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _deaf = False  # True if everything still received is discarded
    _status = 400  # the response to an error of the parser
    _among: Connections | None = None  # set while it has a place
    _address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take a place, or refuse the connection if there is none."""
        super().connection_made(transport)
        among = self.app_state.get(STATE)
        self._limits = _DEFAULTS if among is None else among.settings
        self._seconds: dict[Phase, float] = {
            "head": self._limits.head_time,
            "body": self._limits.body_time,
            "answering": 0,
            # uvicorn closes it after idle_time, but waits until the client has read everything.
            "idle": self._limits.idle_time + self._limits.send_time,
            "refused": _LINGER,
        }
        if among is not None:
            peer = transport.get_extra_info("peername")
            address = str(peer[0]) if peer else ""
            self._address = group(address)
            shared = is_proxy(address, self.config.forwarded_allow_ips)
            if not among.admit(self, self._address, shared=shared):
                among.closed["too many"] += 1
                self.transport.write(_refusal(503))
                self.transport.close()
                return
            self._among = among
        self._arm(self._seconds["head"])

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the place."""
        self._arm(0)
        self._cancel_stalled()
        self._leave()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass data on in pieces that are small enough to stop a head at its limit."""
        if self._phase == "idle":
            self._enter("head")
        # head = 0 means no limit: one piece is all of the data.
        most = self._limits.head or self._taken + len(data)
        start = 0
        while start < len(data) and not (self._deaf or self.transport.is_closing()):
            in_head = self._phase == "head"
            room = most - self._taken if in_head else most
            if not room:
                self.refuse(431, "long head")
                return
            piece = data[start : start + room]
            start += len(piece)
            if in_head:
                self._taken += len(piece)
            super().data_received(piece)

    def pause_writing(self) -> None:
        """Start the time limit for a client that does not read its response."""
        super().pause_writing()
        if self._limits.send_time and self._stalled is None:
            self._stalled = self.loop.call_later(self._limits.send_time, self.drop, "slow reader")

    def resume_writing(self) -> None:
        """Stop that time limit: the client reads again."""
        super().resume_writing()
        self._cancel_stalled()

    def send_400_response(self, msg: str) -> None:
        """Refuse data that is not HTTP. uvicorn calls this."""
        self.refuse(self._status, "long head" if self._status == 431 else "no HTTP")

    def refuse(self, status: int, reason: str) -> None:
        """Stop reading, respond with an error, and close.

        If earlier requests are still being answered, finish their responses, so that no error is
        written into the middle of one.
        """
        self._count(reason)
        self._deaf = True
        if self._answers() and not self.cycle.more_body:
            self.cycle.keep_alive = False  # uvicorn closes after the last response
            self._enter("answering")
            return
        if self._answers():
            # Only httptools has `pipeline`: requests that wait for the response to an earlier one.
            if self.cycle.response_started or getattr(self, "pipeline", ()):
                self.transport.abort()
                return
            self.cycle.disconnected = True  # a handler that awaits the rest of the body stops
            self.cycle.message_event.set()
        self.transport.write(_refusal(status))
        # Closing while the client still sends would reset the connection, and the client would
        # never read the reason. So close only the sending half, and keep reading for a moment.
        with suppress(OSError, RuntimeError):
            self.transport.write_eof()
        self._enter("refused")

    def drop(self, reason: str) -> None:
        """Close at once, without sending what is still buffered."""
        self._count(reason)
        self._leave()
        self.transport.abort()

    def _answers(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _enter(self, phase: Phase) -> None:
        if phase == self._phase or self._phase == "refused":
            return
        if self._deaf and phase in ("head", "body"):
            return
        if self._among is not None and "answering" in (phase, self._phase):
            self._among.move(self, self._address, waiting=phase != "answering")
        if phase == "head":
            self._taken = 0
        self._phase = phase
        self._arm(self._seconds[phase])

    def _rest(self) -> None:
        """Enter the phase that follows a complete request."""
        self._enter("answering" if self._answers() else "idle")

    def _arm(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.loop.call_later(seconds, self._expire) if seconds else None

    def _expire(self) -> None:
        if self._phase == "head" and self._taken:
            self.refuse(408, "slow")
        else:
            self.drop("slow")

    def _cancel_stalled(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _count(self, reason: str) -> None:
        if self._among is not None and self._phase not in ("idle", "refused"):
            self._among.closed[reason] += 1

    def _leave(self) -> None:
        if self._among is not None:
            self._among.leave(self, self._address)
            self._among = None


class LimitedH11(Limited, H11Protocol):
    """Add limits to uvicorn's protocol on h11, which reads one request at a time."""

    def handle_events(self) -> None:
        """Read the data received, and record the phase after it."""
        super().handle_events()
        self._note()

    def on_response_complete(self) -> None:
        """Record that a response is complete."""
        super().on_response_complete()
        self._note()

    def _note(self) -> None:
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._enter("body")
        elif state is h11.IDLE and self.conn.trailing_data[0]:
            self._enter("head")
        elif self.cycle is not None:
            self._rest()


if TYPE_CHECKING or find_spec("httptools") is not None:
    # uvicorn prefers httptools if it is installed, because it is faster; so do we.
    from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

    class LimitedHttpTools(Limited, HttpToolsProtocol):
        """Add limits to uvicorn's protocol on httptools, whose parser reports where parts end."""

        def on_message_begin(self) -> None:
            """Enter the phase of a head."""
            if len(self.pipeline) >= _PIPELINED:
                raise ValueError("too many pipelined requests")
            self._enter("head")
            super().on_message_begin()

        def on_header(self, name: bytes, value: bytes) -> None:
            """Store a header."""
            if len(self.headers) >= _HEADERS:
                self._status = 431
                raise ValueError("too many headers")
            super().on_header(name, value)

        def on_headers_complete(self) -> None:
            """Enter the phase of a body."""
            self._enter("body")
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            """Record that a request is complete."""
            super().on_message_complete()
            self._rest()

        def on_response_complete(self) -> None:
            """Record that a response is complete."""
            super().on_response_complete()
            if self._phase == "answering":
                self._rest()

        def _unsupported_upgrade_warning(self) -> None:
            """Answer an upgrade request in HTTP/1.1, and read nothing after it.

            The parser has stopped in the middle of the data. If it continued with the next piece,
            it could read any part of it as a request.
            """
            self._deaf = True
            self.cycle.keep_alive = False


def protocol() -> type[asyncio.Protocol]:
    """Return the protocol class to run uvicorn with: the faster one that is installed."""
    return LimitedHttpTools if find_spec("httptools") is not None else LimitedH11


def group(address: str) -> str:
    """Return the name under which connections from an address are counted.

    Providers give each customer a whole /64 of IPv6, so addresses that share one count together.
    """
    try:
        parsed = ip_address(address)
    except ValueError:  # a Unix socket has no address
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((int(parsed), 64), strict=False))


def is_proxy(address: str, proxies: str | list[str] | None) -> bool:
    """Return True if --proxies names this address, read as uvicorn reads it."""
    named = proxies.split(",") if isinstance(proxies, str) else proxies or []
    for each in map(str.strip, named):
        if each in ("*", address):
            return True
        with suppress(ValueError):
            if ip_address(address) in ip_network(each):
                return True
    return False


def _affordable(wished: int) -> int:
    """Return how many connections the limit on open files allows, at most `wished`.

    Every connection takes a file. The soft limit, often 1,024, is raised as far as possible.
    """
    if find_spec("resource") is None:  # Windows has no such limit
        return wished
    resource: Any = import_module("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = wished + _RESERVE if wished else hard
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft == resource.RLIM_INFINITY:
        return wished
    room = max(soft - _RESERVE, soft // 2)
    return int(min(wished, room) if wished else room)


def _refusal(status: int) -> bytes:
    """Return a complete error response, in the shape that all errors have."""
    code, message = _SAID[status]
    body = json.dumps({"error": {"code": code, "message": message}}).encode()
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Connection: close",
        *(["Retry-After: 1"] if status == 503 else []),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
