"""List the public names, the page that documents each, and its docstring.

The reference pages of the site, the list in `tests/frozen` and the tests of the API read this.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import tokenize
from functools import cache
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import feint

PACKAGES = (
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
"""The packages whose exported names are public, without the leading `feint`."""

PAGES = ("feint.errors", *(f"feint.{name}" for name in PACKAGES))
"""The modules that have a page of their own in the reference."""


def public(module: ModuleType) -> list[str]:
    """Return the names that a module exports: those of `__all__`, or all of its own.

    Args:
        module: An imported module.

    Returns:
        The names, in the order of `__all__` or of the source.
    """
    listed: list[str] | None = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not name.startswith("__")]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) == module.__name__
        and (inspect.isclass(value) or callable(value))
    ]


@cache
def documented_in(page: str) -> tuple[str, ...]:
    """Return the public names that the reference documents on the page of one module.

    A name that several packages export is documented once: in the package that defines it, else in
    the first that exports it.

    Args:
        page: A module of `PAGES`.

    Returns:
        The names; those of subpackages are left out, since these have pages of their own.
    """
    return tuple(name for name in _exported(page) if _home(page, name) == page)


@cache
def root_names() -> dict[str, str]:
    """Return the page on which each public name of `feint` itself is documented.

    Raises:
        LookupError: A name at the root is exported by no package that has a page.
    """
    found = {}
    for name in public(feint):
        value = getattr(feint, name)
        if inspect.ismodule(value):
            continue
        homes = [page for page in PAGES if name in _exported(page) and _value(page, name) is value]
        if not homes:
            raise LookupError(f"feint.{name} is exported by no package of scripts/site/names.py")
        found[name] = _home(homes[0], name)
    return found


def description(page: str, name: str) -> str | None:
    """Return the docstring of a public name, or None if it has none of its own.

    Args:
        page: The module that exports the name.
        name: The name.

    Returns:
        For a constant or an alias: the string below its assignment, or the comment beside it.
    """
    value = _value(page, name)
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return _constant(page, name)
    text = inspect.cleandoc(value.__doc__ or "")  # not one that a class inherits
    if not text or text.startswith(f"{getattr(value, '__name__', '')}("):
        return None  # what `dataclass` writes is no description
    return text


def undocumented() -> list[str]:
    """Return the public names that nothing describes."""
    return [
        f"{page}.{name}"
        for page in PAGES
        for name in documented_in(page)
        if not description(page, name)
    ]


def sentence(text: str) -> str:
    """Return the first paragraph of a docstring in one line."""
    return " ".join(text.split("\n\n")[0].split())


def _constant(module: str, name: str) -> str | None:
    """Return what the source says of a constant, where it is assigned or on the way to there."""
    said = _statements(module).get(name)
    if said is None:
        return None
    if said.text:
        return said.text[0].upper() + said.text[1:] + ("" if said.text[-1] in ".:" else ".")
    return None if said.origin is None else _constant(*said.origin)


class _Said(NamedTuple):
    """The text that the source has about a name beside the statement that binds it.

    Attributes:
        text: The string below, or the comment beside it; empty if there is none.
        origin: The module and the name that it is imported from; None if it is assigned here.
    """

    text: str
    origin: tuple[str, str] | None


@cache
def _statements(module: str) -> dict[str, _Said]:
    """Return what the source of a module says of each name that it assigns or imports."""
    path = inspect.getsourcefile(importlib.import_module(module))
    source = Path(str(path)).read_bytes()
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.tokenize(BytesIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    found: dict[str, _Said] = {}
    tree = ast.parse(source)
    for node in ast.walk(tree):  # some imports are for type checkers alone
        if isinstance(node, ast.ImportFrom):
            # A comment beside a list of imports would be about all of them.
            text = comments.get(node.end_lineno or 0, "") if len(node.names) == 1 else ""
            for alias in node.names:
                found[alias.asname or alias.name] = _Said(text, (str(node.module), alias.name))
    body = tree.body
    for statement, after in zip(body, [*body[1:], None], strict=True):
        beside = comments.get(statement.end_lineno or 0, "")
        for name in _assigned(statement):
            found[name] = _Said(_string(after) or beside, None)
    return found


def _assigned(statement: ast.stmt) -> list[str]:
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _string(statement: ast.stmt | None) -> str | None:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        value = statement.value.value
        return inspect.cleandoc(value) if isinstance(value, str) else None
    return None


@cache
def _exported(page: str) -> tuple[str, ...]:
    module = importlib.import_module(page)
    return tuple(name for name in public(module) if not inspect.ismodule(getattr(module, name)))


def _value(page: str, name: str) -> Any:
    return getattr(importlib.import_module(page), name)


def _home(page: str, name: str) -> str:
    """Return the page of the package that defines a name, else the first that exports it."""
    value = _value(page, name)
    pages = [other for other in PAGES if name in _exported(other) and _value(other, name) is value]
    defined = str(getattr(value, "__module__", ""))
    inside = [other for other in pages if f"{defined}.".startswith(f"{other}.")]
    return max(inside, key=len) if inside else pages[0]
