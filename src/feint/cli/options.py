"""The flags that several commands share, and how they become a `Problem`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

import typer

from feint.errors import InvalidValue
from feint.problem import Domain, Problem, Setting

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
    str, typer.Option("--setting", help="bayesian (default) or deterministic (worst case only).")
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
        FeintError: A flag is missing or wrong.
    """
    for name, value in (("--delta", delta), ("--level", level)):
        if value is None:
            raise InvalidValue(name, "nothing", "is needed", f"give {name}")
    if (low is None) != (high is None):
        name = "--low" if low is None else "--high"
        raise InvalidValue(name, "nothing", "--low and --high go together", f"give {name} too")
    domain = Domain("0" if low is None else low, "1" if high is None else high, step=step)
    if epsilon is None and step is None:
        raise InvalidValue("--epsilon", "nothing", "is needed without --step", "give --epsilon")
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
