"""Build a report from exact figures, sampled figures, or adversaries measured on runs.

Coordinates move and are searched independently, so the best guess consists of the best guess in
each. Successes multiply, and so do limits, covering numbers, transcripts and branches.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from feint.audit import explain, words
from feint.audit.accuracy import Accuracy, exact_accuracy, sampled_accuracy
from feint.audit.adversaries import sample
from feint.audit.case import Case, Coordinate, for_coordinate
from feint.audit.exact import Followed, follow
from feint.audit.hearing import ALL, NOTHING
from feint.audit.lemma import lemmas as measure_lemmas
from feint.audit.report import Report
from feint.audit.sampled import MOST, sample_successes
from feint.errors import InvalidValue
from feint.exact import Number, whole
from feint.interfaces import Adversary, AnyExecutor, Progress

_PRECISION = 10**6  # a mean success is stated in millionths


def _report(
    case: Case,
    *,
    exact: bool,
    method: str,
    private: bool | None,
    privacy: str,
    successes: Sequence[Fraction],
    accuracy: Accuracy,
    leak: str = "",
    notes: Sequence[str] = (),
    **more: Any,
) -> Report:
    """Build the report of an audit.

    Args:
        case: The audited case.
        exact: As in `Report`, like all arguments that are not listed here.
        method: A description of the method.
        private: Whether the guarantee of privacy holds; None: samples cannot decide it.
        privacy: The same in a few words.
        successes: The best eavesdropper's success after each search.
        accuracy: The accuracy of the estimate.
        leak: A case that violates the guarantee of privacy, for people to follow; empty: none.
        notes: Further statements about the figures.
        more: Other fields.
    """
    return Report(
        problem=case.problem,
        domain=case.domain,
        claim=words.claim(case),
        method=method,
        theorem=words.theorem(case),
        assumptions=words.assumptions(case),
        exact=exact,
        queries=case.queries,
        accuracy=accuracy.width,
        adversary_success=successes[-1],
        successes=tuple(successes) if case.course.searches > 1 else (),
        blind=case.blind,
        private=private,
        accurate=accuracy.kept,
        verdict=words.verdict(case, privacy, private, accuracy.kept),
        counterexample="\n".join(filter(None, (leak, accuracy.counterexample))),
        notes=(*notes, *words.course_notes(case, private)),
        **more,
    )


def exact_report(
    case: Case, *, limit: int, lemmas: bool = False, progress: Progress | None
) -> Report:
    """Audit by walking every branch, coordinate by coordinate.

    The Bayesian guarantee holds if her success plus the error of binning a prior is at most 1/L.
    The deterministic guarantee holds if the covering number is at least L. In both settings the
    estimate must be within ε/2 of X* in every branch.

    Raises:
        TooLarge: There are more than `limit` branches of one coordinate, or too many keys or
            posteriors.
        InvalidValue: The strategy violates its contract, or an argument does not fit it.
    """
    problem, course = case.problem, case.course
    parts = case.parts()
    found = _followed(case, parts, limit, progress)
    after_each = zip(*(each.steps for each in found), strict=True)
    successes = [math.prod((x.success for x in at), start=Fraction(1)) for at in after_each]
    last, success = [each.steps[-1] for each in found], successes[-1]
    covering = math.prod(each.covering for each in last)
    private = covering >= problem.level if case.worst_case else case.keeps(success)
    exhibits = tuple(each.narrowest if case.worst_case else each.telling for each in last)
    leak = ""
    if not private and not case.holds_only_binned(success):
        leak = explain.leak(exhibits, problem, case.domain, once=course.asks_the_same)
    walks = [each.walk for each in found]
    accuracy = exact_accuracy(case, parts, walks)
    return _report(
        case,
        exact=True,
        method=_exact_method(case, parts),
        private=private,
        privacy=words.exact_privacy(case, success, private=private),
        successes=successes,
        accuracy=accuracy,
        leak=leak,
        notes=(*words.exact_notes(case, success, covering), *filter(None, [accuracy.note])),
        covering_number=covering,
        transcripts=math.prod(x.transcripts for x in walks) if course.asks_the_same else None,
        branches=math.prod(x.branches for x in walks) if course.asks_the_same else None,
        exhibits=exhibits,
        lemmas=measure_lemmas(case.strategy, problem, limit=limit) if lemmas else (),
    )


def _followed(
    case: Case, parts: Sequence[Coordinate], limit: int, progress: Progress | None
) -> list[Followed]:
    """Follow every coordinate; equal coordinates are followed once."""
    known, found = dict[tuple[object, ...], Followed](), []
    for index, one in enumerate(parts):
        ear = (one.ear.hears.tobytes(), one.ear.chance, one.ear.knows.tobytes())
        key = (id(one.strategy), one.line, *ear)
        if key not in known:
            known[key] = follow(
                one,
                case.course,
                worst_case=case.worst_case,
                limit=limit,
                progress=for_coordinate(progress, index, len(parts)),
            )
        found.append(known[key])
    return found


def _exact_method(case: Case, parts: Sequence[Coordinate]) -> str:
    course = case.course
    if all(each.ear.deaf for each in parts) and not course.is_single:
        return "nothing is heard and nothing known: the best guess without listening, exactly"
    method = "every branch walked, exactly"
    if course.searches > 1 and not course.asks_the_same:
        method += f", and every sequence of {course.searches} of them"
    if len(parts) > 1:
        method += ", coordinate by coordinate"
    if course.searches > 1 and course.asks_the_same:
        method += "; the same key asks the same in every search"
    return method


def sampled_report(
    case: Case,
    *,
    runs: Number,
    failure: float,
    seed: int,
    progress: Progress | None,
    executor: AnyExecutor | None,
) -> Report:
    """Audit the best eavesdropper on simulated runs, with noise or without.

    Her best guess given a run is computed exactly; only the runs are sampled. All limits hold at
    once except with probability `failure`, which is divided evenly among the limits and the verdict
    on accuracy. The verdict is never "private".

    Raises:
        InvalidValue: The arguments do not fit, or under noise the strategy is not of the staged
            family.
        TooLarge: Too many branches fit a transcript, or there are too many cells.
    """
    _check_sampled(case)
    count, problem = whole(runs, "runs", least=2, most=MOST), case.problem
    parts, searches = case.parts(fits_windows=False), case.course.searches
    share = failure / (len(parts) * searches + 1)
    found = [
        sample_successes(
            one,
            case.course,
            runs=count,
            seed=seed + index,
            failure=share,
            executor=executor,
            progress=for_coordinate(progress, index, len(parts)),
        )
        for index, one in enumerate(parts)
    ]
    after_each = list(zip(*found, strict=True))
    mean = [math.prod(each.success for each in at) for at in after_each]
    low = [math.prod(each.least for each in at) for at in after_each]
    high = [math.prod(each.high for each in at) for at in after_each]
    leaks = low[-1] * problem.level > 1 and not case.worst_case
    accuracy = sampled_accuracy(case, count, seed, share)
    helped = sum(each[-1].helped for each in found)
    privacy = words.sampled_privacy(leaks, case.stated_ratio(mean[-1]))
    return _report(
        case,
        exact=False,
        method=f"{count:,} simulated transcripts, with her exact posterior after each; all"
        " intervals and the verdict on accuracy hold together, except with probability"
        f" {failure:g}",
        private=False if leaks else None,
        privacy="cannot be told from samples" if case.worst_case else privacy,
        successes=[Fraction(round(each * _PRECISION), _PRECISION) for each in mean],
        accuracy=accuracy,
        limits=tuple(zip(low, high, strict=True)),
        notes=(
            f"the best eavesdropper's success lies between {low[-1]:.4f} and {high[-1]:.4f}",
            *words.of_bins(case),
            *([words.HELPED.format(helped)] if helped else []),
            *filter(None, [accuracy.note]),
            *([words.NOTHING_HIDDEN] if problem.level == 1 else []),
        ),
    )


def _check_sampled(case: Case) -> None:
    """Refuse a course that sampling does not support.

    Raises:
        InvalidValue: Under noise, she hears less or knows answers, or the key stays the same.
            Without noise, the number moves and the coins stay the same.
    """
    course = case.course
    if case.problem.noisy:
        if course.hears != ALL:
            rule = "under noise every question is heard"
            raise InvalidValue("hears", course.hears.words, rule, "leave hears out")
        if course.knows != NOTHING:
            rule = "under noise no answer is known"
            raise InvalidValue("knows", course.knows.words, rule, "leave knows out")
        if course.searches > 1 and not course.fresh_keys:
            rule = "under noise no key asks the same again, since answers differ"
            raise InvalidValue("fresh_keys", False, rule, "audit it with fresh_keys")
    elif course.motion is not None and not course.fresh_keys and not case.coinless:
        rule = "samples do not tell what coins that stay the same tell of a number that moves"
        remedy = "leave runs out, or audit it with fresh_keys"
        raise InvalidValue("fresh_keys", False, rule, remedy)


def adversaries_report(
    case: Case,
    adversaries: Sequence[Adversary],
    *,
    runs: Number,
    failure: float,
    seed: int,
    progress: Progress | None,
    executor: AnyExecutor | None,
) -> Report:
    """Audit one search without noise by measuring adversaries on runs.

    The verdict is a leak, or no leak found, which certifies nothing. Samples say nothing about
    which places stay possible in the worst case.

    Raises:
        InvalidValue: As `sample`.
        TooLarge: As `sample`.
    """
    problem = case.problem
    found = sample(
        case.strategy,
        adversaries,
        runs=runs,
        promise=Fraction(1) if case.worst_case else Fraction(1, problem.level),
        delta=problem.delta,
        failure=failure,
        prior=case.prior,
        problem=problem,
        scales=case.scales,
        seed=seed,
        executor=executor,
        progress=progress,
    )
    best = max(found.rates, key=lambda each: each.rate)
    surest = max(found.rates, key=lambda each: each.low)
    notes = ["samples can show a leak but never that there is none", *words.of_bins(case)]
    if problem.level == 1:
        notes += [words.NOTHING_HIDDEN]
    elif case.worst_case:
        notes += ["what stays possible in the worst case cannot be told from samples"]
        notes += words.averaging(case, best.rate)
    leak = (
        f"The adversary '{surest.name}' wins with probability at least {surest.low:.4g},"
        f" where 1/{problem.level} is promised; this is wrong with probability at most"
        f" {failure:g}."
    )
    privacy = "leaks" if found.leak else "no leak found"
    fitted = f", after {found.taught:,} others to fit adversaries on" if found.taught else ""
    return _report(
        case,
        exact=False,
        method=f"{found.runs:,} sampled runs{fitted}; the limits of all {len(found.rates)}"
        f" adversaries and {found.planned} looks hold together, except with probability"
        f" {failure:g}",
        private=False if found.leak else None,
        privacy="cannot be told from samples" if case.worst_case else privacy,
        successes=[best.rate],
        accuracy=Accuracy(found.accuracy, None if found.accuracy <= problem.epsilon else False),
        leak=leak if found.leak else "",
        limits=((best.low, best.high),),
        notes=tuple(notes),
        adversaries=found.rates,
    )
