"""Build the planted family as tables: guesses hidden in a bisection (proofs/planted.md).

A guess at s asks the boundaries s and s + 1. It is right if X* lies in cell s. After a right guess
the run only acts: it ignores the answers, and a coin picks each move.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from feint.problem import Problem
from feint.strategies.building.graph import Graph, cuts
from feint.strategies.nodes import END
from feint.strategies.table import Table


@dataclass(frozen=True, kw_only=True)
class PlantedShape:
    """The integers that select a member of the planted family.

    Attributes:
        left: Whether to guess the first cell.
        right: Whether to guess the last cell.
        bisected: K, the number of guesses along a bisection.
        parts: M, the number of parts that the interval is then cut into, with a guess at every
            cut.
        steps: The k of every step that ends the search; 2 is a halving.
    """

    left: bool = False
    right: bool = False
    bisected: int = 0
    parts: int = 1
    steps: tuple[int, ...] = ()

    @property
    def guesses(self) -> int:
        """The number of guessed cells: L, if the guesses are at least δ apart."""
        return self.left + self.right + self.bisected + self.parts - 1

    @property
    def queries(self) -> int:
        """Two queries per guess, one per guess at an end, and Σ(k−1)."""
        return 2 * self.guesses - self.left - self.right + sum(self.steps) - len(self.steps)

    @property
    def rounds(self) -> int:
        """One round per guess along the bisection, at most one for the grid, and one per step."""
        return self.bisected + (self.parts > 1) + len(self.steps)

    @property
    def size(self) -> int:
        """The smallest lattice on which every step divides evenly."""
        return (self.parts << self.bisected) * math.prod(self.steps)


def planted(
    problem: Problem,
    size: int,
    *,
    left: bool = False,
    right: bool = False,
    bisected: int = 0,
    parts: int = 1,
    steps: Sequence[int] = (),
    printed: bool = False,
) -> Table:
    """Build a member of the planted family.

    Args:
        problem: The problem that the table is meant to solve.
        size: The number of cells of the lattice.
        left: Whether to guess the first cell, in the first round.
        right: Whether to guess the last cell, in the first round.
        bisected: K, the number of guesses along a bisection.
        parts: M, the number of parts that the interval is then cut into, with a guess at every cut.
        steps: The k of every step that ends the search; 2 is a halving.
        printed: Whether to move and estimate as in the paper, which is not private: after a right
            guess along the bisection, the next move still follows the answers.

    Returns:
        The table.
    """
    grid = [("grid", parts)] if parts > 1 else []
    rounds = [("guess", 2)] * bisected + grid + [("bisect", k) for k in steps]
    if (left or right) and not rounds:
        rounds = [("guess", 1)]
    ends = {cell for cell, guess in ((0, left), (size - 1, right)) if guess}
    builder = _Planted(Graph(), tuple(rounds), bisected + len(grid), frozenset(ends), printed)
    first = builder.follow(size, 0)
    return builder.graph.table(problem, size, first, follows_place=printed)


@dataclass(frozen=True)
class _Planted:
    """A builder of nodes. Its methods take a piece and a round, and return node numbers.

    Attributes:
        graph: The graph that the nodes are added to.
        rounds: The phase of each round, and the number of parts that its cuts make.
        guesses: The number of rounds that guess at their cuts.
        ends: The other cells of the lattice that the first round guesses.
        printed: As in `planted`.
    """

    graph: Graph
    rounds: tuple[tuple[str, int], ...]
    guesses: int
    ends: frozenset[int]
    printed: bool

    def follow(self, cells: int, number: int) -> int:
        """Add a round of a run that follows its answers."""
        if cells == 1 or number == len(self.rounds):
            return END
        told, guessed = self._told(cells, number)
        if len(told) == 2:
            return self.graph.once(self.follow, cells, number + 1)
        edges = []
        for cell in told[:-1]:
            if cell not in guessed or self._goes_on(cell, number):
                add = self.act if cell in guessed else self.follow
                low, high = self._piece(cells, number, cell)
                after = self.graph.once(add, high - low, number + 1)
                edges.append(self.graph.move(after, low, high - low))
            else:
                edges.append(self.graph.move(self.graph.once(self._turn, cells, number), 0, cells))
        return self.graph.ask(self.rounds[number][0], [told[1:-1]], [edges])

    def act(self, cells: int, number: int) -> int:
        """Add a round of a run that acts. It looks the same, but a coin picks the next node."""
        if cells == 1 or number == len(self.rounds):
            return END
        told, _ = self._told(cells, number)
        if len(told) == 2:
            return self.graph.once(self.act, cells, number + 1)
        edges = [self.graph.move(self.graph.once(self._turn, cells, number), 0, cells)] * (
            len(told) - 1
        )
        if self.printed and number == len(self.rounds) - 1:
            pieces = (self._piece(cells, number, cell) for cell in told[:-1])
            edges = [self.graph.move(END, low, high - low) for low, high in pieces]
        return self.graph.ask(self.rounds[number][0], [told[1:-1]], [edges])

    def _turn(self, cells: int, number: int) -> int:
        """Add the coin that picks the next piece of a run that acts."""
        if number + 1 == len(self.rounds):
            return END
        edges = [
            self.graph.move(self.graph.once(self.act, high - low, number + 1), low, high - low)
            for low, high in pairwise(cuts(cells, self.rounds[number][1]))
        ]
        return self.graph.coin([1] * len(edges), edges)

    def _goes_on(self, cell: int, number: int) -> bool:
        """Return True if the printed, flawed strategy follows the answers after a right guess."""
        along = number < self.guesses and self.rounds[number][0] == "guess"
        last = number == len(self.rounds) - 1
        return self.printed and (last or (along and not (number == 0 and cell in self.ends)))

    def _told(self, cells: int, number: int) -> tuple[list[int], set[int]]:
        """Return the ends of the intervals that a round separates, and the cells it guesses."""
        k = self.rounds[number][1]
        guessed = {cells * j // k for j in range(1, k)} if number < self.guesses else set[int]()
        if number == 0:
            guessed |= self.ends
        around = {each for cell in guessed for each in (cell, cell + 1)}
        return sorted({*cuts(cells, k), *around}), guessed

    def _piece(self, cells: int, number: int, cell: int) -> tuple[int, int]:
        """Return the ends of the part of a round that a cell lies in."""
        pieces = pairwise(cuts(cells, self.rounds[number][1]))
        return next((low, high) for low, high in pieces if cell < high)
