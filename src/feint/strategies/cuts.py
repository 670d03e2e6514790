"""Near-equal parts of a range of cells: the one way every strategy divides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
"""An array of whole numbers of 64 bits."""

Piece = tuple[Int, Int]
"""Start and size."""
_SAFE = 3_037_000_499  # its square is the largest below 2^63


def alike(size: int, runs: int) -> Int:
    """One size for all runs, held once: dividing it then costs next to nothing."""
    return np.broadcast_to(np.int64(size), (runs,))


def cut(size: Int | int, k: int, number: Int, *, out: Int | None = None) -> Int:
    """⌊number·size/k⌋, where the part of this number begins; the product may exceed 63 bits.

    Args:
        size: What is divided.
        k: Into how many parts.
        number: Which part; it is broadcast against the size.
        out: Where to write, for whom a fresh array is too slow; it may be `number` itself.

    Returns:
        The cuts.
    """
    each, more = _divided(np.asarray(size, np.int64), k)
    return _begun(each, more, k, number, out)


def boundaries(size: int, k: int) -> list[int]:
    """Where the k parts of one size begin, and where the last one ends: `cut` of all numbers."""
    return [number * size // k for number in range(k + 1)]


def part(piece: Piece, k: int, number: Int) -> Piece:
    """One of the k near-equal parts of a piece."""
    start, size = piece
    each, more = _divided(size, k)
    low = _begun(each, more, k, number)
    if more is None:
        return start + low, np.broadcast_to(each, size.shape)
    return start + low, _begun(each, more, k, number + 1) - low


def longest(size: Int, k: int) -> Int:
    """⌈size/k⌉, the size of the longest of k near-equal parts."""
    each, more = _divided(size, k)
    return np.broadcast_to(each if more is None else each + (more > 0), size.shape)


def _divided(size: Int, k: int) -> tuple[Int, Int | None]:
    """Quotient and rest by k; no rest at all when k divides every size, as it mostly does."""
    if size.strides == (0,):  # all alike
        size = size[:1]
    if k & (k - 1):
        each = size // k
        more = size - each * k
    else:  # a shift is many times faster than a division
        each, more = size >> (k.bit_length() - 1), size & (k - 1)
    return each, more if more.any() else None


def _begun(each: Int, more: Int | None, k: int, number: Int, out: Int | None = None) -> Int:
    rest = None if more is None else _portion(number, more, k)
    begun: Int = np.multiply(number, each, out=out)
    return begun if rest is None else np.add(begun, rest, out=out)


def _portion(number: Int, more: Int, k: int) -> Int:
    """⌊number·more/k⌋; both are at most k, and their product may not fit."""
    if k <= _SAFE:
        return number * more // k
    portion: Int = (np.asarray(number).astype(object) * more.astype(object) // k).astype(np.int64)
    return portion
