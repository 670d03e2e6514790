"""A certain lower bound: the dual solution, rounded, then folded up in whole numbers.

At a settled position the eavesdropper plays a mixture of windows; whatever mixture it is, it
catches some share of every interval. At an earlier position the learner can do no better with an
interval than ask the query after which least is caught of its parts. So any mixtures at all, folded
up to the start, give a number that no learner can get below: proofs/optimal.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.planning.optimal.game import Int
from feint.planning.optimal.highs import Float
from feint.planning.optimal.programme import Block, Programme

Rows = NDArray[Any]
"""[positions, intervals] whole numbers, or fractions."""

TOTALS = (math.lcm(*range(1, 17)), math.lcm(*range(1, 25)), 1 << 40)
"""What whole weights add up to: multiples of small numbers, so that simple shares stay exact."""

_FINE = 1 << 40  # what shares are rounded to before they are read as fractions
_SIMPLE = 5000  # the largest denominator of a simple fraction


def lower_bound(programme: Programme, catch: Float, total: int | None) -> Fraction:
    """What the eavesdropper wins with at least, by the mixtures that a dual solution proposes.

    Args:
        programme: The programme of the game.
        catch: The dual of every window inequality, in floats; however wrong, the bound holds.
        total: What the whole weights of each mixture add up to; None: each share is taken to be a
            simple fraction, which is slower and often exact.

    Returns:
        The bound, exactly.
    """
    caught: list[Rows] = [np.empty((0, 0), np.int64)] * len(programme.blocks)
    for number in range(len(programme.blocks) - 1, -1, -1):
        block = programme.blocks[number]
        if block.windows is not None:
            caught[number] = _mixed(block, block.windows, catch, total)
        else:
            caught[number] = _folded(programme, block, caught)
    least = caught[0][0, 0]
    success = least if total is None else Fraction(int(least), total)
    return Fraction(success) / sum(programme.game.prior)


def whole_weights(shares: Float, total: int) -> Int:
    """Whole numbers near given shares, each row adding up to the total; none is negative.

    Args:
        shares: [rows, choices] numbers that need not add up to anything.
        total: What each row must add up to.

    Returns:
        [rows, choices] the weights; what rounding leaves over goes to the largest.
    """
    positive = np.maximum(shares, 0.0)
    sums = positive.sum(axis=1, keepdims=True)
    even = np.full_like(positive, 1 / max(1, positive.shape[1]))
    scaled = np.where(sums > 1e-9, positive / np.maximum(sums, 1e-300), even)
    weights: Int = np.rint(scaled * total).astype(np.int64)
    rows, largest = np.arange(len(weights)), weights.argmax(axis=1)
    weights[rows, largest] += total - weights.sum(axis=1)
    return weights


def simple_fractions(shares: Float) -> NDArray[Any]:
    """Shares read as fractions with small denominators; each row adds up to one."""
    rows = whole_weights(shares, _FINE)
    found = np.empty(rows.shape, object)
    for index, row in enumerate(rows.tolist()):
        near = [Fraction(each, _FINE).limit_denominator(_SIMPLE) for each in row]
        largest = max(range(len(near)), key=near.__getitem__)
        near[largest] += 1 - sum(near)
        found[index] = near
    return found


def _mixed(block: Block, windows: Int, catch: Float, total: int | None) -> Rows:
    """[positions, intervals] what the mixtures of a settled block catch of each interval."""
    count = len(block.inflow) * len(windows)
    shares = catch[block.bound : block.bound + count].reshape(-1, len(windows))
    mixture = simple_fractions(shares) if total is None else whole_weights(shares, total)
    caught: Rows = mixture @ windows.astype(mixture.dtype)
    return caught


def _folded(programme: Programme, block: Block, caught: list[Rows]) -> Rows:
    """[positions, intervals] the least that is caught of an interval's parts after any query."""
    most = np.iinfo(np.int64).max
    least: Rows = np.full(block.inflow.shape, most, caught[block.moves[0].target].dtype)
    central = programme.central(block.shape)
    for choice, _, target, row in block.moves:
        after = caught[target][row : row + len(block.inflow)]
        parts = added(after, choice.parent.tolist(), len(choice.askers))
        lowered(least, choice.askers.tolist(), parts)
        if central:  # the mirrored query leaves as much of the mirrored interval
            twins = [programme.twin(block.shape, each) for each in choice.askers]
            lowered(least, twins, parts)
    return least


def added(after: Rows, parent: Sequence[int], askers: int) -> Rows:
    """[positions, askers] what is caught of all parts of each; `parent` says whose a part is."""
    total = np.zeros((len(after), askers), after.dtype)
    for number, place in enumerate(parent):
        total[:, place] += after[:, number]
    return total


def lowered(least: Rows, askers: Sequence[int], amounts: Rows) -> None:
    """Let those who ask a query do so where less is caught after it than after others."""
    least[:, askers] = np.minimum(least[:, askers], amounts)
