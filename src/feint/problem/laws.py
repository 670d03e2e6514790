"""Define the distributions that a prior may name: their parameters, and their cdf on a range.

Parameters and places are rationals and are subtracted and divided exactly. Only the distance of a
place from the middle of the distribution, in units of its width, is a float. So the place of the
range does not change how a distribution is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from feint.exact import plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Float = NDArray[np.float64]

_WHOLE = 1 << 53  # every whole number up to this is a float


@dataclass(frozen=True)
class Range:
    """The range that a prior is about, in the user's units.

    Attributes:
        low: Its lower end; for whole values, half a step below the least.
        high: Its upper end; for whole values, half a step above the greatest.
        values: The number of whole values; None: an interval.
    """

    low: Fraction
    high: Fraction
    values: int | None = None

    @property
    def half(self) -> Fraction:
        """Half a step, the distance that a value covers to either side; 0 on an interval."""
        return Fraction(0) if self.values is None else (self.high - self.low) / self.values / 2

    @property
    def words(self) -> str:
        """The range for an error."""
        return f"{plain(self.low + self.half)} to {plain(self.high - self.half)}"


@dataclass(frozen=True)
class Places:
    """The ends of equal stretches of a range, including both ends of the range.

    Attributes:
        over: The range.
        count: The number of stretches.
    """

    over: Range
    count: int

    def since(self, origin: Fraction, unit: Fraction) -> Float:
        """Return how far each place lies above an origin, computed exactly and rounded once.

        Args:
            origin: The origin.
            unit: The unit of the distances.

        Returns:
            [count + 1] the nearest floats; infinite if a distance is too large for a float.
        """
        import numpy as np

        first, each, below = self._whole(origin, unit)
        if max(abs(first), abs(first + each * self.count), below) < _WHOLE:
            return (first + each * np.arange(self.count + 1)) / below
        return np.array([_ratio(first + each * k, below) for k in range(self.count + 1)])

    def off(self) -> Float:
        """Return the largest error of the nearest floats to places, as a share of a stretch."""
        import numpy as np

        first, each, below = self._whole(Fraction(0), Fraction(1))
        most = max(abs(first), abs(first + each * self.count))
        if most < _WHOLE and not below & (below - 1):  # each place is a float
            return np.zeros(self.count + 1)
        width = (self.over.high - self.over.low) / self.count
        near: Float = np.spacing(np.abs(self.since(Fraction(0), Fraction(1)))) / 2
        return near / float(width)

    def _whole(self, origin: Fraction, unit: Fraction) -> tuple[int, int, int]:
        """Return a, b and c so that place number k lies (a + bk)/c units above the origin."""
        first = (self.over.low - origin) / unit
        each = (self.over.high - self.over.low) / (unit * self.count)
        below = math.lcm(first.denominator, each.denominator)
        return int(first * below), int(each * below), below


def _ratio(above: int, below: int) -> float:
    """Return the nearest float to a ratio of whole numbers; infinite if it is too large."""
    try:
        return above / below
    except OverflowError:
        return math.inf if above > 0 else -math.inf


def normal(z: Float) -> Float:
    """Return the normal cdf at a distance from the mean, in standard deviations."""
    from scipy.special import ndtr

    found: Float = ndtr(z)
    return found


@dataclass(frozen=True)
class Law:
    """A distribution by name: its notation, the check of its parameters, and its cdf."""

    form: str
    count: int
    rule: str
    holds: Callable[[Sequence[Fraction]], bool]
    cdf: Callable[[Places, Sequence[Fraction]], Float]


def _normal(at: Places, given: Sequence[Fraction]) -> Float:
    return normal(at.since(given[0], given[1]))


def _beta(at: Places, given: Sequence[Fraction]) -> Float:
    from scipy.special import betainc

    share = at.since(at.over.low, at.over.high - at.over.low)
    found: Float = betainc(float(given[0]), float(given[1]), share)
    return found


def _lognormal(at: Places, given: Sequence[Fraction]) -> Float:
    import numpy as np

    spread, scale = float(given[0]), given[1]
    times, above = at.since(Fraction(0), scale), at.since(scale, scale)
    # Near the scale, log1p of the excess distinguishes places whose rounded ratios are equal.
    far = np.log(np.maximum(times, np.finfo(float).tiny))
    logarithm = np.where(times < 0.5, far, np.log1p(np.maximum(above, -0.5)))
    return np.where(times > 0, normal(logarithm / spread), 0.0)


def _triangular(at: Places, given: Sequence[Fraction]) -> Float:
    import numpy as np

    low, top, high = given
    share = np.clip(at.since(low, high - low), 0, 1)
    rest = np.clip(1 - at.since(low, high - low), 0, 1)
    left = float((top - low) / (high - low))
    rising = share**2 / left if left else share
    falling = 1 - (rest**2 / (1 - left) if left < 1 else rest)
    return np.where(share < left, rising, falling) if left < 1 else rising


def _exponential(at: Places, given: Sequence[Fraction]) -> Float:
    import numpy as np

    return -np.expm1(-np.maximum(at.since(Fraction(0), given[0]), 0))


def _even(at: Places, given: Sequence[Fraction]) -> Float:
    import numpy as np

    half = at.over.half  # a value represents the step around it
    low, high = given[0] - half, given[1] + half
    return np.clip(at.since(low, high - low), 0, 1)


def bell(at: Places, points: Sequence[Fraction]) -> Float:
    """Return the cdf of two half bells whose ends lie two standard deviations from the top.

    Args:
        at: The places.
        points: The lower end, the top, the upper end.
    """
    import numpy as np

    low, top, high = points
    share = float((top - low) / (high - low))
    left, right = at.since(top, (top - low) / 2), at.since(top, (high - top) / 2)
    below = 2 * share * normal(np.minimum(left, 0))
    above = (1 - share) * (2 * normal(np.maximum(right, 0)) - 1)
    found: Float = below + above
    return found


LAWS = {
    "normal": Law(
        "normal(mean, sd)",
        2,
        "the standard deviation must be above zero",
        lambda n: n[1] > 0,
        _normal,
    ),
    "uniform": Law("uniform(low, high)", 2, "low must be below high", lambda n: n[0] < n[1], _even),
    "beta": Law("beta(a, b)", 2, "both must be above zero", lambda n: min(n) > 0, _beta),
    "lognormal": Law(
        "lognormal(s, scale)", 2, "both must be above zero", lambda n: min(n) > 0, _lognormal
    ),
    "triangular": Law(
        "triangular(low, top, high)",
        3,
        "they must rise",
        lambda n: n[0] <= n[1] <= n[2] and n[0] < n[2],
        _triangular,
    ),
    "exponential": Law(
        "exponential(mean)", 1, "the mean must be above zero", lambda n: n[0] > 0, _exponential
    ),
}
FORMS = tuple(each.form for each in LAWS.values())
"""The notation of the named distributions."""
