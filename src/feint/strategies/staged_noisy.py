"""The staged family under noise (the strategy of Theorem 5 and our improvements).

1. *narrow*: a noisy search on c₁ blocks for K₁ answers; the densest block is taken;
2. *cut*: every inner boundary of C near-equal parts of it, asked m times in one round; k̂ is the
   likeliest part, and a coin picks the first or the last if several are;
3. keep a cyclic window of L' neighbouring parts that contains k̂; a coin picks one of the L';
4. *hide*: a noisy search in part k̂ for K₂ answers, the same relative point asked in every kept
  part; only the answer in part k̂ is followed.

BZ search and probabilistic bisection (one block, one part) are members, and so is the paper's
strategy. The plan fixes the shape: K₁ rounds of one query, one of (C−1)m, K₂ of L'.

The estimate weighs *every* answer, also about decoys, by the true posterior, since it is not
overheard. It is the middle of the likeliest window of length ε (with a confidence) or the median
(on average). So no estimator does better, including that of the proof. A whole value stands for the
middle of its cell.

Guarantee: proofs/noisy.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import changes, densities, weigh
from feint.interfaces import Answers, Estimate, HidingStage, Points, Round, Rule, Sides, Weights
from feint.problem import Problem
from feint.strategies.cuts import Int, Piece, cut, longest, part
from feint.strategies.kept import keep
from feint.strategies.pursuit import Pursuit, PursuitState
from feint.strategies.stages import best_estimate, inner, known_p, likeliest


class StagedNoisyState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        coarse: The search among blocks.
        block: The start and size of the block that it found.
        last: 1 if the last of equally likely parts is taken, 0 if the first; None before the coin.
        yes: [runs, parts − 1] the number of yes answers to each inner boundary.
        part: k̂, the number of the likeliest part.
        window: The start of every kept part, and the column of k̂; None before the coin.
        fine: The search within the part.
        heard: For each round of hiding, [runs] the relative point asked in the kept parts, and
            [runs, kept] the answers to it.
    """

    round: int
    coarse: PursuitState
    block: Piece
    last: Int | None
    yes: Int
    part: Int
    window: tuple[Int, Int] | None
    fine: PursuitState
    heard: tuple[tuple[Int, Answers], ...]


@dataclass(frozen=True, kw_only=True)
class NoisyShape:
    """The integers and rules that select a member of the staged family under noise.

    Attributes:
        blocks: c₁, the number of blocks that the first search chooses among.
        narrow: K₁, the number of answers of the first search.
        parts: C, the number of parts that the block is cut into.
        repeats: m, the number of questions about each inner boundary.
        kept: L', the number of parts that are searched.
        hide: K₂, the number of answers of the search in the part.
        rules: The rule of the search among blocks and that of the search in a part.
    """

    blocks: int = 1
    narrow: int = 0
    parts: int = 1
    repeats: int = 0
    kept: int = 1
    hide: int
    rules: tuple[Rule, Rule] = ("tilted", "tilted")

    @property
    def queries(self) -> int:
        """The number of queries, K₁ + (C − 1)m + L'K₂."""
        return self.narrow + (self.parts - 1) * self.repeats + self.kept * self.hide

    @property
    def rounds(self) -> int:
        """One round per narrowing query, one for the cut, one per hidden query."""
        return self.narrow + (self.parts > 1) + self.hide


