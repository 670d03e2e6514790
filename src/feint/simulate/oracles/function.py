"""Answer by calling a function, for one number at a time or for a whole round."""

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
    """Check that an answer is True or False, and return it.

    Raises:
        OracleFailed: The answer is something else. The message names its type, not its value.
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
    """Refuse an argument that cannot be called.

    Args:
        given: The argument.
        wanted: A phrase for what to pass.
        name: The argument's name.

    Raises:
        WrongType: The argument cannot be called.
    """
    if not callable(given):
        raise WrongType.of(name, given, "must be a function", f"pass {wanted}")


@dataclass(frozen=True)
class Function:
    """A function of a number that answers questions; in several dimensions also of the coordinate.

    The number is not always a float. If the search is finer than floats, it is a `Fraction`, which
    compares exactly with any number. A function that rounds it, as `float` does, answers another
    question, and the search may miss by the rounding error.

    Attributes:
        function: The function. It is called with the number asked about (`Query.number`: an int if
            it is whole, a float if that is close enough, else a Fraction), and with the coordinate
            if there are several. It returns True or False, the answer to the question as worded;
            `yes_means` decides what a yes says about the number.
        several: True to pass the coordinate.
        args: Further arguments to pass after those.
    """

    function: Callable[..., Any]
    several: bool = False
    args: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        """Refuse an argument that cannot be called.

        Raises:
            WrongType: The argument cannot be called.
        """
        check_function(self.function, "a function of a number, such as lambda x: x <= 73.42")

    def answer(self, queries: Sequence[Query]) -> Iterator[bool]:
        """Answer the queries one at a time.

        Raises:
            OracleFailed: The function returned something other than True or False.
        """
        for query in queries:
            place = (query.number, query.coordinate) if self.several else (query.number,)
            yield yes_or_no(self.function(*place, *self.args), query)


@dataclass(frozen=True)
class Rounds:
    """A function that answers a whole round: a survey, a batch of tests, a week of an experiment.

    Attributes:
        function: The function. It receives the open queries and returns their answers in order.
    """

    function: Callable[[Sequence[Query]], Iterable[Any]]

    def __post_init__(self) -> None:
        """Refuse an argument that cannot be called.

        Raises:
            WrongType: The argument cannot be called.
        """
        check_function(self.function, "a function of a list of queries")

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """Answer all queries with one call.

        Raises:
            OracleFailed: An answer is neither True nor False, or their number is wrong.
        """
        answers = self.function(queries)
        if inspect.iscoroutine(answers):
            answers = [answers]
        given = list(islice(answers, len(queries) + 1))
        if len(given) > len(queries):
            raise OracleFailed("the oracle gave more answers than it was asked for; give one each")
        return [yes_or_no(each, query) for each, query in zip(given, queries, strict=False)]
