"""What is claimed, and why, of several searches or of one that is half heard: no more than that.

A plan's own theorem is about one search, every question of it heard and no answer known. Whoever
hears less of that wins no more, and the same key asks the same again; of fresh keys, of a number
that moves and of known answers the theorem says nothing.
"""

from __future__ import annotations

from typing import Any

from feint.audit import explain
from feint.audit.sequence.course import Course
from feint.audit.sequence.hearing import ALL, NOTHING
from feint.audit.sequence.line import too_fine
from feint.audit.subject import Subject
from feint.planning import repeatable


def fields(subject: Subject, course: Course) -> dict[str, Any]:
    """The fields of a `Report` that do not depend on how it was audited, by name."""
    found = subject.fields()
    told = [each for each in found["assumptions"] if "overhears" not in each]
    right = [each for each in found["assumptions"] if "overhears" in each]
    if course.motion is not None:
        told = [each.replace("the number is", "at first the number is", 1) for each in told]
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
    return found | {
        "claim": _claim(subject, course),
        "theorem": _theorem(subject, course),
        "assumptions": (*right, *told),
    }


def condition(course: Course) -> str:
    """What a verdict is about, after "private" or "leaks": if she hears and knows this."""
    return f"if {_when(course)}she {_does(course)}"


def notes(subject: Subject, course: Course, *, private: bool | None) -> tuple[str, ...]:
    """What else must be said of several searches, of hearing less and of known answers."""
    found = []
    stays = course.motion is None and course.searches > 1
    if stays and (not course.fresh_keys or _coinless(subject)):
        found += [_as_before(subject, course)]
    elif stays and private is False and not subject.problem.noisy and course.knows == NOTHING:
        found += [
            "fresh keys toss fresh coins, and what they leave possible intersects: keep a number's"
            " key, or make a repeatable plan"
        ]
    if course.motion is not None and course.searches > 1:
        found += [
            "success is about the number as it is at the last search, the guess without listening"
            " about where it was at first"
        ]
        if any(too_fine(each, subject.problem.delta) for each in subject.scales or ()):
            found += ["for its moves, cells are taken as equally wide, as before rounding to ticks"]
    if course.hears != ALL and private is True:
        found += ["this is about her alone: whoever hears more may win with more"]
    if course.knows != NOTHING and private is False:
        found += ["answers that become known are not what the plan protects from: it hides them"]
    return tuple(found)


def _claim(subject: Subject, course: Course) -> str:
    last = "" if course.motion is None else " as it is at the last of them"
    who = f"whoever{_comma(_when(course))} {_does(course)}"
    if course.searches > 1 or course.knows != NOTHING:
        who += ","
    several = course.searches > 1
    return explain.claim(
        subject.problem,
        subject.domain,
        who=who,
        last=last,
        several=several,
        rounded=subject.rounded,
    )


def _theorem(subject: Subject, course: Course) -> str:
    """What the theorem of one search says of this course, if anything."""
    known = subject.theorem
    if not known or known.startswith("none"):
        return known
    one = f"{known}, for one search that is heard whole"
    if course.knows != NOTHING:
        return f"none for known answers: {one} with no answer known"
    if course.searches > 1 and course.motion is not None:
        return f"none for a number that moves: {one}"
    again = ""
    if course.searches > 1:
        if subject.problem.noisy or (course.fresh_keys and not _coinless(subject)):
            return f"none for several searches with fresh keys: {one}"
        why = "a plan without coins" if _coinless(subject) else "the same key"
        again = f"; {why} asks the same again"
    less = "" if course.hears == ALL else "; whoever hears less of it wins no more"
    return f"{one}{again}{less}"


def _as_before(subject: Subject, course: Course) -> str:
    """What asking the same again tells."""
    asks = "the same key asks the same questions again"
    if _coinless(subject):
        asks = "nothing but the number decides what this plan asks"
    if course.hears.random:
        return f"{asks}; what she missed she may hear the next time"
    return f"{asks}: asking again tells nothing new"


def _coinless(subject: Subject) -> bool:
    return not subject.problem.noisy and repeatable(subject.strategy)


def _when(course: Course) -> str:
    """In which searches, before what she does; empty where there is one."""
    if course.searches == 1:
        return ""
    keys = "a fresh key each" if course.fresh_keys else "the same key"
    moves = "" if course.motion is None else " for a number that moves"
    return f"in each of {course.searches} searches with {keys}{moves} "


def _does(course: Course) -> str:
    heard = f"hears {course.hears.words}"
    if course.knows == NOTHING:
        return heard
    return f"{heard} and knows the answers of {course.knows.words}"


def _comma(when: str) -> str:
    return f", {when.rstrip()}," if when else ""
