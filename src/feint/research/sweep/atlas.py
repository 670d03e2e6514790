"""Compute the atlas: every small problem with its optimum and its distance to other methods."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter, itemgetter

from feint.bounds import lower_bound
from feint.bounds import table as bounds_table
from feint.exact import ceil_log2, whole
from feint.interfaces import AnyExecutor, Progress
from feint.planning import plan
from feint.planning.optimal import Solution, solve, worst_case
from feint.problem import Problem, Setting
from feint.simulate import executor_of

Game = tuple[int, int, int]
"""Cells, window, and queries or level."""


@dataclass(frozen=True)
class Entry:
    """The optimum of one game.

    Attributes:
        cells: m, the number of cells.
        delta_cells: D, the width of the window.
        queries: n, the number of questions.
        solution: The bracket and a strategy that attains its upper end.
    """

    cells: int
    delta_cells: int
    queries: int
    solution: Solution


@dataclass(frozen=True)
class Row:
    """The number of questions that one problem takes.

    Attributes:
        cells: m, the number of cells.
        delta_cells: D, the width of the window.
        level: L.
        setting: Bayesian or deterministic.
        paper: Questions of the paper's method on an interval; None if its theorem does not apply.
        tight: Questions of method tight on an interval; None if δ < 2ε.
        whole: Questions of method tight for whole numbers.
        optimum: Questions of the best strategy on this lattice.
        lower: The paper's lower bound, 0 or more; None if its theorem does not apply.
        bound: feint's lower bound for whole numbers (proofs/near.md).
    """

    cells: int
    delta_cells: int
    level: int
    setting: Setting
    paper: int | None
    tight: int | None
    whole: int
    optimum: int
    lower: Fraction | int | float | None
    bound: int | None

    @property
    def gap(self) -> int | None:
        """The number of questions by which method tight on an interval exceeds the optimum."""
        return None if self.tight is None else self.tight - self.optimum


def values(
    most: int, *, executor: AnyExecutor | None = None, progress: Progress | None = None
) -> list[Entry]:
    """Solve every Bayesian game up to a number of cells, cells of width ε.

    Args:
        most: The most cells.
        executor: Solves them in parallel; None: this process. The optima do not depend on it.
        progress: A callback after each game. A game that more questions cannot help counts as done.

    Returns:
        Entries by cells, window and questions, until more questions no longer help.
    """
    largest = whole(most, "most", least=1)
    wave = [(cells, window, ceil_log2(cells)) for cells, window in _windows(largest)]
    wanted = left = sum(cells - queries for cells, _, queries in wave)
    found: list[Entry] = []
    while wave:  # one question more per wave; long games first, so that no worker is late
        wave.sort(reverse=True)
        more: list[Game] = []
        for _, entry in executor_of(executor).map(_solved, wave):
            found.append(entry)
            cells, queries = entry.cells, entry.queries + 1
            left -= 1
            if (
                entry.solution.upper * cells == entry.delta_cells
            ):  # she is no better than a blind guess
                left -= cells - queries
            elif queries < cells:
                more.append((cells, entry.delta_cells, queries))
            if progress is not None:
                progress("Bayesian games", wanted - left, wanted)
        wave = more
    return sorted(found, key=attrgetter("cells", "delta_cells", "queries"))


def _solved(game: Game) -> Entry:
    cells, window, queries = game
    return Entry(cells, window, queries, solve(cells, 1, window, queries))


def _windows(most: int) -> Iterator[tuple[int, int]]:
    """Yield every number of cells up to a maximum with every window up to half of them."""
    for cells in range(2, most + 1):
        for window in range(1, cells // 2 + 1):
            yield cells, window


def rows(entries: list[Entry]) -> Iterator[Row]:
    """Yield the Bayesian problems whose optimum follows from a list of optima."""
    games = dict.fromkeys((each.cells, each.delta_cells) for each in entries)
    for cells, window in games:
        mine = [each for each in entries if (each.cells, each.delta_cells) == (cells, window)]
        for level in range(2, cells // window + 1):
            enough = [each.queries for each in mine if each.solution.upper * level <= 1]
            yield _row(cells, window, level, "bayesian", min(enough))


def worst_rows(
    most: int, *, executor: AnyExecutor | None = None, progress: Progress | None = None
) -> list[Row]:
    """Solve every deterministic problem up to a number of cells, cells of width ε.

    Args:
        most: The most cells.
        executor: As in `values`.
        progress: A callback after each problem.

    Returns:
        Rows by cells, window and level.
    """
    games = [
        (cells, window, level)
        for cells, window in _windows(most)
        for level in range(2, cells // window + 1)
    ]
    found: dict[int, Row] = {}
    for number, row in executor_of(executor).map(_worst_row, games):
        found[number] = row
        if progress is not None:
            progress("deterministic games", len(found), len(games))
    return [row for _, row in sorted(found.items(), key=itemgetter(0))]


def _worst_row(game: Game) -> Row:
    cells, window, level = game
    return _row(cells, window, level, "deterministic", worst_case(cells, window, level))


def _row(cells: int, window: int, level: int, setting: Setting, optimum: int) -> Row:
    epsilon, delta = Fraction(1, cells), Fraction(window, cells)
    values = Problem(epsilon, delta, level, setting=setting, values=cells)
    whole, bound = plan(values).queries, lower_bound(values)
    if window < 2:
        return Row(cells, window, level, setting, None, None, whole, optimum, None, bound)
    problem = Problem(epsilon, delta, level, setting=setting)
    paper, tight = plan(problem, method="paper").queries, plan(problem).queries
    lower = next(bound.value for bound in bounds_table(problem) if bound.name == "paper.lower")
    return Row(cells, window, level, setting, paper, tight, whole, optimum, lower, bound)
