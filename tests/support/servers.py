"""Run a server in the tests' own process, and read its log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from tests.support.journals import KEY

from feint.interfaces import Store
from feint.journal import SQL, Memory
from feint.journal.polls import Polls
from feint.server import Settings, application
from feint.server.guard import JSONLines

PROBLEM = {
    "epsilon": "10/64",
    "delta": "10/12",
    "level": 3,
    "low": 10,
    "high": 20,
    "labels": ["price"],
}
"""The problem of `tests.support.journals.PLAN`, in the user's units."""


@dataclass
class Served:
    """A server, its polls, and its owner's token.

    Attributes:
        client: Who asks it.
        polls: What it holds.
        owner: The owner's token.
        lines: What it logged.
    """

    client: TestClient
    polls: Polls
    owner: str
    lines: list[str] = field(default_factory=list)

    def ask(
        self, method: str, path: str, *, token: str | None = None, status: int = 200, **words: Any
    ) -> Any:
        """Return the response of a page, which must have this status."""
        headers = {"Authorization": f"Bearer {token or self.owner}"}
        answer = self.client.request(method, path, headers=headers, **words)
        assert answer.status_code == status, answer.text
        return answer.json()

    def create(self, name: str = "price", **terms: Any) -> None:
        """Begin a poll."""
        new = {"name": name, "problem": PROBLEM, "terms": terms}
        self.ask("POST", "/api/searches", json=new, status=201)

    def invite(self, name: str = "price") -> str:
        """Return the token of a new respondent."""
        made = self.ask("POST", f"/api/searches/{name}/respondents", json={}, status=201)
        return str(made["token"])


class _Lines(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self.setFormatter(JSONLines())
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("http"):
            return  # the client's own
        self._lines.append(self.format(record))


@contextmanager
def served(
    folder: Path | None = None,
    *,
    store: Store | None = None,
    clock: Callable[[], float] = time.time,
    base_url: str = "http://testserver",
    **settings: Any,
) -> Iterator[Served]:
    """Run a server on a store, or on a database in a folder; by default in memory."""
    if store is None:
        store = Memory() if folder is None else SQL(f"sqlite:///{folder}/journal.db", key=KEY)
    polls = Polls(store, clock=clock)
    owner = polls.tokens.own(again=True)
    limits = {"rate": 0, "address_rate": 0} | settings
    app = application(
        Settings(database="of the test", key_file=Path("none"), **limits), polls=polls
    )
    lines: list[str] = []
    handler = _Lines(lines)
    log = logging.getLogger()
    log.addHandler(handler)
    level = log.level
    log.setLevel(logging.DEBUG)
    try:
        with TestClient(app, base_url, raise_server_exceptions=False) as client:
            yield Served(client, polls, str(owner), lines)
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
