"""Measure the price of durable searches: events in SQLite, votes through HTTP, server start."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from socket import socket
from tempfile import TemporaryDirectory

import httpx
from benchmarks.measure import Figure, seconds

from feint import Domain, Plan, Problem, plan
from feint.journal import SQL, Lasting, begin, read_key
from feint.journal.engines import PRAGMAS
from feint.journal.polls import Polls, Terms

_CLIENTS = 16


def _plan(epsilon: str = "2^-20") -> Plan:
    return plan(Problem(epsilon, "2^-8", 15), domain=Domain(0, 1000))


def ask_and_tell() -> list[Figure]:
    """Time a durable question and its durable answer, against bare commits and Optuna.

    A whole plan of 199 questions in 17 rounds: a round is one event, and so is every answer. A
    bisection has a round for every question, and so twice the events. Sides take turns of 11
    questions (the bisection 3), and a figure is the median over turns. Optuna has its cheapest
    sampler.
    """
    with TemporaryDirectory(dir=".") as folder:
        store = SQL(f"sqlite:///{folder}/ours.db", key=bytes(32))
        sides = [
            (11, _step(begin(store, "plan", _plan()))),
            (
                3,
                _step(begin(store, "halves", plan(Problem("2^-60", "1/2", 2), method="bisection"))),
            ),
            (11, _bare(Path(folder) / "bare.db")),
            (11, _optuna(folder)),
        ]
        for _, step in sides:
            step()
        turns = [[_each(step, count) for count, step in sides] for _ in range(18)]
        store.close()
    ours, single, bare, optuna = (
        1000 * statistics.median(side) for side in zip(*turns, strict=True)
    )
    note = f"{ours:.2f} ms; bare {bare:.2f} ms; Optuna {optuna:.2f} ms"
    to_bare = statistics.median(turn[0] / turn[2] for turn in turns)
    single_to_bare = statistics.median(turn[1] / turn[2] for turn in turns)
    to_optuna = statistics.median(turn[0] / turn[3] for turn in turns)
    return [
        Figure("durable ask+tell / one bare commit of SQLite", to_bare, 4, note),
        Figure(
            "the same in rounds of one question, each two commits",
            single_to_bare,
            8,
            f"{single:.2f} ms",
        ),
        Figure("durable ask+tell / Optuna's on its SQLite storage", to_optuna, 1 / 20),
    ]


def _each(step: Callable[[], None], count: int) -> float:
    """Return the seconds of a step, given a number of them."""

    def steps() -> None:
        for _ in range(count):
            step()

    return seconds(steps) / count


def _step(search: Lasting) -> Callable[[], None]:
    def step() -> None:
        query = search.ask()[0]
        search.tell(query.id, True)

    return step


def _bare(path: Path) -> Callable[[], None]:
    connection = sqlite3.connect(path, isolation_level=None)
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, body BLOB)")

    def commit() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t (body) VALUES (?)", (bytes(156),))
        connection.execute("COMMIT")

    return commit


def _optuna(folder: str) -> Callable[[], None]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(
        storage=f"sqlite:///{folder}/optuna.db", sampler=optuna.samplers.RandomSampler(seed=0)
    )

    def step() -> None:
        trial = study.ask()
        trial.suggest_float("x", 0, 1)
        study.tell(trial, 1.0)

    return step


_TOKENS = 2000  # of the bare endpoint, as many as a poll has respondents
_BARE = f"""
import hashlib, hmac, sqlite3, sys, threading, uvicorn
from fastapi import Depends, FastAPI, HTTPException, Security
from fastapi.security import HTTPBearer
from pydantic import BaseModel
path, port = sys.argv[1], int(sys.argv[2])
app, lock, local = FastAPI(), threading.Lock(), threading.local()
def connection():
    if not hasattr(local, "held"):
        local.held = sqlite3.connect(path, isolation_level=None)
        for pragma in {PRAGMAS}:
            local.held.execute("PRAGMA " + pragma)
    return local.held
def hashed(token):
    return hashlib.sha256(token.encode()).hexdigest()
with sqlite3.connect(path) as made:
    made.execute("PRAGMA journal_mode = WAL")  # once: threads that switch together may fail
    made.execute("CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY, body BLOB)")
    made.execute("CREATE TABLE IF NOT EXISTS tokens (hash TEXT PRIMARY KEY, person TEXT)")
    rows = [(hashed(str(n)), "p" + str(n)) for n in range({_TOKENS})]
    made.executemany("INSERT OR IGNORE INTO tokens VALUES (?, ?)", rows)
