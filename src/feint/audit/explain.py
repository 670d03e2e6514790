"""Describe counterexamples: the questions heard, and where the number must then be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from feint.audit.exact import Miss
from feint.audit.outcomes import Word
from feint.audit.report import percent
from feint.audit.tally import Exhibit, Search
from feint.branches import Window, joined
from feint.exact import plain
from feint.interfaces import UNASKED
from feint.problem import Domain, Problem

_SHOWN = 12  # the most rounds, queries of a round, or pieces to list


def leak(
    exhibits: Sequence[Exhibit], problem: Problem, domain: Domain, *, once: bool = True
) -> str:
    """Explain a broken promise: the queries heard, and where X* must be after them.

    Args:
        exhibits: One per coordinate.
        problem: The promise.
        domain: The user's units.
        once: True if the promise is about the questions of a single search.

    Returns:
        Lines of text; coordinates with equal exhibits are combined.
    """
    alike = dict[Exhibit, list[int]]()
    for coordinate, exhibit in enumerate(exhibits):
        alike.setdefault(exhibit, []).append(coordinate)
    lines, several = list[str](), len(exhibits) > 1
    for exhibit, axes in alike.items():
        about = f" about {_coordinates(axes)}" if several else ""
        lines += [f"{'and' if lines else 'Counterexample: she'} hears{about}"]
        lines += _heard(exhibit, domain)
        lines += _remains(exhibit.pieces, domain, once=once)
        lines += [_alone(exhibit, problem, domain)] if several else []
    worst_case = problem.setting == "deterministic"
    said = "promised" if once else "claimed"
    ending = _boxes if worst_case else _guesses
    return "\n".join([*lines, *ending(exhibits, problem, domain, said)])


def _heard(exhibit: Exhibit, domain: Domain) -> list[str]:
    """Return lines for the questions heard and answers known in every search."""
    lines, several = list[str](), len(exhibit.searches) > 1
    for number, search in enumerate(exhibit.searches, 1):
        where = f"in search {number}, " if several else ""
        lines += _rounds(search, exhibit.cells, domain, where) or [f"  {where}nothing"]
    return _shortened(lines, "lines" if several else "rounds")


def _rounds(search: Search, cells: int, domain: Domain, where: str = "") -> list[str]:
    """Return a line per round of one search; silent rounds are omitted."""
    return [
        f"  {where}round {turn}: {_points(words, cells, domain)}"
        for turn, words in enumerate(search, 1)
        if any(word != Word(None, None) for word in words)
    ]


def _boxes(exhibits: Sequence[Exhibit], problem: Problem, domain: Domain, said: str) -> list[str]:
    """Return the line that counts the windows that cover all possible places."""
    covering = math.prod(each.covering for each in exhibits)
    length = plain(problem.delta * domain.width)
    one, many = "window of length", "windows of length"
    if len(exhibits) > 1:
        one, many = "box of side", "boxes of side"
    places = f"{covering} {many} {length} cover" if covering > 1 else f"one {one} {length} covers"
    return [f"so {places} all that is possible, where {problem.level} are {said}"]


def _guesses(exhibits: Sequence[Exhibit], problem: Problem, domain: Domain, said: str) -> list[str]:
    """Return the line with the success of the best guess."""
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
    """Return the line about one coordinate's transcript."""
    if problem.setting == "deterministic":
        length = plain(problem.delta * domain.width)
        count = f"{exhibit.covering} windows" if exhibit.covering > 1 else "one window"
        return f"which {count} of length {length} can cover"
    window = exhibit.window
    guess = _range(window.low, window.high, domain)
    return f"where the guess {guess} wins with probability {percent(window.probability)}"


def _coordinates(axes: Sequence[int]) -> str:
    """Return the names of some coordinates."""
    if len(axes) == 1:
        return f"coordinate {axes[0]}"
    *most, last = map(str, axes)
    return f"coordinates {', '.join(most)} and {last} alike"


def missed(miss: Miss, cells: int, problem: Problem, domain: Domain, *, where: str = "") -> str:
    """Explain the place and size of the worst error; `where` names the coordinate."""
    half = plain(problem.epsilon * domain.width / 2)
    asked = tuple(tuple(Word(point, None) for point in each) for each in miss.rounds)
    return "\n".join(
        [
            f"Inaccurate{where}: with the number {_range(miss.low, miss.high, domain)} she asks",
            *_shortened(_rounds(asked, cells, domain), "rounds"),
            f"and says {plain(domain.low + domain.width * miss.estimate)}: off by up to"
            f" {plain(miss.error * domain.width)}, where {half} is promised",
        ]
    )


def _shortened(lines: Sequence[str], what: str) -> list[str]:
    """Return all lines, or the first and the last of many."""
    if len(lines) <= _SHOWN:
        return list(lines)
    half = _SHOWN // 2
    return [*lines[:half], f"  ... {len(lines) - _SHOWN} {what} more ...", *lines[-half:]]


def _points(words: Sequence[Word], cells: int, domain: Domain) -> str:
    """Return the questions of a round in the user's units, with their known answers."""
    shown = [_word(*word, cells, domain) for word in words[:_SHOWN]]
    more = [f"... {len(words) - _SHOWN} more"] if len(words) > _SHOWN else []
    return ", ".join(shown + more)


def _word(point: int | None, answer: bool | None, cells: int, domain: Domain) -> str:
    words = "(not heard)"
    if point is not None:
        words = "(nothing)" if point == UNASKED else plain(domain.line(cells).at(point))
    return words if answer is None else f"{words} (answer: {'yes' if answer else 'no'})"


def _remains(pieces: Sequence[Window], domain: Domain, *, once: bool) -> list[str]:
    """Return the line with the possible places of X*, after one search or several."""
    pieces = pieces if len(pieces) <= _SHOWN else joined(pieces)
    given = "these questions, the number" if once else "all this, the number now"
    lines = [f"Given {given} can only be"]
    lines += [
        f"  {_range(piece.low, piece.high, domain)} with probability {percent(piece.probability)}"
        for piece in pieces[:_SHOWN]
    ]
    if len(pieces) > _SHOWN:
        lines += [f"  or in one of {len(pieces) - _SHOWN} more pieces"]
    other = "some question" if once else "something"
    return [*lines, f"(for any other number, {other} would have been different)"]


def _range(low: Fraction, high: Fraction, domain: Domain) -> str:
    """Return an interval as text; with a step, the values in it."""
    begin, end = (domain.low + domain.width * share for share in (low, high))
    if domain.step is not None and begin + domain.step == end:
        return f"at {plain(begin)}"
    end -= domain.step or 0
    return f"from {plain(begin)} to {plain(end)}"
