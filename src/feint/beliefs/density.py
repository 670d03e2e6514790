"""Compute windows, quantiles and mean errors of a piecewise-constant density in closed form.

Densities need not be normalised. Pieces of length 0 are allowed. A lattice may have 2^62 cells,
more than a float can distinguish. So a point consists of a cell and an offset in it, and is
computed from the edge next to it. Masses are floats and sums of nonnegative terms, so their
relative errors stay small.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs.compiled import compiled

Int = NDArray[np.int64]
Float = NDArray[np.float64]
_HELD = 1 << 32  # below this a float represents a point, to 2^-21 of a cell


class Spot(NamedTuple):
    """One point of the lattice per run.

    Attributes:
        cell: [runs] the cell that it lies in.
        rest: [runs] its position in the cell, from 0 to 1.
    """

    cell: Int
    rest: Float


def best_window(edges: Int, density: Float, length: Fraction | float) -> tuple[Spot, Float]:
    """Return the window of a given length that contains the most mass.

    One of its ends is an end of a piece. Of several such windows, the first is returned.

    Args:
        edges: [runs, pieces + 1] where pieces begin and end.
        density: [runs, pieces].
        length: The length of the window, in the units of the edges; it is never rounded. A window
            that is longer than all pieces together begins where they begin.

    Returns:
        The middle of the window, and the mass in it.
    """
    spot, mass = _spot(len(edges)), np.empty(len(edges))
    far = _far(edges)
    whole = math.floor(length) * far
    _best_window(edges, density, whole, float(length - whole), far, *spot, mass)
    return spot, mass


def quantile(edges: Int, density: Float, level: float) -> Spot:
    """Return the point below which a share of the mass lies.

    Args:
        edges: [runs, pieces + 1] where pieces begin and end.
        density: [runs, pieces].
        level: The share, from 0 to 1.

    Returns:
        The point, in a piece that has mass.
    """
    spot = _spot(len(edges))
    _quantile(edges, density, level, _far(edges), *spot)
    return spot


def mean_error(edges: Int, density: Float, spot: Spot, *, whole: bool) -> Float:
    """Return the mean absolute error of a point, in cells.

    Args:
        edges: [runs, pieces + 1] where pieces begin and end.
        density: [runs, pieces].
        spot: The points.
        whole: Whether X* is a whole value, that is, a cell; then the distance is between cells.

    Returns:
        [runs] the mean of |X* − point|.
    """
    error = np.empty(len(edges))
    _mean_error(edges, density, *spot, whole, error)
    return error


def _spot(runs: int) -> Spot:
    return Spot(np.empty(runs, np.int64), np.empty(runs))


def _far(edges: Int) -> int:
    """Return 1 if points are computed from the edge next to them, 0 if a float from 0 suffices."""
    return int(edges[:, -1].max(initial=0) >= _HELD)


@compiled
def _quantile(edges: Int, density: Float, level: float, far: int, cell: Int, rest: Float) -> None:
    pieces = density.shape[1]
    for i in range(len(edges)):
        edge, weight = edges[i], density[i]
        total = 0.0
        for j in range(pieces):
            total += (edge[j + 1] - edge[j]) * weight[j]
        mark, cumulative, mass, at = total * level, 0.0, 0.0, 0
        for j in range(pieces):  # up to the first piece that reaches the mark and has mass
            mass = (edge[j + 1] - edge[j]) * weight[j]
            if mass > 0.0:
                cumulative += mass
                at = j
                if cumulative >= mark:
                    break
        base = edge[at] * far
        inside = max(0.0, mass - (cumulative - mark)) / weight[at]
        point = (edge[at] - base) + min(inside, float(edge[at + 1] - edge[at]))
        cell[i] = min(base + math.floor(point), edge[pieces] - 1)
        rest[i] = point - (cell[i] - base)


@compiled
def _mean_error(
    edges: Int, density: Float, cell: Int, rest: Float, whole: bool, error: Float
) -> None:
    for i in range(len(edges)):
        edge, weight, shift = edges[i], density[i], 0.0 if whole else rest[i]
        total = far = 0.0
        for j in range(density.shape[1]):
            first, last = edge[j] - cell[i], edge[j + 1] - cell[i]
            if last <= first:
                continue
            total += (last - first) * weight[j]
            if whole:  # |first| + … + |last − 1|
                below, above = max(-first, 0), max(last - 1, 0)
                less, more = max(-last, 0), max(first - 1, 0)
                distance = below * (below + 1.0) / 2 - less * (less + 1.0) / 2
                distance += above * (above + 1.0) / 2 - more * (more + 1.0) / 2
            else:
                left, right = first - shift, last - shift
                distance = (right - left) * abs(left + right) / 2
                if left < 0.0 < right:
                    distance = (left * left + right * right) / 2
            far += distance * weight[j]
        error[i] = far / total


@compiled
def _best_window(
    edges: Int,
    density: Float,
    whole: int,
    more: float,
    far: int,
    cell: Int,
    rest: Float,
    mass: Float,
) -> None:
    """Slide a window from edge to edge, and record the position with the most mass."""
    pieces = density.shape[1]
    for i in range(len(edges)):
        edge, weight = edges[i], density[i]
        last = edge[pieces] - whole
        base = edge[0] * far
        at = float(edge[0] - base)
        caught, tail, head = 0.0, 0, 0
        while head < pieces and edge[head + 1] - base - whole <= at + more:
            caught += (edge[head + 1] - edge[head]) * weight[head]
            head += 1
        if head < pieces:
            caught += (at + more - (edge[head] - base - whole)) * weight[head]
        most, best, begun = caught, base, at
        while at + more < last - base:  # the caught mass changes at constant rate up to an edge
            # Which end of the window meets the next edge first, and at which distance.
            apart = edge[head + 1] - edge[tail + 1] - whole
            back, front = more <= apart, apart <= more
            rate = weight[head] - weight[tail]
            if back:
                move = (edge[tail + 1] - base) - at
                base = edge[tail + 1] * far
                at = float(edge[tail + 1] - base)
            else:
                move = (edge[head + 1] - base - whole) - at - more
                base = (edge[head + 1] - whole) * far
                at = (edge[head + 1] - whole - base) - more
            if move > 0.0:
                caught += move * rate
            tail += int(back)
            head += int(front)
            if caught > most:
                most, best, begun = caught, base, at
            if head >= pieces:
                break
        half = whole // 2
        middle = begun + (whole - 2 * half + more) / 2
        cell[i] = min(best + half + math.floor(middle), edge[pieces] - 1)
        rest[i] = middle - (cell[i] - best - half)
        mass[i] = most
