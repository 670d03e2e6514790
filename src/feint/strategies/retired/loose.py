"""Hide a block in parts of one width and a loose tail of any length, at no extra question (ours).

A block of n cells is C = ⌊n/w⌋ parts of exactly w cells and a tail of r < w. In `Tailed` the tail
must have the offsets that the kept parts have. Here the tail has its own search. Places that are D
cells apart need not agree in their offsets, since no D neighbouring cells meet two of them. A
*play* names the part ends that are asked and the L places that are then kept. There are four kinds:

- *all*: the kept places are parts, and all show the same offset;
- *apart*: the tail is kept and the part before it, the *last* one, is not. The tail shows an offset
  of its own, independent of the offset of the parts;
- *low*: the tail and the last part are kept. The last part shows an offset below h, the first half.
  The tail shows the same offset, or one of h or more. The other parts show an offset of their own;
- *high*: the last part is kept without the tail. It shows an offset of h or more: the offset of the
  other parts, or any such offset if theirs is below h.

A place without X* shows offsets drawn by coins. A coin whose weights depend on the place of X*
chooses the play. If X* lies in the last part, the cut at h comes first, and the coin after it.

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

# the pieces with an offset of their own: most parts, the last part, the tail
_PARTS, _LAST, _TAIL = range(3)
_ENDS, _PLAY = -2, -1  # coins that decide on the ends or the play instead of a piece


@dataclass(frozen=True, kw_only=True)
class Play:
    """A combination of part ends and kept places that a run may show.

    Attributes:
        asked: The part ends asked in each round. End j is where part j begins.
        places: The places kept, in order. C is the tail.
        mass: The mass of X* that every place contributes, in a unit that all plays share.
        high: True if the last part shows only offsets of h or more.
    """

    asked: tuple[tuple[int, ...], ...]
    places: tuple[int, ...]
    mass: int
    high: bool = False

    def kind(self, parts: int) -> Kind:
        """Return how the offsets of the places depend on each other, among C parts and a tail."""
        if parts in self.places:
            return "low" if parts - 1 in self.places else "apart"
        return "high" if self.high else "all"


@dataclass(frozen=True, kw_only=True)
class LooseShape:
    """The shape of a block hidden in parts of one width and a loose tail.

    Attributes:
        width: w, the number of cells of a part.
        plays: The plays, each with the same number of questions in the same rounds.
    """

    width: int
    plays: tuple[Play, ...]

    @property
    def kept(self) -> int:
        """Return L, the number of places that are kept."""
        return len(self.plays[0].places)


class LooseState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        tossed: The number of its coins that were tossed.
        node: The node of the ends asked so far.
        low: The first place that may contain X*.
        high: The place after the last one that may contain X*.
        play: The play; −1 before it is chosen.
        early: True if the first hiding round asked a question and the answer was yes.
        start: [runs, 3] first offset of the piece that parts, last part and tail show.
        size: [runs, 3] the number of offsets of that piece.
        open: [runs, 3] True if a coin must still choose the half in which the piece continues.
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
        asked: The ends asked in the round that leads to each node.
        after: [nodes, sides] the nodes that follow; 0 if there are fewer.
        weights: [nodes, places, sides] the weight with which X* in a place goes there.
        plays: [nodes, plays] True if all ends of the play were asked at the node.
    """

    asked: tuple[tuple[int, ...], ...]
    after: Int
    weights: Int
    plays: Bool


