"""`feint optimal`: the least that any eavesdropper can be held to on a small lattice."""

from __future__ import annotations

from typing import Annotated

from click import UsageError

from feint.cli import show
from feint.cli.flags.flag import Json, flag
from feint.errors import InvalidValue
from feint.exact import text, whole

Cells = Annotated[str | None, flag("How many equal cells the lattice has.", "COUNT", "The game")]
DeltaCells = Annotated[
    str | None,
    flag("How many neighbouring cells an eavesdropper names.", "COUNT", "The game"),
]
Queries = Annotated[str | None, flag("How many questions there are.", "COUNT", "The game")]
Level = Annotated[
    str | None,
    flag("Instead of --queries: find the fewest for this level.", "COUNT", "The game"),
]
EpsilonCells = Annotated[
    str, flag("How many cells you may leave undecided. Default: 1.", "COUNT", "The game")
]


def optimal(
    *,
    cells: Cells = None,
    delta_cells: DeltaCells = None,
    queries: Queries = None,
    level: Level = None,
    epsilon_cells: EpsilonCells = "1",
    json: Json = False,
) -> None:
    """Solve a small game exactly: how rarely can the best eavesdropper be made to win?"""
    if cells is None or delta_cells is None or (queries is None) == (level is None):
        rule = "give --cells, --delta-cells and one of --queries and --level"
        raise UsageError(f"{rule}: --help says what they mean")
    from feint.planning.optimal import complexity, solve

    m, d = whole(cells, "--cells", least=2), whole(delta_cells, "--delta-cells", least=1)
    s = whole(epsilon_cells, "--epsilon-cells", least=1)
    try:
        if queries is not None:
            n = whole(queries, "--queries", least=1)
        else:
            n = complexity(m, d, whole(level or 2, "--level", least=2), epsilon_cells=s)
        found = solve(m, s, d, n)
    except InvalidValue as error:
        raise _in_flags(error) from None
    value = None if found.value is None else text(found.value)
    if json:
        document = {"cells": m, "epsilon_cells": s, "delta_cells": d, "queries": n}
        bounds = {"value": value, "lower": text(found.lower), "upper": text(found.upper)}
        show.as_json(document | bounds)
        return
    shown = value or f"between {float(found.lower):.12f} and {float(found.upper):.12f}"
    show.lines(
        f"{m} cells, a window of {d}, {n} questions",
        f"The best eavesdropper wins with probability {shown}, and nobody can hold her to less.",
    )


def _in_flags(error: InvalidValue) -> InvalidValue:
    """The same error, with the names of the library's arguments as flags."""
    argument = error.argument.replace("_", "-")
    name = argument if argument.startswith("--") else f"--{argument}"
    return type(error)(name, error.value, error.rule, error.remedy.replace("_cells", "-cells"))
