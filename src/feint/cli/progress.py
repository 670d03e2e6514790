"""The one progress bar: what long work is at, and how far it is, while a person waits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, NoReturn

import typer

from feint.cli.codes import INTERRUPTED

if TYPE_CHECKING:
    from feint.interfaces import Progress


SOON = 0.2
"""Seconds of planning after which a person wants to see that something happens."""


@contextmanager
def bar(label: str, *, after: float = 0.0) -> Iterator[Progress]:
    """A bar on stderr while the block lasts, if stderr is a terminal; it leaves no trace.

    Args:
        label: What the bar says until the work says what it is at.
        after: Seconds before it is drawn: work that is done by then is not worth a bar.

    Yields:
        What long work is to call; it may be called where there is no bar, too.
    """
    if not sys.stderr.isatty():
        yield _unseen
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    drawn = Bar(console=Console(stderr=True), transient=True)
    task = drawn.add_task(label, total=None)
    late = Timer(after, drawn.start)
    late.daemon = True
    if after:
        late.start()
    else:
        drawn.start()
    try:
        yield lambda what, done, wanted: drawn.update(
            task, description=what, completed=done, total=wanted
        )
    finally:
        if after:
            late.cancel()
            late.join()
        drawn.stop()


def _unseen(what: str, done: int, wanted: int) -> None:
    """Nobody is watching."""


def stopped(done: int, wanted: int, what: str) -> NoReturn:
    """Say how far Ctrl-C let it come, and leave with the exit code of Ctrl-C."""
    typer.echo(f"feint: stopped: {done:,} of {wanted:,} {what} are done", err=True)
    raise typer.Exit(INTERRUPTED)
