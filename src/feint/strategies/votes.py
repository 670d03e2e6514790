"""The exact distribution of k̂, the likeliest of C parts after m questions per inner boundary.

The score of a part is the number of answers that agree with it. One part further away from the true
part, it changes by a step m − 2·Bin(m, p); one part nearer, by 2·Bin(m, p) − m. k̂ is the part with
the largest score. If several parts tie, a coin picks the first or the last of them, so that left
and right are symmetric.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
_TINY = 1e-20  # the mass that a stage may drop; the total stays far below a float's last digit
_DIRECT = 1 << 20  # larger products of lengths are convolved by Fourier transform
_FOURIER = 1e-12  # the error of a Fourier transform is far smaller than this
_NOTHING = 1e-13  # relative
_LITTLE = 1e-8  # relative, when all leads have reached their height
_SETTLED = 1e-6  # a value that changes by less than this, relatively, is bounded by its last value


@dataclass(frozen=True)
class Vote:
    """The probabilities of a vote among parts.

    Attributes:
        lost: The probability that an end part loses when it is the true one. It is the largest
            P{k̂ < k}, the largest P{k̂ > k}, and 1 minus the largest P{k̂ = k}.
        error: P{k̂ ≠ k}, averaged over k.
        worst: The largest P{k̂ ≠ k}.
    """

    lost: float
    error: float
    worst: float


@lru_cache(maxsize=4096)
def vote(parts: int, repeats: int, p: float) -> Vote:
    """Return the probabilities of a vote.

    Args:
        parts: C, the number of parts.
        repeats: m, the number of questions about each inner boundary.
        p: The probability that an answer is right.

    Returns:
        The loss of an end part, and the error.
    """
    if parts == 1:
        return Vote(0.0, 0.0, 0.0)
    # The true part is beaten on one side once a lead falls to 0 (a tie lost), or below it.
    room = 1 << (parts - 1).bit_length()  # nearby numbers of parts share the work
    strict, weak = (_beaten(room, repeats, p, floor)[:parts] for floor in (1, 0))
    either = strict + weak[::-1] - strict * weak[::-1]  # true part k: k to the left, C−1−k beyond
    error = (either + either[::-1]) / 2 + _slack(parts, repeats, p)
    return Vote(float(error[0]), float(error.mean()), float(error.max()))


@lru_cache(maxsize=256)
def law(parts: int, repeats: int, p: float) -> Float:
    """Return the whole distribution: row k, column j is P{k̂ = j} when the true part is k.

    Args:
        parts: C, the number of parts.
        repeats: m, the number of questions about each inner boundary.
        p: The probability that an answer is right.

    Returns:
        [parts, parts] the probabilities; every row sums to one.
    """
    # The first of equals wins: earlier parts must score strictly less, later ones no more.
    strict, weak = (_survivals(parts, repeats, p, floor, 0.0) for floor in (1, 0))
    first = np.zeros((parts, parts))
    for true in range(parts):
        for found in range(parts):
            towards, beyond = abs(true - found), min(true, found)
            past = parts - 1 - max(true, found)
            if found <= true:
                first[true, found] = strict[0, found] * weak[towards, past]
            else:
                first[true, found] = strict[towards, beyond] * weak[0, past]
    table: Float = (first + first[::-1, ::-1]) / 2  # the last of equals wins in the mirror image
    table.flags.writeable = False
    return table


@lru_cache(maxsize=4096)
def astray(parts: int, repeats: int, p: float) -> float:
    """Bound Σ_j (j+1)·P{|k̂ − k| = j} over j ≥ 1, averaged over k: how far an error may lead.

    The bound is never below the sum, and exceeds it by less than one part in ten thousand.
    """
    strict, weak = (_survivals(parts, repeats, p, floor, _SETTLED) for floor in (1, 0))
    total = 0.0
    for apart in range(1, parts):
        wins = strict[0, : parts - apart] * weak[apart, : parts - apart][::-1]
        wins += strict[apart, : parts - apart] * weak[0, : parts - apart][::-1]
        total += (apart + 1) * float(wins.sum())
    return total / parts + parts * _slack(parts, repeats, p)


def _slack(parts: int, repeats: int, p: float) -> float:
    """Return the possible error of the distribution if it is computed by Fourier transform."""
    length = len(_step(repeats, p)[0])
    longest = min(_height(repeats, p), parts * length)
    return _FOURIER if (longest + length) * length > _DIRECT else 0.0


@lru_cache(maxsize=1024)
def _beaten(parts: int, repeats: int, p: float, floor: int) -> Float:
    """Return [n] the probability that the lead over one of n neighbours falls below `floor`."""
    step, low = _step(repeats, p)
    height, lead = _height(repeats, p), np.ones(1)
    ruin = ((1 - p) / p) ** _unit(repeats)
    lost = np.zeros(parts)
    for number in range(1, parts):
        moved = _convolved(lead, step)
        lost[number] = lost[number - 1] + moved[: max(0, floor - low)].sum()
        lead = _capped(_kept(moved, low, floor), height)
        # A lead of x is ever lost with probability at most ((1−p)/p)^x, which is soon negligible.
        ever = float(lead @ ruin ** np.arange(1 - floor, len(lead) + 1 - floor))
        # The height alone drops about `_TINY`, which is usually negligible.
        if ever <= _NOTHING * lost[number] or ever <= 2 * _TINY <= _LITTLE * lost[number]:
            lost[number:] = lost[number] + ever
            break
    lost.flags.writeable = False  # every caller gets the same array
    return lost


def _survivals(parts: int, repeats: int, p: float, floor: int, settled: float) -> Float:
    """Return [d, r]: P(a lead keeps `floor` for d steps to the truth and then r steps away).

    The probability can only fall with both numbers of steps. Once it has nearly stopped falling (as
    `settled` says) or is negligible, the last value stands for all that follow.
    """
    away, low = _step(repeats, p)
    towards, down = away[::-1], -low - len(away) + 1
    table = np.zeros((parts, parts))
    height = _height(repeats, p)
    lead, most = np.ones(1), 1.0
    for apart in range(parts):
        total = float(lead.sum())
        if apart == 1:
            most = total
        if total <= max(_TINY, settled * most / parts**2):
            table[apart:] = total if settled else 0.0
            break
        here = lead
        for past in range(parts - apart):
            table[apart, past] = here.sum()
            # A lead of single answers falls only at every other step, so compare two steps.
            if settled and past > 1 and here.sum() >= (1 - settled) * table[apart, past - 2]:
                table[apart, past:] = table[apart, past]
                break
            here = _capped(_kept(_convolved(here, away), low, floor), height)
        lead = _kept(_convolved(lead, towards), down, floor)
    return table


def _kept(moved: Float, low: int, floor: int) -> Float:
    """Return only leads of `floor` or more, in an array that begins at a lead of 0."""
    kept = moved[-low:].copy() if low < 0 else np.pad(moved, (low, 0))
    if not len(kept):
        return np.zeros(1)
    kept[:floor] = 0.0
    return kept


def _capped(chance: Float, height: int) -> Float:
    """Return the distribution with all leads above a height merged, since they are never lost."""
    if len(chance) <= height + 1:
        return chance
    return np.append(chance[:height], chance[height:].sum())


def _convolved(first: Float, second: Float) -> Float:
    """Return the distribution of a sum, by Fourier transform if much faster (error about 1e-15)."""
    if len(first) * len(second) <= _DIRECT:
        return np.convolve(first, second)
    from scipy.signal import fftconvolve  # takes longer to load than most plans to make

    return np.maximum(fftconvolve(first, second), 0.0)


def _height(repeats: int, p: float) -> int:
    """Return a lead, in units, that is lost with probability below `_TINY`: ((1−p)/p)^x."""
    if p <= 0.5:
        return 1 << 62
    return math.ceil(math.log(_TINY) / math.log((1 - p) / p)) // _unit(repeats) + 1


def _unit(repeats: int) -> int:
    """Return the unit of scores: 2 for an even number of answers, which differ by even numbers."""
    return 1 if repeats % 2 else 2


@lru_cache(maxsize=64)
def _step(repeats: int, p: float) -> tuple[Float, int]:
    """Return the distribution of a lead's step away from the truth, 2·Bin(m, p) − m, rising.

    It is computed from the likeliest count outwards by ratios of neighbours, which keeps small
    probabilities exact to their last digits. Much smaller ones are dropped.
    """
    middle = min(repeats, int((repeats + 1) * p))
    reach = math.ceil(math.sqrt(repeats) * math.sqrt(-math.log(_TINY**2))) + 1
    low, high = max(0, middle - reach), min(repeats, middle + reach)
    odds = p / (1 - p)
    up = np.arange(middle, high)
    down = np.arange(middle, low, -1)
    above = np.cumprod((repeats - up) / (up + 1.0) * odds)
    below = np.cumprod(down / ((repeats - down + 1.0) * odds))
    chance = np.concatenate((below[::-1], [1.0], above))
    chance /= chance.sum()
    least = 2 * low - repeats
    if _unit(repeats) == 2:
        law, least = chance, least // 2
    else:
        law = np.zeros(2 * len(chance) - 1)
        law[::2] = chance
    law.flags.writeable = False  # every caller gets the same array
    return law, least
