"""Represent beliefs as integer counts, so that one answer costs O(pieces) for any number of cells.

A piece of length ℓ that k answers agree with weighs ℓ·r^k, r = α/(1−α). The same counts serve the
tilted weights of BZ (r = √(p/(1−p))) and the true posterior (r = p/(1−p)). A belief stores the
differences of k from piece to piece, since an answer changes only the one at its own edge. If p is
not known, the weight is a mean over p (`weights`), and k and the number of answers count too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs.compiled import compiled
from feint.beliefs.weights import MeanWeights, Steps, Weights, powers

Int = NDArray[np.int64]
Step = NDArray[np.int32]
Float = NDArray[np.float64]
Bool = NDArray[np.bool_]


_NEVER = 1 << 62
TIE = 1e-12
"""The difference below which masses count as equal, so that decisions do not depend on rounding."""


class Belief(NamedTuple):
    """One belief per row over cells 0 … size−1. Equal beliefs have equal representations.

    The last two attributes matter only if p is not known.

    Attributes:
        size: [runs] the number of cells.
        edges: [runs, room] the boundaries where it changes, in order; arbitrary past the last.
        steps: [runs, room] at each edge, the number of yes answers minus that of no; never 0.
        used: [runs] the number of edges.
        told: [runs] the number of answers that count.
        first: [runs] the number of them that agree with X* in cell 0.
    """

    size: Int
    edges: Int
    steps: Step
    used: Int
    told: Int
    first: Int


def uniform(size: Int, told: Int | None = None, agree: Int | None = None) -> Belief:
    """Return the belief in which all cells are equally likely.

    Args:
        size: [runs] the number of cells.
        told: [runs] the number of answers that count already but favour no cell; None: 0.
        agree: [runs] the number of those answers that are right.
    """
    runs = len(size)
    none, zero = np.empty((runs, 0), np.int64), np.zeros(runs, np.int64)
    steps = none.astype(np.int32)
    return Belief(
        size, none, steps, zero, zero if told is None else told, zero if agree is None else agree
    )


_ALIKE = Steps()


def learn(belief: Belief, point: Int, answer: Bool, counts: Steps = _ALIKE) -> Belief:
    """Return the belief after one answer per row.

    Args:
        belief: The belief before the answer.
        point: [runs] the boundary asked about; a boundary at an end teaches nothing.
        answer: [runs] True if the answer says that X* lies at or above it.
        counts: The counts of a yes and of a no.

    Returns:
        The new belief.
    """
    runs, room = len(point), int(belief.used.max(initial=0)) + 1
    edges, steps = np.empty((runs, room), np.int64), np.empty((runs, room), np.int32)
    used = np.empty(runs, np.int64)
    _learn(*belief[:4], point, answer, counts.yes, counts.no, edges, steps, used)
    told = (point > 0) & (point < belief.size)
    first = belief.first + (told & ~answer)
    return Belief(belief.size, edges, steps, used, belief.told + told, first)


def median(belief: Belief, weights: Weights, level: float = 0.5) -> tuple[Int, Float, Float]:
    """Return the cell that contains the median, or another quantile.

    Args:
        belief: The belief.
        weights: The weights of answers: r, the odds of agreeing ones, or those of an unknown p.
        level: The share of the mass that lies below the quantile.

    Returns:
        The cell, the mass below it and the mass in it; the total mass is 1.
    """
    runs = len(belief.size)
    cell, below, inside = np.empty(runs, np.int64), np.empty(runs), np.empty(runs)
    _weighed(_median, belief, weights, level, cell, below, inside)
    return cell, below, inside


def doubt(belief: Belief, weights: Weights) -> Float:
    """Return the probability that X* is not in the likeliest cell.

    Args:
        belief: The belief.
        weights: The weights of answers: r, the odds of agreeing ones, or those of an unknown p.

    Returns:
        [runs] the mass of all other cells; the total mass is 1. It is a sum without differences,
        so small doubts keep their digits.
    """
    missing = np.empty(len(belief.size))
    _weighed(_doubt, belief, weights, missing)
    return missing


def changes(belief: Belief) -> tuple[Int, Step]:
    """Return [runs, room] edges and steps; past the last edge they are the size and 0."""
    held = np.arange(belief.edges.shape[1]) < belief.used[:, None]
    edges = np.where(held, belief.edges, belief.size[:, None])
    return edges, np.where(held, belief.steps, np.int32(0))


def densest(belief: Belief) -> Int:
    """Return the cell that most answers agree with; the first one if there are several."""
    cell = np.empty(len(belief.size), np.int64)
    _densest(belief.edges, belief.steps, belief.used, cell)
    return cell


def densities(belief: Belief, weights: Weights) -> tuple[Int, Float]:
    """Return the edges and densities of a belief; the largest density is 1.

    Args:
        belief: The belief.
        weights: The weights of answers: r, the odds of agreeing ones, or those of an unknown p.

    Returns:
        [runs, pieces + 1] and [runs, pieces]; pieces of length 0 come last.
    """
    runs, room = belief.edges.shape
    edges, density = np.empty((runs, room + 2), np.int64), np.empty((runs, room + 1))
    _weighed(_densities, belief, weights, edges, density)
    return edges, density


def weigh(
    points: Int,
    steps: Int,
    size: int,
    weights: Weights,
    *,
    told: Int | None = None,
) -> tuple[Int, Float]:
    """Return the belief after many answers at once, in any order.

    Args:
        points: [runs, answers] boundaries asked about, from 0 to size; they may repeat.
        steps: [runs, answers] for each, the number of yes answers minus that of no.
        size: The number of cells.
        weights: The weights of answers: r, the odds of agreeing ones, or those of an unknown p.
        told: [runs] the number of answers; only an unknown p needs it.

    Returns:
        The edges and densities, as `densities` returns them.
    """
    runs, answers = points.shape
    edges, used = np.zeros((runs, answers), np.int64), np.zeros(runs, np.int64)
    sums = np.zeros((runs, answers), np.int32)
    _merge(points, steps, edges, sums, used)
    room = int(used.max(initial=0))
    total = np.zeros(runs, np.int64) if told is None else told
    belief = uniform(np.full(runs, size), total, (total - steps.sum(axis=1)) // 2)
    belief = belief._replace(edges=edges[:, :room], steps=sums[:, :room], used=used)
    return densities(belief, weights)


def tally(points: Int, answers: NDArray[np.bool_], counts: Steps = _ALIKE) -> tuple[Int, Step]:
    """Add up the answers to repeated questions that were asked in several places at once.

    Args:
        points: [runs, questions] the boundaries asked about; negative if nothing was asked.
        answers: [runs, questions, places] the answer to each, in every place.
        counts: The counts of a yes and of a no.

    Returns:
        [runs, room] the distinct boundaries, in order, and [runs, places, room] the number of yes
        answers minus that of no; 0 past the last boundary.
    """
    runs, asked, places = answers.shape
    edges, used = np.zeros((runs, asked), np.int64), np.zeros(runs, np.int64)
    steps = np.zeros((runs, places, asked), np.int32)
    _tally(points, answers, counts.yes, counts.no, edges, steps, used)
    room = int(used.max(initial=0))
    return edges[:, :room], steps[:, :, :room]


def most_agreeing(belief: Belief) -> Int:
    """Return [runs] the number of answers that agree with the likeliest cell."""
    lead = np.empty(len(belief.size), np.int64)
    _most(*belief[:4], lead)
    most: Int = belief.first + lead
    return most


def agreeing(belief: Belief, cell: Int) -> Int:
    """Return [runs] the number of answers that agree with a cell."""
    edges, steps = changes(belief)
    agree: Int = belief.first + np.where(edges <= cell[:, None], steps, 0).sum(axis=1)
    return agree


def scores(steps: NDArray[np.integer]) -> Int:
    """Return [runs, pieces] how many more answers agree with each piece than with the first one."""
    score: Int = np.pad(np.cumsum(steps, axis=1, dtype=np.int64), ((0, 0), (1, 0)))
    return score


def _weighed(
    kernel: Callable[..., int], belief: Belief, weights: Weights, *out: NDArray[np.number] | float
) -> None:
    """Call a kernel that weighs pieces by a table, and again if the table was too short."""
    table, row = _tables(belief, weights, belief.edges.shape[1])
    furthest = int(kernel(*belief[:4], table, row, *out))
    if furthest >= table.shape[1] and (table[:, -1] > 0).any():
        kernel(*belief[:4], *_tables(belief, weights, furthest), *out)


def _tables(belief: Belief, weights: Weights, depth: int) -> tuple[Float, Int]:
    """Return tables of weights by a cell's distance from the lead, and the table of each run."""
    if isinstance(weights, MeanWeights):
        return weights.tables(belief.told, most_agreeing(belief), depth)
    return powers(weights, depth)[None], np.zeros(len(belief.size), np.int64)


