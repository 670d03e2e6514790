"""The flags that several commands share, how they become a `Problem`, and errors about them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, cast

import typer
from click import UsageError

from feint.errors import InvalidValue
from feint.problem import SETTINGS, Domain, Problem, Setting


def _settings() -> list[str]:
    return list(SETTINGS)


Epsilon = Annotated[
    str | None,
    typer.Option(help="Full width of your accuracy: you end within epsilon/2 of the number."),
]
Delta = Annotated[
    str | None,
    typer.Option(help="Full width of theirs: an eavesdropper must not come within delta/2."),
]
Level = Annotated[
    str | None, typer.Option(help="L: the eavesdropper wins with probability at most 1/L.")
]
SettingName = Annotated[
    str,
    typer.Option(
        "--setting",
        help="bayesian (default) or deterministic (worst case only).",
        autocompletion=_settings,
    ),
]
P = Annotated[str | None, typer.Option("--p", help="Probability that an answer is right.")]
Confidence = Annotated[
    str | None, typer.Option(help="1 - 1/M: probability of being accurate, with --p.")
]
Dim = Annotated[str, typer.Option(help="Number of coordinates.")]
Low = Annotated[str | None, typer.Option(help="Least possible value, in your units.")]
High = Annotated[str | None, typer.Option(help="Greatest possible value, in your units.")]
Step = Annotated[
    str | None, typer.Option(help="Values are low, low+step, ..., high; found exactly.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line.

    Attributes:
        problem: The problem on the unit interval.
        domain: The user's units.
    """

    problem: Problem
    domain: Domain


def request(
    *,
    epsilon: str | None,
    delta: str | None,
    level: str | None,
    setting: str,
    p: str | None,
    confidence: str | None,
    dim: str,
    low: str | None,
    high: str | None,
    step: str | None,
) -> Request:
    """Turn the flags into a problem and its units.

    Raises:
        UsageError: Flags are missing.
        FeintError: A flag is wrong.
    """
    needed = {"--delta": delta, "--level": level}
    if step is None:
        needed = {"--epsilon": epsilon, **needed}
    if low is not None or high is not None:
        needed |= {"--low": low, "--high": high}
    missing = [name for name, value in needed.items() if value is None]
    if missing:
        raise UsageError(f"missing {', '.join(missing)}: --help says what they mean")
    domain = Domain("0" if low is None else low, "1" if high is None else high, step=step)
    problem = domain.problem(
        epsilon=epsilon,
        delta=cast(str, delta),
        level=cast(str, level),
        setting=cast(Setting, setting),
        p=p,
        confidence=confidence,
        dim=dim,
    )
    return Request(problem, domain)


def in_flags(error: InvalidValue) -> str:
    """An error of the library in the words of the command line: --delta 0.2, not delta = 0.2."""
    argument = _NAMES.sub(r"--\1", error.argument).replace("_", "-")
    words = str(error).removeprefix(f"{error.argument} = ").removesuffix(error.remedy)
    remedy = _NAMES.sub(r"--\1", _SET.sub(r"--\1 ", error.remedy))
    remedy = remedy.replace("--max_rounds", "--max-rounds")
    return f"{argument} {words}{remedy}"


_WORDS = (
    "epsilon|delta|level|setting|p|confidence|dim|low|high|step|method|budget|max_rounds|"
    "prior|runs|adversary|state|oracle|seed|yes_means|certificate|margin|voters|workers|memory|only|dask|"
    "failure|lemmas"
)
_NAMES = re.compile(rf"(?<![-\w])({_WORDS})\b")
_SET = re.compile(rf"(?<![-\w])({_WORDS}) = ")
