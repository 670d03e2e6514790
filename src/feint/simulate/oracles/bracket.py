"""Turn answers that may contradict each other into consistent ones, by following a bracket.

A function with several roots, or voters some of whom lie, may say yes to a question and no to a
smaller one. A search needs answers that fit one number. A bracket keeps the greatest number
answered yes and the least number above it answered no, and answers by these two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

Place = float | Fraction
"""Where a question was put; fractions are compared exactly, where floats are not fine enough."""


@dataclass
class Bracket:
    """The interval that raw answers leave: low was answered yes, and high no.

    Attributes:
        low: The number is at least this.
        high: The number is below this.
    """

    low: Place = -math.inf
    high: Place = math.inf

    def take(self, points: Sequence[Place], reached: Sequence[bool]) -> list[bool]:
        """Read a round of raw answers, and return answers consistent with all so far.

        If the answers change from yes to no several times inside the bracket, the leftmost change
        is followed. Raw answers outside the bracket are ignored.

        Args:
            points: The numbers asked about.
            reached: True for each point answered yes: the number is at least this.

        Returns:
            True for each point that the number is at least. If the raw answers fit one number,
            they are returned unchanged.
        """
        pairs = list(zip(points, reached, strict=True))
        inside = [(point, yes) for point, yes in pairs if self.low < point < self.high]
        self.high = min((point for point, yes in inside if not yes), default=self.high)
        below = (point for point, yes in inside if yes and point < self.high)
        self.low = max(below, default=self.low)
        return [point <= self.low for point in points]
