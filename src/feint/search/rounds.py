"""Store rounds as lines whose length depends on the plan only.

    {"ask":"0012 0044","check":"5d0c…","told":"y04fe2…------… ------…------…"}

All places have the same number of digits, and every answer has its own slot. A column that was left
out has "x" for every digit. A round that was not shown is the same line with "-" for every digit,
also at the end of a search that did not need it. So a file has its final length before the first
question, and its length reveals neither answers, nor digits of questions, nor changes of answers,
nor the end of the search.

A slot has room for two copies of an answer. A copy is y or n, a counter, and a keyed check value of
these, the round, the column, the question and the number of the copy. A copy that is partly blank
was being written or erased when the process was killed: it was not acknowledged and does not count.
A copy without blanks must match its check value. An answer is changed by writing the other copy,
with the next counter, so that one of the two is complete at every moment.

The check value of a round is a keyed digest of its questions. A line that is partly blank was being
written, and its round was never shown. One without blanks must match its check value.

No single flipped bit turns a digit or a letter into a blank, so damage is never taken for a crash.
"""

from __future__ import annotations

import json
import string
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, product
from typing import Any, NamedTuple

from feint.errors import InvalidValue
from feint.interfaces import UNASKED
from feint.planning import Plan
from feint.search.units import Asked

Event = dict[str, Any]
"""A change of a search: {"round": number, "ask": points} shows a round, {"tell": id, "yes": bool}
answers a query, and None in place of the answer takes it back. The files of versions 1 and 2 do not
number their rounds."""

Kept = dict[str, str]
"""A stored round: its questions, their check value, and a slot for each answer."""

ASK, CHECK, TOLD = "ask", "check", "told"
# "-" is two bits or more away from every digit and letter that a line may have in its place.
BLANK = "-"
_LEFT_OUT = "x"
_YES, _NO = "y", "n"
# values of an answer's counter, which wraps around: neighbours differ
_TURNS = string.hexdigits[:16]
_CHECK_BYTES = 8
_ROUND, _ANSWER = b"feint round 4", b"feint answer 4"
_ASKED, _CHECKED = {*string.digits, _LEFT_OUT, BLANK, " "}, {*_TURNS, BLANK}
_NO_CHECK = BLANK * (2 * _CHECK_BYTES)
COPY = 2 + 2 * _CHECK_BYTES
"""The length of a copy of an answer: y or n, the counter, the check."""
SLOT = 2 * COPY
"""The length of the slot of an answer."""


class Answer(NamedTuple):
    """The answer in a slot.

    Attributes:
        yes: The answer.
        copy: The valid copy, 0 or 1.
        turn: Its counter.
    """

    yes: bool
    copy: int
    turn: int

    def changed(self, yes: bool) -> Answer:
        """Return the answer that replaces this one."""
        return Answer(yes, 1 - self.copy, (self.turn + 1) % len(_TURNS))


