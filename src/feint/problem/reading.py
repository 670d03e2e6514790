"""A law read into bins: how many, what each weighs, and how far that is from the law as stated.

What reading costs is added to every claim of privacy, so a law is read into more bins while its
distance is large; and whatever floats may have moved is part of the distance.
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
"""Bins of a law that is stated by its distribution, where no number is given and they do."""

MORE = (BINS, 2 * BINS, 5 * BINS, 10 * BINS)
"""Numbers of bins that are tried, until they are near enough to the law."""

NEAR = 1e-3
"""The distance that is near enough: what is left of it is added to every claim."""

# Stretches a bin at which a distribution is read, to see what binning costs; of fewer bins than
# 1000 as many more as make up for it, since coarse stretches hide what lies within.
_FINER = 16
_GRAIN = 1 << 32  # odds are rounded to this share of all
_FALLS = 1e-12  # what floats may make a cdf fall by
_ROUNDED = 2.0**-51  # what a cdf may be off by, in floats that are its nearest but for a few
# Share of a bin by which an end may be rounded: what the floats of a cdf's places may cost is then
# at most about a millionth, as rounding questions may (proofs/rounding.md).
_BLURRED = 1e-6
_HEAVIEST = 8  # stretches that are looked at for an atom
_LIGHTEST = 1e-9  # the mass of an atom at least: less may be that of a narrow density
_FLOATS = 1e-9  # the distance from a uniform law that is the floats' own


@dataclass(frozen=True)
class Stated:
    """A law as it was stated.

    Attributes:
        cdf: The probability of lying at or below each of some places.
        source: What to call it.
        given: The cdf itself where it takes floats, and so the nearest float of a place. Nothing
            else is known of such a law.
        discrete: Whether it is known that all of its mass lies at single points.
    """

    cdf: Callable[[Places], Float]
    source: str
    given: Cdf | None = None
    discrete: bool = False


def stated_by(cdf: Cdf, source: str, *, discrete: bool = False) -> Stated:
    """A law by a cdf of floats.

    Args:
        cdf: The probability of lying at or below a place, of a float or of an array.
        source: What to call it.
        discrete: Whether it is known that all of its mass lies at single points.

    Returns:
        The law; of whole values it is read between them.
    """

    def at(places: Places) -> Float:
        return evaluated(cdf, _ends(places), source)

    return Stated(at, source, cdf, discrete)


def read_law(law: Stated, over: Range, *, bins: int | None = None) -> Prior:
    """A law, cut to the range, in bins.

    Args:
        law: The law.
        over: The range.
        bins: The number of bins; None: 1000, more where those are not near to the law, 10 000 at
            most; of whole values one a value.

    Returns:
        The prior, with the mass that was cut off and the distance that binning costs.

    Raises:
        InvalidValue: The cdf falls, is no number, has nothing inside the range, or is one of floats
            that do not tell the bins' ends apart.
    """
    if values_of(over) is not None or bins is not None:
        return _binned(law, over, over.values or bins or BINS).prior()
    found = _binned(law, over, BINS)
    for count in MORE[1:]:
        # More bins tell nothing more of atoms: each lies at one place.
        if found.near <= NEAR or law.discrete or found.heaviest > NEAR:
            break
        found = _binned(law, over, count)
    return found.prior()


def values_of(over: Range) -> int | None:
    """How many whole values there are; None: an interval.

    Raises:
        InvalidValue: Too many for a weight each.
    """
    if over.values is not None and over.values > MOST_BINS:
        rule = f"at most {MOST_BINS} whole values have a weight each, and there are {over.values}"
        raise InvalidValue("prior", "given", rule, "leave it out, or take a coarser step")
    return over.values


def outside(over: Range, source: str = "all of it") -> InvalidValue:
    """The error about a belief of which nothing lies inside the range."""
    rule = f"lies outside the range {over.words}"
    return InvalidValue("prior", source, rule, "widen the range, or check its units")


@dataclass(frozen=True)
class _Binned:
    """A law read into a number of bins.

    Attributes:
        law: The law.
        places: The ends of its stretches, several a bin.
        heap: [stretches + 1] the cdf there.
        odds: [bins] the odds of the bins.
        blurred: The distance that rounding by floats may add.
        near: The distance by the masses of the stretches; of a black-box cdf it may be understated.
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
        """[stretches] the masses of the stretches, as shares of what is inside."""
        import numpy as np

        return np.maximum(np.diff(self.heap), 0) / self.inside

    @property
    def read(self) -> Float:
        """[stretches] what they weigh in the bins."""
        import numpy as np

        finer = self.places.count // len(self.odds)
        return np.repeat(self.odds / self.odds.sum() / finer, finer)

    @property
    def heaviest(self) -> float:
        """The mass of the heaviest atom that is found."""
        return _atom(self.law, self.places, self.parts, self.inside)

    def prior(self) -> Prior:
        """The prior, with its distance: of a black-box cdf by probing it within stretches."""
        near, atom = self.near, 0.0
        if self.law.discrete and self.places.over.values is None:
            near = 1.0  # points have no density: all of the mass lies where bins hold none of it
        elif self.law.given is not None and self.places.over.values is None:
            near = self._probed(self.law.given) + self.blurred
        if len(set(self.odds.tolist())) == 1 and near <= _FLOATS:
            near = 0.0  # but for what floats may have moved, it is uniform
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
        """The distance but for rounding, by probes within the stretches."""
        import numpy as np

        law, ends = self.law, _ends(self.places)

        def shares(at: Float) -> Float:
            found = evaluated(given, at, law.source)
            _check_finite(found, law.source)
            return np.asarray((found - self.heap[0]) / self.inside)

        slow = not takes_arrays(given, ends[:2])
        return bound_distance(ends, shares(ends), self.read, shares, slow=slow)


