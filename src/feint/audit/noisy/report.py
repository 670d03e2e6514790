"""The report of a noisy audit: exact posteriors of simulated transcripts, with a sure interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.audit import explain
from feint.audit.exact import coordinates
from feint.audit.noisy.transcripts import MOST, PLAYED, noisy_audit
from feint.audit.report import Report
from feint.audit.sampled import check_failure
from feint.branches import UNIFORM, blind_success
from feint.exact import Number, whole
from feint.interfaces import Strategy
from feint.problem import Domain, Problem
from feint.simulate import Executor, bernstein, clopper_pearson, play

Float = NDArray[np.float64]
RUNS = 1000
_PRECISION = 10**6
_ABOVE = 1.05  # times the promise: a mean that is less above it is what a plan without slack has
_HELPED = (
    "in {:,} transcripts too many histories fitted what she overheard: there she was told more, so"
    " that her success is an upper bound, and the lower end counts them as lost"
)


def noisily(
    strategy: Strategy,
    problem: Problem,
    domain: Domain,
    theorem: str,
    *,
    runs: Number,
    failure: float,
    seed: int,
    progress: Callable[[float], None] | None = None,
    executor: Executor | None = None,
) -> Report:
    """Audit a noisy strategy, coordinate by coordinate.

    Args:
        strategy: A member of the staged family under noise, or a product of such.
        problem: What is promised.
        domain: The user's units.
        theorem: Why the promise is expected to hold.
        runs: How many transcripts to simulate.
        failure: The probability that the interval, or the verdict on accuracy, may be wrong.
        seed: Where the simulation begins.
        progress: Called with the share of the work that is done.
        executor: Who does it; None: this process.

    Returns:
        The report; its verdict is "leaks", "no leak found", or "cannot be told" where the mean is
        well above the promise but the interval is not; never "private".
    """
    check_failure(failure)
    runs, parts = whole(runs, "runs", least=2, most=MOST), coordinates(strategy)
    share = failure / (len(parts) + 1)  # of each coordinate, and of the accuracy
    found = []
    for i, each in enumerate(parts):

        def told(done: int, wanted: int, *, before: int = i) -> None:
            if progress is not None:
                progress((before + done / wanted) / len(parts))

        audited = noisy_audit(
            each,
            runs=runs,
            seed=seed + i,
            delta=problem.delta,
            failure=share,
            progress=told,
            executor=executor,
        )
        found.append(audited)
    mean = math.prod(each.success for each in found)
    low = math.prod(each.least for each in found)
    high = math.prod(each.high for each in found)
    helped = sum(each.helped for each in found)
    leaks = low * problem.level > 1
    error = _errors(strategy, problem, runs, seed)
    width, accurate, missed = _accuracy(error, problem, domain, share)
    verdict = "leaks" if leaks else "no leak found"
    if not leaks and mean * problem.level > _ABOVE:
        verdict = "cannot be told from these transcripts"
    interval = f"the best eavesdropper wins with between {low:.4f} and {high:.4f}"
    return Report(
        problem,
        domain,
        explain.claim(problem, domain),
        f"{runs:,} simulated transcripts; her exact posterior for each; the interval of their mean"
        f" and the verdict on accuracy hold together but for a probability of {failure:g}",
        theorem,
        explain.assumptions(problem, UNIFORM),
        False,
        sum(len(each.coordinates) for each in strategy.rounds),
        width,
        Fraction(round(mean * _PRECISION), _PRECISION),
        blind_success(UNIFORM, problem.delta) ** len(strategy.cells),
        None,
        None,
        None,
        False if leaks else None,
        accurate,
        verdict + (", and inaccurate" if accurate is False else ""),
        notes=(interval, *([_HELPED.format(helped)] if helped else []), missed),
    )


def _errors(strategy: Strategy, problem: Problem, runs: int, seed: int) -> Float:
    """The error of so many fresh runs, the largest of all coordinates; the range is 1."""
    random, found = np.random.default_rng((seed, 1)), []
    queries = sum(len(each.coordinates) for each in strategy.rounds)
    batch = max(1, PLAYED // max(1, queries))
    for first in range(0, runs, batch):
        shape = (min(batch, runs - first), len(strategy.cells))
        targets = random.integers(strategy.cells, size=shape)
        rest = random.random(shape) if problem.values is None else 0.5
        said = play(strategy, targets, random).estimate
        gap = (said.cell - targets) + (said.rest - rest)  # cells may be too many for a float
        found.append((np.abs(gap) / np.array(strategy.cells)).max(axis=1))
    return np.concatenate(found)


def _accuracy(
    error: Float, problem: Problem, domain: Domain, failure: float
) -> tuple[Fraction, bool | None, str]:
    """Full width of the error that was seen, whether it breaks the promise, and words for it."""
    half = float(problem.epsilon) / 2
    if problem.confidence is None:
        mean = float(error.mean())
        wrong = mean - bernstein(error, failure) > half
        shown = f"the error is {mean * float(domain.width):.3g} on average"
        return _width(mean), False if wrong else None, shown
    misses, runs = int((error > half).sum()), len(error)
    least, _ = clopper_pearson(misses, runs, failure)
    allowed = float(1 - problem.confidence)
    shown = f"{misses:,} of {runs:,} runs missed by more than epsilon/2; {allowed:.3g} may"
    width = _width(float(np.quantile(error, 1 - allowed)))
    return width, False if least > allowed else None, shown


def _width(error: float) -> Fraction:
    return Fraction(f"{2 * error:.6g}")
