"""Search intervals with the values of a function at the points of each round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue, OracleFailed
from feint.exact import Number
from feint.interfaces import Oracle
from feint.planning import plan
from feint.problem import Domain, Problem, Query, Result
from feint.search import Search, finish

Floats = NDArray[np.float64]


def searched(
    oracle: Oracle,
    domains: Sequence[Domain],
    *,
    epsilon: Fraction,
    delta: Fraction,
    level: Number,
    seed: Number | None,
    p: Number | None = None,
    confidence: Number | None = None,
    **how: Any,
) -> tuple[Floats, Result]:
    """Search every interval. Exceptions of the function are raised unchanged, as by SciPy.

    The search counts in cells of its lattice, and its points are mapped to the intervals exactly.
    `find` would ask at decimals, which seldom divide an interval between two floats. Rounding to
    them would weaken the guarantee by up to a millionth.

    Args:
        oracle: Answers the questions, which lie in the intervals.
        domains: One interval per coordinate.
        epsilon: The full width of the accuracy.
        delta: The full width of the hidden window.
        level: L.
        seed: As in `find`.
        p: As in `find`.
        confidence: As in `find`.
        **how: Further arguments of `plan`.

    Returns:
        The estimate of every coordinate, and the result of the search.
    """
    # One problem covers all intervals. The widest one decides its accuracy, and the narrowest its
    # privacy.
    widths = [domain.width for domain in domains]
    accuracy, window = epsilon / max(widths), delta / min(widths)
    problem = Problem(accuracy, window, level, p=p, confidence=confidence, dim=len(domains))
    chosen = plan(problem, **how)
    cells = chosen.strategy.cells
    search = Search(chosen, seed=seed, domains=[Domain(0, count) for count in cells])
    lows = [domain.low for domain in domains]
    sizes = [width / count for width, count in zip(widths, cells, strict=True)]
    try:
        found = finish(search, _Moved(oracle, lows, sizes))
    except OracleFailed as failed:
        if failed.__cause__ is None:
            raise
        raise failed.__cause__ from None
    places = zip(lows, sizes, found.coordinates, strict=True)
    return np.array([float(low + size * Fraction(x.estimate)) for low, size, x in places]), found


@dataclass
class _Moved:
    """An oracle whose questions are given in cells of a lattice over its intervals."""

    oracle: Oracle
    lows: Sequence[Fraction]
    sizes: Sequence[Fraction]

    def answer(self, queries: Sequence[Query]) -> Iterable[bool]:
        """Answer each question at its point of the interval."""
        return self.oracle.answer([replace(query, value=self._place(query)) for query in queries])

    def _place(self, query: Query) -> Fraction:
        return self.lows[query.coordinate] + self.sizes[query.coordinate] * query.value


class Evaluate:
    """A function that is evaluated at the points of a round: at once, in turn, or by an executor.

    Attributes:
        points: The number of points that were evaluated.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        args: Any,
        *,
        vectorized: bool,
        executor: Executor | None,
        each: int = 1,
    ) -> None:
        """Take the function, its name as an argument, and how many numbers it returns per point."""
        self._name, self._each = name, each
        self._function, self._args = function, args if isinstance(args, tuple) else (args,)
        self._vectorized, self._executor = vectorized, executor
        self.points = 0

    def __call__(self, points: Floats) -> Floats:
        """Return values of shape [points], or [points, numbers] if there are several per point.

        Raises:
            InvalidValue: The function returns something else.
            ValueError: The function returns NaN.
        """
        count = len(points)
        self.points += count
        given = self._values(points)
        try:
            values = np.asarray(given, float)
        except (TypeError, ValueError):
            raise self._wrong(count, "something else") from None
        if values.shape[:1] != (count,) or values.size != count * self._each:
            raise self._wrong(count, f"an array of shape {values.shape}")
        values = values.reshape(count, self._each)
        for point, value in zip(points.tolist(), values, strict=True):
            if np.isnan(value).any():
                raise ValueError(f"The function value at x={point} is NaN; solver cannot continue.")
        return values.reshape(count) if self._each == 1 else values

    def _wrong(self, count: int, given: str) -> InvalidValue:
        if self._each > 1:
            rule = (
                f"must give {self._each} numbers per point, one per coordinate, for {count} points"
            )
            return InvalidValue(self._name, given, rule, "return a derivative for each of bounds")
        rule = f"must give {count} values, one per point"
        remedy = "leave vectorized out, or return an array" if self._vectorized else "return one"
        return InvalidValue(self._name, given, rule, remedy)

    def _values(self, points: Floats) -> Any:
        if self._vectorized:
            return self._function(points, *self._args)
        each = points.tolist() if points.ndim == 1 else list(points)
        if self._executor is None:
            return [self._function(point, *self._args) for point in each]
        waiting = [self._executor.submit(self._function, point, *self._args) for point in each]
        return [one.result() for one in waiting]
