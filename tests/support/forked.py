"""Servers as processes of their own, which are killed and started again in a moment.

A parent loads everything once and forks a server whenever it is told to, so that a start costs no
imports. What is killed is a real process with a real socket and its own connections.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

_PARENT = """
import json, os, sys, tempfile
from pathlib import Path
import feint.server, feint.journal, feint.poll, feint.strategies, uvicorn, sqlalchemy
import sqlalchemy.dialects.sqlite, sqlalchemy.dialects.postgresql.psycopg
import cryptography.hazmat.primitives.ciphers.aead, feint.journal.tables, feint.journal.statements
with tempfile.TemporaryDirectory() as folder:  # whatever loads at the first use loads here
    store = feint.journal.SQL(f"sqlite:///{folder}/warm.db", key=bytes(32))
    feint.server.application(
        feint.server.Settings(database="", key_file=Path()), polls=feint.poll.Polls(store)
    )
    store.close()
for line in sys.stdin:
    words = json.loads(line)
    child = os.fork()
    if child == 0:
        sys.stdin.close()
        settings = feint.server.Settings(
            database=words["database"], key_file=Path(words["key"]), rate=0, address_rate=0
        )
        feint.server.serve(
            settings, host="127.0.0.1", port=words["port"], say=lambda link: None
        )
        os._exit(0)
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


class Forked:
    """One server that can be killed and started again, at the same address."""

    def __init__(self, database: str, key: Path, log: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._words = f'{{"database": "{database}", "key": "{key}", "port": {self.port}}}\n'
        self._log = log.open("a")
        self._parent = subprocess.Popen(
            [sys.executable, "-c", _PARENT],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self.pid = 0

    def start(self) -> None:
        """Start it, and wait until it answers."""
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.stdin.write(self._words)
        self._parent.stdin.flush()
        self.pid = int(self._parent.stdout.readline())
        while True:
            asking = HTTPConnection("127.0.0.1", self.port)
            try:
                asking.request("GET", "/healthz")
                if asking.getresponse().status == 200:
                    return
            except OSError:
                os.kill(self.pid, 0)  # it is alive, or this raises
                time.sleep(0.01)
            finally:
                asking.close()

    def kill(self, how: signal.Signals = signal.SIGKILL) -> int:
        """Kill it; how it ended, as `wait` tells."""
        assert self._parent.stdout is not None
        os.kill(self.pid, how)
        return int(self._parent.stdout.readline())

    def close(self) -> None:
        """End the parent, and with it a server that runs."""
        assert self._parent.stdin is not None
        self._parent.stdin.close()
        if self.pid and self._parent.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self._parent.wait()
        assert self._parent.stdout is not None
        self._parent.stdout.close()
        self._log.close()
