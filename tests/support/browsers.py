"""Drive Debian's chromium by Playwright, with a server; without it, tests are skipped."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from fastapi import FastAPI
from tests.support.forked import Port

from feint.journal import Memory
from feint.journal.polls import Polls
from feint.server import Settings, application

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

MISSING = "apt-get install --no-install-recommends chromium, and pip install playwright"
RULES = Path(__file__).with_name("rules.js").read_text("utf-8")
PHONE, DESKTOP = (390, 844), (1280, 800)
PATIENCE = 540_000.0  # milliseconds, just less than pytest has: a busy machine fails no test


def chromium() -> str | None:
    """Return the path of the browser; None: it, or the package that drives it, is not installed."""
    if find_spec("playwright") is None:
        return None
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def browsing() -> Iterator[Browser]:
    """Open a browser during the block; asyncio is in use meanwhile."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Site:
    """A running server, its polls, its owner's token, and its application."""

    url: str
    polls: Polls
    owner: str
    app: FastAPI


@contextmanager
def listening() -> Iterator[Site]:
    """Start a server in a thread, on its own port, with its searches in memory."""
    polls = Polls(Memory())
    owner = str(polls.tokens.own(again=True))
    settings: dict[str, Any] = {"rate": 0, "address_rate": 0, "stream_every": 0.05}
    app = application(Settings(database="none", key_file=Path("none"), **settings), polls=polls)
    port = Port()
    listening: dict[str, Any] = {"port": port.number, "timeout_graceful_shutdown": 1, "ws": "none"}
    config = uvicorn.Config(app, log_config=None, **listening)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield Site(f"http://127.0.0.1:{port.number}", polls, owner, app)
    finally:
        server.should_exit = True
        thread.join()
        port.close()


@dataclass
class Visitor:
    """A person with a separate browser, its errors, and its requests.

    Attributes:
        context: Cookies and pages, apart from everybody else's.
        url: The server.
        errors: Console errors and exceptions.
        forgiven: Those of them that a test made itself, as a pattern; they may come late.
        asked: (method, address, body) of every request.
        got: (address, body) of every answer that was read.
    """

    context: BrowserContext
    url: str
    errors: list[str] = field(default_factory=list)
    forgiven: str = "$^"
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    got: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.set_default_timeout(PATIENCE)

    def open(self, path: str) -> Page:
        """Open a new tab."""
        page = self.context.new_page()
        page.on("console", lambda said: self._console(said.type, said.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda one: self.asked.append((one.method, one.url, _body(one))))
        page.on("response", lambda one: self.got.append(one))
        page.goto(self.url + path)
        return page

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.errors.append(text)

    def check(self) -> None:
        """Check that there were no errors, and no requests to another host."""
        errors = [each for each in self.errors if not re.search(self.forgiven, each)]
        assert errors == [], errors
        assert [url for _, url, _ in self.asked if not url.startswith((self.url, "blob:"))] == []


@contextmanager
def visitor(
    browser: Browser,
    url: str,
    *,
    token: str | None = None,
    size: tuple[int, int] = DESKTOP,
    scheme: Any = "light",
    motion: Any = "reduce",
    scripts: bool = True,
) -> Iterator[Visitor]:
    """Yield a visitor of a server, and check that they saw no errors."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        reduced_motion=motion,
        java_script_enabled=scripts,
    )
    if token is not None:
        context.add_cookies([{"name": "feint", "value": token, "url": url}])
    made = Visitor(context, url)
    try:
        yield made
        made.check()
    finally:
        context.close()


def _body(request: Any) -> str:
    return request.post_data or ""
