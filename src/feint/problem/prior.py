"""The prior distribution of X*: weights on equal bins of the interval.

It is one type, from the user's input to the audit. `stated` reads every form of input once into
whole-number weights on equal bins. Plans, audits and simulations are exact for these bins.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from feint.errors import InvalidValue, TooLarge, WrongType
from feint.exact import Number, bracket, rational

if TYPE_CHECKING:  # NumPy is slow to import, and problems and bounds do not need it
    import numpy as np
    from numpy.typing import NDArray

MOST_BINS = 1 << 20
_LARGEST = 1 << 62
_LONGEST = 1 << 256  # weights are smaller, so that they fit into floats, files and sums of products
_FINE = 1 << 192  # longer weights are rounded to this share of the largest one
NAMES = ("uniform", "peak", "ramp")
"""The priors that need only a name, on the whole range."""

TOLD = ("source", "outside", "distance", "atom")
"""The fields of a prior besides its weights."""


@dataclass(frozen=True, init=False)
class Prior:
    """A distribution of X*: the interval is cut into equal bins, and X* is uniform within each.

    Two priors are equal if their weights are, even if they were stated differently.

    Attributes:
        weights: The weights of the bins, from the left: whole numbers without a common factor.
            Whole values have one bin per value.
        source: The text that stated it; empty if the weights were given.
        outside: The mass of the stated distribution outside the range, which was cut off.
        distance: An upper bound on the total variation distance between the stated distribution, on
            the range, and this one. An eavesdropper's success may be larger by at most this much.
            The values of a cdf alone prove no bound. Named distributions have densities that turn
            at most once, which gives a bound. A discrete SciPy distribution has distance 1. Any
            other cdf is probed for atoms, spikes and gaps within its bins (proofs/binning.md). None
            if unknown, as with samples.
        atom: The mass of the heaviest known single place of the stated distribution. A guess of
            that place wins with this probability for every δ. Bins do not show it.
    """

    weights: tuple[int, ...]
    source: str = field(compare=False)
    outside: float = field(compare=False)
    distance: float | None = field(compare=False)
    atom: float = field(compare=False)

    def __init__(
        self,
        weights: Sequence[Number],
        *,
        source: str = "",
        outside: float = 0.0,
        distance: float | None = 0.0,
        atom: float = 0.0,
    ) -> None:
        """Read the weights exactly.

        As whole numbers they have at most 77 digits. Rationals that would need more, such as 1/k
        for hundreds of k, are rounded to that size, and the distance includes the error.

        Args:
            weights: One number per bin, from the left. They need not sum to one.
            source: The text that stated it.
            outside: The mass that was cut off.
            distance: The error of the bins.
            atom: The mass of its heaviest place, if known.

        Raises:
            WrongType: The weights are not a list, or the source is not a string.
            InvalidValue: There are no bins, a weight is negative or not a number, all are zero, or
                a mass or distance is not a number from 0 to 1.
        """
        given: object = weights
        if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping | Set):
            rule = "must be a list of numbers, one per bin"
            raise WrongType.of("prior", given, rule, "pass a list such as [1, 2, 1]")
        listed = list(weights)
        if not 1 <= len(listed) <= MOST_BINS:
            rule = f"must have from 1 to {MOST_BINS} weights"
            raise InvalidValue("prior", f"{len(listed)} weights", rule, "one number per bin")
        read = [_weight(weight, place) for place, weight in enumerate(listed)]
        if min(read) < 0 or max(read) == 0:
            rule = "weights must not be negative, and one of them must be positive"
            raise InvalidValue("prior", min(read), rule, "give odds, such as 1 2 1")
        if not isinstance(source, str):
            raise WrongType.of("source", source, "must be text", "say how it was stated, in words")
        odds, lost = _odds(read)
        near = None if distance is None else min(1.0, _share(distance, "distance") + lost)
        fields = {
            "weights": odds,
            "source": source,
            "outside": _share(outside, "outside"),
            "distance": near,
            "atom": _share(atom, "atom"),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def named(cls, name: str, bins: int) -> Prior:
        """Return a prior by its name.

        Args:
            name: "uniform"; "peak", likeliest in the middle; or "ramp", likelier to the right.
            bins: The number of bins; a uniform one has one.

        Returns:
            The prior.

        Raises:
            InvalidValue: The name is unknown, or there are too many bins.
        """
        if name == "uniform":
            return cls((1,), source=name)
        if name in NAMES and bins > MOST_BINS:
            rule = f"one that is not uniform has at most {MOST_BINS} bins, and there are {bins}"
            raise InvalidValue("prior", name, rule, "leave it uniform, or ask for fewer values")
        if name == "peak":
            peak = tuple(min(place, bins - 1 - place) + 1 for place in range(bins))
            return cls(peak, source=name)
        if name == "ramp":
            return cls(tuple(place + 1 for place in range(bins)), source=name)
        raise InvalidValue("prior", name, f"must be one of {', '.join(NAMES)}", "pick one of them")

    @property
    def bins(self) -> int:
        """Return the number of bins."""
        return len(self.weights)

    @property
    def uniform(self) -> bool:
        """Return True if all bins have equal weights."""
        return len(set(self.weights)) == 1

    @property
    def total(self) -> int:
        """Return the sum of the weights."""
        return sum(self.weights)

    def coarser(self, most: int) -> Prior:
        """Return the prior with neighbouring bins merged, to have at most `most` bins.

        If their number has no suitable divisor, return it unchanged.
        """
        each = next(
            (k for k in range(2, self.bins) if not self.bins % k and self.bins // k <= most), 1
        )
        if self.bins <= most or each == 1 or self.bins // each < most // 4:
            return self
        groups = range(0, self.bins, each)
        return Prior([sum(self.weights[at : at + each]) for at in groups], source=self.source)

    def below(self, place: Fraction) -> Fraction:
        """Return the probability that X* lies below a place, given as a share of the interval."""
        at = min(max(place, Fraction(0)), Fraction(1)) * self.bins
        whole = min(math.floor(at), self.bins - 1)
        return (self.cumulative[whole] + (at - whole) * self.weights[whole]) / self.total

    def quantile(self, mass: Fraction) -> Fraction:
        """Return the inverse distribution function: the first place with so much mass below it.

        Args:
            mass: A probability from 0 to 1.

        Returns:
            The place, exactly, as a share of the interval.

        >>> Prior([1, 0, 3]).quantile(Fraction(1, 2))
        Fraction(7, 9)
        """
        wanted = mass * self.cumulative[-1]
        bin_ = max(0, bisect_left(self.cumulative, wanted) - 1)
        below, weight = self.cumulative[bin_], self.weights[bin_]
        # Only the leftmost bin can have no weight, and only if the mass is 0.
        inside = (wanted - below) / weight if weight else Fraction(0)
        return (bin_ + inside) / self.bins

    @cached_property
    def cumulative(self) -> tuple[int, ...]:
        """Return the weight below each bin, and at the end the total weight."""
        return (0, *accumulate(self.weights))

    def blind(self, delta: Fraction) -> Fraction:
        """Return the success of the best guess without listening: the heaviest window of length δ.

        Args:
            delta: The full width within which a guess wins, as a share of the interval.

        Returns:
            The exact mass of that window.
        """
        if delta >= 1:
            return Fraction(1)
        whole, part = divmod(delta * self.bins, 1)
        span, above, below = int(whole), part.numerator, part.denominator
        cumulative = self.cumulative
        padded = (*self.weights, 0)
        # A heaviest window starts at a rise or ends at a fall of the density, so at an end of a
        # bin.
        opens = (
            below * (cumulative[i + span] - cumulative[i]) + above * padded[i + span]
            for i in range(self.bins - span + 1)
        )
        closes = (
            below * (cumulative[i] - cumulative[i - span])
            + above * (padded[i - span - 1] if i > span else 0)
            for i in range(span, self.bins + 1)
        )
        return Fraction(max(max(opens), max(closes)), below * self.total)

    def widest(self, most: Fraction) -> Fraction | None:
        """Return the largest δ, in thousandths of a bin, whose blind guess wins at most this often.

        Args:
            most: The largest success of a guess without listening.

        Returns:
            The width as a share of the interval; None if there is none.
        """
        fine = self.bins * 1000
        low, _ = bracket(lambda k: self.blind(Fraction(k, fine)) > most, 0, fine)
        return Fraction(low, fine) if low else None

    def draw(
        self, cells: int, runs: int, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draw X*: its cell on a lattice of equal cells, and its offset in that cell.

        The cell is a whole number, so that nothing is rounded on lattices finer than floats.

        Args:
            cells: The size of the lattice.
            runs: The number of draws.
            random: The random generator.

        Returns:
            [runs] cells, and [runs] offsets from 0 to 1.

        Raises:
            TooLarge: Cells times bins do not fit into 64 bits.
        """
        import numpy as np

        if self.uniform:
            return random.integers(cells, size=runs), random.random(runs)
        cumulative = np.cumsum(np.asarray(self.weights, float))
        mark = random.random(runs) * cumulative[-1]
        bin_ = np.minimum(np.searchsorted(cumulative, mark, side="right"), self.bins - 1)
        # The line in places: `bins` of them make a cell, and `cells` of them a bin.
        if cells * self.bins >= _LARGEST:
            rule = f"at most {_LARGEST} cells times bins are sampled"
            raise TooLarge("prior", f"{self.bins} bins", rule, "give fewer bins")
        place = bin_ * cells + random.integers(cells, size=runs)
        return place // self.bins, (place % self.bins + random.random(runs)) / self.bins

    def to_dict(self) -> dict[str, Any]:
        """Return the prior for JSON; `from_dict` reads it back."""
        heavy = {"atom": self.atom} if self.atom else {}
        return {
            "source": self.source,
            "bins": self.bins,
            "outside": self.outside,
            "distance": self.distance,
            **heavy,
            "weights": list(self.weights),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Prior:
        """Restore a prior from the output of `to_dict`.

        Raises:
            InvalidValue: The dictionary is not a prior.
        """
        held = {name: document[name] for name in ("weights", *TOLD) if name in document}
        weights = held.pop("weights", None)
        if not isinstance(weights, list | tuple):
            rule = "must have a list of weights"
            raise InvalidValue("prior", sorted(document), rule, "give what to_dict gave")
        return cls(weights, **held)

    def __str__(self) -> str:
        """Return the text from which it was read, or the number of its weights."""
        return self.source or f"{self.bins} weights"

    def __repr__(self) -> str:
        """Return the text with the number of bins, without the weights, which may be many."""
        return f"<Prior {self}: {self.bins} bins>"


def _weight(given: Number, place: int) -> Fraction | int:
    """Return a weight exactly; whole numbers unchanged, since a saved prior may have a million."""
    if type(given) is int and abs(given) < _LONGEST:
        return given
    return rational(given, f"prior[{place}]")


def _odds(read: Sequence[Fraction | int]) -> tuple[tuple[int, ...], float]:
    """Return whole-number weights without a common factor, and their distance from the input."""
    common, lost = 1, 0.0
    for weight in read:
        common = math.lcm(common, weight.denominator)
        if common >= _LONGEST:
            break
    if common >= _LONGEST or max(read) * common >= _LONGEST:
        # Each weight is off by less than half of 2^-192 of the largest one; the errors add up.
        unit = Fraction(max(read)) / _FINE
        odds = [round(weight / unit) for weight in read]
        lost = len(read) / _FINE
    else:
        odds = [int(weight * common) for weight in read]
    shared = math.gcd(*odds)
    return tuple(weight // shared for weight in odds), lost


def _share(given: Number, name: str) -> float:
    """Return a probability as a float."""
    found = given if isinstance(given, float) and math.isfinite(given) else rational(given, name)
    if not 0 <= found <= 1:
        raise InvalidValue(name, given, "must be a probability", "give a number from 0 to 1")
    return float(found)


UNIFORM = Prior((1,))
"""The uniform prior."""
