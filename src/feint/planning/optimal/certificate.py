"""Compute an exact lower bound from a dual solution in floats.

At a settled position the eavesdropper plays a mixture of windows. Any mixture catches some share
of every interval. At an earlier position the learner's best choice for an interval is the query
after which the eavesdropper catches the smallest share of its parts. So any mixtures, folded back
to the start in whole numbers, give a bound that no learner can beat: proofs/optimal.md.
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
"""An array [positions, intervals] of whole numbers or fractions."""

TOTALS = (math.lcm(*range(1, 17)), math.lcm(*range(1, 25)), 1 << 40)
"""Sums of the whole weights: multiples of small numbers, so that simple shares stay exact."""

_FINE = 1 << 40  # the denominator to which shares are rounded before they become fractions
_SIMPLE = 5000  # the largest denominator of a simple fraction


def lower_bound(programme: Programme, catch: Float, total: int | None) -> Fraction:
    """Return a success that the eavesdropper reaches with the mixtures of a dual solution.

    Args:
        programme: The programme of the game.
        catch: The dual of every window inequality, in floats. The bound holds even if it is
            inexact.
        total: The sum of the whole weights of each mixture. None: read each share as a simple
            fraction, which is slower and often exact.

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
    """Round shares to whole numbers of at least zero, so that each row adds up to the total.

    Args:
        shares: [rows, choices] numbers with any sum.
        total: The sum of each row of weights.

    Returns:
        [rows, choices] the weights. The largest weight of a row absorbs the rounding error.
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
    """Round shares to fractions with small denominators, so that each row adds up to one."""
    rows = whole_weights(shares, _FINE)
    found = np.empty(rows.shape, object)
    for index, row in enumerate(rows.tolist()):
        near = [Fraction(each, _FINE).limit_denominator(_SIMPLE) for each in row]
        largest = max(range(len(near)), key=near.__getitem__)
        near[largest] += 1 - sum(near)
        found[index] = near
    return found


def _mixed(block: Block, windows: Int, catch: Float, total: int | None) -> Rows:
    """Return [positions, intervals] the weight that the mixtures of a settled block catch."""
    count = len(block.inflow) * len(windows)
    shares = catch[block.bound : block.bound + count].reshape(-1, len(windows))
    mixture = simple_fractions(shares) if total is None else whole_weights(shares, total)
    caught: Rows = mixture @ windows.astype(mixture.dtype)
    return caught


def _folded(programme: Programme, block: Block, caught: list[Rows]) -> Rows:
    """Return [positions, intervals] the smallest weight caught after any query."""
    most = np.iinfo(np.int64).max
    least: Rows = np.full(block.inflow.shape, most, caught[block.moves[0].target].dtype)
    central = programme.central(block.shape)
    for choice, _, target, row in block.moves:
        after = caught[target][row : row + len(block.inflow)]
        parts = added(after, choice.parent.tolist(), len(choice.askers))
        lowered(least, choice.askers.tolist(), parts)
        if central:  # the mirrored query catches as much of the mirrored interval
            twins = [programme.twin(block.shape, each) for each in choice.askers]
            lowered(least, twins, parts)
    return least


def added(after: Rows, parent: Sequence[int], askers: int) -> Rows:
    """Return [positions, askers] the sums over the parts of each asker, which `parent` names."""
    total = np.zeros((len(after), askers), after.dtype)
    for number, place in enumerate(parent):
        total[:, place] += after[:, number]
    return total


def lowered(least: Rows, askers: Sequence[int], amounts: Rows) -> None:
    """Set the entries of a query's askers to its amounts if those are smaller, in place."""
    least[:, askers] = np.minimum(least[:, askers], amounts)
