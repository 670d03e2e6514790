"""Hide whole numbers in parts of one width and a shorter tail (ours), so that any number fits.

A block of n cells is cut into C = ⌊n/w⌋ parts of exactly w cells. The tail is the rest, which is
shorter than a part.

1. *cut*: at each level every kept group of neighbouring parts is split into k groups, near-equal
   in parts. Of all these groups a cyclic window of a groups is kept that contains the true one. In
   the end the T parts of the kept groups are separated, with the tail if it is among them, and L
   parts are kept. If X* lies in the tail, the run acts a part drawn at random from the T.
2. *hide*: halve the offsets 0 … w−1, the same in all kept parts, until pieces are as short as the
   accuracy requires. An offset that the tail also has lies in one more part. So the tail joins once
   only such offsets are left: a coin that makes all L equally likely lets it replace one of the
   kept parts, or drops it. Before that a question about the tail is asked only if a halving divides
   it, which takes one more question.

Guarantee: proofs/hiding.md. With w ≥ D the best eavesdropper wins with probability at most 1/L.
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
from feint.strategies.cuts import Int, Piece, cut
from feint.strategies.tails import Located, divided, halved, located

Bool = NDArray[np.bool_]


class TailedState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        tossed: The number of its coins that were tossed.
        groups: The start and size, in parts, of every kept group. Entries past `among` are unused.
        among: The number of groups.
        at: The index of the true group, or of the acted one.
        told: T, the number of separated parts; 0 before that.
        ended: True if the tail was separated with them.
        tail: True if X* lies in the tail. The run then acts a part.
        piece: The start within its part, and the size, of the remaining piece of every kept part.
        dropped: The kept part that the tail replaced; `kept` if the tail was dropped; -1 before
            that coin.
    """

    round: int
    tossed: int
    groups: Piece
    among: Int
    at: Int
    told: Int
    ended: Bool
    tail: Bool
    piece: Piece
    dropped: Int


@dataclass(frozen=True, kw_only=True)
class TailedShape:
    """The shape of a block hidden in parts of one width.

    Attributes:
        width: w, the number of cells of a part.
        levels: k and a for each level above single parts: the number of groups into which every
            kept one is split, and the number of groups that are kept.
        kept: L, the number of parts that are kept in the end.
        accuracy: The maximum number of cells of the last piece.
    """

    width: int
    levels: tuple[tuple[int, int], ...] = ()
    kept: int
    accuracy: int = 1


