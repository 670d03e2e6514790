"""The atlas: every small problem with its optimum, and how far the other methods are from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter, itemgetter

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
    """The optimum of one game, by its cells, the width of the window and the queries.

    Attributes:
        cells: m.
        delta_cells: D.
        queries: n.
        solution: The bracket and a strategy that attains its upper end.
    """

    cells: int
    delta_cells: int
    queries: int
    solution: Solution


@dataclass(frozen=True)
class Row:
    """The queries one problem takes.

    Attributes:
        cells: m.
        delta_cells: D.
        level: L.
        setting: Bayesian or deterministic.
        paper: What the paper's method asks on an interval; None where its theorem says nothing.
        tight: What ours asks on an interval; None where δ < 2ε.
        whole: What ours asks for whole numbers.
        optimum: What the best strategy on this lattice asks.
        lower: The paper's lower bound, 0 or more; None where its theorem says nothing.
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

    @property
    def gap(self) -> int | None:
        """How many queries ours asks more than the optimum, on an interval."""
        return None if self.tight is None else self.tight - self.optimum


def values(
    most: int, *, executor: AnyExecutor | None = None, progress: Progress | None = None
) -> list[Entry]:
    """The optimum of every Bayesian game up to a number of cells, cells of width ε.

    Args:
        most: The most cells.
        executor: Who solves them; None: this process. The optima are the same whoever does.
        progress: Told after each game; one that more queries cannot help counts as done.

    Returns:
        Entries, by cells, window and queries, until more queries no longer help.
    """
    largest = whole(most, "most", least=1)
    wave = [(cells, window, ceil_log2(cells)) for cells, window in _windows(largest)]
    wanted = left = sum(cells - queries for cells, _, queries in wave)
    found: list[Entry] = []
    while wave:  # one more query a wave; the dearest games first, so that no worker is left alone
        wave.sort(reverse=True)
        more: list[Game] = []
        for _, entry in executor_of(executor).map(_solved, wave):
            found.append(entry)
            cells, queries = entry.cells, entry.queries + 1
            left -= 1
            if entry.solution.upper * cells == entry.delta_cells:  # as good as the blind guess
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
    """Every number of cells up to this one, with every window up to half of them."""
    for cells in range(2, most + 1):
        for window in range(1, cells // 2 + 1):
            yield cells, window


def rows(entries: list[Entry]) -> Iterator[Row]:
    """The Bayesian problems that a list of optima settles."""
    games = dict.fromkeys((each.cells, each.delta_cells) for each in entries)
    for cells, window in games:
        mine = [each for each in entries if (each.cells, each.delta_cells) == (cells, window)]
        for level in range(2, cells // window + 1):
            enough = [each.queries for each in mine if each.solution.upper * level <= 1]
            yield _row(cells, window, level, "bayesian", min(enough))


def worst_rows(
    most: int, *, executor: AnyExecutor | None = None, progress: Progress | None = None
) -> list[Row]:
    """Every deterministic problem up to a number of cells, cells of width ε.

    Args:
        most: The most cells.
        executor: As in `values`.
        progress: Told after each problem.

    Returns:
        Rows, by cells, window and level.
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
    whole = plan(values).queries
    if window < 2:
        return Row(cells, window, level, setting, None, None, whole, optimum, None)
    problem = Problem(epsilon, delta, level, setting=setting)
    paper, tight = plan(problem, method="paper").queries, plan(problem).queries
    lower = next(bound.value for bound in bounds_table(problem) if bound.name == "paper.lower")
    return Row(cells, window, level, setting, paper, tight, whole, optimum, lower)
