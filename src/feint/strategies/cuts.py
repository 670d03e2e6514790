"""Divide a range of cells into near-equal parts, as every strategy does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
"""An array of 64-bit integers."""

Piece = tuple[Int, Int]
"""Start and size."""
_SAFE = 3_037_000_499  # its square is the largest below 2^63


def alike(size: int, runs: int) -> Int:
    """Return one size for all runs as a broadcast array, which is very cheap to divide."""
    return np.broadcast_to(np.int64(size), (runs,))


def cut(size: Int | int, k: int, number: Int, *, out: Int | None = None) -> Int:
    """Return ⌊number·size/k⌋, the start of a part; the product may exceed 63 bits.

    Args:
        size: The number of cells that are divided.
        k: The number of parts.
        number: The number of the part; it is broadcast against the size.
        out: The array to write to, if a new one is too slow; it may be `number` itself.

    Returns:
        The cuts.
    """
    each, more = _divided(np.asarray(size, np.int64), k)
    return _begun(each, more, k, number, out)


def boundaries(size: int, k: int) -> list[int]:
    """Return the starts of the k parts of one size, and the end of the last."""
    return [number * size // k for number in range(k + 1)]


def part(piece: Piece, k: int, number: Int) -> Piece:
    """Return one of the k near-equal parts of a piece."""
    start, size = piece
    each, more = _divided(size, k)
    low = _begun(each, more, k, number)
    if more is None:
        return start + low, np.broadcast_to(each, size.shape)
    return start + low, _begun(each, more, k, number + 1) - low


def longest(size: Int, k: int) -> Int:
    """Return ⌈size/k⌉, the size of the longest of k near-equal parts."""
    each, more = _divided(size, k)
    return np.broadcast_to(each if more is None else each + (more > 0), size.shape)


def _divided(size: Int, k: int) -> tuple[Int, Int | None]:
    """Return quotient and remainder by k; the remainder is None if k divides every size."""
    if size.strides == (0,):  # one size for all runs
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
    """Return ⌊number·more/k⌋; both are at most k, and their product may overflow."""
    if k <= _SAFE:
        return number * more // k
    portion: Int = (np.asarray(number).astype(object) * more.astype(object) // k).astype(np.int64)
    return portion
