"""What reading a law into bins costs: how far a law as stated is from the one that is even in bins.

Laws are numpy arrays of masses here; numpy is loaded only when one is read.
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

_KINDS = "biuf"  # of numpy's numbers: truth values, whole numbers, floats
_ALIKE = 1e-9  # share by which floats may move neighbouring masses that are equal
Cdf = Callable[[Any], Any]
"""The probability of lying at or below a place, of a float or of an array."""


def moved(
    fine: list[Fraction],
    below: Callable[[Fraction], Fraction],
    cumulative: list[Fraction],
    over: Range,
    held: Fraction,
) -> float:
    """The total variation distance that equal bins cost a histogram."""
    count = len(cumulative) - 1
    width, lost = (over.high - over.low) / count, Fraction(0)
    for a, b in pairwise(fine):
        bin_ = min(count - 1, int((a - over.low) / width))
        mass = cumulative[bin_ + 1] - cumulative[bin_]
        lost += abs(below(b) - below(a) - mass * (b - a) / width)
    return float(lost / held / 2)


def apart(parts: NDArray[np.float64], read: NDArray[np.float64], *, within: bool) -> float:
    """Bound the total variation distance of a law from one that is even within each stretch.

    Of the law only the masses of the stretches are used, and that its density rises once and falls
    once, or falls once and rises once, as those of laws by name do. Beside a turn the density may
    leave the range of its neighbours; there all that lies above them may lie at one place.

    Args:
        parts: The masses of the law.
        read: Those of the one that is even.
        within: Whether what happens within a stretch counts; otherwise stretches are values.
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
    """Return by how much two laws differ between stretches, and within each at most.

    Where the density rises or falls over three neighbours and the other lies beyond it, their
    masses say all. Where the two may cross, a step within the middle one makes at most a fourth of
    what the outer two differ by; and what a stretch holds more than either neighbour may all lie at
    one place.

    Args:
        parts: The masses of the law, or its mean densities if stretches are not equally long.
        read: Those of the one that is even.
    """
    import numpy as np

    left, right = neighbours(parts)
    least = np.minimum(np.minimum(left, right), parts)
    most = np.maximum(left, right)
    cross = (least < read) & (read < np.maximum(most, parts))
    inner = np.where(cross, np.abs(right - left) / 4, 0) + np.maximum(parts - most, 0)
    return np.abs(parts - read) / 2, inner


def neighbours(parts: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the stretch before and the stretch after each; at an end, the one inside for both."""
    import numpy as np

    left = np.concatenate((parts[1:2], parts[:-1]))
    return left, np.concatenate((parts[1:], parts[-2:-1]))


def _turns(parts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Say where a density may turn: at peaks and dips of one or two stretches, and beside them."""
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
    """A cdf at many places, also where it takes one number at a time.

    Args:
        cdf: The cdf.
        at: Where.
        source: What to call it in an error.

    Raises:
        InvalidValue: It fails, or gives something else than a number for a place.
    """
    import numpy as np

    if (found := _at_once(cdf, at)) is not None:
        return found.astype(float)
    return np.array([_single(cdf, float(each), source) for each in at])


def _single(cdf: Cdf, place: float, source: str) -> float:
    """A cdf at one place."""
    import numpy as np

    rule, remedy = "its cdf must give one number for a place", "give P(X ≤ x) of one law"
    try:
        found = cdf(place)
    except Exception as error:  # whatever somebody else's code raises
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
    """Return True if a cdf gives an array of numbers for an array of places."""
    return _at_once(cdf, at) is not None


def _at_once(cdf: Cdf, at: NDArray[np.float64]) -> NDArray[Any] | None:
    """Return a cdf at many places at once; None if it takes one number at a time."""
    import numpy as np

    with suppress(Exception):  # what is wrong is said where it is asked for one number
        found = np.asarray(cdf(at))
        if found.shape == at.shape and found.dtype.kind in _KINDS:
            return found
    return None
