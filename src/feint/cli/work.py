"""Who does long work, and the bar that shows how far it is: shared by several commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from feint.errors import InvalidValue
from feint.exact import whole

if TYPE_CHECKING:
    from feint.simulate import Executor

Workers = Annotated[
    str | None, typer.Option(help="How many processes share the work; the digits are the same.")
]
DaskAddress = Annotated[
    str | None, typer.Option("--dask", help="Address of a Dask scheduler that does the work.")
]
Memory = Annotated[
    str | None,
    typer.Option(
        help="Megabytes that all processes may take together. Default: 1024, or what so many"
        " workers need."
    ),
]
Seed = Annotated[str, typer.Option(help="Where all randomness comes from.")]
Listeners = Annotated[
    str | None,
    typer.Option("--adversary", help="Who listens: uniform,last,proportional,truncated,learned."),
]


@contextmanager
def executor(workers: str | None, dask: str | None) -> Iterator[Executor]:
    """Whoever the flags name, for as long as the block lasts.

    Raises:
        InvalidValue: Both flags at once, or no number of processes.
        MissingExtra: Dask is not installed.
    """
    from feint.simulate import Dask, Processes, Serial

    if workers is not None and dask is not None:
        rule = "a cluster has its own workers"
        raise InvalidValue("--dask", dask, rule, "leave out --workers or --dask")
    if dask is not None:
        import logging

        with Dask(dask) as cluster:
            for name in ("distributed", "distributed.client"):  # our one line says what is wrong
                logging.getLogger(name).setLevel(logging.CRITICAL)
            yield cluster
    elif workers is not None and (count := whole(workers, "--workers", least=1, most=4096)) > 1:
        with Processes(count) as pool:
            yield pool
    else:
        yield Serial()


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr while the block lasts, if a person is watching; it leaves no trace."""
    with stages(label) as tell:
        yield partial(tell, label)


@contextmanager
def stages(label: str) -> Iterator[Callable[[str, int, int], None]]:
    """A bar for work that says what it is at; it begins with a label."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(label, total=None)
        yield lambda what, done, wanted: progress.update(
            task, description=what, completed=done, total=wanted
        )


def names(words: str | None, default: tuple[str, ...]) -> tuple[str, ...]:
    """Words with commas between them."""
    if words is None:
        return default
    return tuple(word.strip() for word in words.split(",") if word.strip())


def megabytes(memory: str | None) -> int | None:
    """So many megabytes, in bytes; None where nothing is said."""
    return None if memory is None else whole(memory, "--memory", least=1) << 20


def stopped(done: int, wanted: int, what: str) -> NoReturn:
    """Say how far Ctrl-C let it come, and leave as after Ctrl-C."""
    typer.echo(f"feint: stopped: {done:,} of {wanted:,} {what} are done", err=True)
    raise typer.Exit(130)
