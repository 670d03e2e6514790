"""Fail the build if the site lacks a public name, flag, route or error.

Sphinx runs this as an extension. It also adapts feint's docstrings to reStructuredText.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from scripts.site import names, programs
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

from feint.cli.app import MODULES

_LOG = logging.getLogger(__name__)


def install(app: Sphinx) -> None:
    """Connect the conversions and checks to Sphinx."""
    app.connect("autodoc-process-docstring", _convert, priority=400)  # before napoleon's 500
    app.connect("autodoc-skip-member", _skip)
    app.connect("env-check-consistency", _check)


def _convert(
    app: Sphinx, what: str, name: str, value: object, options: Any, lines: list[str]
) -> None:
    """Change the marks in a docstring that mean something else in reStructuredText."""
    lines[:] = converted("\n".join(lines)).split("\n")


def _skip(
    app: Sphinx, what: str, name: str, member: object, skip: bool, options: Any
) -> bool | None:
    """Leave out the fields of named tuples: the class describes them, Python only numbers them."""
    return True if (member.__doc__ or "").startswith("Alias for field number") else None


def converted(text: str) -> str:
    r"""Return a docstring with stars and bars escaped outside code.

    >>> print(converted("X* is `2**k`, or |x|_1"))
    X\* is `2**k`, or \|x\|\_1
    """
    # Napoleon takes what stands before a colon for a type, unless that is empty.
    text = re.sub(r"^( *(?:Returns|Yields):\n +)(?=\S)", r"\1: ", text, flags=re.MULTILINE)
    parts = re.split(r"(``.*?``|`[^`]*`|^ *>>> .*$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(
        part if index % 2 else re.sub(r"([*|]|(?<=\w|\|)_(?!\w*\w))", r"\\\1", part)
        for index, part in enumerate(parts)
    )


def _check(app: Sphinx, env: BuildEnvironment) -> None:
    for problem in problems(env.domaindata["py"]["objects"], Path(app.srcdir)):
        _LOG.warning(problem)


def problems(documented: dict[str, Any], sources: Path) -> list[str]:
    """Return what is public and not documented, one line each.

    Args:
        documented: The Python objects that Sphinx found in the pages, by whole name.
        sources: The folder that it read.
    """
    wanted = {f"{page}.{name}" for page in names.PAGES for name in names.documented_in(page)}
    missing = [f"{name} is in no page of the reference" for name in sorted(wanted - {*documented})]
    missing += [f"{name} has no docstring" for name in names.undocumented()]
    missing += [f"{flag} has no help" for flag in programs.unhelped()]
    missing += [f"{m} {path} has no docstring" for m, path, text in programs.routes() if not text]
    cli, http = ((sources / "reference" / f"{page}.md").read_text() for page in ("cli", "http"))
    missing += [
        f"feint {word} is not in cli.md" for word in MODULES if f"### feint {word}\n" not in cli
    ]
    missing += [
        f"{m} {path} is not in http.md"
        for m, path, _ in programs.routes()
        if f"## {m} {path}\n" not in http
    ]
    statuses = (sources / "reference" / "exit-codes.md").read_text()
    missing += [
        f"exit status {code} is not in exit-codes.md"
        for code in programs.exit_codes().values()
        if f"| {code} |" not in statuses
    ]
    return missing
