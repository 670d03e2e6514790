"""What an operator relies on: health that fails with writes, no Host in a response, no secret in
the list of processes.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy import event
from starlette.routing import Route
from starlette.testclient import TestClient
from tests.support.databases import databases
from tests.support.disks import APART, small_disk
from tests.support.forked import Port
from tests.support.journals import KEY
from tests.support.servers import Served, served

from feint.errors import Unavailable
from feint.journal import SQL, key_text
from feint.journal.polls import Polls
from feint.server import (
    Settings,
    application,
    operation,
    owner,
    pages,
    static,
    views,
)
from feint.server import respondent as respondents
from feint.server.health import Health

TRIES = 500  # times that a change of the database is looked for
HOST = "recognisable.example"


@pytest.fixture
def server() -> Iterator[Served]:
    with served(health_every=0) as held:
        yield held


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_health_writes_now_and_then() -> None:
    """However often it is asked; what it found is repeated in between, be it good or bad."""
    clock, outcomes = Time(), [False, True, False]
    health = Health(5, clock=clock)

    def write() -> None:
        if outcomes.pop(0):
            raise Unavailable("the disk is full")

    for fails in (False, True, False):
        for _ in range(10):
            if fails:
                with pytest.raises(Unavailable, match="the disk is full"):
                    health.check(write)
            else:
                health.check(write)
        clock.now += 5
    assert outcomes == []


def test_health_is_told_while_a_write_waits() -> None:
    """A write may wait for a lock: nobody else waits with it."""
    health, waits, go_on = Health(0), threading.Event(), threading.Event()
    health.check(lambda: None)

    def slow() -> None:
        waits.set()
        assert go_on.wait(60)

    thread = threading.Thread(target=health.check, args=(slow,))
    thread.start()
    assert waits.wait(60)
    health.check(lambda: pytest.fail("a second write"))
    go_on.set()
    thread.join()


def test_health_fails_where_the_database_can_only_be_read(tmp_path: Path) -> None:
    with served(tmp_path, health_every=0) as server:
        assert server.client.get("/healthz").status_code == 200
        store: Any = server.polls._store
        engine = store._database.engine

        def read_only(connection: Any, *_: object) -> None:
            connection.execute("PRAGMA query_only = ON")  # the error is that of a read-only file

        event.listen(engine, "checkout", read_only)
        answer = server.client.get("/healthz")
        assert answer.status_code == 503
        assert answer.json()["error"]["code"] == "unavailable"
        assert answer.headers["Retry-After"] == "1"
        event.remove(engine, "checkout", read_only)
        engine.dispose()
        assert server.client.get("/healthz").status_code == 200
        server.polls._store.close()


_FULL = """
import sys
from pathlib import Path
from tests.support.disks import make_room
from tests.support.servers import served
from feint.errors import Unavailable
folder, way, tries = sys.argv[1], sys.argv[2], int(sys.argv[3])
make_room(folder, way, 1 << 19, first=True)
with served(Path(folder), health_every=0) as server:
    def status():
        return server.client.get("/healthz").status_code
    print(status())
    server.create(quorum=1)
    try:
        for number in range(10_000):
            server.polls.invite("price")
    except Unavailable:
        pass
    print(next((found for _ in range(tries) if (found := status()) != 200), 200))
    make_room(folder, way, 1 << 23)
    print(status())
