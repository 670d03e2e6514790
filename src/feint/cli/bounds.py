"""Define `feint bounds`, which shows every bound of the theory for one problem."""

from __future__ import annotations

from feint.bounds import table
from feint.cli import show
from feint.cli.flags.problem import ProblemFlags
from feint.problem import Problem


def bounds(*, problem: ProblemFlags, json: bool = False) -> None:
    """Show what the theorems say about the number of questions."""
    wanted = problem.request()
    rows = table(wanted.problem)
    if json:
        show.as_json(wanted.to_dict() | {"bounds": [row.to_dict() for row in rows]})
        return
    line = show.problem_line(wanted.problem, wanted.domain)
    notes = (*show.reasons(rows), *_blind(wanted.problem))
    show.lines(*show.broken(line), show.bounds_table(rows), *show.broken(*notes))


def _blind(problem: Problem) -> list[str]:
    """Return a sentence about the success of a blind guess, which limits the level."""
    if problem.prior is None:
        return []
    blind = problem.blind
    return [
        f"A guess without listening wins with probability {float(blind):.4g}: nobody can hide the"
        f" number at a level above {int(1 / blind)}."
    ]
