"""Near-equal parts of a range of cells: the one way every strategy divides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Piece = tuple[Int, Int]
"""Start and size."""


def cut(size: Int | int, k: int, number: Int) -> Int:
    """⌊number·size/k⌋, where the part of this number begins; the product may exceed 63 bits."""
    return number * (size // k) + number * (size % k) // k


def part(piece: Piece, k: int, number: Int) -> Piece:
    """One of the k near-equal parts of a piece."""
    start, size = piece
    low = cut(size, k, number)
    return start + low, cut(size, k, number + 1) - low
