"""Write the sentences of a report: the claim, its theorem, assumptions, the verdict, notes.

A plan's own theorem is about one search, with every question heard and no answer known. It also
covers an eavesdropper who hears less, and the same key again. It does not cover fresh keys, a
number that moves, or known answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from feint.audit.case import Case, Course
from feint.audit.hearing import ALL, NOTHING
from feint.audit.report import percent
from feint.exact import plain
from feint.problem import Domain, Prior, Problem, Responses

# times the promise: a plan without slack may have a mean up to this, by sampling error
_ABOVE = 1.05
_FAR = Fraction(1, 10**4)  # a distance that is visible in figures of four decimals
NOTHING_HIDDEN = "at level 1 nothing is promised, so there was nothing to hide"
HELPED = (
    "in {:,} transcripts too many histories fitted what she overheard. There she was told more, so"
    " her success is an upper bound; the lower end counts these transcripts as lost"
)


def claim(case: Case) -> str:
    """Return the guarantee of the case in words, without saying whether it holds."""
    problem, domain, course = case.problem, case.domain, case.course
    who = f"an eavesdropper who {_does(course)}"
    last = "" if course.motion is None else " as it is at the last of them"
    delta, near = problem.delta * domain.width, _near(problem, domain, several=course.searches > 1)
    if case.worst_case:
        windows = "1 window" if problem.level == 1 else f"{problem.level} windows"
        return (
            f"{who} needs at least {windows} of length {plain(delta)} to cover where the"
            f" number{last} may be, no matter what she hears; {near}"
        )
    most = "1" if problem.level == 1 else f"1/{problem.level}"
    if case.rounded and problem.level > 1:
        most += ", and one part in a million more, since these questions are rounded to decimals"
        most += " (proofs/rounding.md)"
    return f"{who} {domain.wins(problem)}{last} with probability at most {most}; {near}"


def _near(problem: Problem, domain: Domain, *, several: bool) -> str:
    """Return the promised accuracy of the estimate, or of each estimate of several searches."""
    half = plain(problem.epsilon * domain.width / 2)
    estimate, each_time = ("each estimate", " each time") if several else ("the estimate", "")
    if problem.noisy and problem.confidence is None:
        return f"{estimate} is off by {half} at most, on average"
    near = f"{estimate} is within {half} of the number"
    if problem.values is not None:
        near = f"the number is found exactly{each_time}"
    if problem.confidence is not None:
        near += f" with probability {plain(problem.confidence)}"
    return near


def assumptions(case: Case) -> tuple[str, ...]:
    """Return the assumptions of the audit about answers, the number, coins and searches."""
    problem, course = case.problem, case.course
    unheard = "" if course.knows != NOTHING else ", and nobody overhears them"
    said = [f"answers are always right{unheard}"]
    if isinstance(problem.noise, Responses):
        said = [
            "each answer is yes with a probability that depends on how far the question is from the"
            f" number, {case.domain.says(problem)}, independently of the others{unheard}"
        ]
    elif problem.noise is not None:
        said = [
            f"each answer is right with probability {problem.noise.words}, independently of the"
            f" others{unheard}; all are right equally often: if some are more reliable than"
            " others, she may win more often"
        ]
    if course.knows != NOTHING:
        said += [f"she knows the answers of {course.knows.words}"]
    if course.hears != ALL:
        said += [f"she hears {course.hears.words}"]
    said += [_drawn(problem, case.prior, moves=course.motion is not None)]
    said += ["coins are fair and secret"]
    if course.searches > 1:
        keys = "each time with a fresh key" if course.fresh_keys else "each time with the same key"
        moves = "it stays where it is"
        if course.motion is not None:
            moves = f"{course.motion.words}, and never leaves the range"
        said += [f"the number is searched for {course.searches} times, {keys}"]
        said += [f"between two searches {moves}"]
    return tuple(said)


def _drawn(problem: Problem, laws: Sequence[Prior], *, moves: bool) -> str:
    """Return the assumed distribution of the number."""
    drawn = f"{'at first ' if moves else ''}the number is"
    if not all(each.uniform and not each.distance for each in laws):
        words = [
            f"{each.source}, {each.bins} bins" if each.source else f"{each.bins} bins"
            for each in laws
        ]
        drawn += f" drawn from the given prior, {'; '.join(dict.fromkeys(words))}"
    elif problem.values is not None:
        drawn += " equally likely to be any of the values"
    else:
        drawn += " uniform on the interval"
    if problem.setting == "deterministic":
        drawn = f"nothing about the number for the places left; for the averages, {drawn}"
    return drawn if problem.dim == 1 else f"{drawn}, each coordinate independent of the others"


def theorem(case: Case) -> str:
    """Return what the theorem of one search implies for the course, if anything."""
    known, course = case.theorem, case.course
    if not known or known.startswith("none") or course.is_single:
        return known
    one = f"{known}, for one search that is heard in full"
    if course.knows != NOTHING:
        return f"none for known answers: {one} with no answer known"
    if course.motion is not None:
        return f"none for a number that moves: {one}"
    again = ""
    if course.searches > 1:
        if case.problem.noisy or (course.fresh_keys and not case.coinless):
            return f"none for several searches with fresh keys: {one}"
        why = "a plan without coins" if case.coinless else "the same key"
        again = f"; {why} asks the same again"
    less = "" if course.hears == ALL else "; an eavesdropper who hears less wins no more often"
    return f"{one}{again}{less}"


def exact_privacy(case: Case, success: Fraction, *, private: bool) -> str:
    """Return whether the guarantee holds, and whether only up to the error of rounding."""
    if private:
        return "private to one part in a million" if case.excused(success) else "private"
    return "not shown to be private" if case.holds_only_binned(success) else "leaks"


def sampled_privacy(leaks: bool, ratio: float) -> str:
    """Return the verdict of samples. `ratio` is the mean success divided by the promised limit."""
    if not leaks and ratio > _ABOVE:
        return "cannot be told from these transcripts"
    return "leaks" if leaks else "no leak found"


def verdict(case: Case, kept: str, private: bool | None, accurate: bool | None) -> str:
    """Return the verdict on privacy against what she hears, and on accuracy.

    Args:
        case: The audited case.
        kept: Whether the guarantee of privacy holds, in a few words.
        private: The same, if it is known.
        accurate: Whether the estimate is accurate; None: no sample contradicts it.
    """
    if case.course.is_single:
        return f"{kept}, {'but' if private else 'and'} inaccurate" if accurate is False else kept
    if private is not None or not case.worst_case:
        kept = f"{kept} if she {_does(case.course)}"
    return f"{kept}; inaccurate" if accurate is False else kept


def exact_notes(case: Case, success: Fraction, covering: int) -> tuple[str, ...]:
    """Return the notes about exact figures."""
    level = case.problem.level
    if level == 1:
        return (NOTHING_HIDDEN,)
    if case.worst_case:
        return (_estimators(covering, level), *averaging(case, success))
    if case.holds_only_binned(success):
        most = percent(min(Fraction(1), success + case.distance))
        return (
            f"she wins with probability {percent(success)} in the prior's bins, and with up to"
            f" {most} under the prior as stated, which is more than is promised: use more bins, or"
            " narrow the range",
        )
    if case.excused(success):
        return (
            f"her success is above 1/{level} by less than one part in a million, which rounding"
            " these questions to decimals may add (proofs/rounding.md)",
        )
    if not case.uniform and case.blind * level > 1:
        return (
            f"with this prior a guess without listening already wins with probability"
            f" {percent(case.blind)}: no plan can keep the promise",
        )
    return ()


def _estimators(covering: int, level: int) -> str:
    """Restate the deterministic guarantee, or its violation, in terms of estimators."""
    if covering >= level:
        return (
            f"equivalently, no estimator, random ones included, wins with probability above"
            f" 1/{level} at every point that is possible; the best can do 1/{covering}"
        )
    how = "naming that window, she always wins"
    if covering > 1:
        how = f"drawing one of the {covering} windows, she wins with probability 1/{covering}"
    return (
        f"equivalently, an estimator beats 1/{level} at every point that is possible: {how},"
        f" for any number"
    )


def averaging(case: Case, success: Fraction) -> tuple[str, ...]:
    """Return a note if a deterministic plan's guarantee does not protect a random X*."""
    if success * case.problem.level <= 1:
        return ()
    return (
        f"the promise is about what is possible, not what is likely. An eavesdropper who may"
        f" average over the number wins with probability {percent(success)}, more than"
        f" 1/{case.problem.level}: against her this plan does not protect; use the Bayesian setting"
        " if that matters",
    )


