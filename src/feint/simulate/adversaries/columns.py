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
    points = transcript.points[:, np.array(transcript.coordinates, np.int64) == coordinate]
    return points, points != UNASKED


def middle(transcript: Transcript) -> NDArray[Any]:
    """Return [runs, coordinates] the middle of the lattice, a guess for runs without a query.

    On a lattice finer than floats these are whole numbers, so that queries written into the array
    are not rounded.
    """
    cells: NDArray[Any] = np.array(transcript.cells, np.int64)
    halves = cells // 2 if max(transcript.cells) > _FLOAT else cells / 2
    return np.tile(halves, (len(transcript.points), 1))
