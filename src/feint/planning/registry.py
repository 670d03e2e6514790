"""Methods of one's own, by name: `plan(problem, method="mine")`."""

from __future__ import annotations

from collections.abc import Callable

from feint.errors import InvalidValue, WrongType
from feint.interfaces import Strategy
from feint.problem import Problem

Make = Callable[[Problem], Strategy]
"""From a problem to the strategy that solves it; it raises `NoPlan` where there is none."""

_OWN: dict[str, Make] = {}  # filled by whoever registers, while modules are imported
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
"""The paper's printed strategy, which nothing certifies, and the optimum, which takes long."""


def register_method(name: str, make: Make) -> None:
    """Give a method of one's own a name that `plan`, `find` and the rest take.

    A plan by it promises nothing: audit it. Registering a name again replaces the method.

    Args:
        name: What it is called.
        make: From a problem to the strategy.

    Raises:
        WrongType: The name is no word, or nothing can be made by it.
        InvalidValue: feint has a method of this name.
    """
    if name in BUILT_IN:
        rule = "feint has a method of this name"
        raise InvalidValue("name", name, rule, "choose another name")
    if not isinstance(name, str):
        raise WrongType.of("name", name, "must be a word", 'pass one such as "mine"')
    if not callable(make):
        rule = "must be a function from a problem to a strategy"
        raise WrongType.of("make", make, rule, "pass one")
    _OWN[name] = make


def own_methods() -> dict[str, Make]:
    """The methods that were registered, by name."""
    return dict(_OWN)
