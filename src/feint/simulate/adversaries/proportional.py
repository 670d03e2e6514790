"""Proportional sampling: guess a query drawn uniformly, from all or from those after the first K.

These eavesdroppers prove the lower bounds. K. Xu 2018 draws from all queries. The proof of
Theorem 1 skips the first K = ⌊log 1/(Lδ)⌋, which are rarely near X*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.exact import floor_log2_root
from feint.problem import Problem, Transcript
from feint.simulate.adversaries.columns import asked, middle, nth


def first_queries(problem: Problem) -> int:
    """Return K = ⌊log 1/(γδ)⌋ with γ = L^(1/d): the number of early queries to skip."""
    share = 1 / (problem.level * problem.delta**problem.dim)
    return max(0, floor_log2_root(share, problem.dim))


@dataclass(frozen=True)
class Proportional:
    """An eavesdropper who draws a query about each coordinate uniformly, after the first K.

    Attributes:
        skip: K, the number of first queries about each coordinate that are never drawn.
        name: Its name in tables.
    """

    skip: int = 0
    name: str = "proportional"

    @classmethod
    def truncated(cls, problem: Problem) -> Proportional:
        """Return the eavesdropper of Theorem 1's proof; in d dimensions that of Theorem 3's.

        Args:
            problem: The learner's problem; in d dimensions K = ⌊log 1/(γδ)⌋ with γ = L^(1/d).

        Returns:
            An adversary named "truncated" that skips the first K queries of each coordinate.
        """
        return cls(first_queries(problem), "truncated")

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[Any]:
        """Return [runs, coordinates] the drawn points in cells, or the middle if there is none."""
        found = middle(transcript)
        for coordinate in range(len(transcript.cells)):
            points, heard = asked(transcript, coordinate)
            count = np.maximum(heard.sum(axis=1) - self.skip, 0)
            draw = (random.random(len(points)) * count).astype(np.int64)
            guess = nth(points, heard, self.skip + draw)
            found[:, coordinate] = np.where(count > 0, guess, found[:, coordinate])
        return found
