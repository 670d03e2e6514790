"""Find minima of convex functions privately, by the signs of slopes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import OptimizeResult

from feint.errors import InvalidValue
from feint.exact import Number, rational
from feint.exact.stability import renamed_argument
from feint.integrations.scipy.evaluations import Evaluate, Floats, searched
from feint.integrations.scipy.ranges import check_delta, domains_of, widths
from feint.problem import Query

# SciPy's result takes any fields, but its stubs know only those of SciPy's methods.
_optimize_result: Any = OptimizeResult
_FLAT = (
    "differences of fun are no more than rounding along a stretch longer than xtol: it is flat"
    " there, or rounding hides its slope; give jac, or a larger xtol"
)
_XTOL = 1e-5  # the default of SciPy's bounded minimiser
_BESIDE = 16  # the two points of a difference lie epsilon divided by this apart
# The middle of the two points lies right of the question by this share of their distance. Minima
# often lie at round numbers, where questions are asked too. Two points at equal distances from a
# minimum can have equal values, which show no slope.
_SHIFT = Fraction(309, 1000)
_ULPS = 4  # a difference of up to this many units in the last place may be rounding


@renamed_argument("max_rounds", "maxiter", since="0.2")
def private_minimize_scalar(
    fun: Callable[..., Any] | None,
    bounds: Sequence[Number],
    *,
    xtol: Number = _XTOL,
    delta: Number,
    level: Number,
    jac: Callable[..., Any] | None = None,
    args: tuple[Any, ...] = (),
    vectorized: bool = False,
    executor: Executor | None = None,
    method: str = "tight",
    maxiter: int | None = None,
    seed: Number | None = None,
) -> OptimizeResult:
    """Find the minimum of a convex function of one variable by the sign of its slope.

    Without a derivative, the sign of the slope at q is that of a difference between two points
    near q, an eighth of xtol apart. Both are evaluated, overheard and counted. The plan is stricter
    in accuracy and in privacy by their distance. Near a smooth minimum, such differences vanish in
    rounding. Give an xtol well above the square root of a float's precision, or the derivative.

    `success` is True if the differences show that a point within xtol left of x lies left of the
    minimiser, and a point within xtol right of x lies right of it. A difference of at most four
    units in the last place shows neither, because rounding may have caused it. Larger errors, such
    as those of small differences of large numbers, cannot be detected.

    Args:
        fun: The convex function. It is not called if its derivative is given, and may then be None.
        bounds: The interval in which to minimise it.
        xtol: The largest error of the minimiser. The default is SciPy's.
        delta: The full width of the interval that an eavesdropper must hit.
        level: L. She hits with probability at most 1/L if the minimiser is uniformly distributed.
        jac: The derivative; None: differences are used.
        args: Further arguments of the function or the derivative.
        vectorized: As in `private_root_scalar`.
        executor: As in `private_root_scalar`.
        method: As in `plan`.
        maxiter: As in `private_root_scalar`.
        seed: For experiments only, as in `find`.

    Returns:
        The fields of SciPy's `minimize_scalar`: x, nfev, njev, nit (the rounds), success, status
        (0 with success, else 1) and message, and also `adversary_success`. There is no `fun`,
        because evaluating the function at x would reveal x.

    Raises:
        ValueError: A value is NaN.
        InvalidValue: Another argument is wrong, or no function was given; a ValueError too.
        NoPlan: No plan meets the requirements.
        Exception: The function raised it.
    """
    found = private_minimize(
        None if fun is None else _Flat(fun, vectorized),
        [bounds],
        xtol=xtol,
        delta=delta,
        level=level,
        jac=None if jac is None else _Flat(jac, vectorized),
        args=args,
        vectorized=vectorized,
        executor=executor,
        method=method,
        maxiter=maxiter,
        seed=seed,
    )
    found["x"] = float(found["x"][0])
    return found


@renamed_argument("max_rounds", "maxiter", since="0.2")
def private_minimize(
    fun: Callable[..., Any] | None,
    bounds: Sequence[Sequence[Number]],
    *,
    xtol: Number = _XTOL,
    delta: Number,
    level: Number,
    jac: Callable[..., Any] | None = None,
    args: tuple[Any, ...] = (),
    vectorized: bool = False,
    executor: Executor | None = None,
    method: str = "tight",
    maxiter: int | None = None,
    seed: Number | None = None,
) -> OptimizeResult:
    """Find the minimum of a separable convex function of several variables.

    A separable function is a sum of convex functions of one variable each. The slope along one
    coordinate then does not depend on the others, so all coordinates are searched at once. The k-th
    point of a round consists of the k-th question of every coordinate. A coordinate with fewer
    questions stays at its lower bound. For other functions, the result need not be a minimum.

    Args:
        fun: The function of a vector. It is not called if its gradient is given.
        bounds: One interval per coordinate.
        xtol: The largest error of each coordinate.
        delta: The full width, in every coordinate, of the interval that an eavesdropper must hit.
        level: L. She hits in all coordinates at once with probability at most 1/L.
        jac: The gradient; None: differences are used, with a pair of points per coordinate.
        args: As in `private_root_scalar`.
        vectorized: Whether the function takes an array of points, one per row.
        executor: As in `private_root_scalar`.
        method: As in `plan`.
        maxiter: As in `private_root_scalar`.
        seed: For experiments only, as in `find`.

    Returns:
        The fields of SciPy's `minimize`: x, nfev, njev, nit (the rounds), success, status (0 with
        success, else 1) and message, and also `adversary_success`. There is no `fun`, because
        evaluating the function at x would reveal x. `success` means the same as in
        `private_minimize_scalar`, for every coordinate.

    Raises:
        ValueError: A value is NaN.
        InvalidValue: Another argument is wrong, or no function was given; a ValueError too.
        NoPlan: No plan meets the requirements.
        Exception: The function raised it.
    """
    domains = domains_of(bounds)
    epsilon, secret, apart = widths(xtol, delta, domains, _BESIDE if jac is None else 0)
    check_delta(delta, level, domains, secret)
    given = fun if jac is None else jac
    if given is None:
        raise InvalidValue("fun", None, "there must be a function", "give fun, or jac")
    name, each = ("fun", 1) if jac is None else ("jac", len(domains))
    evaluate = Evaluate(name, given, args, vectorized=vectorized, executor=executor, each=each)
    ends = np.array([(float(each.low), float(each.high)) for each in domains])
    oracle = _Slopes(evaluate, ends[:, 0], ends[:, 1], float(apart), float(apart * _SHIFT))
    estimates, found = searched(
        oracle,
        domains,
        epsilon=epsilon,
        delta=secret,
        level=level,
        method=method,
        max_rounds=maxiter,
        seed=seed,
    )
    x = estimates + oracle.shift
    flat = apart > 0 and not oracle.shows(x, float(rational(xtol, "xtol")))
    result: OptimizeResult = _optimize_result(
        x=x,
        success=not flat,
        status=int(flat),
        message=_FLAT if flat else "converged",
        nit=found.rounds,
        nfev=0 if apart == 0 else evaluate.points,
        njev=evaluate.points if apart == 0 else 0,
        adversary_success=found.adversary_success,
    )
    return result


class _Flat:
    """A function of one variable, called with vectors of a single entry."""

    def __init__(self, function: Callable[..., Any], vectorized: bool) -> None:
        self.function, self.vectorized = function, vectorized

    def __call__(self, point: Floats, *args: Any) -> Any:
        return self.function(point[:, 0] if self.vectorized else float(point[0]), *args)


@dataclass
class _Slopes:
    """An oracle that answers "is the minimiser at least q?" by slopes, for all coordinates at once.

    Attributes:
        evaluate: The gradient, or the function if slopes are differences.
        low: [coordinates] the lower bounds.
        high: [coordinates] the upper bounds.
        apart: The distance of the two points of a difference; 0: the gradient is given.
        shift: The distance from a question to the middle of its two points, which is to its right.
        above: [coordinates] the largest point that a difference showed to be left of the minimiser.
        below: [coordinates] the smallest point that is shown to be right of it.
    """

    evaluate: Evaluate
    low: Floats
    high: Floats
    apart: float
    shift: float
    above: Floats = field(init=False)
    below: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Set both limits to the bounds, before any value is known."""
        self.above, self.below = self.low.copy(), self.high.copy()

    def shows(self, x: Floats, within: float) -> bool:
        """Return True if differences larger than rounding show that x is within a distance.

        Differences that contradict each other show nothing.
        """
        rounding = 2 * np.spacing(np.maximum(np.abs(self.low), np.abs(self.high)))
        off = np.maximum(x - self.above, self.below - x)
        return bool((self.above <= self.below).all() and (off <= within + rounding).all())

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """Return the answers of a round."""
        asked = [[query for query in queries if query.coordinate == axis] for axis in self._axes]
        if self.apart == 0:
            points = np.tile(self.low, (max(map(len, asked)), 1))
            for axis, own in zip(self._axes, asked, strict=True):
                points[: len(own), axis] = [float(query.value) for query in own]
            slopes = self.evaluate(points).reshape(points.shape)
            falls = {
                query.id: bool(slopes[row, axis] < 0)
                for axis, own in zip(self._axes, asked, strict=True)
                for row, query in enumerate(own)
            }
        else:
            pairs = np.tile(self.low, (2 * len(queries), 1))
            for row, query in enumerate(queries):
                axis, place = query.coordinate, float(query.value) + self.shift
                beside = np.array([place - self.apart / 2, place + self.apart / 2])
                pairs[2 * row : 2 * row + 2, axis] = beside.clip(self.low[axis], self.high[axis])
            values = self.evaluate(pairs).reshape(len(queries), 2)
            for row, query in enumerate(queries):
                axis = query.coordinate
                self._narrow(axis, pairs[2 * row : 2 * row + 2, axis].tolist(), values[row])
            falls = {
                query.id: bool(right < left)
                for query, (left, right) in zip(queries, values.tolist(), strict=True)
            }
        return [falls[query.id] for query in queries]

    def _narrow(self, axis: int, points: list[float], values: Floats) -> None:
        """Narrow where the minimiser can be by a difference, if it is larger than rounding."""
        left, right = values.tolist()
        difference, rounding = abs(right - left), _ULPS * math.ulp(max(abs(left), abs(right)))
        if not (difference > rounding or math.isinf(difference)):
            return
        if right < left:
            self.above[axis] = max(self.above[axis], points[0])
        else:
            self.below[axis] = min(self.below[axis], points[1])

    @property
    def _axes(self) -> range:
        return range(len(self.low))
