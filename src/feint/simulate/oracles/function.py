"""Oracles made of functions: of one number at a time, or of a whole round at once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from feint.errors import OracleFailed, WrongType
from feint.problem import Query


def yes_or_no(answer: object, query: Query) -> bool:
    """An answer that is True or False; nothing else is taken for one.

    Raises:
        OracleFailed: It is something else; the message names its type, not what it says.
    """
    if isinstance(answer, bool | np.bool_):
        return bool(answer)
    kind, remedy = type(answer).__name__, "return one of them"
    if inspect.iscoroutine(answer):
        answer.close()
        remedy = "pass the coroutine to find_async, or wait for it inside a plain function"
    rule = "an answer must be True or False"
    raise OracleFailed(f"the oracle gave a {kind} at query {query.id}: {rule}; {remedy}")


def check_function(given: object, wanted: str, *, name: str = "function") -> None:
    """Refuse what cannot be called.

    Args:
        given: What was given.
        wanted: What to pass, in words.
        name: The argument's.

    Raises:
        WrongType: It cannot be called.
    """
    if not callable(given):
        raise WrongType.of(name, given, "must be a function", f"pass {wanted}")


@dataclass(frozen=True)
class Function:
    """Any function of a number; in several dimensions it receives the coordinate too.

    What is *not* guaranteed: that the number is a float. Where the search is finer than floats it
    is a `Fraction`, which compares exactly with any number; a function that rounds it, as `float`
    does, answers another question, and the search may miss by as much.

    Attributes:
        function: Called with the number asked about (`Query.number`: an int when it is whole, a
            float when that is near enough, else a Fraction), and with the coordinate when there
            are several; it returns True or False, the answer to the question as it is worded, so
            `yes_means` decides what yes says.
        several: Whether to pass the coordinate.
        args: What else to pass, after those.
    """

    function: Callable[..., Any]
    several: bool = False
    args: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what is no function.

        Raises:
            WrongType: It is none.
        """
        check_function(self.function, "a function of a number, such as lambda x: x <= 73.42")

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """One answer at a time.

        Raises:
            OracleFailed: The function returned something else than True or False.
        """
        for query in queries:
            place = (query.number, query.coordinate) if self.several else (query.number,)
            yield yes_or_no(self.function(*place, *self.args), query)


@dataclass(frozen=True)
class Rounds:
    """A function of a whole round: a survey, a batch of tests, a week of an experiment.

    Attributes:
        function: Called with the open queries; returns their answers in the same order.
    """

    function: Callable[[Sequence[Query]], Iterable[Any]]

    def __post_init__(self) -> None:
        """Refuse what is no function.

        Raises:
            WrongType: It is none.
        """
        check_function(self.function, "a function of a list of queries")

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """All answers at once.

        Raises:
            OracleFailed: One is neither True nor False, or there are more than queries.
        """
        answers = self.function(queries)
        if inspect.iscoroutine(answers):
            answers = [answers]
        given = list(islice(answers, len(queries) + 1))
        if len(given) > len(queries):
            raise OracleFailed("the oracle gave more answers than it was asked for; give one each")
        return [yes_or_no(each, query) for each, query in zip(given, queries, strict=False)]
