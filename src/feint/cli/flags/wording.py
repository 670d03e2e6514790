"""Reword errors of the library for the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from feint.cli.flags.table import spelled
from feint.errors import InvalidValue


@contextmanager
def flagged(**flags: str) -> Iterator[None]:
    """Name the flag that an argument came from in errors about the argument.

    Args:
        flags: The flag of each argument, such as path="--out".
    """
    try:
        yield
    except InvalidValue as error:
        if error.argument not in flags:
            raise
        raise error.about(flags[error.argument]) from None


def in_flags(error: InvalidValue) -> str:
    """Return the message of an error with flags for arguments: --delta 0.2, not delta = 0.2.

    The rule stays unchanged, since it may quote a formula. A list such as `adversaries` is named
    after its flag. A switch is named alone if it is True, and as missing if it is False.
    """
    argument = _NAME.sub(_flag, error.argument).replace("_", "-")
    words = str(error).removeprefix(f"{error.argument} = ").removesuffix(error.remedy)
    if isinstance(error.value, bool):
        argument = argument if error.value else f"no {argument}"
        return f"{argument}: {error.rule}; {in_remedy(error.remedy)}"
    return f"{argument} {words}{in_remedy(error.remedy)}"


def in_remedy(remedy: str) -> str:
    """Return a remedy with flags for arguments: --runs 1000, not runs = 1000.

    A name stands for an argument if a value is set, "runs = 1000", or if it comes right after one
    of `_VERBS`: "leave runs out", but not "lower the level".
    """
    marked = _SET.sub(lambda found: f"{_flag(found)} ", remedy)
    return _NAMED.sub(lambda found: _NAME.sub(_flag, found[0]), marked)


def message_in_flags(message: str) -> str:
    """Do the same for a message such as "delta = 0.2: rule; remedy" whose error is not at hand."""
    argument, equals, words = message.partition(" = ")
    value, colon, rest = words.partition(": ")
    rule, semicolon, remedy = rest.partition("; ")
    if not (equals and colon and semicolon):
        return message
    return in_flags(InvalidValue(argument, value, rule, remedy))


def listed(given: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the values of a flag, separated by commas or given again; None if left out."""
    if not given:
        return None
    return tuple(word.strip() for word in ",".join(given).split(",") if word.strip())


def _flag(name: re.Match[str]) -> str:
    return spelled(_SEVERAL.get(name[1], name[1]))


# Not every flag name: a word such as "out" is an ordinary word in remedies.
_FLAGS = (
    *("epsilon", "within", "delta", "level", "setting", "dim", "winning", "prior", "prior_file"),
    *("low", "high", "step", "tick", "p", "confidence"),
    *("method", "budget", "max_rounds", "certificate", "runs", "adversary", "seed"),
    *("failure", "lemmas", "workers", "dask", "memory", "only", "state", "oracle", "yes_means"),
    *("margin", "voters", "plot", "calibration_seed"),
    *("repeat", "fresh_keys", "motion", "hears", "knows", "repeatable"),
    *("fails_at_least", "good_fails", "bad_fails", "weights", "delta_cells", "epsilon_cells"),
)
_SEVERAL = {"adversaries": "adversary", "methods": "method"}  # lists in Python
_ANY = "|".join((*_FLAGS, *_SEVERAL))
_NAME = re.compile(rf"(?<![-.\w])({_ANY})\b")
_SET = re.compile(rf"(?<![-.\w])({_ANY}) = ")
_VERBS = "give|leave|leave out|leave it or|raise|lower|use|with|without"
_MORE = rf"(?:(?: out)?,? (?:or|and) (?:{_ANY})\b)*"
_NAMED = re.compile(rf"(?<!\ba )\b(?:{_VERBS}) (?:{_ANY})\b{_MORE}")  # not "a lower level"
