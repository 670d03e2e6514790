"""Hide guesses in a bisection: the planted family (Algorithms 2 and 3, corrected).

A guess at s asks the boundaries s and s+1. It is right if X* lies in cell s. The rounds are:

1. *ends*, if any: a guess at the first cell and one at the last cell. Each takes one query, since
   the answers at both ends of the range are known. They join the first round;
2. *guess*: K guesses along a bisection, each at the middle of the remaining interval;
3. *grid*: a guess at each of the M−1 inner boundaries of M near-equal parts of the interval;
4. *bisect*: k-way steps (halvings when k = 2) in one part.

Once a guess is right, coins act out all later moves, including the very next one. In the printed
algorithm that next move always goes right, so a move to the left tells an eavesdropper that the
guess was wrong. `printed=True` keeps this flaw and that of the last line, for tests of the auditor.

Guarantee: proofs/planted.md. Every guess's cell stays possible after every transcript, so the
δ-covering number is at least the number of guesses if their starts are at least δ apart. It is a
worst-case notion: an eavesdropper who believes X* uniform nearly always finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import Answers, Estimate, Points, Round, Sides, Weights
from feint.problem import Problem
from feint.strategies.building import PlantedShape
from feint.strategies.cuts import Int, cut, part

Bool = NDArray[np.bool_]


class PlantedState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        moved: True if the last answers were followed. The first round has none to follow.
        piece: The start and size of the interval that the moves have reached.
        side: The part of the piece that the last answers point to.
        found: The cell of the right guess; −1 while there is none.
        acting: True if a coin acts out the next move.
    """

    round: int
    moved: bool
    piece: tuple[Int, Int]
    side: Int
    found: Int
    acting: Bool


@dataclass(frozen=True)
class Planted:
    """A member of the planted family.

    Attributes:
        problem: The problem that the strategy solves. Only the shape decides the questions.
        size: The number of cells of the lattice.
        shape: The member of the family.
        printed: True to move and estimate as the paper does, which is not private.
    """

    problem: Problem
    size: int
    shape: PlantedShape
    printed: bool = False

    asks_all = True

    @property
    def cells(self) -> tuple[int, ...]:
        """Return one coordinate of `size` cells."""
        return (self.size,)

    @property
    def has_coins(self) -> bool | None:
        """Return True if coins act out some steps; None if only guesses may need coins."""
        return True if self.shape.steps else None

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Return the rounds: guess, grid (if there is anything to cut), bisect."""
        widths = [("guess", 2)] * self.shape.bisected
        widths += [("grid", 2 * (self.shape.parts - 1))] if self.shape.parts > 1 else []
        widths += [("bisect", k - 1) for k in self.shape.steps]
        if self._ends and not widths:
            widths = [("guess", 0)]
        if widths:
            phase, width = widths[0]
            widths[0] = (phase, width + len(self._ends))
        return tuple(Round(phase, (0,) * width) for phase, width in widths)

    def start(self, runs: int) -> PlantedState:
        """Return the state with nothing known and nothing guessed."""
        zero = np.zeros(runs, np.int64)
        piece = (zero, np.full(runs, self.size, np.int64))
        return PlantedState(0, True, piece, zero, np.full(runs, -1), np.zeros(runs, bool))

    def coin(self, state: PlantedState) -> Weights | None:
        """Return the weights of the next move: where the answers point, or any part if acting."""
        if state.moved or state.round == len(self.rounds):
            return None
        k = self._ways(state.round - 1)
        real = np.diff(cut(state.piece[1][:, None], k, np.arange(k + 1))) > 0
        true = np.arange(k) == state.side[:, None]
        return np.where(state.acting[:, None], real, true).astype(np.int64)

    def toss(self, state: PlantedState, side: Sides) -> PlantedState:
        """Move to the part `side` of the piece."""
        piece = part(state.piece, self._ways(state.round - 1), side)
        return state._replace(moved=True, piece=piece)

    def ask(self, state: PlantedState) -> Points:
        """Return end guesses and inner cuts, each cut with the next boundary if it is a guess."""
        start, size = state.piece
        cuts = start[:, None] + cut(size[:, None], k := self._ways(state.round), np.arange(1, k))
        if self._guessed(state.round):
            cuts = np.stack((cuts, cuts + 1), axis=2).reshape(len(cuts), -1)
        if state.round > 0:
            return cuts
        ends = np.array([bound for bound, _ in self._ends], np.int64)
        return np.concatenate((np.broadcast_to(ends, (len(cuts), len(ends))), cuts), axis=1)

    def tell(self, state: PlantedState, answers: Answers) -> PlantedState:
        """Record where the answers point, and whether a guess was right."""
        points, found = self.ask(state), state.found
        if state.round == 0:
            for (bound, cell), yes in zip(self._ends, answers.T, strict=False):
                found = np.where(yes == (cell == bound), cell, found)
            points, answers = points[:, len(self._ends) :], answers[:, len(self._ends) :]
        known = found >= 0
        if self._guessed(state.round):
            right = answers[:, ::2] & ~answers[:, 1::2]
            found = np.maximum(found, np.where(right, points[:, ::2], -1).max(axis=1))
            answers = answers[:, ::2]
        flawed = self.printed and state.round < self.shape.bisected
        acting = known if flawed else found >= 0
        return PlantedState(state.round + 1, False, state.piece, answers.sum(axis=1), found, acting)

    def estimate(self, state: PlantedState) -> Estimate:
        """Return the right guess's cell if there is one, else the remaining interval.

        The printed algorithm always returns the remaining interval. Its last half, which no query
        shows, then follows the answers rather than a coin.
        """
        piece = state.piece
        if not state.moved:
            piece = part(piece, self._ways(state.round - 1), state.side)
        low, high = piece[0], piece[0] + piece[1]
        if not self.printed:
            known = state.found >= 0
            low = np.where(known, state.found, low)
            high = np.where(known, state.found + 1, high)
        return Estimate.between(low[:, None], high[:, None])

    @cached_property
    def _ends(self) -> tuple[tuple[int, int], ...]:
        """Return the boundary that each end guess asks, and the cell it guesses."""
        left = ((1, 0),) if self.shape.left else ()
        return left + (((self.size - 1, self.size - 1),) if self.shape.right else ())

    def _guessed(self, number: int) -> bool:
        """Return True if the cuts of a round are guesses."""
        return number < self.shape.bisected + (self.shape.parts > 1)

    def _ways(self, number: int) -> int:
        """Return the number of parts that the cuts of a round make."""
        if number < self.shape.bisected:
            return 2
        if number == self.shape.bisected and self.shape.parts > 1:
            return self.shape.parts
        step = number - self.shape.bisected - (self.shape.parts > 1)
        return self.shape.steps[step] if step < len(self.shape.steps) else 1
