"""Two lanes side by side: what the learner knows, and what an eavesdropper sees, round by round.

Places are shares of a range, from 0 to 1; lines are plain text that any terminal has signs for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from feint.picture.line import beside, column, marks, ruler, spans

KNOWS, SEES = "what you know", "what she sees"
_MOST = 16  # rounds of a panel that are drawn out
# Of the range: what lies closer is drawn larger, several questions a round sooner than single ones.
_NEAR, _CLOSE = 0.3, 0.1
_NAME, _GAP, _BETWEEN = 5, 2, 3  # columns of the rounds' names, after them, and between the lanes


@dataclass(frozen=True)
class Round:
    """One round of a search.

    Attributes:
        name: What the round is called.
        known: From where to where the learner knows the number to lie before it.
        asked: Where its questions are put; they are overheard.
    """

    name: str
    known: tuple[float, float]
    asked: tuple[float, ...]

    @property
    def telling(self) -> tuple[float, ...]:
        """The questions whose answers the learner does not know beforehand."""
        low, high = self.known
        return tuple(each for each in self.asked if low < each < high)


def played(asked: Sequence[Sequence[float]], number: float) -> tuple[Round, ...]:
    """The rounds of a search whose answers are right.

    Args:
        asked: Where the questions are put, round by round.
        number: Where the number lies.

    Returns:
        One round for each that asks anything, counted from 1.
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
    """Rounds that are drawn over one part of the range.

    Attributes:
        low: Where the part begins.
        high: Where it ends.
        rounds: The rounds; None stands for some that are left out.
        earlier: Questions of the rounds before.
    """

    low: float
    high: float
    rounds: tuple[Round | None, ...]
    earlier: tuple[float, ...]

    def at(self, share: float) -> float:
        """Where on the part a place of the range lies."""
        return (share - self.low) / (self.high - self.low)

    def within(self, shares: Iterable[float]) -> list[float]:
        """Those places that lie on the part, as shares of it."""
        return [self.at(share) for share in shares if self.low <= share <= self.high]

    def lines(self) -> Iterator[tuple[Round | None, list[float]]]:
        """Each round with the questions before it, as shares of the part."""
        earlier = self.within(self.earlier)
        for each in self.rounds:
            yield each, earlier
            earlier = earlier + self.within(() if each is None else each.asked)


def panels(rounds: Sequence[Round], number: float) -> list[Panel]:
    """The rounds over the whole range, and from where they come close over that part of it.

    Args:
        rounds: The rounds; see `played`.
        number: Where the number lies, which is in the picture.

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
    """All of them, or the first and the last."""
    if len(rounds) <= _MOST:
        return tuple(rounds)
    return (*rounds[: _MOST // 2], None, *rounds[1 - _MOST // 2 :])


def lanes(
    rounds: Sequence[Round], number: float, name: Callable[[float], str], *, width: int
) -> list[str]:
    """Both lanes in plain text.

    Args:
        rounds: The rounds; see `played`.
        number: Where the number lies.
        name: What a place of the range is called.
        width: Columns, 40 or more.

    Returns:
        The lines: titles, a line a round, the number, the ends of what is drawn. On the left "-" is
        where the number may lie and "?" a question that tells more of it; on the right "?" is every
        question, and "." an earlier one.
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
    """One lane in plain text: what an eavesdropper sees.

    Args:
        asked: Where the questions are put, round by round.
        name: What a place of the range is called.
        width: Columns.

    Returns:
        The lines: a title, a line a round, the ends of what is drawn.
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
    """The rows, neighbours that look the same as one: 8-17."""
    found = list[_Row]()
    for words, run in groupby(rows, key=itemgetter(1)):
        first, *others = (label for label, _ in run)
        found.append((f"{first}-{others[-1]}" if others else first, words))
    return found


def _line(label: str, words: Sequence[str], lane: int) -> str:
    between = " " * _BETWEEN
    return f"{label:>{_NAME}}{'':{_GAP}}{between.join(f'{word:{lane}}' for word in words)}".rstrip()


def _asked(now: Sequence[float], earlier: Sequence[float], width: int) -> str:
    """A lane with questions on it, those of now over earlier ones."""
    line = list(marks(earlier, width, "."))
    for share in now:
        line[column(share, width)] = "?"
    return "".join(line)


_Row = tuple[str, tuple[str, ...]]  # the name of a round, and what each lane shows of it
_SKIPPED: _Row = ("...", ("",))
