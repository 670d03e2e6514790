"""Rounds as they are kept: a line each, whose length the plan alone decides.

    {"ask":"0012 0044","check":"5d0c…","told":"y."}

Every place has the digits that the largest has, and every answer is one character: y, n, or "."
while there is none. A round that was not shown is the same line with "-" for every digit. So what
is kept has its last length before the first question is put, and whoever sees lengths learns
nothing: neither an answer, nor the digits of a question, nor that an answer was changed.

The check is a digest of what was asked. A line that was cut off while it was written does not fit
it, and was never shown; its answers are written one at a time, a character each, which no crash
can leave half done.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate
from typing import Any

from feint.errors import InvalidValue
from feint.planning import Plan
from feint.search.units import Asked

Event = dict[str, Any]
"""What changes a search: {"round": number, "ask": points} shows a round, {"tell": id, "yes": bool}
answers a query, and with None in place of the answer takes it back. The files of versions 1 and 2
do not number their rounds."""

Kept = dict[str, str]
"""One round: what it asked, a check of that, and what was told."""

_YES, _NO, _OPEN, _UNSHOWN = "y", "n", ".", "-"
_CHECK_BYTES, _CHECK = 8, b"feint round"
_ASK, _CHECKED, _TOLD = "ask", "check", "told"
_BLANK = _UNSHOWN * (2 * _CHECK_BYTES)


@dataclass(frozen=True)
class Layout:
    """Where everything stands in the lines of a plan.

    Attributes:
        widths: How many queries each round has.
        digits: How many digits the largest place has.
    """

    widths: tuple[int, ...]
    digits: int

    @classmethod
    def of(cls, plan: Plan) -> Layout:
        """The layout of whatever follows a plan."""
        widths = tuple(len(each.coordinates) for each in plan.strategy.rounds)
        return cls(widths, len(str(max(plan.cells))))

    def shown(self, number: int, points: Sequence[int], told: Iterable[bool | None]) -> Kept:
        """A round that was shown.

        Args:
            number: Which.
            points: What it asks.
            told: The answer to each, yes or no; None while there is none.

        Raises:
            InvalidValue: A point has more digits than any of the lattice.
        """
        ask = " ".join(f"{point:0{self.digits}d}" for point in points)
        if len(ask) != self._asked(number):
            rule = f"asks for what is not on its lattice in round {number}"
            raise InvalidValue("strategy", "this one", rule, "check it with feint.testing")
        return {_ASK: ask, _CHECKED: _check(number, ask), _TOLD: "".join(map(_letter, told))}

    def unshown(self, number: int) -> Kept:
        """A round that was not shown yet."""
        width = self.widths[number]
        ask = " ".join([_UNSHOWN * self.digits] * width)
        return {_ASK: ask, _CHECKED: _BLANK, _TOLD: _OPEN * width}

    def start(self, number: int) -> int:
        """Where the line of a round begins, from the first one's beginning."""
        return self._starts[number]

    def answer(self, number: int, column: int) -> int:
        """Where the character of an answer stands."""
        return self.start(number + 1) - len('"}\n') - self.widths[number] + column

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        frame = len(line({_ASK: "", _CHECKED: _BLANK, _TOLD: ""}))
        lengths = (frame + self._asked(i) + width for i, width in enumerate(self.widths))
        return tuple(accumulate(lengths, initial=0))

    def _asked(self, number: int) -> int:
        """How long the text of what a round asks is."""
        width = self.widths[number]
        return width * self.digits + max(0, width - 1)


def line(kept: Kept) -> bytes:
    """A round as a line of a file."""
    return json.dumps(kept, separators=(",", ":")).encode() + b"\n"


def letter(yes: bool | None) -> bytes:
    """An answer as a file has it; None where it was taken back."""
    return _letter(yes).encode()


def torn(rounds: Sequence[Any]) -> int | None:
    """The number of the round that was being written when it was cut off; None: there is none."""
    written = (i for i in reversed(range(len(rounds))) if not _is_unshown(rounds[i]))
    last = next(written, None)
    if last is None or _is_shown(last, rounds[last]) or set(rounds[last][_TOLD]) - {_OPEN}:
        return None
    return last


def events(rounds: Sequence[Any]) -> Iterator[Event]:
    """What happened, by the rounds that are kept: those shown, and their answers.

    Args:
        rounds: Every round as it was kept, shown or not.

    Yields:
        The events, in an order in which they may have come.

    Raises:
        ValueError: They are no such rounds.
    """
    last = False
    for number, kept in enumerate(rounds):
        if not _is_shown(number, kept):
            if not _is_unshown(kept):
                raise ValueError("a round does not fit its check")
            last = True
            continue
        if last:
            raise ValueError("a round was shown before an earlier one")
        yield {"round": number, "ask": [int(each) for each in kept[_ASK].split()]}
        for column, told in enumerate(kept[_TOLD]):
            if told != _OPEN:
                yield {"tell": Asked(number, column, 0).id, "yes": (_NO, _YES).index(told) == 1}


def _letter(yes: bool | None) -> str:
    return _OPEN if yes is None else _YES if yes else _NO


def _check(number: int, ask: str) -> str:
    words = f"{number} {ask}".encode()
    return blake2b(words, digest_size=_CHECK_BYTES, person=_CHECK).hexdigest()


def _is_shown(number: int, kept: Any) -> bool:
    """Whether a round was shown; what is no round at all raises."""
    return bool(kept[_CHECKED] == _check(number, kept[_ASK]))


def _is_unshown(kept: Any) -> bool:
    """Whether nothing of a round was written."""
    return not (set(kept[_ASK] + kept[_CHECKED]) - {_UNSHOWN, " "} or set(kept[_TOLD]) - {_OPEN})
