"""The law of k̂, the likeliest of C parts when each inner boundary was asked about m times, exactly.

Moving one part away from the true one, the score (how many answers agree) changes by a step
m − 2·Bin(m, p); moving towards it, by 2·Bin(m, p) − m. k̂ is where the score is largest; where
several parts tie, a coin takes the first or the last of them, so that left and right are alike.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
_TINY = 1e-20  # what is dropped in all stays far below a float's last digit
_DIRECT = 1 << 20  # larger products of lengths are convolved by Fourier transform
_FOURIER = 1e-12  # which is right to far less than this, in all
_NOTHING = 1e-13  # relatively
_LITTLE = 1e-8  # relatively, once all leads are at their height
_SETTLED = 1e-6  # what changes less than this, relatively, is bounded by its last value


@dataclass(frozen=True)
class Vote:
    """What can happen in a vote among parts.

    Attributes:
        lost: The chance that an end part loses when it is the true one. It is the largest
            P{k̂ < k}, the largest P{k̂ > k}, and one less the largest P{k̂ = k}.
        error: P{k̂ ≠ k}, averaged over k.
        worst: The largest P{k̂ ≠ k}.
    """

    lost: float
    error: float
    worst: float


@lru_cache(maxsize=4096)
def vote(parts: int, repeats: int, p: float) -> Vote:
    """The chances of a vote.

    Args:
        parts: C.
        repeats: m.
        p: Probability that an answer is right.

    Returns:
        What an end part loses, and the error.
    """
    if parts == 1:
        return Vote(0.0, 0.0, 0.0)
    # The true part is beaten on one side as soon as a lead falls to 0 (a tie lost), or below it.
    room = 1 << (parts - 1).bit_length()  # numbers of parts near each other share the work
    strict, weak = (_beaten(room, repeats, p, floor)[:parts] for floor in (1, 0))
    either = strict + weak[::-1] - strict * weak[::-1]  # true part k: k to the left, C−1−k beyond
    error = (either + either[::-1]) / 2 + _slack(parts, repeats, p)
    return Vote(float(error[0]), float(error.mean()), float(error.max()))


@lru_cache(maxsize=256)
def law(parts: int, repeats: int, p: float) -> Float:
    """The whole law: row k, column j holds P{k̂ = j} when the true part is k.

    Args:
        parts: C.
        repeats: m.
        p: Probability that an answer is right.

    Returns:
        [parts, parts]; every row sums to one.
    """
    # First past the post: all earlier parts must score strictly less, all later ones no more.
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
    table: Float = (first + first[::-1, ::-1]) / 2  # the last of equals is the first, mirrored
    table.flags.writeable = False
    return table


@lru_cache(maxsize=4096)
def astray(parts: int, repeats: int, p: float) -> float:
    """Σ_j (j+1)·P{|k̂ − k| = j} over j ≥ 1, averaged over k, at most: how far an error may lead.

    It is never below the sum, and above it by less than one part in ten thousand.
    """
    strict, weak = (_survivals(parts, repeats, p, floor, _SETTLED) for floor in (1, 0))
    total = 0.0
    for apart in range(1, parts):
        wins = strict[0, : parts - apart] * weak[apart, : parts - apart][::-1]
        wins += strict[apart, : parts - apart] * weak[0, : parts - apart][::-1]
        total += (apart + 1) * float(wins.sum())
    return total / parts + parts * _slack(parts, repeats, p)


def _slack(parts: int, repeats: int, p: float) -> float:
    """What the law may be off by where it is worked out by Fourier transform."""
    length = len(_step(repeats, p)[0])
    longest = min(_height(repeats, p), parts * length)
    return _FOURIER if (longest + length) * length > _DIRECT else 0.0


@lru_cache(maxsize=1024)
def _beaten(parts: int, repeats: int, p: float, floor: int) -> Float:
    """[n]: that the lead over n parts, one further away after the other, falls below `floor`."""
    step, low = _step(repeats, p)
    height, lead = _height(repeats, p), np.ones(1)
    ruin = ((1 - p) / p) ** _unit(repeats)
    lost = np.zeros(parts)
    for number in range(1, parts):
        moved = _convolved(lead, step)
        lost[number] = lost[number - 1] + moved[: max(0, floor - low)].sum()
        lead = _capped(_kept(moved, low, floor), height)
        # A lead of x is ever lost with a chance of at most ((1−p)/p)^x: soon that is nothing.
        ever = float(lead @ ruin ** np.arange(1 - floor, len(lead) + 1 - floor))
        # The height alone leaves about a tiny, which is nothing beside what is lost as a rule.
        if ever <= _NOTHING * lost[number] or ever <= 2 * _TINY <= _LITTLE * lost[number]:
            lost[number:] = lost[number] + ever
            break
    lost.flags.writeable = False  # whoever asks again gets the same array
    return lost


def _survivals(parts: int, repeats: int, p: float, floor: int, settled: float) -> Float:
    """[d, r]: that a lead stays at `floor` or more over d steps towards the truth, then r away.

    Both ways it can only fall with the number of steps: once it has all but stopped falling, or
    fallen to nothing, `settled` says how nearly, the last value stands for all that follow.
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
            # A lead of single answers falls at every other step only: compare two steps.
            if settled and past > 1 and here.sum() >= (1 - settled) * table[apart, past - 2]:
                table[apart, past:] = table[apart, past]
                break
            here = _capped(_kept(_convolved(here, away), low, floor), height)
        lead = _kept(_convolved(lead, towards), down, floor)
    return table


def _kept(moved: Float, low: int, floor: int) -> Float:
    """Only leads of `floor` or more go on; the array begins at a lead of 0."""
    kept = moved[-low:].copy() if low < 0 else np.pad(moved, (low, 0))
    if not len(kept):
        return np.zeros(1)
    kept[:floor] = 0.0
    return kept


def _capped(chance: Float, height: int) -> Float:
    """Beyond a height all is one: it is never lost."""
    if len(chance) <= height + 1:
        return chance
    return np.append(chance[:height], chance[height:].sum())


def _convolved(first: Float, second: Float) -> Float:
    """The law of a sum; by Fourier transform where that is much faster, right to about 1e-15."""
    if len(first) * len(second) <= _DIRECT:
        return np.convolve(first, second)
    from scipy.signal import fftconvolve  # takes longer to load than most plans to make

    return np.maximum(fftconvolve(first, second), 0.0)


def _height(repeats: int, p: float) -> int:
    """A lead, in steps' units, that is lost with less than a tiny chance: ((1−p)/p)^x."""
    if p <= 0.5:
        return 1 << 62
    return math.ceil(math.log(_TINY) / math.log((1 - p) / p)) // _unit(repeats) + 1


def _unit(repeats: int) -> int:
    """Scores of an even number of answers differ by even numbers: count those by twos."""
    return 1 if repeats % 2 else 2


@lru_cache(maxsize=64)
def _step(repeats: int, p: float) -> tuple[Float, int]:
    """The law of a lead's step away from the truth, 2·Bin(m, p) − m, from its least value up.

    From the likeliest count outwards by ratios of neighbours, which keeps small chances exact to
    their last digits; beyond a tiny chance there is nothing.
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
    law.flags.writeable = False  # whoever asks again gets the same array
    return law, least
