"""`feint demo`: the main job on embedded numbers."""

from __future__ import annotations

from feint.bounds import table
from feint.cli import show
from feint.problem import Domain


def demo() -> None:
    """Find a price while competitors watch every test."""
    domain = Domain(10, 110, label="price")
    problem = domain.problem(epsilon="0.1", delta=5, level=8)
    console = show.console()
    console.print("A price between 10 and 110, to within 5 cents either side, while a competitor")
    console.print("who sees every test price comes within 2.50 of it at most once in 8 times.\n")
    console.print(show.bounds_table(table(problem)))