"""


@pytest.mark.long
def test_health_fails_where_the_disk_is_full(tmp_path: Path) -> None:
    way = small_disk()
    words = [sys.executable, "-c", _FULL, str(tmp_path), way, str(TRIES)]
    apart = APART if way == "tmpfs" else ()
    told = subprocess.run([*apart, *words], check=False, capture_output=True, text=True)
    assert told.stdout.split() == ["200", "503", "200"], told.stderr


@pytest.mark.parametrize("kind", databases()[1:])
def test_health_fails_where_postgresql_only_reads(kind: str, postgres_url: str) -> None:
    """As a standby does, and one that was told to; nothing is a failure of the server's own."""
    polls = Polls(SQL(postgres_url, key=KEY))
    settings = Settings(database="", key_file=Path("none"), health_every=0, address_rate=0)
    plain = postgres_url.replace("postgresql+psycopg", "postgresql")

    def say(words: str) -> None:
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(words)
            connection.execute("SELECT pg_reload_conf()")

    with TestClient(application(settings, polls=polls)) as client:

        def settled(status: int) -> bool:
            return any(client.get("/healthz").status_code == status for _ in range(TRIES))

        assert settled(200)
        try:
            say("ALTER SYSTEM SET default_transaction_read_only = on")
            assert settled(503)
            assert {client.get("/healthz").status_code for _ in range(5)} == {503}
            with pytest.raises(Unavailable):
                SQL(postgres_url, key=KEY)
        finally:
            say("ALTER SYSTEM RESET default_transaction_read_only")
        assert settled(200)
    polls._store.close()


def test_no_response_repeats_the_host(server: Served) -> None:
    """On every route, with every method, and with a slash too many or too few."""
    server.create(quorum=1)
    _, respondent = server.polls.invite("price")
    paths = {
        (method, route.path)
        for router in (owner, respondents, operation, views, pages, static)
        for route in router.router.routes
        if isinstance(route, Route) and not route.path.endswith(("/stream", "/watch"))
        for method in route.methods or ()
    }
    assert len(paths) > 40
    asked = {(method, path.rstrip("/")) for method, path in paths} | paths
    asked |= {(method, f"{path.rstrip('/')}/") for method, path in paths}
    asked |= {("GET", "//other.example/"), ("GET", "//other.example/..;/searches/")}
    hosts = (HOST, f"{HOST}/a", f"{HOST}:80@x", f"[{HOST}", f"{HOST}?a#b", "")
    redirected = 0
    for method, path in sorted(asked):
        where = re.sub(r"\{(\w+)(:\w+)?\}", "price", path)
        for host in hosts if method == "GET" else hosts[:1]:
            for token in (None, server.owner, respondent):
                headers = {"Host": host, "X-Forwarded-Host": HOST, "Forwarded": f"host={HOST}"}
                if token is not None:
                    headers["Authorization"] = f"Bearer {token}"
                answer = server.client.request(
                    method, where or "/", headers=headers, follow_redirects=False
                )
                said = answer.text + json.dumps(dict(answer.headers))
                assert HOST not in said, (method, where)
                if "location" in answer.headers:
                    redirected += 1
                    assert re.match(r"/(?![/\\])", answer.headers["location"])
    assert redirected > 20


def test_a_slash_too_many_still_leads_to_the_page(server: Served) -> None:
    answer = server.client.get("/plan/?low=1&high=%202", follow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (307, "/plan?low=1&high=%202")
    assert server.client.get("/plan/?low=1").status_code == 200


def test_a_long_body_needs_a_token(server: Served) -> None:
    """Or everybody could have megabytes kept for every connection."""
    server.create("old", quorum=1)
    export = server.ask("GET", "/api/searches/old/export")
    new = {"name": "new", "search": export, "terms": {}} | {"padding": " " * (1 << 15)}
    for headers in ({}, {"Authorization": "Bearer none"}, {"Cookie": "feint=none"}):
        answer = server.client.post("/api/imports", json=new, headers=headers)
        assert answer.status_code == 401
        assert "a body this long needs a token" in answer.json()["error"]["message"]
    assert server.client.post("/api/imports", json={"a": 1}).status_code in (401, 422)
    known = {"Authorization": f"Bearer {server.owner}"}
    assert server.client.post("/api/imports", json=new, headers=known).status_code != 401
    server.client.post("/api/session", json={"token": server.owner})
    cookie = {"X-Feint-Request": "1", "Sec-Fetch-Site": "same-origin"}
    assert server.client.post("/api/imports", json=new, headers=cookie).status_code != 401


def test_every_limit_is_on_the_page_with_its_default() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "server.md").read_text()
    table = page.partition("### Limits")[2].partition("**When all connections")[0]
    rows = {
        name: cells[2].replace(",", "")
        for line in table.splitlines()
        if line.startswith("|") and len(cells := line.split("|")) == 6
        for name in re.findall(r"`(\w+)`", cells[1])
    }
    others = {"database", "key_file", "stream_every", "docs"}  # none of which is a limit
    described = {each.name for each in fields(Settings)} - others
    assert set(rows) == described
    for each in fields(Settings):
        if each.name in described:
            value = float(str(each.default))
            kib = each.name in ("head", "body")
            shown = f"{value / 1024 if kib else value:g}" + (" KiB" if kib else "")
            assert re.search(rf"\b{shown}\b", rows[each.name]), each.name


