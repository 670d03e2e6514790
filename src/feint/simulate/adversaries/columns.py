"""Read the questions about one coordinate from a transcript."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED
from feint.problem import Transcript

_FLOAT = 1 << 53  # every whole number up to here is a float


def asked(transcript: Transcript, coordinate: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return a coordinate's columns, [runs, columns], and a mask of those that were asked."""
    points, mine = transcript.points, np.array(transcript.coordinates, np.int64) == coordinate
    if not mine.all():  # skip the copy, which takes longer than the rest
        points = points[:, mine]
    return points, points != UNASKED


def nth(
    points: NDArray[np.int64], heard: NDArray[np.bool_], number: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return one question of each run, by its number from 0; `UNASKED` if there is none.

    Args:
        points: [runs, columns] the points, as `asked` returns them.
        heard: [runs, columns] True for points that were asked.
        number: [runs] the number of the question.
    """
    chosen, before = np.full(len(points), UNASKED, np.int64), np.zeros(len(points), np.int64)
    # Column by column, as transcripts are laid out: sums along rows take twenty times as long.
    for column in range(points.shape[1]):
        here = heard[:, column]
        np.copyto(chosen, points[:, column], where=here & (before == number))
        before += here
    return chosen


def middle(transcript: Transcript) -> NDArray[Any]:
    """Return [runs, coordinates] the middle of the lattice, a guess for runs without a query.

    On a lattice finer than floats these are whole numbers, so that queries written into the array
    are not rounded.
    """
    cells: NDArray[Any] = np.array(transcript.cells, np.int64)
    halves = cells // 2 if max(transcript.cells) > _FLOAT else cells / 2
    return np.tile(halves, (len(transcript.points), 1))
