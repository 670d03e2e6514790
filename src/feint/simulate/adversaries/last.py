"""Guess the last query, which wins against strategies that close in on X*, such as bisection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.problem import Transcript
from feint.simulate.adversaries.columns import asked, middle


@dataclass(frozen=True)
class LastQuery:
    """An eavesdropper who names the last query of each coordinate, or the middle without one."""

    name: str = "last"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[Any]:
        """Return [runs, coordinates] the guesses, in cells."""
        found = middle(transcript)
        for coordinate in range(len(transcript.cells)):
            points, heard = asked(transcript, coordinate)
            if points.shape[1]:
                last = points.shape[1] - 1 - np.argmax(heard[:, ::-1], axis=1)
                guess = points[np.arange(len(points)), last]
                found[:, coordinate] = np.where(heard.any(axis=1), guess, found[:, coordinate])
        return found
