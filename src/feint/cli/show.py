"""How numbers and tables look in a terminal.

What `feint bounds` prints is plain text: rich takes longer to load than the bounds to compute.
"""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from feint.bounds import Bound
from feint.exact import plain
from feint.problem import UNIT, Domain, Problem

if TYPE_CHECKING:
    from rich.console import Console


def number(value: Fraction | int | float | None) -> str:
    """A number as a person likes to read it: whole, or with one decimal."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{float(value):.1f}"


def chance(success: Fraction | None) -> str:
    """A probability as people say it: 1 in 8, always, or in percent; "-" where there is none."""
    if success is None:
        return "-"
    if success.numerator == 1 and success.denominator < 10_000:
        return "always" if success == 1 else f"1 in {success.denominator}"
    return f"{100 * float(success):.3g} %"


def as_json(document: object) -> None:
    """Print a document for machines."""
    sys.stdout.write(json.dumps(document, indent=2) + "\n")


def lines(*texts: str) -> None:
    """Print lines of plain text."""
    sys.stdout.write("".join(f"{text}\n" for text in texts))


def complain(message: str) -> None:
    """Print an error on stderr: one line in a file or pipe, wrapped between words at a terminal."""
    line = f"feint: {' '.join(message.split())}"
    if sys.stderr.isatty():
        line = textwrap.fill(line, shutil.get_terminal_size().columns, break_on_hyphens=False)
    sys.stderr.write(f"{line}\n")


def bounds_table(rows: Iterable[Bound]) -> str:
    """The theorems' bounds on the number of queries; the column that may wrap comes last."""
    cells = [("bound", "queries", "applies", "reference")]
    for row in rows:
        applies = "yes" if row.applies else "no"
        cells.append((row.name, number(row.value), applies, row.reference))
    name, value, shown, _ = (max(map(len, column)) for column in zip(*cells, strict=True))
    return "\n".join(
        ["Questions needed, by theorem"]
        + [f"{a:{name}}  {b:>{value}}  {c:{shown}}  {d}" for a, b, c, d in cells]
    )


def reasons(rows: Iterable[Bound]) -> list[str]:
    """Why bounds do not apply, one line a reason."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row.reason:
            names.setdefault(row.reason, []).append(row.name)
    return [f"{', '.join(which)}: {reason}" for reason, which in names.items()]


def problem_line(problem: Problem, domain: Domain) -> str:
    """All that was asked for, in the user's units."""
    epsilon, delta = (plain(width * domain.width) for width in (problem.epsilon, problem.delta))
    words = [f"epsilon = {epsilon}", f"delta = {delta}", f"level = {problem.level}"]
    words += [problem.setting]
    words += [f"{problem.dim} dimensions"] if problem.dim > 1 else []
    if problem.p is not None:
        sure = problem.confidence
        words += [f"p = {plain(problem.p)}"]
        words += ["accurate on average" if sure is None else f"confidence = {plain(sure)}"]
    if domain != UNIT:
        words += [f"from {plain(domain.low)} to {plain(domain.high)}"]
    if domain.step is not None:
        words += [f"in steps of {plain(domain.step)}", f"{domain.values} values"]
    return ", ".join(words)


def count(number: int, word: str) -> str:
    """A number with its word: 1 round, 2 rounds."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def console(*, stderr: bool = False) -> Console:
    """The terminal, for what wants colour."""
    from rich.console import Console

    return Console(highlight=False, emoji=False, stderr=stderr)


def contradiction(console: Console, words: object) -> None:
    """Say that answers contradict each other.

    Which ones is secret: the words are for the owner, who reads the terminal or the report. Where
    machines read the result, stderr may end in a log, and there it is only said that they do.
    """
    more = f": {words}" if for_owner(console) else ""
    say(console, f"These answers cannot all be right{more}.", "yellow")


def for_owner(console: Console) -> bool:
    """Whether what is printed reaches the owner of a search alone, and no log."""
    return console.is_terminal or not console.stderr


def say(console: Console, line: str, style: str = "") -> None:
    """Print a sentence as it is: wrapped between words at a terminal, whole in a file or pipe."""
    console.print(line, style=style, markup=False, soft_wrap=not console.is_terminal)
