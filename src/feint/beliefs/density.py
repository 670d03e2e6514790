"""What a piecewise-constant density says: windows, quantiles and expected errors, in closed form.

Densities need not be normalised. Pieces of no length are allowed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from feint.beliefs.compiled import compiled

Int = NDArray[np.int64]
Float = NDArray[np.float64]


def best_window(edges: Int, density: Float, reach: float) -> tuple[Float, Float]:
    """The window of a given length that catches the most mass.

    It has an end at an end of a piece. The first of equals is taken.

    Args:
        edges: [runs, pieces + 1] where pieces begin and end.
        density: [runs, pieces].
        reach: The window's length, in the units of the edges.

    Returns:
        Where the window begins, and the mass in it.
    """
    start, mass = np.empty(len(edges)), np.empty(len(edges))
    _best_window(edges, density, reach, start, mass)
    return start, mass


def quantile(edges: Int, density: Float, level: float) -> Float:
    """The point below which a share of the mass lies.

    Args:
        edges: [runs, pieces + 1] where pieces begin and end.
        density: [runs, pieces].
        level: The share, from 0 to 1.

    Returns:
        [runs] the point.
    """
    point = np.empty(len(edges))
    _quantile(edges, density, level, point)
    return point


def expected_error(edges: Int, density: Float, point: Float) -> Float:
    """The mean distance of X* from a point.

    Args:
        edges: [runs, pieces + 1] where pieces begin and end.
        density: [runs, pieces].
        point: [runs] the estimate.

    Returns:
        [runs] E|X* − point|.
    """
    low, high = edges[:, :-1] - point[:, None], edges[:, 1:] - point[:, None]
    moments = (high * np.abs(high) - low * np.abs(low)) / 2
    mass = (np.diff(edges, axis=1) * density).sum(axis=1)
    error: Float = (moments * density).sum(axis=1) / mass
    return error


@compiled
def _quantile(edges: Int, density: Float, level: float, point: Float) -> None:
    pieces = density.shape[1]
    for i in range(len(edges)):
        edge, weight = edges[i], density[i]
        total = 0.0
        for j in range(pieces):
            total += (edge[j + 1] - edge[j]) * weight[j]
        mark, heap, mass, at = total * level, 0.0, 0.0, 0
        for j in range(pieces):  # to the first piece that reaches the mark and has mass
            mass = (edge[j + 1] - edge[j]) * weight[j]
            if mass > 0.0:
                heap += mass
                at = j
                if heap >= mark:
                    break
        point[i] = edge[at] + max(0.0, mass - (heap - mark)) / weight[at]


@compiled
def _best_window(edges: Int, density: Float, reach: float, start: Float, mass: Float) -> None:
    pieces = density.shape[1]
    for i in range(len(edges)):
        first, last = float(edges[i, 0]), float(edges[i, pieces])
        start[i], mass[i] = first, -1.0
        # Slide [x, x + reach] from one candidate to the next: caught changes at constant rate.
        x, caught, tail, head = first, 0.0, 0, 0
        at = first
        while head < pieces and edges[i, head + 1] <= first + reach:
            caught += (edges[i, head + 1] - at) * density[i, head]
            at = float(edges[i, head + 1])
            head += 1
        if head < pieces:
            caught += (first + reach - at) * density[i, head]
        mass[i] = caught
        while x + reach < last:
            # How far until the window's start, or its end, meets the next edge.
            back = edges[i, tail + 1] - x
            front = edges[i, head + 1] - x - reach
            move = min(back, front)
            if move > 0.0:
                caught += move * (density[i, head] - density[i, tail])
            x = edges[i, tail + 1] * 1.0 if back <= move else edges[i, head + 1] - reach
            tail += int(back <= move)
            head += int(front <= move)
            if caught > mass[i]:
                mass[i], start[i] = caught, x
            if head >= pieces:
                break
