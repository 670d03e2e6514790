"""The report of several searches, or of one that is half heard: exact figures, and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from feint.audit import explain
from feint.audit.exact import Exhibit, coordinates
from feint.audit.noisy import RUNS, beliefs_of, errors
from feint.audit.report import Report
from feint.audit.sequence.course import Course
from feint.audit.sequence.exact import Overheard, Step, follow
from feint.audit.sequence.line import Line
from feint.audit.sequence.outcomes import Ear, Word
from feint.audit.sequence.words import condition, fields, notes
from feint.audit.subject import Subject, of_coordinate
from feint.audit.verdicts import exact_notes, exact_report, inaccuracy, kept_words, measured
from feint.errors import TooLarge
from feint.interfaces import UNASKED, Progress, Strategy
from feint.problem import UNIFORM


def sequence_report(
    subject: Subject,
    course: Course,
    *,
    limit: int,
    progress: Progress | None,
) -> Report:
    """Audit several searches, or who hears what of one, by walking every branch.

    Coordinates move and are searched independently, so successes and covering numbers multiply.

    Args:
        subject: A noiseless strategy and its promise.
        course: How often it is searched, how the number moves, and who hears what.
        limit: The number of branches of one coordinate beyond which to refuse.
        progress: Told how far each coordinate is.

    Returns:
        The report; its verdict, on the last search, is certain.

    Raises:
        TooLarge: There are too many branches, keys, or posteriors.
        InvalidValue: The strategy breaks its contract, or an argument does not fit it.
    """
    if course.as_once:
        return _once(subject, course, limit=limit, progress=progress)
    problem, parts = subject.problem, coordinates(subject.strategy)
    ears = Ear.of(course.hears, course.knows, subject.strategy)
    found = _followed(subject, course, ears, limit, progress)
    flat = found
    if subject.worst_case and not subject.uniform:  # what is possible has no prior
        plain = (UNIFORM,) * len(subject.prior)
        flat = _followed(replace(subject, prior=plain), course, ears, limit, progress)
    successes = tuple(
        math.prod((step.success for step in steps), start=Fraction(1))
        for steps in zip(*found, strict=True)
    )
    covering = math.prod(steps[-1].covering for steps in flat)
    private = subject.keeps(successes[-1])
    if subject.worst_case:
        private = covering >= problem.level
    seen = _accuracy(subject, parts, ears, limit, progress)
    last = [steps[-1] for steps in (flat if subject.worst_case else found)]
    shown = [each.narrowest if subject.worst_case else each.telling for each in last]
    exhibits = [exhibit(each) for each in shown]
    told = [_lines(each, subject) for each in shown]
    unsaid = private or subject.unsure(successes[-1])
    leak = "" if unsaid else explain.leak(exhibits, problem, subject.domain, heard=told)
    return Report(
        **fields(subject, course),
        method=_method(course, ears, len(parts)),
        exact=True,
        accuracy=seen.width,
        adversary_success=successes[-1],
        successes=successes if course.searches > 1 else (),
        covering_number=covering,
        private=private,
        accurate=seen.kept,
        verdict=_verdict(course, kept_words(subject, successes[-1], private=private), seen.kept),
        counterexample="\n".join(filter(None, (leak, seen.case))),
        notes=(
            *exact_notes(subject, successes[-1], covering),
            *seen.notes,
            *notes(subject, course, private=private),
        ),
        exhibits=tuple(exhibits),
    )


def _once(subject: Subject, course: Course, *, limit: int, progress: Progress | None) -> Report:
    """The report of searches that all ask the same: as that of one, on any lattice it reaches."""
    found = exact_report(subject, limit=limit, lemmas=False, progress=progress)
    private, accurate = found.private is True, found.accurate
    success = () if found.adversary_success is None else (found.adversary_success,)
    kept = kept_words(subject, max(success, default=Fraction(1)), private=private)
    return replace(
        found,
        **fields(subject, course),
        method=f"{found.method}; the same key asks the same in every search",
        successes=success * course.searches,
        verdict=_verdict(course, kept, accurate),
        notes=(*found.notes, *notes(subject, course, private=private)),
    )


class _Seen(NamedTuple):
    """How near the estimate comes.

    Attributes:
        width: Twice the worst error.
        kept: Whether that is at most ε; None where it was sampled and not found to be more.
        case: For a broken promise, a case that a person can follow.
        notes: What else must be said of it.
    """

    width: Fraction
    kept: bool | None
    case: str = ""
    notes: tuple[str, ...] = ()


def _accuracy(
    subject: Subject,
    parts: Sequence[Strategy],
    ears: Sequence[Ear],
    limit: int,
    progress: Progress | None,
) -> _Seen:
    """The accuracy of one search, exactly; where nothing is heard and it is too large, sampled.

    Raises:
        TooLarge: There are too many branches, and something is heard.
    """
    try:
        once = measured(subject, parts, limit, progress)
    except TooLarge:
        if not all(ear.deaf for ear in ears):
            raise
        width, kept = sampled_accuracy(subject, RUNS, 0)
        rule = "too many branches to walk for the accuracy"
        return _Seen(width, kept, notes=(f"{rule}: it is the worst of {RUNS:,} sampled runs",))
    worst = max(each.accuracy for each in once)
    kept = worst <= subject.problem.epsilon
    return _Seen(worst, kept, "" if kept else inaccuracy(subject, once))


def sampled_accuracy(subject: Subject, runs: int, seed: int) -> tuple[Fraction, bool | None]:
    """Twice the worst error of fresh noiseless runs, and False where that breaks the promise."""
    believed = beliefs_of(subject, coordinates(subject.strategy))
    found = errors(subject.strategy, subject.problem, runs, seed, believed)
    worst = Fraction(f"{2 * float(found.max()):.6g}")
    return worst, False if worst > subject.problem.epsilon * (1 + Fraction(1, 10**5)) else None


def _verdict(course: Course, kept: str, accurate: bool | None) -> str:
    verdict = f"{kept} {condition(course)}"
    return f"{verdict}; inaccurate" if accurate is False else verdict


def exhibit(shown: Overheard) -> Exhibit:
    """What is heard as one transcript, all searches after one another."""
    rounds = [[_point(word) for word in each] for search in shown.searches for each in search]
    return Exhibit(
        rounds=tuple(map(tuple, rounds)),
        cells=shown.cells,
        heard=shown.heard,
        window=shown.window,
        pieces=shown.pieces,
        covering=shown.covering,
    )


def _followed(
    subject: Subject,
    course: Course,
    ears: Sequence[Ear],
    limit: int,
    progress: Progress | None,
) -> list[list[Step]]:
    """The steps of every coordinate; those that are heard alike are followed once."""
    parts, known = coordinates(subject.strategy), dict[tuple[object, ...], list[Step]]()
    found = []
    for index, (each, ear) in enumerate(zip(parts, ears, strict=True)):
        scale = None if subject.scales is None else subject.scales[index]
        law = subject.prior[index]
        key = (id(each), scale, law, ear.hears.tobytes(), ear.knows.tobytes())
        if key not in known:
            tell = of_coordinate(progress, index, len(parts))
            moving = course.motion is not None
            line = Line.of(subject, each, scale, moving=moving, index=index)
            known[key] = follow(each, line, ear, course, limit=limit, progress=tell)
        found.append(known[key])
    return found


def _method(course: Course, ears: Sequence[Ear], parts: int) -> str:
    if all(ear.deaf for ear in ears):
        return "nothing is heard and nothing known: the best guess without listening, exactly"
    words = "every branch walked, exactly"
    if course.searches > 1:
        words += f", and every sequence of {course.searches} of them"
    return words if parts == 1 else f"{words}, coordinate by coordinate"


def _point(word: Word) -> int:
    return UNASKED if word.point is None else word.point


def _lines(shown: Overheard, subject: Subject) -> list[str]:
    """What is heard and known, one round a line; rounds of which nothing is are left out."""
    lines, several = list[str](), len(shown.searches) > 1
    for number, search in enumerate(shown.searches, 1):
        where = f"in search {number}, " if several else ""
        told = [
            f"  {where}round {turn}: {explain.points(words, shown.cells, subject.domain)}"
            for turn, words in enumerate(search, 1)
            if any(word != Word(None, None) for word in words)
        ]
        lines += told or [f"  {where}nothing"]
    return explain.shortened(lines)
