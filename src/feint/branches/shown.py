"""Branches as they are shown: from cells of a lattice to places in the user's units.

X* and windows are measured in the user's units. A scale may cut a lattice into cells that are not
equal; a ruler numbers places so finely that every boundary and every
window ends on one, so that posteriors are exact there too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.branches.posterior import Posteriors
from feint.branches.walk import Branches, branches
from feint.interfaces import Strategy
from feint.problem import Scale

_SAFE = 1 << 62


@dataclass(frozen=True)
class Ruler:
    """Whole places on a scale.

    Attributes:
        scale: Where the boundaries of the lattice lie.
        delta: The length of a window, in the same units.
    """

    scale: Scale
    delta: Fraction

    @cached_property
    def fineness(self) -> int:
        """How many places make one of the user's units."""
        scale = self.scale
        step = scale.cell if scale.tick is None else scale.tick
        marks = (scale.low, scale.high, step, self.delta, *(scale.clip or ()))
        return math.lcm(*(mark.denominator for mark in marks))

    @property
    def places(self) -> int:
        """How many places the range has."""
        return int((self.scale.at(self.scale.size) - self.scale.at(0)) * self.fineness)

    @property
    def length(self) -> int:
        """How many places a window has."""
        return int(self.delta * self.fineness)

    def place(self, boundaries: NDArray[np.int64]) -> NDArray[Any]:
        """The place of each boundary, from the beginning of the range."""
        scale, fine = self.scale, self.fineness
        if scale.marks is not None:
            return self._marks[boundaries]
        tick = scale.cell if scale.tick is None else scale.tick
        # ⌊exact/tick + 1/2⌋·tick, in whole numbers: ⌊(first + each·k)/below⌋·wide.
        first = scale.low / tick + (0 if scale.tick is None else Fraction(1, 2))
        each = scale.cell / tick
        below = math.lcm(first.denominator, each.denominator)
        a, b, wide = int(first * below), int(each * below), int(tick * fine)
        origin = int(scale.at(0) * fine)
        far = max(abs(origin), self.places, abs(wide) * (scale.size + 1))
        large = max(abs(a) + abs(b) * scale.size, below, far) >= _SAFE
        k = boundaries.astype(object) if large else boundaries
        found: NDArray[Any] = (a + b * k) // below * wide - origin
        found = np.where(boundaries == 0, 0, found)
        return np.where(boundaries == scale.size, self.places, found)

    @cached_property
    def _marks(self) -> NDArray[Any]:
        """Every boundary's place, where they follow no rule."""
        scale, fine = self.scale, self.fineness
        wide, origin = int((scale.tick or Fraction(1)) * fine), int(scale.at(0) * fine)
        large = self.places >= _SAFE or any(abs(end * fine) >= _SAFE for end in _ends(scale))
        inner = np.array(scale.marks, object if large else np.int64)
        return np.concatenate(([0], inner * wide - origin, [self.places]))

    def laid(self, part: Branches) -> Branches:
        """The same branches, low, high and estimate as places."""
        low, high, begin, end = (self.place(each) for each in (part.low, part.high, *part.estimate))
        return replace(part, low=low, high=high, estimate=(begin, end))


def _ends(scale: Scale) -> tuple[Fraction, Fraction]:
    return scale.at(0), scale.at(scale.size)


def shown_success(
    strategy: Strategy,
    scale: Scale,
    delta: Fraction,
    *,
    limit: int = 1 << 26,
) -> Fraction:
    """What the best eavesdropper wins with against the questions as they are shown, exactly.

    Args:
        strategy: What she listens to: noiseless, in one dimension.
        scale: Where its boundaries lie.
        delta: Full width within which she wins, in the scale's units.
        limit: As in `branches`.

    Returns:
        Her success when X* is uniform on the range.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    ruler, won = Ruler(scale, delta), Fraction(0)
    for part in branches(strategy, limit=limit):
        held = Posteriors.of(ruler.laid(part), ruler.places, 1)
        won += Fraction(int(held.caught(ruler.length).sum()), part.total * ruler.places)
    return won
