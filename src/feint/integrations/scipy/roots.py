"""Private roots, by signs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import RootResults

from feint.errors import InvalidValue
from feint.exact import Number
from feint.exact.stability import renamed_argument
from feint.integrations.scipy.evaluations import Evaluate, searched
from feint.integrations.scipy.ranges import check_delta, domain_of, tolerance, widths
from feint.problem import Query
from feint.simulate.oracles import Bracket

_CONVERGED = 0  # SciPy's word for it
# SciPy's own result, which holds whatever it is given; its stubs know SciPy's methods only.
_root_results: Any = RootResults


@renamed_argument("max_rounds", "maxiter", since="0.2")
def private_root_scalar(
    f: Callable[..., Any],
    bracket: Sequence[Number],
    *,
    xtol: Number | None = None,
    rtol: Number = 0,
    delta: Number,
    level: Number,
    args: tuple[Any, ...] = (),
    vectorized: bool = False,
    executor: Executor | None = None,
    rising: bool | None = None,
    p: Number | None = None,
    confidence: Number | None = None,
    method: str = "tight",
    maxiter: int | None = None,
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
        xtol: The root is found within this distance, and rtol; None: within 2e-12, as in SciPy,
            or as near as floats in the bracket allow.
        rtol: The distance may be larger by this share of the least absolute value in the bracket.
            (SciPy takes the root's own: the number of questions would tell it.)
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
        maxiter: The most rounds, `max_rounds` of `plan`. A plan that takes more is never begun.
        certificate: As in `plan`.
        seed: For experiments only, as in `find`.

    Returns:
        As SciPy's `root_scalar`: root, iterations (the rounds), function_calls (the questions, and
        two for the ends), converged, flag, status (0: converged); and `adversary_success`, the best
        eavesdropper's success at most: never above 1/level. Where a value was exactly zero, that
        point is the root. At a jump through zero the place of the jump is found, as by SciPy's
        bracketing methods.

    Raises:
        ValueError: f has the same sign at both ends, or a value is NaN.
        InvalidValue: Another argument is wrong; a ValueError too.
        NoPlan: No plan keeps the promise.
        Exception: Whatever f raised.
    """
    domain = domain_of(bracket, "bracket")
    epsilon, secret, _ = widths(tolerance(xtol, rtol, domain), delta, [domain])
    check_delta(delta, level, [domain], secret, 0 if p is None else 4 * epsilon)
    evaluate = Evaluate("f", f, args, vectorized=vectorized, executor=executor)
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
    (estimate,), found = searched(
        oracle,
        [domain],
        epsilon=epsilon,
        delta=secret,
        level=level,
        p=p,
        confidence=confidence,
        method=method,
        max_rounds=maxiter,
        certificate=certificate,
        seed=seed,
    )
    root = next(iter(oracle.zeros), float(estimate))
    result: RootResults = _root_results(
        root, found.rounds, evaluate.points, _CONVERGED, f"private {method}"
    )
    result["status"] = _CONVERGED
    result["adversary_success"] = found.adversary_success
    return result


@dataclass
class _Signs:
    """Answers "is the root at least q?" by signs, as if the leftmost change seen were the only one.

    Attributes:
        evaluate: The function.
        rising: Whether it rises through zero.
        zeros: Points whose value was exactly zero.
        bracket: Where the root is.
    """

    evaluate: Evaluate
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

    evaluate: Evaluate
    rising: bool
    zeros: tuple[float, ...] = ()

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """All answers of a round."""
        values = self.evaluate(np.array([float(query.value) for query in queries]))
        answers: list[bool] = ((values <= 0) if self.rising else (values >= 0)).tolist()
        return answers