class Vote(BaseModel):
    id: str
    yes: bool
def person(bearer=Security(HTTPBearer())):
    full = hashed(bearer.credentials)
    row = connection().execute("SELECT hash, person FROM tokens WHERE hash = ?", (full,)).fetchone()
    if row is None or not hmac.compare_digest(row[0], full):
        raise HTTPException(401)
    return row[1]
@app.post("/vote")
def vote(cast: Vote, who: str = Depends(person)):
    held = connection()
    with lock:
        held.execute("BEGIN IMMEDIATE")
        held.execute("INSERT INTO t (body) VALUES (?)", (bytes(156),))
        held.execute("COMMIT")
    return {{"ok": True}}
uvicorn.run(app, port=port, access_log=False, log_level="error")
"""


def processor(pid: int) -> float:
    """Return the processor time that a process has used, in seconds, to the nanosecond."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in tasks) / 1e9


@contextmanager
def _running(words: Sequence[str], port: int) -> Iterator[tuple[float, int]]:
    """Start a server, and return its starting time and its process."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while True:
            try:
                with socket() as reached:
                    reached.connect(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.005)
        yield time.perf_counter() - begun, process.pid
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def _port() -> int:
    with closing(socket()) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _serve(folder: str, port: int) -> list[str]:
    database = f"sqlite:///{folder}/ours.db"
    flags = ["--database", database, "--key-file", f"{folder}/key", "--rate", "0"]
    return ["-m", "feint", "serve", "--port", str(port), *flags]


async def _load(
    url: str, requests: Sequence[tuple[str, str, bytes]], clients: int
) -> tuple[float, list[float]]:
    """Return requests per second of parallel clients, and how long each request took in seconds."""
    waiting, took = iter(requests), list[float]()

    async def work() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=120) as client:
            for path, token, body in waiting:
                headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
                begun = time.perf_counter()
                answer = await client.post(path, content=body, headers=headers)
                took.append(time.perf_counter() - begun)
                if answer.status_code != 200:
                    raise RuntimeError(answer.text)

    begun = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(clients)))
    return len(took) / (time.perf_counter() - begun), took


async def _paced(
    url: str, requests: Sequence[tuple[str, str, bytes]], rate: float
) -> tuple[float, list[float]]:
    """Send requests at a steady rate, even if earlier ones were not answered yet.

    Returns:
        The rate, and how long each took from when it was due, in seconds.
    """
    took = list[float]()
    begun = time.perf_counter()
    async with httpx.AsyncClient(base_url=url, timeout=120) as client:

        async def one(number: int, path: str, token: str, body: bytes) -> None:
            due = begun + number / rate
            await asyncio.sleep(due - time.perf_counter())
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            answer = await client.post(path, content=body, headers=headers)
            took.append(time.perf_counter() - due)
            answer.raise_for_status()

        await asyncio.gather(*(one(number, *each) for number, each in enumerate(requests)))
    return rate, took


def votes(turns: int = 5, count: int = 200, searches: int = 10_000) -> list[Figure]:
    """Time votes through HTTP, in turns: a bare endpoint, one poll, many open polls.

    The bare endpoint checks a token, reads a vote by a model, and commits one insert. Processor
    time is that of the server alone. Requests per second would flatter us: one process of clients
    sends fewer than either server takes, and so both look alike.
    """
    with TemporaryDirectory(dir=".") as folder, ExitStack() as running:
        calm, crowded = Path(folder) / "calm", Path(folder) / "crowded"
        cast = _filled(calm, 1, 2 * turns * count + 700)
        many = _filled(crowded, searches, turns * count + 100)
        servers = []
        for place in (calm, crowded):
            port = _port()
            _, pid = running.enter_context(_running(_serve(str(place), port), port))
            servers.append((f"http://127.0.0.1:{port}", pid))
        port = _port()
        words = ["-c", _BARE, f"{folder}/bare.db", str(port)]
        _, pid = running.enter_context(_running(words, port))
        body = cast[0][2]
        bare = [("/vote", str(n % _TOKENS), body) for n in range((2 * turns + 1) * count)]
        sides = [
            (f"http://127.0.0.1:{port}", pid, iter(bare)),
            (*servers[0], iter(cast)),
            (*servers[1], iter(many)),
        ]
        for url, _, waiting in sides:
            _run(_load(url, list(islice(waiting, 100)), _CLIENTS))
        rates = [[_costs(side, count, _CLIENTS) for side in sides] for _ in range(turns)]
        single = [[_costs(side, count, 1) for side in sides[:2]] for _ in range(turns)]
        ours, filled = (statistics.median(turn[n][0] for turn in rates) for n in (1, 2))
        url, _, waiting = sides[1]
        _, took = _run(_paced(url, list(islice(waiting, 600)), ours / 2))
    tail = 1000 * sorted(took)[int(len(took) * 0.99) - 1]
    middle = 1000 * statistics.median(took)
    return [
        Figure(
            f"processor time of a vote / of a bare endpoint with a token, {_CLIENTS} clients",
            statistics.median(turn[1][1] / turn[0][1] for turn in rates),
            1.5,
            _note(rates),
        ),
        Figure(
            "the same with one client, so that no two votes share a commit",
            statistics.median(turn[1][1] / turn[0][1] for turn in single),
            2.5,
            _note(single),
        ),
        Figure(
            f"votes in one search per second / spread over {searches} open searches",
            statistics.median(turn[1][0] / turn[2][0] for turn in rates),
            1 / 0.5,
            f"{ours:.0f} votes/s and {filled:.0f} votes/s",
        ),
        Figure(
            "p99 of a vote at half load / 1 s",
            tail / 1000,
            1,
            f"{tail:.0f} ms at {ours / 2:.0f} votes/s; median {middle:.0f} ms",
        ),
    ]


def _costs(
    side: tuple[str, int, Iterator[tuple[str, str, bytes]]], count: int, clients: int
) -> tuple[float, float]:
    """Return requests a second, and the server's processor time of one."""
    url, pid, waiting = side
    before = processor(pid)
    rate, _ = _run(_load(url, list(islice(waiting, count)), clients))
    return rate, (processor(pid) - before) / count


