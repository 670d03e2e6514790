"""Beliefs as integer counts a piece: one answer costs O(pieces), whatever the number of cells.

A piece of length ℓ that k answers agree with weighs ℓ·r^k, r = α/(1−α): the same counts serve the
tilted weights of BZ (r = √(p/(1−p))) and the true posterior (r = p/(1−p)).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs.compiled import compiled

Int = NDArray[np.int64]
Score = NDArray[np.int32]
Float = NDArray[np.float64]
Bool = NDArray[np.bool_]


class Belief(NamedTuple):
    """A belief a row, over cells 0 … size−1; all in a form that equal beliefs share.

    Attributes:
        size: [runs] how many cells there are.
        edges: [runs, pieces + 1] where pieces begin and end; past the last one, the size again.
        score: [runs, pieces] agreeing answers, less those of the piece with the most; at most 0.
        used: [runs] how many pieces there are.
    """

    size: Int
    edges: Int
    score: Score
    used: Int


def uniform(size: Int) -> Belief:
    """Nothing is known: one piece a row."""
    runs = len(size)
    edges = np.stack((np.zeros_like(size), size), axis=1)
    return Belief(size, edges, np.zeros((runs, 1), np.int32), np.ones(runs, np.int64))


def learn(belief: Belief, point: Int, answer: Bool) -> Belief:
    """The belief after one answer a row.

    Args:
        belief: What was believed before.
        point: [runs] the boundary asked about; one at an end teaches nothing.
        answer: [runs] whether X* was said to lie at or above it.

    Returns:
        The new belief.
    """
    runs, room = len(point), int(belief.used.max(initial=1))
    edges = np.empty((runs, room + 2), np.int64)
    score = np.empty((runs, room + 1), np.int32)
    used = np.empty(runs, np.int64)
    _learn(belief.size, belief.edges, belief.score, belief.used, point, answer, edges, score, used)
    return Belief(belief.size, edges, score, used)


def median(belief: Belief, ratio: float) -> tuple[Int, Float, Float]:
    """The cell that holds the median.

    Args:
        belief: What is believed.
        ratio: r, the odds of agreeing answers.

    Returns:
        The cell, the mass below it and the mass in it, out of one.
    """
    runs = len(belief.size)
    cell, below, inside = np.empty(runs, np.int64), np.empty(runs), np.empty(runs)
    table = powers(ratio, -int(belief.score.min(initial=0)))
    _median(belief.edges, belief.score, belief.used, table, cell, below, inside)
    return cell, below, inside


def densest(belief: Belief) -> Int:
    """The cell most answers agree with; the first one where several do."""
    cell = np.empty(len(belief.size), np.int64)
    _densest(belief.edges, belief.score, cell)
    return cell


def weigh(points: Int, steps: Int, size: int, ratio: float) -> tuple[Int, Float]:
    """The belief after many answers at once, in any order.

    Args:
        points: [runs, answers] boundaries asked about, from 0 to size; they may repeat.
        steps: [runs, answers] for each, how many more answers said yes than no.
        size: How many cells there are.
        ratio: r, the odds of agreeing answers.

    Returns:
        Edges and densities, [runs, answers + 2] and [runs, answers + 1]; the largest density is 1.
    """
    order = np.argsort(points, axis=1, kind="stable")
    edges = np.pad(np.take_along_axis(points, order, axis=1), ((0, 0), (1, 1)))
    edges[:, -1] = size
    score = np.pad(np.cumsum(np.take_along_axis(steps, order, axis=1), axis=1), ((0, 0), (1, 0)))
    real = np.diff(edges, axis=1) > 0
    most = np.where(real, score, np.iinfo(np.int64).min).max(axis=1, keepdims=True)
    below = np.where(real, most - score, 0)
    return edges, np.where(real, powers(ratio, int(below.max(initial=0)))[below], 0.0)


def powers(ratio: float, most: int) -> Float:
    """The table r^−k for k from 0 to `most` at least; what is too small to hold is 0."""
    return _powers(ratio, 1 << max(6, most.bit_length()))


@lru_cache(maxsize=64)
def _powers(ratio: float, length: int) -> Float:
    table: Float = np.exp(-np.arange(length) * np.log(ratio))
    table.flags.writeable = False
    return table


@compiled
def _learn(
    size: Int,
    edges: Int,
    score: Score,
    used: Int,
    point: Int,
    answer: Bool,
    new_edges: Int,
    new_score: Score,
    new_used: Int,
) -> None:
    room = new_score.shape[1]
    for i in range(len(size)):
        pieces, q = used[i], point[i]
        split = 0  # the first piece that does not begin below q
        while split < pieces and edges[i, split] < q:
            split += 1
        low, high = (0, 1) if answer[i] else (1, 0)
        first, last = (split, pieces) if answer[i] else (0, split)
        if q <= 0 or q >= size[i]:
            low, high, first, last, split = 0, 0, 0, 0, pieces
        elif edges[i, split] != q and answer[i]:
            first -= 1  # q divides the piece before
        # The most is 0, and 1 if a piece that had it agrees again.
        j = first
        while j < last and score[i, j] < 0:
            j += 1
        if j < last:
            low, high = low - 1, high - 1
        for j in range(split):
            new_edges[i, j], new_score[i, j] = edges[i, j], score[i, j] + low
        k = split
        if split > 0 and split < pieces + 1 and low != high:
            # The edge at q stays only if the belief differs there.
            if edges[i, split] != q:
                new_edges[i, k], new_score[i, k] = q, score[i, split - 1] + high
                k += 1
            elif score[i, split] + high != score[i, split - 1] + low:
                new_edges[i, k], new_score[i, k] = q, score[i, split] + high
                k, split = k + 1, split + 1
            else:
                split += 1
            for j in range(split, pieces):
                new_edges[i, k], new_score[i, k] = edges[i, j], score[i, j] + high
                k += 1
        new_used[i] = k
        for j in range(k, room):
            new_edges[i, j], new_score[i, j] = size[i], 0
        new_edges[i, room] = size[i]


@compiled
def _median(
    edges: Int, score: Score, used: Int, table: Float, cell: Int, below: Float, inside: Float
) -> None:
    for i in range(len(edges)):
        total = 0.0
        for j in range(used[i]):
            total += (edges[i, j + 1] - edges[i, j]) * table[-score[i, j]]
        half, heap, last = total / 2, 0.0, used[i] - 1
        j = 0
        mass = (edges[i, 1] - edges[i, 0]) * table[-score[i, 0]]
        while j < last and heap + mass <= half:
            heap += mass
            j += 1
            mass = (edges[i, j + 1] - edges[i, j]) * table[-score[i, j]]
        density = table[-score[i, j]]
        offset, most = np.int64(0), edges[i, j + 1] - edges[i, j] - 1
        if density > 0.0:
            offset = min(np.int64((half - heap) / density), most)
        cell[i] = edges[i, j] + offset
        below[i] = (heap + offset * density) / total
        inside[i] = density / total


@compiled
def _densest(edges: Int, score: Score, cell: Int) -> None:
    for i in range(len(edges)):
        j = 0
        while score[i, j] < 0:
            j += 1
        cell[i] = edges[i, j]
