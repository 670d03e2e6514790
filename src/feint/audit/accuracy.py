"""Measure the error of estimates, exactly over all branches or on fresh runs."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from feint.audit import explain
from feint.audit.case import Case, Coordinate
from feint.audit.exact import Walk
from feint.audit.places import Float, Places
from feint.audit.sampled import PLAYED
from feint.beliefs import expect
from feint.errors import TooLarge
from feint.interfaces import Strategy
from feint.problem import Domain, Problem
from feint.simulate import bernstein, clopper_pearson, play

RUNS = 1000
"""The default number of sampled runs."""

_ROUNDING = Fraction(1, 10**5)  # a sampled error is shown with six digits


class Accuracy(NamedTuple):
    """The accuracy of the estimate.

    Attributes:
        width: Twice the worst error; sampled under noise, of the error that the promise is about.
        kept: True if the promise of accuracy holds; None if samples found no violation.
        note: A remark for the report.
        counterexample: A description of a violation of the promise; empty: none.
    """

    width: Fraction
    kept: bool | None
    note: str = ""
    counterexample: str = ""


def exact_accuracy(case: Case, parts: Sequence[Coordinate], walks: Sequence[Walk]) -> Accuracy:
    """Return the worst error of all branches, or of samples if they are many and nothing is heard.

    Raises:
        TooLarge: There are too many branches, and something is heard.
    """
    try:
        misses = [walk.worst_miss() for walk in walks]
    except TooLarge:
        if not all(each.ear.deaf for each in parts):
            raise
        rule = "too many branches to walk for the accuracy"
        note = f"{rule}: it is the worst of {RUNS:,} sampled runs"
        return sampled_accuracy(case, RUNS, 0)._replace(note=note)
    index = max(range(len(misses)), key=lambda i: misses[i].error)
    width = 2 * misses[index].error
    if width <= case.problem.epsilon:
        return Accuracy(width, True)
    where = f" in coordinate {index}" if len(misses) > 1 else ""
    cells = parts[index].line.marks
    told = explain.missed(misses[index], cells, case.problem, case.domain, where=where)
    return Accuracy(width, False, counterexample=told)


def sampled_accuracy(case: Case, runs: int, seed: int, failure: float = 0.0) -> Accuracy:
    """Return the accuracy that fresh runs show."""
    lines = [each.line for each in case.parts(fits_windows=False)]
    whole_values = case.problem.values is not None
    errors = sample_errors(case.strategy, lines, runs, seed, whole_values=whole_values)
    if case.problem.noisy:
        return noisy_accuracy(errors, case.problem, case.domain, failure)
    width = _width(float(errors.max()))
    return Accuracy(width, False if width > case.problem.epsilon * (1 + _ROUNDING) else None)


def noisy_accuracy(errors: Float, problem: Problem, domain: Domain, failure: float) -> Accuracy:
    """Return the accuracy that sampled errors show, which never proves that the promise holds.

    With a confidence, the width is that of the promised quantile; otherwise twice the mean error.
    """
    half = float(problem.epsilon) / 2
    if problem.confidence is None:
        mean = float(errors.mean())
        wrong = mean - bernstein(errors, failure) > half
        shown = f"the error is {mean * float(domain.width):.3g} on average"
        return Accuracy(_width(mean), False if wrong else None, shown)
    misses, runs = int((errors > half).sum()), len(errors)
    least, _ = clopper_pearson(misses, runs, failure)
    allowed = float(1 - problem.confidence)
    shown = f"{misses:,} of {runs:,} runs missed by more than epsilon/2; {allowed:.3g} may"
    width = _width(float(np.quantile(errors, 1 - allowed)))
    return Accuracy(width, False if least > allowed else None, shown)


def _width(error: float) -> Fraction:
    return Fraction(f"{2 * error:.6g}")


def sample_errors(
    strategy: Strategy, lines: Sequence[Places], runs: int, seed: int, *, whole_values: bool
) -> Float:
    """Return [runs] the errors of fresh runs, as shares of the range.

    Args:
        strategy: The strategy to run.
        lines: The line of each coordinate. The largest error of all coordinates counts.
        runs: The number of runs.
        seed: The seed of the simulation.
        whole_values: True if X* is a whole value, in the middle of its cell.
    """
    random, found = np.random.default_rng((seed, 1)), []
    queries = sum(len(each.coordinates) for each in strategy.rounds)
    batch = max(1, PLAYED // max(1, queries))
    for first in range(0, runs, batch):
        size = min(batch, runs - first)
        places = [line.draw(size, random) for line in lines]
        inside = [None if whole_values else random.random(size) for _ in lines]
        targets = np.stack([line.cell(at) for line, at in zip(lines, places, strict=True)], axis=1)
        with expect(size * len(strategy.rounds)):
            said = play(strategy, targets, random).estimate
        errors = [
            line.errors(said.cell[:, axis], said.rest[:, axis], places[axis], inside[axis])
            for axis, line in enumerate(lines)
        ]
        found.append(np.max(errors, axis=0))
    return np.concatenate(found)
