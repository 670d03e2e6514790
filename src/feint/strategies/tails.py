"""Compute the cost of finding one of several parts of one width, and the cuts of its offsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from feint.strategies.cuts import Int


class Located(NamedTuple):
    """The cost of finding a part among C, which is known in advance.

    Attributes:
        asked: The most questions of each round; the last round separates single parts.
        most: The most parts that the last round separates.
        least: The fewest parts that the last round separates.
    """

    asked: tuple[int, ...]
    most: int
    least: int


_WAYS = 1 << 18  # groups in all windows of one level; plans have some hundreds

_Front = tuple[tuple[int, ...], bool]
"""The sizes of the kept groups in order of place, and whether the last group is among them."""


@lru_cache(maxsize=1 << 14)
def located(parts: int, levels: tuple[tuple[int, int], ...], *, tailed: bool) -> Located | None:
    """Return the cost of finding a part level by level, or None if a group is too small.

    Also return None if there are more cases than can be examined, which no plan has.

    Args:
        parts: C, the number of parts.
        levels: For each level above single parts, the number of groups that every kept one is
            split into, and the number of groups that are kept.
        tailed: Whether there is a tail to be separated from the last part.

    Returns:
        The questions and sizes, over all positions of the windows.
    """
    fronts: set[_Front] = {((parts,), True)}
    asked, groups = [], 1
    for split, kept in levels:
        after = set[_Front]()
        if len(fronts) * groups * split * kept > _WAYS:
            return None
        for sizes, ends in fronts:
            if min(sizes) < split or kept > groups * split:
                return None
            after.update(
                _windows([n for size in sizes for n in split_sizes(size, split)], kept, ends)
            )
        asked.append(groups * (split - 1))
        fronts, groups = after, kept
    told = [sum(sizes) for sizes, _ in fronts]
    last = max(sum(sizes) - groups + (ends and tailed) for sizes, ends in fronts)
    return Located((*asked, last), max(told), min(told))


def split_sizes(size: int, into: int) -> list[int]:
    """Return near-equal sizes, the larger ones first: the tail comes after the last."""
    return [-(-(j + 1) * size // into) + -j * size // into for j in range(into)]


def _windows(sizes: Sequence[int], kept: int, ends: bool) -> Iterator[_Front]:
    """Yield the sizes in every cyclic window, in order of place."""
    if kept == len(sizes):
        yield tuple(sizes), ends
        return
    for first in range(len(sizes)):
        wrapped = max(0, first + kept - len(sizes))
        held = (*sizes[:wrapped], *sizes[first : first + kept - wrapped])
        yield held, ends and first + kept >= len(sizes)


def halvings(width: int, accuracy: int) -> int:
    """Return the number of halvings after which no piece is longer than the accuracy, in cells."""
    return (-(-width // accuracy) - 1).bit_length()


def divided(width: int | Int, tail: Int, *, accuracy: int = 1) -> Int:
    """Return for each halving of a part's offsets 1 if the tail must be asked about too, else 0.

    Args:
        width: w, or [tails] several widths that take equally many halvings.
        tail: [tails] the number of offsets of the tail, which are the first ones.
        accuracy: The most offsets that the last piece may have.

    Returns:
        [tails, `halvings`] the ones and zeros.
    """
    start, size = np.zeros_like(tail), np.broadcast_to(width, tail.shape)
    steps = halvings(int(size.max(initial=1)), accuracy)
    found = np.zeros((len(tail), steps), np.int64)
    for number in range(steps):
        rest = tail - start
        at = halved(size, rest, accuracy << (steps - number))
        inside = (rest > 0) & (rest < size)
        beyond = inside & (at < rest)
        found[:, number] = beyond
        start = np.where(beyond, start + at, start)
        size = np.where(beyond, size - at, np.where(inside, at, size))
    return found


def halved(size: Int, rest: Int, most: int) -> Int:
    """Return the cut of a piece of offsets: in the middle, or so that the tail soon ends at a cut.

    Args:
        size: The number of offsets of the piece.
        rest: The number of its first offsets that the tail has.
        most: The most offsets that the remaining halvings can handle: an even number.

    Returns:
        The number of offsets before the cut; neither side has more than half of `most`.
    """
    half = most // 2
    near = np.where(rest <= half, np.maximum(rest, size - half), half)
    return np.where((rest > 0) & (rest < size), near, size // 2)
