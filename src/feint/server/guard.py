"""Apply limits, security headers, a log line and metrics to every request.

A log line has the declared route, never the requested path, and the HTTP method. It has nothing
from the request's or the response's body.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from feint.server import padding
from feint.server.connections import Connections
from feint.server.limits import Limit
from feint.server.refusals import SAID, refusal
from feint.server.settings import Settings
from feint.server.who import buckets, is_known

LOG = logging.getLogger("feint.server")
_STREAM = b"text/event-stream"
WHOLE = "/api/imports"  # routes whose bodies may hold a whole search
_HEADERS = {
    # compression by a proxy would make the length depend on the content again
    "Cache-Control": "no-store, no-transform",
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self';"
    " frame-ancestors 'none'; object-src 'none'; img-src 'self' blob:",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_UNKNOWN = 1 << 14
"""Bytes of a body that are read before its token is checked.

A vote has fewer than 100. Without this limit, clients without a token could make the server keep
the whole body of every connection: 4 MiB each.
"""
_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
"""The methods that log lines and metrics name. Any other word is the client's own."""
_RAW = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]


class Metrics:
    """Counts of requests, by route, and of connections. No count depends on answers or votes.

    Response sizes are not counted, so that they cannot reveal answers.

    Attributes:
        registry: The Prometheus registry.
        connections: The open connections, once the server runs.
    """

    def __init__(self) -> None:
        """Start all counts at 0."""
        self.registry = CollectorRegistry()
        names = ["method", "route", "status"]
        self._requests = Counter(
            "feint_requests", "Requests by route and status.", names, registry=self.registry
        )
        self._seconds = Histogram(
            "feint_request_seconds", "How long they took.", ["route"], registry=self.registry
        )
        self.connections: Connections | None = None
        self.registry.register(self)

    def collect(self) -> Iterator[Metric]:
        """Yield the counts of connections; prometheus_client calls this."""
        there = self.connections
        count = 0 if there is None else len(there)
        yield GaugeMetricFamily("feint_connections", "Open connections.", value=count)
        closed = CounterMetricFamily(
            "feint_connections_closed", "Connections closed by a limit.", labels=["reason"]
        )
        for reason, times in ({} if there is None else dict(there.closed)).items():
            closed.add_metric([reason], times)
        yield closed

    def count(self, method: str, route: str, status: str, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route).observe(seconds)


class Guard:
    """Middleware around the application. Refused requests never reach the application."""

    def __init__(self, app: ASGIApp, settings: Settings, metrics: Metrics) -> None:
        """Guard an application."""
        self._app, self._settings, self._metrics = app, settings, metrics
        self._tokens = Limit(settings.rate, settings.burst)
        self._addresses = Limit(settings.address_rate, settings.address_burst)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = time.perf_counter(), [500]

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                message = dict(message) | {"headers": _careful(message["headers"], scope)}
            await send(message)

        try:
            await self._answer(scope, receive, sending)
        finally:
            self._told(scope, status[0], time.perf_counter() - begun)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        wait = self._wait(scope)
        if wait:
            said = "too many requests; wait as long as Retry-After says"
            after = {"Retry-After": str(int(wait) + 1)}
            await refusal(429, said, headers=after)(scope, receive, send)
            return
        most = self._settings.body * (16 if scope["path"] == WHOLE else 1)
        if _length(headers) > most:
            await refusal(413, SAID[413])(scope, receive, send)
            return
        started = False
        left = most

        async def receiving() -> Message:
            nonlocal left
            message = await receive()
            before, left = left, left - len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413)
            if left < most - _UNKNOWN <= before and not await is_known(HTTPConnection(scope)):
                raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
            return message

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receiving, sending)
        except Exception as error:
            fields = {"kind": type(error).__name__, "at": _place(error)}  # without its content
            LOG.log(logging.ERROR, "failed", extra={"fields": fields})
            if started:
                raise
            said = "the server failed; what was acknowledged is kept"
            await refusal(500, said)(scope, receive, send)

    def _wait(self, scope: Scope) -> float:
        client = scope.get("client")
        wait = self._addresses.wait(client[0] if client else "")
        for bucket in buckets(HTTPConnection(scope)):  # header names are case-insensitive
            wait = max(wait, self._tokens.wait(bucket))
        return wait

    def _told(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        counted_as = padding.counted_as(scope, status)
        self._metrics.count(method, route, counted_as, seconds)
        fields = {
            "method": method,
            "route": route,
            "status": status if counted_as == str(status) else counted_as,
            "ms": round(seconds * 1000, 1),
        }
        LOG.info("request", extra={"fields": fields})


class JSONLines(logging.Formatter):
    """A formatter of log lines as JSON: time, level, message and fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as one line of JSON."""
        held: dict[str, Any] = {
            "time": self.formatTime(record),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        return json.dumps(held | getattr(record, "fields", {}))


def log_lines() -> None:
    """Log as lines of JSON to standard error, in this process."""
    handler = logging.StreamHandler()
    handler.setFormatter(JSONLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("uvicorn.access").disabled = True  # uvicorn's access log has full paths


def _careful(headers: Iterable[tuple[bytes, bytes]], scope: Scope) -> list[tuple[bytes, bytes]]:
    """Add security headers that a response does not set itself; streams are never cached."""
    own = [(name.lower(), value) for name, value in headers]
    if any(name == b"content-type" and value.startswith(_STREAM) for name, value in own):
        own = [each for each in own if each[0] != b"cache-control"]
    own = [
        (name, _slashed(scope)) if name == b"location" and b"://" in value else (name, value)
        for name, value in own
    ]
    there = {name for name, _ in own}
    return own + [each for each in _RAW if each[0] not in there]


def _slashed(scope: Scope) -> bytes:
    """Return the path of a page that was requested with a wrong slash at its end.

    Starlette would redirect to a full address with the client's Host header, and a cache could
    store one that leads elsewhere. All other redirects contain only a path.
    """
    path = scope["path"]
    other = path.rstrip("/") if path.endswith("/") else f"{path}/"
    # a path that begins with two slashes would name a host
    target = "/" + quote(other.lstrip("/"), safe="/:@!$&'()*+,;=")
    query = scope["query_string"].decode("latin-1")
    if query:
        target += "?" + quote(query, safe="/:@!$&'()*+,;=?%")
    return target.encode()


def _length(headers: Headers) -> int:
    try:
        return int(headers.get("content-length", "0"))
    except ValueError:
        return 0


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_globals['__name__']}:{trace.tb_lineno}"
