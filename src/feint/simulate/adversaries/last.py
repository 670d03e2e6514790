"""Guess the last query, which wins against strategies that close in on X*, such as bisection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED
from feint.problem import Transcript
from feint.simulate.adversaries.columns import asked, middle, nth


@dataclass(frozen=True)
class LastQuery:
    """An eavesdropper who names the last query of each coordinate, or the middle without one."""

    name: str = "last"

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[Any]:
        """Return [runs, coordinates] the guesses, in cells."""
        found = middle(transcript)
        for coordinate in range(len(transcript.cells)):
            points, heard = asked(transcript, coordinate)
            last = nth(points, heard, heard.sum(axis=1) - 1)
            found[:, coordinate] = np.where(last != UNASKED, last, found[:, coordinate])
        return found
