"""Generate the reference pages: Python by package, commands, HTTP routes, errors."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

from scripts.site import names
from scripts.site.checks import converted

_WARNINGS = ("RepeatedSearch (", "OutsideRange (", "MotionBroken (")
_TREE = ("FeintError", "├", "│", "└", *_WARNINGS)  # of feint.errors
_INTRODUCTION = """\
The packages load when they are first used: after `import feint`, `feint.audit.audit(plan)` works.
[Stability](../../project/contributing.md#stability) says what may change. Names that begin with an
underscore, and names that are not listed here, may change at any time. Old paths of modules that
moved (`feint.oracles`, now `feint.simulate.oracles`) still work and raise a `DeprecationWarning`.
"""


def python_pages() -> dict[str, str]:
    """Return the pages of the Python reference, by path below `reference/python`."""
    pages = {"index.md": _index()}
    for module in names.PAGES:
        pages[f"{module}.rst"] = _page(module)
    return pages


def _index() -> str:
    lines = ["# Python", "", _INTRODUCTION, "## Names at the root", ""]
    lines += ["| name | description |", "|---|---|"]
    for name, page in sorted(names.root_names().items(), key=lambda row: row[0].lower()):
        text = names.sentence(names.description(page, name) or "").replace("|", "\\|")
        lines.append(f"| [`feint.{name}`](#{page}.{name}) | {text} |")
    lines += ["", "## Packages", "", "| package | description |", "|---|---|"]
    for page in names.PAGES:
        text = names.sentence(inspect.cleandoc(importlib.import_module(page).__doc__ or ""))
        lines.append(f"| [{page}]({page}.rst) | {text} |")
    toctree = ["", "```{toctree}", ":hidden:", "", *names.PAGES, "```"]
    return "\n".join([*lines, *toctree]) + "\n"


def _page(module: str) -> str:
    """Return one module's page: its docstring, then every public name that belongs there."""
    loaded = importlib.import_module(module)
    lines = [module, "=" * len(module), "", f".. py:module:: {module}", ""]
    lines += [*_introduction(inspect.cleandoc(loaded.__doc__ or "")), ""]
    for name in sorted(names.documented_in(module), key=lambda name: _rank(module, name)):
        lines += [*_entry(module, name, getattr(loaded, name)), ""]
    return "\n".join(lines)


def _rank(module: str, name: str) -> int:
    """Return where a name stands on its page: what most programs need first, constants last."""
    value = getattr(importlib.import_module(module), name)
    if names.root_names().get(name) == module:
        return 0
    return 1 if inspect.isclass(value) or inspect.isroutine(value) else 2


def _introduction(text: str) -> Iterator[str]:
    """Return what a reader of the reference needs of a module's docstring: no tour of its files."""
    yield converted(names.sentence(text))
    if tree := [line for line in text.splitlines() if line.startswith(_TREE)]:
        yield "\n.. code-block:: text\n"
        yield from (f"   {line}" for line in tree)


def _entry(module: str, name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value):
        kind = "exception" if issubclass(value, BaseException) else "class"
        yield f".. auto{kind}:: {module}.{name}"
        yield "   :members:"
        yield "   :show-inheritance:" if kind == "exception" else "   :no-undoc-members:"
    elif inspect.isroutine(value):
        yield f".. autofunction:: {module}.{name}"
    else:
        yield f".. py:data:: {name}"
        yield ""
        for line in (names.description(module, name) or "").splitlines():
            yield f"   {line}".rstrip()
