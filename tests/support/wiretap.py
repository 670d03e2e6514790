"""Run a TLS server behind a relay that records the length of every TLS record."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from feint.journal import Memory
from feint.journal.polls import Polls
from feint.server import Settings, application

UP, DOWN = "up", "down"
_DATA = 23  # the type of a TLS record with data in it
_HEADER = 5  # bytes of a record before what it holds: type, version, length


def certificate(folder: Path) -> Path:
    """Write a new key of this machine and its certificate; signatures by RSA have one length."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), False
        )
        .sign(key, hashes.SHA256())
    )
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    path = folder / "server.pem"
    private = key.private_bytes(encoding, form, serialization.NoEncryption())
    path.write_bytes(private + made.public_bytes(encoding))
    return path


@dataclass
class Connection:
    """The data of one connection: direction and length of every record, in order."""

    records: list[tuple[str, int]] = field(default_factory=list)
    left: dict[str, bytes] = field(default_factory=lambda: {UP: b"", DOWN: b""})

    def heard(self, way: str, data: bytes) -> None:
        """Read the headers of whole records, and keep what is left of a part of one."""
        data = self.left[way] + data
        while len(data) >= _HEADER:
            size = int.from_bytes(data[3:_HEADER], "big")
            if len(data) < _HEADER + size:
                break
            if data[0] == _DATA:
                self.records.append((way, size))
            data = data[_HEADER + size :]
        self.left[way] = data

    def lengths(self) -> tuple[int, int]:
        """Return the bytes that passed since the last call, up and down."""
        passed = list(self.records)
        del self.records[: len(passed)]
        up, down = (sum(size for way, size in passed if way == wanted) for wanted in (UP, DOWN))
        return up, down

    def exchanges(self) -> list[tuple[int, int]]:
        """Return the lengths of each request and its response, without those of the handshake.

        That is all that comes down before the first record goes up, and this record; there are no
        tickets. A request without its response is left out too.
        """
        began = next((n for n, (way, _) in enumerate(self.records) if way == UP), None)
        runs = list[tuple[str, int]]()
        for way, found in groupby(self.records[(began or 0) + 1 :], key=lambda each: each[0]):
            runs.append((way, sum(size for _, size in found)))
        return [(up, down) for (_, up), (_, down) in zip(runs[::2], runs[1::2], strict=False)]


class Tap:
    """A relay to a port that records lengths in `connections`."""

    def __init__(self, port: int) -> None:
        self.connections: list[Connection] = []
        self._target = port
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def lengths(self) -> tuple[int, int]:
        """Return the bytes that passed since the last call, up and down, over all connections."""
        found = [connection.lengths() for connection in self.connections]
        return sum(up for up, _ in found), sum(down for _, down in found)

    def close(self) -> None:
        """Close all connections, and wait until every thread has ended."""
        self._socket.shutdown(socket.SHUT_RDWR)
        accepting, *_ = self._threads
        accepting.join()  # first: nothing is opened any more when all is hung up
        self._socket.close()
        for each in self._open:
            _hang_up(each)
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._target))
            connection = Connection()
            self.connections.append(connection)
            for way, source, sink in ((UP, client, server), (DOWN, server, client)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._open.append(source)
                given = (connection, way, source, sink)
                self._threads.append(threading.Thread(target=self._relay, args=given))
                self._threads[-1].start()

    def _relay(
        self, connection: Connection, way: str, source: socket.socket, sink: socket.socket
    ) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                connection.heard(way, data)  # first: who has received all may look at once
                sink.sendall(data)
        _hang_up(sink)
        source.close()


def _hang_up(given: socket.socket) -> None:
    with suppress(OSError):
        given.shutdown(socket.SHUT_RDWR)


@dataclass
class Tapped:
    """A server behind TLS, and the relay before it that records lengths.

    Attributes:
        url: Its address; what is sent there is recorded.
        polls: What it holds.
        owner: Its owner's token.
        tap: What was recorded.
        trust: What believes its certificate.
    """

    url: str
    polls: Polls
    owner: str
    tap: Tap
    trust: ssl.SSLContext

    def transport(self) -> httpx.HTTPTransport:
        """Return the transport for httpx."""
        return httpx.HTTPTransport(verify=self.trust)


@contextmanager
def tapped(folder: Path, **settings: Any) -> Iterator[Tapped]:
    """Run a server on TLS in a thread, with searches in memory and a clock that stands still."""
    polls = Polls(Memory(), clock=lambda: 1_000_000.5)
    owner = str(polls.tokens.own(again=True))
    limits: dict[str, Any] = {"rate": 0, "address_rate": 0, "stream_every": 0.05} | settings
    app = application(Settings(database="none", key_file=Path("none"), **limits), polls=polls)
    path = certificate(folder)
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        app,
        log_config=None,
        ws="none",
        ssl_certfile=path,
        ssl_keyfile=path,
        timeout_graceful_shutdown=1,
    )
    config.load()
    assert config.ssl is not None
    config.ssl.num_tickets = 0  # every connection begins alike
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    with ExitStack() as stack:
        stack.callback(thread.join)
        stack.callback(setattr, server, "should_exit", True)
        while not server.started:
            time.sleep(0.005)
        tap = Tap(listening.getsockname()[1])
        stack.callback(tap.close)
        trust = ssl.create_default_context(cafile=path)
        yield Tapped(f"https://127.0.0.1:{tap.port}", polls, owner, tap, trust)
