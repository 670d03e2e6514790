"""The law of k̂, the likeliest of C parts when each inner boundary was asked about m times, exactly.

Moving one part away from the true one, the score (how many answers agree) changes by a step
m − 2·Bin(m, p); moving towards it, by 2·Bin(m, p) − m. k̂ is where the score is largest, the first
such part where several tie.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]
_TINY = 1e-20  # what is dropped in all stays far below a float's last digit


@dataclass(frozen=True)
class Vote:
    """What can happen in a vote among parts; each the worst over the true part k.

    Attributes:
        right: A₀, the largest P{k̂ = k}.
        before: A₋, the largest P{k̂ < k}.
        after: A₊, the largest P{k̂ > k}.
        error: P{k̂ ≠ k}, averaged over k.
        worst: The largest P{k̂ ≠ k}.
    """

    right: float
    before: float
    after: float
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
        A₀, A₋, A₊ and the error.
    """
    if parts == 1:
        return Vote(1.0, 0.0, 0.0, 0.0, 0.0)
    step, low = _step(repeats, p)
    height = _height(p) + repeats
    # most[n]: the largest of 0, S₁ … S_n; ahead[n]: the largest of S₁ … S_{n+1}, from `low` up.
    most, ahead = [np.ones(1)], list[Float]()
    for _ in range(parts - 1):
        moved = np.convolve(most[-1], step)
        ahead.append(moved)
        most.append(_capped(_folded(moved, low), height))
    before, after = np.zeros(parts), np.zeros(parts)
    for k in range(parts):
        if k > 0:
            before[k] = _at_least(ahead[k - 1], low, most[parts - 1 - k])
        if k < parts - 1:
            after[k] = _at_least(ahead[parts - 2 - k], low - 1, most[k])
    error = before + after
    return Vote(
        float(1 - error.min()),
        float(before.max()),
        float(after.max()),
        float(error.mean()),
        float(error.max()),
    )


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
    strict, weak = (_survivals(parts, repeats, p, floor) for floor in (1, 0))
    table = np.zeros((parts, parts))
    for true in range(parts):
        for found in range(parts):
            towards, beyond = abs(true - found), min(true, found)
            past = parts - 1 - max(true, found)
            if found <= true:
                table[true, found] = strict[0, found] * weak[towards, past]
            else:
                table[true, found] = strict[towards, beyond] * weak[0, past]
    table.flags.writeable = False
    return table


@lru_cache(maxsize=4096)
def astray(parts: int, repeats: int, p: float) -> float:
    """Σ_j (j+1)·P{|k̂ − k| = j} over j ≥ 1, averaged over k: how many parts an error may span."""
    number = np.arange(parts)
    apart = np.abs(number[:, None] - number)
    return float((law(parts, repeats, p) * np.where(apart > 0, apart + 1, 0)).sum() / parts)


def _survivals(parts: int, repeats: int, p: float, floor: int) -> Float:
    """[d, r]: that a lead stays at `floor` or more over d steps towards the truth, then r away."""
    step, low = _step(repeats, p)
    away, top = step[::-1], -low - len(step) + 1  # the lead's own steps: least is −high
    table = np.zeros((parts, parts))
    height = _height(p) + repeats
    lead = np.ones(1)  # index 0 is a lead of 0
    for towards in range(parts):
        here = lead
        for past in range(parts - towards):
            table[towards, past] = here.sum()
            here = _capped(_kept(np.convolve(here, away), top, floor), height)
        lead = _kept(np.convolve(lead, step), low, floor)
        if lead.sum() < _TINY:
            break
    return table


def _kept(moved: Float, low: int, floor: int) -> Float:
    """Only leads of `floor` or more go on; the array begins at a lead of 0."""
    kept = moved[-low:].copy() if low < 0 else np.pad(moved, (low, 0))
    kept[:floor] = 0.0
    return kept


def _capped(chance: Float, height: int) -> Float:
    """Beyond a height all is one: it is never lost, and never made good."""
    if len(chance) <= height + 1:
        return chance
    return np.append(chance[:height], chance[height:].sum())


def _folded(moved: Float, low: int) -> Float:
    """What is below 0 counts as 0."""
    if low >= 0:
        return np.pad(moved, (low, 0))
    folded = moved[-low:].copy() if -low < len(moved) else np.zeros(1)
    folded[0] += moved[:-low].sum() if -low < len(moved) else moved.sum()
    return folded


def _at_least(first: Float, low: int, second: Float) -> float:
    """P{first ≥ second} for independent whole numbers; `first` begins at `low`, `second` at 0."""
    heap = np.cumsum(second)
    at = np.arange(len(first)) + low
    inside = np.clip(at, 0, len(second) - 1)
    return float((first * np.where(at < 0, 0.0, heap[inside])).sum())


def _height(p: float) -> int:
    """A lead that is lost, or a deficit made good, with less than a tiny chance: ((1−p)/p)^x."""
    return math.ceil(math.log(_TINY) / math.log((1 - p) / p))


def _step(repeats: int, p: float) -> tuple[Float, int]:
    """The law of m − 2·Bin(m, p), from its least value up."""
    right = np.arange(repeats + 1)
    logs = np.array([math.lgamma(k + 1) for k in range(repeats + 1)])
    chance = logs[-1] - logs - logs[::-1] + right * math.log(p) + (repeats - right) * math.log1p(-p)
    law = np.zeros(2 * repeats + 1)
    law[::2] = np.exp(chance)[::-1]
    return law / law.sum(), -repeats
