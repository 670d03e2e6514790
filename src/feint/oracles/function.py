"""Oracles made of functions: of one number at a time, or of a whole round at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from feint.problem import Query


@dataclass(frozen=True)
class Function:
    """Any function of a number; in several dimensions it receives the coordinate too.

    Attributes:
        function: Called with the number asked about, and with the coordinate when there are
            several; its truth is the answer to the question as it is worded, so `yes_means`
            decides what yes says.
        several: Whether to pass the coordinate.
    """

    function: Callable[..., Any]
    several: bool = False

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """One answer at a time."""
        for query in queries:
            place = (query.number, query.coordinate) if self.several else (query.number,)
            yield bool(self.function(*place))


@dataclass(frozen=True)
class Rounds:
    """A function of a whole round: a survey, a batch of tests, a week of an experiment.

    Attributes:
        function: Called with the open queries; returns their answers in the same order.
    """

    function: Callable[[Sequence[Query]], Iterable[Any]]

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """All answers at once."""
        return [bool(each) for each in self.function(queries)]