@dataclass(frozen=True)
class Loose:
    """A search of a block in parts of one width and a loose tail.

    Attributes:
        problem: The problem that the strategy solves. Only the shape decides the questions.
        size: The number of cells of the lattice.
        shape: The way the parts are hidden.
    """

    problem: Problem
    size: int
    shape: LooseShape

    asks_all = True

    @property
    def cells(self) -> tuple[int, ...]:
        """Return one coordinate of `size` cells."""
        return (self.size,)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Return the rounds: cut, then hide. A cut at h in one kept place may come first."""
        kept, steps = self.shape.kept, halvings(self.shape.width, 1)
        hide = [1, kept - 1, *[kept] * (steps - 1)] if self._leads else [kept] * steps
        asked = [len(each) for each in self.shape.plays[0].asked] + hide
        names = ["cut"] * self._top + ["hide"] * (len(hide) - 1) + ["finish"]
        return tuple(Round(name, (0,) * many) for name, many in zip(names, asked, strict=True))

    def start(self, runs: int) -> LooseState:
        """Return the state of each run before its first question."""
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
        """Return the coin for the next ends, the play, or the half of a shown piece."""
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
        """Apply this side of the round's next coin, by the purpose of the coin."""
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
        """Return ends, or the cut of the piece that each kept place shows, else the left end."""
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
        """Follow the true answers; coins decide what other places show."""
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
        if leading:  # the play determines the half that the last part shows
            above = np.where(own == _LAST, yes, self._kinds[state.play] == "high")
            now = self._followed(now, np.full_like(own, _LAST), shown[:, _LAST], above)
            shown[:, _LAST] = False
        rows = np.take_along_axis(shown, own[:, None], axis=1)[:, 0]
        now = self._followed(now._replace(open=shown), own, rows, yes)
        return self._followed(now, other, rows & tied, yes)

    def estimate(self, state: LooseState) -> Estimate:
        """Return the remaining cells of the true place."""
        own = self._own(state)[:, None]
        start = np.take_along_axis(state.start, own, axis=1)
        size = np.take_along_axis(state.size, own, axis=1)
        low = state.low[:, None] * self.shape.width + start
        return Estimate.between(low, low + size)

    def _followed(self, state: LooseState, one: Int, rows: Bool, above: Bool) -> LooseState:
        """Continue the piece of one place in its upper or lower half, in the given runs."""
        start, size, left = state.start.copy(), state.size.copy(), state.open.copy()
        at = np.flatnonzero(rows), one[rows]
        cut, upper = self._cut(size[at]), above[rows]
        start[at] += np.where(upper, cut, 0)
        size[at] = np.where(upper, size[at] - cut, cut)
        left[at] = False
        return state._replace(start=start, size=size, open=left)

    def _partner(self, state: LooseState, one: Int) -> tuple[Int, Bool]:
        """Return which of the three may show the same offset as `one`, and whether it does."""
        kind, runs = self._kinds[state.play], np.arange(len(one))
        other = np.where(kind == "low", np.array([0, 2, 1])[one], one)
        other = np.where(kind == "high", np.array([1, 0, 2])[one], other)
        same = state.start[runs, one] == state.start[runs, other]
        same &= state.size[runs, one] == state.size[runs, other]
        return other, same & (other != one) & (state.size[runs, one] <= self._half)

    def _cut(self, size: Int) -> Int:
        """Return the number of a piece's offsets before its cut."""
        return np.where(size > self._half, self._half, size // 2)

    def _waits(self, state: LooseState) -> Bool:
        """Return True for runs with X* in the last part and the cut at h not yet asked."""
        waits: Bool = (state.low == self._last) & (self._leads and state.round <= self._top)
        return waits

    def _columns(self, state: LooseState) -> tuple[Int, Int]:
        """Return [runs, L] the kept places, the last part first if it leads, and their pieces."""
        place = self._order[state.play]
        kind = self._kinds[state.play][:, None]
        alone = (place == self._last) & ((kind == "low") | (kind == "high"))
        return place, np.where(place == self._parts, _TAIL, np.where(alone, _LAST, _PARTS))

    def _own(self, state: LooseState) -> Int:
        """Return which of the three the place of X* is, once the play is chosen."""
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
        """Return h: longer pieces are cut there, shorter ones in the middle."""
        return 1 << (halvings(self.shape.width, 1) - 1)

    @cached_property
    def _top(self) -> int:
        """Return the number of rounds that ask part ends."""
        return len(self.shape.plays[0].asked)

    @cached_property
    def _kinds(self) -> NDArray[np.str_]:
        return np.array([each.kind(self._parts) for each in self.shape.plays])

    @cached_property
    def _leads(self) -> bool:
        """Return True if the last part's first cut is asked before its play is chosen."""
        return bool(np.isin(self._kinds, ("low", "high")).any())

    @cached_property
    def _uses(self) -> Bool:
        """Return [plays, 3] whether parts, the last part by itself, and the tail show a piece."""
        held = np.array([np.isin(range(self._parts + 1), each.places) for each in self.shape.plays])
        alone = np.isin(self._kinds, ("low", "high"))
        parts = held[:, : self._last].any(axis=1) | (held[:, self._last] & ~alone)
        return np.stack((parts, alone, held[:, self._parts]), axis=1)

    @cached_property
    def _order(self) -> Int:
        """Return [plays, L] the kept places, the last part first if it leads."""
        found = np.array([each.places for each in self.shape.plays])
        first = found == (self._last if self._leads else -1)
        return np.take_along_axis(found, np.argsort(~first, axis=1, kind="stable"), axis=1)

    @cached_property
    def _shares(self) -> Int:
        """Return [places, low or high offset, plays] the weight with which a cell goes to a play.

        The weight is the mass of the play divided by the number of cells of the place that may show
        it.
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
        """Return the coins before each round: next ends, play, or the half of a piece."""
        halves = (_PARTS, _LAST, _TAIL)
        hide = len(self.rounds) - self._top
        found: list[tuple[int, ...]] = [(_ENDS,)] * self._top
        found += [(_PLAY,)] * (1 + self._leads)
        return (*found, *[halves] * (hide - 1 - self._leads), ())
