"""From the points of a round to the values of a function there."""

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
    """Search every interval, and raise what the function itself raised as SciPy's methods do.

    The search counts in cells of its lattice, and its points are moved to the intervals exactly.
    `find` would put questions at decimals, which seldom divide an interval between two floats:
    rounding to them costs up to a millionth of the promise.

    Args:
        oracle: Answers questions in the intervals.
        domains: An interval a coordinate.
        epsilon: Full width of the accuracy.
        delta: Full width of the window that is hidden.
        level: L.
        seed: As in `find`.
        p: As in `find`.
        confidence: As in `find`.
        **how: Further arguments of `plan`.

    Returns:
        The estimate of every coordinate, and the result of the search.
    """
    # The strictest of both: each interval is found as exactly as the widest needs, and hides as
    # much as the narrowest.
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
    """Asks an oracle about places in its intervals, given in cells."""

    oracle: Oracle
    lows: Sequence[Fraction]
    sizes: Sequence[Fraction]

    def answer(self, queries: Sequence[Query]) -> Iterable[bool]:
        """Answer every question where it lies in its interval."""
        return self.oracle.answer([replace(query, value=self._place(query)) for query in queries])

    def _place(self, query: Query) -> Fraction:
        return self.lows[query.coordinate] + self.sizes[query.coordinate] * query.value


class Evaluate:
    """From the points of a round to the values there: in one call, one by one, or by an executor.

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
        """Take the function, what it is called as an argument, and how many numbers it gives."""
        self._name, self._each = name, each
        self._function, self._args = function, args if isinstance(args, tuple) else (args,)
        self._vectorized, self._executor = vectorized, executor
        self.points = 0

    def __call__(self, points: Floats) -> Floats:
        """[points], or [points, numbers] where the function gives several.

        Raises:
            InvalidValue: It gives something else.
            ValueError: It gives NaN.
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
            rule = f"must give {self._each} numbers a point, one a coordinate, for {count} points"
            return InvalidValue(self._name, given, rule, "return a derivative for each of bounds")
        rule = f"must give {count} values, one a point"
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
