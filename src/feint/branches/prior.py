"""Where X* may be before anything is overheard: weights on equal bins of the interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue, TooLarge
from feint.exact import Number, rational

_BINS = 1 << 20
_LARGEST = 1 << 62
NAMES = ("uniform", "peak", "ramp")


@dataclass(frozen=True, init=False)
class Prior:
    """A law of X*: the interval is cut into equal bins, and X* is uniform within each.

    Attributes:
        weights: The odds of the bins, from the left: whole numbers without a common factor.
    """

    weights: tuple[int, ...]

    def __init__(self, weights: Sequence[Number]) -> None:
        """Read the odds exactly.

        Args:
            weights: One number a bin, from the left; they need not add up to one.

        Raises:
            InvalidValue: No bin, a negative weight, or nothing but zeros.
        """
        read = [rational(weight, f"prior[{place}]") for place, weight in enumerate(weights)]
        if not 1 <= len(read) <= _BINS:
            rule = f"must have from 1 to {_BINS} weights"
            raise InvalidValue("prior", f"{len(read)} weights", rule, "one number a bin")
        if min(read) < 0 or max(read) == 0:
            rule = "weights must not be negative, and one of them must be positive"
            raise InvalidValue("prior", min(read), rule, "give odds, such as 1 2 1")
        common = math.lcm(*(weight.denominator for weight in read))
        whole = [int(weight * common) for weight in read]
        shared = math.gcd(*whole)
        object.__setattr__(self, "weights", tuple(weight // shared for weight in whole))

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
            return cls((1,))
        if name in NAMES and bins > _BINS:
            rule = f"one that is not uniform has at most {_BINS} bins, and there are {bins}"
            raise InvalidValue("prior", name, rule, "leave it uniform, or ask for fewer values")
        if name == "peak":
            return cls(tuple(min(place, bins - 1 - place) + 1 for place in range(bins)))
        if name == "ramp":
            return cls(tuple(place + 1 for place in range(bins)))
        raise InvalidValue("prior", name, f"must be one of {', '.join(NAMES)}", "pick one of them")

    @property
    def bins(self) -> int:
        """The number of bins."""
        return len(self.weights)

    @property
    def uniform(self) -> bool:
        """Whether every bin weighs the same."""
        return len(set(self.weights)) == 1

    def draw(
        self, cells: int, runs: int, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Draw X*: its cell on a lattice, and how far into that cell it lies.

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
        if self.uniform:
            return random.integers(cells, size=runs), random.random(runs)
        heap = np.cumsum(np.asarray(self.weights, float))
        mark = random.random(runs) * heap[-1]
        bin_ = np.minimum(np.searchsorted(heap, mark, side="right"), self.bins - 1)
        # The line in places: `bins` of them make a cell, and `cells` of them a bin.
        if cells * self.bins >= _LARGEST:
            rule = f"at most {_LARGEST} cells times bins are sampled"
            raise TooLarge("prior", f"{self.bins} bins", rule, "give fewer bins")
        place = bin_ * cells + random.integers(cells, size=runs)
        return place // self.bins, (place % self.bins + random.random(runs)) / self.bins


UNIFORM = Prior((1,))