def test_metrics_count_connections_that_a_limit_closed(server: Served) -> None:
    connections = server.client.app.state.metrics.connections  # type: ignore[attr-defined]
    connections.closed["slow"] += 3
    text = server.client.get("/metrics", headers={"Authorization": f"Bearer {server.owner}"}).text
    assert "feint_connections 0.0" in text
    assert 'feint_connections_closed_total{reason="slow"} 3.0' in text


def test_metrics_do_not_tell_whether_an_answer_was_taken(server: Served) -> None:
    """A line for each status would: what they say is as long as other answers would make it."""
    server.create("own")
    server.ask("POST", "/api/searches/own/answers", json={"id": "q0.0", "yes": True})
    path = "/api/searches/{name}/answers"
    labels = list[set[str]]()
    for yes, status in ((True, 200), (False, 409)):
        sent = {"id": "q0.0", "yes": yes}
        server.ask("POST", "/api/searches/own/answers", json=sent, status=status)
        headers = {"Authorization": f"Bearer {server.owner}"}
        lines = server.client.get("/metrics", headers=headers).text.splitlines()
        labels.append({each.split("} ")[0] for each in lines if path in each})
    assert labels[0] == labels[1]
    assert any('status="answered"' in each for each in labels[0])


def test_metrics_and_log_lines_hold_no_sizes(server: Served) -> None:
    """The length of a response is kept nowhere: it could depend on answers."""
    server.ask("GET", "/api/searches")
    text = server.client.get("/metrics", headers={"Authorization": f"Bearer {server.owner}"}).text
    names = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    assert names == {
        "feint_requests_total",
        "feint_requests_created",
        "feint_request_seconds",
        "feint_request_seconds_created",
        "feint_connections",
        "feint_connections_closed_total",
    }
    lines = [json.loads(line) for line in server.lines if '"request"' in line]
    assert {"time", "level", "event", "method", "route", "status", "ms"} == set(lines[-1])


@pytest.mark.long
def test_no_secret_is_in_the_list_of_processes(tmp_path: Path) -> None:
    """Neither of the server nor of its workers, which get their settings by the environment."""
    port, key = Port(), key_text(KEY)
    database = f"sqlite:///{tmp_path}/recognisable.db"
    environment = os.environ | {"FEINT_DATABASE": database, "FEINT_KEY": key}
    words = [sys.executable, "-m", "feint", "serve", "--workers", "2", "--port", str(port.number)]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(words, env=environment, stdout=log, stderr=log)
    try:
        while True:
            try:
                if httpx.get(f"http://127.0.0.1:{port.number}/healthz").status_code == 200:
                    break
            except httpx.TransportError:
                assert process.poll() is None
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) >= 2
        for pid in (str(process.pid), *children):
            said = Path(f"/proc/{pid}/cmdline").read_bytes()
            assert b"recognisable" not in said
            assert key.encode() not in said
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
        port.close()
    assert (tmp_path / "recognisable.db").exists()
