"""Parts of one width: what it takes to find one of them, and how their offsets are halved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from feint.strategies.cuts import Int


class Located(NamedTuple):
    """What it takes to find a part among C, as everybody knows it beforehand.

    Attributes:
        asked: The questions of each round, at most; the last of them tells single parts apart.
        most: How many parts are told apart then, at most.
        least: The same, at least.
    """

    asked: tuple[int, ...]
    most: int
    least: int


_WAYS = 1 << 18  # groups in all windows of one level; plans have some hundreds

_Front = tuple[tuple[int, ...], bool]
"""Sizes of the kept groups in order of place, and whether the last of all is among them."""


@lru_cache(maxsize=1 << 14)
def located(parts: int, levels: tuple[tuple[int, int], ...], *, tailed: bool) -> Located | None:
    """What it takes to find a part among others, level by level; None: a group is too small.

    None, too, where there are more ways than can be looked at, which no plan has.

    Args:
        parts: C.
        levels: For each level above single parts, into how many groups every kept one is
            split, and how many of them all are kept.
        tailed: Whether there is a tail to be told apart from the last part.

    Returns:
        Questions and sizes, over every way that windows may fall.
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
    """The sizes in every cyclic window, in order of place."""
    if kept == len(sizes):
        yield tuple(sizes), ends
        return
    for first in range(len(sizes)):
        wrapped = max(0, first + kept - len(sizes))
        held = (*sizes[:wrapped], *sizes[first : first + kept - wrapped])
        yield held, ends and first + kept >= len(sizes)


def halvings(width: int, accuracy: int) -> int:
    """How many halvings take a part to pieces that are no longer than the accuracy, in cells."""
    return (-(-width // accuracy) - 1).bit_length()


def divided(width: int | Int, tail: Int, *, accuracy: int = 1) -> Int:
    """For each halving of a part's offsets, whether the tail must be asked about, too: 0 or 1.

    Args:
        width: w; or [tails] several that take as many halvings.
        tail: [tails] how many offsets the tail has; those are the first.
        accuracy: How many offsets the last piece may have.

    Returns:
        [tails, `halvings`] of them.
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
    """Where a piece of offsets is cut: in the middle, or so that the tail ends at a cut soon.

    Args:
        size: Of the piece.
        rest: How many of its first offsets the tail has.
        most: How many offsets the halvings that are left can do with: an even number.

    Returns:
        How many offsets come before the cut; neither side has more than half of `most`.
    """
    half = most // 2
    near = np.where(rest <= half, np.maximum(rest, size - half), half)
    return np.where((rest > 0) & (rest < size), near, size // 2)
