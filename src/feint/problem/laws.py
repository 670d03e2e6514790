"""Laws that a prior may be stated by, by name: their numbers, and their cdf on a range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from feint.exact import plain


@dataclass(frozen=True)
class Range:
    """The range that a prior is about, in the user's units.

    Attributes:
        low: Where it begins; of whole values, half a step below the least.
        high: Where it ends; of whole values, half a step above the greatest.
        values: How many whole values there are; None: an interval.
    """

    low: Fraction
    high: Fraction
    values: int | None = None

    @property
    def words(self) -> str:
        """The range for an error."""
        half = Fraction(0) if self.values is None else (self.high - self.low) / self.values / 2
        return f"{plain(self.low + half)} to {plain(self.high - half)}"


def normal(x: Any, mean: float, sd: float) -> Any:
    """The normal cdf."""
    from scipy.special import ndtr

    return ndtr((x - mean) / sd)


@dataclass(frozen=True)
class Law:
    """A law by name: how it is written, when its numbers are right, and its cdf."""

    form: str
    count: int
    rule: str
    holds: Callable[[Sequence[Fraction]], bool]
    cdf: Callable[[Any, Sequence[float], Range], Any]


def _beta(x: Any, given: Sequence[float], over: Range) -> Any:
    import numpy as np
    from scipy.special import betainc

    share = np.clip((x - float(over.low)) / float(over.high - over.low), 0, 1)
    return betainc(given[0], given[1], share)


def _lognormal(x: Any, given: Sequence[float], over: Range) -> Any:
    import numpy as np

    positive = np.maximum(x, np.finfo(float).tiny)
    return np.where(x > 0, normal(np.log(positive / given[1]), 0.0, given[0]), 0.0)


def _triangular(x: Any, given: Sequence[float], over: Range) -> Any:
    import numpy as np

    low, top, high = given
    at = np.clip(x, low, high)
    rising = (at - low) ** 2 / ((high - low) * max(top - low, 1e-300))
    falling = 1 - (high - at) ** 2 / ((high - low) * max(high - top, 1e-300))
    return np.where(at <= top, rising if top > low else 0.0, falling)


def _exponential(x: Any, given: Sequence[float], over: Range) -> Any:
    import numpy as np

    return -np.expm1(-np.maximum(x, 0) / given[0])


def _even(x: Any, given: Sequence[float], over: Range) -> Any:
    import numpy as np

    half = 0.0 if over.values is None else float(over.high - over.low) / over.values / 2
    low, high = given[0] - half, given[1] + half  # a value stands for the step around it
    return np.clip((x - low) / (high - low), 0, 1)


LAWS = {
    "normal": Law(
        "normal(mean, sd)",
        2,
        "the standard deviation must be above zero",
        lambda n: n[1] > 0,
        lambda x, n, over: normal(x, n[0], n[1]),
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
"""How laws are written by name."""
