"""Simulate customers, whose answers depend on how far a question is from a hidden number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from feint.errors import InvalidValue
from feint.exact import Number, rational
from feint.problem import Query, Responses, read_noise


class Customers:
    """An oracle that asks a new customer for every answer. Its repr does not show the number.

    >>> shop = Customers(63, "logistic(6)", seed=1)
    >>> shop.share(57), shop.share(63)
    (0.7310585786300049, 0.5)
    """

    def __init__(self, number: Number, responses: str | Responses, *, seed: int | None = None):
        """Hide a number.

        Args:
            number: The number at which half of the customers say yes, in the user's units.
            responses: A response model in the user's units, such as "logistic(6)". If it has
                several scales, one is drawn.
            seed: The seed of the scale and of the answers.

        Raises:
            InvalidValue: `number` is not a number, or `responses` is not a response model.
        """
        self._random, self._number = Random(seed), rational(number, "number")
        read = read_noise(responses)
        if not isinstance(read, Responses):
            rule = "customers answer by a response model"
            raise InvalidValue("responses", responses, rule, 'such as "logistic(6)"')
        (scale,) = self._random.choices(read.scales, [float(each) for each in read.weights])
        self._responses, self._scale = read, scale

    def share(self, asked: Number) -> float:
        """Return the share of customers who would say yes to a question.

        Args:
            asked: The question, in the user's units.
        """
        distance = float((self._number - rational(asked, "asked")) / self._scale)
        return float(self._responses.yes(np.array([distance]))[0])

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """Answer each query by a new customer.

        Args:
            queries: The queries, all about coordinate 0.

        Raises:
            InvalidValue: A query is about another coordinate.
        """
        for query in queries:
            if query.coordinate:
                rule = "there is one number"
                raise InvalidValue("coordinate", query.coordinate, rule, "ask about coordinate 0")
            above = self._random.random() < self.share(query.value)
            yield above == (query.yes_means == "at least")
