"""What is overheard of one coordinate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED
from feint.problem import Transcript


def asked(transcript: Transcript, coordinate: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The queries about a coordinate, in order, and which of them were asked at all."""
    points = transcript.points[:, np.array(transcript.coordinates, np.int64) == coordinate]
    return points, points != UNASKED


def middle(transcript: Transcript) -> NDArray[np.float64]:
    """The middle of everything, one row a run: a guess when there is nothing to go by."""
    return np.tile(np.array(transcript.cells, float) / 2, (len(transcript.points), 1))