def _note(turns: Sequence[Sequence[tuple[float, float]]]) -> str:
    bare, ours = (1000 * statistics.median(turn[n][1] for turn in turns) for n in (0, 1))
    return f"{ours:.2f} ms; bare {bare:.2f} ms"


def _filled(folder: Path, searches: int, count: int) -> list[tuple[str, str, bytes]]:
    """Fill a database with open searches, and return possible votes that are spread over them.

    It is filled in memory, where there is room, and copied from there.
    """
    folder.mkdir()
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as made:
        key = read_key(folder / "key")
        store = SQL(f"sqlite:///{made}/ours.db", key=key)
        polls = Polls(store)
        each = -(-count // searches)
        cast: list[tuple[str, str, bytes]] = []
        for number in range(searches):
            wanted = min(each, count - len(cast))
            cast += _ballots(polls, f"open {number}", wanted)
        store.close()
        shutil.copy(f"{made}/ours.db", folder / "ours.db")
    return cast


def _ballots(polls: Polls, name: str, count: int) -> list[tuple[str, str, bytes]]:
    """Return possible votes: those of the respondents of one search on its first question."""
    polls.create(name, _SMALL, terms=Terms(quorum=999_999))
    body = json.dumps({"id": "q0.0", "yes": True}).encode()
    return [("/api/poll/votes", polls.invite(name)[1], body) for _ in range(count)]


_SMALL = plan(Problem("1/64", "1/12", 3), domain=Domain(10, 20))


def _run(work: Awaitable[tuple[float, list[float]]]) -> tuple[float, list[float]]:
    async def main() -> tuple[float, list[float]]:
        return await work

    return asyncio.run(main())


def server_start() -> Figure:
    """Time the start up to an open port, against a FastAPI application with one endpoint."""
    with TemporaryDirectory(dir=".") as folder:
        pairs = []
        for _ in range(5):
            port, bare = _port(), _port()
            with _running(["-c", _BARE, f"{folder}/bare.db", str(bare)], bare) as (theirs, _):
                pass
            with _running(_serve(folder, port), port) as (ours, _):
                pass
            pairs.append((ours, theirs))
    found = statistics.median(ours / theirs for ours, theirs in pairs)
    note = f"{statistics.median(ours for ours, _ in pairs):.2f} s"
    return Figure("feint serve, to its open port / a bare FastAPI application", found, 3, note)


if __name__ == "__main__":
    os.chdir(Path(__file__).parent)
    for figure in (*ask_and_tell(), server_start(), *votes()):
        print(figure)
