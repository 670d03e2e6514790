"""Search if the reliability of answers depends on the distance: customers, one answer each.

1. *cut*: every inner boundary of C equal parts of the range, asked m times in one round; k̂ is the
   likeliest part, and a coin picks the first or the last if several are;
2. keep a cyclic window of L' neighbouring parts that contains k̂; a coin picks one of the L';
3. *hide*: the median of the posterior of X*'s place relative to part k̂, given only the answers in
   that part; asked b times in every kept part in one round, until a window of width epsilon
   contains the place with probability at least 1 − e₃.

There is no narrowing, because a narrowing question that takes long reveals that X* is near it. For
the same reason the cut asks the same number of people at every boundary.

The place may lie outside the part that was found. Near a boundary the vote is random, but the
answers in the part next to X*'s part find it as well. So a wrong vote is no miss. The prior of the
place is its distribution given the vote, on average over parts.

Likelihoods are integers: logarithms in units of 2^-36. So sums do not depend on their order, and
equal beliefs are equal bit by bit.

Guarantee: proofs/responses.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from feint.beliefs import TIE
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
from feint.problem import Problem, Responses
from feint.strategies.cuts import Int
from feint.strategies.kept import keep
from feint.strategies.response_votes import placed_vote
from feint.strategies.stages import best_estimate, inner, likeliest

Float = NDArray[np.float64]
Bool = NDArray[np.bool_]
LOG_UNIT = 2.0**-36
"""The unit of logarithms: sums of 10^5 answers are accurate to a millionth."""
_LEAST = -60.0  # the least logarithm; smaller ones count as this, so sums stay below 2^63
_IMPOSSIBLE = -(1 << 45)  # the logarithm of a place's prior where it is 0: far below all others
# A distance in scales, and a probability: a trade-off between learning the scale and the place.
_ASIDE, _SURE = 1.4, 0.99
_DOUBT = 0.1  # the estimate's prior probability of scales that are not stated
_COARSE = 2.0**-22  # the unit of logarithms for those: floats hold sums of 10^7 answers exactly
_BLOCK = 1 << 20  # the most likelihoods of one of those scales in memory at a time
_TOGETHER = 1 << 22  # the most likelihoods of an estimate in memory: tens of megabytes


@dataclass(frozen=True, kw_only=True)
class ResponseShape:
    """The integers and limits that select a member of the family.

    Attributes:
        parts: C, the number of parts that the range is cut into.
        repeats: m, the number of questions about each inner boundary.
        kept: L', the number of parts that are searched.
        at_once: b, the number of people who are asked a question of hiding, in every kept part.
        hide_error: e₃: hiding stops when a window of width epsilon misses the place with at most
            this probability, given only the answers in part k̂.
        most: The most rounds of hiding.
    """

    parts: int
    repeats: int
    kept: int
    at_once: int
    hide_error: Fraction
    most: int

    @property
    def queries(self) -> int:
        """Return the most questions of a run."""
        return (self.parts - 1) * self.repeats + self.hiding_stage.queries

    @property
    def hiding_stage(self) -> HidingStage:
        """The most questions that hiding asks."""
        return HidingStage(self.kept * self.at_once * self.most, self.kept * self.at_once)

    @property
    def rounds(self) -> int:
        """Return the most rounds of a run."""
        return (self.parts > 1) + self.most


class ResponseState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        log: [runs, scales, places] the posterior of the place relative to part k̂, as logarithms in
            units of 2^-36; the first place lies `reach` cells below the part.
        point: [runs] the boundary of the part that is asked about next; `UNASKED` if the search
            has ended.
        side: The side of the cut's coin; None before it was tossed.
        yes: [runs, parts − 1] the number of yes answers to each inner boundary.
        part: [runs] k̂, the number of the part that was found.
        window: [runs, kept] the start of every kept part.
        column: [runs] the column of k̂ among them.
        heard: For each round of hiding, [runs] the boundary asked about, and [runs, kept] the
            number of yes answers in each kept part.
    """

    round: int
    log: Int
    point: Int
    side: Int | None
    yes: Int
    part: Int
    window: Int
    column: Int
    heard: tuple[tuple[Int, Int], ...]


