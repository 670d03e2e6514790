"""The uniform guess, which does not listen: in one dimension it wins with chance δ − δ²/4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feint.problem import Transcript


@dataclass(frozen=True)
class UniformGuess:
    """A point drawn uniformly from the interval, whatever is overheard."""

    name: str = "uniform"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        """[runs, coordinates] the points, in cells."""
        shape = (len(transcript.points), len(transcript.cells))
        return random.random(shape) * np.array(transcript.cells, np.float64)
