"""The blind guess, which does not listen: the best one, in the middle; it wins with chance δ.

Whoever hears something and does worse than this would do better not to listen. It is why δ cannot
be above 1/L.
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
    """The middle of everything, whatever is overheard.

    Of whole values it names those in the middle: a window that ends between values.

    Attributes:
        lengths: δ in cells, for each coordinate, where X* is one of whole values; empty: it is not.
        name: What it is called in tables.
    """

    lengths: tuple[Fraction, ...] = ()
    name: str = "blind"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        """[runs, coordinates] the same point for every run, in cells."""
        middle = [size / 2 for size in transcript.cells]
        if self.lengths:
            both = zip(transcript.cells, self.lengths, strict=True)
            middle = [math.floor((size - length) / 2) + float(length / 2) for size, length in both]
        return np.tile(np.array(middle, np.float64), (len(transcript.points), 1))
