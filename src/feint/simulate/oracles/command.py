"""Answer by the exit status of a shell command: 0 is yes, 1 is no, all others are errors."""

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
_INTERRUPTED = (-signal.SIGINT, 128 + signal.SIGINT)  # statuses of the process and of a shell


@dataclass(frozen=True)
class Command:
    """A shell command in which {q} stands for the number.

    Its standard output is discarded, so that no answer lands in a log by accident. Its standard
    error goes to the terminal. Every user of the machine can read a running command and the number
    in it, which is public. Let the command read secrets from a file.

    Attributes:
        command: The shell command. {q} is the number asked about, {coordinate} the index of the
            coordinate, from 0, and {label} the quoted label of a question: write it outside of
            quotes, or read it from the environment as "$FEINT_LABEL". A negative number begins
            with a minus: if the command could take it for an option, write -- before {q}. The
            number has all digits that the search needs. A program that reads only the first 15 or
            so then answers a different question.
    """

    command: str

    def __post_init__(self) -> None:
        """Check that the number has a place.

        Raises:
            WrongType: The command is not a string.
            InvalidValue: The command has no {q}.
        """
        if not isinstance(self.command, str):
            remedy = "pass a str such as './is-at-least {q}'"
            raise WrongType.of("oracle", self.command, "must be a line of the shell", remedy)
        if "{q}" not in self.command:
            rule = "must have {q} where the number goes"
            raise InvalidValue("oracle", self.command, rule, "add it, such as './is-at-least {q}'")

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """Run the command once per query.

        Raises:
            OracleFailed: The command exited with a status other than 0 and 1, or could not run.
            KeyboardInterrupt: The command was interrupted. Ctrl-C reaches both the command and
                this process, in any order.
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
        """Return the command line for a query; a number needs no quotes."""
        places = {
            "{q}": query.shown,
            "{coordinate}": str(query.coordinate),
            "{label}": shlex.quote(query.label or ""),
        }
        line = self.command
        for place, text in places.items():
            line = line.replace(place, text)
        return line
