"""Guess the query that lay near X* most often in other searches.

It is fitted on some runs and must be measured on others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED
from feint.problem import Transcript
from feint.simulate.adversaries.columns import asked, middle, nth

_NONE = -1  # stands for a length that did not occur in the fit


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
            width, counts = points.shape[1], heard.sum(axis=1)
            before, hits = np.zeros(len(points), np.int64), [np.zeros(0, np.int64)]
            for column in range(width):  # as transcripts are laid out
                distance = np.abs(points[:, column] - targets[:, coordinate])
                near = heard[:, column] & (distance <= radius)
                hits.append((counts * width + before)[near])
                before += heard[:, column]
            often = np.bincount(np.concatenate(hits), minlength=(width + 1) * width)
            found = [_NONE] * (width + 1)
            for length in np.unique(counts[counts > 0]).tolist():
                found[length] = int(often[length * width : length * width + length].argmax())
            picks.append(tuple(found))
        return replace(self, picks=tuple(picks))

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[Any]:
        """Return [runs, coordinates] the picked query, or the middle without a pick."""
        found = middle(transcript)
        for coordinate, picks in enumerate(self.picks):
            points, heard = asked(transcript, coordinate)
            counts = heard.sum(axis=1)
            known_of = np.full(max(len(picks), points.shape[1] + 1), _NONE, np.int64)
            known_of[: len(picks)] = picks
            guess = nth(points, heard, known_of[counts])
            found[:, coordinate] = np.where(guess != UNASKED, guess, found[:, coordinate])
        return found
