"""The commands and how their errors reach a person: one line on stderr, exit code 2."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from feint.cli import bounds, demo
from feint.errors import FeintError

app = typer.Typer(
    help="Find a number by yes/no questions that do not give it away.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command("bounds")(bounds.bounds)
app.command("demo")(demo.demo)

# The root of the option parser's own errors, wherever this version of typer keeps it.
_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[2]


@app.callback(invoke_without_command=True)
def feint(
    version: bool = typer.Option(False, "--version", help="Print the version and leave."),
) -> None:
    """Find a number by yes/no questions that do not give it away."""
    if version:
        from feint import __version__

        typer.echo(f"feint {__version__}")
        raise typer.Exit


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: The words after `feint`.

    Returns:
        The exit code: 0 when all is well, 2 for bad input.
    """
    try:
        code = app(list(arguments), standalone_mode=False, prog_name="feint")
    except FeintError as error:
        return _complain(str(error))
    except _USAGE_ERROR as error:
        return _complain(error.format_message() if hasattr(error, "format_message") else str(error))
    except typer.Abort:
        return 130
    return code if isinstance(code, int) else 0


def _complain(message: str) -> int:
    line = " ".join(message.split())
    if line:
        sys.stderr.write(f"feint: {line}\n")
    return 2
