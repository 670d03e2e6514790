"""Define the commands for research: exact optima of small games, their atlas, the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click import UsageError

from feint.cli import show
from feint.cli.flags.plan import WorkFlags
from feint.cli.flags.table import spelled
from feint.cli.flags.wording import flagged, listed
from feint.cli.progress import bar
from feint.exact import text

if TYPE_CHECKING:
    from feint.research.sweep import Entry, Row


def optimal(
    *,
    cells: int | None = None,
    delta_cells: int | None = None,
    queries: int | None = None,
    level: int | None = None,
    epsilon_cells: int = 1,
    json: bool = False,
) -> None:
    """Solve a small game exactly: the least success that questions can leave an eavesdropper."""
    if cells is None or delta_cells is None or (queries is None) == (level is None):
        rule = "give --cells, --delta-cells and one of --queries and --level"
        raise UsageError(f"{rule}: --help says what they mean")
    from feint.planning.optimal import complexity, solve

    names = ("cells", "delta_cells", "epsilon_cells", "queries", "level")
    with flagged(**{name: spelled(name) for name in names}):
        if queries is None:
            queries = complexity(cells, delta_cells, level or 2, epsilon_cells=epsilon_cells)
        found = solve(cells, epsilon_cells, delta_cells, queries)
    value = None if found.value is None else text(found.value)
    if json:
        game = {"cells": cells, "epsilon_cells": epsilon_cells, "delta_cells": delta_cells}
        bounds = {"value": value, "lower": text(found.lower), "upper": text(found.upper)}
        show.as_json(game | {"queries": queries} | bounds)
        return
    shown = value or f"between {float(found.lower):.12f} and {float(found.upper):.12f}"
    show.lines(
        f"{cells} cells, a window of {delta_cells}, {queries} questions",
        f"The best eavesdropper wins with probability {shown}; no strategy limits her to less.",
    )


def reproduce(
    *,
    out: Path = Path("reproduced"),
    only: str | None = None,
    runs: int = 20_000,
    seed: int = 0,
    work: WorkFlags,
) -> None:
    """Draw every figure and table of the paper, with feint's own plans beside them."""
    from feint.research.reproduce import reproduce as draw

    with work.executor() as executor, bar("figures") as progress:
        page = draw(
            out,
            only=listed([only] if only else None) or (),
            runs=runs,
            seed=seed,
            executor=executor,
            progress=progress,
        )
    show.lines(f"Wrote {page}")


def atlas(*, cells: int = 8, worst_cells: int = 12, work: WorkFlags, json: bool = False) -> None:
    """Write the table of optima: paper, tight, optimum, lower bound, gap."""
    from feint.research.sweep import rows, values, worst_rows

    with work.executor() as executor, bar("games") as progress:
        entries = values(cells, executor=executor, progress=progress)
        deterministic = worst_rows(worst_cells, executor=executor, progress=progress)
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
    command = f"feint atlas --cells {cells} --worst-cells {worst_cells}"
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
    """Return one game for JSON."""
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
    """Return the questions of each method for one problem, for JSON."""
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
        "lower_bound": row.bound,
    }


def _cells(row: Row) -> tuple[str, ...]:
    """Return the questions of each method for one problem, as a row under `_PROBLEM`."""
    numbers = (row.cells, row.delta_cells, row.level, row.paper, row.tight, row.whole, row.optimum)
    return tuple(show.number(each) for each in (*numbers, row.lower, row.bound, row.gap))


def _game(entry: Entry) -> tuple[str, ...]:
    """Return one game as a row under `_GAME`."""
    found = entry.solution
    won = f"{float(found.upper):.12f}" if found.value is None else text(found.value)
    width = "0" if found.value is not None else f"{float(found.upper - found.lower):.0e}"
    return str(entry.cells), str(entry.delta_cells), str(entry.queries), won, width


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table with every column aligned to the right."""
    lines = [head, ["---:"] * len(head), *rows]
    return [f"| {' | '.join(each)} |" for each in lines]


_PROBLEM = ("cells", "D", "L", "paper", "tight", "whole", "optimum", "lower", "bound", "gap")

_GAME = ("cells", "D", "queries", "she wins with", "width of bracket")

_INTRODUCTION = """\
# Atlas of optima

Made by `{command}`; do not edit by hand.

Each row is about a lattice of cells of width epsilon, and begins with the number of cells. The
eavesdropper names D neighbouring cells. The columns *paper* to *optimum* hold how many questions
each method asks so that she wins at most once in L times. *paper* and *tight* are for an interval,
*whole* is `tight` for whole numbers, and *optimum* is the best possible on this lattice. *lower* is
the paper's lower bound (0 if its formula gives less), and *bound* is [ours](../proofs/near.md) for
whole numbers. *gap* is *tight* minus *optimum*. The paper does not cover D = 1. [The
optimum](optimum.md) explains for which problems feint asks more than the optimum, and why.

## Bayesian
"""
_WORST = """
## Deterministic

At least L places, D cells wide, stay possible for all questions that may be overheard. A negative
gap means that another lattice does better on an interval than this one.
"""
_VALUES = """
## The success of the best eavesdropper

No strategy with that number of questions limits her to less. The bracket is certain: its lower end
is checked in whole numbers, and a strategy attains its upper end. Width 0 means that they meet.
"""
