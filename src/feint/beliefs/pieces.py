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


TIE = 1e-12
"""Masses nearer than this are equal: every decision must fall alike however a belief is cut."""


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


def densities(belief: Belief, ratio: float) -> tuple[Int, Float]:
    """Edges and densities of a belief; the largest density is 1.

    Args:
        belief: What is believed.
        ratio: r, the odds of agreeing answers.

    Returns:
        [runs, pieces + 1] and [runs, pieces]; pieces of no length come last.
    """
    return belief.edges, powers(ratio, -int(belief.score.min(initial=0)))[-belief.score]


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
        edge, lead, new_edge, new_lead = edges[i], score[i], new_edges[i], new_score[i]
        pieces, q, end, yes = used[i], point[i], size[i], answer[i]
        if q <= 0 or q >= end:  # known beforehand: nothing is learnt
            new_edge[:pieces], new_lead[:pieces] = edge[:pieces], lead[:pieces]
            k = pieces
        else:
            split, past = 0, pieces  # the first piece that does not begin below q
            while split < past:
                middle = (split + past) // 2
                if edge[middle] < q:
                    split = middle + 1
                else:
                    past = middle
            fresh = split == pieces or edge[split] != q  # q divides the piece before
            # The most is 0, and 1 if a piece that had it agrees again.
            j, last = (split - fresh, pieces) if yes else (0, split)
            while j < last and lead[j] < 0:
                j += 1
            again = j < last
            low, high = int(not yes) - again, int(yes) - again
            for j in range(split):
                new_edge[j], new_lead[j] = edge[j], lead[j] + low
            k = split
            if fresh:
                new_edge[k], new_lead[k] = q, lead[split - 1] + high
                k += 1
            elif lead[split] + high == lead[split - 1] + low:
                split += 1  # the belief no longer differs at q: the edge goes
            for j in range(split, pieces):
                new_edge[k], new_lead[k] = edge[j], lead[j] + high
                k += 1
        new_used[i] = k
        for j in range(k, room):
            new_edge[j], new_lead[j] = end, 0
        new_edge[room] = end


@compiled
def _median(
    edges: Int, score: Score, used: Int, table: Float, cell: Int, below: Float, inside: Float
) -> None:
    for i in range(len(edges)):
        edge, lead, pieces = edges[i], score[i], used[i]
        total, low = 0.0, edge[0]
        for j in range(pieces):
            high = edge[j + 1]
            total += (high - low) * table[-lead[j]]
            low = high
        half, heap, j = total / 2, 0.0, 0
        density = table[-lead[0]]
        mass = (edge[1] - edge[0]) * density
        least = half * (1 + TIE)  # equal beliefs in other pieces add up to other last digits
        while j < pieces - 1 and heap + mass <= least:
            heap += mass
            j += 1
            density = table[-lead[j]]
            mass = (edge[j + 1] - edge[j]) * density
        offset, most = np.int64(0), edge[j + 1] - edge[j] - 1
        if density > 0.0:
            offset = min(np.int64(max(0.0, half - heap) / density + TIE), most)
        cell[i] = edge[j] + offset
        below[i] = (heap + offset * density) / total
        inside[i] = density / total


@compiled
def _densest(edges: Int, score: Score, cell: Int) -> None:
    for i in range(len(edges)):
        j = 0
        while score[i, j] < 0:
            j += 1
        cell[i] = edges[i, j]
