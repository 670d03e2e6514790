"""Define noise that depends on the distance: single answers of customers.

The answer to question q is yes with probability G((X* − q)/scale), where G is the logistic or the
normal distribution function. So an answer is random near X*, and certain far from it. The scale is
known, or one of a few that have weights.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from feint.errors import InvalidValue
from feint.exact import plain, rational, text

if TYPE_CHECKING:  # problems are read without loading NumPy
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["logistic", "probit"]
"""The shape of G."""

KINDS: tuple[Kind, ...] = ("logistic", "probit")
"""All shapes of G."""

_FORM = re.compile(r"\s*(?P<kind>[a-z]+)\s*\((?P<scales>[^()]*)\)\s*")
_MOST_SCALES = 16  # each one costs the search time, and more are hard to distinguish
_WIDEST, _NARROWEST = 100, Fraction(1, 10**6)  # shares of the range; beyond, nothing is learned
_BEYOND, _STEPS = 2, 3  # `nearby`: the factor beyond the stated scales, and scales per doubling
_EXAMPLE = 'such as "logistic(6)", or "logistic(3|6|12)" if the scale is one of three'


@dataclass(frozen=True)
class Responses:
    """A noise model in which an answer is yes with probability G((X* − q)/scale).

    Attributes:
        kind: "logistic" or "probit", the shape of G.
        scales: The possible scales, in rising order, as shares of the range. Given to
            `Domain.problem`, they are in the domain's units.
        weights: The probabilities of the scales. Empty: all are equally likely.

    >>> Responses("logistic", (Fraction(3), Fraction(6))).text
    'logistic(3|6)'
    """

    kind: Kind
    scales: tuple[Fraction, ...]
    weights: tuple[Fraction, ...] = ()

    def __post_init__(self) -> None:
        """Check the scales and their weights.

        Raises:
            InvalidValue: The kind is unknown, a scale is not above 0, or a weight does not fit.
        """
        if self.kind not in KINDS:
            raise InvalidValue(
                "p", self.kind, f"the curve must be one of {', '.join(KINDS)}", _EXAMPLE
            )
        scales = tuple(rational(each, "p") for each in self.scales)
        if not 1 <= len(scales) <= _MOST_SCALES or len({*scales}) < len(scales):
            rule = f"there must be 1 to {_MOST_SCALES} different scales"
            raise InvalidValue("p", f"{len(scales)} scales", rule, _EXAMPLE)
        given = tuple(rational(each, "p") for each in self.weights)
        weights = given or (Fraction(1),) * len(scales)
        if min(scales) <= 0:
            raise InvalidValue("p", plain(min(scales)), "a scale must be above 0", _EXAMPLE)
        if len(weights) != len(scales) or min(weights) <= 0:
            rule = "every scale must have one weight above 0"
            raise InvalidValue("p", f"{len(weights)} weights", rule, 'such as "logistic(3:1|6:2)"')
        pairs = sorted(zip(scales, weights, strict=True))
        total = sum(weights)
        object.__setattr__(self, "scales", tuple(scale for scale, _ in pairs))
        object.__setattr__(self, "weights", tuple(weight / total for _, weight in pairs))

    @property
    def least(self) -> Fraction:
        """Return 1/2, since an answer near X* is random."""
        return Fraction(1, 2)

    @property
    def most(self) -> Fraction:
        """Return 1, since an answer far from X* is nearly certain."""
        return Fraction(1)

    @property
    def text(self) -> str:
        """Return the model as text that `read_noise` reads, with scales as fractions."""
        return self._written(text)

    @property
    def words(self) -> str:
        """Return the model with its scales as decimals."""
        return self._written(plain)

    def slices(self) -> tuple[tuple[Fraction, float], ...]:
        """Return one slice at 1/2, since an answer near X* is random."""
        return ((self.least, 1.0),)

    def times(self, factor: Fraction) -> Responses:
        """Return the model in other units.

        Args:
            factor: The factor of every scale.
        """
        return Responses(self.kind, tuple(each * factor for each in self.scales), self.weights)

    def check_range(self, unit: Fraction = Fraction(1)) -> None:
        """Refuse scales from which nothing can be learned on the unit interval.

        Args:
            unit: The length of the unit interval in the user's units, for errors.

        Raises:
            InvalidValue: A scale is too wide or too narrow.
        """
        for each in self.scales:
            if not _NARROWEST <= each <= _WIDEST:
                ends = " to ".join(plain(end * unit) for end in (_NARROWEST, Fraction(_WIDEST)))
                rule = f"on this range a scale must be from {ends}"
                raise InvalidValue("p", plain(each * unit), rule, "check the units of the scale")

    @property
    def nearby(self) -> tuple[float, ...]:
        """Return scales from half the least to twice the largest, in equal ratios of about 1.26.

        A stated scale is rarely exact. Estimates and warnings allow for these scales too.
        """
        low, high = float(self.scales[0]) / _BEYOND, float(self.scales[-1]) * _BEYOND
        steps = math.ceil(_STEPS * math.log2(high / low) - 1e-9)
        return tuple(low * (high / low) ** (number / steps) for number in range(steps + 1))

    def yes(self, distance: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Return G, the probability of yes.

        Args:
            distance: X* − q in scales.
        """
        from scipy.special import expit, ndtr  # loading SciPy takes longer than reading a problem

        chances: NDArray[np.float64] = (expit if self.kind == "logistic" else ndtr)(distance)
        return chances

    def log_yes(self, distance: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """Return the logarithm of G.

        Args:
            distance: X* − q in scales.
        """
        from scipy.special import log_expit, log_ndtr

        log = log_expit if self.kind == "logistic" else log_ndtr
        logs: NDArray[np.float64] = log(distance)
        return logs

    def draw(self, random: np.random.Generator, runs: int) -> NDArray[np.int64]:
        """Return the index of a scale for each search, drawn by the weights.

        Args:
            random: The random generator.
            runs: The number of searches.
        """
        weights = [float(weight) for weight in self.weights]
        indices: NDArray[np.int64] = random.choice(len(weights), runs, p=weights)
        return indices

    def _written(self, shown: Callable[[Fraction], str]) -> str:
        alike = len({*self.weights}) == 1
        both = zip(self.scales, self.weights, strict=True)
        each = (
            shown(scale) if alike else f"{shown(scale)}:{shown(weight)}" for scale, weight in both
        )
        return f"{self.kind}({'|'.join(each)})"


def read_responses(value: str) -> Responses | None:
    """Read a response model from text.

    Args:
        value: A text such as "logistic(6)", "probit(3|6|12)" or "logistic(3:1|6:2|12:1)".

    Returns:
        The model; None if the text does not name one.

    Raises:
        InvalidValue: The text names a model, but its scales or weights are wrong.

    >>> read_responses("probit(6)").scales
    (Fraction(6, 1),)
    """
    found = _FORM.fullmatch(value)
    if found is None or found["kind"] not in KINDS:
        return None
    pairs = [each.split(":") for each in found["scales"].split("|")]
    if any(len(each) > 2 for each in pairs) or len({len(each) for each in pairs}) > 1:
        rule = "must be scales, or scales with weights, between bars"
        raise InvalidValue("p", value, rule, _EXAMPLE)
    columns = [tuple(rational(each, "p") for each in some) for some in zip(*pairs, strict=True)]
    kind: Kind = "logistic" if found["kind"] == "logistic" else "probit"
    return Responses(kind, *columns)