def of_bins(case: Case) -> tuple[str, ...]:
    """Return a note that sampled figures are for the bins, if these are far from the prior."""
    if case.distance < _FAR:
        return ()
    also = ", and runs may miss as much more often" if case.problem.noisy else ""
    return (
        "the number was drawn from the bins of the prior: under the distribution as stated she may"
        f" win {float(case.distance):.4f} more often{also}",
    )


def course_notes(case: Case, private: bool | None) -> tuple[str, ...]:
    """Return the notes about several searches, hearing less and known answers."""
    course, found = case.course, []
    stays = course.motion is None and course.searches > 1
    if stays and (not course.fresh_keys or case.coinless):
        found += [_as_before(case)]
    elif stays and private is False and not case.problem.noisy and course.knows == NOTHING:
        found += [
            "fresh keys toss fresh coins, and the number lies in what all of them leave possible:"
            " keep a number's key, or make a repeatable plan"
        ]
    if course.motion is not None:
        found += [
            "success is for the number as it is at the last search; the guess without listening is"
            " for where it was at first"
        ]
        if case.takes_cells_as_equal:
            found += ["for its moves, cells are taken as equally wide, as before rounding to ticks"]
    if course.hears != ALL and private is True:
        found += ["this is about her alone: an eavesdropper who hears more may win more often"]
    if course.knows != NOTHING and private is False:
        found += ["the plan hides answers; it does not protect the number if they become known"]
    return tuple(found)


def _as_before(case: Case) -> str:
    """Return what she learns if the same search is asked again."""
    asks = "the same key asks the same questions again"
    if case.coinless:
        asks = "nothing but the number decides what this plan asks"
    if case.course.hears.random:
        return f"{asks}; she may hear the next time what she missed"
    return f"{asks}: asking again tells nothing new"


def _does(course: Course) -> str:
    """Return the clause that follows "she": what she hears and knows, and in which searches."""
    does = f"hears {course.hears.words}"
    if course.knows != NOTHING:
        does += f" and knows the answers of {course.knows.words}"
    if course.searches > 1:
        keys = "a fresh key each" if course.fresh_keys else "the same key"
        moves = "" if course.motion is None else " for a number that moves"
        does += f" in each of {course.searches} searches with {keys}{moves}"
    return does
