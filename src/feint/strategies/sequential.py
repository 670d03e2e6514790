"""The staged family under noise that stops when it is sure.

1. *narrow*: a noisy search on c₁ blocks by the posterior, until one block is wrong with probability
   at most e₁;
2. *cut*: every inner boundary of C near-equal parts of it, asked m times in one round; k̂ is the
   likeliest part, and a coin picks the first or the last if several are;
3. keep a cyclic window of L' neighbouring parts that contains k̂; a coin picks one of the L';
4. *hide*: a noisy search in part k̂ by the posterior given that part and the answers in it alone,
   the same relative points asked in every kept part, until one cell is wrong with probability at
   most e₃ (on average: until the mean absolute error is small enough).

Stages 1 and 4 have a cap. A search that is undecided at the cap starts again with a fixed number of
answers, by the rule whose misses are bounded (`Pursuit`, "tilted"). The cut never stops early,
because its length would reveal how far X* is from the boundaries.

Runs of one batch may be in different stages in the same round. The stage of a run is public,
because it follows from the questions.

Guarantee: proofs/sequential.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import (
    TIE,
    Belief,
    Steps,
    agreeing,
    changes,
    densest,
    densities,
    doubt,
    learn,
    mean_error,
    median,
    quantile,
    steps_of,
    tally,
    uniform,
    weigh,
    weights_of,
)
from feint.beliefs import Weights as Weighing
from feint.errors import InvalidValue
from feint.interfaces import (
    UNASKED,
    Answers,
    Estimate,
    HidingStage,
    Points,
    Round,
    Sides,
    Sureness,
    Weights,
    take,
)
from feint.problem import AtLeast, Noise, Problem, Rates
from feint.strategies.batch import (
    Bool,
    SequentialState,
    hidden_questions,
    rows_of,
    tilted_rows,
    with_beliefs,
    with_stage,
    with_values,
)
from feint.strategies.cuts import Int, cut, longest, part
from feint.strategies.kept import keep
from feint.strategies.pursuit import Pursuit, nearest_end
from feint.strategies.rates import TwoRates
from feint.strategies.schedule import (
    CUT,
    ENDED,
    HIDE,
    HIDE_CAP,
    NARROW,
    NARROW_CAP,
    Schedule,
    SequentialShape,
)
from feint.strategies.stages import best_estimate, inner, known_p, likeliest


@dataclass(frozen=True)
class SequentialNoisy:
    """A member of the staged family under noise that stops when it is sure.

    Attributes:
        problem: The problem that it is meant to solve; it must have a p.
        size: The number of cells of the lattice.
        shape: The member of the family.
    """

    problem: Problem
    size: int
    shape: SequentialShape

    def __post_init__(self) -> None:
        """Check that a cut asks at least one question; without one, a search would end there.

        Raises:
            InvalidValue: There is a cut without questions.
        """
        if self.shape.parts > 1 and self.shape.repeats < 1:
            rule = "a cut must ask about every boundary, or its round would end the search"
            raise InvalidValue("repeats", self.shape.repeats, rule, "ask at least once")

    @property
    def cells(self) -> tuple[int, ...]:
        """Return one coordinate of `size` cells."""
        return (self.size,)

    @property
    def queries(self) -> int:
        """Return the most questions of a run."""
        return self.shape.queries

    @property
    def hiding_stage(self) -> HidingStage:
        """The most questions that hiding asks."""
        return self.shape.hiding_stage

    @property
    def noise(self) -> Noise:
        """The noise model.

        Raises:
            InvalidValue: The answers of the problem are always right.
        """
        if self.problem.noise is None:
            raise InvalidValue("p", None, "answers that may be wrong need it", "give p")
        return self.problem.noise

    @property
    def p(self) -> Fraction:
        """The p by which answers are weighed.

        Raises:
            InvalidValue: There is no such p, because it has only a belief.
        """
        if isinstance(self.noise, AtLeast):
            return self.noise.least
        return known_p(self.problem)

    @property
    def rounds(self) -> Sequence[Round]:
        """Return the most rounds there can be; the name of a mixed one joins its phases."""
        return self.schedule.rounds

    @cached_property
    def schedule(self) -> Schedule:
        """Return the stages that runs may be in, round by round."""
        most = self.noise.most
        return Schedule(self.shape, math.inf if most == 1 else float(most / (1 - most)))

    def start(self, runs: int) -> SequentialState:
        """Return the state before the first round."""
        zero = np.zeros(runs, np.int64)
        blocks = uniform(np.full(runs, self.shape.blocks, np.int64))
        state = SequentialState(
            round=0,
            stage=zero + NARROW,
            done=zero,
            belief=blocks,
            point=np.full((runs, self.shape.at_once), UNASKED, np.int64),
            left=np.zeros(runs),
            side=None,
            flips=np.zeros((runs, 0), np.int64),
            coarse=blocks,
            block=(zero, np.full(runs, self.size, np.int64)),
            yes=np.zeros((runs, self.shape.parts - 1), np.int64),
            part=zero,
            window=np.zeros((runs, self.shape.kept), np.int64),
            column=zero,
            heard=(),
        )
        return self._settled(state)

    def coin(self, state: SequentialState) -> Weights | None:
        """Return the next coin that this round needs, or None.

        A tilted search asks about the left (0) or the right (1) end of a cell. A cut takes the
        first or the last of equally likely parts (side modulo 2), and keeps the part it finds at
        place ⌊side/2⌋ of the window. A run that needs no coin has one possible side. If checks
        fail at two rates, another coin for each inner boundary follows: `TwoRates.coin`.
        """
        sides = self.schedule.sides[state.round] if state.round < len(self.rounds) else 0
        if not sides:
            return None
        if state.side is not None:
            if self._rates is None or state.flips.shape[1] == self.shape.parts - 1:
                return None
            return self._rates.coin(state.stage == CUT)
        cutting, tilted = rows_of(state.stage == CUT), tilted_rows(state)
        certain = np.eye(1, sides)
        if not len(cutting) + len(tilted):
            return np.broadcast_to(certain, (len(state.stage), sides))
        weights = np.repeat(certain, len(state.stage), axis=0)
        weights[cutting] = 1.0
        weights[tilted, 0], weights[tilted, 1] = state.left[tilted], 1.0 - state.left[tilted]
        return weights

    def toss(self, state: SequentialState, side: Sides) -> SequentialState:
        """Return the state after the toss."""
        if state.side is not None:
            return state._replace(flips=np.column_stack((state.flips, side)))
        point, tilted = state.point, tilted_rows(state)
        if len(tilted):
            point = point.copy()
            point[tilted, 0] += side[tilted]
        return state._replace(side=np.asarray(side, np.int64), point=point)

    def ask(self, state: SequentialState) -> Points:
        """Return the queries: block ends, inner boundaries, or points in every kept part."""
        width = len(self.rounds[state.round].coordinates)
        if self.schedule.sides[state.round] and state.side is None:
            raise RuntimeError("the coin of this round was not tossed")
        asked = np.full((len(state.stage), width), UNASKED, np.int64)
        for stage in self.schedule.stages[state.round]:
            rows = rows_of(state.stage == stage)
            if len(rows):
                asked[rows, : self.schedule.width(stage)] = self._asked(state, stage, rows)
        return asked

    def tell(self, state: SequentialState, answers: Answers) -> SequentialState:
        """Return the state after the answers; hiding follows only those in part k̂."""
        state = self._learned(state, answers)
        cutting = rows_of(state.stage == CUT)
        if len(cutting):
            state = self._cut(state, cutting, answers[cutting])
        flips = np.zeros((len(state.stage), 0), np.int64)
        return self._settled(state._replace(round=state.round + 1, side=None, flips=flips))

    def followed_columns(self, state: SequentialState) -> Int:
        """Return [runs, width] the copy in part k̂ of each question of hiding, −1 for others."""
        width = len(self.rounds[state.round].coordinates)
        found = np.full((len(state.stage), width), -1)
        first = np.arange(width) // self.shape.kept * self.shape.kept
        for stage in (HIDE, HIDE_CAP):
            rows, wide = np.flatnonzero(state.stage == stage), self.schedule.width(stage)
            found[rows, :wide] = first[:wide] + state.column[rows, None]
        return found

    def estimate(self, state: SequentialState) -> Estimate:
        """Return the best estimate given every answer, and an interval as sure as was asked.

        If only a lower bound of p is known, the estimate is the cell that hiding found. Only that
        cell is proved to be equally sure at every such p.
        """
        found = best_estimate(self.problem, self.size, *self.belief(state))
        margin = self._rates is not None and not self._rates.rates.is_known
        if not isinstance(self.noise, AtLeast) and not margin:
            return found
        begin = state.window[np.arange(len(state.stage)), state.column]
        middle = np.minimum(begin + densest(state.belief), self.size - 1)[:, None]
        hidden = (state.stage >= HIDE)[:, None]
        cell, rest = np.where(hidden, middle, found.cell), np.where(hidden, 0.5, found.rest)
        low, high = np.minimum(found.low, cell), np.maximum(found.high, cell + 1)
        return Estimate(cell=cell, rest=rest, low=low, high=high)

    def belief(self, state: SequentialState) -> tuple[Int, NDArray[np.float64]]:
        """Return the posterior of X* given every answer so far: edges and densities."""
        narrowing = rows_of(state.stage == NARROW)
        coarse = with_beliefs(state.coarse, narrowing, take(state.belief, narrowing))
        edges, changed = changes(coarse)
        points, steps = [cut(self.size, self.shape.blocks, edges)], [changed]
        told = coarse.told
        if self.shape.parts > 1:
            was_cut = (state.stage > CUT)[:, None]
            points += [inner(state.block, self.shape.parts)]
            passed, failed = state.yes, self.shape.repeats - state.yes
            lead = self._counts.yes * passed - self._counts.no * failed
            steps += [np.where(was_cut, lead, 0)]
            told = told + was_cut[:, 0] * self.schedule.width(CUT)
        if state.heard:
            offset, sums = self._heard(state)
            hidden = state.window[:, :, None] + offset[:, None, :]
            points += [hidden.reshape(len(hidden), -1)]
            steps += [sums.reshape(len(sums), -1)]
            told = told + self.shape.kept * hidden_questions(state)
        places, more = np.concatenate(points, 1), np.concatenate(steps, 1).astype(np.int64)
        return weigh(places, more, self.size, self._weights, told=told)

    def phases(self, asked: Sequence[Sequence[int]]) -> tuple[str, ...]:
        """Return the phase of each round of one run, given the queries of the rounds.

        Narrowing asks about ends of blocks, and the cut only about points inside one.

        Args:
            asked: The queries of each round; `UNASKED` in columns that were left out.
        """
        blocks, narrow, found = self.shape.blocks, self.shape.blocks > 1, list[str]()

        def is_end(point: int) -> bool:  # there may be too many blocks to list their ends
            return self.size * -(-point * blocks // self.size) // blocks == point

        for points in asked:
            narrow = narrow and all(each == UNASKED or is_end(each) for each in points)
            is_cut = not narrow and self.shape.parts > 1 and "cut" not in found
            later = "hide" if self.shape.kept > 1 else "narrow"
            found.append("narrow" if narrow else "cut" if is_cut else later)
        return tuple(found)

    @property
    def phase_limits(self) -> Sequence[tuple[str, int, int]]:
        """Return each phase of a run with its most rounds and its most questions."""
        return self.schedule.phase_limits

    def sureness(self, state: SequentialState) -> tuple[Sureness | None, ...]:
        """Return the sureness of the first run; None if that does not decide when it stops.

        The cut, and a search past its cap, end after a fixed number of answers. Hiding ends by the
        mean error if the estimate is to be accurate on average.

        Args:
            state: The state of the runs.
        """
        stage, shape = int(state.stage[0]), self.shape
        certain = self.problem.confidence is not None
        if stage not in ((NARROW, HIDE) if certain else (NARROW,)):
            return (None,)
        error = shape.narrow_error if stage == NARROW else shape.hide_error
        wrong = float(doubt(take(state.belief, np.zeros(1, np.int64)), self._weights)[0])
        return (Sureness("narrow" if stage == NARROW else "hide", 1 - wrong, float(1 - error)),)

    def summary(self, state: SequentialState) -> Int:
        """Return the numbers that decide how each run goes on, and no others.

        Args:
            state: The state of the runs.

        Returns:
            [runs, numbers] equal for runs that go on in the same way.
        """
        edges, steps = changes(state.belief)
        start, size = state.block
        known = (state.belief.size, state.belief.told, state.belief.first)
        single = (state.stage, state.done, *known, start, size, state.column)
        return np.concatenate((np.stack(single, 1), state.window, edges, steps), axis=1)

    @cached_property
    def _tilted_search(self) -> Pursuit:
        if self._rates is not None:
            return Pursuit(self._rates.unit, "tilted")
        return Pursuit(self.noise.least, "tilted")

    @cached_property
    def _weights(self) -> Weighing:
        return weights_of(self.noise)

    @cached_property
    def _counts(self) -> Steps:
        return steps_of(self.noise)

    @cached_property
    def _rates(self) -> TwoRates | None:
        """Return the rules for two rates; None if yes and no are wrong equally often."""
        return TwoRates(self.noise, self.shape) if isinstance(self.noise, Rates) else None

    def _heard(self, state: SequentialState) -> tuple[Int, NDArray[np.int32]]:
        """Return the sums of the answers in all kept parts: points, and steps in each part."""
        shape, rounds = self.shape, len(state.heard)
        points = np.concatenate([offset for offset, _ in state.heard], axis=1)
        told = np.zeros((len(points), rounds, shape.at_once * shape.kept), bool)
        for number, (_, answers) in enumerate(state.heard):
            told[:, number, : answers.shape[1]] = answers
        return tally(points, told.reshape(len(points), -1, shape.kept), self._counts)

    def _asked(self, state: SequentialState, stage: int, rows: Int) -> Int:
        """Return the questions of some runs that are in one stage."""
        if stage == CUT:
            block = state.block[0][rows], state.block[1][rows]
            return np.repeat(inner(block, self.shape.parts), self.shape.repeats, axis=1)
        point = take(state.point, rows)
        if stage in (NARROW_CAP, HIDE_CAP):
            point = point[:, :1]
        if stage in (NARROW, NARROW_CAP):
            return cut(self.size, self.shape.blocks, point)
        hidden = point[:, :, None] + take(state.window, rows)[:, None, :]
        return hidden.reshape(len(rows), -1)

    def _learned(self, state: SequentialState, answers: Answers) -> SequentialState:
        """Return the state after the searches learned the answers that they follow."""
        hiding = (state.stage == HIDE) | (state.stage == HIDE_CAP)
        late = state.stage == NARROW_CAP
        if hiding.any():
            told = answers[:, : self.shape.kept * self.shape.at_once]
            offset = np.where(hiding[:, None], state.point, UNASKED)
            state = state._replace(heard=(*state.heard, (offset, told)))
        runs, last = np.arange(len(hiding)), answers.shape[1] - 1
        belief, coarse, column = state.belief, state.coarse, state.column * hiding
        for place in range(self.shape.at_once):
            if place:
                column = column + np.where(hiding, self.shape.kept, 1)
            point = state.point[:, place]
            answer = answers[runs, np.minimum(column, last)]
            belief = learn(belief, point, answer, self._counts)
            if late.any():
                late_point = np.where(late, point, UNASKED)
                coarse = learn(coarse, late_point, answer, self._counts)
        return state._replace(done=state.done + 1, belief=belief, coarse=coarse)

    def _cut(self, state: SequentialState, rows: Int, answers: Answers) -> SequentialState:
        """Return the state in which some runs have their part and their window."""
        if state.side is None:
            raise RuntimeError("the coin of this round was not tossed")
        shape, side = self.shape, state.side[rows]
        asked = answers[:, : self.schedule.width(CUT)]
        yes = asked.reshape(len(rows), shape.parts - 1, shape.repeats).sum(axis=2)
        verdicts, times = yes, shape.repeats
        if self._rates is not None:
            verdicts, times = self._rates.verdicts(yes, state.flips[rows]), 1
        found = likeliest(verdicts, times, side % 2)
        return self._kept(
            state._replace(yes=with_values(state.yes, rows, yes)), rows, found, side // 2
        )

    def _kept(self, state: SequentialState, rows: Int, found: Int, place: Int) -> SequentialState:
        """Return the state in which some runs begin to hide, with k̂ at a place of the window."""
        shape, block = self.shape, (state.block[0][rows], state.block[1][rows])
        whole = shape.kept == shape.parts
        first = np.zeros_like(found) if whole else (found - place) % shape.parts
        window, column = keep(block, shape.parts, shape.kept, found, first)
        state = state._replace(
            part=with_values(state.part, rows, found),
            window=with_values(state.window, rows, window),
            column=with_values(state.column, rows, column),
        )
        # The answers of narrowing still count for p. Those of the cut must not, since they know k̂.
        belief = take(state.belief, rows)
        reach = longest(block[1], shape.parts)
        return with_stage(state, rows, HIDE, uniform(reach, belief.told, belief.first))

    def _settled(self, state: SequentialState) -> SequentialState:
        """Return the state in which runs that are sure or at a cap are in their next stage."""
        state = self._narrowed(state)
        fixed, tilted = self.shape.hide_rounds
        rows = rows_of(state.stage == HIDE)
        if len(rows):
            over = self.is_found(state, rows)
            late = rows[(state.done[rows] >= fixed) & ~over]
            state = state._replace(stage=with_values(state.stage, rows[over], ENDED))
            state = with_stage(state, late, HIDE_CAP, uniform(state.belief.size[late]))
        rows = rows_of((state.stage == HIDE_CAP) & (state.done >= tilted))
        return self._aimed(state._replace(stage=with_values(state.stage, rows, ENDED)))

    def _narrowed(self, state: SequentialState) -> SequentialState:
        """Return the state in which runs whose block is found begin the cut."""
        fixed, tilted = self.shape.narrow_rounds
        if state.round > fixed + tilted:
            return state
        rows = rows_of(state.stage == NARROW)
        if len(rows) and (state.round in self.schedule.stops or state.round >= fixed):
            belief = take(state.belief, rows)
            state = state._replace(coarse=with_beliefs(state.coarse, rows, belief))
            sure = self.is_sure(belief, narrow=True) & self.may_stop(state.round)
            state = self._found(state, rows[sure])
            if state.round >= fixed:
                fresh = uniform(belief.size[~sure]) if tilted else take(belief, rows_of(~sure))
                state = with_stage(state, rows[~sure], NARROW_CAP, fresh)
        rows = rows_of((state.stage == NARROW_CAP) & (state.done >= tilted))
        return self._found(state, rows)

    def _found(self, state: SequentialState, rows: Int) -> SequentialState:
        """Return the state in which some runs take the likeliest block."""
        if not len(rows):
            return state
        zero = np.zeros(len(rows), np.int64)
        found = densest(take(state.belief, rows))
        block = part((zero, zero + self.size), self.shape.blocks, found)
        start, size = (
            with_values(old, rows, new) for old, new in zip(state.block, block, strict=True)
        )
        coarse = take(state.coarse, rows)
        told = uniform(coarse.size, coarse.told, agreeing(coarse, found))
        state = state._replace(block=(start, size), belief=with_beliefs(state.belief, rows, told))
        if self.shape.parts > 1:
            return state._replace(stage=with_values(state.stage, rows, CUT))
        return self._kept(state, rows, zero, zero)

    def is_found(self, state: SequentialState, rows: Int) -> Bool:
        """Return True for the runs that stop hiding, which depends only on the followed answers.

        Args:
            state: The state of the runs.
            rows: The runs that are hiding.

        Returns:
            [rows] True if the run stops.
        """
        return self.is_sure(take(state.belief, rows), narrow=False)

    def is_sure(self, belief: Belief, *, narrow: bool) -> Bool:
        """Return True if a search is sure enough to stop before its cap.

        Args:
            belief: The belief, given the answers that it follows.
            narrow: Whether it is the search among blocks.

        Returns:
            [runs] True if it is.
        """
        error = float(self.shape.narrow_error if narrow else self.shape.hide_error) * (1 + TIE)
        if self._rates is not None:
            over: Bool = doubt(belief, self._weights) <= self._rates.doubt(error, belief.size)
            return over
        if narrow or self.problem.confidence is not None:
            over = doubt(belief, self._weights) <= error
            return over
        edges, density = densities(belief, self._weights)
        middle, whole = quantile(edges, density, 0.5), self.problem.values is not None
        over = mean_error(edges, density, middle, whole=whole) <= error * belief.size
        return over

    def may_stop(self, rounds: int) -> bool:
        """Return True if narrowing may stop by being sure after a number of rounds."""
        fixed, _ = self.shape.narrow_rounds
        return self.shape.blocks == 1 or (fixed > 0 and rounds in self.schedule.stops)

    def aims(self, belief: Belief) -> Int:
        """Return the boundaries that searches ask about before their cap, [runs, at once]."""
        found = []
        if self._rates is not None and self.shape.at_once == 1:
            spot = median(belief, self._weights, self._rates.rates.aim)
            return self._rates.nearest_end(belief, *spot)[:, None]
        for place in range(self.shape.at_once):
            level = (place + 1) / (self.shape.at_once + 1)
            found.append(nearest_end(belief, *median(belief, self._weights, level), level))
        return np.stack(found, axis=1)

    def tilts(self, belief: Belief) -> tuple[Int, NDArray[np.float64]]:
        """Return the cells whose ends tilted searches ask about, and how likely the left end is."""
        search = self._tilted_search.resume(belief)
        return search.cell, search.left

    def _aimed(self, state: SequentialState) -> SequentialState:
        """Return the state in which every search has chosen its next points."""
        point, left = np.full_like(state.point, UNASKED), state.left
        rows = rows_of((state.stage == NARROW) | (state.stage == HIDE))
        if len(rows):
            point[rows] = self.aims(take(state.belief, rows))
        rows = tilted_rows(state)
        if len(rows):
            point[rows, 0], chance = self.tilts(take(state.belief, rows))
            left = with_values(left, rows, chance)
        return state._replace(point=point, left=left)
