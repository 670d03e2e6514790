"""The learned query: trusts the question that lay near X* most often in other searches.

It has something to fit, so whoever measures it fits it on some runs and measures it on others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED
from feint.problem import Transcript
from feint.simulate.adversaries.columns import asked, middle, nth

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
        """[runs, coordinates] the trusted query; the middle before the fit, or if there is none."""
        found = middle(transcript)
        for coordinate, picks in enumerate(self.picks):
            points, heard = asked(transcript, coordinate)
            counts = heard.sum(axis=1)
            known_of = np.full(max(len(picks), points.shape[1] + 1), _NONE, np.int64)
            known_of[: len(picks)] = picks
            guess = nth(points, heard, known_of[counts])
            found[:, coordinate] = np.where(guess != UNASKED, guess, found[:, coordinate])
        return found
