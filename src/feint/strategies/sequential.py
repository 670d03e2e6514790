"""The staged family under noise that stops when it is sure.

1. *narrow*: a noisy search on c₁ blocks by the posterior, until one block is wrong with probability
   e₁ at most;
2. *cut*: every inner boundary of C near-equal parts of it, asked m times in one round; the part k̂
   is the likeliest, the first or the last where several are, by a coin;
3. keep a cyclic window of L' neighbouring parts that holds k̂; which of the L' is a coin;
4. *hide*: a noisy search in part k̂ by the posterior given that part and the answers in it alone,
   the same relative points asked in every kept part, until one cell is wrong with probability e₃ at
   most (on average: until the mean absolute error is small enough).

Stages 1 and 4 have a cap. A search that is undecided there begins afresh with a fixed number of
answers, by the rule whose misses are bounded (`Pursuit`, "tilted"). The cut never stops early: how
long it takes would tell how far X* is from the boundaries.

Runs of one batch may be in different stages in the same round. Which stage a run is in is public:
it follows from the questions.

Guarantee: proofs/sequential.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import (
    TIE,
    Belief,
    changes,
    densest,
    densities,
    doubt,
    learn,
    mean_error,
    median,
    quantile,
    uniform,
    weigh,
)
from feint.errors import InvalidValue
from feint.interfaces import UNASKED, Answers, Estimate, Points, Round, Sides, Weights, take
from feint.problem import Problem
from feint.strategies.cuts import Int, Piece, cut, longest, part
from feint.strategies.kept import keep
from feint.strategies.pursuit import Pursuit, nearest_end
from feint.strategies.stages import best_estimate, inner, likeliest

NARROW, NARROW_CAP, CUT, HIDE, HIDE_CAP, ENDED = range(6)
"""The stages of a run; the caps are the searches of fixed length that decide at last."""

_STOPS = 32
"""Rounds in which a cut may come, about: each is as wide as a cut, and transcripts have room for
all of them. A long narrowing therefore stops at every second, third, … round only, which costs less
than one question in a hundred."""


class SequentialState(NamedTuple):
    """Where each run stands.

    Attributes:
        round: The round about to be asked.
        stage: [runs] the stage of each run.
        done: [runs] rounds that the stage has had.
        belief: What the answers of the stage say of its cells (blocks, or cells of a part).
        point: [runs, at once] the boundaries of those cells about to be asked about.
        left: [runs] how likely a tilted search is to ask about the left end of its cell.
        side: The side of this round's coin; None before it was tossed.
        block: Start and size of the block found.
        yes: [runs, parts − 1] how often each inner boundary was answered yes.
        part: [runs] k̂, the likeliest part's number.
        window: [runs, kept] the start of every kept part.
        column: [runs] which of them is k̂.
        coarse: What all answers of narrowing say of the blocks.
        heard: For each round, [runs, at once] the relative points asked in the kept parts,
            `UNASKED` where none was, and [runs, kept · at once] the answers to them.
    """

    round: int
    stage: Int
    done: Int
    belief: Belief
    point: Int
    left: NDArray[np.float64]
    side: Int | None
    block: Piece
    yes: Int
    part: Int
    window: Int
    column: Int
    coarse: Belief
    heard: tuple[tuple[Int, Answers], ...]


@dataclass(frozen=True, kw_only=True)
class SequentialShape:
    """What says which member of the family it is.

    Attributes:
        blocks: c₁, how many blocks the first search chooses among.
        narrow_error: e₁: narrowing stops when one block is wrong with at most this probability.
        narrow_cap: (T, K): after T undecided answers, rounded up to whole rounds, a search of K
            answers decides.
        parts: C, how many parts the block is cut into.
        repeats: m, how often each inner boundary is asked about.
        kept: L', how many parts are searched.
        hide_error: e₃: with a confidence, hiding stops when one cell of part k̂ is wrong with at
            most this probability, given that part and the answers in it alone. On average, it
            stops when the posterior mean absolute error is at most this share of the longest part.
        hide_cap: The cap of hiding, as that of narrowing.
        at_once: b, how many quantiles of the posterior are asked about at once.
    """

    blocks: int = 1
    narrow_error: Fraction = Fraction(1, 100)
    narrow_cap: tuple[int, int] = (0, 0)
    parts: int = 1
    repeats: int = 0
    kept: int = 1
    hide_error: Fraction = Fraction(1, 100)
    hide_cap: tuple[int, int] = (0, 0)
    at_once: int = 1

    @property
    def queries(self) -> int:
        """Return the most questions of a run."""
        narrow, hide = self.narrow_rounds, self.hide_rounds
        narrowing = self.at_once * narrow[0] + narrow[1]
        hiding = self.kept * (self.at_once * hide[0] + hide[1])
        return narrowing + (self.parts - 1) * self.repeats + hiding

    @property
    def rounds(self) -> int:
        """Return the most rounds of a run."""
        return sum(self.narrow_rounds) + (self.parts > 1) + sum(self.hide_rounds)

    @property
    def narrow_rounds(self) -> tuple[int, int]:
        """Return the most rounds of narrowing: until its cap, and after it."""
        return self._rounds(self.narrow_cap) if self.blocks > 1 else (0, 0)

    @property
    def hide_rounds(self) -> tuple[int, int]:
        """Return the most rounds of hiding: until its cap, and after it."""
        return self._rounds(self.hide_cap)

    def _rounds(self, cap: tuple[int, int]) -> tuple[int, int]:
        return -(-cap[0] // self.at_once), cap[1]


@dataclass(frozen=True)
class SequentialNoisy:
    """A member of the staged family under noise that stops when it is sure.

    Attributes:
        problem: What it is meant to solve; it must have a p.
        size: Number of cells of the lattice.
        shape: Which member it is.
    """

    problem: Problem
    size: int
    shape: SequentialShape

    @property
    def cells(self) -> tuple[int, ...]:
        """Return one coordinate of `size` cells."""
        return (self.size,)

    @property
    def queries(self) -> int:
        """Return the most questions of a run."""
        return self.shape.queries

    @property
    def p(self) -> Fraction:
        """Return the probability that an answer is right.

        Raises:
            InvalidValue: The problem has none.
        """
        if self.problem.p is None:
            raise InvalidValue("p", None, "answers that may be wrong need it", "give p")
        return self.problem.p

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Return the most rounds there can be; the name of a mixed one joins its phases."""
        widths = {
            NARROW: self.shape.at_once,
            NARROW_CAP: 1,
            CUT: (self.shape.parts - 1) * self.shape.repeats,
            HIDE: self.shape.kept * self.shape.at_once,
            HIDE_CAP: self.shape.kept,
        }
        return tuple(
            Round(
                "/".join(dict.fromkeys(self._phases[stage] for stage in stages)),
                (0,) * max(widths[stage] for stage in stages),
            )
            for stages in self._stages
        )

    def start(self, runs: int) -> SequentialState:
        """Return the state of each run before its first question."""
        zero = np.zeros(runs, np.int64)
        blocks = uniform(np.full(runs, self.shape.blocks, np.int64))
        state = SequentialState(
            round=0,
            stage=np.full(runs, NARROW, np.int64),
            done=zero,
            belief=blocks,
            point=np.zeros((runs, self.shape.at_once), np.int64),
            left=np.zeros(runs),
            side=None,
            block=(zero, np.full(runs, self.size, np.int64)),
            yes=np.zeros((runs, self.shape.parts - 1), np.int64),
            part=zero,
            window=np.zeros((runs, self.shape.kept), np.int64),
            column=zero,
            coarse=blocks,
            heard=(),
        )
        return self._settled(state)

    def coin(self, state: SequentialState) -> Weights | None:
        """Return the coin of a round in which some run may need one.

        A tilted search asks about the left (0) or the right (1) end of a cell. A cut takes the
        first or the last of equally likely parts (side modulo 2), and keeps the part it finds at
        place ⌊side/2⌋ of the window. A run that needs no coin has one possible side.
        """
        sides = self._sides[state.round] if state.round < len(self._sides) else 0
        if not sides or state.side is not None:
            return None
        weights = np.zeros((len(state.stage), sides))
        weights[:, 0] = 1.0
        weights[state.stage == CUT] = 1.0
        tilted = np.flatnonzero(_is_tilted(state.stage))
        weights[tilted, 0], weights[tilted, 1] = state.left[tilted], 1.0 - state.left[tilted]
        return weights

    def toss(self, state: SequentialState, side: Sides) -> SequentialState:
        """Return the state once the coin has fallen."""
        point, tilted = state.point, _is_tilted(state.stage)
        if tilted.any():
            point = point.copy()
            point[:, 0] += tilted * side
        return state._replace(side=np.asarray(side, np.int64), point=point)

    def ask(self, state: SequentialState) -> Points:
        """Return block ends, inner boundaries, or relative points in every kept part."""
        width = len(self.rounds[state.round].coordinates)
        if self._sides[state.round] and state.side is None:
            raise RuntimeError("the coin of this round was not tossed")
        asked = np.full((len(state.stage), width), UNASKED, np.int64)
        for stage in self._stages[state.round]:
            rows = np.flatnonzero(state.stage == stage)
            if len(rows):
                points = self._asked(state, stage, rows)
                asked[rows, : points.shape[1]] = points
        return asked

    def tell(self, state: SequentialState, answers: Answers) -> SequentialState:
        """Return the state after the answers; of the kept parts, k̂'s alone are followed."""
        hidden = np.isin(state.stage, (HIDE, HIDE_CAP))
        if hidden.any():
            told = answers[:, : self.shape.kept * self.shape.at_once]
            heard = (*state.heard, (np.where(hidden[:, None], state.point, UNASKED), told))
            state = state._replace(heard=heard)
        cutting = np.flatnonzero(state.stage == CUT)
        searching = np.flatnonzero(hidden | (state.stage < CUT))
        state = self._learned(state, searching, answers)
        if len(cutting):
            state = self._cut(state, cutting, answers[cutting])
        return self._settled(state._replace(round=state.round + 1, side=None))

    def estimate(self, state: SequentialState) -> Estimate:
        """Return the best estimate given every answer, and an interval as sure as was asked."""
        return best_estimate(self.problem, self.size, *self.belief(state))

    def belief(self, state: SequentialState) -> tuple[Int, NDArray[np.float64]]:
        """Return the posterior of X* given every answer so far: edges and densities."""
        edges, told = changes(state.coarse)
        points, steps = [cut(self.size, self.shape.blocks, edges)], [told.astype(np.int64)]
        if self.shape.parts > 1:
            was_cut = (state.stage > CUT)[:, None]
            points += [inner(state.block, self.shape.parts)]
            steps += [np.where(was_cut, 2 * state.yes - self.shape.repeats, 0)]
        for offset, answers in state.heard:
            for place in range(answers.shape[1] // self.shape.kept):
                mine = answers[:, place * self.shape.kept :][:, : self.shape.kept]
                asked = offset[:, place, None] != UNASKED
                points += [np.where(asked, state.window + offset[:, place, None], 0)]
                steps += [np.where(asked, 2 * mine.astype(np.int64) - 1, 0)]
        return weigh(np.concatenate(points, 1), np.concatenate(steps, 1), self.size, self._odds)

    @cached_property
    def _odds(self) -> float:
        return float(self.p / (1 - self.p))

    @cached_property
    def _phases(self) -> dict[int, str]:
        hide = "hide" if self.shape.kept > 1 else "narrow"
        return {NARROW: "narrow", NARROW_CAP: "narrow", CUT: "cut", HIDE: hide, HIDE_CAP: hide}

    @cached_property
    def _stops(self) -> tuple[int, ...]:
        """The rounds after which narrowing may stop; with 0, it may take none."""
        fixed, tilted = self.shape.narrow_rounds
        if not fixed:
            return (tilted,)
        least = min(fixed, -(-self._fewest_answers() // self.shape.at_once))
        pace = max(1, -(-(fixed - least) // _STOPS)) if self.shape.parts > 1 else 1
        return (*range(least, fixed, pace), fixed, *((fixed + tilted,) if tilted else ()))

    def _fewest_answers(self) -> int:
        """No fewer answers make one block sure: each raises its odds to any other by p/(1 − p)."""
        error = float(self.shape.narrow_error)
        others = (self.shape.blocks - 1) * (1 - error) / max(error, 1e-300)
        return max(0, math.ceil(math.log(max(others, 1.0)) / math.log(self._odds) - 1e-9))

    @cached_property
    def _stages(self) -> tuple[tuple[int, ...], ...]:
        """For each round the stages that runs may be in."""
        found: list[set[int]] = [set() for _ in range(self.shape.rounds)]
        fixed, tilted = self.shape.narrow_rounds
        for number in range(fixed + tilted):
            found[number].add(NARROW if number < fixed else NARROW_CAP)
        if self.shape.parts > 1:
            for number in self._stops:
                found[number].add(CUT)
        first, last = (each + (self.shape.parts > 1) for each in (self._stops[0], self._stops[-1]))
        fixed, tilted = self.shape.hide_rounds
        for number in range(first, last + fixed):
            if fixed:
                found[number].add(HIDE)
        for number in range(first + fixed, last + fixed + tilted):
            if tilted:
                found[number].add(HIDE_CAP)
        return tuple(tuple(sorted(each)) for each in found)

    @cached_property
    def _sides(self) -> tuple[int, ...]:
        """The number of sides of each round's coin; 0: it has none."""
        whole = self.shape.kept == self.shape.parts
        cut = 2 if whole else 2 * self.shape.kept
        sides = {NARROW: 0, NARROW_CAP: 2, CUT: cut, HIDE: 0, HIDE_CAP: 2}
        return tuple(max(sides[stage] for stage in stages) for stages in self._stages)

    def _asked(self, state: SequentialState, stage: int, rows: Int) -> Int:
        """The questions of some runs that are in one stage."""
        if stage == CUT:
            block = state.block[0][rows], state.block[1][rows]
            return np.repeat(inner(block, self.shape.parts), self.shape.repeats, axis=1)
        point = state.point[rows] if stage in (NARROW, HIDE) else state.point[rows, :1]
        if stage in (NARROW, NARROW_CAP):
            return cut(self.size, self.shape.blocks, point)
        return (point[:, :, None] + state.window[rows][:, None, :]).reshape(len(rows), -1)

    def _learned(self, state: SequentialState, rows: Int, answers: Answers) -> SequentialState:
        """The searches of some runs hear the answers that they follow."""
        stage, point = state.stage[rows], state.point[rows]
        width = np.where(stage >= HIDE, self.shape.kept, 1)
        first = np.where(stage >= HIDE, state.column[rows], 0)
        belief, coarse = take(state.belief, rows), take(state.coarse, rows)
        for place in range(self.shape.at_once):
            asked = point[:, place]
            column = np.minimum(first + place * width, answers.shape[1] - 1)
            answer = answers[rows, column]
            belief = learn(belief, asked, answer)
            coarse = learn(coarse, np.where(stage < CUT, asked, UNASKED), answer)
        done = state.done.copy()
        done[rows] += 1
        return state._replace(
            done=done,
            belief=_put(state.belief, rows, belief),
            coarse=_put(state.coarse, rows, coarse),
        )

    def _cut(self, state: SequentialState, rows: Int, answers: Answers) -> SequentialState:
        """The part of some runs is chosen, and their window."""
        if state.side is None:
            raise RuntimeError("the coin of this round was not tossed")
        shape, side = self.shape, state.side[rows]
        asked = answers[:, : (shape.parts - 1) * shape.repeats]
        yes = asked.reshape(len(rows), shape.parts - 1, shape.repeats).sum(axis=2)
        found = likeliest(yes, shape.repeats, side % 2)
        return self._kept(state, rows, yes, found, side // 2)

    def _kept(
        self, state: SequentialState, rows: Int, yes: Int, found: Int, place: Int
    ) -> SequentialState:
        """Some runs begin to hide: k̂ stands at a place of the window."""
        shape, block = self.shape, (state.block[0][rows], state.block[1][rows])
        whole = shape.kept == shape.parts
        first = np.zeros_like(found) if whole else (found - place) % shape.parts
        window, column = keep(block, shape.parts, shape.kept, found, first)
        return self._begun(
            state._replace(
                yes=_set(state.yes, rows, yes),
                part=_set(state.part, rows, found),
                window=_set(state.window, rows, window),
                column=_set(state.column, rows, column),
            ),
            rows,
            HIDE,
            longest(block[1], shape.parts),
        )

    def _begun(self, state: SequentialState, rows: Int, stage: int, size: Int) -> SequentialState:
        """Some runs begin a search among so many cells."""
        return state._replace(
            stage=_set(state.stage, rows, stage),
            done=_set(state.done, rows, 0),
            belief=_put(state.belief, rows, uniform(size)),
        )

    def _settled(self, state: SequentialState) -> SequentialState:
        """Runs that are sure, or at a cap, go on to the next stage; all choose their questions."""
        state = self._narrowed(state)
        fixed, tilted = self.shape.hide_rounds
        rows = np.flatnonzero(state.stage == HIDE)
        if len(rows):
            capped = state.done[rows] >= fixed
            over = self._is_found(take(state.belief, rows))
            state = state._replace(stage=_set(state.stage, rows[over], ENDED))
            late = rows[capped & ~over]
            if tilted:
                state = self._begun(state, late, HIDE_CAP, state.belief.size[late])
            else:
                state = state._replace(stage=_set(state.stage, late, ENDED))
        rows = np.flatnonzero((state.stage == HIDE_CAP) & (state.done >= tilted))
        state = state._replace(stage=_set(state.stage, rows, ENDED))
        return self._aimed(state)

    def _narrowed(self, state: SequentialState) -> SequentialState:
        """Runs whose block is found begin the cut."""
        fixed, tilted = self.shape.narrow_rounds
        rows = np.flatnonzero(state.stage == NARROW)
        if len(rows):
            capped = state.done[rows] >= fixed
            sure = self._is_sure(take(state.belief, rows), self.shape.narrow_error)
            if self.shape.blocks > 1:
                sure &= (capped | (state.round in self._stops)) & (fixed > 0)
            late = rows[capped & ~sure]
            if tilted:
                blocks = np.full(len(late), self.shape.blocks, np.int64)
                state = self._begun(state, late, NARROW_CAP, blocks)
                state = self._found(state, rows[sure])
            else:
                state = self._found(state, rows[sure | capped])
        rows = np.flatnonzero((state.stage == NARROW_CAP) & (state.done >= tilted))
        return self._found(state, rows)

    def _found(self, state: SequentialState, rows: Int) -> SequentialState:
        """Some runs take the likeliest block."""
        if not len(rows):
            return state
        whole = np.zeros(len(rows), np.int64), np.full(len(rows), self.size, np.int64)
        block = part(whole, self.shape.blocks, densest(take(state.belief, rows)))
        start, size = (_set(old, rows, new) for old, new in zip(state.block, block, strict=True))
        state = state._replace(block=(start, size))
        if self.shape.parts > 1:
            return state._replace(stage=_set(state.stage, rows, CUT))
        none = np.zeros((len(rows), 0), np.int64)
        zero = np.zeros(len(rows), np.int64)
        return self._kept(state, rows, none, zero, zero)

    def _is_sure(self, belief: Belief, error: Fraction) -> NDArray[np.bool_]:
        sure: NDArray[np.bool_] = doubt(belief, self._odds) <= float(error) * (1 + TIE)
        return sure

    def _is_found(self, belief: Belief) -> NDArray[np.bool_]:
        """Whether hiding may stop: a function of the followed answers alone."""
        if self.problem.confidence is not None:
            return self._is_sure(belief, self.shape.hide_error)
        edges, density = densities(belief, self._odds)
        whole = self.problem.values is not None
        error = mean_error(edges, density, quantile(edges, density, 0.5), whole=whole)
        small: NDArray[np.bool_] = error <= float(self.shape.hide_error) * belief.size * (1 + TIE)
        return small

    def _aimed(self, state: SequentialState) -> SequentialState:
        """Every search that goes on chooses the points that it asks about next."""
        rows = np.flatnonzero((state.stage == NARROW) | (state.stage == HIDE))
        point, left = state.point, state.left
        if len(rows):
            point, belief = point.copy(), take(state.belief, rows)
            for place in range(self.shape.at_once):
                level = (place + 1) / (self.shape.at_once + 1)
                cell, below, inside = median(belief, self._odds, level)
                point[rows, place] = nearest_end(belief, cell, below, inside, level)
        rows = np.flatnonzero(_is_tilted(state.stage))
        if len(rows):
            point, left = point.copy(), left.copy()
            found = self._tilted.resume(take(state.belief, rows))
            point[rows], point[rows, 0], left[rows] = UNASKED, found.cell, found.left
        return state._replace(point=point, left=left)

    @cached_property
    def _tilted(self) -> Pursuit:
        return Pursuit(self.p, "tilted")


def _is_tilted(stage: Int) -> NDArray[np.bool_]:
    tilted: NDArray[np.bool_] = (stage == NARROW_CAP) | (stage == HIDE_CAP)
    return tilted


def _set(values: Int, rows: Int, new: Int | int) -> Int:
    """A copy with other values in some rows."""
    if not len(rows):
        return values
    found = values.copy()
    found[rows] = new
    return found


def _put(belief: Belief, rows: Int, new: Belief) -> Belief:
    """A copy with other beliefs in some rows."""
    room = max(belief.edges.shape[1], new.edges.shape[1])
    edges = np.zeros((len(belief.size), room), np.int64)
    steps = np.zeros((len(belief.size), room), np.int32)
    for old, all_ in ((belief.edges, edges), (belief.steps, steps)):
        all_[:, : old.shape[1]] = old
    edges[rows, : new.edges.shape[1]] = new.edges
    steps[rows, : new.steps.shape[1]] = new.steps
    size, used = _set(belief.size, rows, new.size), _set(belief.used, rows, new.used)
    return Belief(size, edges, steps, used)
