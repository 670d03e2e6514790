"""Findings in words: the claim, and counterexamples that a person can follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from feint.audit.exact import Exhibit, Miss
from feint.audit.report import percent
from feint.branches import Window, joined
from feint.exact import plain
from feint.interfaces import UNASKED
from feint.problem import Domain, Prior, Problem

_SHOWN = 12  # rounds, queries of one round, or pieces that are written out


def claim(
    problem: Problem,
    domain: Domain,
    *,
    who: str = "whoever overhears every question",
    last: str = "",
    several: bool = False,
    rounded: bool,
) -> str:
    """The promise of a problem, in words and in the user's units.

    Args:
        problem: What is promised.
        domain: The user's units.
        who: Of whom, as the subject of a sentence.
        last: Which number is meant, after "the number", where it moves.
        several: Whether it is about several searches, each with an estimate of its own.
        rounded: Whether questions are rounded to decimals, so that she may win a little more often.

    Returns:
        The promise; that it is kept is not said.
    """
    delta, epsilon = problem.delta * domain.width, problem.epsilon * domain.width
    estimate, each_time = ("each estimate", " each time") if several else ("the estimate", "")
    fine = f"{estimate} is within {plain(epsilon / 2)} of the number"
    if problem.values is not None:
        fine = f"the number is found exactly{each_time}"
    if problem.confidence is not None:
        fine += f" with probability {plain(problem.confidence)}"
    elif problem.noisy:
        fine = f"{estimate} is off by {plain(epsilon / 2)} at most, on average"
    if problem.setting == "deterministic":
        windows = "1 window" if problem.level == 1 else f"{problem.level} windows"
        return (
            f"{who} needs at least {windows} of length {plain(delta)} to cover where the"
            f" number{last} may be, whatever she hears; {fine}"
        )
    most = "1" if problem.level == 1 else f"1/{problem.level}"
    if rounded and problem.level > 1:
        most += ", and one part in a million more, since these questions are rounded to decimals"
        most += " (proofs/rounding.md)"
    return f"{who} {domain.wins(problem)}{last} with probability at most {most}; {fine}"


def assumptions(problem: Problem, laws: Sequence[Prior]) -> tuple[str, ...]:
    """What the audit takes for granted about answers, the number and coins."""
    answers = "answers are always right, and nobody overhears them"
    if problem.p is not None:
        answers = f"each answer is right with probability {plain(problem.p)}, independently of the"
        answers += " others, and nobody overhears them; all are right equally often: if some are"
        answers += " more reliable than others, she may win more often"
    drawn = "the number is uniform on the interval"
    if not all(each.uniform and not each.distance for each in laws):
        words = [
            f"{each.source}, {each.bins} bins" if each.source else f"{each.bins} bins"
            for each in laws
        ]
        drawn = f"the number is drawn by the prior given, {'; '.join(dict.fromkeys(words))}"
    if problem.values is not None:
        drawn = drawn.replace("uniform on the interval", "equally likely to be any of the values")
    if problem.setting == "deterministic":
        drawn = f"nothing about the number for the places left; for the averages, {drawn}"
    if problem.dim > 1:
        drawn += ", each coordinate independent of the others"
    return tuple(each for each in (answers, drawn, "coins are fair and secret") if each)


def leak(
    exhibits: Sequence[Exhibit],
    problem: Problem,
    domain: Domain,
    *,
    heard: Sequence[Sequence[str]] | None = None,
) -> str:
    """Why transcripts break the promise: the queries, and where X* must be after them.

    Args:
        exhibits: One transcript a coordinate.
        problem: What is promised.
        domain: The user's units.
        heard: What is heard and known of each coordinate, in lines; None: every question.

    Returns:
        Lines for a person; coordinates with equal transcripts are told together.
    """
    alike = dict[Exhibit, list[int]]()
    for coordinate, exhibit in enumerate(exhibits):
        alike.setdefault(exhibit, []).append(coordinate)
    lines, several = list[str](), len(exhibits) > 1
    for exhibit, axes in alike.items():
        about = f" about {_coordinates(axes)}" if several else ""
        lines += [f"{'and' if lines else 'Counterexample: she'} hears{about}"]
        if heard is None:
            lines += questions(exhibit.rounds, exhibit.cells, domain)
            lines += _remains(exhibit.pieces, domain)
        else:
            lines += heard[axes[0]]
            lines += _remains(exhibit.pieces, domain, now=True)
        lines += [_alone(exhibit, problem, domain)] if several else []
    worst_case = problem.setting == "deterministic"
    said = "promised" if heard is None else "claimed"  # the promise is about one search
    ending = _boxes if worst_case else _guesses
    return "\n".join([*lines, *ending(exhibits, problem, domain, said)])


def _boxes(exhibits: Sequence[Exhibit], problem: Problem, domain: Domain, said: str) -> list[str]:
    """How few windows cover all that is possible, all coordinates together."""
    covering = math.prod(each.covering for each in exhibits)
    length = plain(problem.delta * domain.width)
    one, many = "window of length", "windows of length"
    if len(exhibits) > 1:
        one, many = "box of side", "boxes of side"
    places = f"{covering} {many} {length} cover" if covering > 1 else f"one {one} {length} covers"
    return [f"so {places} all that is possible, where {problem.level} are {said}"]


def _guesses(exhibits: Sequence[Exhibit], problem: Problem, domain: Domain, said: str) -> list[str]:
    """How often the best guess wins, all coordinates together."""
    success = math.prod((each.window.probability for each in exhibits), start=Fraction(1))
    heard = math.prod((each.heard for each in exhibits), start=Fraction(1))
    guess = "these guesses together win"
    if len(exhibits) == 1:
        window = exhibits[0].window
        guess = f"the guess {_range(window.low, window.high, domain)} wins"
    return [
        f"so {guess} with probability {percent(success)}, where 1/{problem.level} is {said}",
        f"(this is heard with probability {percent(heard)})",
    ]


def _alone(exhibit: Exhibit, problem: Problem, domain: Domain) -> str:
    """What one coordinate's transcript tells of that coordinate."""
    if problem.setting == "deterministic":
        length = plain(problem.delta * domain.width)
        count = f"{exhibit.covering} windows" if exhibit.covering > 1 else "one window"
        return f"which {count} of length {length} can cover"
    window = exhibit.window
    guess = _range(window.low, window.high, domain)
    return f"where the guess {guess} wins with probability {percent(window.probability)}"