@compiled
def _learn(
    size: Int,
    edges: Int,
    steps: Step,
    used: Int,
    point: Int,
    answer: Bool,
    yes: int,
    no: int,
    new_edges: Int,
    new_steps: Step,
    new_used: Int,
) -> None:
    for i in range(len(size)):
        edge, step, new_edge, new_step = edges[i], steps[i], new_edges[i], new_steps[i]
        count, q = used[i], point[i]
        j = k = 0
        if 0 < q < size[i]:  # or it was known beforehand, and nothing is learned
            while j < count and edge[j] < q:
                new_edge[j], new_step[j] = edge[j], step[j]
                j += 1
            k = j
            more = yes if answer[i] else -no
            if j < count and edge[j] == q:
                more += step[j]
                j += 1
            if more != 0:  # or the belief no longer changes at q: the edge is removed
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
    tables: Float,
    row: Int,
    level: float,
    cell: Int,
    below: Float,
    inside: Float,
) -> int:
    """Write the answer, and return the last index of the table that it needs."""
    last, furthest = tables.shape[1] - 1, 0
    leads, cumulative = np.empty(edges.shape[1] + 1, np.int64), np.empty(edges.shape[1] + 1)
    for i in range(len(size)):
        edge, step, count, end, table = edges[i], steps[i], used[i], size[i], tables[row[i]]
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
        k, mark = 0, half * (1 + TIE)  # equal beliefs may differ in the last digits
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
def _doubt(
    size: Int, edges: Int, steps: Step, used: Int, tables: Float, row: Int, missing: Float
) -> int:
    """Write the mass outside the densest cell, and return the last index of the table it needs."""
    last, furthest = tables.shape[1] - 1, 0
    for i in range(len(size)):
        edge, step, count, end, table = edges[i], steps[i], used[i], size[i], tables[row[i]]
        lead = most = least = 0
        for j in range(count):
            lead += step[j]
            most, least = max(most, lead), min(least, lead)
        furthest = max(furthest, most - least)
        low, lead, others, found = 0, 0, 0.0, 0
        for j in range(count + 1):
            high = edge[j] if j < count else end
            cells = high - low
            if lead == most and found == 0:  # the cell itself is left out once
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
    size: Int,
    edges: Int,
    steps: Step,
    used: Int,
    tables: Float,
    row: Int,
    new_edges: Int,
    density: Float,
) -> int:
    """Write edges and densities, and return the last index of the table that they need."""
    last, furthest, room = tables.shape[1] - 1, 0, edges.shape[1]
    for i in range(len(size)):
        edge, step, count, end, table = edges[i], steps[i], used[i], size[i], tables[row[i]]
        new_edge, weight = new_edges[i], density[i]
        new_edge[0], new_edge[1:] = 0, end
        lead, most = 0, -_NEVER
        for j in range(count):
            new_edge[j + 1] = edge[j]
            if edge[j] > new_edge[j]:  # or the piece has length 0
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
def _most(size: Int, edges: Int, steps: Step, used: Int, most: Int) -> None:
    """Write how many more answers agree with the likeliest piece than with the leftmost one."""
    for i in range(len(size)):
        low, lead, best = 0, 0, -_NEVER
        for j in range(used[i]):
            if edges[i, j] > low:  # or the piece has length 0
                best = max(best, lead)
                low = edges[i, j]
            lead += steps[i, j]
        if size[i] > low:
            best = max(best, lead)
        most[i] = best


@compiled
def _merge(points: Int, steps: Int, edges: Int, sums: Step, used: Int) -> None:
    for i in range(len(points)):
        edge, total, count = edges[i], sums[i], 0
        for j in range(points.shape[1]):
            more, q = steps[i, j], points[i, j]
            if more == 0:
                continue
            low, high = 0, count
            if count > 0 and edge[count - 1] < q:  # most points are in order already
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
def _tally(
    points: Int, answers: Bool, yes: int, no: int, edges: Int, steps: Step, used: Int
) -> None:
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
                steps[i, c, k] += yes if answers[i, j, c] else -no
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
