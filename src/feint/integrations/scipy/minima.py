"""Private minima of convex functions, by slopes."""

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

# SciPy's own result, which holds whatever it is given; its stubs know SciPy's methods only.
_optimize_result: Any = OptimizeResult
_FLAT = (
    "differences of fun are no more than rounding along a stretch longer than xtol: it is flat"
    " there, or rounding hides its slope; give jac, or a larger xtol"
)
_XTOL = 1e-5  # the default of SciPy's bounded minimiser
_BESIDE = 16  # two points beside a question lie this part of epsilon apart
# So far right of a question is the middle of its two points, in what they lie apart: minima often
# lie at round numbers, where questions are put, and two points even beside one show nothing.
_SHIFT = Fraction(309, 1000)
_ULPS = 4  # a difference of this many units in the last place may be rounding alone


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

    Without a derivative the slope's sign at q is that of a difference between two points beside q,
    an eighth of xtol apart. Both are evaluated, overheard and counted; the plan is stricter in
    accuracy and in privacy by what they lie apart. Near a smooth minimum such differences vanish in
    rounding: give xtol well above the square root of a float's precision, or the derivative.

    `success` says that the differences show it: some point within xtol left of x lies left of the
    minimiser, and some within xtol right of x lies right of it. A difference of no more than four
    units in the last place of the values counts for neither, since rounding may have made it. That
    values are wrong by more than two such units, as small differences of great numbers are, does
    not show in them.

    Args:
        fun: The convex function; not called where its derivative is given, and may be None then.
        bounds: The interval in which it is minimised.
        xtol: The minimiser is found within this distance; by default SciPy's.
        delta: Full width within which an eavesdropper must not come.
        level: L: she does with probability at most 1/L, if it is equally likely anywhere.
        jac: The derivative; None: by differences.
        args: What else to pass to either.
        vectorized: As in `private_root_scalar`.
        executor: As in `private_root_scalar`.
        method: As in `plan`.
        maxiter: As in `private_root_scalar`.
        seed: For experiments only, as in `find`.

    Returns:
        As SciPy's `minimize_scalar`: x, nfev, njev, nit (the rounds), success, status (0 with
        success, else 1), message; and
        `adversary_success`. There is no `fun`: to evaluate it at x would show x.

    Raises:
        ValueError: A value is NaN.
        InvalidValue: Another argument is wrong, or no function was given; a ValueError too.
        NoPlan: No plan keeps the promise.
        Exception: Whatever the function raised.
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

    Separable: a sum of convex functions of one variable each. A coordinate's slope then does not
    depend on the others, and all coordinates are searched at once: a round's k-th point has every
    coordinate's k-th question; where a coordinate has fewer, it stays at its lower bound. Of a
    function that is not separable, what is found need not be a minimum.

    Args:
        fun: The function of a vector; not called where its gradient is given.
        bounds: An interval a coordinate.
        xtol: Every coordinate is found within this distance.
        delta: Full width, in every coordinate, within which an eavesdropper must not come.
        level: L: she does, in all coordinates at once, with probability at most 1/L.
        jac: The gradient; None: by differences, a pair of points a coordinate.
        args: As in `private_root_scalar`.
        vectorized: Whether the function takes an array of points, a row each.
        executor: As in `private_root_scalar`.
        method: As in `plan`.
        maxiter: As in `private_root_scalar`.
        seed: For experiments only, as in `find`.

    Returns:
        As SciPy's `minimize`: x, nfev, njev, nit (the rounds), success, status (0 with
        success, else 1), message; and
        `adversary_success`. There is no `fun`: to evaluate it at x would show x. `success` is as in
        `private_minimize_scalar`, of every coordinate.

    Raises:
        ValueError: A value is NaN.
        InvalidValue: Another argument is wrong, or no function was given; a ValueError too.
        NoPlan: No plan keeps the promise.
        Exception: Whatever the function raised.
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
    """A function of one variable as one of vectors with a single entry."""

    def __init__(self, function: Callable[..., Any], vectorized: bool) -> None:
        self.function, self.vectorized = function, vectorized

    def __call__(self, point: Floats, *args: Any) -> Any:
        return self.function(point[:, 0] if self.vectorized else float(point[0]), *args)


@dataclass
class _Slopes:
    """Answers "is the minimiser at least q?" by slopes, all coordinates at once.

    Attributes:
        evaluate: The gradient, or the function where points lie apart.
        low: [coordinates] the lower bounds.
        high: [coordinates] the upper bounds.
        apart: How far apart two points lie whose difference is the slope; 0: the gradient is given.
        shift: How far right of a question the middle of its two points lies.
        above: [coordinates] by differences, the greatest point that is left of the minimiser.
        below: [coordinates] the least point that is right of it.
    """

    evaluate: Evaluate
    low: Floats
    high: Floats
    apart: float
    shift: float
    above: Floats = field(init=False)
    below: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Nothing is known yet but the bounds."""
        self.above, self.below = self.low.copy(), self.high.copy()

    def shows(self, x: Floats, within: float) -> bool:
        """Whether differences that are more than rounding show that x is as near as this.

        Where they contradict each other they show nothing.
        """
        rounding = 2 * np.spacing(np.maximum(np.abs(self.low), np.abs(self.high)))
        off = np.maximum(x - self.above, self.below - x)
        return bool((self.above <= self.below).all() and (off <= within + rounding).all())

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """All answers of a round."""
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
        """Where the minimiser can be after a difference, if that is more than rounding."""
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
