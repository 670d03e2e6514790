"""A hidden value that answers for itself, for experiments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from feint.errors import InvalidValue
from feint.exact import Number, rational
from feint.problem import Query
from feint.problem.regime import read_p


class Hidden:
    """Knows the number, one value a coordinate; its repr does not tell."""

    def __init__(self, *values: Number, p: Number | None = None, seed: int | None = None) -> None:
        """Hide one value for each coordinate.

        Args:
            *values: The number sought in each coordinate, in the user's units.
            p: Probability that an answer is right; None: always.
            seed: Where the wrong answers come from.

        Raises:
            InvalidValue: A value is no number, or p is no probability of this kind.
        """
        self._values = [rational(value, "values") for value in values]
        self._p = None if p is None else float(read_p(p, "bayesian"))
        self._random = Random(seed)

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """The truth, or with probability 1 − p its opposite.

        Raises:
            InvalidValue: A query is about a coordinate that has no value.
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