def _coordinates(axes: Sequence[int]) -> str:
    """Some coordinates, named."""
    if len(axes) == 1:
        return f"coordinate {axes[0]}"
    *most, last = map(str, axes)
    return f"coordinates {', '.join(most)} and {last} alike"


def missed(miss: Miss, cells: int, problem: Problem, domain: Domain, *, where: str = "") -> str:
    """Where the worst error happens, and how large it is; `where` names the coordinate."""
    half = plain(problem.epsilon * domain.width / 2)
    return "\n".join(
        [
            f"Inaccurate{where}: with the number {_range(miss.low, miss.high, domain)} she asks",
            *questions(miss.rounds, cells, domain),
            f"and says {plain(domain.low + domain.width * miss.estimate)}: off by up to"
            f" {plain(miss.error * domain.width)}, where {half} is promised",
        ]
    )


def questions(rounds: Sequence[Sequence[int]], cells: int, domain: Domain) -> list[str]:
    """A transcript, one round a line, in the user's units."""
    return shortened(
        [
            f"  round {number}: {points([(point, None) for point in each], cells, domain)}"
            for number, each in enumerate(rounds, 1)
        ],
        "rounds",
    )


def shortened(lines: Sequence[str], what: str = "lines") -> list[str]:
    """Some lines, or the first and the last of many."""
    if len(lines) <= _SHOWN:
        return list(lines)
    half = _SHOWN // 2
    return [*lines[:half], f"  ... {len(lines) - _SHOWN} {what} more ...", *lines[-half:]]


def points(words: Sequence[tuple[int | None, bool | None]], cells: int, domain: Domain) -> str:
    """Questions of one round, in the user's units, each with its answer where that is known.

    Args:
        words: The boundary asked about, None where it was not heard, and the answer, None where it
            is not known.
        cells: The size of the lattice.
        domain: The user's units.

    Returns:
        They with commas between.
    """
    shown = [_word(point, answer, cells, domain) for point, answer in words[:_SHOWN]]
    more = [f"... {len(words) - _SHOWN} more"] if len(words) > _SHOWN else []
    return ", ".join(shown + more)


def averaging(problem: Problem, success: str) -> str:
    """What to say where a deterministic plan's promise is no protection when X* is random."""
    return (
        f"the promise is about what is possible, not what is likely. An eavesdropper who may"
        f" average over the number wins with probability {success}, more than 1/{problem.level}:"
        f" against her this plan does not protect; use the Bayesian setting if that matters"
    )


_FAR = Fraction(1, 10**4)  # a distance that shows in figures of four decimals
NOTHING_HIDDEN = "at level 1 nothing is promised, so there was nothing to hide"


def of_bins(distance: Fraction, *, missed: bool = False) -> tuple[str, ...]:
    """Say that sampled figures are those of the bins, if a prior is far from them.

    Args:
        distance: How far the bins are from the distributions as stated, at most.
        missed: Whether runs that missed are among the figures.
    """
    if distance < _FAR:
        return ()
    also = ", and runs may miss as much more often" if missed else ""
    return (
        "the number was drawn from the bins of the prior: under the distribution as stated she may"
        f" win {float(distance):.4f} more often{also}",
    )


def worst_case(covering: int, level: int) -> str:
    """The deterministic promise, or its breach, as a statement about estimators."""
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
        f" wherever the number is"
    )


def _word(point: int | None, answer: bool | None, cells: int, domain: Domain) -> str:
    words = "(not heard)"
    if point is not None:
        words = "(nothing)" if point == UNASKED else plain(domain.at(point, cells))
    return words if answer is None else f"{words} (answer: {'yes' if answer else 'no'})"


def _remains(pieces: Sequence[Window], domain: Domain, *, now: bool = False) -> list[str]:
    """Where X* may be; `now`: after more or less than the questions of one search."""
    pieces = pieces if len(pieces) <= _SHOWN else joined(pieces)
    lines = [
        f"Given {'all this, the number now' if now else 'these questions, the number'} can only be"
    ]
    lines += [
        f"  {_range(piece.low, piece.high, domain)} with probability {percent(piece.probability)}"
        for piece in pieces[:_SHOWN]
    ]
    if len(pieces) > _SHOWN:
        lines += [f"  or in one of {len(pieces) - _SHOWN} more pieces"]
    other = "something of it" if now else "some question"
    return [*lines, f"(from anywhere else, {other} would have been another)"]


def _range(low: Fraction, high: Fraction, domain: Domain) -> str:
    """A stretch of the interval; with a step, the values in it."""
    begin, end = (domain.low + domain.width * share for share in (low, high))
    if domain.step is not None and begin + domain.step == end:
        return f"at {plain(begin)}"
    end -= domain.step or 0
    return f"from {plain(begin)} to {plain(end)}"
