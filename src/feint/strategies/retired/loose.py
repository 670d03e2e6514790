"""Parts of one width and a loose tail (ours): a tail of any length that takes no question more.

A block of n cells is C = ⌊n/w⌋ parts of exactly w cells and a tail of r < w. In `Tailed` the tail
must have the offsets that the kept parts have. Here it is searched by itself: places that are D
cells apart need not agree in their offsets, since no D neighbouring cells meet two of them. A
*play* names the part ends that are asked and the L places that are then kept. In one play

- *all*: the kept places are parts, and all show the same offset;
- *apart*: the tail is kept and the part before it, the *last* one, is not. The tail shows an offset
  of its own, independent of that of the parts;
- *low*: both are kept, and no part before the last. The last part shows an offset below h, the
  first half, the tail the same offset or one of h or more, the others one of their own;
- *high*: the last part is kept without the tail. It shows an offset of h or more: that of the other
  parts, or where theirs is below h, any.

A place that X* is not in shows offsets drawn by coins. Which play it is, X*'s place decides by a
coin; if X* lies in the last part, after the cut at h, which is asked first.

Every place of a play has the same mass, so the best eavesdropper wins
with probability at most 1/L.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import Answers, Estimate, Points, Round, Sides, Weights
from feint.problem import Problem
from feint.strategies.cuts import Int
from feint.strategies.tails import halvings

Bool = NDArray[np.bool_]
Kind = Literal["all", "apart", "low", "high"]

_PARTS, _LAST, _TAIL = range(3)  # what shows an offset of its own: most parts, the last, the tail
_ENDS, _PLAY = -2, -1  # coins that decide something else than one of these


@dataclass(frozen=True, kw_only=True)
class Play:
    """What may be shown.

    Attributes:
        asked: The part ends that are asked, round by round: end j is where part j begins.
        places: The places kept, in order; C is the tail.
        mass: How much of X* every place brings to it, in any unit that all plays share.
        high: Whether the last part shows offsets of h or more only.
    """

    asked: tuple[tuple[int, ...], ...]
    places: tuple[int, ...]
    mass: int
    high: bool = False

    def kind(self, parts: int) -> Kind:
        """What the offsets have to do with each other, among C parts and a tail."""
        if parts in self.places:
            return "low" if parts - 1 in self.places else "apart"
        return "high" if self.high else "all"


@dataclass(frozen=True, kw_only=True)
class LooseShape:
    """What says how a block is hidden in parts of one width and a loose tail.

    Attributes:
        width: w, the cells of a part.
        plays: The plays; the same number of questions in the same rounds each.
    """

    width: int
    plays: tuple[Play, ...]

    @property
    def kept(self) -> int:
        """L, how many places are kept."""
        return len(self.plays[0].places)


class LooseState(NamedTuple):
    """Where each run stands.

    Attributes:
        round: The round about to be asked.
        tossed: How many of its coins have fallen.
        node: Which ends have been asked.
        low: The first place that X* may be in.
        high: The place past the last.
        play: The play; −1 before it is chosen.
        early: Whether the question of the first hiding round, where it has one, was answered yes.
        start: [runs, 3] first offset of the piece that parts, last part and tail show.
        size: [runs, 3] how many offsets it has.
        open: [runs, 3] whether a coin is still to say in which half the piece shown goes on.
    """

    round: int
    tossed: int
    node: Int
    low: Int
    high: Int
    play: Int
    early: Bool
    start: Int
    size: Int
    open: Bool


class _Tree(NamedTuple):
    """The ends that may be asked, as a tree.

    Attributes:
        asked: For each node the ends asked in the round that leads to it.
        after: [nodes, sides] the nodes that follow; 0 where there are fewer.
        weights: [nodes, places, sides] how often X* in a place goes there.
        plays: [nodes, plays] whether the node is where a play's ends have all been asked.
    """

    asked: tuple[tuple[int, ...], ...]
    after: Int
    weights: Int
    plays: Bool


@dataclass(frozen=True)
class Loose:
    """Parts of one width and a loose tail.

    Attributes:
        problem: What it is meant to solve; the shape, not this, decides what it does.
        size: Number of cells of the lattice.
        shape: How they are hidden.
    """

    problem: Problem
    size: int
    shape: LooseShape

    asks_all = True

    @property
    def cells(self) -> tuple[int, ...]:
        """One coordinate of `size` cells."""
        return (self.size,)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Cut, then hide; the cut at h in one kept place comes first where that matters."""
        kept, steps = self.shape.kept, halvings(self.shape.width, 1)
        hide = [1, kept - 1, *[kept] * (steps - 1)] if self._leads else [kept] * steps
        asked = [len(each) for each in self.shape.plays[0].asked] + hide
        names = ["cut"] * self._top + ["hide"] * (len(hide) - 1) + ["finish"]
        return tuple(Round(name, (0,) * many) for name, many in zip(names, asked, strict=True))

    def start(self, runs: int) -> LooseState:
        """The state of each run before its first question."""
        zero, no = np.zeros(runs, np.int64), np.zeros(runs, np.bool_)
        size = np.tile([self.shape.width, self.shape.width, self._tail], (runs, 1))
        return LooseState(
            round=0,
            tossed=0,
            node=zero,
            low=zero,
            high=zero + self._parts + 1,
            play=zero - 1,
            early=no,
            start=np.zeros((runs, 3), np.int64),
            size=size,
            open=np.zeros((runs, 3), np.bool_),
        )

    def coin(self, state: LooseState) -> Weights | None:
        """Which ends are asked, which play it is, in which half a piece that is shown goes on."""
        due = self._coins[state.round]
        if state.tossed == len(due):
            return None
        what = due[state.tossed]
        if what == _ENDS:
            return self._tree.weights[state.node, state.low]
        if what == _PLAY:
            chosen = (state.play >= 0) | self._waits(state)
            half = np.where(self._leads & state.early, 1, 0)
            weights = self._shares[state.low, half] * self._tree.plays[state.node]
            return np.where(chosen[:, None], np.arange(weights.shape[1]) == 0, weights)
        at = self._cut(state.size[:, what])
        sides = np.stack((at, state.size[:, what] - at), axis=1)
        sides //= np.maximum(1, np.gcd(sides[:, 0], sides[:, 1]))[:, None]
        return np.where(state.open[:, what, None], sides, np.array([1, 0]))

    def toss(self, state: LooseState, side: Sides) -> LooseState:
        """What this side of the round's next coin decides, by what it is for."""
        what = self._coins[state.round][state.tossed]
        state = state._replace(tossed=state.tossed + 1)
        if what == _ENDS:
            return state._replace(node=self._tree.after[state.node, side])
        if what == _PLAY:
            chosen = (state.play >= 0) | self._waits(state)
            return state._replace(play=np.where(chosen, state.play, side))
        one = np.full(len(side), what)
        other, tied = self._partner(state, one)
        rows = state.open[:, what]
        state = self._followed(state, one, rows, side == 1)
        return self._followed(state, other, rows & tied, side == 1)

    def ask(self, state: LooseState) -> Points:
        """Ends, or the cut of the piece that each kept place shows; else the left end."""
        width = self.shape.width
        if state.round < self._top:
            wide = len(self.rounds[state.round].coordinates)
            ends = np.array([(*each, *[0] * wide)[:wide] for each in self._tree.asked])
            return ends[state.node] * width
        place, shows = self._columns(state)
        start = np.take_along_axis(state.start, shows, axis=1)
        size = np.take_along_axis(state.size, shows, axis=1)
        points = np.where(size > 1, place * width + start + self._cut(size), 0)
        if not self._leads or state.round > self._top + 1:
            return points
        if state.round == self._top + 1:
            return points[:, 1:]
        first = np.where(self._waits(state), self._last * width + self._half, points[:, 0])
        return first[:, None]

    def tell(self, state: LooseState, answers: Answers) -> LooseState:
        """Follow the true answers; what other places show is left to coins."""
        asked = self.ask(state)
        now = state._replace(round=state.round + 1, tossed=0)
        if state.round < self._top:
            ends, past = asked // self.shape.width, self._parts + 1
            low = np.where(answers, ends, 0).max(axis=1)
            high = np.where(answers | (ends == 0), past, ends).min(axis=1)
            return now._replace(
                low=np.maximum(low, state.low).clip(max=self._parts),
                high=np.minimum(high, state.high),
            )
        if self._leads and state.round == self._top:
            return now._replace(early=answers[:, 0])
        leading = self._leads and state.round == self._top + 1
        heard = np.concatenate((state.early[:, None], answers), axis=1) if leading else answers
        mine = self._columns(state)[0] == state.low[:, None]
        yes, own = (heard & mine).any(axis=1), self._own(state)
        other, tied = self._partner(state, own)
        shown = self._uses[state.play] & (state.size > 1)
        if leading:  # the half that the last part shows is known from the play
            above = np.where(own == _LAST, yes, self._kinds[state.play] == "high")
            now = self._followed(now, np.full_like(own, _LAST), shown[:, _LAST], above)
            shown[:, _LAST] = False
        rows = np.take_along_axis(shown, own[:, None], axis=1)[:, 0]
        now = self._followed(now._replace(open=shown), own, rows, yes)
        return self._followed(now, other, rows & tied, yes)

    def estimate(self, state: LooseState) -> Estimate:
        """What is left of the true place."""
        own = self._own(state)[:, None]
        start = np.take_along_axis(state.start, own, axis=1)
        size = np.take_along_axis(state.size, own, axis=1)
        low = state.low[:, None] * self.shape.width + start
        return Estimate.between(low, low + size)

    def _followed(self, state: LooseState, one: Int, rows: Bool, above: Bool) -> LooseState:
        """In some runs the piece that one shows goes on in its upper half or its lower one."""
        start, size, left = state.start.copy(), state.size.copy(), state.open.copy()
        at = np.flatnonzero(rows), one[rows]
        cut, upper = self._cut(size[at]), above[rows]
        start[at] += np.where(upper, cut, 0)
        size[at] = np.where(upper, size[at] - cut, cut)
        left[at] = False
        return state._replace(start=start, size=size, open=left)

    def _partner(self, state: LooseState, one: Int) -> tuple[Int, Bool]:
        """What may show the same offset as one of the three does, and whether it does."""
        kind, runs = self._kinds[state.play], np.arange(len(one))
        other = np.where(kind == "low", np.array([0, 2, 1])[one], one)
        other = np.where(kind == "high", np.array([1, 0, 2])[one], other)
        same = state.start[runs, one] == state.start[runs, other]
        same &= state.size[runs, one] == state.size[runs, other]
        return other, same & (other != one) & (state.size[runs, one] <= self._half)

    def _cut(self, size: Int) -> Int:
        """How many offsets of a piece come before its cut."""
        return np.where(size > self._half, self._half, size // 2)

    def _waits(self, state: LooseState) -> Bool:
        """Whether X* lies in the last part and the cut at h is not yet asked."""
        waits: Bool = (state.low == self._last) & (self._leads and state.round <= self._top)
        return waits

    def _columns(self, state: LooseState) -> tuple[Int, Int]:
        """[runs, L] the kept places, the last part first where it leads, and what each shows."""
        place = self._order[state.play]
        kind = self._kinds[state.play][:, None]
        alone = (place == self._last) & ((kind == "low") | (kind == "high"))
        return place, np.where(place == self._parts, _TAIL, np.where(alone, _LAST, _PARTS))

    def _own(self, state: LooseState) -> Int:
        """Which of the three X*'s place is, once there is a play."""
        place, shows = self._columns(state)
        own: Int = np.where(place == state.low[:, None], shows, _PARTS).max(axis=1)
        return own

    @cached_property
    def _parts(self) -> int:
        return self.size // self.shape.width

    @property
    def _last(self) -> int:
        return self._parts - 1

    @cached_property
    def _tail(self) -> int:
        return self.size % self.shape.width

    @cached_property
    def _half(self) -> int:
        """h: a piece of more offsets is cut there, others in the middle."""
        return 1 << (halvings(self.shape.width, 1) - 1)

    @cached_property
    def _top(self) -> int:
        """How many rounds ask part ends."""
        return len(self.shape.plays[0].asked)

    @cached_property
    def _kinds(self) -> NDArray[np.str_]:
        return np.array([each.kind(self._parts) for each in self.shape.plays])

    @cached_property
    def _leads(self) -> bool:
        """Whether the last part's first cut is asked before its play is chosen."""
        return bool(np.isin(self._kinds, ("low", "high")).any())

    @cached_property
    def _uses(self) -> Bool:
        """[plays, 3] whether parts, the last part by itself, and the tail show a piece."""
        held = np.array([np.isin(range(self._parts + 1), each.places) for each in self.shape.plays])
        alone = np.isin(self._kinds, ("low", "high"))
        parts = held[:, : self._last].any(axis=1) | (held[:, self._last] & ~alone)
        return np.stack((parts, alone, held[:, self._parts]), axis=1)

    @cached_property
    def _order(self) -> Int:
        """[plays, L] the kept places, the last part first where it leads."""
        found = np.array([each.places for each in self.shape.plays])
        first = found == (self._last if self._leads else -1)
        return np.take_along_axis(found, np.argsort(~first, axis=1, kind="stable"), axis=1)

    @cached_property
    def _shares(self) -> Int:
        """[places, low or high offset, plays] how often a cell of a place goes to a play.

        That is its mass by the cells of the place that may show it.
        """
        width, half = self.shape.width, self._half
        found = np.zeros((self._parts + 1, 2, len(self.shape.plays)), object)
        unit = math.lcm(width, self._tail, half, width - half)
        for number, (play, kind) in enumerate(zip(self.shape.plays, self._kinds, strict=True)):
            for place in play.places:
                cells = (self._tail if place == self._parts else width,) * 2
                if place == self._last and kind in ("low", "high"):
                    cells = (half, 0) if kind == "low" else (0, width - half)
                found[place, :, number] = [each and play.mass * unit // each for each in cells]
        return (found // max(1, math.gcd(*found.ravel().tolist()))).astype(np.int64)

    @cached_property
    def _tree(self) -> _Tree:
        plays = self.shape.plays
        paths = sorted({each.asked[:depth] for each in plays for depth in range(self._top + 1)})
        number = {path: index for index, path in enumerate(paths)}
        followed = [[each for each in paths if each[:-1] == path and each] for path in paths]
        sides = max(1, *map(len, followed))
        after = np.zeros((len(paths), sides), np.int64)
        weights = np.zeros((len(paths), self._parts + 1, sides), np.int64)
        for node, children in enumerate(followed):
            for side, child in enumerate(children):
                after[node, side] = number[child]
                through = [each.asked[: len(child)] == child for each in plays]
                weights[node, :, side] = self._shares[:, 0] @ np.array(through)
        ends = np.array([[path == each.asked for each in plays] for path in paths])
        return _Tree(tuple((path or ((),))[-1] for path in paths), after, weights, ends)

    @cached_property
    def _coins(self) -> tuple[tuple[int, ...], ...]:
        """The coins before each round: which ends, which play, or what goes on in which half."""
        halves = (_PARTS, _LAST, _TAIL)
        hide = len(self.rounds) - self._top
        found: list[tuple[int, ...]] = [(_ENDS,)] * self._top
        found += [(_PLAY,)] * (1 + self._leads)
        return (*found, *[halves] * (hide - 1 - self._leads), ())
