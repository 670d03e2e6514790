"""Read a distribution into bins, and bound the distance of the bins from it.

The distance is added to every claim of privacy, so more bins are used while it is large. Errors of
floats are part of the distance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from feint.errors import InvalidValue
from feint.exact import plain
from feint.problem.binned import Cdf, apart, evaluated, takes_arrays
from feint.problem.laws import Places, Range
from feint.problem.prior import MOST_BINS, Prior
from feint.problem.probing import bound_distance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Float = NDArray[np.float64]

BINS = 1000
"""The default number of bins, if they are near enough to the distribution."""

MORE = (BINS, 2 * BINS, 5 * BINS, 10 * BINS)
"""The numbers of bins to try until they are near enough to the distribution."""

NEAR = 1e-3
"""The distance up to which bins are near enough. It is added to every claim."""

# Stretches per bin, at which a distribution is read to bound the error of binning. Fewer than 1000
# bins have more stretches each, since coarse stretches hide detail.
_FINER = 16
_GRAIN = 1 << 32  # odds are rounded to this share of their total
_FALLS = 1e-12  # a cdf may fall by this much, by rounding of floats
_ROUNDED = 2.0**-51  # the error of a cdf whose values are within a few floats of the exact ones
# Share of a bin by which an end may be rounded. The error by rounding a cdf's places is then at
# most about a millionth, like that of rounding questions (proofs/rounding.md).
_BLURRED = 1e-6
_HEAVIEST = 8  # the number of stretches to search for an atom
_LIGHTEST = 1e-9  # the least mass of an atom: a smaller one may be a narrow density
_FLOATS = 1e-9  # a smaller distance from a uniform distribution is rounding


@dataclass(frozen=True)
class Stated:
    """A distribution as the user stated it.

    Attributes:
        cdf: The probability of lying at or below each of some places.
        source: Its name in errors.
        given: The cdf itself if it takes floats, which are the nearest to the places. Nothing else
            is known about such a distribution.
        discrete: Whether all of its mass is known to lie at single points.
    """

    cdf: Callable[[Places], Float]
    source: str
    given: Cdf | None = None
    discrete: bool = False


def stated_by(cdf: Cdf, source: str, *, discrete: bool = False) -> Stated:
    """Return a distribution with a cdf of floats.

    Args:
        cdf: The probability of lying at or below a place, of a float or of an array.
        source: Its name in errors.
        discrete: Whether all of its mass is known to lie at single points.

    Returns:
        The distribution. If the range has whole values, it is read between them.
    """

    def at(places: Places) -> Float:
        return evaluated(cdf, _ends(places), source)

    return Stated(at, source, cdf, discrete)


def read_law(law: Stated, over: Range, *, bins: int | None = None) -> Prior:
    """Cut a distribution to the range and read it into bins.

    Args:
        law: The distribution.
        over: The range.
        bins: The number of bins. None: 1000, or more (at most 10 000) if these are not near to the
            distribution; one per value if there are whole values.

    Returns:
        The prior, with the mass that was cut off and the distance that binning causes.

    Raises:
        InvalidValue: The cdf falls, is not a number, has no mass inside the range, or takes floats
            that are too coarse for the ends of the bins.
    """
    if values_of(over) is not None or bins is not None:
        return _binned(law, over, over.values or bins or BINS).prior()
    found = _binned(law, over, BINS)
    for count in MORE[1:]:
        # More bins do not help with atoms: each lies at one place.
        if found.near <= NEAR or law.discrete or found.heaviest > NEAR:
            break
        found = _binned(law, over, count)
    return found.prior()


def values_of(over: Range) -> int | None:
    """Return the number of whole values; None: an interval.

    Raises:
        InvalidValue: There are too many values for a weight each.
    """
    if over.values is not None and over.values > MOST_BINS:
        rule = f"at most {MOST_BINS} whole values have a weight each, and there are {over.values}"
        raise InvalidValue("prior", "given", rule, "leave it out, or take a coarser step")
    return over.values


def outside(over: Range, source: str = "all of it") -> InvalidValue:
    """Build the error for a prior without mass inside the range."""
    rule = f"lies outside the range {over.words}"
    return InvalidValue("prior", source, rule, "widen the range, or check its units")


@dataclass(frozen=True)
class _Binned:
    """A distribution read into a number of bins.

    Attributes:
        law: The distribution.
        places: The ends of its stretches, several per bin.
        heap: [stretches + 1] the cdf there.
        odds: [bins] the odds of the bins.
        blurred: The distance that rounding to floats may add.
        near: The distance from the masses of the stretches. For a black-box cdf it may be too
            small.
    """

    law: Stated
    places: Places
    heap: Float
    odds: Float
    blurred: float
    near: float

    @property
    def inside(self) -> float:
        """The mass inside the range."""
        return float(self.heap[-1] - self.heap[0])

    @property
    def parts(self) -> Float:
        """The masses [stretches] of the stretches, as shares of the mass inside the range."""
        import numpy as np

        return np.maximum(np.diff(self.heap), 0) / self.inside

    @property
    def read(self) -> Float:
        """The masses [stretches] of the stretches according to the bins."""
        import numpy as np

        finer = self.places.count // len(self.odds)
        return np.repeat(self.odds / self.odds.sum() / finer, finer)

    @property
    def heaviest(self) -> float:
        """The mass of the heaviest known atom."""
        return _atom(self.law, self.places, self.parts, self.inside)

    def prior(self) -> Prior:
        """Return the prior with its distance, which requires probes if the cdf is a black box."""
        near, atom = self.near, 0.0
        if self.law.discrete and self.places.over.values is None:
            near = 1.0  # points have no density, so the distance from any binned version is 1
        elif self.law.given is not None and self.places.over.values is None:
            near = self._probed(self.law.given) + self.blurred
        if len(set(self.odds.tolist())) == 1 and near <= _FLOATS:
            near = 0.0  # up to rounding of floats, it is uniform
        if self.places.over.values is None and near > NEAR:
            atom = self.heaviest
        return Prior(
            [int(each) for each in self.odds.tolist()],
            source=self.law.source,
            outside=max(0.0, min(1.0, 1 - self.inside)),
            distance=min(1.0, near),
            atom=atom,
        )

    def _probed(self, given: Cdf) -> float:
        """Return the distance without rounding, from probes within the stretches."""
        import numpy as np

        law, ends = self.law, _ends(self.places)

        def shares(at: Float) -> Float:
            found = evaluated(given, at, law.source)
            _check_finite(found, law.source)
            return np.asarray((found - self.heap[0]) / self.inside)

        slow = not takes_arrays(given, ends[:2])
        return bound_distance(ends, shares(ends), self.read, shares, slow=slow)


def _binned(law: Stated, over: Range, count: int) -> _Binned:
    """Read a distribution into a number of bins.

    Raises:
        InvalidValue: As `read_law`.
    """
    import numpy as np

    finer = 1 if over.values is not None else max(_FINER, -(-_FINER * BINS // count))
    places = Places(over, count * finer)
    off = _checked_off(law, places, finer)
    heap = law.cdf(places)
    _check(heap, law.source)
    inside = float(heap[-1] - heap[0])
    if inside <= 0:
        raise outside(over, law.source)
    rounded = _ROUNDED * len(heap) / inside
    if rounded > NEAR:
        rule = f"so little of it lies inside the range {over.words} that floats cannot tell how"
        raise InvalidValue("prior", law.source, rule, "widen the range, or check its units")
    parts = np.maximum(np.diff(heap), 0) / inside
    masses = parts.reshape(count, finer).sum(axis=1)
    odds = np.rint(masses * _GRAIN)
    if not odds.any():
        raise outside(over, law.source)
    if np.abs(masses - 1 / count).sum() / 2 <= rounded + _moved(masses, off[::finer] / finer):
        odds = np.ones(count)  # up to rounding of floats, the bins are equal
    found = _Binned(law, places, heap, odds, rounded + _moved(parts, off), 0.0)
    return replace(found, near=apart(parts, found.read, within=finer > 1) + found.blurred)


def _ends(places: Places) -> Float:
    """Return the ends of stretches as floats. Mass at the low end of the range counts."""
    import numpy as np

    found = places.since(Fraction(0), Fraction(1))
    if places.over.values is None:
        found[0] = np.nextafter(found[0], -np.inf)
    return found


def _checked_off(law: Stated, places: Places, finer: int) -> Float:
    """Return the largest distance of floats from the places of a cdf, as a share of a stretch.

    Raises:
        InvalidValue: The floats are too coarse to distinguish bins.
    """
    import numpy as np

    if law.given is None:
        return np.zeros(places.count + 1)
    off = places.off()
    if float(off.max()) > _BLURRED * finer:
        low, high = plain(places.over.low), plain(places.over.high)
        rule = (
            f"its cdf takes floats, and between {low} and {high} those are too far apart to tell"
            f" {places.count // finer} bins"
        )
        remedy = "count from the range's low end instead, or give weights or a law by name"
        raise InvalidValue("prior", law.source, rule, remedy)
    return off


def _check(heap: Float, source: str) -> None:
    """Refuse values that are not those of a cdf."""
    import numpy as np

    _check_finite(heap, source)
    if (np.diff(heap) < -_FALLS).any() or heap[0] < -_FALLS or heap[-1] > 1 + _FALLS:
        rule = "a cdf must rise from 0 to 1 and never fall"
        raise InvalidValue("prior", source, rule, "give P(X ≤ x), not a density")


def _check_finite(heap: Float, source: str) -> None:
    """Refuse a cdf that is not a number somewhere."""
    import numpy as np

    if not np.isfinite(heap).all():
        rule = "its cdf must be a number everywhere on the range"
        raise InvalidValue("prior", source, rule, "check its parameters")


def _moved(parts: Float, off: Float) -> float:
    """Bound the mass between the ends of stretches and their floats by the denser neighbour."""
    import numpy as np

    beside = np.maximum(parts[1:], parts[:-1])
    return float((off[1:-1] * beside).sum() + off[0] * parts[0] + off[-1] * parts[-1])


def _atom(law: Stated, places: Places, parts: Float, inside: float) -> float:
    """Return the mass of the heaviest single place. Distributions by name have none.

    The heaviest stretches are halved repeatedly, keeping the heavier half, until floats run out.
    """
    import numpy as np

    if law.given is None:
        return 0.0
    ends, most = _ends(places), 0.0
    for number in np.argsort(parts)[-_HEAVIEST:].tolist():
        if parts[number] <= max(_LIGHTEST, most):
            continue
        low, high = float(ends[number]), float(ends[number + 1])
        below, above = evaluated(law.given, np.array([low, high]), law.source).tolist()
        while low < (middle := low + (high - low) / 2) < high:
            here = float(evaluated(law.given, np.array([middle]), law.source)[0])
            if here - below > above - here:
                high, above = middle, here
            else:
                low, below = middle, here
        most = max(most, (above - below) / inside)
    return most if most > _LIGHTEST else 0.0
