"""Measure the cost of one vote: the figures of the capacity model in docs/how-to/server.md.

    python -m benchmarks.capacity

Processor time is that of the server's process, so a busy machine changes it little; how long a
commit takes is the disk's.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.journal import (
    _ballots,
    _bare,
    _load,
    _port,
    _run,
    _running,
    _serve,
    processor,
)
from benchmarks.measure import seconds

from feint.journal import SQL, read_key
from feint.journal.polls import Polls

_VOTES = 400


def main() -> None:
    with TemporaryDirectory(dir=".") as folder:
        polls = Polls(SQL(f"sqlite:///{folder}/ours.db", key=read_key(Path(folder) / "key")))
        cast = _ballots(polls, "bench", _VOTES + 100)
        commit = _bare(Path(folder) / "bare.db")
        disk = statistics.median(seconds(commit) for _ in range(200))
        port = _port()
        with _running(_serve(folder, port), port) as (_, pid):
            address = f"http://127.0.0.1:{port}"
            _run(_load(address, cast[:100], 16))
            before, size = processor(pid), _size(folder)
            begun = time.perf_counter()
            _run(_load(address, cast[100:], 16))
            took = time.perf_counter() - begun
            used = (processor(pid) - before) / _VOTES
            grown = (_size(folder) - size) / _VOTES
            resident = _resident(pid)
        inner = _inner(polls)
    print(f"processor time a vote: {1000 * used:.2f} ms")
    print(f"of that, without HTTP: {1000 * inner:.2f} ms")
    print(f"one commit: {1000 * disk:.2f} ms")
    print(f"votes a second, one process, 16 clients: {_VOTES / took:.0f}")
    print(f"bytes a vote in the database: {grown:.0f}")
    print(f"memory of the process: {resident:.0f} MiB")


def _inner(polls: Polls) -> float:
    """Return the processor time of a vote and of reading its token, in this process."""
    people = [polls.invite("bench") for _ in range(_VOTES)]
    begun = time.thread_time()
    for person, token in people:
        polls.tokens.caller(token)
        polls.vote("bench", person, "q0.0", True)
    return (time.thread_time() - begun) / _VOTES


def _resident(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _size(folder: str) -> int:
    connection = sqlite3.connect(f"{folder}/ours.db")
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    return int(pages) * int(page)


if __name__ == "__main__":
    main()
