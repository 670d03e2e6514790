"""Several searches for one number, or one half heard, audited exactly: one coordinate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.audit.sequence.beliefs import Beliefs
from feint.audit.sequence.course import Course
from feint.audit.sequence.keys import keyed
from feint.audit.sequence.line import Line
from feint.audit.sequence.outcomes import Ear, Outcomes, Word, outcomes, silence, walked
from feint.branches import Window
from feint.interfaces import Progress, Strategy


@dataclass(frozen=True, kw_only=True)
class Overheard:
    """What is heard of one coordinate in all searches, and what it tells.

    Attributes:
        searches: For each search and each of its rounds, a word a question.
        cells: The size of the lattice that points are boundaries of, or the number of places.
        heard: The probability of hearing this, or something that tells the same.
        window: The best guess she can make: a window of length δ.
        pieces: Where the number may be now, each piece with its probability.
        covering: The fewest windows of length δ that cover the pieces.
    """

    searches: tuple[tuple[tuple[Word, ...], ...], ...]
    cells: int
    heard: Fraction
    window: Window
    pieces: tuple[Window, ...]
    covering: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """What she can do after some searches.

    Attributes:
        success: What the best eavesdropper wins with, of the number as it is at the last of them.
        covering: The fewest windows of length δ that cover all that is possible.
        beliefs: The number of posteriors that can arise.
        telling: What is heard where she is surest.
        narrowest: What is heard where the fewest windows cover all that is possible.
    """

    success: Fraction
    covering: int
    beliefs: int
    telling: Overheard
    narrowest: Overheard


def follow(
    strategy: Strategy,
    line: Line,
    ear: Ear,
    course: Course,
    *,
    limit: int,
    progress: Progress | None = None,
) -> list[Step]:
    """What the best eavesdropper can do after one search, after two, and so on.

    Args:
        strategy: A noiseless search of one coordinate.
        line: Where it searches.
        ear: Who listens.
        course: How often it is searched, and how the number moves.
        limit: The number of branches beyond which to refuse.
        progress: Told the searches done and the searches wanted.

    Returns:
        One step a search, exact.

    Raises:
        TooLarge: There are too many branches, keys, or posteriors.
        InvalidValue: Moves are shorter than a cell or longer than the range.
    """
    found: list[Step] = []
    for step in _steps(strategy, line, ear, course, limit):
        found.append(step)
        if progress is not None:
            progress("searches", len(found), course.searches)
    return found


def _steps(strategy: Strategy, line: Line, ear: Ear, course: Course, limit: int) -> Iterator[Step]:
    moving = course.motion is not None and course.searches > 1
    if ear.deaf:
        law = silence(line, len(ear.hears), equal=moving)
    elif not moving and not course.fresh_keys:
        yield from _same(strategy, line, ear, course.searches, limit)
        return
    else:
        searches = [strategy] if course.fresh_keys else keyed(strategy, limit=limit)
        law = outcomes(walked(searches, limit=limit), line, ear, equal=moving)
    kernel = None
    if course.motion is not None and moving:
        atom = int(law.cuts[1] - law.cuts[0])
        fresh = line.density(law.cuts[:-1])
        kernel = course.motion.kernel(line.grain, line.stride // atom, fresh)
    beliefs = Beliefs.first(law, line)
    for number in range(course.searches):
        if number and kernel is not None:
            beliefs = beliefs.moved(kernel, law)
        beliefs = beliefs.heard(law)
        yield _step(strategy, line, law, beliefs)


def _same(strategy: Strategy, line: Line, ear: Ear, searches: int, limit: int) -> Iterator[Step]:
    """The same number, the same key: the same transcript again, of which more may be heard."""
    rows, step = walked([strategy], limit=limit), None
    for number in range(searches):
        if step is None or ear.chance < 1:
            heard = ear._replace(chance=1 - (1 - ear.chance) ** (number + 1))
            law = outcomes(rows, line, heard, equal=False)
            step = _step(strategy, line, law, Beliefs.first(law, line).heard(law))
        yield step


def _step(strategy: Strategy, line: Line, law: Outcomes, beliefs: Beliefs) -> Step:
    held = beliefs.posteriors(law, line)
    caught, total, numbers = held.caught(line.length), held.total(), held.coverings(line.length)
    share = (caught / np.maximum(total, 1)).astype(float)

    def shown(mask: NDArray[np.bool_]) -> Overheard:
        belief = int(np.flatnonzero(mask)[0])
        alone = np.where(np.arange(len(total)) == belief, total, 0)
        return Overheard(
            searches=tuple(
                _rounds(strategy, line, law.words[each]) for each in beliefs.past.way(belief)
            ),
            cells=line.marks,
            heard=beliefs.share(alone, line),
            window=held.window(belief, line.delta),
            pieces=tuple(held.pieces(belief)),
            covering=int(numbers[belief]),
        )

    return Step(
        success=beliefs.share(caught, line),
        covering=int(numbers.min()),
        beliefs=len(beliefs),
        telling=shown(share == share.max()),
        narrowest=shown(numbers == numbers.min()),
    )


def _rounds(
    strategy: Strategy, line: Line, words: tuple[Word, ...]
) -> tuple[tuple[Word, ...], ...]:
    """The words of one search, round by round, on the line's own marks."""
    if line.ruler is not None:
        points = np.array([0 if each.point is None else each.point for each in words], np.int64)
        marks = line.ruler.place(points).tolist()
        words = tuple(
            each if each.point is None else each._replace(point=mark)
            for each, mark in zip(words, marks, strict=True)
        )
    found, column = [], 0
    for round_ in strategy.rounds:
        end = column + len(round_.coordinates)
        found.append(words[column:end])
        column = end
    return tuple(found)
