"""Answer for a hidden value, in experiments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from feint.errors import InvalidValue
from feint.exact import Number, rational
from feint.problem import Query
from feint.problem.regime import read_p


class Hidden:
    """An oracle that knows the number, one value per coordinate. Its repr does not show it."""

    def __init__(self, *values: Number, p: Number | None = None, seed: int | None = None) -> None:
        """Hide one value for each coordinate.

        Args:
            *values: The hidden number of each coordinate, in the user's units.
            p: The probability that an answer is right; None: always.
            seed: The seed of the wrong answers.

        Raises:
            InvalidValue: A value is not a number, or p is not a probability above one half.
        """
        self._values = [rational(value, "values") for value in values]
        self._p = None if p is None else float(read_p(p, "bayesian"))
        self._random = Random(seed)

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """Answer truthfully, or with probability 1 − p wrongly.

        Raises:
            InvalidValue: A query is about a coordinate without a value.
        """
        for query in queries:
            if query.coordinate >= len(self._values):
                rule = "each coordinate needs a value of its own"
                raise InvalidValue("coordinate", query.coordinate, rule, "hide as many values")
            truth = (self._values[query.coordinate] >= query.value) == (
                query.yes_means == "at least"
            )
            wrong = self._p is not None and self._random.random() >= self._p
            yield truth != wrong
