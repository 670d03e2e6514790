"""The report of several searches, or of one half heard, from sampled runs."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from feint.audit import explain
from feint.audit.exact import coordinates
from feint.audit.noisy import (
    HELPED,
    MOST,
    PRECISION,
    accuracy,
    beliefs_of,
    errors,
    sampled_verdict,
    states_followed,
)
from feint.audit.report import Report
from feint.audit.sequence.course import Course
from feint.audit.sequence.hearing import ALL, NOTHING
from feint.audit.sequence.line import Line
from feint.audit.sequence.outcomes import Ear
from feint.audit.sequence.report import sampled_accuracy
from feint.audit.sequence.sampled import Float, sample_successes, trial
from feint.audit.sequence.words import condition, fields, notes
from feint.audit.subject import Subject, of_coordinate
from feint.errors import InvalidValue
from feint.exact import Number, whole
from feint.interfaces import AnyExecutor, Progress
from feint.planning import repeatable
from feint.simulate import bernstein, failure_probability
from feint.strategies import StagedNoisy


def sampled_sequence_report(
    subject: Subject,
    course: Course,
    *,
    runs: Number,
    failure: Number,
    seed: int,
    progress: Progress | None,
    executor: AnyExecutor | None,
) -> Report:
    """Audit several searches, or who hears what of one, on sampled runs.

    For each run the best guess after what she heard is known; samples stand for the runs alone.
    Coordinates are independent, so successes multiply, and so do their limits.

    Args:
        subject: A strategy and its promise; under noise, of the staged family, X* uniform.
        course: How often it is searched, how the number moves, and who hears what.
        runs: The number of runs to sample, for each coordinate.
        failure: The probability that a limit, or the verdict on accuracy, may be wrong.
        seed: Where the samples come from.
        progress: Told the runs done and the runs wanted.
        executor: Who follows the runs; None: this process.

    Returns:
        The report; its verdict, on the last search, is never "private".

    Raises:
        InvalidValue: The arguments do not fit.
        TooLarge: Too many branches fit what is heard, or there are too many cells.
    """
    _check(subject, course)
    count, wrong = whole(runs, "runs", least=2, most=MOST), failure_probability(failure)
    parts = coordinates(subject.strategy)
    share = wrong / (len(parts) * course.searches + 1)
    mean, low, high = (np.ones(course.searches) for _ in range(3))
    told_more = 0
    for index, (each, ear) in enumerate(
        zip(parts, Ear.of(course.hears, course.knows, subject.strategy), strict=True)
    ):
        scale = None if subject.scales is None else subject.scales[index]
        moving = course.motion is not None
        line = Line.of(subject, each, scale, moving=moving, index=index)
        found, helped = sample_successes(
            trial(each, line, course),
            ear,
            course.searches,
            runs=count,
            random=np.random.default_rng((seed, 2, index)),
            states=states_followed(each) if isinstance(each, StagedNoisy) else 0,
            executor=executor,
            progress=of_coordinate(progress, index, len(parts)),
        )
        told_more += int(helped.sum())
        mean *= found.mean(axis=0)
        high *= [min(1.0, float(column.mean()) + bernstein(column, share)) for column in found.T]
        alone = np.where(helped[:, None], 0.0, found)
        low *= [max(0.0, float(column.mean()) - bernstein(column, share)) for column in alone.T]
    leaks = bool(low[-1] * subject.problem.level > 1) and not subject.worst_case
    width, accurate, missed = _accuracy(subject, count, seed, share)
    successes = tuple(Fraction(round(float(each) * PRECISION), PRECISION) for each in mean)
    verdict = sampled_verdict(leaks, subject.stated_ratio(float(mean[-1])), None)
    verdict = f"{verdict} {condition(course)}"
    if subject.worst_case:
        verdict = "cannot be told from samples"
    verdict += "" if accurate is None else "; inaccurate"
    interval = f"the best eavesdropper wins with between {low[-1]:.4f} and {high[-1]:.4f}"
    return Report(
        **fields(subject, course),
        method=f"{count:,} sampled runs; her best guess after what she heard in each; the limits"
        f" of their means and the verdict on accuracy hold together but for a probability of"
        f" {wrong:g}",
        exact=False,
        accuracy=width,
        adversary_success=successes[-1],
        successes=successes if course.searches > 1 else (),
        limits=tuple((float(a), float(b)) for a, b in zip(low, high, strict=True)),
        private=False if leaks else None,
        accurate=accurate,
        verdict=verdict,
        notes=(
            interval,
            *explain.of_bins(subject.distance, missed=subject.problem.noisy),
            *([HELPED.format(told_more)] if told_more else []),
            *([missed] if missed else []),
            *([explain.NOTHING_HIDDEN] if subject.problem.level == 1 else []),
            *notes(subject, course, private=False if leaks else None),
        ),
    )


def _accuracy(
    subject: Subject, runs: int, seed: int, failure: float
) -> tuple[Fraction, bool | None, str]:
    """The accuracy that fresh runs show, as in the audit of one search."""
    if not subject.problem.noisy:
        return *sampled_accuracy(subject, runs, seed), ""
    believed = beliefs_of(subject, coordinates(subject.strategy))
    found: Float = errors(subject.strategy, subject.problem, runs, seed, believed)
    return accuracy(found, subject.problem, subject.domain, failure)


def _check(subject: Subject, course: Course) -> None:
    """Refuse what no sample can tell.

    Raises:
        InvalidValue: Under noise, a prior, less or more hearing, or the same key; without, a number
            that moves and coins that stay.
    """
    if subject.problem.noisy:
        if course.hears != ALL:
            rule = "under noise every question is heard"
            raise InvalidValue("hears", course.hears.words, rule, "leave hears out")
        if course.knows != NOTHING:
            rule = "under noise no answer is known"
            raise InvalidValue("knows", course.knows.words, rule, "leave knows out")
        if not subject.uniform:
            law = next(each for each in subject.prior if not each.uniform)
            rule = "under noise several searches are audited for a number that is uniform"
            shown = law.source or f"{law.bins} bins"
            raise InvalidValue("prior", shown, rule, "leave it out, or audit one search")
        if not course.fresh_keys:
            rule = "under noise no key asks the same again, since answers differ"
            raise InvalidValue("fresh_keys", False, rule, "audit it with fresh_keys")
    elif course.motion is not None and not course.fresh_keys and not repeatable(subject.strategy):
        rule = "samples do not tell what coins that stay the same tell of a number that moves"
        remedy = "leave runs out, or audit it with fresh_keys"
        raise InvalidValue("fresh_keys", False, rule, remedy)
