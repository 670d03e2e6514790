"""Limits on connections: long heads, slow clients, half-open connections, pipelining.

The quick tests run uvicorn in a thread with a tiny application, once with each of its two
protocol classes. The long ones run `feint serve` as a process of its own.
"""

import asyncio
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from tests.support.forked import Port

from feint.errors import InvalidValue
from feint.server import Settings
from feint.server.connections import (
    STATE,
    Connections,
    LimitedH11,
    LimitedHttpTools,
    group,
    is_proxy,
    protocol,
)

ENOUGH = 20  # seconds: no test waits so long unless it fails
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class Tiny:
    """A server with an application of a few lines: it reads the body and says its length."""

    def __init__(self, kind: Any, proxies: str, **limits: Any) -> None:
        settings = Settings(database="", key_file=Path(), **limits)
        self.connections = Connections(settings)
        self.blocked = threading.Event()
        self.lost = threading.Event()
        self.go_on = threading.Event()
        config = uvicorn.Config(
            self._app,
            interface="asgi3",
            http=kind,
            ws="none",
            log_config=None,
            port=0,
            forwarded_allow_ips=proxies,
            h11_max_incomplete_event_size=settings.head,
            timeout_keep_alive=max(1, round(settings.idle_time)),
        )
        self._server = uvicorn.Server(config)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._listening]}, daemon=True
        )
        self._thread.start()

    async def _app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await receive()
            scope["state"][STATE] = self.connections
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        if scope["path"] == "/large":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            part = {"type": "http.response.body", "body": bytes(1 << 20), "more_body": True}
            while not self.connections.closed:  # sending waits until the client reads, or is gone
                await send(part)
            self.lost.set()
            return
        if scope["path"] == "/wait":
            self.blocked.set()
            await asyncio.to_thread(self.go_on.wait, ENOUGH)
        size, more = 0, True
        while more:
            message = await receive()
            size += len(message.get("body", b""))
            more = message.get("more_body", False)
        told = str(size).encode()
        headers = [(b"content-length", str(len(told)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": told})

    def connect(self, source: str = "127.0.0.1") -> socket.socket:
        """A new connection, which its caller closes."""
        where = ("127.0.0.1", self.port)
        return socket.create_connection(where, timeout=ENOUGH, source_address=(source, 0))

    def end(self) -> None:
        """Ask it to stop; it takes a fifth of a second, for which no test waits."""
        self.go_on.set()
        self._server.should_exit = True

    def close(self) -> None:
        """Wait until it has stopped."""
        self._thread.join(ENOUGH)
        self._listening.close()


def answer(connection: socket.socket) -> bytes:
    """All that a server says until it closes; nothing if it resets the connection."""
    said = b""
    try:
        while part := connection.recv(1 << 16):
            said += part
    except ConnectionResetError:
        pass
    return said


def one(connection: socket.socket, request: bytes = GET) -> bytes:
    """One response to one request, on a connection that stays open."""
    connection.sendall(request)
    said = b""
    while b"\r\n\r\n" not in said or not said.partition(b"\r\n\r\n")[2]:
        part = connection.recv(1 << 16)
        if not part:
            break
        said += part
    return said


def status(said: bytes) -> int:
    return int(said.split(b" ", 2)[1]) if said else 0


KINDS = pytest.mark.parametrize("kind", [LimitedH11, LimitedHttpTools])
Start = Callable[..., Tiny]


@pytest.fixture(scope="module")
def stopping() -> Iterator[ExitStack]:
    """Waits for all servers at the end."""
    with ExitStack() as held:
        yield held


@pytest.fixture
def start(stopping: ExitStack) -> Iterator[Start]:
    with ExitStack() as held:

        def begin(kind: Any, *, proxies: str = "", **limits: Any) -> Tiny:
            server = Tiny(kind, proxies, **limits)
            stopping.callback(server.close)
            held.callback(server.end)
            return server

        yield begin


def test_the_faster_protocol_is_taken() -> None:
    assert protocol() is LimitedHttpTools


@KINDS
def test_requests_are_answered_one_after_the_other(kind: Any, start: Start) -> None:
    server = start(kind)
    body = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + bytes(100_000)
    with server.connect() as connection:
        for _ in range(3):
            assert one(connection).endswith(b"\r\n\r\n0")
            assert one(connection, body).endswith(b"\r\n\r\n100000")
        for byte in GET[:-1]:  # a head in many packets
            connection.sendall(bytes([byte]))
        assert one(connection, GET[-1:]).endswith(b"\r\n\r\n0")
        connection.sendall(GET * 3)  # pipelined
        said = b""
        while said.count(b"\r\n\r\n0") < 3:
            said += connection.recv(1 << 16)
    assert server.connections.closed == {}


@KINDS
@pytest.mark.parametrize("where", ["target", "name", "value", "lines", "blank"])
def test_a_long_head_is_refused_at_its_limit(kind: Any, where: str, start: Start) -> None:
    """However it is long, and in one packet or many: the connection ends with a 431 or a 400."""
    server = start(kind, head=1 << 12)
    head = {
        "target": b"GET /" + b"a" * (1 << 20),
        "name": b"GET / HTTP/1.1\r\n" + b"a" * (1 << 20),
        "value": b"GET / HTTP/1.1\r\nHost: x\r\na: " + b"a" * (1 << 20),
        "lines": b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a:b\r\n" * (1 << 18),
        "blank": b"\r\n" * (1 << 19),
    }[where]
    for size in (1000, len(head)):
        with server.connect() as connection:
            try:
                for at in range(0, len(head), size):
                    connection.sendall(head[at : at + size])
            except OSError:  # it is closed already
                pass
            said = answer(connection)
        assert status(said) in (431, 400, 0)
        if where in ("target", "value", "lines"):
            assert status(said) == 431
            assert json.loads(said.partition(b"\r\n\r\n")[2])["error"]["code"] == "too_long"
    assert sum(server.connections.closed.values()) == 2


@KINDS
def test_a_head_of_just_the_limit_is_taken(kind: Any, start: Start) -> None:
    """One byte more is refused, also where it comes in one packet and is complete."""
    server = start(kind, head=1 << 12)
    for extra in (0, 1):
        size = (1 << 12) + extra - len(GET) - len("A: \r\n")
        with server.connect() as connection:
            connection.sendall(GET[:-2] + b"A: " + b"a" * size + b"\r\n\r\n")
            said = one(connection, b"")
        assert status(said) == (431 if extra else 200)


def test_many_headers_are_refused(start: Start) -> None:
    """Each takes objects many times its length, as long as the head is not complete."""
    server = start(LimitedHttpTools)
    with server.connect() as connection:
        connection.sendall(GET[:-2] + b"a:\r\n" * 101)
        assert status(answer(connection)) == 431


@KINDS
def test_a_slow_head_is_closed(kind: Any, start: Start) -> None:
    server = start(kind, head_time=0.05)
    with server.connect() as connection:
        assert answer(connection) == b""  # nothing was sent
    with server.connect() as connection:
        connection.sendall(GET[:5])
        assert status(answer(connection)) == 408
    with server.connect() as connection:
        assert status(one(connection)) == 200
        connection.sendall(GET[:5])  # the second request of a connection
        assert status(answer(connection)) == 408
    assert server.connections.closed == {"slow": 3}


@KINDS
def test_a_slow_body_is_closed(kind: Any, start: Start) -> None:
    server = start(kind, body_time=0.05)
    with server.connect() as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1")
        assert b"200" not in answer(connection)
    assert server.connections.closed == {"slow": 1}


@KINDS
def test_an_answer_may_take_longer_than_any_limit(kind: Any, start: Start) -> None:
    server = start(kind, head_time=0.05, body_time=0.05, send_time=0.05)
    with server.connect() as connection, server.connect() as other:
        connection.sendall(GET.replace(b"/ ", b"/wait "))
        assert server.blocked.wait(ENOUGH)
        assert answer(other) == b""  # its time for a head is over, and so is the first one's
        server.go_on.set()
        assert status(one(connection, b"")) == 200


@KINDS
def test_a_client_that_does_not_read_is_closed(kind: Any, start: Start) -> None:
    server = start(kind, send_time=0.05)
    with server.connect() as connection:
        connection.sendall(GET.replace(b"/ ", b"/large "))
        assert server.lost.wait(ENOUGH)
        server.go_on.set()
    assert server.connections.closed == {"slow reader": 1}


@KINDS
def test_half_open_connections_keep_nobody_out(kind: Any, start: Start) -> None:
    """Whoever waits longest is closed for a new one; who has other requests answered is not."""
    server = start(kind, connections=8, address_connections=0)
    with ExitStack() as held:
        busy = held.enter_context(server.connect())
        busy.sendall(GET.replace(b"/ ", b"/wait "))
        assert server.blocked.wait(ENOUGH)
        half = [held.enter_context(server.connect()) for _ in range(30)]
        for each in half:
            each.sendall(GET[:5])
        with server.connect() as connection:
            assert status(one(connection)) == 200
        assert answer(half[0]) == b""
        assert len(server.connections) <= 8
        server.go_on.set()
        assert status(one(busy, b"")) == 200


@KINDS
def test_one_address_has_its_own_limit_unless_it_is_a_proxy(kind: Any, start: Start) -> None:
    server = start(kind, proxies="127.0.0.3", connections=100, address_connections=4)
    with ExitStack() as held:
        proxy = [held.enter_context(server.connect("127.0.0.3")) for _ in range(9)]
        other = held.enter_context(server.connect("127.0.0.2"))
        half = [held.enter_context(server.connect()) for _ in range(5)]
        assert answer(half[0]) == b""  # its own address's oldest, and nobody else's
        for each in (*proxy, other, *half[1:]):
            assert status(one(each)) == 200
        assert server.connections.closed == {"too many": 1}


@KINDS
def test_where_all_are_being_answered_a_new_one_is_told_to_wait(kind: Any, start: Start) -> None:
    server = start(kind, connections=1, address_connections=0)
    with server.connect() as busy:
        busy.sendall(GET.replace(b"/ ", b"/wait "))
        assert server.blocked.wait(ENOUGH)
        with server.connect() as connection:
            said = answer(connection)
        assert status(said) == 503
        assert b"Retry-After: 1" in said
        server.go_on.set()
        assert status(one(busy, b"")) == 200


def test_the_address_with_the_most_connections_loses_one(start: Start) -> None:
    """A flood from one address closes its own, and not the older one of another."""
    server = start(LimitedHttpTools, connections=8, address_connections=0)
    with ExitStack() as held:
        older = held.enter_context(server.connect("127.0.0.2"))
        assert status(one(older)) == 200
        flood = [held.enter_context(server.connect()) for _ in range(20)]
        assert answer(flood[0]) == b""
        assert status(one(older)) == 200


@KINDS
def test_a_pile_of_pipelined_requests_is_not_kept(kind: Any, start: Start) -> None:
    """Each would take 2 KiB as long as the first is unanswered; h11 keeps bytes, not requests."""
    server = start(kind)
    with server.connect() as connection:
        connection.sendall(GET.replace(b"/ ", b"/wait "))
        assert server.blocked.wait(ENOUGH)
        connection.sendall(GET * 1000 + b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        server.go_on.set()
        said = answer(connection)
    if kind is LimitedHttpTools:
        assert said.count(b"HTTP/1.1 200") == 9  # the first, and as many as may be sent ahead
        assert server.connections.closed == {"no HTTP": 1}


@KINDS
def test_an_answer_is_finished_before_bad_bytes_close_the_connection(
    kind: Any, start: Start
) -> None:
    """And no error is written into the middle of it."""
    server = start(kind)
    with server.connect() as connection:
        connection.sendall(GET.replace(b"/ ", b"/wait "))
        assert server.blocked.wait(ENOUGH)
        connection.sendall(b"this is no HTTP\r\n\r\n")
        server.go_on.set()
        said = answer(connection)
    assert said.startswith(b"HTTP/1.1 200")
    assert said.partition(b"\r\n\r\n")[2][:1] == b"0"


def test_after_a_request_for_another_protocol_nothing_is_read(start: Start) -> None:
    """httptools stops there, and what follows could be taken for a request from its middle on."""
    server = start(LimitedHttpTools, head=100)
    upgrade = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    with server.connect() as connection:
        connection.sendall(upgrade + b"x" * (100 - len(upgrade)) + GET)
        said = answer(connection)
    assert said.startswith(b"HTTP/1.1 200")
    assert said.count(b"HTTP/1.1") == 1


@KINDS
@pytest.mark.parametrize("at_once", [False, True])
def test_a_body_that_is_no_http_is_a_400(kind: Any, at_once: bool, start: Start) -> None:
    server = start(kind)
    head = b"POST /wait HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    body = b"5\r\nhello\r\nthis is no chunk\r\n"
    with server.connect() as connection:
        connection.sendall(head + body if at_once else head)
        if not at_once:
            assert server.blocked.wait(ENOUGH)
            connection.sendall(body)
        said = answer(connection)
    server.go_on.set()
    assert status(said) == 400
    assert said.count(b"HTTP/1.1") == 1


def test_addresses_are_counted_by_customer() -> None:
    assert group("192.0.2.1") == group("::ffff:192.0.2.1") == "192.0.2.1"
    assert group("2001:db8::1") == group("2001:db8::ffff:1") != group("2001:db8:0:1::1")
    assert group("") == ""
    assert is_proxy("10.0.0.2", "127.0.0.1, 10.0.0.2")
    assert is_proxy("10.0.0.2", ["10.0.0.0/8"])
    assert is_proxy("::1", "*")
    assert not is_proxy("10.0.0.2", "10.0.0.20,name,,10.0.0.3/32")
    assert not is_proxy("10.0.0.2", None)


def test_there_are_never_more_connections_than_files(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [1024, 4096]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(given))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: given.__setitem__(0, limits[0]))
    for wished, most, soft in ((500, 500, 1024), (1500, 1500, 1756), (9999, 3840, 4096)):
        given[0] = 1024
        settings = Settings(database="", key_file=Path(), connections=wished)
        assert Connections(settings)._most == most
        assert given[0] == soft


def test_every_limit_can_be_set_by_the_environment() -> None:
    given = {"FEINT_SERVER_HEAD": "100", "FEINT_SERVER_HEAD_TIME": "1.5"}
    settings = Settings.from_environment(given, database="x", key_file=Path("y"))
    assert (settings.head, settings.head_time, settings.body_time) == (100, 1.5, 60)
    assert Settings.from_environment(settings.to_environment()) == settings
    for text in ("many", "-1", "inf"):
        with pytest.raises(InvalidValue, match="FEINT_SERVER_HEAD_TIME"):
            Settings.from_environment(
                {"FEINT_SERVER_HEAD_TIME": text}, database="x", key_file=Path("y")
            )
    with pytest.raises(InvalidValue, match="FEINT_SERVER_DATABASE"):
        Settings.from_environment({})


class Process:
    """`feint serve` in a process of its own, with a soft limit of 1,024 files."""

    def __init__(self, folder: Path, proxies: str, **limits: Any) -> None:
        self._port = Port()
        self.url = f"http://127.0.0.1:{self._port.number}"
        words = ["serve", "--port", str(self._port.number), "--rate", "0", "--proxies", proxies]
        environment = {
            "FEINT_DATABASE": f"sqlite:///{folder}/journal.db",
            "FEINT_KEY": "A" * 43 + "=",
            **{f"FEINT_SERVER_{name.upper()}": str(value) for name, value in limits.items()},
        }
        self._log = (folder / "log").open("w")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "feint", *words],
            stdout=self._log,
            stderr=self._log,
            env=os.environ | environment,
            preexec_fn=_few_files,
        )
        while True:
            try:
                httpx.get(f"{self.url}/healthz", timeout=ENOUGH)
                break
            except httpx.TransportError:
                assert self.process.poll() is None

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self._port.number), timeout=ENOUGH)

    def memory(self) -> int:
        """The most memory that it has had, in MiB."""
        told = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.findall(r"VmHWM:\s+(\d+) kB", told)[0]) >> 10

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self._log.close()
        self._port.close()


