"""SciPy's root finders and minimisers, for functions that somebody else evaluates.

Whoever evaluates a function sees every point, and after plain bisection the last points say where
the root is. Here the points are those of a plan: they tell one place in `level` at best. Nothing
is evaluated but the plan's points and the ends of the bracket, so not the result either: there is
no `fun` in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import OptimizeResult, RootResults

from feint.errors import InvalidValue, OracleFailed, OutOfRegime
from feint.exact import Number, ceil_root, plain, rational, whole
from feint.interfaces import Oracle
from feint.oracles import Bracket
from feint.problem import Domain, Query, Result
from feint.search import find

_CONVERGED = 0  # SciPy's word for it
# SciPy's own results, which hold whatever they are given; their stubs know SciPy's methods only.
_root_results: Any = RootResults
_optimize_result: Any = OptimizeResult
_FLAT = (
    "differences of fun are no more than rounding along a stretch longer than xtol: it is flat"
    " there, or rounding hides its slope; give jac, or a larger xtol"
)
_BESIDE = 16  # two points beside a question lie this part of epsilon apart
# So far right of a question is the middle of its two points, in what they lie apart: minima often
# lie at round numbers, where questions are put, and two points even beside one show nothing.
_SHIFT = Fraction(309, 1000)
_ULPS = 4  # a difference of this many units in the last place may be rounding alone

Floats = NDArray[np.float64]


def private_root_scalar(
    f: Callable[..., Any],
    bracket: Sequence[Number],
    *,
    xtol: Number,
    delta: Number,
    level: Number,
    args: tuple[Any, ...] = (),
    vectorized: bool = False,
    executor: Executor | None = None,
    rising: bool | None = None,
    p: Number | None = None,
    confidence: Number | None = None,
    method: str = "tight",
    max_rounds: int | None = None,
    certificate: str = "theorem",
    seed: Number | None = None,
) -> RootResults:
    """Find a root of a function, so that whoever sees where it is evaluated cannot tell the root.

    The two ends of the bracket are evaluated first, once each: everybody knows them. Where the
    function changes its sign more than once, the search settles on the leftmost change that its
    points show; the promise is about that root, were it equally likely anywhere.

    Args:
        f: The function, rising or falling through zero in the bracket. With p only its sign counts,
            which is right with probability p at every call.
        bracket: Two numbers between which the root lies; f has different signs there.
        xtol: The root is found within this distance.
        delta: Full width within which an eavesdropper must not come.
        level: L: she does with probability at most 1/L, if the root is equally likely anywhere.
        args: What else to pass to f.
        vectorized: Whether f takes an array and returns one of the same length; a round is then
            one call.
        executor: Who evaluates the points of a round at once, any `concurrent.futures.Executor`;
            None: this thread, one by one.
        rising: Whether f rises; None: the ends tell. It is needed with p, whose ends may lie, and
            then the ends are not evaluated.
        p: Probability that the sign of a value is right; None: always.
        confidence: As in `find`.
        method: As in `plan`.
        max_rounds: As in `plan`.
        certificate: As in `plan`.
        seed: For experiments only, as in `find`.

    Returns:
        As SciPy's `root_scalar`: root, iterations (the rounds), function_calls (the plan's
        questions, and two for the ends), converged, flag; and `adversary_success`, what the best
        eavesdropper wins with at most. Where a value was exactly zero, that point is the root. At
        a jump through zero the place of the jump is found, as by SciPy's bracketing methods.

    Raises:
        ValueError: f has the same sign at both ends, or a value is NaN.
        InvalidValue: Another argument is wrong; a ValueError too.
        NoPlan: No plan keeps the promise.
        Exception: Whatever f raised.
    """
    domain = _domain(bracket, "bracket")
    epsilon, secret, _ = _widths(xtol, delta, [domain])
    _check_delta(delta, level, [domain], secret, 0 if p is None else 4 * epsilon)
    evaluate = _Evaluate("f", f, args, vectorized=vectorized, executor=executor)
    oracle: _Signs | _NoisySigns
    if p is None:
        ends = np.array([float(domain.low), float(domain.high)])
        values = evaluate(ends)
        if np.sign(values).prod() > 0:
            raise ValueError("f(a) and f(b) must have different signs")
        zeros = ends[values == 0].tolist()[:1]
        oracle = _Signs(evaluate, bool(values[0] < values[1]), zeros=zeros)
    else:
        if rising is None:
            rule = "with p the signs at the ends may be wrong"
            raise InvalidValue("rising", None, rule, "say whether f rises: True or False")
        oracle = _NoisySigns(evaluate, rising)
    found = _found(
        oracle,
        low=domain.low,
        high=domain.high,
        epsilon=epsilon,
        delta=secret,
        level=level,
        p=p,
        confidence=confidence,
        method=method,
        max_rounds=max_rounds,
        certificate=certificate,
        seed=seed,
    )
    root = next(iter(oracle.zeros), float(found.estimate))
    result: RootResults = _root_results(
        root, found.rounds, evaluate.points, _CONVERGED, f"private {method}"
    )
    result["adversary_success"] = found.adversary_success
    return result


def private_minimize_scalar(
    fun: Callable[..., Any] | None,
    bounds: Sequence[Number],
    *,
    xtol: Number,
    delta: Number,
    level: Number,
    jac: Callable[..., Any] | None = None,
    args: tuple[Any, ...] = (),
    vectorized: bool = False,
    executor: Executor | None = None,
    method: str = "tight",
    max_rounds: int | None = None,
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
        xtol: The minimiser is found within this distance.
        delta: Full width within which an eavesdropper must not come.
        level: L: she does with probability at most 1/L, if it is equally likely anywhere.
        jac: The derivative; None: by differences.
        args: What else to pass to either.
        vectorized: As in `private_root_scalar`.
        executor: As in `private_root_scalar`.
        method: As in `plan`.
        max_rounds: As in `plan`.
        seed: For experiments only, as in `find`.

    Returns:
        As SciPy's `minimize_scalar`: x, nfev, njev, nit (the rounds), success, message; and
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
        max_rounds=max_rounds,
        seed=seed,
    )
    found["x"] = float(found["x"][0])
    return found


def private_minimize(
    fun: Callable[..., Any] | None,
    bounds: Sequence[Sequence[Number]],
    *,
    xtol: Number,
    delta: Number,
    level: Number,
    jac: Callable[..., Any] | None = None,
    args: tuple[Any, ...] = (),
    vectorized: bool = False,
    executor: Executor | None = None,
    method: str = "tight",
    max_rounds: int | None = None,
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
        max_rounds: As in `plan`.
        seed: For experiments only, as in `find`.

    Returns:
        As SciPy's `minimize`: x, nfev, njev, nit (the rounds), success, message; and
        `adversary_success`. There is no `fun`: to evaluate it at x would show x. `success` is as in
        `private_minimize_scalar`, of every coordinate.

    Raises:
        ValueError: A value is NaN.
        InvalidValue: Another argument is wrong, or no function was given; a ValueError too.
        NoPlan: No plan keeps the promise.
        Exception: Whatever the function raised.
    """
    domains = _domains(bounds)
    epsilon, secret, apart = _widths(xtol, delta, domains, _BESIDE if jac is None else 0)
    _check_delta(delta, level, domains, secret)
    given = fun if jac is None else jac
    if given is None:
        raise InvalidValue("fun", None, "there must be a function", "give fun, or jac")
    name, each = ("fun", 1) if jac is None else ("jac", len(domains))
    evaluate = _Evaluate(name, given, args, vectorized=vectorized, executor=executor, each=each)
    ends = np.array([(float(each.low), float(each.high)) for each in domains])
    oracle = _Slopes(evaluate, ends[:, 0], ends[:, 1], float(apart), float(apart * _SHIFT))
    found = _found(
        oracle,
        domains=domains,
        epsilon=epsilon,
        delta=secret,
        level=level,
        method=method,
        max_rounds=max_rounds,
        seed=seed,
    )
    x = np.array([float(each.estimate) for each in found.coordinates]) + oracle.shift
    flat = apart > 0 and not oracle.shows(x, float(rational(xtol, "xtol")))
    result: OptimizeResult = _optimize_result(
        x=x,
        success=not flat,
        message=_FLAT if flat else "converged",
        nit=found.rounds,
        nfev=0 if apart == 0 else evaluate.points,
        njev=evaluate.points if apart == 0 else 0,
        adversary_success=found.adversary_success,
    )
    return result