@dataclass(frozen=True)
class StagedNoisy:
    """A member of the staged family under noise.

    Attributes:
        problem: The problem that it is meant to solve; it must have a p.
        size: The number of cells of the lattice.
        shape: The member of the family.
    """

    problem: Problem
    size: int
    shape: NoisyShape

    asks_all = True

    @property
    def cells(self) -> tuple[int, ...]:
        """One coordinate of `size` cells."""
        return (self.size,)

    @property
    def hiding_stage(self) -> HidingStage:
        """Return the number of questions of hiding."""
        return HidingStage(self.shape.kept * self.shape.hide, self.shape.kept)

    @property
    def p(self) -> Fraction:
        """The probability that an answer is right.

        Raises:
            InvalidValue: The problem has no p.
        """
        return known_p(self.problem)

    @cached_property
    def searches(self) -> tuple[Pursuit, Pursuit]:
        """The search among blocks and the search in a part."""
        return Pursuit(self.p, self.shape.rules[0]), Pursuit(self.p, self.shape.rules[1])

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """The rounds: narrow, cut (if there is more than one part), hide."""
        narrow = Round("narrow", (0,))
        cut = Round("cut", (0,) * ((self.shape.parts - 1) * self.shape.repeats))
        hide = Round("hide" if self.shape.kept > 1 else "narrow", (0,) * self.shape.kept)
        return (
            (narrow,) * self.shape.narrow
            + (cut,) * (self.shape.parts > 1)
            + (hide,) * self.shape.hide
        )

    def start(self, runs: int) -> StagedNoisyState:
        """Return the state before the first round."""
        zero = np.zeros(runs, np.int64)
        coarse, fine = self.searches
        state = StagedNoisyState(
            0,
            coarse.start(np.full(runs, self.shape.blocks, np.int64)),
            (zero, np.full(runs, self.size, np.int64)),
            None,
            np.zeros((runs, self.shape.parts - 1), np.int64),
            zero,
            None,
            fine.start(np.full(runs, self.size, np.int64)),
            (),
        )
        return state if self.shape.narrow else self._narrowed(state)

    def coin(self, state: StagedNoisyState) -> Weights | None:
        """Return the coin for an end of the median's cell, a tie in the cut, or the window."""
        if state.round == len(self.rounds):
            return None
        if self.shape.narrow <= state.round < self._first_hide:
            fair = np.broadcast_to(np.int64(1), (len(state.part), 2))
            return fair if state.last is None else None
        if state.round >= self._first_hide and state.window is None:
            return np.broadcast_to(np.int64(1), (len(state.part), self.shape.kept))
        search = self._search(state)
        if search is None or search.side is not None:
            return None
        return np.stack((search.left, 1 - search.left), axis=1)

    def toss(self, state: StagedNoisyState, side: Sides) -> StagedNoisyState:
        """Return the state after the toss for an end, for a tie in the cut, or for k̂'s place."""
        if state.round < self.shape.narrow:
            return state._replace(coarse=self.searches[0].toss(state.coarse, side))
        if state.round < self._first_hide:
            return state._replace(last=np.asarray(side, np.int64))
        if state.window is None:
            return self._kept(state, (state.part - side) % self.shape.parts)
        return state._replace(fine=self.searches[1].toss(state.fine, side))

    def ask(self, state: StagedNoisyState) -> Points:
        """Return the queries: a block's end, the inner boundaries, or one point per kept part."""
        coarse, fine = self.searches
        if state.round < self.shape.narrow:
            return cut(self.size, self.shape.blocks, coarse.ask(state.coarse))[:, None]
        if state.round < self._first_hide:
            return np.repeat(inner(state.block, self.shape.parts), self.shape.repeats, axis=1)
        if state.window is None:
            raise RuntimeError("the coin of this round was not tossed")
        return state.window[0] + fine.ask(state.fine)[:, None]

    def tell(self, state: StagedNoisyState, answers: Answers) -> StagedNoisyState:
        """Return the state after the answers; hiding follows only those in part k̂."""
        coarse, fine = self.searches
        if state.round < self.shape.narrow:
            state = state._replace(
                round=state.round + 1, coarse=coarse.tell(state.coarse, answers[:, 0])
            )
            return state if state.round < self.shape.narrow else self._narrowed(state)
        if state.round < self._first_hide:
            yes = answers.reshape(len(answers), self.shape.parts - 1, self.shape.repeats).sum(
                axis=2
            )
            if state.last is None:
                raise RuntimeError("the coin of this round was not tossed")
            found = likeliest(yes, self.shape.repeats, state.last)
            return self._cut(state._replace(round=state.round + 1, yes=yes, part=found))
        if state.window is None:
            raise RuntimeError("the coin of this round was not tossed")
        own = (
            answers[:, 0]
            if self.shape.kept == 1
            else answers[np.arange(len(answers)), state.window[1]]
        )
        heard = () if self._alone else (*state.heard, (fine.ask(state.fine), answers))
        return state._replace(round=state.round + 1, fine=fine.tell(state.fine, own), heard=heard)

    def followed_columns(self, state: StagedNoisyState) -> Int:
        """Return [runs, width] the copy in part k̂ of each question of hiding, −1 for others."""
        found = np.full((len(state.part), len(self.rounds[state.round].coordinates)), -1)
        if state.round >= self._first_hide:
            found[:] = 0 if state.window is None else state.window[1][:, None]
        return found

    def estimate(self, state: StagedNoisyState) -> Estimate:
        """Return the best estimate given every answer, and an interval as sure as was asked."""
        return best_estimate(self.problem, self.size, *self.belief(state))

    def belief(self, state: StagedNoisyState) -> tuple[Int, NDArray[np.float64]]:
        """Return the true posterior of X* given every answer so far: edges and densities."""
        odds = float(self.p / (1 - self.p))
        if self._alone:
            return densities(state.fine.belief, odds)
        edges, told = changes(state.coarse.belief)
        points, steps = [cut(self.size, self.shape.blocks, edges)], [told.astype(np.int64)]
        if self.shape.parts > 1 and state.round > self.shape.narrow:
            points += [inner(state.block, self.shape.parts)]
            steps += [2 * state.yes - self.shape.repeats]
        if state.window is not None:
            points += [state.window[0] + offset[:, None] for offset, _ in state.heard]
            steps += [2 * answers.astype(np.int64) - 1 for _, answers in state.heard]
        return weigh(np.concatenate(points, 1), np.concatenate(steps, 1), self.size, odds)

    @cached_property
    def _first_hide(self) -> int:
        return self.shape.narrow + (self.shape.parts > 1)

    @cached_property
    def _alone(self) -> bool:
        """Whether there is only one search, so that its belief holds every answer."""
        return self.shape.blocks == self.shape.parts == 1

    def _search(self, state: StagedNoisyState) -> PursuitState | None:
        """Return the search that asks in this round."""
        if state.round < self.shape.narrow:
            return state.coarse
        return state.fine if state.round >= self._first_hide else None

    def _narrowed(self, state: StagedNoisyState) -> StagedNoisyState:
        """Return the state after narrowing, with the chosen block."""
        whole = (np.zeros_like(state.part), np.full_like(state.part, self.size))
        chosen = self.searches[0].found(state.coarse)
        state = state._replace(block=part(whole, self.shape.blocks, chosen))
        return state if self.shape.parts > 1 else self._cut(state)

    def _cut(self, state: StagedNoisyState) -> StagedNoisyState:
        """Return the state after the cut: every part is searched as far as the longest reaches."""
        reach = longest(state.block[1], self.shape.parts)
        state = state._replace(fine=self.searches[1].start(reach))
        whole = self.shape.kept == self.shape.parts
        return self._kept(state, np.zeros_like(state.part)) if whole else state

    def _kept(self, state: StagedNoisyState, first: Int) -> StagedNoisyState:
        """Return the state in which a window of parts is searched."""
        return state._replace(
            window=keep(state.block, self.shape.parts, self.shape.kept, state.part, first)
        )
