"""From the points of a round to the values of a function there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue, OracleFailed
from feint.interfaces import Oracle
from feint.problem import Result
from feint.search import find

Floats = NDArray[np.float64]


def searched(oracle: Oracle, **wanted: Any) -> Result:
    """`find`; what the function itself raised comes out as it is, as SciPy's methods let it."""
    try:
        return find(oracle, **wanted)
    except OracleFailed as failed:
        if failed.__cause__ is None:
            raise
        raise failed.__cause__ from None


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
