"""Register your own methods by name, for `plan(problem, method="mine")`."""

from __future__ import annotations

from collections.abc import Callable

from feint.errors import InvalidValue, WrongType
from feint.interfaces import Strategy
from feint.problem import Problem

Make = Callable[[Problem], Strategy]
"""A function from a problem to a strategy that solves it. It raises `NoPlan` if there is none."""

_OWN: dict[str, Make] = {}  # the registered methods, filled while modules are imported
BUILT_IN = (
    "tight",
    "fixed",
    "majority",
    "paper",
    "replicated",
    "opportunistic",
    "bisection",
    "grid",
    "optimal",
    "bz",
    "printed",
)
"""The methods of all settings."""
FLAWED, OPTIMAL = "printed", "optimal"
"""The paper's printed strategy, which has no certificate, and the optimum, which takes long."""


def register_method(name: str, make: Make) -> None:
    """Register your own method under a name that `plan`, `find` and the other functions accept.

    A plan by it promises nothing, so audit it. A second method with the same name replaces the
    first.

    Args:
        name: The name of the method.
        make: A function from a problem to the strategy.

    Raises:
        WrongType: The name is not a word, or `make` is not a function.
        InvalidValue: feint has a built-in method of this name.
    """
    if name in BUILT_IN:
        rule = "feint has a method of this name"
        raise InvalidValue("name", name, rule, "choose another name")
    if not isinstance(name, str):
        raise WrongType.of("name", name, "must be a word", 'pass a name such as "mine"')
    if not callable(make):
        rule = "must be a function from a problem to a strategy"
        raise WrongType.of("make", make, rule, "pass one")
    _OWN[name] = make


def own_methods() -> dict[str, Make]:
    """Return the registered methods by name."""
    return dict(_OWN)
