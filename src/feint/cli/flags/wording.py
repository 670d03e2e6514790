"""Errors of the library in the words of the command line."""

from __future__ import annotations

import re

from feint.cli.flags.flag import spelled
from feint.cli.flags.problem import NAMES
from feint.errors import InvalidValue


def in_flags(error: InvalidValue) -> str:
    """What an error says, with flags for arguments: --delta 0.2, not delta = 0.2.

    Args:
        error: An error of the library. Its rule is left as it is, since it may quote a formula.
            Lists of Python, such as adversaries, are named after the flag that each comes from. A
            switch is named alone where it is True, and as missing where it is False.

    Returns:
        The message, in one line if the error's is.
    """
    argument = _NAME.sub(_flag, error.argument).replace("_", "-")
    words = str(error).removeprefix(f"{error.argument} = ").removesuffix(error.remedy)
    if isinstance(error.value, bool):
        argument = argument if error.value else f"no {argument}"
        return f"{argument}: {error.rule}; {in_remedy(error.remedy)}"
    return f"{argument} {words}{in_remedy(error.remedy)}"


def in_remedy(remedy: str) -> str:
    """A remedy with flags for arguments: --runs 1000, not runs = 1000.

    A name stands for an argument where a value is set, "runs = 1000", or where it comes right after
    a word of `_VERBS`: "leave runs out", not "whoever hears both" or "lower the level".
    """
    marked = _SET.sub(lambda found: f"{_flag(found)} ", remedy)
    return _NAMED.sub(lambda found: _NAME.sub(_flag, found[0]), marked)


def told_in_flags(message: str) -> str:
    """The same of an error's message, where the error itself is no longer at hand.

    Args:
        message: What an error of the library said: "delta = 0.2: rule; remedy".

    Returns:
        The message with flags for arguments.
    """
    argument, equals, words = message.partition(" = ")
    value, colon, rest = words.partition(": ")
    rule, semicolon, remedy = rest.partition("; ")
    if not (equals and colon and semicolon):
        return message
    return in_flags(InvalidValue(argument, value, rule, remedy))


def _flag(name: re.Match[str]) -> str:
    return spelled(_SEVERAL.get(name[1], name[1]))


# Not every flag: a word such as "out" stands in remedies as itself.
_OTHERS = (
    *("method", "budget", "max_rounds", "certificate", "prior", "runs", "adversary", "seed"),
    *("failure", "lemmas", "workers", "dask", "memory", "only", "state", "oracle", "yes_means"),
    *("margin", "voters", "plot", "calibration_seed"),
    *("repeat", "fresh_keys", "motion", "hears", "knows", "repeatable"),
    *("fails_at_least", "weights"),
)
_SEVERAL = {"adversaries": "adversary", "methods": "method"}  # lists in Python
_ANY = "|".join((*NAMES, *_OTHERS, *_SEVERAL))
_NAME = re.compile(rf"(?<![-.\w])({_ANY})\b")
_SET = re.compile(rf"(?<![-.\w])({_ANY}) = ")
_VERBS = "give|leave|leave out|leave it or|raise|lower|use|with|without"
_MORE = rf"(?:(?: out)?,? (?:or|and) (?:{_ANY})\b)*"
_NAMED = re.compile(rf"(?<!\ba )\b(?:{_VERBS}) (?:{_ANY})\b{_MORE}")  # not "a lower level"
