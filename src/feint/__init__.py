"""Find a number by yes/no questions that do not give it away to whoever overhears them.

The package root is the API; names load on first use, so that `import feint` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from feint.errors import FeintError, InvalidValue, OutOfRegime

if TYPE_CHECKING:
    from feint.audit import Report
    from feint.bounds import Bound
    from feint.planning import Plan, afford, frontier, plan
    from feint.problem import Domain, Problem, Transcript

__version__ = "0.1.0"

_ROOMS = {
    "Bound": "bounds",
    "Domain": "problem",
    "Plan": "planning",
    "Problem": "problem",
    "Report": "audit",
    "Transcript": "problem",
    "afford": "planning",
    "frontier": "planning",
    "plan": "planning",
}

__all__ = [
    "Bound",
    "Domain",
    "FeintError",
    "InvalidValue",
    "OutOfRegime",
    "Plan",
    "Problem",
    "Report",
    "Transcript",
    "__version__",
    "afford",
    "frontier",
    "plan",
]


def __getattr__(name: str) -> object:
    """Load a public name from its room the first time it is used."""
    room = _ROOMS.get(name)
    if room is None:
        raise AttributeError(f"module 'feint' has no attribute {name!r}")
    return getattr(import_module(f"feint.{room}"), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
