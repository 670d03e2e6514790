"""`feint demo`: the main job on embedded numbers."""

from __future__ import annotations

from feint.bounds import table
from feint.cli import show
from feint.problem import Domain


def demo() -> None:
    """Find a price while competitors watch every test."""
    from feint.cli.plan import plans_table
    from feint.planning import compare

    domain = Domain(10, 110, label="price")
    problem = domain.problem(epsilon="0.05", delta=2, level=8)
    console = show.console()
    console.print("A price between 10 and 110, to within 2.5 cents either side, while a competitor")
    console.print("who sees every test price comes within 1.00 of it at most once in 8 times.\n")
    console.print(plans_table(compare(problem, domain=domain)))
    console.print()
    show.lines(show.bounds_table(row for row in table(problem) if row.applies))
