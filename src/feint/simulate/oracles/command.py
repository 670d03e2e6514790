"""A shell command that answers by its exit code: 0 is yes, 1 is no, anything else stops."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from feint.errors import InvalidValue, OracleFailed, WrongType
from feint.problem import Query

_YES, _NO, _NOT_FOUND = 0, 1, 127
_INTERRUPTED = (-signal.SIGINT, 128 + signal.SIGINT)  # by itself, and as a shell says it


@dataclass(frozen=True)
class Command:
    """A command with {q} where the number goes.

    What it prints is thrown away, so that no answer lands in a log by accident; what it complains
    of goes to the terminal. Every user of the machine can read the command in the list of
    processes while it runs, and the number asked about in it, which is public: let it read secrets
    from a file of yours.

    Attributes:
        command: What the shell runs. {q} is the number asked about, {coordinate} which of several
            numbers it is, from 0, and {label} what the user calls it, quoted: write it outside of
            quotes, or read it from the environment, as "$FEINT_LABEL". A number below zero begins
            with a minus: where the command would take it for an option, write -- before {q}. It
            has as many digits as the search needs; a program that keeps fewer, as most keep 15 or
            so, answers another question where there are more.
    """

    command: str

    def __post_init__(self) -> None:
        """Check that the number has a place.

        Raises:
            WrongType: It is no line.
            InvalidValue: There is no {q}.
        """
        if not isinstance(self.command, str):
            remedy = "pass a str such as './is-at-least {q}'"
            raise WrongType.of("oracle", self.command, "must be a line of the shell", remedy)
        if "{q}" not in self.command:
            rule = "must have {q} where the number goes"
            raise InvalidValue("oracle", self.command, rule, "add it, such as './is-at-least {q}'")

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """One run of the command for each query.

        Raises:
            OracleFailed: It left with another code than 0 and 1, or could not be run.
            KeyboardInterrupt: It was interrupted. Ctrl-C is for the command and for us, and which
                of the two it reaches first does not matter.
        """
        for query in queries:
            code = subprocess.run(
                self.line(query),
                shell=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                check=False,
                env=os.environ | {"FEINT_LABEL": query.label or ""},
            ).returncode
            if code in _INTERRUPTED:
                raise KeyboardInterrupt
            if code not in (_YES, _NO):
                how = f"was ended by signal {-code}" if code < 0 else f"left with code {code}"
                how = "was not found by the shell" if code == _NOT_FOUND else how
                rule = "0 is yes, 1 is no, and anything else stops the search"
                raise OracleFailed(f"the command {how} at query {query.id}: {rule}")
            yield code == _YES

    def line(self, query: Query) -> str:
        """What the shell is given; a number needs no quotes."""
        places = {
            "{q}": query.shown,
            "{coordinate}": str(query.coordinate),
            "{label}": shlex.quote(query.label or ""),
        }
        line = self.command
        for place, text in places.items():
            line = line.replace(place, text)
        return line
