"""What is overheard of one coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED
from feint.problem import Transcript

_FLOAT = 1 << 53  # up to here every whole number is a float


def asked(transcript: Transcript, coordinate: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the columns about a coordinate, [runs, columns], and which of them were asked."""
    points = transcript.points[:, np.array(transcript.coordinates, np.int64) == coordinate]
    return points, points != UNASKED


def middle(transcript: Transcript) -> NDArray[Any]:
    """[runs, coordinates] the middle of the lattice: a guess for runs without a query to go by.

    On a lattice finer than a float these are whole numbers, so that a query put in their place is
    not rounded.
    """
    cells: NDArray[Any] = np.array(transcript.cells, np.int64)
    halves = cells // 2 if max(transcript.cells) > _FLOAT else cells / 2
    return np.tile(halves, (len(transcript.points), 1))
