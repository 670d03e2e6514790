"""The state of a batch of sequential noisy searches, and how some of its runs change.

Runs of one batch are in different stages, so nearly every step concerns some rows alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import Belief
from feint.interfaces import UNASKED, Answers
from feint.strategies.cuts import Int, Piece
from feint.strategies.schedule import HIDE_CAP, NARROW_CAP

Bool = NDArray[np.bool_]


class SequentialState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The number of the next round.
        stage: [runs] the stage of each run.
        done: [runs] the number of past rounds of the stage.
        belief: The belief about the stage's cells (blocks, or cells of a part), given its answers.
        point: [runs, at once] the boundaries of those cells that are asked about next; `UNASKED`
            if a run asks about fewer.
        left: [runs] the probability that a tilted search asks about the left end of its cell.
        side: The side of this round's first coin; None before it was tossed.
        flips: [runs, coins] the sides of this round's other coins, one for each inner boundary if
            checks fail at two rates.
        coarse: The belief about the blocks after narrowing, given all its answers.
        block: The start and size of the block that was found.
        yes: [runs, parts − 1] the number of yes answers to each inner boundary.
        part: [runs] k̂, the number of the likeliest part.
        window: [runs, kept] the start of every kept part.
        column: [runs] the column of k̂ among them.
        heard: For each round in which some run was hiding, [runs, at once] the relative points
            that it asked in the kept parts, and [runs, kept · at once] the answers to them.
    """

    round: int
    stage: Int
    done: Int
    belief: Belief
    point: Int
    left: NDArray[np.float64]
    side: Int | None
    flips: Int
    coarse: Belief
    block: Piece
    yes: Int
    part: Int
    window: Int
    column: Int
    heard: tuple[tuple[Int, Answers], ...]


def rows_of(mask: Bool) -> Int:
    """Return the numbers of the rows that a mask selects."""
    return mask.nonzero()[0]


def tilted_rows(state: SequentialState) -> Int:
    """Return the runs that a search of fixed length decides."""
    return rows_of((state.stage == NARROW_CAP) | (state.stage == HIDE_CAP))


def hidden_questions(state: SequentialState) -> Int:
    """Return the number of questions that each run asked while hiding, in one part."""
    asked = np.concatenate([offset for offset, _ in state.heard], axis=1) != UNASKED
    found: Int = asked.sum(axis=1)
    return found


def with_stage(state: SequentialState, rows: Int, stage: int, belief: Belief) -> SequentialState:
    """Return the state in which some runs begin a stage, with their beliefs in it."""
    if not len(rows):
        return state
    return state._replace(
        stage=with_values(state.stage, rows, stage),
        done=with_values(state.done, rows, 0),
        belief=with_beliefs(state.belief, rows, belief),
    )


def with_values(values: NDArray[Any], rows: Int, new: NDArray[Any] | int) -> NDArray[Any]:
    """Return a copy with other values in some rows."""
    if not len(rows):
        return values
    found = values.copy()
    found[rows] = new
    return found


def with_beliefs(belief: Belief, rows: Int, new: Belief) -> Belief:
    """Return a copy with other beliefs in some rows."""
    if not len(rows):
        return belief
    room = max(belief.edges.shape[1], new.edges.shape[1])
    edges = np.zeros((len(belief.size), room), np.int64)
    steps = np.zeros((len(belief.size), room), np.int32)
    edges[:, : belief.edges.shape[1]], steps[:, : belief.steps.shape[1]] = belief[1:3]
    edges[rows, : new.edges.shape[1]], steps[rows, : new.steps.shape[1]] = new[1:3]
    counts = (
        with_values(old, rows, now)
        for old, now in (
            (belief.used, new.used),
            (belief.told, new.told),
            (belief.first, new.first),
        )
    )
    return Belief(with_values(belief.size, rows, new.size), edges, steps, *counts)