def _binned(law: Stated, over: Range, count: int) -> _Binned:
    """A law read into a number of bins.

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
        odds = np.ones(count)  # but for what floats may have moved, the bins are equal
    found = _Binned(law, places, heap, odds, rounded + _moved(parts, off), 0.0)
    return replace(found, near=apart(parts, found.read, within=finer > 1) + found.blurred)


def _ends(places: Places) -> Float:
    """The ends of stretches in floats; what lies on the low end counts."""
    import numpy as np

    found = places.since(Fraction(0), Fraction(1))
    if places.over.values is None:
        found[0] = np.nextafter(found[0], -np.inf)
    return found


def _checked_off(law: Stated, places: Places, finer: int) -> Float:
    """How far the floats that a cdf is read at may lie from the places, as shares of a stretch.

    Raises:
        InvalidValue: So far that they do not tell bins apart.
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
    """Refuse what is no cdf."""
    import numpy as np

    _check_finite(heap, source)
    if (np.diff(heap) < -_FALLS).any() or heap[0] < -_FALLS or heap[-1] > 1 + _FALLS:
        rule = "a cdf must rise from 0 to 1 and never fall"
        raise InvalidValue("prior", source, rule, "give P(X ≤ x), not a density")


def _check_finite(heap: Float, source: str) -> None:
    """Refuse a cdf that is no number somewhere."""
    import numpy as np

    if not np.isfinite(heap).all():
        rule = "its cdf must be a number everywhere on the range"
        raise InvalidValue("prior", source, rule, "check its parameters")


def _moved(parts: Float, off: Float) -> float:
    """The mass between the ends of stretches and their floats, as dense as the denser beside it."""
    import numpy as np

    beside = np.maximum(parts[1:], parts[:-1])
    return float((off[1:-1] * beside).sum() + off[0] * parts[0] + off[-1] * parts[-1])


def _atom(law: Stated, places: Places, parts: Float, inside: float) -> float:
    """The mass of the heaviest single place that is found; laws by name have none.

    The heaviest stretches are halved, each time the heavier half, until floats end.
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
