"""Bound the vote for a part by the place of X*, if reliability depends on the distance.

All parts have one width, and places are counted in parts from the start of the part in question:
u = 0 is its left end and u = 1 its right end, and X* may lie outside it. A part is found if its
score leads all scores to its left and to its right. Both leads are random walks with independent
steps, and by symmetry the walk to the right at u is the walk to the left at 1 − u.

A yes of a boundary to the left is likelier if X* lies further right. So the walk to the left
survives more often as u grows, and bounds between two nodes follow from its values at them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.problem import Responses

Float = NDArray[np.float64]
_HIGH = 64  # a lead that is never lost: boundaries further away are nearly certain
_ROUNDING = 1e-12  # the errors of floats in all sums here are far smaller


class PlacedVote(NamedTuple):
    """The probability that each part is found, by the place of X* relative to it.

    The k-th piece of places runs from −(C − 1) + k/K to −(C − 1) + (k + 1)/K.

    Attributes:
        high: [parts, pieces] the largest probability in each piece; 0 if X* would be out of range.
        low: [parts, pieces] the smallest probability there.
        middle: [parts, pieces] the probability in the middle of the piece.
    """

    high: Float
    low: Float
    middle: Float


@lru_cache(maxsize=64)
def placed_vote(
    responses: Responses, scale: float, parts: int, repeats: int, fine: int
) -> PlacedVote:
    """Return the probability that each part is found, by the place of X*.

    Args:
        responses: The shape of G; its scales are ignored.
        scale: The scale, in parts.
        parts: C, the number of parts.
        repeats: m, the number of questions about each inner boundary.
        fine: K, the number of pieces of a part.

    Returns:
        The bounds in every piece.
    """
    ends = np.arange(-(parts - 1) * fine, parts * fine + 1) / fine
    middles = ends[:-1] + 0.5 / fine
    pieces = len(middles)
    tables = []
    # In a piece the walk to the left survives most often at its right end, the walk to the right at
    # its left end. By symmetry, the latter is read from the other end of all nodes.
    for nodes, here, beyond in ((ends, 1, 0), (ends, 0, 1), (middles, 0, 0)):
        strict, weak = (
            _survivals(responses, scale, parts, repeats, nodes, floor) for floor in (1, 0)
        )
        table = np.zeros((parts, pieces))
        for part in range(parts):
            rest = parts - 1 - part
            first, last = (parts - 1 - part) * fine, (2 * parts - 1 - part) * fine
            left = slice(first + here, last + here)
            right = slice(first + beyond, last + beyond)
            found = strict[part, left] * weak[rest, ::-1][right]
            found += weak[part, left] * strict[rest, ::-1][right]
            table[part, first:last] = found / 2
        table.flags.writeable = False  # the cache returns the same array again
        tables.append(table)
    return PlacedVote(*tables)


def placed_privacy(
    responses: Responses, scale: float, parts: int, repeats: int, kept: int, fine: int
) -> float:
    """Return an upper bound of the best eavesdropper's success (proofs/responses.md).

    Args:
        responses: The shape of G; its scales are ignored.
        scale: The scale, in parts.
        parts: C, the number of parts.
        repeats: m, the number of questions about each inner boundary.
        kept: L', the number of parts that are searched.
        fine: K, the number of pieces of a part; more pieces give a tighter bound.

    Returns:
        The mean over the windows of kept parts of ∫ max over those parts of the probability that
        the part is found, in parts, over L'.
    """
    high = placed_vote(responses, scale, parts, repeats, fine).high
    windows = range(parts if kept < parts else 1)
    total = 0.0
    for first in windows:
        some = (first + np.arange(kept)) % parts
        total += float(high[some].max(axis=0).sum())
    return min(1.0, total / (len(windows) * fine * kept) * (1 + _ROUNDING))


def _survivals(
    responses: Responses, scale: float, parts: int, repeats: int, nodes: Float, floor: int
) -> Float:
    """Return [n, nodes] the probability that a lead over n boundaries to the left stays at `floor`.

    A very high lead counts as never lost. This increases the probabilities by a negligible amount,
    and the bounds of privacy need them from above.
    """
    table = np.ones((parts, len(nodes)))
    height = min((parts - 1) * repeats + 1, max(_HIGH, 2 * repeats))
    lead = np.zeros((len(nodes), height + 1))
    lead[:, 0] = 1.0
    for number in range(1, parts):
        yes = _binomial(repeats, responses.yes((nodes + number - 1) / scale))
        step = np.zeros((len(nodes), 2 * repeats + 1))
        step[:, ::2] = yes  # from −m to m
        spread = _convolved(lead[:, :height], step)[:, repeats:]  # leads below 0 are lost
        moved = np.zeros_like(lead)
        moved[:, :height] = spread[:, :height]
        moved[:, height] = spread[:, height:].sum(axis=1) + lead[:, height]
        moved[:, :floor] = 0.0
        lead = moved
        table[number] = lead.sum(axis=1)
    return table


def _convolved(first: Float, second: Float) -> Float:
    """Return the convolved rows of two tables, by Fourier transform (error about 1e-15)."""
    from scipy.fft import irfft, next_fast_len, rfft

    length = first.shape[1] + second.shape[1] - 1
    fast = next_fast_len(length, real=True)
    found: Float = irfft(rfft(first, fast) * rfft(second, fast), fast)[:, :length]
    return np.maximum(found, 0.0)


def _binomial(repeats: int, yes: Float) -> Float:
    """Return [nodes, counts] the probability of each number of yeses."""
    from scipy.special import gammaln, xlog1py, xlogy

    count = np.arange(repeats + 1)
    ways = gammaln(repeats + 1) - gammaln(count + 1) - gammaln(repeats - count + 1)
    log = ways + xlogy(count, yes[:, None]) + xlog1py(repeats - count, -yes[:, None])
    found: Float = np.exp(log)
    found /= found.sum(axis=1, keepdims=True)
    return found
