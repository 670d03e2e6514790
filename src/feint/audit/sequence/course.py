"""What is audited beyond one search that is heard in full."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from feint.audit.sequence.hearing import ALL, NOTHING, Hearing
from feint.audit.sequence.motion import Motion
from feint.errors import InvalidValue
from feint.exact import Number, whole
from feint.interfaces import switch_of

_MOST = 1000  # searches in one audit
_FRESH = "fresh_keys"


@dataclass(frozen=True, kw_only=True)
class Course:
    """How often one number is searched for, how it moves, and who hears what.

    Attributes:
        searches: The number of searches.
        fresh_keys: Whether each has a key of its own; otherwise all have the same.
        motion: How the number moves between two searches; None: it stays.
        hears: Which questions are heard.
        knows: Whose answers are known.
    """

    searches: int = 1
    fresh_keys: bool = False
    motion: Motion | None = None
    hears: Hearing = ALL
    knows: Hearing = NOTHING

    @property
    def usual(self) -> bool:
        """Whether it is one search, every question of it heard and no answer known."""
        return self == Course()

    @property
    def as_once(self) -> bool:
        """Whether every search asks what the first one did, and all of it is heard each time."""
        return self == Course(searches=self.searches)


def read_course(
    *,
    repeat: Number,
    fresh_keys: bool,
    motion: Motion | str | None,
    hears: Hearing | str | Iterable[int],
    knows: Hearing | str | Iterable[int],
) -> Course:
    """What is to be audited, from the arguments of `audit`.

    Raises:
        WrongType: One of them is something else than is wanted there.
        InvalidValue: One of them is wrong, or is about a second search where there is one.
    """
    searches, fresh = whole(repeat, "repeat", least=1, most=_MOST), switch_of(fresh_keys, _FRESH)
    law = None if motion is None else Motion.read(motion)
    for name, given in (("motion", None if law is None else law.words), (_FRESH, fresh or None)):
        if given is not None and searches == 1:
            rule = "this is about several searches, and there is one"
            raise InvalidValue(name, given, rule, "say how many with repeat")
    known = Hearing.read(knows, "knows").plainest
    if known.random:
        rule = "which answers are known must be said, not left to chance"
        raise InvalidValue("knows", known.words, rule, "name them, such as last(2)")
    return Course(
        searches=searches,
        fresh_keys=fresh,
        motion=law,
        hears=Hearing.read(hears, "hears").plainest,
        knows=known,
    )
