"""How one flag is declared: what its value is, what it is for, and what it says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, Literal

import typer

from feint.errors import InvalidValue

Kind = Literal[
    "WIDTH",
    "NUMBER",
    "PROBABILITY",
    "COUNT",
    "SEED",
    "NAME",
    "NAMES",
    "LAW",
    "WHICH",
    "FILE",
    "FOLDER",
    "COMMAND",
    "ADDRESS",
    "URL",
    "SEARCH",
]
"""What the value of a flag is, as the help shows it."""

Panel = Literal[
    "The check",
    "The problem",
    "Units",
    "Noise",
    "The plan",
    "The search",
    "The audit",
    "The game",
    "The vote",
    "The poll",
    "The server",
    "Where it is kept",
    "Runs",
    "Work",
    "Output",
]
"""What a flag is for. The help has one panel for each, in this order."""


def flag(help: str, kind: Kind, panel: Panel, *names: str, **more: Any) -> Any:
    """Declare a flag that has a value; it belongs in the `Annotated` of a parameter or a field.

    Args:
        help: What it says, in a sentence or two. A default is named here, "Default: 0.", since the
            parameter's own default is often None, for "left out".
        kind: What its value is.
        panel: What it is for.
        names: Its names; without any, the parameter's.
        more: What else `typer.Option` takes.

    Returns:
        What typer reads.
    """
    return typer.Option(
        *names, help=help, metavar=kind, rich_help_panel=panel, show_default=False, **more
    )


def argument(help: str, kind: Kind, panel: Panel) -> Any:
    """Declare a value that is given by its place, without a flag; otherwise as in `flag`."""
    return typer.Argument(help=help, metavar=kind, rich_help_panel=panel, show_default=False)


def switch(name: str, help: str, panel: Panel) -> Any:
    """Declare a flag without a value: given or not, and no --no-flag."""
    return typer.Option(name, help=help, rich_help_panel=panel, show_default=False)


Plot = Annotated[
    str | None,
    flag("Draw what was found to this file, such as found.png.", "FILE", "Output", "--plot"),
]
Json = Annotated[bool, switch("--json", "Print JSON for machines.", "Output")]


def spelled(name: str) -> str:
    """A parameter's name as a person types it: max_rounds is --max-rounds."""
    return f"--{name.replace('_', '-')}"


@contextmanager
def flagged(**flags: str) -> Iterator[None]:
    """Errors about an argument name the flag that it came from.

    Args:
        flags: The flag of each argument, such as path="--out".

    Raises:
        InvalidValue: As in the block, with the flag for the argument.
    """
    try:
        yield
    except InvalidValue as error:
        if error.argument not in flags:
            raise
        named = flags[error.argument]
        raise type(error)(named, error.value, error.rule, error.remedy) from None
