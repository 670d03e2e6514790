"""Servers as processes of their own, which are killed and started again in a moment.

A parent loads everything once and forks a server whenever it is told to, so that a start costs no
imports. What is killed is a real process with a real socket and its own connections.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

_PARENT = """
import asyncio, contextlib, json, os, sys, tempfile
import anyio._backends._asyncio, concurrent.futures.thread, encodings.idna, uvicorn.lifespan.on
from pathlib import Path
import feint.server.app, feint.server.running, feint.journal.sql, feint.strategies, uvicorn
import sqlalchemy.dialects.sqlite, sqlalchemy.dialects.postgresql.psycopg
import cryptography.hazmat.primitives.ciphers.aead
with contextlib.suppress(ImportError):  # it is needed for PostgreSQL alone
    import psycopg, psycopg.types.json, psycopg.types.hstore, psycopg.types.range
limits = {"rate": 0, "address_rate": 0, "stream_every": 0.05}
async def warm(app):
    scope = {"type": "http", "method": "GET", "path": "/healthz", "headers": []}
    async def receive():
        return {"type": "http.request"}
    async def send(message):
        pass
    await app(scope, receive, send)
with tempfile.TemporaryDirectory() as folder:  # whatever is made at the first use is made here
    store = feint.journal.SQL(f"sqlite:///{folder}/warm.db", key=bytes(32))
    settings = feint.server.Settings(database="", key_file=Path(), **limits)
    app = feint.server.application(settings, polls=feint.journal.polls.Polls(store))
    config = uvicorn.Config(app, log_config=None, ws="none")
    config.load()
    with contextlib.suppress(AttributeError):
        config.get_loop_factory()
    asyncio.run(warm(app))
    store.close()
def made(settings, *, polls):  # its routes were put together above, which takes a third of a second
    app.state.polls, app.state.settings = polls, settings
    return app
feint.server.running.application = made
for line in sys.stdin:
    words = json.loads(line)
    child = os.fork()
    if child == 0:
        sys.stdin.close()
        settings = feint.server.Settings(
            database=words["database"], key_file=Path(words["key"]), **limits
        )
        feint.server.serve(
            settings, host="127.0.0.1", port=words["port"], say=lambda link: None
        )
        os._exit(0)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""


class Port:
    """A port that is ours as long as this is open, whether somebody listens at it or not.

    Without it somebody else could be given the port while the server that was killed is away.
    """

    def __init__(self) -> None:
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a server may share it
        self._held.bind(("127.0.0.1", 0))
        self.number = int(self._held.getsockname()[1])

    def close(self) -> None:
        self._held.close()


def free_port() -> int:
    """Return a port without a listener, for servers that cannot share a bound one."""
    port = Port()
    port.close()
    return port.number


class Parent:
    """A process that forks servers, one at a time."""

    def __init__(self, log: Path) -> None:
        self._log = log.open("a")
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PARENT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def fork(self, words: dict[str, Any]) -> int:
        """Start the process of a new server."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        return self.ended()

    def ended(self) -> int:
        """Return how the server ended, once it has."""
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def close(self) -> None:
        """End it; no server of its may run."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._log.close()


class Forked:
    """One server that can be killed and started again, at the same address."""

    def __init__(self, parent: Parent, database: str, key: Path) -> None:
        self._port = Port()
        self.url = f"http://127.0.0.1:{self._port.number}"
        self._parent = parent
        self._words = {"database": database, "key": str(key), "port": self._port.number}
        self.pid = 0

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.pid = self._parent.fork(self._words)
        while True:
            asking = HTTPConnection("127.0.0.1", self._port.number)
            try:
                asking.request("GET", "/healthz")
                if asking.getresponse().status == 200:
                    return
            except OSError:
                os.kill(self.pid, 0)  # it is alive, or this raises
                time.sleep(0.005)
            finally:
                asking.close()

    def kill(self, how: signal.Signals = signal.SIGKILL) -> int:
        """Kill the server; return how it ended, as in `wait`."""
        os.kill(self.pid, how)
        self.pid = 0
        return self._parent.ended()

    def close(self) -> None:
        """Kill the server if it runs."""
        if self.pid:
            self.kill()
        self._port.close()
