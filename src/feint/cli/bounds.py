"""`feint bounds`: every bound of the theory for the user's numbers."""

from __future__ import annotations

from feint.bounds import table
from feint.cli import show
from feint.cli.flags.flag import Json
from feint.cli.flags.problem import ProblemFlags


def bounds(*, problem: ProblemFlags, json: Json = False) -> None:
    """Show what the theorems say about the number of questions."""
    wanted = problem.request()
    rows = table(wanted.problem)
    if json:
        show.as_json(wanted.to_dict() | {"bounds": [row.to_dict() for row in rows]})
        return
    line = show.problem_line(wanted.problem, wanted.domain)
    show.lines(*show.broken(line), show.bounds_table(rows), *show.broken(*show.reasons(rows)))
