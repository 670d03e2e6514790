"""Answers that fit each other, from answers that need not: the bracket they leave is followed.

A function with several roots, or voters of whom some lie, may say yes to a question and no to a
smaller one. Whoever searches needs answers that fit one number. A bracket keeps the greatest number
that was said to be reached and the least beyond it that was not, and answers from these two alone.
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
    """What raw answers leave of a number: low was answered yes, high no, nothing between them.

    Attributes:
        low: The number is at least this.
        high: The number is below this.
    """

    low: Place = -math.inf
    high: Place = math.inf

    def take(self, points: Sequence[Place], reached: Sequence[bool]) -> list[bool]:
        """Take a round of raw answers, and give answers that fit them and all before.

        Of several changes from yes to no inside the bracket the leftmost is followed. Raw answers
        outside it are not used.

        Args:
            points: Where questions were put.
            reached: Whether each was answered yes: the number is at least this.

        Returns:
            Whether the number is at least each point; if the raw answers fit one number, they are
            returned as they are.
        """
        pairs = list(zip(points, reached, strict=True))
        inside = [(point, yes) for point, yes in pairs if self.low < point < self.high]
        self.high = min((point for point, yes in inside if not yes), default=self.high)
        below = (point for point, yes in inside if yes and point < self.high)
        self.low = max(below, default=self.low)
        return [point <= self.low for point in points]
