"""Beliefs as integer counts: one answer costs O(pieces), whatever the number of cells.

A piece of length ℓ that k answers agree with weighs ℓ·r^k, r = α/(1−α): the same counts serve the
tilted weights of BZ (r = √(p/(1−p))) and the true posterior (r = p/(1−p)). Kept are the differences
of k from piece to piece: an answer changes only the one at its own edge.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs.compiled import compiled

Int = NDArray[np.int64]
Step = NDArray[np.int32]
Float = NDArray[np.float64]
Bool = NDArray[np.bool_]


_NEVER = 1 << 62
_VANISHES = 746.0  # exp of less than minus this is 0
TIE = 1e-12
"""Masses nearer than this are equal: every decision must fall alike however a belief is cut."""


class Belief(NamedTuple):
    """A belief a row, over cells 0 … size−1; all in a form that equal beliefs share.

    Attributes:
        size: [runs] how many cells there are.
        edges: [runs, room] the boundaries where it changes, in order; past the last, anything.
        steps: [runs, room] at each, how many more answers said yes than no; never 0.
        used: [runs] how many edges there are.
    """

    size: Int
    edges: Int
    steps: Step
    used: Int


def uniform(size: Int) -> Belief:
    """Nothing is known: no edge in any row."""
    runs = len(size)
    none = np.empty((runs, 0), np.int64)
    return Belief(size, none, none.astype(np.int32), np.zeros(runs, np.int64))


def learn(belief: Belief, point: Int, answer: Bool) -> Belief:
    """The belief after one answer a row.

    Args:
        belief: What was believed before.
        point: [runs] the boundary asked about; one at an end teaches nothing.
        answer: [runs] whether X* was said to lie at or above it.

    Returns:
        The new belief.
    """
    runs, room = len(point), int(belief.used.max(initial=0)) + 1
    edges, steps = np.empty((runs, room), np.int64), np.empty((runs, room), np.int32)
    used = np.empty(runs, np.int64)
    _learn(*belief, point, answer, edges, steps, used)
    return Belief(belief.size, edges, steps, used)


def median(belief: Belief, ratio: float, level: float = 0.5) -> tuple[Int, Float, Float]:
    """Return the cell that holds the median, or another quantile.

    Args:
        belief: What is believed.
        ratio: r, the odds of agreeing answers.
        level: The share of the mass that lies below the quantile.

    Returns:
        The cell, the mass below it and the mass in it, out of one.
    """
    runs = len(belief.size)
    cell, below, inside = np.empty(runs, np.int64), np.empty(runs), np.empty(runs)
    _weighed(_median, belief, ratio, level, cell, below, inside)
    return cell, below, inside


def doubt(belief: Belief, ratio: float) -> Float:
    """Return the probability that X* is not in the likeliest cell.

    Args:
        belief: What is believed.
        ratio: r, the odds of agreeing answers.

    Returns:
        [runs] the mass of all other cells, out of one: a sum without differences, so that small
        doubts keep their digits.
    """
    missing = np.empty(len(belief.size))
    _weighed(_doubt, belief, ratio, missing)
    return missing


def changes(belief: Belief) -> tuple[Int, Step]:
    """[runs, room] edges and steps; past the last edge, the size and 0."""
    held = np.arange(belief.edges.shape[1]) < belief.used[:, None]
    edges = np.where(held, belief.edges, belief.size[:, None])
    return edges, np.where(held, belief.steps, np.int32(0))


def densest(belief: Belief) -> Int:
    """The cell most answers agree with; the first one where several do."""
    cell = np.empty(len(belief.size), np.int64)
    _densest(belief.edges, belief.steps, belief.used, cell)
    return cell


def densities(belief: Belief, ratio: float) -> tuple[Int, Float]:
    """Edges and densities of a belief; the largest density is 1.

    Args:
        belief: What is believed.
        ratio: r, the odds of agreeing answers.

    Returns:
        [runs, pieces + 1] and [runs, pieces]; pieces of no length come last.
    """
    runs, room = belief.edges.shape
    edges, density = np.empty((runs, room + 2), np.int64), np.empty((runs, room + 1))
    _weighed(_densities, belief, ratio, edges, density)
    return edges, density


def weigh(points: Int, steps: Int, size: int, ratio: float) -> tuple[Int, Float]:
    """The belief after many answers at once, in any order.

    Args:
        points: [runs, answers] boundaries asked about, from 0 to size; they may repeat.
        steps: [runs, answers] for each, how many more answers said yes than no.
        size: How many cells there are.
        ratio: r, the odds of agreeing answers.

    Returns:
        Edges and densities, as `densities` gives them.
    """
    runs, answers = points.shape
    edges, used = np.zeros((runs, answers), np.int64), np.zeros(runs, np.int64)
    sums = np.zeros((runs, answers), np.int32)
    _merge(points, steps, edges, sums, used)
    room = int(used.max(initial=0))
    return densities(Belief(np.full(runs, size), edges[:, :room], sums[:, :room], used), ratio)


def tally(points: Int, answers: NDArray[np.bool_]) -> tuple[Int, Step]:
    """Add up answers to questions that were asked in several places at once, and may repeat.

    Args:
        points: [runs, questions] the boundaries asked about; negative where nothing was asked.
        answers: [runs, questions, places] what was said to each, in every place.

    Returns:
        [runs, room] the distinct boundaries, in order, and [runs, places, room] how many more
        answers said yes than no; past the last boundary, 0.
    """
    runs, asked, places = answers.shape
    edges, used = np.zeros((runs, asked), np.int64), np.zeros(runs, np.int64)
    steps = np.zeros((runs, places, asked), np.int32)
    _tally(points, answers, edges, steps, used)
    room = int(used.max(initial=0))
    return edges[:, :room], steps[:, :, :room]


def scores(steps: NDArray[np.integer]) -> Int:
    """[runs, pieces] how many more answers agree with each piece than with the first one."""
    score: Int = np.pad(np.cumsum(steps, axis=1, dtype=np.int64), ((0, 0), (1, 0)))
    return score


def _weighed(
    kernel: Callable[..., int], belief: Belief, ratio: float, *out: NDArray[np.number] | float
) -> None:
    """Call a kernel that weighs pieces by a table, and again if the table was too short."""
    table = powers(ratio, belief.edges.shape[1])
    furthest = int(kernel(*belief, table, *out))
    if furthest >= len(table) and table[-1] > 0:
        kernel(*belief, powers(ratio, furthest), *out)


def powers(ratio: float, most: int) -> Float:
    """The table r^−k for k from 0 to `most` at least; what is too small to hold is 0.

    It ends with the first 0 if there is one: whatever lies beyond is 0 too.
    """
    return _powers(ratio, 1 << max(6, most.bit_length()))


@lru_cache(maxsize=64)
def _powers(ratio: float, length: int) -> Float:
    log = math.log(ratio)
    table: Float = np.exp(-np.arange(min(length, math.ceil(_VANISHES / log) + 1)) * log)
    table.flags.writeable = False
    return table


@compiled
def _learn(
    size: Int,
    edges: Int,
    steps: Step,
    used: Int,
    point: Int,
    answer: Bool,
    new_edges: Int,
    new_steps: Step,
    new_used: Int,
) -> None:
    for i in range(len(size)):
        edge, step, new_edge, new_step = edges[i], steps[i], new_edges[i], new_steps[i]
        count, q = used[i], point[i]
        j = k = 0
        if 0 < q < size[i]:  # or it was known beforehand, and nothing is learnt
            while j < count and edge[j] < q:
                new_edge[j], new_step[j] = edge[j], step[j]
                j += 1
            k = j
            more = 1 if answer[i] else -1
            if j < count and edge[j] == q:
                more += step[j]
                j += 1
            if more != 0:  # or the belief no longer differs at q: the edge goes
                new_edge[k], new_step[k] = q, more
                k += 1
        while j < count:
            new_edge[k], new_step[k] = edge[j], step[j]
            j += 1
            k += 1
        new_used[i] = k


@compiled
def _median(
    size: Int,
    edges: Int,
    steps: Step,
    used: Int,
    table: Float,
    level: float,
    cell: Int,
    below: Float,
    inside: Float,
) -> int:
    """Write the answer, and return how far down the table it should have looked."""
    last, furthest = len(table) - 1, 0
    leads, cumulative = np.empty(edges.shape[1] + 1, np.int64), np.empty(edges.shape[1] + 1)
    for i in range(len(size)):
        edge, step, count, end = edges[i], steps[i], used[i], size[i]
        lead = most = least = 0
        for j in range(count):
            leads[j] = lead
            lead += step[j]
            most, least = max(most, lead), min(least, lead)
        leads[count] = lead
        furthest = max(furthest, most - least)
        low, total = 0, 0.0
        for j in range(count):
            total += (edge[j] - low) * table[min(most - leads[j], last)]
            cumulative[j] = total
            low = edge[j]
        total += (end - low) * table[min(most - lead, last)]
        half = total * level
        k, mark = 0, half * (1 + TIE)  # equal beliefs in other pieces differ in the last digits
        for j in range(count):
            k += cumulative[j] <= mark
        low, before = 0, 0.0
        if k > 0:
            low, before = edge[k - 1], cumulative[k - 1]
        if k < count:
            end = edge[k]
        density, offset = table[min(most - leads[k], last)], 0
        if density > 0.0:
            offset = min(int(max(0.0, half - before) / density + TIE), end - low - 1)
        cell[i] = low + offset
        below[i] = (before + offset * density) / total
        inside[i] = density / total
    return furthest


@compiled
def _doubt(size: Int, edges: Int, steps: Step, used: Int, table: Float, missing: Float) -> int:
    """Write the mass outside the densest cell; return how far down the table it looked."""
    last, furthest = len(table) - 1, 0
    for i in range(len(size)):
        edge, step, count, end = edges[i], steps[i], used[i], size[i]
        lead = most = least = 0
        for j in range(count):
            lead += step[j]
            most, least = max(most, lead), min(least, lead)
        furthest = max(furthest, most - least)
        low, lead, others, found = 0, 0, 0.0, 0
        for j in range(count + 1):
            high = edge[j] if j < count else end
            cells = high - low
            if lead == most and found == 0:  # the cell itself is left out, once
                cells -= 1
                found = 1
            others += cells * table[min(most - lead, last)]
            low = high
            if j < count:
                lead += step[j]
        missing[i] = others / (others + 1.0)
    return furthest


@compiled
def _densities(
    size: Int, edges: Int, steps: Step, used: Int, table: Float, new_edges: Int, density: Float
) -> int:
    """Write edges and densities, and return how far down the table it should have looked."""
    last, furthest, room = len(table) - 1, 0, edges.shape[1]
    for i in range(len(size)):
        edge, step, count, end = edges[i], steps[i], used[i], size[i]
        new_edge, weight = new_edges[i], density[i]
        new_edge[0], new_edge[1:] = 0, end
        lead, most = 0, -_NEVER
        for j in range(count):
            new_edge[j + 1] = edge[j]
            if edge[j] > new_edge[j]:  # or the piece has no length
                most = max(most, lead)
            lead += step[j]
        if end > new_edge[count]:
            most = max(most, lead)
        lead = 0
        for j in range(room + 1):
            weight[j] = 0.0
            if new_edge[j + 1] > new_edge[j]:
                weight[j] = table[min(most - lead, last)]
                furthest = max(furthest, most - lead)
            if j < count:
                lead += step[j]
    return furthest


@compiled
def _merge(points: Int, steps: Int, edges: Int, sums: Step, used: Int) -> None:
    for i in range(len(points)):
        edge, total, count = edges[i], sums[i], 0
        for j in range(points.shape[1]):
            more, q = steps[i, j], points[i, j]
            if more == 0:
                continue
            low, high = 0, count
            if count > 0 and edge[count - 1] < q:  # most come in order
                low = count
            while low < high:
                half = (low + high) // 2
                if edge[half] < q:
                    low = half + 1
                else:
                    high = half
            if low == count or edge[low] != q:
                for k in range(count, low, -1):
                    edge[k], total[k] = edge[k - 1], total[k - 1]
                edge[low], total[low] = q, 0
                count += 1
            total[low] += more
        used[i] = count


@compiled
def _tally(points: Int, answers: Bool, edges: Int, steps: Step, used: Int) -> None:
    places = answers.shape[2]
    for i in range(len(points)):
        edge, count = edges[i], 0
        for j in range(points.shape[1]):
            q = points[i, j]
            if q < 0:
                continue
            k = count
            while k > 0 and edge[k - 1] >= q:
                k -= 1
            if k == count or edge[k] != q:  # make room for a new boundary
                for n in range(count, k, -1):
                    edge[n] = edge[n - 1]
                    for c in range(places):
                        steps[i, c, n] = steps[i, c, n - 1]
                edge[k] = q
                for c in range(places):
                    steps[i, c, k] = 0
                count += 1
            for c in range(places):
                steps[i, c, k] += 1 if answers[i, j, c] else -1
        used[i] = count


@compiled
def _densest(edges: Int, steps: Step, used: Int, cell: Int) -> None:
    for i in range(len(edges)):
        lead = most = at = 0
        for j in range(used[i]):
            lead += steps[i, j]
            if lead > most:
                most, at = lead, edges[i, j]
        cell[i] = at
