"""Define samples that grow in public batches until one side leads by enough votes.

All copies of a question get the same batches and close together. Only the followed copy decides
whether they grow. Only questions of the hiding stage may be asked in this way, because they have
copies (proofs/samples.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.exact import Number, rational, whole
from feint.problem.regime import HALF
from feint.simulate.oracles.majority import reliability

_LARGEST = 1_001  # voters up to which a fixed sample is replaced: exact figures take a second
_TRIED = 20  # sizes to try of the first and of later batches; more lower means by one percent
_SPARE = 1e-9  # above the float errors of probabilities; the final decision is exact


class SampleEnds(NamedTuple):
    """The probabilities of the end of a sample.

    Attributes:
        p: The probability that its majority is right.
        after: The probability that it ends with each batch.
    """

    p: Fraction
    after: tuple[Fraction, ...]


@dataclass(frozen=True, kw_only=True)
class GrowingSample:
    """A sample that stops when it is decided.

    It stops after the batch that puts one side ahead by `lead` votes, or by more votes than can
    still come, or after the last batch. The majority is the answer. All four numbers are public.

    Attributes:
        first: The number of voters of the first batch; odd, so that there is always a majority.
        more: The number of voters of every other batch; even, for the same reason.
        batches: The most batches.
        lead: The number of votes by which one side must be ahead.

    Example:
        >>> from feint.simulate.oracles import promised
        >>> sample = GrowingSample(first=3, more=2, batches=2, lead=3)
        >>> sample.largest, sample.is_decided(0, yes=3), sample.is_decided(0, yes=2)
        (5, True, False)
        >>> sample.ends("0.2").p == promised(5, "0.2"), float(sample.mean("0.2"))
        (True, 4.26)
    """

    first: int
    more: int = 0
    batches: int = 1
    lead: int = 1

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            InvalidValue: The first batch is even, later ones are odd, or a number is too small.
        """
        for name in ("first", "batches", "lead"):
            whole(getattr(self, name), name, least=1)
        if self.first % 2 == 0:
            rule = "must be odd, so that there is a majority"
            raise InvalidValue("first", self.first, rule, f"take {self.first + 1}")
        if self.more % 2 or self.more < 0 or (self.more == 0) != (self.batches == 1):
            rule = "must be even, so that there is a majority, and 0 for one batch alone"
            raise InvalidValue("more", self.more, rule, "take 0 if batches = 1, 2 otherwise")

    @property
    def largest(self) -> int:
        """Return the largest number of voters of a sample."""
        return self.size(self.batches - 1)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the number of voters after each batch."""
        return tuple(map(self.size, range(self.batches)))

    def size(self, batch: int) -> int:
        """Return the number of voters after a batch; the first batch has number 0."""
        return self.first + batch * self.more

    def is_decided(self, batch: int, yes: int) -> bool:
        """Return True if the sample stops after a batch.

        Args:
            batch: The number of the batch, from 0.
            yes: The number of yes votes on the followed copy so far.

        Returns:
            True if one side leads by enough, or no batch is left.
        """
        size = self.size(batch)
        return abs(2 * yes - size) >= min(self.lead, self.largest - size + 1)

    def ends(self, margin: Number) -> SampleEnds:
        """Return the exact probabilities of the end of the sample.

        Args:
            margin: The probability of each voter to be right, minus 1/2.

        Returns:
            The probabilities that its majority is right, and that it ends with each batch.
        """
        right = HALF + rational(margin, "margin")
        told, untold = right.numerator, right.denominator - right.numerator

        def weights(voters: int) -> NDArray[Any]:
            ways = (math.comb(voters, k) * told**k * untold ** (voters - k) for k in range(voters))
            return np.array([*ways, told**voters], dtype=object)

        found = [
            (Fraction(int(good), scale), Fraction(int(some), scale))
            for size, (good, some) in zip(self.sizes, self._played(weights), strict=True)
            for scale in (right.denominator**size,)
        ]
        return SampleEnds(sum((good for good, _ in found), Fraction(0)), tuple(s for _, s in found))

    def mean(self, margin: Number) -> Fraction:
        """Return the exact mean number of voters of a sample.

        Args:
            margin: As in `ends`.
        """
        after = self.ends(margin).after
        return sum(
            (size * often for size, often in zip(self.sizes, after, strict=True)), Fraction(0)
        )

    def _played(self, weights: Any) -> list[tuple[Any, Any]]:
        """Return for each batch the weights of samples that end there rightly, and of all that end.

        Args:
            weights: Returns the weight of each number of right voters, given the number of voters.
        """
        going, more = weights(self.first), weights(self.more)
        found = []
        for batch, size in enumerate(self.sizes):
            lead = 2 * np.arange(size + 1) - size
            over = np.abs(lead) >= min(self.lead, self.largest - size + 1)
            found.append((going[over & (lead > 0)].sum(), going[over].sum()))
            if batch + 1 < self.batches:
                going = np.convolve(np.where(over, 0, going), more)
        return found


@dataclass(frozen=True)
class _Floats:
    """Binomial weights in floats, which are quick enough to try many samples."""

    right: float

    @cached_property
    def _known(self) -> dict[int, NDArray[np.float64]]:
        return {}

    def __call__(self, voters: int) -> NDArray[np.float64]:
        from scipy.stats import binom

        if voters not in self._known:
            self._known[voters] = binom.pmf(np.arange(voters + 1), voters, self.right)
        return self._known[voters]


@lru_cache(maxsize=256)
def growing_sample(voters: int, margin: Fraction, *, batches: int = 4) -> GrowingSample:
    """Return a growing sample that is right as often as a fixed one, and smaller on average.

    Args:
        voters: The size of the fixed sample, an odd number.
        margin: The probability of each voter to be right, minus 1/2.
        batches: The most batches of the growing sample.

    Returns:
        The sample with the fewest voters on average among those tried. It never has more than twice
        the voters of the fixed one. If none is better, or if the fixed one has more than 1,001
        voters, the fixed one itself.

    Raises:
        InvalidValue: As in `reliability`, or there is no batch.
    """
    whole(batches, "batches", least=1)
    wanted = reliability(voters, margin)
    best, least = GrowingSample(first=voters), float(voters)
    if voters > _LARGEST:
        return best
    weights, tried = _Floats(float(HALF + margin)), list[tuple[float, GrowingSample]]()
    for count in range(2, batches + 1):
        for first in _spread(1, voters):
            for more in _spread(2, voters):
                if not voters <= first + (count - 1) * more <= 2 * voters:
                    continue
                found = _quickest(first, more, count, wanted, weights)
                if found is not None and found[0] < least - _SPARE:
                    tried.append(found)
    exactly = _right(voters, margin)
    for _, sample in sorted(tried, key=lambda each: (each[0], each[1].largest)):
        if sample.ends(margin).p >= exactly:
            return sample
    return best


def _quickest(
    first: int, more: int, batches: int, wanted: float, weights: _Floats
) -> tuple[float, GrowingSample] | None:
    """Return the sample with these batches and the least lead that is right often enough."""
    for lead in range(1, first + (batches - 1) * more + 1, 2):
        sample = GrowingSample(first=first, more=more, batches=batches, lead=lead)
        found = sample._played(weights)
        if sum(good for good, _ in found) >= wanted - _SPARE:
            both = zip(sample.sizes, found, strict=True)
            return sum(size * some for size, (_, some) in both), sample
    return None


def _right(voters: int, margin: Fraction) -> Fraction:
    """Return the exact probability that the majority of a fixed sample is right."""
    return GrowingSample(first=voters).ends(margin).p


def _spread(least: int, most: int) -> list[int]:
    """Return numbers between two, in steps of two: all if they are few, else twenty of them."""
    count = (most - least) // 2 + 1
    if count <= _TRIED:
        return [least + 2 * each for each in range(count)]
    steps = (round(count ** (each / (_TRIED - 1))) - 1 for each in range(_TRIED))
    return sorted({least + 2 * each for each in steps})
