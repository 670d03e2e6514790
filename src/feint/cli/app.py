"""The commands and how their errors reach a person: one line on stderr and an exit code."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

import typer
from click import ClickException, Context, NoSuchOption, Option, UsageError
from typer.core import TyperCommand

from feint.cli import show
from feint.cli.codes import CLOSED, INTERRUPTED, REFUSED, UNWRITTEN
from feint.cli.flags.group import flattened, kinds, names
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
    "serve",
    "searches",
    "answer",
    "watch",
    "export",
    "take_in",
    "backup",
    "restore",
    "rotate",
)
"""Each is a module here, with a function of the same name."""

CALLED = {"take_in": "import"}
"""Commands that are called by a word that Python keeps for itself."""

_NAMED = 3  # commands that are named where many have a flag
_NO_COMMAND = re.compile("No such command '(.+?)'")
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
    called = {CALLED.get(name, name): name for name in COMMANDS}
    for word in words[:1] if words and words[0] in called else called:
        name = called[word]
        command = flattened(getattr(import_module(f"feint.cli.{name}"), name))
        epilog = _WRITTEN if _FRACTIONS & kinds(command) else None
        app.command(word, cls=_Command, epilog=epilog)(command)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: The words after `feint`.

    Returns:
        The exit code, one of `feint.cli.codes`.
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
        return _complain(_usage(error))
    except typer.Abort:
        return INTERRUPTED
    except OSError as error:
        return _unwritten(error)
    except SystemExit as left:  # how rich and typer leave when a pipe is closed
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        return _unwritten(left.__context__)
    return code if isinstance(code, int) else 0


def _usage(error: ClickException) -> str:
    """What click has to say, in our words where its own are of little help."""
    said = error.format_message()
    if not isinstance(error, UsageError) or error.ctx is None:
        return said
    help = f"{error.ctx.command_path} --help lists what there is"
    if isinstance(error, NoSuchOption):
        lacks = f"{error.ctx.command_path} has no {error.option_name}"
        others = _commands_with(error.option_name)
        if len(others) == 1:
            return f"{lacks}; did you mean {others[0]} {error.option_name}?"
        if others:
            return f"{lacks}; {_listed(others)} have it"
        known = [name for each in error.ctx.command.params for name in each.opts]
        return f"there is no flag {error.option_name}{_meant(error.option_name, known, help)}"
    if command := _NO_COMMAND.match(said):
        known = [CALLED.get(name, name) for name in COMMANDS]
        return f"there is no command {command[1]}{_meant(command[1], known, help)}"
    return f"{said.removesuffix('.')}: {help}" if said.startswith("Got unexpected") else said


def _commands_with(option: str) -> list[str]:
    """The commands that have a flag of exactly this name."""
    return [
        f"feint {CALLED.get(name, name)}"
        for name in COMMANDS
        if option in names(flattened(getattr(import_module(f"feint.cli.{name}"), name)))
    ]


def _listed(words: Sequence[str]) -> str:
    """Some words with commas between; of many, the first."""
    if len(words) > _NAMED:
        return f"{', '.join(words[:_NAMED])} and others"
    return " and ".join(words)


def _meant(word: str, known: Sequence[str], otherwise: str) -> str:
    """What may have been meant by a word that is not known; where nothing is near, what to do."""
    near = [each for each in known if each.startswith(word)]
    near = near or get_close_matches(word, known, cutoff=0.7)
    return f"; did you mean {' or '.join(near)}?" if near else f": {otherwise}"


def _complain(message: str) -> int:
    """Say what is wrong in one line on stderr; the exit code of bad input."""
    if message.strip():
        show.complain(message)
    return REFUSED


def _unwritten(error: OSError) -> int:
    """Say that the output cannot be written; the exit code of that.

    What is left to print is dropped, or Python would fail on it again when it ends.
    """
    closed = isinstance(error, BrokenPipeError)  # whoever closed the pipe knows
    if not closed:
        where = "the output" if error.filename is None else error.filename
        _complain(f"{where} cannot be written: {error.strerror or error}")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return CLOSED if closed else UNWRITTEN
