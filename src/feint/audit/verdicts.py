"""Noiseless audits: what exact figures, or sampled ones, say of the promise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from feint.audit import explain
from feint.audit.exact import Measured, coordinates, measure
from feint.audit.lemma import lemmas as measure_lemmas
from feint.audit.report import Report, percent
from feint.audit.sampled import Sampled, sample
from feint.audit.subject import Subject, of_coordinate
from feint.interfaces import Adversary, AnyExecutor, Progress, Strategy


def exact_report(
    subject: Subject, *, limit: int, lemmas: bool, progress: Progress | None
) -> Report:
    """Audit by walking every branch, coordinate by coordinate.

    Coordinates are independent, so the best guess is the best one in each: successes multiply, and
    so do covering numbers, transcripts and branches. The Bayesian promise holds when success ≤ 1/L,
    (with what reading a law into bins may add), the deterministic one when the covering number is
    at least L; either way the estimate must be
    within ε/2 of X* in every branch.

    Args:
        subject: A noiseless strategy and its promise.
        limit: The number of branches of one coordinate beyond which to refuse.
        lemmas: Whether to measure the theory's lemmas too.
        progress: Told how far each coordinate is.

    Returns:
        The report; its verdict is certain.

    Raises:
        TooLarge: There are more than `limit` branches.
        InvalidValue: The strategy breaks its contract.
    """
    problem = subject.problem
    found = measured(subject, coordinates(subject.strategy), limit, progress)
    success = math.prod((each.success for each in found), start=Fraction(1))
    covering = math.prod(each.covering for each in found)
    worst = max(each.accuracy for each in found)
    accurate = worst <= problem.epsilon
    private = subject.keeps(success)
    if subject.worst_case:
        private = covering >= problem.level
    method = "every branch walked, exactly"
    return Report(
        **subject.fields(),
        method=method if len(found) == 1 else f"{method}, coordinate by coordinate",
        exact=True,
        accuracy=worst,
        adversary_success=success,
        covering_number=covering,
        transcripts=math.prod(each.transcripts for each in found),
        branches=math.prod(each.branches for each in found),
        private=private,
        accurate=accurate,
        verdict=_verdict(private, accurate, kept_words(subject, success, private=private)),
        counterexample=_counterexample(subject, found, private, accurate),
        notes=exact_notes(subject, success, covering),
        exhibits=tuple(each.narrowest if subject.worst_case else each.telling for each in found),
        lemmas=measure_lemmas(subject.strategy, problem, limit=limit) if lemmas else (),
    )


def measured(
    subject: Subject, parts: Sequence[Strategy], limit: int, progress: Progress | None
) -> list[Measured]:
    """The exact figures of every coordinate; those that share a strategy are walked once.

    Args:
        subject: What is promised.
        parts: The searches of single coordinates.
        limit: The number of branches of one coordinate beyond which to refuse.
        progress: Told how far each coordinate is.

    Returns:
        The figures, in the order of the parts.

    Raises:
        TooLarge: There are more than `limit` branches.
    """
    found: list[Measured] = []
    for index, each in enumerate(parts):
        twin = next((i for i in range(index) if _alike(subject, parts, i, index)), None)
        if twin is not None:
            found.append(found[twin])
            continue
        tell = of_coordinate(progress, index, len(parts))
        scale = None if subject.scales is None else subject.scales[index]
        delta, prior = subject.problem.delta, subject.prior[index]
        found.append(measure(each, delta, prior=prior, scale=scale, limit=limit, progress=tell))
    return found


def _alike(subject: Subject, parts: Sequence[Strategy], one: int, other: int) -> bool:
    """Whether two coordinates share a strategy and all that is believed of them."""
    return parts[one] is parts[other] and subject.prior[one] == subject.prior[other]


def _verdict(private: bool, accurate: bool, words: str) -> str:
    """What follows from exact figures, in a few words."""
    if accurate:
        return words
    return f"{words}, {'but' if private else 'and'} inaccurate"


def kept_words(subject: Subject, success: Fraction, *, private: bool) -> str:
    """Whether the promise is kept, and how nearly where rounding excuses what is above it.

    Args:
        subject: The strategy and its promise.
        success: What she wins with.
        private: Whether it is kept.
    """
    if private:
        return "private to one part in a million" if subject.excused(success) else "private"
    return "not shown to be private" if subject.unsure(success) else "leaks"


def _counterexample(
    subject: Subject, found: Sequence[Measured], private: bool, accurate: bool
) -> str:
    """For each half of the promise that is broken, the case that shows it."""
    lines = []
    success = math.prod((each.success for each in found), start=Fraction(1))
    if not private and not subject.unsure(success):
        shown = [each.narrowest if subject.worst_case else each.telling for each in found]
        lines += [explain.leak(shown, subject.problem, subject.domain)]
    if not accurate:
        lines += [inaccuracy(subject, found)]
    return "\n".join(lines)


def inaccuracy(subject: Subject, found: Sequence[Measured]) -> str:
    """The worst error of all coordinates, as a case that a person can follow."""
    index = max(range(len(found)), key=lambda i: found[i].accuracy)
    cells, miss = found[index].telling.cells, found[index].miss
    where = f" in coordinate {index}" if len(found) > 1 else ""
    return explain.missed(miss, cells, subject.problem, subject.domain, where=where)


def exact_notes(subject: Subject, success: Fraction, covering: int) -> tuple[str, ...]:
    """What else must be said of exact figures."""
    level = subject.problem.level
    if level == 1:
        return (explain.NOTHING_HIDDEN,)
    notes = list[str]()
    if subject.worst_case:
        notes += [explain.worst_case(covering, level)]
        if success * level > 1:
            notes += [explain.averaging(subject.problem, percent(success))]
    elif subject.unsure(success):
        most = percent(min(Fraction(1), success + subject.distance))
        notes += [
            f"in its bins she wins {percent(success)}, and under the law as stated {most} at most,"
            " which is more than is promised: read it into more bins, or narrow the range"
        ]
    elif subject.excused(success):
        notes += [
            f"her success is above 1/{level} by less than one part in a million, which rounding"
            " these questions to decimals may add (proofs/rounding.md)"
        ]
    elif not subject.uniform and subject.blind * level > 1:
        notes += [
            f"with this prior a guess without listening already wins with probability"
            f" {percent(subject.blind)}: no plan can keep the promise"
        ]
    return tuple(notes)


def sampled_report(
    subject: Subject,
    adversaries: Sequence[Adversary],
    *,
    runs: int,
    failure: float,
    seed: int,
    progress: Progress | None,
    executor: AnyExecutor | None,
) -> Report:
    """Audit by measuring adversaries on runs.

    Args:
        subject: A noiseless strategy and its promise.
        adversaries: Who listens.
        runs: The number of runs to measure at most.
        failure: The probability that any limit of the report is wrong.
        seed: Where coins and targets come from.
        progress: Told the runs done and the runs wanted.
        executor: Who plays the runs; None: this process.

    Returns:
        The report. Its verdict is "leaks", or "no leak found", which certifies nothing; of what
        stays possible in the worst case samples say nothing, and then neither does the verdict.

    Raises:
        InvalidValue: As `sample`.
        TooLarge: As `sample`.
    """
    problem = subject.problem
    found = sample(
        subject.strategy,
        adversaries,
        runs=runs,
        promise=Fraction(1) if subject.worst_case else Fraction(1, problem.level),
        delta=problem.delta,
        failure=failure,
        prior=subject.prior,
        problem=problem,
        scales=subject.scales,
        seed=seed,
        executor=executor,
        progress=progress,
    )
    accurate = None if found.accuracy <= problem.epsilon else False
    first = max(found.rates, key=lambda each: each.rate)
    best = first.rate
    return Report(
        **subject.fields(),
        method=_sampled_method(found, failure),
        exact=False,
        accuracy=found.accuracy,
        adversary_success=best,
        limits=((first.low, first.high),),
        private=False if found.leak else None,
        accurate=accurate,
        verdict=_sampled_verdict(subject, found, accurate),
        counterexample=_caught(subject, found, failure),
        notes=_sampled_notes(subject, best),
        adversaries=found.rates,
    )


def _sampled_method(found: Sampled, failure: float) -> str:
    fitted = f", after {found.taught:,} others to fit adversaries on" if found.taught else ""
    return (
        f"{found.runs:,} sampled runs{fitted}; the limits of all {len(found.rates)} adversaries and"
        f" {found.planned} looks hold together but for a probability of {failure:g}"
    )


def _sampled_verdict(subject: Subject, found: Sampled, accurate: bool | None) -> str:
    verdict = "leaks" if found.leak else "no leak found"
    if subject.worst_case:
        verdict = "cannot be told from samples"
    return verdict if accurate is None else f"{verdict}, and inaccurate"


def _caught(subject: Subject, found: Sampled, failure: float) -> str:
    """Which adversary broke the promise for certain, and how certain that is."""
    if not found.leak:
        return ""
    worst = max(found.rates, key=lambda each: each.low)
    return (
        f"The adversary '{worst.name}' wins with probability at least {worst.low:.4g},"
        f" where 1/{subject.problem.level} is promised; this is wrong with probability at most"
        f" {failure:g}."
    )


def _sampled_notes(subject: Subject, best: Fraction) -> tuple[str, ...]:
    notes = ["samples can show a leak but never that there is none"]
    notes += explain.of_bins(subject.distance)
    if subject.problem.level == 1:
        return (*notes, explain.NOTHING_HIDDEN)
    if subject.worst_case:
        notes += ["what stays possible in the worst case cannot be told from samples"]
        if best * subject.problem.level > 1:
            notes += [explain.averaging(subject.problem, percent(best))]
    return tuple(notes)
