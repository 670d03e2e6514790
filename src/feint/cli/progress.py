"""Show a progress bar during long work."""

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
"""Seconds of planning before the bar appears, since shorter work does not need one."""


@contextmanager
def bar(label: str, *, after: float = 0.0) -> Iterator[Progress]:
    """Show a bar on stderr during the block if stderr is a terminal. It is erased at the end.

    Args:
        label: The text of the bar until the work reports its progress.
        after: Seconds before it is drawn.

    Yields:
        The function that long work calls, with or without a bar.
    """
    if not sys.stderr.isatty():
        yield lambda what, done, wanted: None
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


def stopped(done: int, wanted: int, what: str) -> NoReturn:
    """Print how much was done before Ctrl-C, and exit with its status."""
    typer.echo(f"feint: stopped: {done:,} of {wanted:,} {what} are done", err=True)
    raise typer.Exit(INTERRUPTED)
