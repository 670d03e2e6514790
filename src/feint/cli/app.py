"""Run the commands, and report their errors with one line on stderr and an exit status."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from keyword import iskeyword

import typer
from click import (
    ClickException,
    Context,
    MissingParameter,
    NoSuchOption,
    Option,
    Parameter,
    UsageError,
)
from typer.core import TyperArgument, TyperCommand

from feint.cli import show
from feint.cli.codes import CLOSED, INTERRUPTED, REFUSED, UNWRITTEN
from feint.cli.flags.command import as_command, flags_of
from feint.cli.flags.table import spelled
from feint.errors import FeintError, InvalidValue

COMMANDS = {
    "Plan and search": {
        "demo": "demo",
        "plan": "plan",
        "run": "run",
        "status": "status",
        "noise": "noise",
        "bisect": "bisect",
        "seal": "seal",
    },
    "Check": {"bounds": "bounds", "audit": "audit", "simulate": "simulate"},
    "Searches in a database or on a server": {
        "serve": "serve",
        "searches": "database",
        "answer": "database",
        "watch": "database",
        "export": "database",
        "import": "database",
        "backup": "database",
        "restore": "database",
        "rotate": "database",
    },
    "Research": {
        "sweep": "sweep",
        "optimal": "research",
        "atlas": "research",
        "reproduce": "research",
    },
}
"""The module of each command, by panel of the help. The module has a function of the same name."""

MODULES = {word: module for words in COMMANDS.values() for word, module in words.items()}

_NAMED = 3  # the most commands to list for a flag; more would hide the message
_NO_COMMAND = re.compile("No such command '(.+?)'")
_REST = frozenset(("run", "visualize", "view"))  # of git bisect: they pass on the words after them
_FRACTIONS = {"WIDTH", "NUMBER", "PROBABILITY"}  # the kinds of values that may be fractions
_WRITTEN = "Numbers may be written 3, 0.1, 1/3, 1e-6 or 2^-20."


def feint(
    version: bool = typer.Option(False, "--version", help="Show the version and exit."),
) -> None:
    """Find a number by yes/no questions that do not give it away."""
    if version:
        from feint import __version__

        typer.echo(f"feint {__version__}")
        raise typer.Exit


class CommandWithHelp(TyperCommand):
    """A command whose --help is in the panel "Output", and whose arguments have a help text."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        """Return the parameters with their help, which Click 8.5 drops for arguments of typer."""
        parameters = super().get_params(ctx)
        for each in parameters:
            if isinstance(each, TyperArgument) and self.callback is not None:
                each.help = flags_of(self.callback)[spelled(str(each.name))].text()
        return parameters

    def get_help_option(self, ctx: Context) -> Option | None:
        """Return click's help option with its panel."""
        option = super().get_help_option(ctx)
        if option is not None:
            vars(option)["rich_help_panel"] = "Output"
        return option


def load(word: str) -> Callable[..., object]:
    """Return a command in the form that typer reads."""
    name = f"{word}_" if iskeyword(word) else word
    return as_command(getattr(import_module(f"feint.cli.{MODULES[word]}"), name), word)


def _application(words: Sequence[str]) -> typer.Typer:
    """Return the program with the called command, or with all commands if none is called."""
    app = typer.Typer(
        help=feint.__doc__,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        suggest_commands=False,
    )
    app.callback(invoke_without_command=True)(feint)
    called = words[0] if words and words[0] in MODULES else None
    for panel, commands in COMMANDS.items():
        for word in commands if called is None else {called} & commands.keys():
            command = load(word)
            epilog = (
                _WRITTEN
                if _FRACTIONS & {flag.kind for flag in flags_of(command).values()}
                else None
            )
            app.command(word, cls=CommandWithHelp, epilog=epilog, rich_help_panel=panel)(command)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Args:
        arguments: The words after `feint`.

    Returns:
        The exit status, one of `feint.cli.codes`.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # show "?" for signs that the terminal does not have
        sys.stdout.reconfigure(errors="replace")
    try:
        words = _as_git_bisect(arguments)
        app = _application(words)
        code = app(words, standalone_mode=False, prog_name="feint")
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
    except SystemExit as left:  # rich and typer raise it if a pipe is closed
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        return _unwritten(left.__context__)
    return code if isinstance(code, int) else 0


def _as_git_bisect(words: Sequence[str]) -> list[str]:
    """Return the words with "--" after `bisect run`, whose other words git takes as the command."""
    if words[:1] != ["bisect"] or not _REST.intersection(words):
        return [*words]
    flags = flags_of(load("bisect"))
    for at, word in enumerate(words):
        before = words[at - 1]
        is_value = before in flags and bool(flags[before].kind) and not flags[before].positional
        if word == "--":
            break
        if word in _REST and not is_value and words[at + 1 : at + 2] != ["--"]:
            return [*words[: at + 1], "--", *words[at + 1 :]]
    return [*words]


def _usage(error: ClickException) -> str:
    """Return click's message, with a fix added if it suggests none."""
    said = error.format_message()
    if not isinstance(error, UsageError) or error.ctx is None:
        return said
    path = error.ctx.command_path
    otherwise = f": see {path} --help"
    if isinstance(error, NoSuchOption):
        option = error.option_name
        others = [f"feint {word}" for word in MODULES if option in flags_of(load(word))]
        if len(others) == 1:
            return f"{path} has no {option}; did you mean {others[0]} {option}?"
        if others:
            listed = " and ".join(others)
            if len(others) > _NAMED:
                listed = f"{', '.join(others[:_NAMED])} and others"
            return f"{path} has no {option}; {listed} have it"
        known = [name for each in error.ctx.command.params for name in each.opts]
        return f"there is no flag {option}{_suggested(option, known) or otherwise}"
    if isinstance(error, MissingParameter) and error.param is not None:
        missing = max(error.param.opts, key=len) if error.param.opts else error.param.name
        if isinstance(error.param, TyperArgument):
            missing = error.param.make_metavar(error.ctx)
        return f"missing {missing}: {path} --help says what it means"
    if command := _NO_COMMAND.match(said):
        return f"there is no command {command[1]}{_suggested(command[1], MODULES) or otherwise}"
    return f"{said.removesuffix('.')}{otherwise}" if said.startswith("Got unexpected") else said


def _suggested(word: str, known: Iterable[str]) -> str:
    """Return a question that names the known words nearest to a word; empty if none is near."""
    near = [each for each in known if each.startswith(word)]
    near = near or get_close_matches(word, list(known), cutoff=0.7)  # 0.7: a typo or two
    return f"; did you mean {' or '.join(near)}?" if near else ""


def _complain(message: str) -> int:
    """Print one line on stderr, and return the exit status of bad input."""
    if message.strip():
        show.complain(message)
    return REFUSED


def _unwritten(error: OSError) -> int:
    """Report that the output cannot be written, and return the exit status for it.

    The rest of the output is dropped. Otherwise Python would fail on it again at its end.
    """
    closed = isinstance(error, BrokenPipeError)  # the reader closed the pipe, and needs no message
    if not closed:
        where = "the output" if error.filename is None else error.filename
        _complain(f"{where} cannot be written: {error.strerror or error}")
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return CLOSED if closed else UNWRITTEN
