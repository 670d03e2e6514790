"""Bound the error of binning a distribution: its distance from the version uniform in each bin.

Distributions are NumPy arrays of masses here. NumPy is loaded only when one is read.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any

from feint.errors import InvalidValue
from feint.problem.laws import Range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_KINDS = "biuf"  # kinds of NumPy's types: truth values, whole numbers, floats
_ALIKE = 1e-9  # share by which rounding may change equal neighbouring masses
Cdf = Callable[[Any], Any]
"""A function that returns P(X* ≤ place), for a float or an array of places."""


def moved(
    fine: list[Fraction],
    below: Callable[[Fraction], Fraction],
    cumulative: list[Fraction],
    over: Range,
    held: Fraction,
) -> float:
    """Return the total variation distance between a histogram and its version in equal bins."""
    count = len(cumulative) - 1
    width, lost = (over.high - over.low) / count, Fraction(0)
    for a, b in pairwise(fine):
        bin_ = min(count - 1, int((a - over.low) / width))
        mass = cumulative[bin_ + 1] - cumulative[bin_]
        lost += abs(below(b) - below(a) - mass * (b - a) / width)
    return float(lost / held / 2)


def apart(parts: NDArray[np.float64], read: NDArray[np.float64], *, within: bool) -> float:
    """Bound the total variation distance of a distribution from one uniform within each stretch.

    Two facts about the distribution are used: the masses of the stretches, and that its density
    rises once and falls once, or falls once and rises once, as it does for distributions by name.
    Next to a turn the density may leave the range of its neighbours. The excess over them may then
    lie at one place.

    Args:
        parts: The masses of the distribution.
        read: The masses of the uniform version.
        within: Whether differences within a stretch count; otherwise stretches are values.
    """
    import numpy as np

    if not within:
        return float(np.abs(parts - read).sum() / 2)
    plainly, inner = both_apart(parts, read)
    left, right = neighbours(parts)
    span = np.maximum(np.maximum(left, right), parts) - np.minimum(np.minimum(left, right), parts)
    inner = np.where(_turns(parts), np.maximum(inner, span), inner)
    return float(np.minimum(plainly + inner, (parts + read) / 2).sum())


def both_apart(
    parts: NDArray[np.float64], read: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the differences of two distributions: between stretches, and bounds within each.

    If the density rises or falls over three neighbours and the other density does not cross it,
    their masses determine the distance. If the two may cross, a step within the middle stretch adds
    at most a fourth of the difference of the outer two. The excess of a stretch over both
    neighbours may all lie at one place.

    Args:
        parts: The masses of the distribution, or its mean densities if stretches have unequal
            lengths.
        read: The same of the uniform version.
    """
    import numpy as np

    left, right = neighbours(parts)
    least = np.minimum(np.minimum(left, right), parts)
    most = np.maximum(left, right)
    cross = (least < read) & (read < np.maximum(most, parts))
    inner = np.where(cross, np.abs(right - left) / 4, 0) + np.maximum(parts - most, 0)
    return np.abs(parts - read) / 2, inner


def neighbours(parts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the stretches before and after each. At an end, both are the inner neighbour."""
    import numpy as np

    left = np.concatenate((parts[1:2], parts[:-1]))
    return left, np.concatenate((parts[1:], parts[-2:-1]))


def _turns(parts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark where a density may turn: at and next to peaks and dips of one or two stretches."""
    import numpy as np

    found = np.zeros(len(parts), bool)
    for here in (parts, -parts):
        noise = _ALIKE * np.abs(here)
        above_left = np.append(True, np.diff(here) > noise[1:])  # the ends of the range are turns
        above_right = np.append(-np.diff(here) > noise[:-1], True)
        found |= above_left & above_right
        pair = above_left[:-1] & ~above_right[:-1] & ~above_left[1:] & above_right[1:]
        found[:-1] |= pair
        found[1:] |= pair
    beside = np.pad(found, 1)
    turns: NDArray[np.bool_] = found | beside[2:] | beside[:-2]
    return turns


def evaluated(cdf: Cdf, at: NDArray[np.float64], source: str) -> NDArray[np.float64]:
    """Return a cdf at many places, even if it takes one number at a time.

    Args:
        cdf: The cdf.
        at: The places.
        source: Its name in an error.

    Raises:
        InvalidValue: The cdf raises, or does not return a number for a place.
    """
    import numpy as np

    if (found := _at_once(cdf, at)) is not None:
        return found.astype(float)
    return np.array([_single(cdf, float(each), source) for each in at])


def _single(cdf: Cdf, place: float, source: str) -> float:
    """Return a cdf at one place."""
    import numpy as np

    rule, remedy = "its cdf must give one number for a place", "give P(X ≤ x) of one law"
    try:
        found = cdf(place)
    except Exception as error:  # the cdf is the caller's code, which may raise any error
        raised = f"{rule}, and raised {type(error).__name__}"
        raise InvalidValue("prior", source, raised, remedy) from error
    held = np.asarray(found)
    if held.size == 1 and (held.dtype.kind in _KINDS or isinstance(found, Real | Decimal)):
        return float(held.item())
    raise InvalidValue("prior", source, f"{rule}, and gave {_kind(found)}", remedy)


def _kind(found: object) -> str:
    count = getattr(found, "size", 1)
    return f"{count} of them" if count != 1 else f"a {type(found).__name__}"


def takes_arrays(cdf: Cdf, at: NDArray[np.float64]) -> bool:
    """Return True if a cdf returns an array of numbers for an array of places."""
    return _at_once(cdf, at) is not None


def _at_once(cdf: Cdf, at: NDArray[np.float64]) -> NDArray[Any] | None:
    """Return a cdf at many places at once; None if it takes one number at a time."""
    import numpy as np

    with suppress(Exception):  # the call for a single number reports the error
        found = np.asarray(cdf(at))
        if found.shape == at.shape and found.dtype.kind in _KINDS:
            return found
    return None
