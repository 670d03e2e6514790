"""Search blocks of different sizes, each hidden in its own way (our variant of the staged family).

The block that narrowing reaches is public. So each block may have its own parts, kept parts and
steps, and only the average over blocks of the eavesdropper's success must be small:
proofs/hiding.md. Each block is searched by its own `Staged`, `Tailed` or `Loose`. All transcripts
have one shape: batches of questions follow each other on the same slots, a round begins when a
batch of any block begins, and a block asks its left end on slots that it does not need, which is
predictable. A cell separated before or after a block may *act*: its run shows the search of a cell
a part's length away, and no window catches more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from feint.interfaces import Answers, Estimate, Points, Round, Sides, Strategy, Weights, take
from feint.problem import Problem
from feint.strategies.closed import Staged, StagedShape
from feint.strategies.cuts import Int
from feint.strategies.retired.loose import Loose, LooseShape
from feint.strategies.retired.tailed import Tailed, TailedShape


@dataclass(frozen=True, kw_only=True)
class Block:
    """One block and the way it is hidden.

    Attributes:
        start: The first cell of the block.
        size: The number of cells.
        path: The boundaries asked on the way to it, one per round.
        shape: The way it is hidden. A staged shape has no narrowing steps, since they are the path.
        acts: None, or (for a block of one cell) the cell in another block whose search is acted
            out from here on, so that both transcripts are the same.
    """

    start: int
    size: int
    path: tuple[int, ...]
    shape: StagedShape | TailedShape | LooseShape
    acts: int | None = None


class BlocksState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        block: The first block that may still contain X*; after narrowing, the block that does.
        inner: The state of each block's search.
        heard: Every answer so far, one column per slot.
    """

    round: int
    block: Int
    inner: tuple[Any, ...]
    heard: Answers


class _Batch(NamedTuple):
    """Questions that a block asks without waiting for answers."""

    first: int
    last: int
    phase: str


