"""`feint atlas`: every small problem with its optimum, as a page in Markdown or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from feint.cli import show
from feint.cli.flags.flag import Json, flag
from feint.cli.flags.work import WorkFlags
from feint.cli.progress import bar
from feint.exact import text, whole

if TYPE_CHECKING:
    from feint.research.sweep import Entry, Row

Cells = Annotated[
    str,
    flag("Most cells, 2 to 10; from 9 on it takes minutes. Default: 8.", "COUNT", "The game"),
]
WorstCells = Annotated[
    str,
    flag("Most cells in the deterministic setting, 2 to 16. Default: 12.", "COUNT", "The game"),
]


def atlas(
    *,
    cells: Cells = "8",
    worst_cells: WorstCells = "12",
    work: WorkFlags,
    json: Json = False,
) -> None:
    """Write the table of optima: paper, tight, optimum, lower bound, gap."""
    from feint.research.sweep import rows, values, worst_rows

    most = whole(cells, "--cells", least=2, most=10)
    worst = whole(worst_cells, "--worst-cells", least=2, most=16)
    with work.executor() as executor, bar("games") as progress:
        entries = values(most, executor=executor, progress=progress)
        deterministic = worst_rows(worst, executor=executor, progress=progress)
    bayesian = list(rows(entries))
    if json:
        show.as_json(
            {
                "values": [_value(each) for each in entries],
                "bayesian": [_problem(each) for each in bayesian],
                "deterministic": [_problem(each) for each in deterministic],
            }
        )
        return
    command = f"feint atlas --cells {most} --worst-cells {worst}"
    show.lines(
        *_INTRODUCTION.format(command=command).splitlines(),
        "",
        *_markdown(_PROBLEM, map(_cells, bayesian)),
        *_WORST.splitlines(),
        "",
        *_markdown(_PROBLEM, map(_cells, deterministic)),
        *_VALUES.splitlines(),
        "",
        *_markdown(_GAME, map(_game, entries)),
    )


def _value(entry: Entry) -> dict[str, Any]:
    """What the eavesdropper wins with in one game, for JSON."""
    found = entry.solution
    return {
        "cells": entry.cells,
        "delta_cells": entry.delta_cells,
        "queries": entry.queries,
        "value": None if found.value is None else text(found.value),
        "lower": text(found.lower),
        "upper": text(found.upper),
    }


def _problem(row: Row) -> dict[str, Any]:
    """What each method asks for one problem, for JSON."""
    return {
        "cells": row.cells,
        "delta_cells": row.delta_cells,
        "level": row.level,
        "paper": row.paper,
        "tight": row.tight,
        "tight_whole": row.whole,
        "optimum": row.optimum,
        "lower": None if row.lower is None else text(row.lower),
        "gap": row.gap,
    }


def _cells(row: Row) -> tuple[str, ...]:
    """What each method asks for one problem, as a row under `_PROBLEM`."""
    numbers = (row.cells, row.delta_cells, row.level, row.paper, row.tight, row.whole, row.optimum)
    return (*(show.number(each) for each in (*numbers, row.lower)), show.number(row.gap))


def _game(entry: Entry) -> tuple[str, ...]:
    """What the eavesdropper wins with in one game, as a row under `_GAME`."""
    found = entry.solution
    won = f"{float(found.upper):.12f}" if found.value is None else text(found.value)
    width = "0" if found.value is not None else f"{float(found.upper - found.lower):.0e}"
    return str(entry.cells), str(entry.delta_cells), str(entry.queries), won, width


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table; every column is aligned to the right."""
    lines = [head, ["---:"] * len(head), *rows]
    return [f"| {' | '.join(each)} |" for each in lines]


_PROBLEM = ("cells", "D", "L", "paper", "tight", "whole", "optimum", "lower", "gap")

_GAME = ("cells", "D", "queries", "she wins with", "width of bracket")

_INTRODUCTION = """\
# Atlas of optima

Made by `{command}`; do not edit by hand.

Each row is about a lattice of equal cells, each of width epsilon, and begins with their number; the
eavesdropper names D neighbouring cells. It says how many questions a method asks so that she wins
at most once in L times: *paper* and *tight* on an interval, *whole* is tight for whole numbers,
*optimum* the best there is on this lattice, *lower* the paper's lower bound (0 where its formula
gives less), *gap* tight less optimum. Where D = 1 the paper says nothing.
[What was found](optimum.md) says where ours is above the optimum, and why.

## Bayesian
"""
_WORST = """
## Deterministic

At least L places, D cells wide, stay possible whatever is overheard. A negative gap means that a
lattice of one's own choosing does better on an interval than this one.
"""
_VALUES = """
## What the best eavesdropper wins with

With that number of questions nobody can hold her to less. The bracket is certain: its lower end is
checked in whole numbers, its upper end is a strategy played out; width 0 means that they meet.
"""