@dataclass(frozen=True)
class Layout:
    """The layout of the lines of a plan, and their check values.

    Attributes:
        widths: The number of columns of each round.
        digits: The number of digits of the largest place.
        key: The search's key.
    """

    widths: tuple[int, ...]
    digits: int
    key: bytes

    @classmethod
    def of(cls, plan: Plan, key: bytes) -> Layout:
        """Return the layout of a search that follows a plan with this key."""
        widths = tuple(len(each.coordinates) for each in plan.strategy.rounds)
        return cls(widths, len(str(max(plan.cells))), key)

    def shown(self, number: int, points: Sequence[int], told: Iterable[bool | None]) -> Kept:
        """Return the record of a shown round.

        Args:
            number: Its number.
            points: Its questions.
            told: The answer to each, yes or no; None if it has none.

        Raises:
            InvalidValue: A point has more digits than the lattice allows.
        """
        ask = asked_text(points, self.digits)
        if len(ask) != self._spaced(number, self.digits) or BLANK in ask:
            rule = f"asks for what is not on its lattice in round {number}"
            raise InvalidValue("strategy", "this one", rule, "check it with feint.testing")
        slots = (
            BLANK * SLOT
            if yes is None
            else self.copy(Asked(number, column, point), Answer(yes, 0, 0)) + BLANK * COPY
            for column, (point, yes) in enumerate(zip(points, told, strict=True))
        )
        return {ASK: ask, CHECK: self._check(number, ask), TOLD: " ".join(slots)}

    def unshown(self, number: int) -> Kept:
        """Return the record of a round that was not shown yet."""
        width = self.widths[number]
        ask, told = (" ".join([BLANK * long] * width) for long in (self.digits, SLOT))
        return {ASK: ask, CHECK: _NO_CHECK, TOLD: told}

    def copy(self, asked: Asked, answer: Answer) -> str:
        """Return the text of a copy of an answer."""
        letter, turn = _YES if answer.yes else _NO, _TURNS[answer.turn]
        words = f"{asked.round} {asked.column} {asked.point} {answer.copy} {turn} {letter}"
        return letter + turn + self._digest(words, _ANSWER)

    def answer(self, asked: Asked, slot: str) -> Answer | None:
        """Return the answer in a slot; None if none was acknowledged.

        Raises:
            ValueError: The slot holds something that was never written there.
        """
        found = [
            answer
            for number, text in enumerate((slot[:COPY], slot[COPY:]))
            if (answer := self._read(asked, number, text)) is not None
        ]
        if len(found) < 2:
            return found[0] if found else None
        for old, new in (found, found[::-1]):
            if new == old.changed(new.yes):
                return new
        raise ValueError("the two copies of an answer do not follow each other")

    def events(self, rounds: Sequence[Any], *, torn: bool) -> Iterator[Event]:
        """Yield the events of the stored rounds: rounds shown, and their answers.

        Args:
            rounds: Every stored round, shown or not.
            torn: True if a crash may have torn the last write.

        Yields:
            The events, in a possible order.

        Raises:
            ValueError: The records are not valid rounds.
        """
        if len(rounds) != len(self.widths):
            raise ValueError("there are more rounds than the plan has, or fewer")
        over = False
        for number, kept in enumerate(rounds):
            unshown = self.unshown(number)
            self._check_form(kept, unshown)
            if kept == unshown:
                over = True
                continue
            if over:
                raise ValueError("a round was shown before an earlier one")
            if BLANK in kept[ASK] + kept[CHECK]:
                written = set(kept[ASK]) <= _ASKED and set(kept[CHECK]) <= _CHECKED
                if not torn or not written or kept[TOLD] != unshown[TOLD]:
                    raise ValueError("a round is partly blank")
                over = True
                continue
            yield from self._happened(number, kept)

    def start(self, number: int) -> int:
        """Return the offset of a round's line from the first one."""
        return self._starts[number]

    def point(self, number: int, column: int) -> int:
        """Return the position of a question's digits."""
        return self.start(number) + len(f'{{"{ASK}":"') + column * (self.digits + 1)

    def slot(self, number: int, column: int) -> int:
        """Return the offset of an answer's slot."""
        end = self.start(number + 1) - len('"}\n')
        return end - self._spaced(number, SLOT) + column * (SLOT + 1)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        frame = len(line({ASK: "", CHECK: _NO_CHECK, TOLD: ""}))
        lengths = (
            frame + self._spaced(number, self.digits) + self._spaced(number, SLOT)
            for number in range(len(self.widths))
        )
        return tuple(accumulate(lengths, initial=0))

    def _spaced(self, number: int, length: int) -> int:
        """Return the length of one text per query, separated by spaces."""
        width = self.widths[number]
        return width * length + max(0, width - 1)

    def _check(self, number: int, ask: str) -> str:
        return self._digest(f"{number} {ask}", _ROUND)

    def _digest(self, words: str, purpose: bytes) -> str:
        found = blake2b(words.encode(), key=self.key, digest_size=_CHECK_BYTES, person=purpose)
        return found.hexdigest()

    def _check_form(self, kept: Any, unshown: Kept) -> None:
        """Check that a round has texts of the right lengths, separated by spaces.

        Raises:
            ValueError: The form is wrong.
        """
        if not isinstance(kept, dict) or list(kept) != list(unshown):
            raise ValueError("a round has other fields")
        for name, text in unshown.items():
            found = kept[name]
            if not isinstance(found, str) or len(found) != len(text):
                raise ValueError("a round has another length")
            if [*map(len, found.split(" "))] != [*map(len, text.split(" "))]:
                raise ValueError("a round has no space between two places")

    def _happened(self, number: int, kept: Kept) -> Iterator[Event]:
        """Yield the events of a shown round.

        Raises:
            ValueError: The round or an answer does not match its check value.
        """
        if kept[CHECK] != self._check(number, kept[ASK]):
            raise ValueError("a round does not fit its check")
        out = _LEFT_OUT * self.digits
        points = [UNASKED if each == out else int(each) for each in kept[ASK].split()]
        yield {"round": number, "ask": points}
        for column, (point, slot) in enumerate(zip(points, kept[TOLD].split(), strict=True)):
            asked = Asked(number, column, point)
            if (answer := self.answer(asked, slot)) is not None:
                yield {"tell": asked.id, "yes": answer.yes}

    def _read(self, asked: Asked, number: int, text: str) -> Answer | None:
        """Return the answer in a copy; None if it is blank or partly blank.

        Raises:
            ValueError: The copy holds something that was never written there.
        """
        if text == BLANK * COPY:
            return None
        if BLANK not in text:
            answer = Answer(text[0] == _YES, number, max(0, _TURNS.find(text[1])))
            if self.copy(asked, answer) == text:
                return answer
            raise ValueError("an answer does not fit its check")
        # A partly blank copy must be part of an answer that could have been written here.
        for yes, turn in product((True, False), range(len(_TURNS))):
            whole = self.copy(asked, Answer(yes, number, turn))
            if all(one in (BLANK, other) for one, other in zip(text, whole, strict=True)):
                return None
        raise ValueError("an answer is partly blank, and was never written")


def asked_text(points: Sequence[int], digits: int) -> str:
    """Return a round's questions as text, all with the same number of digits, or "x"."""
    out = _LEFT_OUT * digits
    return " ".join(out if point == UNASKED else f"{point:0{digits}d}" for point in points)


def line(kept: Kept) -> bytes:
    """Return a round as a line of a file."""
    return json.dumps(kept, separators=(",", ":")).encode() + b"\n"


def is_torn(kept: Kept) -> bool:
    """Return True if a round or one of its answers is partly blank, torn by a crash."""
    if BLANK in kept[ASK] + kept[CHECK]:
        return bool(set(kept[ASK] + kept[CHECK]) - {BLANK, " "})
    copies = (slot[at : at + COPY] for slot in kept[TOLD].split() for at in (0, COPY))
    return any(BLANK in each and each.strip(BLANK) for each in copies)
