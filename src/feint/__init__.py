"""Find a number by yes/no questions that do not reveal it to an eavesdropper.

The package root is the API. It has the names that most programs need, all errors, and the packages
(`feint.audit`, `feint.simulate`, …). Some subpackages have a short name here: `feint.oracles` is
`feint.simulate.oracles`. Names and packages load on first use, so that `import feint` stays fast.
Import integrations by their full name (`from feint.integrations.scipy import …`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from feint.errors import (
    AnswerFixed,
    BadState,
    Contradictory,
    FeintError,
    InvalidValue,
    LawBroken,
    MissingExtra,
    MotionBroken,
    NameTaken,
    NoPlan,
    NotAllowed,
    NotDone,
    NotOpen,
    NumberTaken,
    OracleFailed,
    OutOfRegime,
    OutsideRange,
    RepeatedSearch,
    ReplayDiffers,
    SearchDone,
    SearchError,
    Tampered,
    TooLarge,
    Unavailable,
    UnknownMethod,
    UnknownQuery,
    UnknownSearch,
    WorkerLost,
    WrongKey,
    WrongType,
)

if TYPE_CHECKING:
    from feint import (
        audit,
        bounds,
        interfaces,
        journal,
        planning,
        problem,
        research,
        search,
        simulate,
        strategies,
        testing,
    )
    from feint import (
        server as server,
    )
    from feint.audit import Report
    from feint.bounds import Bound
    from feint.journal import polls as poll
    from feint.planning import (
        Affordable,
        Plan,
        afford,
        compare,
        frontier,
        methods,
        optimal,
        plan,
        register_method,
    )
    from feint.problem import Domain, Found, Prior, Problem, Query, Result, Transcript
    from feint.research import plot, reproduce, sweep
    from feint.search import (
        Search,
        create,
        create_again,
        find,
        find_async,
        finish,
        load,
        register_strategy,
    )
    from feint.server import client as client
    from feint.simulate import Simulation, adversaries, oracles

__version__ = "0.1.0"

_FROM = {
    "Affordable": "planning",
    "Bound": "bounds",
    "Domain": "problem",
    "Found": "problem",
    "Plan": "planning",
    "Prior": "problem",
    "Problem": "problem",
    "Query": "problem",
    "Report": "audit",
    "Result": "problem",
    "Search": "search",
    "Simulation": "simulate",
    "Transcript": "problem",
    "afford": "planning",
    "compare": "planning",
    "create": "search",
    "create_again": "search",
    "find": "search",
    "find_async": "search",
    "finish": "search",
    "frontier": "planning",
    "load": "search",
    "methods": "planning",
    "plan": "planning",
    "register_method": "planning",
    "register_strategy": "search",
}

_PACKAGES = {
    "adversaries": "simulate.adversaries",
    "audit": "audit",
    "bounds": "bounds",
    "client": "server.client",
    "interfaces": "interfaces",
    "journal": "journal",
    "optimal": "planning.optimal",
    "oracles": "simulate.oracles",
    "planning": "planning",
    "plot": "research.plot",
    "poll": "journal.polls",
    "problem": "problem",
    "reproduce": "research.reproduce",
    "research": "research",
    "search": "search",
    "server": "server",
    "simulate": "simulate",
    "strategies": "strategies",
    "sweep": "research.sweep",
    "testing": "testing",
}

__all__ = [
    "Affordable",
    "AnswerFixed",
    "BadState",
    "Bound",
    "Contradictory",
    "Domain",
    "FeintError",
    "Found",
    "InvalidValue",
    "LawBroken",
    "MissingExtra",
    "MotionBroken",
    "NameTaken",
    "NoPlan",
    "NotAllowed",
    "NotDone",
    "NotOpen",
    "NumberTaken",
    "OracleFailed",
    "OutOfRegime",
    "OutsideRange",
    "Plan",
    "Prior",
    "Problem",
    "Query",
    "RepeatedSearch",
    "ReplayDiffers",
    "Report",
    "Result",
    "Search",
    "SearchDone",
    "SearchError",
    "Simulation",
    "Tampered",
    "TooLarge",
    "Transcript",
    "Unavailable",
    "UnknownMethod",
    "UnknownQuery",
    "UnknownSearch",
    "WorkerLost",
    "WrongKey",
    "WrongType",
    "__version__",
    "adversaries",
    "afford",
    "audit",
    "bounds",
    "compare",
    "create",
    "create_again",
    "find",
    "find_async",
    "finish",
    "frontier",
    "interfaces",
    "journal",
    "load",
    "methods",
    "optimal",
    "oracles",
    "plan",
    "planning",
    "plot",
    "poll",
    "problem",
    "register_method",
    "register_strategy",
    "reproduce",
    "research",
    "search",
    "simulate",
    "strategies",
    "sweep",
    "testing",
]


def __getattr__(name: str) -> object:
    """Load a public name or a package on first use."""
    if name in _PACKAGES:
        return import_module(f"feint.{_PACKAGES[name]}")
    room = _FROM.get(name)
    if room is None:
        raise AttributeError(f"module 'feint' has no attribute {name!r}")
    return getattr(import_module(f"feint.{room}"), name)


def __dir__() -> list[str]:
    """List the public names, and the packages that need an extra, which `import *` leaves out."""
    return sorted({*__all__, *_PACKAGES})
