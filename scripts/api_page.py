"""Write docs/api.md: every public name with the first sentence of its docstring.

    python scripts/api_page.py          # print the page
    python scripts/api_page.py --write  # put it where it belongs

The test suite compares the page with what this prints, and fails on a public name that says nothing
of itself.
"""

import importlib
import inspect
import sys
from pathlib import Path
from typing import Any

import feint

PAGE = Path(__file__).parent.parent / "docs" / "api.md"
ROOMS = (
    "problem",
    "bounds",
    "planning",
    "search",
    "audit",
    "simulate",
    "research.sweep",
    "research.reproduce",
    "research.plot",
    "strategies",
    "simulate.adversaries",
    "simulate.oracles",
    "planning.optimal",
    "journal",
    "journal.polls",
    "server",
    "server.client",
    "interfaces",
    "testing",
    "integrations.scipy",
    "integrations.git",
    "integrations.flower",
)
HEAD = """# The API

What can be imported, package by package; `help(name)` has the rest. Everything here keeps the
promise in [CONTRIBUTING](../CONTRIBUTING.md#stability); whatever begins with an underscore, or is
not here, may change at any time. Packages load when first used: after `import feint`,
`feint.audit.audit(plan)` works. `feint.errors` stays where it is. Old paths of packages that moved
(`feint.oracles`, now `feint.simulate.oracles`) can still be imported, with a `DeprecationWarning`.
"""


def public(module: Any) -> list[str]:
    """The names that a module exports: those of `__all__`, or all of its own."""
    listed: list[str] | None = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not name.startswith("__")]
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return [
        name for name in own if inspect.isclass(vars(module)[name]) or callable(vars(module)[name])
    ]


def sentence(value: Any) -> str | None:
    """The first sentence of a docstring; None where it says nothing of its own."""
    if not (inspect.ismodule(value) or inspect.isclass(value) or inspect.isroutine(value)):
        return ""  # a constant or an alias, which its room's page explains
    text = inspect.cleandoc(value.__doc__ or "")  # not one that a class inherits
    if not text or text.startswith(f"{getattr(value, '__name__', '')}("):
        return None
    return " ".join(text.split("\n\n")[0].split())


def undocumented() -> list[str]:
    """Public names without a docstring of their own."""
    pairs = [
        ("feint", feint),
        *((f"feint.{room}", importlib.import_module(f"feint.{room}")) for room in ROOMS),
    ]
    return [
        f"{path}.{name}"
        for path, module in pairs
        for name in public(module)
        if sentence(getattr(module, name)) is None
    ]


def page() -> str:
    """The page."""
    lines = [HEAD, "## feint", "", "| name | what it is |", "|---|---|"]
    lines += rows(feint, [name for name in public(feint) if not _is_module(name)])
    for room in ROOMS:
        module = importlib.import_module(f"feint.{room}")
        lines += ["", f"## feint.{room}", "", sentence(module) or "", ""]
        lines += ["| name | what it is |", "|---|---|", *rows(module, public(module))]
    return "\n".join(lines) + "\n"


def _is_module(name: str) -> bool:
    return inspect.ismodule(getattr(feint, name))


def rows(module: Any, names: list[str]) -> list[str]:
    """One row of a table a name."""
    told = [(name, sentence(getattr(module, name)) or "a constant") for name in names]
    bar = "\\|"
    return [f"| `{name}` | {text.replace('|', bar)} |" for name, text in told]


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(page(), "utf-8")
    else:
        sys.stdout.write(page())
