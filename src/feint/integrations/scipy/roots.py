"""Find roots privately, by the signs of values."""

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

_CONVERGED = 0  # SciPy's code
# SciPy's result takes any fields, but its stubs know only those of SciPy's methods.
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
    """Find a root of a function without revealing it to an observer of the evaluations.

    The two ends of the bracket, which are public, are evaluated first, once each. If the function
    changes its sign more than once, the search finds the leftmost change that its points show. The
    guarantee is about that root, if it is uniformly distributed.

    Args:
        f: The function, rising or falling through zero in the bracket. With p, only its sign is
            used, which is right with probability p at every call.
        bracket: Two numbers around the root, at which f has different signs.
        xtol: The largest absolute error of the root. None: 2e-12, as in SciPy, or more if floats
            in the bracket are coarser.
        rtol: The error may be larger by this share of the smallest absolute value in the bracket.
            (SciPy uses the root itself, but then the number of questions would reveal it.)
        delta: The full width of the interval that an eavesdropper must hit.
        level: L. She hits with probability at most 1/L if the root is uniformly distributed.
        args: Further arguments of f.
        vectorized: Whether f takes an array and returns one of the same length. Each round is
            then one call.
        executor: A `concurrent.futures.Executor` that evaluates the points of a round in parallel;
            None: this thread, one by one.
        rising: Whether f rises; None: the values at the ends decide. It is required with p,
            because the signs at the ends may be wrong; the ends are then not evaluated.
        p: The probability that the sign of a value is right; None: always right.
        confidence: As in `find`.
        method: As in `plan`.
        maxiter: The most rounds, `max_rounds` of `plan`. No plan that takes more is used.
        certificate: As in `plan`.
        seed: For experiments only, as in `find`.

    Returns:
        The fields of SciPy's `root_scalar`: root, iterations (the rounds), function_calls (the
        questions, and two for the ends), converged, flag and status (0: converged). There is also
        `adversary_success`, an upper bound on the best eavesdropper's success that is never above
        1/level. A point whose value was exactly zero is the root. If f jumps through zero, the root
        is the place of the jump, as with SciPy's bracketing methods.

    Raises:
        ValueError: f has the same sign at both ends, or a value is NaN.
        InvalidValue: Another argument is wrong; a ValueError too.
        NoPlan: No plan meets the requirements.
        Exception: f raised it.
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
    """An oracle that answers "is the root at least q?" by signs, for the leftmost known change.

    Attributes:
        evaluate: The function.
        rising: Whether it rises through zero.
        zeros: Points whose value was exactly zero.
        bracket: The interval that contains the root.
    """

    evaluate: Evaluate
    rising: bool
    zeros: list[float] = field(default_factory=list)
    bracket: Bracket = field(default_factory=Bracket)

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """Return the answers of a round, consistent with each other and with earlier ones."""
        points = np.array([float(query.value) for query in queries])
        values = self.evaluate(points)
        reached = (values <= 0) if self.rising else (values >= 0)
        answers = self.bracket.take(points.tolist(), reached.tolist())
        zeros = points[values == 0].tolist()
        self.zeros += [point for point in zeros if point == self.bracket.low]
        return answers


@dataclass
class _NoisySigns:
    """An oracle that answers by signs as they are, any of which may be wrong.

    Attributes:
        evaluate: The function.
        rising: Whether it rises through zero.
        zeros: Always empty, since a zero may be wrong too.
    """

    evaluate: Evaluate
    rising: bool
    zeros: tuple[float, ...] = ()

    def answer(self, queries: Sequence[Query]) -> list[bool]:
        """Return the answers of a round."""
        values = self.evaluate(np.array([float(query.value) for query in queries]))
        answers: list[bool] = ((values <= 0) if self.rising else (values >= 0)).tolist()
        return answers
