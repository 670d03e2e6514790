"""The staged family (Algorithm 1 and our improvements): narrow, cut into parts, hide among them.

1. *narrow*: k-way steps (halvings when k = 2) to one of ∏k blocks;
2. *cut*: all inner boundaries of C near-equal parts of the block;
3. keep a cyclic window of L_p neighbouring parts that contains the true one; a coin picks one of
   the L_p such windows;
4. *hide*: k-way steps at the same relative points in every kept part, following the true one;
   the last step, *finish*, ends in single cells.

Bisection, the grid, replicated bisection and the paper's strategy are members. Sizes need not
divide evenly: cuts fall at ⌊j·size/k⌋, so the same code finds whole numbers. (An offset past the
end of a shorter part becomes that end, whose answer is known.)

Guarantee: proofs/hiding.md. With equal parts no narrower than δ the best eavesdropper wins with
probability exactly min(a, δ)/(a·L_p). Here a is the length of a piece before the last step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from feint.interfaces import Answers, Estimate, Points, Round, Sides, Weights
from feint.problem import Problem
from feint.strategies.cuts import Int, Piece, alike, cut, longest, part
from feint.strategies.kept import keep


class StagedState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        block: The start and size of the interval that the narrowing steps have reached.
        part: The number of the true part within the block, after the cut.
        window: The start of every kept part, and the column of the true one; None before the coin.
        piece: The remaining piece of every kept part: its start within the part, and its size.
    """

    round: int
    block: Piece
    part: Int
    window: tuple[Int, Int] | None
    piece: Piece


@dataclass(frozen=True, kw_only=True)
class StagedShape:
    """The integers that select a member of the staged family.

    Attributes:
        narrow: The k of every narrowing step.
        parts: C, the number of parts that the block is cut into.
        kept: L_p, the number of parts that are searched.
        hide: The k of every step in the kept parts; the last one is the grid that finishes.
    """

    narrow: tuple[int, ...] = ()
    parts: int = 1
    kept: int = 1
    hide: tuple[int, ...]

    @property
    def queries(self) -> int:
        """The number of queries, Σ(k−1) + (C−1) + L_p·Σ(k−1)."""
        narrow = sum(self.narrow) - len(self.narrow)
        return narrow + self.parts - 1 + self.kept * (sum(self.hide) - len(self.hide))

    @property
    def rounds(self) -> int:
        """One round per step, and one for the cut if there is more than one part."""
        return len(self.narrow) + (self.parts > 1) + len(self.hide)

    @property
    def size(self) -> int:
        """The smallest lattice on which every step divides evenly."""
        return math.prod(self.narrow) * self.parts * math.prod(self.hide)

    def success(self, delta: Fraction) -> Fraction:
        """Return min(a, δ)/(a·L_p): her success on the even lattice if every part is δ or wider."""
        piece = Fraction(self.hide[-1], self.size)
        return min(piece, delta) / (piece * self.kept)