@dataclass(frozen=True)
class Blocks:
    """A public tree of halvings, at any place, to blocks that are each hidden in their own way.

    Attributes:
        problem: The problem that the strategy solves.
        size: The number of cells of the lattice.
        blocks: The blocks from left to right. Together they cover the lattice.
    """

    problem: Problem
    size: int
    blocks: tuple[Block, ...]

    asks_all = True

    @property
    def cells(self) -> tuple[int, ...]:
        """Return one coordinate of `size` cells."""
        return (self.size,)

    @property
    def has_coins(self) -> bool:
        """Return True if a block has coins."""
        return any(getattr(each, "has_coins", True) for each in self.searches)

    @cached_property
    def queries(self) -> int:
        """Return the number of queries of the longest block."""
        return max(batches[-1].last if batches else 0 for batches in self._batches)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Return the rounds; a round ends whenever a batch of any block ends."""
        found = []
        for first, last in self._slots:
            at = {each.phase for all_ in self._batches for each in all_ if _within(each, first)}
            phase = at.pop() if len(at) == 1 else "hide"
            found.append(Round(phase, (0,) * (last - first)))
        return tuple(found)

    def start(self, runs: int) -> BlocksState:
        """Return the state of each run before its first question."""
        zero = np.zeros(runs, np.int64)
        inner = tuple(each.start(runs) for each in self.searches)
        return BlocksState(0, zero, inner, np.empty((runs, 0), np.bool_))

    def coin(self, state: BlocksState) -> Weights | None:
        """Return the next block's coin; runs in other blocks have one possible side."""
        asking = self._tossing(state)
        if asking is None:
            return None
        number, weights = asking
        idle = np.arange(weights.shape[1]) == 0
        return np.where((self._acted[state.block] == number)[:, None], weights, idle)

    def toss(self, state: BlocksState, side: Sides) -> BlocksState:
        """Record the coin for its block, which then keeps its window."""
        asking = self._tossing(state)
        if asking is None:
            raise RuntimeError("no coin was asked for")
        number, inner = asking[0], list(state.inner)
        inner[number] = self.searches[number].toss(inner[number], side)
        return state._replace(inner=tuple(inner))

    def ask(self, state: BlocksState) -> Points:
        """Return each block's own questions in these slots, or the block's left end."""
        first, last = self._slots[state.round]
        points = np.empty((len(state.block), last - first), np.int64)
        for number, block in enumerate(self.blocks):
            rows = np.flatnonzero(self._acted[state.block] == number)
            if not len(rows):
                continue
            points[rows] = block.start
            if first < len(block.path):
                points[rows] = block.path[first]
                continue
            for batch in self._batches[number]:
                if _within(batch, first):
                    asked = self.searches[number].ask(take(state.inner[number], rows))
                    here = asked[:, first - batch.first : last - batch.first]
                    points[rows, : here.shape[1]] = block.start + here
        return points

    def tell(self, state: BlocksState, answers: Answers) -> BlocksState:
        """Narrow, and pass the answers to each block's search when its batch is complete."""
        first, last = self._slots[state.round]
        block, inner = state.block.copy(), list(state.inner)
        heard = np.concatenate((state.heard, self._played(state, answers)), axis=1)
        for number, (one, batches) in enumerate(zip(self.blocks, self._batches, strict=True)):
            if first < len(one.path):
                if one.path[first] > one.start:
                    higher = (state.block == number) & answers[:, 0]
                    block[higher] = self._starting[one.path[first]]
                continue
            for batch in batches:
                if first < batch.last <= last:
                    own = heard[:, batch.first : batch.last]
                    inner[number] = self.searches[number].tell(inner[number], own)
        return BlocksState(state.round + 1, block, tuple(inner), heard)

    def estimate(self, state: BlocksState) -> Estimate:
        """Return the estimate of the true block's search."""
        low = np.empty((len(state.block), 1), np.int64)
        high = np.empty_like(low)
        for number, block in enumerate(self.blocks):
            rows = np.flatnonzero(state.block == number)
            found = self.searches[number].estimate(take(state.inner[number], rows))
            low[rows], high[rows] = block.start + found.low, block.start + found.high
        return Estimate.between(low, high)

    def _played(self, state: BlocksState, answers: Answers) -> Answers:
        """Return the answers, with pretended ones for runs that only act."""
        first, _ = self._slots[state.round]
        shown, past = self._acting
        acting = (shown[state.block] >= 0) & (first >= past[state.block])
        if not acting.any():
            return answers
        pretended = shown[state.block][:, None] >= self.ask(state)
        return np.where(acting[:, None], pretended, answers)

    def _tossing(self, state: BlocksState) -> tuple[int, Weights] | None:
        """Return the first block that waits for a coin, and the coin."""
        if state.round < len(self._slots):
            for number, one in enumerate(self.searches):
                weights = one.coin(state.inner[number])
                if weights is not None:
                    return number, weights
        return None

    @cached_property
    def searches(self) -> tuple[Strategy, ...]:
        """Return the search of each block, which starts once the block is reached."""
        return tuple(_search(self.problem, each) for each in self.blocks)

    @cached_property
    def _starting(self) -> dict[int, int]:
        return {each.start: number for number, each in enumerate(self.blocks)}

    @cached_property
    def _acted(self) -> Int:
        """Return the block whose search a run in each block shows: its own, or the acted one."""
        starts = [each.start for each in self.blocks]
        shown = [each.start if each.acts is None else each.acts for each in self.blocks]
        return np.searchsorted(starts, shown, side="right") - 1

    @cached_property
    def _acting(self) -> tuple[Int, Int]:
        """Return for each block the cell it acts (-1 for none) and the slots on the way to it."""
        shown = [-1 if each.acts is None else each.acts for each in self.blocks]
        return np.array(shown), np.array([len(each.path) for each in self.blocks])

    @cached_property
    def _batches(self) -> tuple[tuple[_Batch, ...], ...]:
        """Return the slots and questions of each block; the way to it comes first."""
        found = []
        for block, inner in zip(self.blocks, self.searches, strict=True):
            own = [_Batch(slot, slot + 1, "narrow") for slot in range(len(block.path))]
            for phase, coordinates in inner.rounds:
                first = own[-1].last if own else 0
                if coordinates:
                    own.append(_Batch(first, first + len(coordinates), phase))
            found.append(tuple(own))
        return tuple(found)

    @cached_property
    def _slots(self) -> tuple[tuple[int, int], ...]:
        """Return the first slot of each round, and the slot after its last."""
        starts = sorted({each.first for own in self._batches for each in own})
        return tuple(zip(starts, [*starts[1:], self.queries], strict=True))


def _search(problem: Problem, block: Block) -> Strategy:
    """Return the search of a block, which starts once the block is reached."""
    if isinstance(block.shape, TailedShape):
        return Tailed(problem, block.size, block.shape)
    if isinstance(block.shape, LooseShape):
        return Loose(problem, block.size, block.shape)
    return Staged(problem, block.size, block.shape)


def _within(batch: _Batch, slot: int) -> bool:
    return batch.first <= slot < batch.last