@dataclass(frozen=True)
class ResponseNoisy:
    """A search by single answers whose reliability depends on the distance.

    Attributes:
        problem: The problem that it is meant to solve; its p must be `Responses`.
        size: The number of cells of the lattice, a multiple of the number of parts.
        shape: The member of the family.
    """

    problem: Problem
    size: int
    shape: ResponseShape

    def __post_init__(self) -> None:
        """Check that parts are equal.

        Raises:
            InvalidValue: Parts are unequal, or the answers do not depend on the distance.
        """
        if not isinstance(self.problem.noise, Responses):
            rule = "this search is for answers that depend on the distance"
            raise InvalidValue("p", self.problem.p, rule, 'such as "logistic(1/16)"')
        if self.size % self.shape.parts or self.size // self.shape.parts < 2:
            rule = f"must be a multiple of {self.shape.parts} parts of two cells or more"
            raise InvalidValue("size", self.size, rule, f"{8 * self.shape.parts} works")

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
    def responses(self) -> Responses:
        """The dependence of answers on the distance."""
        noise = self.problem.noise
        if not isinstance(noise, Responses):
            raise InvalidValue("p", self.problem.p, "must be a response model", "give one")
        return noise

    @property
    def part_cells(self) -> int:
        """The number of cells of a part."""
        return self.size // self.shape.parts

    @property
    def reach(self) -> int:
        """The number of cells beyond either end of part k̂ in which X* is searched for."""
        return self.part_cells if self.shape.parts > 1 else 0

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """The rounds: the cut, if there is more than one part, and the most rounds of hiding."""
        shape = self.shape
        cut = Round("cut", (0,) * ((shape.parts - 1) * shape.repeats))
        hide = Round("hide" if shape.kept > 1 else "narrow", (0,) * (shape.kept * shape.at_once))
        return (cut,) * (shape.parts > 1) + (hide,) * shape.most

    @property
    def phase_limits(self) -> Sequence[tuple[str, int, int]]:
        """Return nothing, since the rounds already state the phases."""
        return ()

    def start(self, runs: int) -> ResponseState:
        """Return the state before the first round."""
        zero = np.zeros(runs, np.int64)
        state = ResponseState(
            round=0,
            log=np.broadcast_to(self._prior, (runs, *self._prior.shape)),
            point=zero,
            side=None,
            yes=np.zeros((runs, self.shape.parts - 1), np.int64),
            part=zero,
            window=np.zeros((runs, self.shape.kept), np.int64),
            column=zero,
            heard=(),
        )
        return self._aimed(state) if self.shape.parts == 1 else state

    def coin(self, state: ResponseState) -> Weights | None:
        """Return the coin of the cut: its side modulo 2 breaks ties, ⌊side/2⌋ places k̂."""
        if state.round or self.shape.parts == 1 or state.side is not None:
            return None
        sides = 2 if self.shape.kept == self.shape.parts else 2 * self.shape.kept
        return np.broadcast_to(np.int64(1), (len(state.point), sides))

    def toss(self, state: ResponseState, side: Sides) -> ResponseState:
        """Return the state after the toss."""
        return state._replace(side=np.asarray(side, np.int64))

    def ask(self, state: ResponseState) -> Points:
        """Return the queries of the round: inner boundaries, or one place in every kept part."""
        shape, runs = self.shape, len(state.point)
        if state.round == 0 and shape.parts > 1:
            return np.repeat(inner(self._whole(runs), shape.parts), shape.repeats, axis=1)
        asked = state.window + state.point[:, None]
        asked = np.where(state.point[:, None] == UNASKED, UNASKED, asked)
        return np.tile(asked, (1, shape.at_once))

    def tell(self, state: ResponseState, answers: Answers) -> ResponseState:
        """Return the state after the answers; hiding follows only those in part k̂."""
        following = state._replace(round=state.round + 1)
        if state.round == 0 and self.shape.parts > 1:
            return self._aimed(self._cut(following, answers))
        shape, runs = self.shape, np.arange(len(state.point))
        yes = answers.reshape(len(runs), shape.at_once, shape.kept).sum(axis=1)
        rows = np.flatnonzero(state.point != UNASKED)
        own = yes[rows, state.column[rows]]
        log = state.log.copy()
        log[rows] += self._told(state.point[rows], own)
        heard = (*state.heard, (state.point, yes))
        return self._aimed(following._replace(log=log, heard=heard))

    def followed_columns(self, state: ResponseState) -> Int:
        """Return [runs, width] the copy in part k̂ of each question of hiding, −1 for others."""
        width = len(self.rounds[state.round].coordinates)
        if state.round == 0 and self.shape.parts > 1:
            return np.full((len(state.point), width), -1)
        first = np.arange(width) // self.shape.kept * self.shape.kept
        return np.where(state.point[:, None] == UNASKED, -1, first + state.column[:, None])

    def estimate(self, state: ResponseState) -> Estimate:
        """Return the best estimate given every answer, and an interval as sure as was asked."""
        scales = len(self.responses.scales) + len(self.responses.nearby)
        each = max(1, _TOGETHER // (self.size * scales))
        some = [
            best_estimate(self.problem, self.size, *self.belief(take(state, rows)))
            for rows in np.split(np.arange(len(state.point)), range(each, len(state.point), each))
        ]
        names = ("cell", "rest", "low", "high")
        return Estimate(**{n: np.concatenate([getattr(one, n) for one in some]) for n in names})

    def belief(self, state: ResponseState) -> tuple[Int, Float]:
        """Return the posterior of X* given every answer so far: edges and densities.

        The other kept parts lie unevenly around k̂, so with a wrong scale their answers would pull
        the estimate aside. So a tenth of the prior is on scales near the stated ones.

        Args:
            state: The state of the runs.
        """
        runs, size = len(state.point), self.size
        log = np.empty((runs, len(self.responses.scales), size), np.int64)
        log[:] = self._weights[:, None]
        points, yes, asked = self._counts(state)
        tables = [sliding_window_view(each, size, axis=1) for each in self._tables]
        for run in range(runs):
            # Few boundaries are asked about repeatedly, so each is weighed once.
            at, where = np.unique(points[run], return_inverse=True)
            counts = np.zeros((2, len(at)), np.int64)
            np.add.at(counts[0], where, yes[run])
            np.add.at(counts[1], where, asked[run] - yes[run])
            for table, count in zip(tables, counts, strict=True):
                log[run] += (table[:, size - at] * count[:, None]).sum(axis=1)
        top = log.max(axis=(1, 2), keepdims=True)
        other = self._nearby(points, yes, asked) - top * LOG_UNIT
        most = np.maximum(other.max(axis=(1, 2), keepdims=True), 0.0)
        mass = (1 - _DOUBT) * np.exp((log - top) * LOG_UNIT - most).sum(axis=1)
        mass += _DOUBT * np.exp(other - most).mean(axis=1)
        edges = np.broadcast_to(np.arange(size + 1), (runs, size + 1))
        return edges, mass

    def _nearby(self, points: Int, yes: Int, asked: Int) -> Float:
        """Return [runs, scales, cells] the log-likelihood of all answers at scales nearby.

        All numbers are integers in floats, so matrix products are exact in any order.

        Args:
            points: [runs, any] the boundaries.
            yes: [runs, any] their numbers of yes answers.
            asked: [runs, any] their numbers of all answers.
        """
        at, where = np.unique(points, return_inverse=True)
        rows = np.arange(len(points))[:, None]
        counts = np.zeros((2, len(points), len(at)))
        np.add.at(counts[0], (rows, where.reshape(points.shape)), yes)
        np.add.at(counts[1], (rows, where.reshape(points.shape)), asked - yes)
        tables, size = _coarse_tables(self.responses, self.size), self.size
        found = np.zeros((len(points), tables.shape[1], size))
        wide = max(1, _BLOCK // len(at))
        for first in range(0, size, wide):
            last = min(size, first + wide)
            for table, count in zip(tables, counts, strict=True):
                blocks = sliding_window_view(table, last - first, axis=1)
                for scale in range(tables.shape[1]):
                    found[:, scale, first:last] += count @ blocks[scale, size - at + first]
        return found * _COARSE

    def _counts(self, state: ResponseState) -> tuple[Int, Int, Int]:
        """Return [runs, any] the boundaries, their numbers of yes answers and of all answers."""
        runs, shape = len(state.point), self.shape
        inner_ends = np.arange(1, shape.parts) * self.part_cells
        points = [np.broadcast_to(inner_ends, (runs, shape.parts - 1))]
        yes, asked = [state.yes], [np.full_like(state.yes, shape.repeats * (state.round > 0))]
        for point, counts in state.heard:
            put = (point != UNASKED)[:, None]
            points.append(np.where(put, state.window + point[:, None], 0))
            yes.append(counts)
            asked.append(np.where(put, shape.at_once, np.zeros_like(counts)))
        return (
            np.concatenate(points, axis=1),
            np.concatenate(yes, axis=1),
            np.concatenate(asked, axis=1),
        )

    def sureness(self, state: ResponseState) -> tuple[Sureness | None, ...]:
        """Return the sureness of the first run's place in its part; None in the cut.

        Args:
            state: The state of the runs.
        """
        if state.round == 0 and self.shape.parts > 1:
            return (None,)
        missed = float(self._missed(_masses(state.log[:1]))[0])
        phase = "hide" if self.shape.kept > 1 else "narrow"
        return (Sureness(phase, 1 - missed, float(1 - self.shape.hide_error)),)

    def summary(self, state: ResponseState) -> Int:
        """Return the numbers that decide how each run goes on.

        Args:
            state: The state of the runs.

        Returns:
            [runs, numbers] equal for runs that go on in the same way.
        """
        runs = len(state.point)
        single = np.stack((state.point, state.column), axis=1)
        return np.concatenate((single, state.window, state.log.reshape(runs, -1)), axis=1)

    @property
    def window_cells(self) -> int:
        """The number of cells that fit into a window of width epsilon."""
        return max(1, int(self.problem.epsilon * self.size))

    def _missed(self, mass: Float) -> Float:
        """Return the probability that the best window of width epsilon misses."""
        below = np.cumsum(mass, axis=1)
        whole, wide = below[:, -1], min(self.window_cells, mass.shape[1])
        caught = below[:, wide - 1 :].copy()
        caught[:, 1:] -= below[:, :-wide]
        missed: Float = 1 - caught.max(axis=1) / whole
        return missed

    def _aimed(self, state: ResponseState) -> ResponseState:
        """Return the state in which every search has chosen its next point, near the median."""
        if state.round >= len(self.rounds):
            return state
        rows, point = np.flatnonzero(state.point != UNASKED), state.point.copy()
        point[rows] = self.aims(take(state.log, rows), len(state.heard))
        return state._replace(point=point)

    def aims(self, log: Int, done: int) -> Int:
        """Return the boundaries of the part that searches ask about next; `UNASKED` if they stop.

        They depend only on the answers in part k̂.

        Args:
            log: [runs, scales, places] the posterior of the place, as in the state.
            done: The number of past rounds of hiding.
        """
        mass = _masses(log)
        below = np.cumsum(mass, axis=1)
        # The first boundary with half of the mass below it, up to the rounding errors of floats.
        middle = (below < below[:, -1:] * (0.5 - TIE)).sum(axis=1) + 1 - self.reach
        aside = self._aside(log) * (1 if done % 2 else -1)
        found: Int = np.clip(middle + aside, 1, self.part_cells - 1)
        if done:  # a round that asks nothing would end the search before its first
            found[self._missed(mass) <= float(self.shape.hide_error)] = UNASKED
        return found

    def _aside(self, log: Int) -> Int:
        """Return the number of cells beside the median to ask at, on alternating sides.

        At the median yes and no are equally likely at every scale. So if the scale is not known,
        questions are asked beside it, until one scale is nearly certain.
        """
        scales = np.array([float(each * self.size) for each in self.responses.scales])
        if len(scales) == 1:
            return np.zeros(len(log), np.int64)
        top = log.max(axis=(1, 2), keepdims=True)
        mass = np.exp((log - top) * LOG_UNIT).sum(axis=2)
        mass /= mass.sum(axis=1, keepdims=True)
        far = np.rint(_ASIDE * (mass @ scales)).astype(np.int64)
        return np.where(mass.max(axis=1) < _SURE, far, 0)

    def _cut(self, state: ResponseState, answers: Answers) -> ResponseState:
        """Return the state after the cut, with the chosen part and its window."""
        if state.side is None:
            raise RuntimeError("the coin of this round was not tossed")
        shape, runs = self.shape, len(answers)
        yes = answers.reshape(runs, shape.parts - 1, shape.repeats).sum(axis=2)
        found = likeliest(yes, shape.repeats, state.side % 2)
        whole = shape.kept == shape.parts
        first = np.zeros_like(found) if whole else (found - state.side // 2) % shape.parts
        window, column = keep(self._whole(runs), shape.parts, shape.kept, found, first)
        return state._replace(yes=yes, part=found, window=window, column=column)

    def _whole(self, runs: int) -> tuple[Int, Int]:
        return np.zeros(runs, np.int64), np.full(runs, self.size, np.int64)

    @cached_property
    def _tables(self) -> tuple[Int, Int]:
        """Return [scales, 2·size] the logarithms of yes and no, by the cell minus the boundary."""
        return _tables(self.responses, self.size)

    @cached_property
    def _weights(self) -> Int:
        """Return [scales] the logarithms of their weights."""
        return _fixed(np.log([float(each) for each in self.responses.weights]))

    @cached_property
    def _prior(self) -> Int:
        """Return [scales, places] the log prior of the place given the vote, mean over parts."""
        cells, parts, reach = self.part_cells, self.shape.parts, self.reach
        found = np.zeros((len(self.responses.scales), cells + 2 * reach), np.int64)
        if parts > 1:
            for row, scale in enumerate(self.responses.scales):
                wide = float(scale * parts)
                vote = placed_vote(self.responses, wide, parts, self.shape.repeats, cells)
                mean = vote.middle.sum(axis=0) / parts
                first = (parts - 1) * cells - reach
                near = mean[first : first + found.shape[1]]
                with np.errstate(divide="ignore"):
                    found[row] = _fixed(np.log(near))
        found += self._weights[:, None]
        found.flags.writeable = False
        return found

    @property
    def prior(self) -> Int:
        """The [scales, places] logarithms of the prior of the place given the vote."""
        return self._prior

    def likelihood(self, at: Int, yes: Int, asked: int | Int, first: int, cells: int) -> Int:
        """Return [runs, scales, cells] the log-likelihood of the answers to a boundary.

        Args:
            at: [runs] the boundaries.
            yes: [runs] the number of yes answers.
            asked: The number of all answers.
            first: The first cell of interest, such as −`reach`; cells may lie outside the range.
            cells: The number of cells of interest; the last is less than `size` from any boundary.
        """
        return self._likelihood(at - first, yes, asked, cells)

    def _told(self, point: Int, yes: Int) -> Int:
        """Return [runs, scales, places] the log-likelihood of a round's followed answers."""
        cells = self.part_cells + 2 * self.reach
        return self.likelihood(point, yes, self.shape.at_once, -self.reach, cells)

    def _likelihood(self, at: Int, yes: Int, asked: int | Int, cells: int) -> Int:
        """Return [runs, scales, cells] the log-likelihood of the answers, for every cell."""
        first, count = self.size - at, yes.reshape(-1, 1, 1)
        parts = []
        for table in self._tables:
            rows = sliding_window_view(table, cells, axis=1)  # [scales, starts, cells]
            parts.append(np.swapaxes(rows[:, first], 0, 1))
        rest = np.asarray(asked).reshape(-1, 1, 1) - count
        found: Int = count * parts[0] + rest * parts[1]
        return found


def _masses(log: Int) -> Float:
    """Return [runs, places] masses up to a factor, from logarithms by scale."""
    top = log.max(axis=(1, 2), keepdims=True)
    found: Float = np.exp((log - top) * LOG_UNIT).sum(axis=1)
    return found


def _fixed(log: Float) -> Int:
    """Return logarithms in units of 2^-36."""
    found: Int = np.where(
        np.isneginf(log), _IMPOSSIBLE, np.rint(np.maximum(log, _LEAST) / LOG_UNIT)
    ).astype(np.int64)
    return found


@lru_cache(maxsize=16)
def _coarse_tables(responses: Responses, size: int) -> Float:
    """Return [answers, scales, 2·size] logarithms of yes and no at scales nearby, as integers."""
    distance = np.arange(-size, size) + 0.5
    rows = np.stack([distance / (scale * size) for scale in responses.nearby])
    both = np.stack((responses.log_yes(rows), responses.log_yes(-rows)))
    found: Float = np.rint(np.maximum(both, _LEAST) / _COARSE)
    found.flags.writeable = False  # the cache returns the same array again
    return found


@lru_cache(maxsize=16)
def _tables(responses: Responses, size: int) -> tuple[Int, Int]:
    # A cell is represented by its middle.
    distance = np.arange(-size, size) + 0.5
    rows = [distance / float(scale * size) for scale in responses.scales]
    yes = np.stack([_fixed(responses.log_yes(each)) for each in rows])
    no = np.stack([_fixed(responses.log_yes(-each)) for each in rows])
    return yes, no
