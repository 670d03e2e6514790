"""Check the types of arguments, with errors that say what to pass."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from feint.errors import InvalidValue, WrongType
from feint.planning import Plan
from feint.problem import Domain


def plan_of(given: object) -> Plan:
    """Return the given plan.

    Raises:
        WrongType: The argument is not a plan.
    """
    if isinstance(given, Plan):
        return given
    remedy = "pass plan(problem), or plan(problem, domain=domain) in units of your own"
    if isinstance(getattr(given, "plan", None), Plan):
        remedy = "pass its attribute plan"
    elif hasattr(given, "rounds") and hasattr(given, "estimate"):
        remedy = "pass Plan.of(strategy)"
    raise WrongType.of("plan", given, "must be a Plan", remedy)


def answer_of(given: object) -> bool:
    """Return the given answer, True or False.

    Raises:
        WrongType: It is neither. The value stays out of the message, since it may be secret.
    """
    if not isinstance(given, bool | np.bool_):
        kind = f"a {type(given).__name__}"
        raise WrongType("answer", kind, "must be True or False", "give one of them")
    return bool(given)


def domains_of(given: object, dim: int | None) -> Sequence[Domain]:
    """Return the given domains, one per coordinate.

    Args:
        given: The argument `domains` of a public function.
        dim: The required number; None: any.

    Raises:
        WrongType: An element is not a domain.
        InvalidValue: Their number is wrong.
    """
    rule = "must be a list of Domains, one per number"
    if isinstance(given, Domain):
        raise WrongType.of("domains", given, rule, "pass [domain]")
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise WrongType.of("domains", given, rule, "pass [Domain(low, high), …]")
    for each in given:
        if not isinstance(each, Domain):
            remedy = "pass Domain(low, high)"
            if isinstance(each, tuple | list) and len(each) == 2:
                remedy = f"pass Domain({each[0]!r}, {each[1]!r}) for {tuple(each)!r}"
            raise WrongType.of("domains", given, rule, remedy)
    if dim is not None and len(given) != dim:
        rule = f"there are {dim} coordinates"
        raise InvalidValue("domains", f"{len(given)} of them", rule, "give one for each")
    return given


def args_of(given: object) -> tuple[Any, ...]:
    """Return the further arguments of a function.

    Raises:
        WrongType: The argument is not a tuple.
    """
    if isinstance(given, tuple | list):
        return tuple(given)
    kind = f"of type {type(given).__name__}"  # it may be secret
    raise WrongType("args", kind, "must be a tuple", "write args=(value,)")


def path_of(given: object) -> Path:
    """Return the given path.

    Raises:
        WrongType: The argument is not a path.
    """
    if isinstance(given, str | os.PathLike):
        return Path(given)
    raise WrongType.of("state", given, "must be the name of a file", "pass a str or a Path")