@dataclass(frozen=True)
class Tailed:
    """A search of a block in parts of one width and a tail.

    Attributes:
        problem: The problem that the strategy solves. Only the shape decides the questions.
        size: The number of cells of the lattice.
        shape: The way the parts are hidden.
    """

    problem: Problem
    size: int
    shape: TailedShape

    asks_all = True

    @property
    def cells(self) -> tuple[int, ...]:
        """Return one coordinate of `size` cells."""
        return (self.size,)

    @property
    def has_coins(self) -> bool:
        """Return True if a coin ever decides; if not, the questions depend only on X*."""
        return any(sides > 1 for due in self._coins for _, sides in due)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Return the rounds: narrow while one group is kept, else cut; then hide."""
        kept = [*(each for _, each in self.shape.levels), self.shape.kept]
        names = ["narrow" if each == 1 else "cut" for each in kept] + ["hide"] * len(self._more)
        if self._more:
            names[-1] = "finish"
        asked = (*self.located.asked, *(self.shape.kept + more for more in self._more))
        return tuple(Round(name, (0,) * many) for name, many in zip(names, asked, strict=True))

    def start(self, runs: int) -> TailedState:
        """Return the state with nothing known: one group of all parts."""
        zero, one = np.zeros(runs, np.int64), np.ones(runs, np.int64)
        groups = np.zeros((runs, 1), np.int64), np.full((runs, 1), self._parts)
        no, piece = np.zeros(runs, np.bool_), (zero, np.full(runs, self.shape.width))
        return TailedState(0, 0, groups, one, zero, zero, no, no, piece, zero - 1)

    def coin(self, state: TailedState) -> Weights | None:
        """Return the coin for the part the tail acts, the kept window, or the part it replaces."""
        due = self._coins[state.round]
        if state.tossed == len(due):
            return None
        kind, sides = due[state.tossed]
        side = np.arange(sides)
        if kind == "window":
            return np.where(state.among[:, None] > sides, 1, side == 0)
        if kind == "act":
            return np.where(state.tail[:, None], side < state.told[:, None], side == 0) * 1
        kept = self.shape.kept
        spare = (state.told - kept + 1)[:, None]
        other = np.where(side == kept, spare, side != state.at[:, None])
        drawn = np.where(state.tail[:, None], side < kept, other)
        return np.where(self._joins(state)[:, None], drawn, side == kept)

    def toss(self, state: TailedState, side: Sides) -> TailedState:
        """Apply this side of the round's next coin, by the purpose of the coin."""
        kind, sides = self._coins[state.round][state.tossed]
        state = state._replace(tossed=state.tossed + 1)
        if kind == "act":
            return state._replace(at=np.where(state.tail, side, state.at))
        if kind == "drop":
            return state._replace(dropped=np.where(self._joins(state), side, state.dropped))
        spare = state.among > sides
        first = np.where(spare, (state.at - side) % state.among, 0)
        wrapped = np.where(spare, np.maximum(0, first + sides - state.among), 0)
        jump, column = first - wrapped, np.arange(sides)
        index = column + np.where(column >= wrapped[:, None], jump[:, None], 0)
        starts, sizes = (np.take_along_axis(each, index, axis=1) for each in state.groups)
        at = np.where(state.at < wrapped, state.at, state.at - jump)
        return state._replace(groups=(starts, sizes), among=np.full(len(at), sides), at=at)

    def ask(self, state: TailedState) -> Points:
        """Return inner ends of groups, or the cut in every kept part, else the left end."""
        wide = len(self.rounds[state.round].coordinates)
        points = np.zeros((len(state.at), wide), np.int64)
        if state.round <= len(self.shape.levels):
            inner, asked = self._inner(state)
            points[:] = np.where(asked, inner * self.shape.width, 0)
            return points
        (offset, size), kept = state.piece, self.shape.kept
        at, divides = self._cut(state)
        column, replaced = np.arange(kept), self._replaced(state)
        skipped = np.where(replaced, state.dropped, kept)[:, None]
        index = np.minimum(column + (column >= skipped), kept - 1)
        starts = np.take_along_axis(state.groups[0], index, axis=1)
        starts[replaced, -1] = self._parts
        points[:, :kept] = starts * self.shape.width + (offset + at)[:, None]
        if wide > kept:
            end = self._parts * self.shape.width
            points[:, kept] = np.where(divides, end + offset + at, 0)
        points[size == 1] = 0
        return points

    def tell(self, state: TailedState, answers: Answers) -> TailedState:
        """Follow the true answers, with known ones for a run in the tail."""
        if state.round < len(self.shape.levels):
            return self._split_up(state, answers)
        if state.round == len(self.shape.levels):
            return self._told_apart(state, answers)
        (offset, size), kept = state.piece, self.shape.kept
        at, divides = self._cut(state)
        replaced = self._replaced(state)
        column = state.at - (replaced & (state.dropped < state.at))
        column = np.where(state.tail, np.where(replaced, kept - 1, kept), column)
        column = np.minimum(column, answers.shape[1] - 1)
        heard = np.take_along_axis(answers, column[:, None], axis=1)[:, 0]
        yes = heard & (size > 1) & (~state.tail | replaced | divides)
        piece = np.where(yes, offset + at, offset), np.where(yes, size - at, np.maximum(at, 1))
        return state._replace(round=state.round + 1, tossed=0, piece=piece)

    def estimate(self, state: TailedState) -> Estimate:
        """Return the remaining cells of the true part, or of the tail."""
        (offset, left), width = state.piece, self.shape.width
        part = np.where(state.tail, self._parts, self._own(state)[0][:, 0])
        low = part * width + offset
        return Estimate.between(low[:, None], np.minimum(low + left, self.size)[:, None])

    def _split_up(self, state: TailedState, answers: Answers) -> TailedState:
        """Split every kept group, and record which of the new groups is the true one."""
        (starts, sizes), split = state.groups, self.shape.levels[state.round][0]
        begin = _ends(sizes, split, np.arange(split))
        end = _ends(sizes, split, np.arange(1, split + 1))
        many = len(starts), starts.shape[1] * split
        groups = (starts[..., None] + begin).reshape(many), (end - begin).reshape(many)
        return state._replace(
            round=state.round + 1,
            tossed=0,
            groups=groups,
            among=np.full(many[0], many[1]),
            at=state.at * split + self._passed(state, answers),
        )

    def _told_apart(self, state: TailedState, answers: Answers) -> TailedState:
        """Separate single parts, and the tail if it is next to one of them."""
        starts, sizes = state.groups
        past, ended = np.cumsum(sizes, axis=1), self._ends(state)
        index = np.arange(self.located.most)
        number = np.minimum((index >= past[:, :, None]).sum(1), starts.shape[1] - 1)
        before = np.take_along_axis(past - sizes, number, axis=1)
        groups = np.take_along_axis(starts, number, axis=1) + index - before
        inner, _ = self._inner(state)
        tail = (answers & (inner == self._parts) & ended[:, None]).any(axis=1)
        first = np.take_along_axis(past - sizes, state.at[:, None], axis=1)[:, 0]
        passed = self._passed(state, answers)
        return state._replace(
            round=state.round + 1,
            tossed=0,
            groups=(groups, np.ones_like(groups)),
            among=past[:, -1],
            at=np.where(tail, 0, first + passed),
            told=past[:, -1],
            ended=ended,
            tail=tail,
        )

    def _passed(self, state: TailedState, answers: Answers) -> Int:
        """Return the number of ends inside the true group with the answer yes."""
        inner, asked = self._inner(state)
        start, size = self._own(state)
        passed: Int = (answers & asked & (inner > start) & (inner < start + size)).sum(1)
        return passed

    def _inner(self, state: TailedState) -> tuple[Int, Bool]:
        """Return the ends, in parts, at which kept groups are split, and whether each exists."""
        starts, sizes = state.groups
        if state.round < len(self.shape.levels):
            split = self.shape.levels[state.round][0]
            ends = starts[..., None] + _ends(sizes, split, np.arange(1, split))
            inner = ends.reshape(len(starts), -1)
            return inner, np.ones(inner.shape, np.bool_)
        index = np.arange(self.located.asked[-1])
        inside = sizes - 1
        inside[:, -1] += self._ends(state)  # add the end of the last part, where the tail begins
        past = np.cumsum(inside, axis=1)
        number = np.minimum((index >= past[:, :, None]).sum(1), starts.shape[1] - 1)
        before = np.take_along_axis(past - inside, number, axis=1)
        inner = np.take_along_axis(starts, number, axis=1) + 1 + index - before
        return inner, index < past[:, -1:]

    def _own(self, state: TailedState) -> tuple[Int, Int]:
        """Return the start and size of the true, or acted, group."""
        starts, sizes = (
            np.take_along_axis(each, state.at[:, None], axis=1) for each in state.groups
        )
        return starts, sizes

    def _ends(self, state: TailedState) -> Bool:
        """Return True if there is a tail and the part before it is in a kept group."""
        starts, sizes = state.groups
        ends: Bool = (starts[:, -1] + sizes[:, -1] == self._parts) & (self._tail > 0)
        return ends

    def _cut(self, state: TailedState) -> tuple[Int, Bool]:
        """Return the cut of the piece, and whether it divides a tail that has not joined yet."""
        offset, size = state.piece
        rest = np.where(state.ended, self._tail - offset, 0)
        at = halved(size, rest, self.shape.accuracy << (len(self.rounds) - state.round))
        return at, (rest < size) & (at < rest)

    def _joins(self, state: TailedState) -> Bool:
        """Return True if the tail has every remaining offset and is not yet dropped or kept."""
        offset, size = state.piece
        return state.ended & (state.dropped < 0) & (offset + size <= self._tail) & (size > 1)

    def _replaced(self, state: TailedState) -> Bool:
        """Return True if the tail replaced a kept part."""
        return (state.dropped >= 0) & (state.dropped < self.shape.kept)

    @cached_property
    def _parts(self) -> int:
        return self.size // self.shape.width

    @cached_property
    def _tail(self) -> int:
        return self.size % self.shape.width

    @cached_property
    def _more(self) -> tuple[int, ...]:
        shape, tail = self.shape, np.array([self._tail])
        return tuple(divided(shape.width, tail, accuracy=shape.accuracy)[0].tolist())

    @cached_property
    def located(self) -> Located:
        """Return the rounds that find a part.

        Raises:
            RuntimeError: A group has too few parts, or there are too many ways.
        """
        found = located(self._parts, self.shape.levels, tailed=self._tail > 0)
        if found is None or found.least < self.shape.kept:
            raise RuntimeError("a group has too few parts to be split or kept")
        return found

    @cached_property
    def _coins(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """Return the coins before each round: what they decide, and their number of sides."""
        found, groups = list[tuple[tuple[str, int], ...]]([()]), 1
        for split, kept in self.shape.levels:
            found.append((("window", kept),) if kept < groups * split else ())
            groups = kept
        kept, most = self.shape.kept, self.located.most
        act = [("act", most)] if self._tail else []
        window = [("window", kept)] if kept < most and self._more else []
        drop = (("drop", kept + 1),) if self._tail else ()
        found += [(*act, *window), *[drop] * (len(self._more) - 1)]
        return (*found, ()) if self._more else tuple(found)


def _ends(sizes: Int, split: int, number: Int) -> Int:
    """Return ⌈number·size/split⌉ for every group, the starts of the new groups of these numbers."""
    return sizes[..., None] - cut(sizes[..., None], split, split - number)
