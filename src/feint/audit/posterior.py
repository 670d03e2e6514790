"""Compute the best eavesdropper's posterior after one transcript of the staged family under noise.

For a transcript q, P(X, q) = P(q⁽¹⁾, I | X) · Σ_{k kept} P(k̂ = k | X) · P(window | k̂ = k) ·
P(q⁽³⁾ | X, k̂ = k). The answers in stages 1 and 3 are not overheard. All histories that fit the
queries are followed, and histories with equal beliefs are merged (`histories`). P(k̂ | X) is exact
from binomials. If there are too many histories she is helped, and her success is an upper bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feint.audit.histories import Likelihood, Truth, likelihood
from feint.audit.placed import STATES, counts_told, placed_joint
from feint.audit.stopped import Ending, Stages, count_states, stages, stopped_likelihood
from feint.beliefs import uniform
from feint.errors import InvalidValue
from feint.interfaces import UNASKED
from feint.strategies import (
    ResponseNoisy,
    ResponseState,
    SequentialNoisy,
    SequentialState,
    StagedNoisy,
    StagedNoisyState,
    cut,
    law,
    longest,
)

Int = NDArray[np.int64]
Float = NDArray[np.float64]
_EFFORT = 1 << 18  # states followed in a transcript's longest search, over all of its queries
_STOPPED = 1 << 14  # the same for a search that stops when it is sure, which rarely has this many
_LONG = 1 << 10  # more queries are not followed: that would take minutes per transcript


@dataclass(frozen=True)
class Truths:
    """The answers in the audited run.

    Attributes:
        coarse: The answers in the search among blocks.
        fine: The answers in the search within a part.
        yes: [rounds] the number of yes answers in part k̂, if answers depend on the distance.
        most: The number of states to follow then before she is helped.
    """

    coarse: Truth
    fine: Truth
    yes: Int | None = None
    most: int = 0


@dataclass(frozen=True, kw_only=True)
class Joint:
    """The likelihood P(q | X) in pieces.

    Attributes:
        edges: The ends of the pieces.
        mass: The likelihood in each piece, up to a factor; the largest is 1.
        log: The logarithm of the factor.
        helped: Whether the eavesdropper received more information than she overheard.
    """

    edges: Int
    mass: Float
    log: float
    helped: bool


Followed = StagedNoisy | SequentialNoisy | ResponseNoisy
"""The strategies whose transcripts she can be followed through."""

EquallyRight = StagedNoisy | SequentialNoisy
"""Those whose answers are all right equally often."""


def joint(strategy: Followed, points: Int, truths: Truths | None) -> Joint:
    """Return the likelihood of a transcript for every cell of X*, in pieces.

    Args:
        strategy: The strategy that she overhears.
        points: The queries, in order; `UNASKED` in columns that were left out.
        truths: The answers, to help her with; None: she is not helped.
    """
    if isinstance(strategy, ResponseNoisy):
        told, most = (None, STATES) if truths is None else (truths.yes, truths.most)
        found = placed_joint(strategy, points, told, most)
        edges = np.arange(strategy.size + 1)
        return Joint(edges=edges, mass=found.mass, log=found.log, helped=found.helped)
    if isinstance(strategy, SequentialNoisy):
        return _stopped(strategy, points, truths)
    starts = cut(strategy.size, strategy.shape.blocks, np.arange(strategy.shape.blocks + 1))
    block = _block(strategy, points, starts)
    cuts = starts[block] + cut(
        starts[block + 1] - starts[block], strategy.shape.parts, np.arange(strategy.shape.parts + 1)
    )
    readings = _readings(strategy, points, cuts, truths)
    narrow = np.searchsorted(starts, points[: strategy.shape.narrow])
    coarse = None if truths is None else truths.coarse
    first = likelihood(
        strategy.searches[0], strategy.shape.blocks, narrow, found=block, truth=coarse
    )
    return _joined(strategy, starts, cuts, first, readings)


def _stopped(strategy: SequentialNoisy, points: Int, truths: Truths | None) -> Joint:
    """Return the likelihood for a search that stops when it is sure."""
    _check_blocks(strategy)
    parted = stages(strategy, points)
    starts = cut(strategy.size, strategy.shape.blocks, np.arange(strategy.shape.blocks + 1))
    first = _ended(
        Ending(strategy, True),
        strategy.shape.blocks,
        parted.narrow,
        found=parted.block,
        truth=None if truths is None else truths.coarse,
    )
    ending, readings = Ending(strategy, False), list[_Reading]()
    ways = list(_kept_parts(strategy, parted))
    for kept, offsets in ways:
        truth = truths.fine if truths is not None and len(ways) == 1 else None
        third = _ended(ending, parted.part, offsets, found=None, truth=truth)
        readings += [_Reading(kept, third)] if third.value.any() else []
    return _joined(strategy, starts, parted.cuts, first, readings)


def _ended(
    ending: Ending, cells: int, asked: list[Int], *, found: int | None, truth: Truth | None
) -> Likelihood:
    """Return the likelihood of one stage, given its answers if too many histories fit."""
    told = list[NDArray[np.bool_]]()
    if truth is not None and count_states(ending, cells, asked, truth.most):
        ends = np.cumsum([len(each) for each in asked])
        told = np.split(truth.answers, ends[:-1])
    return stopped_likelihood(ending, cells, asked, found=found, told=told)


def _kept_parts(strategy: SequentialNoisy, parted: Stages) -> Iterator[tuple[Int, list[Int]]]:
    """Yield the kept parts and relative points that fit the questions of the hiding stage."""
    if not parted.hide:
        yield np.arange(strategy.shape.parts), []
        return
    fresh = uniform(np.array([parted.part]))
    aimed = strategy.aims(fresh)[0, 0]
    ends = (aimed,) if strategy.shape.hide_rounds[0] else strategy.tilts(fresh)[0] + (0, 1)
    for offset in ends:
        number = _neighbours(parted.cuts, parted.hide[0][0] - offset)
        if number is not None:
            yield number, [each[:, 0] - parted.cuts[number[0]] for each in parted.hide]


def _joined(
    strategy: EquallyRight, starts: Int, cuts: Int, first: Likelihood, readings: list[_Reading]
) -> Joint:
    """Join the stages on pieces whose ends are those of parts, blocks and questions."""
    edges = [cuts[k] + each.third.seen for each in readings for k in each.kept]
    lattice = np.unique(np.clip(np.concatenate([starts, cuts, *edges]), 0, strategy.size))
    place = lattice[:-1]  # the first cell of a piece represents all of it
    home = np.searchsorted(starts, place, side="right") - 1
    top = max((each.third.log for each in readings), default=0.0)
    later = sum(
        each.by_place(strategy, cuts, place) * math.exp(each.third.log - top) for each in readings
    )
    mass = first.at(home) * later
    if not np.max(mass) > 0:
        raise RuntimeError("the strategy does not ask these queries")
    helped = first.helped or any(each.third.helped for each in readings)
    return Joint(
        edges=lattice,
        mass=mass / mass.max(),
        log=first.log + top + math.log(mass.max()),
        helped=helped,
    )


@dataclass(frozen=True)
class _Reading:
    """One interpretation of the queries of the last stage.

    Attributes:
        kept: The numbers of the kept parts, in the order of their questions.
        third: The likelihood of the relative queries.
    """

    kept: Int
    third: Likelihood

    def by_place(self, strategy: EquallyRight, cuts: Int, place: Int) -> Float:
        """Return the likelihood of stages 2 and 3. In a part without X*, answers are one-sided."""
        parts, part = strategy.shape.parts, _longest_part(strategy, cuts)
        true = np.clip(np.searchsorted(cuts, place, side="right") - 1, 0, parts - 1)
        voted = (
            law(parts, strategy.shape.repeats, float(strategy.p)) if parts > 1 else np.ones((1, 1))
        )
        total = np.zeros(len(place))
        for k in self.kept:
            low, high = place < cuts[k], place >= cuts[k + 1]
            offset = np.where(low, -1, np.where(high, part, place - cuts[k]))
            total += voted[true, k] * self.third.at(offset)
        # otherwise nothing was asked, and any part may have been kept
        tossed = len(self.kept) < parts
        return total / strategy.shape.kept if tossed else total


def _readings(
    strategy: StagedNoisy, points: Int, cuts: Int, truths: Truths | None
) -> list[_Reading]:
    """Return every interpretation of the last stage.

    There is more than one only if parts have one cell. Searches are then among two cells at most,
    with few states, and she is not helped: help would reveal the right interpretation.
    """
    search, part = strategy.searches[1], _longest_part(strategy, cuts)
    ways = list(_fitting(strategy, points, cuts))
    truth = truths.fine if truths is not None and len(ways) == 1 else None
    found = [
        _Reading(kept, likelihood(search, part, offsets, found=None, truth=truth))
        for kept, offsets in ways
    ]
    return [each for each in found if each.third.value.any()]


def _longest_part(strategy: EquallyRight, cuts: Int) -> int:
    """Return the number of cells of the longest part. All parts are searched with this size."""
    return int(longest(cuts[-1:] - cuts[:1], strategy.shape.parts)[0])


def _block(strategy: StagedNoisy, points: Int, starts: Int) -> int:
    """Return the block that was cut, which the place of the first cut reveals."""
    _check_blocks(strategy)
    if strategy.shape.blocks == 1:
        return 0
    return int(np.searchsorted(starts, points[strategy.shape.narrow], side="right")) - 1


def _check_blocks(strategy: EquallyRight) -> None:
    if strategy.shape.blocks > 1 and strategy.shape.parts == 1:
        rule = "a block that is not cut cannot be told from the queries"
        raise InvalidValue("parts", 1, rule, "audit a plan with at least 2 parts, or 1 block")


def _fitting(strategy: StagedNoisy, points: Int, cuts: Int) -> Iterator[tuple[Int, Int]]:
    """Yield the kept parts and relative points that fit the queries of the last stage."""
    kept = strategy.shape.kept
    if strategy.shape.hide == 0:
        yield np.arange(strategy.shape.parts), np.empty(0, np.int64)
        return
    asked = points[-strategy.shape.hide * kept :].reshape(strategy.shape.hide, kept)
    part = np.array([_longest_part(strategy, cuts)])
    cell = int(strategy.searches[1].start(part).cell[0])
    for offset in (cell, cell + 1):
        number = _neighbours(cuts, asked[0] - offset)
        if number is not None:
            yield number, asked[:, 0] - cuts[number[0]]


def _neighbours(cuts: Int, begins: Int) -> Int | None:
    """Return the numbers of the parts that begin there; None if they are not neighbours."""
    parts = len(cuts) - 1
    number = np.searchsorted(cuts[:-1], begins)
    if not (number < parts).all() or (cuts[number] != begins).any():
        return None
    gaps = np.diff(np.append(number, number[0] + parts))
    return number if (gaps > 1).sum() <= 1 else None  # parts are cyclic: the first follows the last


def states_followed(strategy: Followed) -> int:
    """Return the number of states of a search to follow before the eavesdropper is helped."""
    if isinstance(strategy, ResponseNoisy):
        return STATES
    if isinstance(strategy, SequentialNoisy):
        return _STOPPED
    longest_search = max(1, strategy.shape.narrow, strategy.shape.hide)
    return _EFFORT // longest_search if longest_search <= _LONG else 0


def truths_of(
    strategy: Followed,
    state: StagedNoisyState | SequentialState | ResponseState,
    told: NDArray[np.bool_],
    most: int,
    points: Int | None = None,
) -> Iterator[Truths]:
    """Yield the answers of each run's searches, and the number of states before she is helped.

    Args:
        strategy: The strategy.
        state: The state at the end of the runs.
        told: [runs, columns] the answers.
        most: The number of states that are followed before she is helped.
        points: [runs, columns] the questions, for searches that stop when they are sure.
    """
    if isinstance(strategy, ResponseNoisy) or isinstance(state, ResponseState):
        if not isinstance(state, ResponseState) or points is None:
            raise TypeError("searches that stop when they are sure are followed by their points")
        if not isinstance(strategy, ResponseNoisy):
            raise TypeError("the state is that of another strategy")
        for number, (asked, answers) in enumerate(zip(points, told, strict=True)):
            yes = counts_told(strategy, asked, answers, int(state.column[number]))
            none = Truth(np.empty(0, bool), most)
            yield Truths(none, none, yes, most)
        return
    if isinstance(state, SequentialState):
        if not isinstance(strategy, SequentialNoisy) or points is None:
            raise TypeError("searches that stop when they are sure are followed by their points")
        for number, (asked, answers) in enumerate(zip(points, told, strict=True)):
            yield _truths(strategy, asked, answers, int(state.column[number]), most)
        return
    if isinstance(strategy, SequentialNoisy):
        raise TypeError("the state is that of another strategy")
    narrow, runs = strategy.shape.narrow, np.arange(len(told))
    column = np.zeros_like(runs) if state.window is None else state.window[1]
    hidden = told[:, told.shape[1] - strategy.shape.hide * strategy.shape.kept :]
    fine = hidden.reshape(len(told), strategy.shape.hide, strategy.shape.kept)[runs, :, column]
    for i in runs:
        yield Truths(Truth(told[i, :narrow], most), Truth(fine[i], most))


def _truths(
    strategy: SequentialNoisy, asked: Int, answers: NDArray[np.bool_], column: int, most: int
) -> Truths:
    """Return the answers of one run that stopped when it was sure."""
    parted, heard = stages(strategy, asked), answers[asked != UNASKED]
    first = sum(len(each) for each in parted.narrow)
    hidden = sum(each.size for each in parted.hide)
    fine = heard[len(heard) - hidden :].reshape(-1, strategy.shape.kept)[:, column]
    return Truths(Truth(heard[:first], most), Truth(fine, most))
