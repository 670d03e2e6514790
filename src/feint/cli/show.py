"""Format numbers, tables and messages for a terminal.

`feint bounds` prints plain text, since loading rich takes longer than computing the bounds.
"""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from feint.bounds import Bound
from feint.exact import chance as chance
from feint.exact import decimal
from feint.problem import Domain, Problem

if TYPE_CHECKING:
    from rich.console import Console

    from feint.planning import Plan
    from feint.search import Search


def number(value: Fraction | int | float | None) -> str:
    """Return a number for people: whole, or with one decimal."""
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{float(value):.1f}"


def as_json(document: object) -> None:
    """Print a document for machines."""
    sys.stdout.write(json.dumps(document, indent=2) + "\n")


def lines(*texts: str) -> None:
    """Print lines of plain text."""
    sys.stdout.write("".join(f"{text}\n" for text in texts))


def complain(message: str) -> None:
    """Print an error on stderr, as one line in a file or pipe and wrapped at a terminal."""
    line = f"feint: {' '.join(message.split())}"
    if sys.stderr.isatty():
        line = textwrap.fill(line, shutil.get_terminal_size().columns, break_on_hyphens=False)
    sys.stderr.write(f"{line}\n")


def broken(*texts: str) -> list[str]:
    """Return sentences, which are wrapped between words at a terminal."""
    if not sys.stdout.isatty():
        return list(texts)
    width = shutil.get_terminal_size().columns
    return [part for text in texts for part in textwrap.wrap(text, width)]


def drawing(path: str | None) -> Callable[[Any], None]:
    """Check before the work that a picture can be written, and return the function that draws it.

    Args:
        path: The file of --plot; None: nothing is drawn.

    Returns:
        A function that takes a plan, a report, a simulation or a table.
    """
    if path is None:
        return lambda found: None
    from feint.research.plot import check, draw

    check(path)
    return lambda found: draw(found, path)


def bounds_table(rows: Iterable[Bound]) -> str:
    """Return the theorems' bounds as a table; the column that may wrap comes last."""
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
    """Return the reasons why bounds do not apply, and other notes, one per line."""
    names: dict[str, list[str]] = {}
    for row in rows:
        for said in (row.reason, row.note):
            if said:
                names.setdefault(said, []).append(row.name)
    return [f"{', '.join(which)}: {reason}" for reason, which in names.items()]


def problem_line(problem: Problem, domain: Domain) -> str:
    """Return the problem in the user's units."""
    return domain.states(problem)


def between_decimals(plan: Plan) -> list[str]:
    """Return a line that says that `feint run` rounds questions, if this plan does not.

    Commands that only plan print it. There is no line if every question is a decimal.
    """
    from feint.planning import finest, scale_for

    if plan.scales is not None or plan.problem.values is not None:
        return []
    shown = (
        scale_for(plan.domain, size, fine=finest(plan.problem, plan.losses, size))
        for size in plan.cells
    )
    if all(each.tick is None for each in shown):
        return []
    return [
        "No range is given, and some questions of this plan are not decimals. feint run asks at"
        " decimals: add --low 0 --high 1 to see its plan."
    ]


def shorter_questions(plan: Plan, arguments: Mapping[str, Any]) -> list[str]:
    """Return a line with a tick that keeps questions short, if they are long decimals.

    Args:
        plan: The plan.
        arguments: The arguments of the planner.
    """
    from feint.planning import with_short_questions

    names = ("max_rounds", "repeatable", "margin")
    other = with_short_questions(
        plan, **{name: arguments[name] for name in names if name in arguments}
    )
    if other is None or other.domain.tick is None:
        return []
    tick = decimal(other.domain.tick)
    asked = f"{count(other.queries, 'question')} instead of {plan.queries}"
    return [f"--tick {tick} keeps questions to multiples of {tick}: {asked}."]


def round_of(search: Search) -> str:
    """Return the round that a search is in, such as "round 3 of at most 6".

    The maximum is left out if a search stops when it is sure, since it is hardly ever reached.
    """
    if search.plan.problem.noisy and not search.plan.asks_all:
        return f"round {search.round + 1}"
    most = "" if search.plan.asks_all else "at most "
    return f"round {search.round + 1} of {most}{search.plan.rounds}"


def answered_of(search: Search) -> str:
    """Return how many questions of a search are answered, such as "4 of at most 7"."""
    most = "" if search.plan.asks_all or search.done else "at most "
    return f"{search.answered} of {most}{search.answered + search.left}"


def sureness(search: Search, console: Console) -> None:
    """Print at a terminal how sure a search is so far, one line for each number.

    This depends on answers, and others than the owner may read a file or a pipe.
    """
    from feint.search import sureness_words

    if not console.is_terminal:
        return
    many = len(search.domains) > 1
    for number, found in enumerate(search.sureness):
        if found is not None:
            name = search.domains[number].label or f"number {number + 1}"
            say(console, f"{name}: " * many + sureness_words(found), "dim")


def count(number: int, word: str) -> str:
    """Return a number with its noun: 1 round, 2 rounds."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def console(*, stderr: bool = False) -> Console:
    """Return the terminal, for coloured text."""
    from rich.console import Console

    return Console(highlight=False, emoji=False, stderr=stderr)


def contradiction(console: Console, words: object) -> None:
    """Print that answers contradict each other.

    The text names the answers, so it is secret. It is left out if a machine reads the result,
    because stderr may end in a log.
    """
    more = f": {words}" if for_owner(console) else ""
    say(console, f"These answers cannot all be right{more}.", "yellow")


def for_owner(console: Console) -> bool:
    """Return True if only the owner of a search reads the output, and no log keeps it."""
    return console.is_terminal or not console.stderr


def say(console: Console, line: str, style: str = "") -> None:
    """Print a sentence: wrapped between words at a terminal, whole in a file or pipe."""
    if not console.encoding.lower().startswith("utf"):  # other encodings may lack some signs
        line = line.replace("±", "+/- ")
    console.print(line, style=style, markup=False, soft_wrap=not console.is_terminal)