def _found(oracle: Oracle, **wanted: Any) -> Result:
    """`find`; what the function itself raised comes out as it is, as SciPy's methods let it."""
    try:
        return find(oracle, **wanted)
    except OracleFailed as failed:
        if failed.__cause__ is None:
            raise
        raise failed.__cause__ from None


def _domain(bracket: Sequence[Number], name: str) -> Domain:
    try:
        one, other = bracket
    except (TypeError, ValueError):
        raise InvalidValue(name, bracket, "must be two numbers", "give (low, high)") from None
    return Domain(*sorted((rational(one, name), rational(other, name))))


def _domains(bounds: Sequence[Sequence[Number]]) -> list[Domain]:
    """An interval a coordinate.

    Raises:
        InvalidValue: There is none, or one of them is not two numbers.
    """
    try:
        found = [_domain(each, f"bounds[{place}]") for place, each in enumerate(bounds)]
    except TypeError:
        found = []
    if not found:
        rule = "must be an interval a coordinate, and of one at least"
        raise InvalidValue("bounds", bounds, rule, "give [(low, high)]")
    return found


def _check_delta(
    delta: Number, level: Number, domains: Sequence[Domain], secret: Fraction, least: Number = 0
) -> None:
    """Refuse a window that does not fit in the words and with the figures of whoever asks.

    Args:
        delta: The window, as it was given.
        level: L.
        domains: The brackets.
        secret: The window that is hidden, which is a little wider.
        least: The least that it may be.

    Raises:
        OutOfRegime: It is too wide to be hidden, or too narrow.
    """
    parts = ceil_root(whole(level, "level", least=1), len(domains))
    most = min(each.width for each in domains) / parts
    if secret > most:
        off = secret - rational(delta, "delta")
        named = "width/level" if len(domains) == 1 else "width/⌈level^(1/dim)⌉"
        moved = f"less {float(off):.2g}, by which points are off"
        rule = f"must be at most {named} = {plain(most)} {moved}"
        remedy = "give a smaller level, or xtol"
        if off < most:
            remedy = f"give {plain(_short(most - off, digits=6, up=False))} or less"
        raise OutOfRegime("delta", delta, rule, remedy)
    if parts > 1 and secret < rational(least, "least"):
        rule = "with p it must be at least 8·xtol"
        raise OutOfRegime("delta", delta, rule, "give a greater one, or a smaller xtol")


