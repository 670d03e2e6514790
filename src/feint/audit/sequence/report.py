"""The report of several searches, or of one that is half heard: exact figures, and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from feint.audit import explain
from feint.audit.exact import Exhibit, coordinates
from feint.audit.report import Report
from feint.audit.sequence.course import Course
from feint.audit.sequence.exact import Overheard, Step, follow
from feint.audit.sequence.hearing import ALL, NOTHING
from feint.audit.sequence.line import Line, too_fine
from feint.audit.sequence.outcomes import Ear, Word
from feint.audit.subject import Subject, of_coordinate
from feint.audit.verdicts import exact_verdict, measured
from feint.branches import UNIFORM
from feint.interfaces import UNASKED, Progress
from feint.planning import repeatable, rounding


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
    problem, parts = subject.problem, coordinates(subject.strategy)
    ears = Ear.of(course.hears, course.knows, subject.strategy)
    found = _followed(subject, course, ears, limit, progress)
    flat = found
    if subject.worst_case and not subject.uniform:  # what is possible has no prior
        plain = (UNIFORM,) * len(subject.prior)
        flat = _followed(replace(subject, prior=plain), course, ears, limit, progress)
    once = measured(subject, parts, limit, progress)
    successes = tuple(
        math.prod((step.success for step in steps), start=Fraction(1))
        for steps in zip(*found, strict=True)
    )
    covering = math.prod(steps[-1].covering for steps in flat)
    worst = max(each.accuracy for each in once)
    private = successes[-1] * problem.level <= 1 + rounding(subject.scales)
    if subject.worst_case:
        private = covering >= problem.level
    accurate = worst <= problem.epsilon
    last = [steps[-1] for steps in (flat if subject.worst_case else found)]
    shown = [each.narrowest if subject.worst_case else each.telling for each in last]
    exhibits = [exhibit(each) for each in shown]
    return Report(
        **fields(subject, course),
        method=_method(course, len(parts)),
        exact=True,
        accuracy=worst,
        adversary_success=successes[-1],
        successes=successes if course.searches > 1 else (),
        covering_number=covering,
        private=private,
        accurate=accurate,
        verdict=exact_verdict(private, accurate),
        counterexample=""
        if private
        else explain.leak(
            exhibits, problem, subject.domain, heard=[_lines(each, subject) for each in shown]
        ),
        notes=notes(subject, course, private=private),
        exhibits=tuple(exhibits),
    )


def fields(subject: Subject, course: Course) -> dict[str, Any]:
    """The fields of a `Report` that do not depend on how it was audited, by name."""
    found = subject.fields()
    told = [each for each in found["assumptions"] if "overhears" not in each]
    right = [each for each in found["assumptions"] if "overhears" in each]
    if course.knows != NOTHING:
        right = [each.split(", and nobody overhears them")[0] for each in right]
        right += [f"she knows the answers of {course.knows.words}"]
    if course.hears != ALL:
        right += [f"she hears {course.hears.words}"]
    if course.searches > 1:
        keys = "each time with a fresh key" if course.fresh_keys else "each time with the same key"
        told += [f"the number is searched for {course.searches} times, {keys}"]
        told += [
            "between two searches it stays where it is"
            if course.motion is None
            else f"between two searches {course.motion.words}, and never leaves the range"
        ]
    return found | {"assumptions": (*right, *told)}


def notes(subject: Subject, course: Course, *, private: bool | None) -> tuple[str, ...]:
    """What else must be said of several searches, and of known answers."""
    found = []
    stays = course.motion is None and course.searches > 1
    certain = not subject.problem.noisy and repeatable(subject.strategy)
    if stays and certain:
        found += ["nothing but the number decides what this plan asks: asking again tells nothing"]
    elif stays and not course.fresh_keys:
        found += ["the same key asks the same questions again, which tells nothing new"]
    elif stays and private is False and not subject.problem.noisy:
        found += [
            "fresh keys toss fresh coins, and what they leave possible intersects: keep a number's"
            " key, or make a repeatable plan"
        ]
    if course.motion is not None and course.searches > 1:
        found += ["success is about the number as it is at the last search"]
        if any(too_fine(each, subject.problem.delta) for each in subject.scales or ()):
            found += ["for its moves, cells are taken as equally wide, as before rounding to ticks"]
    if course.knows != NOTHING and private is False:
        found += ["answers that become known are not what the plan protects from: it hides them"]
    return tuple(found)


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


def _method(course: Course, parts: int) -> str:
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