@dataclass(frozen=True)
class Staged:
    """A member of the staged family.

    Attributes:
        problem: The problem that it is meant to solve; only the shape decides what it does.
        size: The number of cells of the lattice.
        shape: The member of the family.
    """

    problem: Problem
    size: int
    shape: StagedShape

    asks_all = True

    @property
    def cells(self) -> tuple[int, ...]:
        """One coordinate of `size` cells."""
        return (self.size,)

    @property
    def queries(self) -> int:
        """The number of questions of every run."""
        return self.shape.queries

    @property
    def has_coins(self) -> bool:
        """Whether there is more than one window of kept parts."""
        return self.shape.kept not in (1, self.shape.parts)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """The rounds: narrow, cut (if there is more than one part), hide, finish."""
        widths = [("narrow", k - 1) for k in self.shape.narrow]
        widths += [("cut", self.shape.parts - 1)] if self.shape.parts > 1 else []
        hidden = "hide" if self.shape.kept > 1 else "narrow"
        widths += [(hidden, self.shape.kept * (k - 1)) for k in self.shape.hide[:-1]]
        widths += [("finish", self.shape.kept * (self.shape.hide[-1] - 1))]
        return tuple(Round(phase, (0,) * width) for phase, width in widths)

    def start(self, runs: int) -> StagedState:
        """Return the state before the first round, in which the block is the whole range."""
        zero = np.zeros(runs, np.int64)
        block = (zero, alike(self.size, runs))
        state = StagedState(0, block, zero, None, block)
        return self._opened(state) if not self.shape.narrow and self.shape.parts == 1 else state

    def coin(self, state: StagedState) -> Weights | None:
        """Return the coin of the window of kept parts: L_p sides, if not all parts are kept."""
        if (
            state.window is not None
            or self.shape.kept == self.shape.parts
            or state.round != self._first_hide
        ):
            return None
        return np.broadcast_to(np.int64(1), (len(state.part), self.shape.kept))

    def toss(self, state: StagedState, side: Sides) -> StagedState:
        """Return the state after the toss: the true part is at place `side` of the window."""
        return self._kept(state, (state.part - side) % self.shape.parts)

    def ask(self, state: StagedState) -> Points:
        """Return the queries of the round: inner cuts of the block, or of every kept part."""
        points = np.empty((len(self.rounds[state.round].coordinates), len(state.part)), np.int64).T
        self.write(state, points)
        return points

    def write(self, state: StagedState, points: Points) -> None:
        """Write the queries of the round, as `ask` returns them, over `points`.

        The inner loops run over the runs, which are many, not over the parts, which are few. It is
        fastest if each column of `points` is contiguous.
        """
        if state.round < self._first_hide:
            _cuts(state.block, (*self.shape.narrow, self.shape.parts)[state.round], points.T)
            return
        if state.window is None:
            raise RuntimeError("the coin of this round was not tossed")
        k, starts = self.shape.hide[state.round - self._first_hide], state.window[0].T
        cuts = np.empty((k - 1, len(points)), np.int64)
        _cuts(state.piece, k, cuts)
        np.add(starts[:, None], cuts, out=points.T.reshape(self.shape.kept, k - 1, -1))

    def tell(self, state: StagedState, answers: Answers) -> StagedState:
        """Return the state after the answers: X* lies past as many cuts as were answered yes."""
        if state.round < len(self.shape.narrow):
            block = part(state.block, self.shape.narrow[state.round], answers.sum(1))
            state = state._replace(round=state.round + 1, block=block)
            whole = state.round == self._first_hide
            return self._opened(state) if whole else state
        if state.round < self._first_hide:
            known = state._replace(round=state.round + 1, part=answers.sum(1))
            return self._opened(known)
        if state.window is None:
            raise RuntimeError("the coin of this round was not tossed")
        k = self.shape.hide[state.round - self._first_hide]
        side = _yes(answers, state.window[1], k - 1)
        return state._replace(round=state.round + 1, piece=part(state.piece, k, side))

    def estimate(self, state: StagedState) -> Estimate:
        """Return the estimates: the remaining piece of the true part."""
        start, size = part(state.block, self.shape.parts, state.part)
        offset, left = state.piece
        low, end = start + offset, start + size
        high = np.minimum(low + left, end)
        return Estimate.between(low[:, None], high[:, None])

    @cached_property
    def _first_hide(self) -> int:
        return len(self.shape.narrow) + (self.shape.parts > 1)

    def _opened(self, state: StagedState) -> StagedState:
        """Return the state after the cut: every part is searched as far as the longest reaches."""
        zero = np.zeros(len(state.part), np.int64)
        state = state._replace(piece=(zero, longest(state.block[1], self.shape.parts)))
        return self._kept(state, zero) if self.shape.kept == self.shape.parts else state

    def _kept(self, state: StagedState, first: Int) -> StagedState:
        """Return the state in which a window of parts is searched."""
        window = keep(state.block, self.shape.parts, self.shape.kept, state.part, first)
        return state._replace(window=window)


def _cuts(piece: Piece, k: int, out: Int) -> None:
    """Return the k−1 inner cut points, one column per piece."""
    start, size = piece
    np.add(start, cut(size, k, np.arange(1, k)[:, None]), out=out)


def _yes(answers: Answers, number: Int, width: int) -> Int:
    """Return the number of yes answers in the true part's columns, `width` of them per row."""
    if answers.shape[1] == width:  # one part, or no question
        whole: Int = answers.sum(1)
        return whole
    runs = len(answers)
    place = number * (width * runs) + np.arange(runs)
    if width == 1:
        return np.take(answers.T, place).astype(np.int64)
    yes: Int = np.take(answers.T, place + np.arange(0, width * runs, runs)[:, None]).sum(0)
    return yes
