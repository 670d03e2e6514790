"""Compute the weights of answers, for a known p or for an unknown p with a Beta belief.

A cell that a of n answers agree with weighs p^a·(1−p)^(n−a), or the mean of that over the belief.
For a known p only differences of a matter, and the weights are powers of the odds p/(1−p). For an
unknown p they depend on n and a too, since the answers also say something about p.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from feint.problem import Between, Noise, Rates

Int = NDArray[np.int64]
Float = NDArray[np.float64]
_VANISHES = 746.0  # the exponential of less than minus this is 0
# A mean weight this much below the largest is dropped: 2^62 such cells are below 1e-24 in total,
# far below the difference up to which two masses count as equal (`TIE`).
_NEGLIGIBLE = 100.0
_CHUNK = 64  # weights are computed in chunks of this size, always the same ones: equal bits
_DROP = 36.0  # after its logarithm has fallen by this, an integrand adds less than a last digit
_NEWTON = 6  # steps: the first overshoots, and each later one doubles the digits of a rough bound
_ENDLESS = 45.0  # the logarithm of the odds of p = 1, nearly: 1 − p is below 1e-19
_FINEST = 500  # the most units per passed check; more make tables long
_ROUNDED = 1e-5  # the accepted error of a log-likelihood, if a unit reaches it earlier
_CERTAIN = 1 << 20  # the fewest units of an answer that cannot be wrong, beyond any table
_NODES, _SHARES = np.polynomial.legendre.leggauss(64)


@dataclass(frozen=True)
class MeanWeights:
    """The weights for an unknown p with a truncated Beta belief.

    Attributes:
        low: The least p.
        high: The greatest p.
        right: The first parameter of the Beta distribution.
        wrong: The second parameter.
    """

    low: float
    high: float
    right: float
    wrong: float

    def tables(self, told: Int, agree: Int, depth: int) -> tuple[Float, Int]:
        """Return tables of weights, relative to the largest, and the table of each run.

        Args:
            told: [runs] n, the number of answers.
            agree: [runs] the largest number of answers that agree with one cell.
            depth: The number by which fewer agree with the last cell of interest.

        Returns:
            [tables, depth + 1 or more] the weight of a cell that k answers fewer agree with, 0 once
            it is negligible or impossible; and [runs] the table of each run.
        """
        pairs, table = np.unique((told << 31) + agree, return_inverse=True)
        # A whole number of chunks, so that equal beliefs read equal tables in any batch.
        length = _CHUNK * (1 + depth // _CHUNK)
        rows = [_row(self, int(each >> 31), int(each & 0x7FFFFFFF), length) for each in pairs]
        found = np.zeros((len(rows), length + 1))
        for place, row in enumerate(rows):
            found[place, : len(row)] = row[: length + 1]
        return found, table.reshape(-1)


Weights: TypeAlias = float | MeanWeights
"""The odds p/(1−p) of a known p, or the weights of an unknown one."""


def weights_of(noise: Noise) -> Weights:
    """Return the weights of answers under a noise model; those of its least p if it has no belief.

    >>> from fractions import Fraction
    >>> from feint.problem import Exactly
    >>> weights_of(Exactly(Fraction(3, 4)))
    3.0
    """
    if isinstance(noise, Between):
        ends = float(noise.low), float(noise.high)
        return MeanWeights(*ends, float(noise.right), float(noise.wrong))
    if isinstance(noise, Rates):
        return _grid(*noise.worst).ratio
    return float(noise.least / (1 - noise.least))


@dataclass(frozen=True)
class Steps:
    """The counts of a yes and a no in a belief, as multiples of one unit of log-likelihood.

    Attributes:
        yes: The lead that a yes adds to the cells above its boundary.
        no: The lead that a no takes from them.
        blur: The largest relative rounding of the log-likelihood of an answer.
        largest: The largest log-likelihood of an answer that can still be outweighed.
    """

    yes: int = 1
    no: int = 1
    blur: float = 0.0
    largest: float = 0.0

    def slack(self, answers: int) -> float:
        """Return the largest error of log odds after a number of answers."""
        return self.blur * self.largest * answers


def steps_of(noise: Noise) -> Steps:
    """Return the counts of answers in a belief: 1 each, except under two rates.

    >>> from feint.problem import Rates
    >>> steps_of(Rates.of("0.1", "0.9"))
    Steps(yes=1, no=1, blur=0.0, largest=2.1972245773362196)
    """
    return _grid(*noise.worst).steps if isinstance(noise, Rates) else Steps()


def powers(ratio: float, most: int) -> Float:
    """Return the table r^−k for k from 0 to `most` at least; values too small for a float are 0.

    It ends with the first 0 if there is one, because all later values are 0 too.
    """
    return _powers(ratio, 1 << max(6, most.bit_length()))


class _Grid(NamedTuple):
    ratio: float
    steps: Steps


@lru_cache(maxsize=64)
def _grid(good: Fraction, bad: Fraction) -> _Grid:
    """Return the odds of one unit of log-likelihood, and the counts of answers in it."""
    passed = math.inf if bad == 1 else math.log((1 - good) / (1 - bad))
    failed = math.inf if good == 0 else math.log(bad / good)
    if math.inf in (passed, failed):  # one answer is never wrong: it outweighs all others
        unit = min(passed, failed)
        certain = max(_CERTAIN, math.ceil(2 * _VANISHES / unit))
        yes, no = (certain, 1) if passed == math.inf else (1, certain)
        return _Grid(math.exp(unit), Steps(yes, no, 0.0, unit))
    off, yes = min(_offs(failed / passed))
    no = max(1, round(yes * failed / passed))
    return _Grid(math.exp(passed / yes), Steps(yes, no, off, max(passed, failed)))


def _offs(ratio: float) -> Iterator[tuple[float, int]]:
    """Yield the errors of fractions with growing denominators, until one is negligible."""
    for yes in range(1, _FINEST + 1):
        off = abs(max(1, round(yes * ratio)) / (yes * ratio) - 1)
        yield (0.0 if off < 1e-15 else off), yes
        if off < _ROUNDED:
            return


@lru_cache(maxsize=64)
def _powers(ratio: float, length: int) -> Float:
    log = math.log(ratio)
    table: Float = np.exp(-np.arange(min(length, math.ceil(_VANISHES / log) + 1)) * log)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=1 << 14)
def _row(weights: MeanWeights, told: int, agree: int, length: int) -> Float:
    """Return the weights of cells that 0, 1, 2, … answers fewer agree with, ending with a 0."""
    logs = np.empty(0)
    end = agree + 1
    while end > 0 and len(logs) <= length and (not len(logs) or logs[-1] > logs[0] - _NEGLIGIBLE):
        chunk = (end - 1) // _CHUNK
        logs = np.concatenate((logs, _logs(weights, told, chunk)[: end - chunk * _CHUNK][::-1]))
        end = chunk * _CHUNK
    row: Float = np.exp(logs - logs[0])
    row[logs < logs[0] - _NEGLIGIBLE] = 0.0
    if end == 0:  # fewer than 0 cannot agree
        row = np.append(row, 0.0)
    row.flags.writeable = False
    return row


@lru_cache(maxsize=1 << 14)
def _logs(weights: MeanWeights, told: int, chunk: int) -> Float:
    """Return log ∫ p^(a+α−1) (1−p)^(n−a+β−1) dp from low to high, for the counts a of one chunk.

    In t = log p/(1−p) the logarithm of the integrand is concave. One Gauss–Legendre rule integrates
    it between the points on the left and right of its top at which it has fallen by `_DROP`.
    """
    agree = np.minimum(chunk * _CHUNK + np.arange(_CHUNK), told)
    a, b = agree + weights.right, told - agree + weights.wrong

    def value(t: Float) -> Float:
        shape = (...,) + (None,) * (t.ndim - 1)
        total: Float = -a[shape] * np.log1p(np.exp(-t)) - b[shape] * np.log1p(np.exp(t))
        return total

    def falls(t: Float) -> Float:
        p = 1 / (1 + np.exp(-t))
        slope: Float = b * p - a * (1 - p)
        return slope

    low, high = (_logit(end) for end in (weights.low, weights.high))
    top = np.clip(np.log(a / b), low, high)
    most = value(top)
    p = 1 / (1 + np.exp(-top))
    ends = []
    for side in (-1.0, 1.0):
        slope, bend = np.maximum(side * falls(top), 0.0), (a + b) * p * (1 - p)
        far = 2 * _DROP / (slope + np.sqrt(slope**2 + 2 * _DROP * bend))
        for _ in range(_NEWTON):
            here = top + side * np.minimum(far, 2 * _ENDLESS)
            steep = np.maximum(side * falls(here), 1e-300)
            far = np.maximum(far + (_DROP - (most - value(here))) / steep, 0.0)
        ends.append(np.clip(top + side * np.minimum(far, 2 * _ENDLESS), low, high))
    middle, half = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2
    height = np.exp(value(middle[:, None] + half[:, None] * _NODES) - most[:, None])
    found: Float = most + np.log(half * (height * _SHARES).sum(axis=1))
    found.flags.writeable = False
    return found


def _logit(p: float) -> float:
    return min(_ENDLESS, math.log(p / (1 - p))) if p < 1 else _ENDLESS
