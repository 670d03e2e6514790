"""Draw two lanes side by side for each round: the learner's knowledge, and the eavesdropper's view.

Places are shares of a range, from 0 to 1. Lines are plain ASCII.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from feint.picture.line import beside, column, marks, ruler, spans

KNOWS, SEES = "what you know", "what she sees"
_MOST = 16  # the most rounds drawn in a panel
# Shares of the range: closer questions are magnified, earlier if a round has several questions.
_NEAR, _CLOSE = 0.3, 0.1
_NAME, _GAP, _BETWEEN = 5, 2, 3  # columns: names of rounds, gap after them, gap between lanes


@dataclass(frozen=True)
class Round:
    """One round of a search.

    Attributes:
        name: Its name.
        known: The interval in which the learner knows the number to lie before the round.
        asked: The places of its questions, which are overheard.
    """

    name: str
    known: tuple[float, float]
    asked: tuple[float, ...]

    @property
    def telling(self) -> tuple[float, ...]:
        """Return the questions whose answers the learner does not know in advance."""
        low, high = self.known
        return tuple(each for each in self.asked if low < each < high)


def played(asked: Sequence[Sequence[float]], number: float) -> tuple[Round, ...]:
    """Return the rounds of a search without noise.

    Args:
        asked: The places of the questions, per round.
        number: The place of the number.

    Returns:
        One `Round` for each round with questions, numbered from 1.
    """
    low, high, found = 0.0, 1.0, []
    for index, points in enumerate(asked, 1):
        if points:
            found.append(Round(str(index), (low, high), tuple(points)))
        low = max([low, *(each for each in points if each <= number)])
        high = min([high, *(each for each in points if each > number)])
    return tuple(found)


@dataclass(frozen=True)
class Panel:
    """A panel that draws some rounds over a section of the range.

    Attributes:
        low: The start of the section.
        high: Its end.
        rounds: The rounds; None stands for omitted ones.
        earlier: The questions of earlier rounds.
    """

    low: float
    high: float
    rounds: tuple[Round | None, ...]
    earlier: tuple[float, ...]

    def at(self, share: float) -> float:
        """Return a place of the range as a share of the section."""
        return (share - self.low) / (self.high - self.low)

    def within(self, shares: Iterable[float]) -> list[float]:
        """Return the places inside the section, as shares of it."""
        return [self.at(share) for share in shares if self.low <= share <= self.high]

    def lines(self) -> Iterator[tuple[Round | None, list[float]]]:
        """Yield each round with the questions before it, as shares of the section."""
        earlier = self.within(self.earlier)
        for each in self.rounds:
            yield each, earlier
            earlier = earlier + self.within(() if each is None else each.asked)


def panels(rounds: Sequence[Round], number: float) -> list[Panel]:
    """Return a panel of the whole range, and a magnified one once the questions lie close together.

    Args:
        rounds: The rounds; see `played`.
        number: The place of the number, which stays inside every panel.

    Returns:
        One panel, or two.
    """
    places, close, low, high = [number], len(rounds), 0.0, 1.0
    for index in range(len(rounds) - 1, 0, -1):
        places += rounds[index].asked
        wide = max(places) - min(places)
        if 0 < wide <= (_NEAR if len(rounds[index].asked) > 1 else _CLOSE):
            low, high, close = min(places), max(places), index
    if close == len(rounds):
        return [Panel(0.0, 1.0, _some(rounds), ())]
    margin = (high - low) / 10
    before = tuple(share for each in rounds[:close] for share in each.asked)
    return [
        Panel(0.0, 1.0, _some(rounds[:close]), ()),
        Panel(max(0.0, low - margin), min(1.0, high + margin), _some(rounds[close:]), before),
    ]


def _some(rounds: Sequence[Round]) -> tuple[Round | None, ...]:
    """Return all rounds, or the first and the last ones if there are many."""
    if len(rounds) <= _MOST:
        return tuple(rounds)
    return (*rounds[: _MOST // 2], None, *rounds[1 - _MOST // 2 :])


def lanes(
    rounds: Sequence[Round], number: float, name: Callable[[float], str], *, width: int
) -> list[str]:
    """Draw both lanes as text.

    Args:
        rounds: The rounds; see `played`.
        number: The place of the number.
        name: Returns the label of a place.
        width: The number of columns, 40 or more.

    Returns:
        The lines: titles, one line per round, the number, the ends of the section. On the left, "-"
        marks the places where the number may lie, and "?" a question that narrows it down. On the
        right, "?" marks every question, and "." an earlier one.
    """
    lane = (width - _NAME - _GAP - _BETWEEN) // 2
    rows: list[_Row] = [("round", (KNOWS, SEES))]
    for panel in panels(rounds, number):
        drawn = list[_Row]()
        for each, earlier in panel.lines():
            if each is None:
                drawn.append(_SKIPPED)
                continue
            known = panel.at(each.known[0]), panel.at(each.known[1])
            left = spans([known], panel.within(each.telling), lane, "-", "?")
            drawn.append((each.name, (left, _asked(panel.within(each.asked), earlier, lane))))
        place = panel.at(number)
        mark = beside(marks([place], lane, "^"), column(place, lane), "the number", lane)
        ends = ruler(name(panel.low), name(panel.high), lane)
        rows += [*_merged(drawn), ("", (mark, "")), ("", (ends, ends))]
    return [_line(label, words, lane) for label, words in rows]


def strip(
    asked: Sequence[Sequence[float]], name: Callable[[float], str], *, width: int
) -> list[str]:
    """Draw the eavesdropper's lane as text.

    Args:
        asked: The places of the questions, per round.
        name: Returns the label of a place.
        width: The number of columns.

    Returns:
        The lines: a title, one line per round, the ends of the range.
    """
    lane = width - _NAME - _GAP
    rounds = played(asked, 0.0)
    rows: list[_Row] = [("round", (SEES,))]
    for panel in panels(rounds, rounds[-1].asked[-1] if rounds else 0.0):
        drawn = [
            _SKIPPED
            if each is None
            else (each.name, (_asked(panel.within(each.asked), earlier, lane),))
            for each, earlier in panel.lines()
        ]
        rows += [*_merged(drawn), ("", (ruler(name(panel.low), name(panel.high), lane),))]
    return [_line(label, words, lane) for label, words in rows]


def _merged(rows: Sequence[_Row]) -> list[_Row]:
    """Merge neighbouring rows that look the same, and name them by a range: 8-17."""
    found = list[_Row]()
    for words, run in groupby(rows, key=itemgetter(1)):
        first, *others = (label for label, _ in run)
        found.append((f"{first}-{others[-1]}" if others else first, words))
    return found


def _line(label: str, words: Sequence[str], lane: int) -> str:
    between = " " * _BETWEEN
    return f"{label:>{_NAME}}{'':{_GAP}}{between.join(f'{word:{lane}}' for word in words)}".rstrip()


def _asked(now: Sequence[float], earlier: Sequence[float], width: int) -> str:
    """Draw a lane with the round's questions over the earlier ones."""
    line = list(marks(earlier, width, "."))
    for share in now:
        line[column(share, width)] = "?"
    return "".join(line)


_Row = tuple[str, tuple[str, ...]]  # a round's name and its text in each lane
_SKIPPED: _Row = ("...", ("",))
