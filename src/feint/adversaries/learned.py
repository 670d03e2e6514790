"""The learnt query: listens to many searches whose outcome is known, and picks the telling query.

It has something to fit, so a fair audit fits it on some runs and measures it on others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.adversaries.columns import asked, middle
from feint.problem import Transcript


@dataclass(frozen=True)
class LearntQuery:
    """For each coordinate, the place in the transcript that was near X* most often.

    Attributes:
        reach: δ/2 of each coordinate, in cells.
        picks: The query to trust for each coordinate; empty before the fit.
        name: What it is called in tables.
    """

    reach: tuple[float, ...]
    picks: tuple[int, ...] = ()
    name: str = "learnt"

    def fit(self, transcript: Transcript, targets: NDArray[np.float64]) -> LearntQuery:
        """The same eavesdropper after so many searches, X* in cells, [runs, coordinates]."""
        picks = []
        for coordinate, reach in enumerate(self.reach):
            points, heard = asked(transcript, coordinate)
            near = heard & (np.abs(points - targets[:, [coordinate]]) <= reach)
            picks.append(int(near.sum(axis=0).argmax()) if points.shape[1] else 0)
        return LearntQuery(self.reach, tuple(picks), self.name)

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[Any]:
        """One point a run and coordinate; the middle before the fit."""
        found = middle(transcript)
        for coordinate, pick in enumerate(self.picks):
            points, heard = asked(transcript, coordinate)
            if points.shape[1]:
                guess = np.where(heard[:, pick], points[:, pick], found[:, coordinate])
                found[:, coordinate] = guess
        return found
