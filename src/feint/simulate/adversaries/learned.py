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

_NONE = -1  # the pick for a length that no search had which she was fitted on


@dataclass(frozen=True)
class LearnedQuery:
    """For each coordinate, the query that lay near X* most often in the searches fitted on.

    She counts the queries that she hears, and learns one pick for each number of them: how many
    there are is overheard too.

    Attributes:
        radius: δ/2 of each coordinate, in cells.
        picks: For each coordinate, and each number of queries about it from 0, which of them to
            trust, counted from 0; −1: no search had that many. Empty before the fit.
        name: What it is called in tables.
    """

    radius: tuple[float, ...]
    picks: tuple[tuple[int, ...], ...] = ()
    name: str = "learned"

    def fit(self, transcript: Transcript, targets: NDArray[np.float64]) -> LearnedQuery:
        """Return the same eavesdropper after she saw these searches end.

        Args:
            transcript: What was overheard of them.
            targets: [runs, coordinates] where X* was, in cells.

        Returns:
            One with picks for each coordinate; of queries that were near equally often, the first.
        """
        picks = []
        for coordinate, radius in enumerate(self.radius):
            points, heard = asked(transcript, coordinate)
            near = heard & (np.abs(points - targets[:, [coordinate]]) <= radius)
            counts, place = heard.sum(axis=1), np.cumsum(heard, axis=1) - 1
            found = [_NONE] * (points.shape[1] + 1)
            for length in np.unique(counts[counts > 0]).tolist():
                mine = counts == length
                hits = np.bincount(place[mine][near[mine]], minlength=length)
                found[length] = int(hits.argmax())
            picks.append(tuple(found))
        return replace(self, picks=tuple(picks))

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[Any]:
        """[runs, coordinates] the trusted query; the middle before the fit, or if there is none."""
        found = middle(transcript)
        for coordinate, picks in enumerate(self.picks):
            points, heard = asked(transcript, coordinate)
            if points.shape[1]:
                counts = heard.sum(axis=1)
                known_of = np.full(max(len(picks), int(counts.max()) + 1), _NONE, np.int64)
                known_of[: len(picks)] = picks
                pick = known_of[counts]
                chosen = heard & (np.cumsum(heard, axis=1) - 1 == pick[:, None])
                guess = points[np.arange(len(points)), np.argmax(chosen, axis=1)]
                known = chosen.any(axis=1)
                found[:, coordinate] = np.where(known, guess, found[:, coordinate])
        return found
