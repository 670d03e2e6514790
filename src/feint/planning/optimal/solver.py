"""The least success any eavesdropper can be held to on a small lattice, bracketed for certain.

The programme is solved in floats. Then its dual solution, rounded, is folded up to a lower bound in
whole numbers, and its primal one, rounded, is a table of whole weights that the enumerator plays
out: an upper bound. When the two meet, the optimum is known as a fraction.
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

_RECOGNISED = 1 << 16  # variables up to which simple fractions are looked for
_MOST = 64  # cells


@dataclass(frozen=True)
class Solution:
    """The optimum of one game.

    Attributes:
        lower: No learner can hold the best eavesdropper below this; checked in whole numbers.
        upper: What she wins with against `strategy`, by enumeration.
        strategy: A strategy that can be played.
    """

    lower: Fraction
    upper: Fraction
    strategy: Table

    @property
    def value(self) -> Fraction | None:
        """The optimum as a fraction, where the two bounds meet."""
        return self.lower if self.lower == self.upper else None


def solve(
    cells: int,
    epsilon_cells: int,
    delta_cells: int,
    queries: int,
    *,
    prior: Sequence[Number] | None = None,
) -> Solution:
    """The best strategy with a given number of queries, one a round.

    Args:
        cells: m, the size of the lattice; queries sit at its boundaries.
        epsilon_cells: s, the most cells that the learner's last interval may hold.
        delta_cells: D, the number of neighbouring cells that the eavesdropper names.
        queries: n, the number of queries.
        prior: How likely each cell is, in any unit; None: all alike.

    Returns:
        The bracket, with a strategy that attains its upper end.

    Raises:
        InvalidValue: An argument is wrong by itself.
        OutOfRegime: δ is above 1/2, or below 2ε with ε of several cells.
        NoPlan: n queries are too few to find a cell at all.
        TooLarge: The programme would not fit.
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
    """The fewest queries that hold every eavesdropper to 1/level on a lattice.

    Args:
        cells: m, the size of the lattice.
        delta_cells: D, the number of neighbouring cells that the eavesdropper names.
        level: L.
        epsilon_cells: s, the most cells that the learner's last interval may hold.

    Returns:
        N: with N − 1 queries no strategy does it, and with N one does.

    Raises:
        OutOfRegime: The blind guess already wins too often.
        TooLarge: The programme would not fit, or its bracket holds 1/level strictly inside.
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
    """Return what the best eavesdropper wins with when cells are not alike, exactly.

    Args:
        strategy: What she listens to.
        prior: The whole weight of every cell.

    Returns:
        Her success.
    """
    return success(strategy, line=Line.of_cells(strategy.size, Prior(prior)))


def _lower(programme: Programme, found: Solved) -> Fraction:
    """The best lower bound of the blind guess and of several roundings of the dual solution."""
    prior, window = programme.game.prior, programme.game.window
    blind = max(sum(prior[i : i + window]) for i in range(len(prior) - window + 1))
    bounds = [Fraction(blind, sum(prior))]
    bounds += [lower_bound(programme, found.catch, total) for total in TOTALS]
    if max(bounds) < found.value and not _long(programme):
        bounds.append(lower_bound(programme, found.catch, None))
    return max(bounds)


def _long(programme: Programme) -> bool:
    """Whether there are so many variables that looking for simple fractions would take minutes."""
    return programme.size > _RECOGNISED


def _upper(
    programme: Programme, found: Solved, lower: Fraction, problem: Problem
) -> tuple[Fraction, Table]:
    """The best of several roundings of the primal solution: what she wins with, and the strategy.

    It stops at the first that attains the lower bound.
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
        rule = f"must say how likely each of the {cells} cells is"
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
    """What a game is as a problem; refused where the theory says nothing of it."""
    if game.window * level > game.cells:
        rule = f"the blind guess wins more often than once in {level} times"
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
