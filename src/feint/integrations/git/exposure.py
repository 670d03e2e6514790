"""Compute an observer's exact success if checks are made at other commits than planned."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from feint.branches import Posteriors, branches
from feint.errors import InvalidValue
from feint.planning import Plan
from feint.problem import UNIFORM, Prior


def moved_success(
    plan: Plan, moved: list[int], *, asked: Sequence[int] = (), excluded: Collection[int] = ()
) -> Fraction:
    """Return the best observer's success if checks are made at other commits than planned.

    Args:
        plan: A noiseless plan for m whole values.
        moved: For each number from 0 to m, the commit that is checked in its place.
        asked: The commits of the questions of complete rounds so far, in order. Her success is
            conditional on these questions.
        excluded: Commits that are not the first bad one. Her success is conditional on this.

    Returns:
        Her exact success under the prior of the plan. It is never too small, since she is assumed
        to know `moved`, and the planned commit of each check.

    Raises:
        InvalidValue: No first bad commit leads to these questions.
    """
    table, values = np.array(moved, np.int64), len(moved) - 1
    prior = UNIFORM if plan.problem.prior is None else plan.problem.prior[0]
    if excluded:
        odds = [1] * values if prior.uniform else [*prior.weights]
        prior = Prior([0 if first in excluded else each for first, each in enumerate(odds, 1)])
    length, won, heard = int(plan.problem.delta * values), Fraction(0), Fraction(0)
    for part in branches(plan.strategy):
        laid = replace(part, low=table[part.low], high=table[part.high])
        posteriors = Posteriors.of(laid, values, 1, prior=prior)
        fits = (part.transcripts[:, : len(asked)] == np.array(asked, np.int64)).all(axis=1)
        won += Fraction(int(posteriors.caught(length)[fits].sum()), part.total)
        heard += Fraction(int(posteriors.total()[fits].sum()), part.total)
    if not heard:
        rule = "no first bad commit leads to these questions"
        raise InvalidValue("asked", len(asked), rule, "give the questions of one run")
    return won / heard
