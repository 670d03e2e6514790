"""The best guess without listening: the middle, which wins with probability δ.

It is the reason why δ cannot be above 1/L.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.problem import Transcript


@dataclass(frozen=True)
class BlindGuess:
    """An eavesdropper who does not listen and names the middle of the range.

    If X* is a whole value, its window ends between values.

    Attributes:
        lengths: δ in cells for each coordinate if X* is a whole value; otherwise empty.
        name: Its name in tables.
    """

    lengths: tuple[Fraction, ...] = ()
    name: str = "blind"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        """Return [runs, coordinates] the same point for every run, in cells."""
        middle = [size / 2 for size in transcript.cells]
        if self.lengths:
            both = zip(transcript.cells, self.lengths, strict=True)
            middle = [math.floor((size - length) / 2) + float(length / 2) for size, length in both]
        return np.tile(np.array(middle, np.float64), (len(transcript.points), 1))
