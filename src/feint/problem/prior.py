"""Where X* may be before anything is overheard: weights on equal bins of the interval.

One type from the user's edge to the audit. However a belief is stated (`stated`), it is read once
into whole-number odds on equal bins; plans, audits and simulations are exact about those.
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

if TYPE_CHECKING:  # numpy is heavy, and problems and bounds do without it
    import numpy as np
    from numpy.typing import NDArray

MOST_BINS = 1 << 20
_LARGEST = 1 << 62
_LONGEST = 1 << 256  # odds are less: so they fit into floats, files and sums of products
_FINE = 1 << 192  # of the largest, to which they are rounded where they would be longer
NAMES = ("uniform", "peak", "ramp")
"""The priors that a name alone stands for, on the whole range."""

TOLD = ("source", "outside", "distance", "atom")
"""What is said of a prior beside its weights."""


@dataclass(frozen=True, init=False)
class Prior:
    """A law of X*: the interval is cut into equal bins, and X* is uniform within each.

    Two are equal when their odds are; how they were stated does not count.

    Attributes:
        weights: The odds of the bins, from the left: whole numbers without a common factor. Of
            whole values there is one bin a value.
        source: How it was stated, in words; empty where the odds themselves were given.
        outside: The mass of the stated law that lies outside the range and was cut off.
        distance: The total variation distance between the stated law, on the range, and this one,
            at most: what reading it into bins can add to an eavesdropper's success. Values of a
            cdf alone prove no bound. So a law by name is known to turn once at most, a discrete
            SciPy distribution has distance 1, and any other cdf is probed for atoms, spikes and
            gaps within its bins (proofs/binning.md). None where it is not known, as with samples.
        atom: The mass of one place of the stated law, where one is known to be heavy: whoever names
            that place wins as often, however small δ is. Bins do not show it.
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
        """Read the odds exactly.

        As whole numbers they have at most 77 digits. Where rationals would need more, such as 1/k
        for hundreds of k, they are rounded to that size, and the distance says what this costs.

        Args:
            weights: One number a bin, from the left; they need not add up to one.
            source: How it was stated.
            outside: The mass that was cut off.
            distance: What reading it into bins can cost.
            atom: The mass of its heaviest place, where that is known.

        Raises:
            WrongType: No list, or a source that is no text.
            InvalidValue: No bin, a weight that is no number or negative, nothing but zeros, or a
                mass or distance that is none.
        """
        given: object = weights
        if not isinstance(given, Iterable) or isinstance(given, str | bytes | Mapping | Set):
            rule = "must be a list of numbers, one a bin"
            raise WrongType.of("prior", given, rule, "pass such as [1, 2, 1]")
        listed = list(weights)
        if not 1 <= len(listed) <= MOST_BINS:
            rule = f"must have from 1 to {MOST_BINS} weights"
            raise InvalidValue("prior", f"{len(listed)} weights", rule, "one number a bin")
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
        """A prior by its name.

        Args:
            name: "uniform"; "peak", likeliest in the middle; or "ramp", likelier to the right.
            bins: The number of bins; a uniform one has one.

        Returns:
            The prior.

        Raises:
            InvalidValue: There is no such name, or there are too many bins.
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
        """The number of bins."""
        return len(self.weights)

    @property
    def uniform(self) -> bool:
        """Whether every bin weighs the same."""
        return len(set(self.weights)) == 1

    @property
    def total(self) -> int:
        """The sum of the odds."""
        return sum(self.weights)

    def coarser(self, most: int) -> Prior:
        """The prior with neighbouring bins put together, where that leaves no more than `most`.

        Where their number has no suitable divisor it stays as it is.
        """
        each = next(
            (k for k in range(2, self.bins) if not self.bins % k and self.bins // k <= most), 1
        )
        if self.bins <= most or each == 1 or self.bins // each < most // 4:
            return self
        groups = range(0, self.bins, each)
        return Prior([sum(self.weights[at : at + each]) for at in groups], source=self.source)

    def below(self, place: Fraction) -> Fraction:
        """The probability that X* lies below a place, given as a share of the interval."""
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
        # Only the bin at the left end of the range can weigh nothing, and only for mass 0.
        inside = (wanted - below) / weight if weight else Fraction(0)
        return (bin_ + inside) / self.bins

    @cached_property
    def cumulative(self) -> tuple[int, ...]:
        """The odds below each bin, and at the end those of all of them."""
        return (0, *accumulate(self.weights))

    def blind(self, delta: Fraction) -> Fraction:
        """What the best guess without listening wins with: the heaviest window of length δ.

        Args:
            delta: Full width within which a guess wins, as a share of the interval.

        Returns:
            The exact mass of that window.
        """
        if delta >= 1:
            return Fraction(1)
        whole, part = divmod(delta * self.bins, 1)
        span, above, below = int(whole), part.numerator, part.denominator
        cumulative = self.cumulative
        padded = (*self.weights, 0)
        # A heaviest window begins where the density rises or ends where it falls: at bins' ends.
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
        """The largest δ, a whole number of thousandths of a bin, whose blind guess wins so seldom.

        Args:
            most: The probability with which a guess without listening may win.

        Returns:
            The width as a share of the interval; None when there is none.
        """
        fine = self.bins * 1000
        low, _ = bracket(lambda k: self.blind(Fraction(k, fine)) > most, 0, fine)
        return Fraction(low, fine) if low else None

    def draw(
        self, cells: int, runs: int, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draw X*: its cell on a lattice of equal cells, and how far into that cell it lies.

        The cell is a whole number, so that nothing is rounded on lattices finer than a float.

        Args:
            cells: The size of the lattice.
            runs: The number of draws.
            random: Where they come from.

        Returns:
            [runs] cells, and [runs] shares of a cell from 0 to 1.

        Raises:
            TooLarge: Cells times bins are too many for whole numbers of 64 bits.
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
        """The prior for JSON; `from_dict` reads it back."""
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
        """The prior that `to_dict` gave.

        Raises:
            InvalidValue: It is none.
        """
        held = {name: document[name] for name in ("weights", *TOLD) if name in document}
        weights = held.pop("weights", None)
        if not isinstance(weights, list | tuple):
            rule = "must have a list of weights"
            raise InvalidValue("prior", sorted(document), rule, "give what to_dict gave")
        return cls(weights, **held)

    def __str__(self) -> str:
        """How it was stated, or how many weights it has."""
        return self.source or f"{self.bins} weights"

    def __repr__(self) -> str:
        """The same, with the number of bins: the weights may be many."""
        return f"<Prior {self}: {self.bins} bins>"


def _weight(given: Number, place: int) -> Fraction | int:
    """A weight, exactly; whole numbers as they are, since a saved prior may have a million."""
    if type(given) is int and abs(given) < _LONGEST:
        return given
    return rational(given, f"prior[{place}]")


def _odds(read: Sequence[Fraction | int]) -> tuple[tuple[int, ...], float]:
    """Whole-number odds without a common factor, and how far they are from these weights."""
    common, lost = 1, 0.0
    for weight in read:
        common = math.lcm(common, weight.denominator)
        if common >= _LONGEST:
            break
    if common >= _LONGEST or max(read) * common >= _LONGEST:
        # Each is off by less than half of a 2^-192nd of the largest, and so is the sum by as many.
        unit = Fraction(max(read)) / _FINE
        odds = [round(weight / unit) for weight in read]
        lost = len(read) / _FINE
    else:
        odds = [int(weight * common) for weight in read]
    shared = math.gcd(*odds)
    return tuple(weight // shared for weight in odds), lost


def _share(given: Number, name: str) -> float:
    """A probability as a float."""
    found = given if isinstance(given, float) and math.isfinite(given) else rational(given, name)
    if not 0 <= found <= 1:
        raise InvalidValue(name, given, "must be a probability", "give a number from 0 to 1")
    return float(found)


UNIFORM = Prior((1,))
"""The prior under which the number is equally likely anywhere."""
