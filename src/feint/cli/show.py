"""How numbers and tables look in a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from fractions import Fraction

from rich.console import Console
from rich.table import Table
from rich.text import Text

from feint.bounds import Bound
from feint.problem import Problem


def number(value: Fraction | int | float | None) -> str:
    """A number as a person likes to read it: whole, or with one decimal."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{float(value):.1f}"


def as_json(document: object) -> None:
    """Print a document for machines."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def bounds_table(rows: Iterable[Bound]) -> Table:
    """The theorems' bounds on the number of queries."""
    table = Table(title="Questions needed, by theorem", title_justify="left", box=None)
    table.add_column("bound")
    table.add_column("queries", justify="right")
    table.add_column("reference")
    table.add_column("applies")
    for row in rows:
        applies = Text("yes") if row.applies else Text("no", style="dim")
        table.add_row(row.name, number(row.value), row.reference, applies)
    return table


def problem_line(problem: Problem) -> Text:
    """The problem in words."""
    return Text.assemble(
        ("accuracy ", "dim"),
        f"ε = {problem.epsilon}",
        ("   privacy ", "dim"),
        f"δ = {problem.delta}, L = {problem.level}",
        ("   setting ", "dim"),
        problem.setting,
    )


def console() -> Console:
    """The terminal."""
    return Console(highlight=False)
