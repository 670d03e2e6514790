"""Proportional sampling: a query drawn uniformly, of all or of those after the first K.

The eavesdroppers of the lower-bound proofs: K. Xu 2018 draws from all queries; the proof of
Theorem 1 leaves out the first K = ⌊log 1/(Lδ)⌋, which are rarely near X*.
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
    """K = ⌊log 1/(γδ)⌋, γ = L^(1/d): the first K queries about a coordinate are rarely near X*."""
    share = 1 / (problem.level * problem.delta**problem.dim)
    return max(0, floor_log2_root(share, problem.dim))


@dataclass(frozen=True)
class Proportional:
    """A query about each coordinate, drawn uniformly from those that count.

    Attributes:
        skip: K, how many first queries about each coordinate do not count.
        name: What it is called in tables.
    """

    skip: int = 0
    name: str = "proportional"

    @classmethod
    def truncated(cls, problem: Problem) -> Proportional:
        """The eavesdropper of Theorem 1's proof; in d dimensions that of Theorem 3's.

        Args:
            problem: What the learner solves; in d dimensions K = ⌊log 1/(γδ)⌋ with γ = L^(1/d).

        Returns:
            One that skips the first K queries about each coordinate, called "truncated".
        """
        return cls(first_queries(problem), "truncated")

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[Any]:
        """[runs, coordinates] the points, in cells; the middle where no query counts."""
        found = middle(transcript)
        for coordinate in range(len(transcript.cells)):
            points, heard = asked(transcript, coordinate)
            count = np.maximum(heard.sum(axis=1) - self.skip, 0)
            draw = (random.random(len(points)) * count).astype(np.int64)
            guess = nth(points, heard, self.skip + draw)
            found[:, coordinate] = np.where(count > 0, guess, found[:, coordinate])
        return found
