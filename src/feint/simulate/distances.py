"""Simulate answers whose reliability depends on the distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feint.problem import Responses

Int = NDArray[np.int64]
Float = NDArray[np.float64]


@dataclass(frozen=True)
class ByDistance:
    """The probability that answers are right, by the distance of each question from X*.

    X* is the middle of its cell: lattices are so fine that the rest of the cell does not matter.

    Attributes:
        responses: The response model.
        scale: [runs] the true scale, in cells.
    """

    responses: Responses
    scale: Float

    @classmethod
    def drawn(
        cls, responses: Responses, cells: int, random: np.random.Generator, runs: int
    ) -> ByDistance:
        """Return the model with a scale for each run, drawn by the weights.

        Args:
            responses: The response model.
            cells: The number of cells of the range.
            random: The random generator.
            runs: The number of runs.
        """
        scales = np.array([float(each * cells) for each in responses.scales])
        number = responses.draw(random, runs) if len(scales) > 1 else np.zeros(runs, np.int64)
        return cls(responses, scales[number])

    def right(self, cell: Int, asked: Int) -> Float:
        """Return [runs, questions] the probability that each answer is right.

        Args:
            cell: [runs] the cells that hold X*.
            asked: [runs, questions] the boundaries asked about. Results for entries that were not
                asked mean nothing.
        """
        # Both kinds are symmetric: at equal distances yes and no are right equally often.
        distance = np.abs(cell[:, None] + 0.5 - asked) / self.scale[:, None]
        return self.responses.yes(distance)

    def __getitem__(self, rows: Int) -> ByDistance:
        """Return the model of some runs."""
        return ByDistance(self.responses, self.scale[rows])
