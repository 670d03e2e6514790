"""Bracket the optimum of the game on a small lattice between two exact bounds.

The programme is solved in floats. Its dual solution is rounded and folded back to a lower bound in
whole numbers. Its primal solution is rounded to a table of whole weights, and enumerating its
transcripts gives an upper bound. If the two are equal, the optimum is known as a fraction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from feint.branches import success
from feint.errors import InvalidValue, NoPlan, OutOfRegime, TooLarge
from feint.exact import Number, ceil_div, ceil_log2, rational, whole
from feint.planning.optimal.certificate import TOTALS, lower_bound
from feint.planning.optimal.game import Game
from feint.planning.optimal.play import table
from feint.planning.optimal.programme import Programme, Solved
from feint.problem import Line, Prior, Problem
from feint.strategies import Table

_RECOGNISED = 1 << 16  # the most variables for which simple fractions are tried
_MOST = 64  # maximum number of cells; larger programmes do not fit


@dataclass(frozen=True)
class Solution:
    """The optimum of one game.

    Attributes:
        lower: No learner can force a smaller success; checked in whole numbers.
        upper: The success of the best eavesdropper against `strategy`, by enumeration.
        strategy: A strategy that can be played.
    """

    lower: Fraction
    upper: Fraction
    strategy: Table

    @property
    def value(self) -> Fraction | None:
        """Return the optimum as a fraction if the two bounds are equal, else None."""
        return self.lower if self.lower == self.upper else None


def solve(
    cells: int,
    epsilon_cells: int,
    delta_cells: int,
    queries: int,
    *,
    prior: Sequence[Number] | None = None,
) -> Solution:
    """Compute the best strategy with a given number of queries, one per round.

    Args:
        cells: m, the size of the lattice. Queries are at its boundaries.
        epsilon_cells: s, the maximum number of cells in the learner's last interval.
        delta_cells: D, the number of neighbouring cells that the eavesdropper names.
        queries: n, the number of queries.
        prior: The weight of each cell, in any unit. None: equal weights.

    Returns:
        The two bounds, with a strategy that attains the upper one.

    Raises:
        InvalidValue: An argument is invalid by itself.
        OutOfRegime: δ is above 1/2, or ε covers several cells and δ is below 2ε.
        NoPlan: n queries are too few to find a cell.
        TooLarge: The programme is too large.
    """
    game = _game(cells, epsilon_cells, delta_cells, queries, prior)
    problem = _problem(game, 2)
    programme = Programme(game)
    found = programme.solve()
    lower = _lower(programme, found)
    upper, strategy = _upper(programme, found, lower, problem)
    level = max(2, math.floor(1 / upper)) if prior is None else 2
    return Solution(lower, upper, replace(strategy, problem=_problem(game, level)))


def complexity(cells: int, delta_cells: int, level: int, *, epsilon_cells: int = 1) -> int:
    """Return the smallest number of queries that limits every eavesdropper to 1/level.

    Args:
        cells: m, the size of the lattice.
        delta_cells: D, the number of neighbouring cells that the eavesdropper names.
        level: L.
        epsilon_cells: s, the maximum number of cells in the learner's last interval.

    Returns:
        N: a strategy with N queries exists, and none with N − 1.

    Raises:
        OutOfRegime: The blind guess already succeeds too often.
        TooLarge: The programme is too large, or its bounds do not decide about 1/level.
    """
    game = _game(cells, epsilon_cells, delta_cells, cells, None)
    bound = Fraction(1, _problem(game, whole(level, "level", least=2)).level)
    queries = max(1, ceil_log2(ceil_div(game.cells, game.accuracy)))
    while True:
        found = solve(cells, epsilon_cells, delta_cells, queries)
        if found.upper <= bound:
            return queries
        if found.lower <= bound:
            rule = f"with {queries} queries the optimum is too close to 1/{level} to tell"
            raise TooLarge("cells", cells, rule, "take fewer cells")
        queries += 1


def success_under(strategy: Table, prior: Sequence[int]) -> Fraction:
    """Return the best eavesdropper's success exactly, for cells of any weights.

    Args:
        strategy: The strategy whose questions she hears.
        prior: The whole weight of every cell.

    Returns:
        Her success.
    """
    return success(strategy, line=Line.of_cells(strategy.size, Prior(prior)))


def _lower(programme: Programme, found: Solved) -> Fraction:
    """Return the best lower bound among the blind guess and several roundings of the dual."""
    prior, window = programme.game.prior, programme.game.window
    blind = max(sum(prior[i : i + window]) for i in range(len(prior) - window + 1))
    bounds = [Fraction(blind, sum(prior))]
    bounds += [lower_bound(programme, found.catch, total) for total in TOTALS]
    if max(bounds) < found.value and not _long(programme):
        bounds.append(lower_bound(programme, found.catch, None))
    return max(bounds)


def _long(programme: Programme) -> bool:
    """Return True if the search for simple fractions would take minutes."""
    return programme.size > _RECOGNISED


def _upper(
    programme: Programme, found: Solved, lower: Fraction, problem: Problem
) -> tuple[Fraction, Table]:
    """Return the best of several roundings of the primal solution: her success, and the strategy.

    The loop stops at the first rounding that attains the lower bound.
    """
    game = programme.game
    best: tuple[Fraction, Table] | None = None
    for total in (*TOTALS, None):
        if best is not None and (best[0] <= lower or (total is None and _long(programme))):
            break
        strategy = table(programme, found.x, total, problem)
        won = success_under(strategy, game.prior)
        if best is None or won < best[0]:
            best = won, strategy
    if best is None:
        raise RuntimeError("no rounding was tried")
    return best


def _game(
    cells: int, accuracy: int, window: int, queries: int, prior: Sequence[Number] | None
) -> Game:
    m = whole(cells, "cells", least=2, most=_MOST)
    s = whole(accuracy, "epsilon_cells", least=1, most=m)
    d = whole(window, "delta_cells", least=1, most=m)
    n = whole(queries, "queries", least=1)
    least = ceil_log2(ceil_div(m, s))
    if n < least:
        rule = f"{least} queries are needed to find one of {ceil_div(m, s)} places"
        raise NoPlan("queries", n, rule, f"give {least} or more")
    return Game(
        cells=m,
        accuracy=s,
        window=d,
        queries=n,
        prior=(1,) * m if prior is None else _weights(prior, m),
    )


def _weights(prior: Sequence[Number], cells: int) -> tuple[int, ...]:
    if len(prior) != cells:
        rule = f"must give the weight of each of the {cells} cells"
        raise InvalidValue("prior", f"{len(prior)} numbers", rule, f"give {cells} numbers")
    shares = [rational(each, f"prior[{index}]") for index, each in enumerate(prior)]
    if min(shares) < 0 or not any(shares):
        rule = "must not be negative, nor all zero"
        raise InvalidValue("prior", prior, rule, "give the weight of every cell")
    common = math.lcm(*(each.denominator for each in shares))
    weights = [int(each * common) for each in shares]
    each = math.gcd(*weights)
    if sum(weights) // each >= 1 << 16:
        rule = "may have at most 2^16 as the sum of its weights in whole numbers"
        raise TooLarge("prior", sum(weights) // each, rule, "round the weights")
    return tuple(weight // each for weight in weights)


def _problem(game: Game, level: int) -> Problem:
    """Return the problem of a game, or raise an error if the theory does not cover it."""
    if game.window * level > game.cells:
        rule = f"the blind guess succeeds more often than 1 time in {level}"
        most = game.cells // level
        remedy = f"give delta_cells = {most} or less" if most else "lower the level"
        raise OutOfRegime("delta_cells", game.window, rule, remedy)
    if game.accuracy > 1 and game.window < 2 * game.accuracy:
        rule = f"must be at least 2·epsilon_cells = {2 * game.accuracy}"
        raise OutOfRegime("delta_cells", game.window, rule, "give that, or epsilon_cells = 1")
    return Problem(
        Fraction(game.accuracy, game.cells),
        Fraction(game.window, game.cells),
        level,
        values=game.cells if game.accuracy == 1 else None,
    )
