"""Read rounds in the format of version 3: an answer was one character without a check.

    {"ask":"0012 0044","check":"5d0c…","told":"y."}

This format is only read. The check of a round is a digest without a key. If a round has no answers
and a wrong check, a crash interrupted its writing, and it was never shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

from feint.search.rounds import ASK, BLANK, CHECK, TOLD, Event, Kept, asked_text
from feint.search.units import Asked

_YES, _NO, _OPEN = "y", "n", "."
_CHECK_BYTES, _ROUND = 8, b"feint round"


def torn(rounds: Sequence[Any]) -> int | None:
    """Return the number of the round whose writing was interrupted, or None."""
    written = (i for i in reversed(range(len(rounds))) if not _is_unshown(rounds[i]))
    last = next(written, None)
    if last is None or _is_shown(last, rounds[last]) or set(rounds[last][TOLD]) - {_OPEN}:
        return None
    return last


def events(rounds: Sequence[Any], widths: Sequence[int]) -> Iterator[Event]:
    """Yield the events of saved rounds: rounds shown, and their answers.

    Args:
        rounds: Every saved round, shown or not.
        widths: The number of questions of each.

    Yields:
        The events, in a possible order.

    Raises:
        LookupError, TypeError, ValueError: These are not rounds of version 3.
    """
    over = False
    for number, (kept, width) in enumerate(zip(rounds, widths, strict=True)):
        if len(kept[TOLD]) != width:
            raise ValueError("a round has another width")
        if not _is_shown(number, kept):
            if not _is_unshown(kept):
                raise ValueError("a round does not fit its check")
            over = True
            continue
        if over:
            raise ValueError("a round was shown before an earlier one")
        yield {"round": number, "ask": [int(each) for each in kept[ASK].split()]}
        for column, told in enumerate(kept[TOLD]):
            if told != _OPEN:
                yield {"tell": Asked(number, column, 0).id, "yes": (_NO, _YES).index(told) == 1}


def shown(number: int, points: Sequence[int], told: Sequence[bool | None], digits: int) -> Kept:
    """Return a round that was shown, in the format of version 3."""
    ask = asked_text(points, digits)
    letters = (_OPEN if yes is None else _YES if yes else _NO for yes in told)
    return {ASK: ask, CHECK: _check(number, ask), TOLD: "".join(letters)}


def unshown(width: int, digits: int) -> Kept:
    """Return a round that was not shown, in the format of version 3."""
    ask = " ".join([BLANK * digits] * width)
    return {ASK: ask, CHECK: BLANK * (2 * _CHECK_BYTES), TOLD: _OPEN * width}


def _check(number: int, ask: str) -> str:
    words = f"{number} {ask}".encode()
    return blake2b(words, digest_size=_CHECK_BYTES, person=_ROUND).hexdigest()


def _is_shown(number: int, kept: Any) -> bool:
    """Return True if a round was shown; raise if this is not a round."""
    return bool(kept[CHECK] == _check(number, kept[ASK]))


def _is_unshown(kept: Any) -> bool:
    """Return True if nothing of a round was written."""
    return not (set(kept[ASK] + kept[CHECK]) - {BLANK, " "} or set(kept[TOLD]) - {_OPEN})
