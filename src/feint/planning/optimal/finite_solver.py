"""Bracket the optimum of any finite game between two exact bounds.

The method is that of the lattice game. The linear programme is solved in floats. Its dual solution
is rounded and folded back to a lower bound in whole numbers. Its primal solution is rounded and
played out in whole numbers, which gives an upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from feint.errors import NoPlan
from feint.planning.optimal.certificate import TOTALS, added, lowered, whole_weights
from feint.planning.optimal.finite import FiniteGame, Position, Tree
from feint.planning.optimal.highs import Entries, Float, Int, Minimum, minimise

_CLOSE = Fraction(1, 10**6)
_SPARE = 1e-7  # the extra confidence, so that rounding does not fall short of the required one


@dataclass(frozen=True)
class Bracket:
    """Exact bounds on the smallest success that a learner can force in one finite game.

    Attributes:
        lower: No learner can force a smaller success; checked in whole numbers.
        upper: The success against a strategy that was played out.
        variables: The number of variables of the programme; 0 if none was needed.
    """

    lower: Fraction
    upper: Fraction
    variables: int

    @property
    def value(self) -> Fraction | None:
        """Return the optimum as a fraction if the two bounds are equal, else None."""
        return self.lower if self.lower == self.upper else None


def solve_finite(game: FiniteGame) -> Bracket:
    """Return bounds on the smallest success that a learner can force on any eavesdropper.

    Args:
        game: The game, with one question per round.

    Returns:
        The bracket. Its bounds are equal in most games without noise, and nearly equal under noise.

    Raises:
        NoPlan: The questions are too few to reach a goal, or to reach the confidence under noise.
        TooLarge: The programme is too large.
    """
    tree = Tree(game)
    programme = _Programme(tree)
    if game.noisy and programme.surest() < game.confidence:
        rule = f"the goal can be named with a confidence of {float(programme.surest()):.6g} at most"
        raise NoPlan("queries", game.queries, rule, "allow more, or a lower confidence")
    lower, upper = game.blind, Fraction(1)
    for spare in (0.0, _SPARE) if game.noisy else (0.0,):
        if spare and programme.surest() < game.confidence + Fraction(spare):
            break
        found = programme.solve(spare)
        lower = max([lower, *(programme.lower(found, total) for total in TOTALS)])
        for total in TOTALS:
            if upper > lower:
                success, sure = programme.played(found.x, total)
                if sure >= game.confidence or not game.noisy:
                    upper = min(upper, success)
        if upper - lower < _CLOSE:
            break
    return Bracket(lower, upper, tree.size)


class _Programme:
    """The linear programme of a tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree, self.game = tree, tree.game
        know = tree.knowledge
        # settled position → [windows, states], without dominated windows
        self.caught: dict[int, Int] = {}
        self.best: dict[int, list[int]] = {}  # settled position → the weight in the best goal
        for number, position in enumerate(tree.positions):
            if position.z >= 0:
                rows = [know.weights(each, len(position.asked)) for each in position.states]
                self.caught[number] = _sums(self.game.windows, rows)
                if self.game.noisy:
                    self.best[number] = list(_sums(self.game.goals, rows).max(axis=0))

    def surest(self) -> Fraction:
        """Return the largest possible confidence exactly, by the best question at every state."""
        most: list[list[int]] = [[]] * len(self.tree.positions)
        for number in range(len(self.tree.positions) - 1, -1, -1):
            position = self.tree.positions[number]
            found = self.best.get(number) or [0] * len(position.states)
            for move in position.moves:
                after = most[move.target]
                for state, parts in zip(move.askers, move.parts, strict=True):
                    found[state] = max(found[state], sum(after[part] for part in parts))
            most[number] = found
        return Fraction(int(most[0][0]), self.tree.knowledge.scale(self.game.queries))

    def solve(self, spare: float) -> Minimum:
        """Solve the programme with HiGHS, with the confidence raised by `spare`."""
        size = self.tree.size
        cost, limits = np.zeros(size), np.tile([0.0, np.inf], (size, 1))
        limits[0] = 1, 1
        equal: list[tuple[int, int, float]] = []
        at_most: list[tuple[int, int, float]] = []
        equations = bounds = 0
        self.first: dict[int, int] = {}
        sure: list[tuple[int, float]] = []
        for number, position in enumerate(self.tree.positions):
            if position.z < 0:
                equal += self._flow(position, equations)
                equations += len(position.states)
                continue
            cost[position.z] = position.kinds
            self.first[number] = bounds
            scale = self.tree.knowledge.scale(len(position.asked))
            for row in self.caught[number]:
                at_most.append((bounds, position.z, -1.0))
                at_most += [
                    (bounds, variable, int(amount) / scale)
                    for amount, inflow in zip(row, position.inflow, strict=True)
                    for variable in inflow
                    if amount
                ]
                bounds += 1
            sure += [
                (variable, -position.kinds * int(amount) / scale)
                for amount, inflow in zip(self.best.get(number, ()), position.inflow, strict=False)
                for variable in inflow
            ]
        limit = np.zeros(bounds + self.game.noisy)
        if self.game.noisy:
            at_most += [(bounds, variable, amount) for variable, amount in sure]
            limit[-1] = -min(1.0, float(self.game.confidence) + spare)
        return minimise(
            cost,
            limits,
            equal=(_entries(equal), np.zeros(equations)),
            at_most=(_entries(at_most), limit),
        )

    def _flow(self, position: Position, first: int) -> list[tuple[int, int, float]]:
        """Return equations: outflow equals inflow; the start sums over symmetry classes."""
        rows = [
            (first + state, variable, -1.0)
            for state, inflow in enumerate(position.inflow)
            for variable in inflow
        ]
        for move in position.moves:
            kinds = self.tree.positions[move.target].kinds if not position.asked else 1
            rows += [
                (first + state, variable, float(kinds))
                for state, variable in zip(move.askers, move.variables, strict=True)
            ]
        return rows

    def lower(self, found: Minimum, total: int) -> Fraction:
        """Return a success that the eavesdropper reaches with the mixtures of a dual solution.

        Args:
            found: The solution. The bound holds even if it is inexact.
            total: The sum of the whole weights of each mixture.
        """
        depth = self.game.queries
        price = round(max(0.0, found.dual[-1]) * total) if self.game.noisy else 0
        folded: list[list[int]] = [[]] * len(self.tree.positions)
        for number in range(len(self.tree.positions) - 1, -1, -1):
            position = self.tree.positions[number]
            if position.z < 0:
                folded[number] = self._folded(position, folded)
                continue
            caught = self.caught[number]
            first = self.first[number]
            mixture = whole_weights(found.dual[None, first : first + len(caught)], total)[0]
            amounts = mixture.astype(object) @ caught.astype(object)
            best = self.best.get(number, [0] * len(position.states))
            folded[number] = [
                int(amount) - price * int(most) for amount, most in zip(amounts, best, strict=True)
            ]
        scale = self.tree.knowledge.scale(depth if self.game.noisy else 0)
        return Fraction(folded[0][0], total * scale) + Fraction(price, total) * self.game.confidence

    def _folded(self, position: Position, folded: list[list[int]]) -> list[int]:
        """Return the smallest weight caught of each state's parts after any question."""
        least = np.full((1, len(position.states)), np.inf, object)
        for move in position.moves:
            after = folded[move.target]
            parent = [place for place, parts in enumerate(move.parts) for _ in parts]
            caught = [after[part] for parts in move.parts for part in parts]
            amounts = added(np.array([caught], object), parent, len(move.askers))
            lowered(least, move.askers, amounts)
        return [0 if each == np.inf else each for each in least[0].tolist()]

    def played(self, x: Float, total: int) -> tuple[Fraction, Fraction]:
        """Return her success against the rounded solution, and the probability of a right goal.

        Args:
            x: Every variable. Rounding makes a valid strategy of any values.
            total: The sum of the whole weights at each history.
        """
        weight: list[list[int]] = [[0] * len(each.states) for each in self.tree.positions]
        weight[0] = [1]
        success, sure = Fraction(0), Fraction(0)
        for number, position in enumerate(self.tree.positions):
            own, depth = weight[number], len(position.asked)
            if position.z >= 0:
                scale = total**depth * self.tree.knowledge.scale(depth)
                caught = self.caught[number].astype(object) @ np.array(own, object)
                success += Fraction(int(max(caught)), scale)
                best = self.best.get(number, [0] * len(own))
                held = sum(int(a) * b for a, b in zip(best, own, strict=True))
                sure += Fraction(held, scale)
                continue
            for state, split in enumerate(self._split(position, x, total)):
                for (move, asker), share in split:
                    for part in position.moves[move].parts[asker]:
                        weight[position.moves[move].target][part] += own[state] * share
        return success, sure

    def _split(
        self, position: Position, x: Float, total: int
    ) -> list[list[tuple[tuple[int, int], int]]]:
        """Return for each state its moves, with the state's index among the askers and a weight."""
        found: list[list[tuple[tuple[int, int], float]]] = [[] for _ in position.states]
        for number, move in enumerate(position.moves):
            kinds = self.tree.positions[move.target].kinds if not position.asked else 1
            for place, (state, variable) in enumerate(
                zip(move.askers, move.variables, strict=True)
            ):
                found[state].append(((number, place), kinds * float(x[variable])))
        rounded = []
        for choices in found:
            shares = np.array([[share for _, share in choices]])
            weights = whole_weights(shares, total)[0].tolist()
            rounded.append(
                [(which, w) for (which, _), w in zip(choices, weights, strict=True) if w]
            )
        return rounded


def _entries(rows: list[tuple[int, int, float]]) -> Entries:
    if not rows:
        return []
    row, column, value = zip(*rows, strict=True)
    return [(np.array(row, np.int64), np.array(column, np.int64), np.array(value, np.float64))]


def _sums(sets: tuple[int, ...], rows: list[list[int]]) -> Int:
    """Return [sets, states] the weight of each set in each state, without dominated sets."""
    found = {
        tuple(sum(row[i] for i in range(len(row)) if each >> i & 1) for row in rows)
        for each in sets
    }
    kept = [
        one
        for one in found
        if not any(one != other and all(map(int.__le__, one, other)) for other in found)
    ]
    return np.array(sorted(kept), object if max(map(max, kept)) >= 1 << 62 else np.int64)
