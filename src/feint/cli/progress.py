"""The one progress bar: what long work is at, and how far it is, while a person waits."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from feint.interfaces import Progress


@contextmanager
def bar(label: str) -> Iterator[Progress]:
    """A bar on stderr while the block lasts, if stderr is a terminal; it leaves no trace.

    Args:
        label: What the bar says until the work says what it is at.

    Yields:
        What long work is to call; it may be called where there is no bar, too.
    """
    if not sys.stderr.isatty():
        yield _unseen
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(label, total=None)
        yield lambda what, done, wanted: drawn.update(
            task, description=what, completed=done, total=wanted
        )


def _unseen(what: str, done: int, wanted: int) -> None:
    """Nobody is watching."""


def stopped(done: int, wanted: int, what: str) -> NoReturn:
    """Say how far Ctrl-C let it come, and leave with the exit code of Ctrl-C."""
    typer.echo(f"feint: stopped: {done:,} of {wanted:,} {what} are done", err=True)
    raise typer.Exit(130)
