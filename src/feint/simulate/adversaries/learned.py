"""The learned query: trusts the question that lay near X* most often in other searches.

It has something to fit, so whoever measures it fits it on some runs and measures it on others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.problem import Transcript
from feint.simulate.adversaries.columns import asked, middle


@dataclass(frozen=True)
class LearnedQuery:
    """For each coordinate, the query that lay near X* most often in the searches fitted on.

    Attributes:
        radius: δ/2 of each coordinate, in cells.
        picks: Which query about each coordinate to trust, counted from 0; empty before the fit.
        name: What it is called in tables.
    """

    radius: tuple[float, ...]
    picks: tuple[int, ...] = ()
    name: str = "learned"

    def fit(self, transcript: Transcript, targets: NDArray[np.float64]) -> LearnedQuery:
        """The same eavesdropper after she saw these searches end.

        Args:
            transcript: What was overheard of them.
            targets: [runs, coordinates] where X* was, in cells.

        Returns:
            One with a pick for each coordinate; of queries that were near equally often, the first.
        """
        picks = []
        for coordinate, radius in enumerate(self.radius):
            points, heard = asked(transcript, coordinate)
            near = heard & (np.abs(points - targets[:, [coordinate]]) <= radius)
            picks.append(int(near.sum(axis=0).argmax()) if points.shape[1] else 0)
        return replace(self, picks=tuple(picks))

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[Any]:
        """[runs, coordinates] the trusted query; the middle before the fit, or if it is unasked."""
        found = middle(transcript)
        for coordinate, pick in enumerate(self.picks):
            points, heard = asked(transcript, coordinate)
            if points.shape[1]:
                guess = np.where(heard[:, pick], points[:, pick], found[:, coordinate])
                found[:, coordinate] = guess
        return found
