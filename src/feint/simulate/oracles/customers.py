"""Customers who answer for themselves: yes by how far a question is from a hidden number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import numpy as np

from feint.errors import InvalidValue
from feint.exact import Number, rational
from feint.problem import Query, Responses, read_noise


class Customers:
    """Every question is answered by a new customer; the repr does not tell the number.

    >>> shop = Customers(63, "logistic(6)", seed=1)
    >>> shop.share(57), shop.share(63)
    (0.7310585786300049, 0.5)
    """

    def __init__(self, number: Number, responses: str | Responses, *, seed: int | None = None):
        """Hide a number.

        Args:
            number: The number at which half of the customers say yes, in the user's units.
            responses: How answers depend on the distance, in the user's units, such as
                "logistic(6)". One of several scales is drawn.
            seed: Where the scale and the answers come from.

        Raises:
            InvalidValue: It is no number, or the responses are no response model.
        """
        self._random, self._number = Random(seed), rational(number, "number")
        read = read_noise(responses)
        if not isinstance(read, Responses):
            rule = "customers answer by a response model"
            raise InvalidValue("responses", responses, rule, 'such as "logistic(6)"')
        (scale,) = self._random.choices(read.scales, [float(each) for each in read.weights])
        self._responses, self._scale = read, scale

    def share(self, asked: Number) -> float:
        """Return how many of all customers would say yes to a question.

        Args:
            asked: The question, in the user's units.
        """
        distance = float((self._number - rational(asked, "asked")) / self._scale)
        return float(self._responses.yes(np.array([distance]))[0])

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """Answer each query by a new customer.

        Args:
            queries: They are about one number.

        Raises:
            InvalidValue: One is about another coordinate.
        """
        for query in queries:
            if query.coordinate:
                rule = "there is one number"
                raise InvalidValue("coordinate", query.coordinate, rule, "ask about coordinate 0")
            above = self._random.random() < self.share(query.value)
            yield above == (query.yes_means == "at least")
