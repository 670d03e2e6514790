"""Guess uniformly, without listening: in one dimension this wins with probability δ − δ²/4."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feint.problem import Transcript


@dataclass(frozen=True)
class UniformGuess:
    """An eavesdropper who does not listen and names a uniformly drawn point."""

    name: str = "uniform"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        """Return [runs, coordinates] the points, in cells."""
        shape = (len(transcript.points), len(transcript.cells))
        return random.random(shape) * np.array(transcript.cells, np.float64)
