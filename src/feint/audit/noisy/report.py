"""The report of a noisy audit: exact posteriors of simulated transcripts, and an interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.audit import explain
from feint.audit.exact import coordinates
from feint.audit.noisy.believed import Believed
from feint.audit.noisy.transcripts import MOST, PLAYED, noisy_audit
from feint.audit.report import Report
from feint.audit.subject import Subject, of_coordinate
from feint.beliefs import expect
from feint.exact import Number, whole
from feint.interfaces import AnyExecutor, Estimate, Progress, Strategy
from feint.problem import Domain, Problem
from feint.simulate import bernstein, clopper_pearson, failure_probability, play

Float = NDArray[np.float64]
RUNS = 1000
PRECISION = 10**6  # the mean success is told in millionths
_ABOVE = 1.05  # times the promise: a mean that is less above it is what a plan without slack has
HELPED = (
    "in {:,} transcripts too many histories fitted what she overheard: there she was told more, so"
    " that her success is an upper bound, and the lower end counts them as lost"
)


def noisy_report(
    subject: Subject,
    *,
    runs: Number,
    failure: Number,
    seed: int,
    progress: Progress | None = None,
    executor: AnyExecutor | None = None,
) -> Report:
    """Audit a noisy strategy, coordinate by coordinate.

    Coordinates are independent, so successes multiply; so do the limits, all of which hold at once
    because each coordinate, and the verdict on accuracy, has an equal share of the failure.

    Args:
        subject: A member of the staged family under noise, or a product of such.
        runs: The number of transcripts to simulate, for each coordinate.
        failure: The probability that the interval, or the verdict on accuracy, may be wrong.
        seed: Where the simulation begins.
        progress: Told the transcripts done and the transcripts wanted, coordinate by coordinate.
        executor: Who follows the transcripts; None: this process.

    Returns:
        The report; its verdict is "leaks", "no leak found", or "cannot be told" where the mean is
        well above the promise but the interval is not; never "private".

    Raises:
        InvalidValue: Another kind of strategy, runs that are too few or too many, or a failure
            outside (0, 1).
    """
    wrong = failure_probability(failure)
    count, parts = whole(runs, "runs", least=2, most=MOST), coordinates(subject.strategy)
    share = wrong / (len(parts) + 1)
    believed = beliefs_of(subject, parts)
    found = [
        noisy_audit(
            each,
            runs=count,
            seed=seed + index,
            delta=subject.problem.delta,
            failure=share,
            believed=believed[index],
            progress=of_coordinate(progress, index, len(parts)),
            executor=executor,
        )
        for index, each in enumerate(parts)
    ]
    success, low, high = (
        math.prod(each) for each in zip(*((a.success, a.least, a.high) for a in found), strict=True)
    )
    leaks = low * subject.problem.level > 1
    error = errors(subject.strategy, subject.problem, count, seed, believed)
    width, accurate, missed = accuracy(error, subject.problem, subject.domain, share)
    helped = sum(each.helped for each in found)
    interval = f"the best eavesdropper wins with between {low:.4f} and {high:.4f}"
    return Report(
        **subject.fields(),
        method=f"{count:,} simulated transcripts; her exact posterior for each; the interval of"
        " their mean and the verdict on accuracy hold together but for a probability of"
        f" {wrong:g}",
        exact=False,
        accuracy=width,
        adversary_success=Fraction(round(success * PRECISION), PRECISION),
        limits=((low, high),),
        private=False if leaks else None,
        accurate=accurate,
        verdict=sampled_verdict(leaks, subject.stated_ratio(success), accurate),
        notes=(
            interval,
            *explain.of_bins(subject.distance, missed=True),
            *([HELPED.format(helped)] if helped else []),
            missed,
            *([explain.NOTHING_HIDDEN] if subject.problem.level == 1 else []),
        ),
    )


def sampled_verdict(leaks: bool, ratio: float, accurate: bool | None) -> str:
    """The verdict, given whether a leak is certain and the mean success over the promise."""
    verdict = "leaks" if leaks else "no leak found"
    if not leaks and ratio > _ABOVE:
        verdict = "cannot be told from these transcripts"
    return verdict if accurate is None else f"{verdict}, and inaccurate"


def beliefs_of(subject: Subject, parts: Sequence[Strategy]) -> list[Believed | None]:
    """What is believed of each coordinate; None where it is uniform on equal cells."""
    found: list[Believed | None] = []
    for index, each in enumerate(parts):
        scale = None if subject.scales is None else subject.scales[index]
        uneven = scale is not None and scale.marks is not None
        law = subject.prior[index]
        plain = law.uniform and not uneven
        found.append(None if plain else Believed(each.cells[0], scale if uneven else None, law))
    return found


def errors(
    strategy: Strategy,
    problem: Problem,
    runs: int,
    seed: int,
    believed: Sequence[Believed | None] = (),
) -> Float:
    """[runs] the error of fresh runs as a share of the range, the largest of all coordinates."""
    random, found = np.random.default_rng((seed, 1)), []
    queries = sum(len(each.coordinates) for each in strategy.rounds)
    batch = max(1, PLAYED // max(1, queries))
    for first in range(0, runs, batch):
        shape = (min(batch, runs - first), len(strategy.cells))
        targets = random.integers(strategy.cells, size=shape)
        rest = random.random(shape) if problem.values is None else np.full(shape, 0.5)
        for axis, each in enumerate(believed):
            if each is not None:
                targets[:, axis], inside = each.draw(len(targets), random)
                rest[:, axis] = inside if problem.values is None else 0.5
        with expect(len(targets) * len(strategy.rounds)):
            said = play(strategy, targets, random).estimate
        if any(each is not None for each in believed):
            found.append(_gaps(strategy, believed, said, (targets, rest)))
            continue
        gap = (said.cell - targets) + (said.rest - rest)  # cells may be too many for a float
        found.append((np.abs(gap) / np.array(strategy.cells)).max(axis=1))
    return np.concatenate(found)


def _gaps(
    strategy: Strategy,
    believed: Sequence[Believed | None],
    said: Estimate,
    truth: tuple[NDArray[np.int64], Float],
) -> Float:
    """The errors where cells are not equal, or X* is not uniform."""
    gaps = []
    for axis, each in enumerate(believed):
        cell, rest = said.cell[:, axis], said.rest[:, axis]
        number = truth[0][:, axis] + truth[1][:, axis]
        if each is None:
            gap = (cell + rest - number) / strategy.cells[axis]
        else:
            gap = each.measure.between(cell, rest) - each.measure.at(number)
        gaps.append(np.abs(gap))
    worst: Float = np.max(gaps, axis=0)
    return worst


def accuracy(
    error: Float, problem: Problem, domain: Domain, failure: float
) -> tuple[Fraction, bool | None, str]:
    """Full width of the error that was seen, False if it breaks the promise, and words for it.

    With a confidence the width is that of the quantile that the promise is about, otherwise twice
    the mean error. Samples never say that the promise holds: otherwise the second is None.
    """
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
