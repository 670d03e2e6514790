"""Build the ASGI application from routes, guards and shared state."""

from __future__ import annotations

import signal
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from types import FrameType
from typing import Any

from fastapi import FastAPI

from feint.journal import SQL, read_key
from feint.journal.polls import Polls
from feint.server import operation, owner, pages, refusals, respondent, static, views
from feint.server.batches import Batches
from feint.server.connections import STATE, Connections
from feint.server.guard import Guard, Metrics, log_lines
from feint.server.health import Health
from feint.server.limits import AtOnce
from feint.server.settings import Settings
from feint.server.streams import Streams, count, look
from feint.server.turns import Turns

_STOPS = (signal.SIGTERM, signal.SIGINT)


def application(settings: Settings, *, polls: Polls | None = None) -> FastAPI:
    """Return the server as an ASGI application.

    Args:
        settings: The settings.
        polls: The polls to serve; None: those in the database of the settings.

    Returns:
        The application.

    Raises:
        FeintError: The database cannot be opened.
    """
    if polls is None:
        key = read_key(settings.key_file)
        polls = Polls(SQL(settings.database, key=key))
    app = FastAPI(
        title="feint",
        version=version("feint"),
        description="Find a number by yes/no questions that do not give it away.",
        docs_url=None,  # FastAPI's own reference pages load scripts from other hosts
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.polls, app.state.settings, app.state.metrics = polls, settings, Metrics()
    app.state.health = Health(settings.health_every)
    refusals.install(app, missing=pages.missing)
    # Routes are tried in this order, and most requests are votes.
    for module in (respondent, owner, operation, views, pages, static):
        app.include_router(module.router)
    app.add_middleware(Guard, settings=settings, metrics=app.state.metrics)
    return app


def from_environment() -> FastAPI:
    """Return the application of a worker process, with settings from the environment."""
    log_lines()
    return application(Settings.from_environment())


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[dict[str, Connections]]:
    """End streams as soon as the server is asked to stop, so that it need not wait for them.

    The yielded state reaches uvicorn's protocol, which counts connections with it.
    """
    polls: Polls = app.state.polls
    every = app.state.settings.stream_every
    common: dict[str, Any] = {
        "every": every,
        "stamp": polls.stamp,
        "owners": polls.tokens.roll,
        "clock": polls.clock,
    }
    streams = Streams(partial(look, polls), **common)
    watching = Streams(partial(count, polls), **common)
    app.state.streams, app.state.watching, app.state.turns = streams, watching, Turns()
    app.state.batches = Batches(polls)
    app.state.at_once = AtOnce(app.state.settings.streams)
    before = {}
    if threading.current_thread() is threading.main_thread():
        for each in _STOPS:
            before[each] = signal.getsignal(each)
            signal.signal(each, _stopping((streams, watching), before[each]))
    connections = app.state.metrics.connections = Connections(app.state.settings)
    yield {STATE: connections}
    streams.stop()
    watching.stop()
    for each, handler in before.items():
        signal.signal(each, handler)
    polls.close()


def _stopping(streams: Iterable[Streams[Any]], before: Any) -> Any:
    def handle(number: int, frame: FrameType | None) -> None:
        for each in streams:
            each.stop()
        if callable(before):
            before(number, frame)

    return handle
