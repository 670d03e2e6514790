"""Two servers with two workers each on one PostgreSQL, as `feint serve --workers 2` starts them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from tests.support.databases import databases
from tests.support.forked import Port
from tests.support.journals import KEY
from tests.support.load import NAME, PLAN, Load, checked

from feint.journal import SQL, write_key
from feint.journal.polls import Polls, Terms


class Server:
    """`feint serve --workers 2`, in processes of its own."""

    def __init__(self, url: str, folder: Path) -> None:
        self._port = Port()
        self.url = f"http://127.0.0.1:{self._port.number}"
        where = ["--database", url, "--key-file", str(folder / "key")]
        words = ["serve", "--workers", "2", "--port", str(self._port.number), "--rate", "0", *where]
        self._log = (folder / f"log {self._port.number}").open("w")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "feint", *words], stdout=self._log, stderr=self._log
        )

    def wait(self) -> None:
        """Until it answers."""
        while True:
            try:
                if httpx.get(f"{self.url}/healthz", timeout=60).status_code == 200:
                    return
            except httpx.TransportError:
                assert self._process.poll() is None
                time.sleep(0.02)

    def workers(self) -> list[int]:
        """Its workers' processes."""
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [int(each) for each in children if _works(int(each))]

    def close(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait()
        self._log.close()
        self._port.close()


def _works(pid: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@contextmanager
def two(url: str, folder: Path) -> Iterator[tuple[Server, Server]]:
    write_key(folder / "key", KEY)
    with ExitStack() as held:
        servers = Server(url, folder), Server(url, folder)
        for each in servers:
            held.callback(each.close)
        for each in servers:
            each.wait()
        yield servers


@pytest.mark.slow
@pytest.mark.parametrize("kind", databases()[-1:])
def test_two_servers_with_two_workers_each_lose_nothing(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """While votes come in at both, workers of either are killed, and others take their place."""
    sqlite = f"sqlite:///{tmp_path}/journal.db"
    url = sqlite if kind == "sqlite" else request.getfixturevalue("postgres_url")
    store = SQL(url, key=KEY)
    store.delete(NAME)
    polls = Polls(store)
    with two(url, tmp_path) as servers:
        polls.create(NAME, PLAN, terms=Terms(quorum=3), key=bytes(32))
        people = [polls.invite(NAME, id=str(number)) for number in range(8)]
        load = Load([each.url for each in servers], [token for _, token in people])
        for thread in load.threads:
            thread.start()
        for number in range(8):
            for _ in range(30):
                load.moved.acquire()
            server = servers[number % 2]
            workers = server.workers()
            assert workers
            os.kill(workers[0], signal.SIGKILL)
        for thread in load.threads:
            thread.join()
        assert load.errors == []
        checked(polls, load, people)
    store.delete(NAME)
    store.close()
