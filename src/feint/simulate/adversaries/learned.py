"""Guess the query that lay near X* most often in other searches.

It is fitted on some runs and must be measured on others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.problem import Transcript
from feint.simulate.adversaries.columns import asked, middle

_NONE = -1  # the pick for a length that did not occur in the fit


@dataclass(frozen=True)
class LearnedQuery:
    """An eavesdropper who names the query that lay near X* most often in the fitted searches.

    She learns one pick per coordinate and number of queries, since she hears that number too.

    Attributes:
        radius: δ/2 of each coordinate, in cells.
        picks: For each coordinate and each number of queries about it, the index of the query to
            name; −1 if no search had that many. Empty before the fit.
        name: Its name in tables.
    """

    radius: tuple[float, ...]
    picks: tuple[tuple[int, ...], ...] = ()
    name: str = "learned"

    def fit(self, transcript: Transcript, targets: NDArray[np.float64]) -> LearnedQuery:
        """Return the eavesdropper fitted on these searches.

        Args:
            transcript: The transcript of the searches.
            targets: [runs, coordinates] the cells of X*.

        Returns:
            An eavesdropper with picks. Of queries that were near equally often, it takes the first.
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
        """Return [runs, coordinates] the picked query, or the middle without a pick."""
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
