"""The commands and how their errors reach a person: one line on stderr and an exit code."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import typer
from click import ClickException, Context, Option
from typer.core import TyperCommand

from feint.cli import show
from feint.cli.flags.group import flattened, kinds
from feint.errors import FeintError, InvalidValue

COMMANDS = (
    "bounds",
    "plan",
    "audit",
    "run",
    "status",
    "bisect",
    "seal",
    "optimal",
    "atlas",
    "noise",
    "simulate",
    "sweep",
    "reproduce",
    "demo",
)
"""Each is a module here, with a function of the same name."""

_FRACTIONS = {"WIDTH", "NUMBER", "PROBABILITY"}
_WRITTEN = "Numbers may be written 3, 0.1, 1/3, 1e-6 or 2^-20."


def feint(
    version: bool = typer.Option(False, "--version", help="Print the version and leave."),
) -> None:
    """Find a number by yes/no questions that do not give it away."""
    if version:
        from feint import __version__

        typer.echo(f"feint {__version__}")
        raise typer.Exit


class _Command(TyperCommand):
    """A command whose --help stands in the panel of what is printed, and not in one of its own."""

    def get_help_option(self, ctx: Context) -> Option | None:
        """The option that click makes, with its panel."""
        option = super().get_help_option(ctx)
        if option is not None:
            vars(option)["rich_help_panel"] = "Output"
        return option


def _application(words: Sequence[str]) -> typer.Typer:
    """The command that is called, which alone is loaded; all of them where none is."""
    app = typer.Typer(
        help=feint.__doc__,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        suggest_commands=False,
    )
    app.callback(invoke_without_command=True)(feint)
    for name in words[:1] if words and words[0] in COMMANDS else COMMANDS:
        command = flattened(getattr(import_module(f"feint.cli.{name}"), name))
        epilog = _WRITTEN if _FRACTIONS & kinds(command) else None
        app.command(name, cls=_Command, epilog=epilog)(command)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: The words after `feint`.

    Returns:
        The exit code: 0 when all is well, 2 for bad input, 1 when an audit's claim does not hold
        or the output cannot be written, 130 after Ctrl-C; `feint run` leaves with 3 when it is
        stopped before the end.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without our signs shows "?"
    try:
        app = _application(arguments)
        code = app(list(arguments), standalone_mode=False, prog_name="feint")
        sys.stdout.flush()
    except InvalidValue as error:
        from feint.cli.flags.wording import in_flags

        return _complain(in_flags(error))
    except FeintError as error:
        return _complain(str(error))
    except ClickException as error:
        return _complain(error.format_message())
    except typer.Abort:
        return 130
    except OSError as error:
        return _unwritten(error)
    return code if isinstance(code, int) else 0


def _complain(message: str) -> int:
    """Say what is wrong in one line on stderr; the exit code of bad input."""
    if message.strip():
        show.complain(message)
    return 2


def _unwritten(error: OSError) -> int:
    """Say that the output cannot be written; the exit code of that.

    What is left to print is dropped, or Python would fail on it again when it ends.
    """
    if not isinstance(error, BrokenPipeError):  # whoever closed the pipe knows
        where = "the output" if error.filename is None else error.filename
        _complain(f"{where}: cannot be written: {error.strerror or error}")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
