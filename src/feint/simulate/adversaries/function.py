"""Turn a plain function of a transcript into an Adversary.

>>> def largest(transcript, random):
...     return transcript.points.max(axis=1)
>>> Function("largest query", largest).name
'largest query'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.problem import Transcript

Guess = Callable[[Transcript, np.random.Generator], NDArray[Any]]
"""A function (transcript, random) → [runs, coordinates] guesses in cells.

In one dimension the guesses may have the shape [runs].
"""


@dataclass(frozen=True)
class Function:
    """An eavesdropper that is a function of the transcript.

    Attributes:
        name: Its name in tables.
        function: A function of a transcript and a random generator that returns guesses. The
            transcript's points are [runs, columns] in cells, −1 in columns that were left out.
    """

    name: str
    function: Guess

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[Any]:
        """Return [runs, coordinates] the function's guesses; whole numbers stay whole.

        Raises:
            InvalidValue: The function does not return one guess per run and coordinate.
        """
        shape = (len(transcript.points), len(transcript.cells))
        found: NDArray[Any] = np.asarray(self.function(transcript, random))
        if found.dtype.kind not in "bifu":
            rule, remedy = "must return numbers, in cells", "return an array of floats"
            raise InvalidValue(f"adversary {self.name}", "no array of numbers", rule, remedy)
        if found.dtype.kind != "i":  # whole numbers stay exact, however large
            found = found.astype(float)
        if found.shape == shape[:1] and shape[1] == 1:
            found = found[:, None]
        if found.shape != shape:
            rule = f"must return one estimate per run and coordinate, {shape} in all"
            what = f"an array {found.shape}"
            raise InvalidValue(f"adversary {self.name}", what, rule, "work along the last axis")
        return found