def _positive(number: Number, name: str) -> Fraction:
    read = rational(number, name)
    if read <= 0:
        raise InvalidValue(name, number, "must be positive", "give a width such as 0.001")
    return read


def _widths(
    xtol: Number, delta: Number, domains: Sequence[Domain], apart: int = 0
) -> tuple[Fraction, Fraction, Fraction]:
    """Epsilon, delta, and what the two points of a difference lie apart: each as exact as floats.

    A question at q is put at the nearest float, or at two points beside it. The answer then is that
    of a number which is off by at most half of what they lie apart, and by the rounding: the search
    is that much more accurate, and hides a window that much longer.

    Args:
        xtol: The greatest error.
        delta: The window.
        domains: The brackets.
        apart: What part of epsilon the two points lie apart; 0: there is one point.

    Raises:
        InvalidValue: A width is not positive, or floats are not fine enough.
    """
    epsilon, secret = 2 * _positive(xtol, "xtol"), _positive(delta, "delta")
    if epsilon >= max(each.width for each in domains):
        rule = "the middle of the interval is as near without a question"
        raise InvalidValue("xtol", xtol, rule, "give a smaller one")
    end = max(abs(float(end)) for each in domains for end in (each.low, each.high))
    rounding = 2 * Fraction(math.ulp(end))
    beside = epsilon / apart if apart else Fraction(0)
    if 8 * rounding > (beside or epsilon):
        least = 4 * rounding * max(apart, 1)
        rule = f"floats near {end:g} are not fine enough"
        raise InvalidValue("xtol", xtol, rule, f"give {float(least):.1g} or more")
    # Short decimals, so that the plan's own points are: accuracy down, window up.
    off = _short(beside + rounding)
    return epsilon - off, secret + off, beside


def _short(width: Fraction, *, digits: int = 3, up: bool = True) -> Fraction:
    """The next number above, or below, with a few digits."""
    unit = Fraction(10) ** (math.floor(math.log10(width)) + 1 - digits)
    return (math.ceil(width / unit) if up else math.floor(width / unit)) * unit


class _Flat:
    """A function of one variable as one of vectors with a single entry."""

    def __init__(self, function: Callable[..., Any], vectorized: bool) -> None:
        self.function, self.vectorized = function, vectorized

    def __call__(self, point: Floats, *args: Any) -> Any:
        return self.function(point[:, 0] if self.vectorized else float(point[0]), *args)


class _Evaluate:
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


@dataclass
class _Signs:
    """Answers "is the root at least q?" by signs, as if the leftmost change seen were the only one.

    Attributes:
        evaluate: The function.
        rising: Whether it rises through zero.
        zeros: Points whose value was exactly zero.
        bracket: Where the root is.
    """

    evaluate: _Evaluate
    rising: bool
    zeros: list[float] = field(default_factory=list)
    bracket: Bracket = field(default_factory=Bracket)

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """All answers of a round, which fit each other and those before."""
        points = np.array([float(query.value) for query in queries])
        values = self.evaluate(points)
        reached = (values <= 0) if self.rising else (values >= 0)
        answers = self.bracket.take(points.tolist(), reached.tolist())
        zeros = points[values == 0].tolist()
        self.zeros += [point for point in zeros if point == self.bracket.low]
        return answers


@dataclass
class _NoisySigns:
    """Answers by signs as they come: any of them may be wrong.

    Attributes:
        evaluate: The function.
        rising: Whether it rises through zero.
        zeros: None: a zero may be wrong too.
    """

    evaluate: _Evaluate
    rising: bool
    zeros: tuple[float, ...] = ()

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """All answers of a round."""
        values = self.evaluate(np.array([float(query.value) for query in queries]))
        answers: list[bool] = ((values <= 0) if self.rising else (values >= 0)).tolist()
        return answers


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

    evaluate: _Evaluate
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