def _few_files() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))


@contextmanager
def running(folder: Path, proxies: str = "127.0.0.1", **limits: Any) -> Iterator[Process]:
    server = Process(folder, proxies, **limits)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def many_files() -> Iterator[None]:
    """Allow this process as many files as it may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.long
def test_a_head_of_128_megabytes_takes_no_memory(tmp_path: Path) -> None:
    with running(tmp_path) as server:
        before = server.memory()
        for start in (b"GET /healthz HTTP/1.1\r\nHost: x\r\na: ", b"GET /"):
            with server.connect() as connection:
                connection.sendall(start)
                try:
                    for _ in range(128):
                        connection.sendall(b"a" * (1 << 20))
                except OSError:
                    pass
                assert status(answer(connection)) == 431
        assert server.memory() - before <= 8
        assert httpx.get(f"{server.url}/healthz", timeout=ENOUGH).status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("proxies", ["10.0.0.1", "127.0.0.1"])
def test_1200_half_open_connections_block_nobody(proxies: str, tmp_path: Path) -> None:
    """From the same address as the request, be it a proxy's or not."""
    with many_files(), running(tmp_path, proxies) as server, ExitStack() as held:
        for _ in range(1200):
            connection = held.enter_context(server.connect())
            connection.sendall(b"GET /healthz HTTP/1.1\r\n")
        for _ in range(20):
            assert httpx.get(f"{server.url}/healthz", timeout=ENOUGH).status_code == 200


@pytest.mark.long
def test_a_slow_client_of_feint_serve_is_closed(tmp_path: Path) -> None:
    with running(tmp_path, head_time=0.1, body_time=0.1) as server:
        for sent in (b"GET /he", b"POST /api/session HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"):
            with server.connect() as connection:
                connection.sendall(sent)
                assert status(answer(connection)) in (0, 408)
