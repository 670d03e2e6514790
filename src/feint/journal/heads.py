"""The head of a search: what its events and rows must add up to, in one sealed block of one size.

Each row and each event is sealed by itself, so nobody without the key can write one. Whoever can
write the database could still delete one, or put an older one back. The head, which every write
replaces in its own transaction, notices both:

- events are chained: each digest is a keyed BLAKE2b of the one before it and of the event;
- rows are added up: the sum modulo 2^256 of a keyed BLAKE2b (a mark) of each row, and how many
  there are. To change a row, its old mark is subtracted and the new one added, so that a write
  needs no other row. If the old row was not the newest, the sum is wrong ever after.

Rows whose number grows with the votes are added up by themselves (`VOTING`). All others, the
register, change rarely: a process keeps their marks, and checks each row it reads against them.
The head also holds the mark of one row that every vote reads (`PINNED`).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple

from feint.errors import Tampered
from feint.journal.sealing import BYTES, Seal

VOTING = ("closed", "lease", "poll", "question", "sample", "tally", "vote")
"""Kinds of rows that a poll writes while people vote."""

PINNED = ("poll", "")
"""The row that says where a poll stands: its mark is in the head, so an older one is noticed."""

_CHAINS = 64  # positions of one search whose digest a process keeps, for those who go on from there

_FORM = struct.Struct(">QQQQ32s32s32s32s")
_SIZE = 32
_ROUND = 1 << 8 * _SIZE


class Head(NamedTuple):
    """What a search must add up to: a tuple, since every vote makes several.

    Attributes:
        counter: How many transactions have written the search.
        events: How many events it has.
        chain: The digest of the last event.
        votes: How many rows of `VOTING` kinds it has.
        votes_sum: What their marks add up to.
        register: How many other rows it has.
        register_sum: What their marks add up to.
        pin: The mark of the row `PINNED`; 0 if there is none.
    """

    counter: int = 0
    events: int = 0
    chain: bytes = bytes(_SIZE)
    votes: int = 0
    votes_sum: int = 0
    register: int = 0
    register_sum: int = 0
    pin: int = 0

    def to_bytes(self) -> bytes:
        """Return the head as bytes of one length."""
        counts = self.counter, self.events, self.votes, self.register
        sums = (self.votes_sum, self.register_sum, self.pin)
        return _FORM.pack(*counts, self.chain, *(each.to_bytes(_SIZE, "big") for each in sums))

    @classmethod
    def from_bytes(cls, data: bytes) -> Head:
        """Read what `to_bytes` gave.

        Raises:
            Tampered: It is something else.
        """
        try:
            counter, events, votes, register, chain, *sums = _FORM.unpack(data)
        except struct.error:
            raise tampered("its head has another form") from None
        votes_sum, register_sum, pin = (int.from_bytes(each, "big") for each in sums)
        return cls(counter, events, chain, votes, votes_sum, register, register_sum, pin)

    def counted(self, counter: int) -> Head:
        """Return the head with another counter."""
        return self._replace(counter=counter)

    def appended(self, keys: Keys, number: int, body: bytes) -> Head:
        """Return the head after a sealed event was put behind the others.

        Raises:
            Tampered: It has not the next number.
        """
        if number != self.events:
            raise tampered(f"event {self.events} is missing")
        return self._replace(events=number + 1, chain=keys.link(self.chain, number, body))

    def exchanged(self, old: int, new: int, *, voting: bool, pinned: bool = False) -> Head:
        """Return the head after a row was written.

        Args:
            old: The mark of the row that was there; 0: there was none.
            new: The mark of the row that is there now; 0: it was dropped.
            voting: Whether the row is of a `VOTING` kind.
            pinned: Whether it is the row `PINNED`.
        """
        more, change = bool(new) - bool(old), new - old
        pin = new if pinned else self.pin
        if voting:
            total = (self.votes_sum + change) % _ROUND
            return self._replace(votes=self.votes + more, votes_sum=total, pin=pin)
        total = (self.register_sum + change) % _ROUND
        return self._replace(register=self.register + more, register_sum=total, pin=pin)


@dataclass(frozen=True)
class Keys:
    """The keys of one search, all derived from what is stored wrapped by the master key.

    Attributes:
        data: What seals.
        blinding: What hides the keys of rows; it stays when the data key is replaced.
    """

    data: bytes = field(repr=False)
    blinding: bytes = field(repr=False)

    @classmethod
    def unwrapped(cls, held: bytes) -> Keys:
        """Read the keys of a search; one of an earlier version has a data key alone."""
        blinding = held[BYTES:] or blake2b(b"blinding", key=held, digest_size=BYTES).digest()
        return cls(held[:BYTES], blinding)

    def to_bytes(self) -> bytes:
        """Return what `unwrapped` reads."""
        return self.data + self.blinding

    @cached_property
    def seal(self) -> Seal:
        """What seals and opens everything of the search."""
        return Seal(self.data)

    @cached_property
    def fingerprint(self) -> str:
        """What tells this data key from others and says no more."""
        return blake2b(b"fingerprint", key=self.data, digest_size=16).hexdigest()

    @cached_property
    def _mac(self) -> bytes:
        return blake2b(b"marks", key=self.data, digest_size=BYTES).digest()

    def mark(self, kind: str, key: str, body: bytes) -> int:
        """Return the mark of a row, which nobody can compute without the key; never 0."""
        where = f"{len(kind)} {len(key)} {kind}{key}".encode()
        return int.from_bytes(blake2b(where + body, key=self._mac, digest_size=_SIZE).digest()) or 1

    def link(self, chain: bytes, number: int, body: bytes) -> bytes:
        """Return the digest of an event that follows those with the digest `chain`."""
        held = b"".join((chain, number.to_bytes(8, "big"), body))
        return blake2b(held, key=self._mac, digest_size=_SIZE).digest()

    def blinded(self, text: str) -> str:
        """Return the keyed hash of a text: 32 hexadecimal digits."""
        return blake2b(text.encode(), key=self.blinding, digest_size=16).hexdigest()


@dataclass
class Register:
    """The marks of a search's register as a process knows them, by kind and key.

    Attributes:
        total: What they add up to; a head that says otherwise is of another state.
        marks: They, by kind and key.
    """

    total: int = 0
    marks: dict[str, dict[str, int]] = field(default_factory=dict)

    def mark(self, kind: str, key: str) -> int:
        """Return the mark of a row; 0 if there is none."""
        return self.marks.get(kind, {}).get(key, 0)

    def set(self, kind: str, key: str, mark: int) -> None:
        """Take a row's new mark; 0: it was dropped."""
        held = self.marks.setdefault(kind, {})
        if mark:
            held[key] = mark
        else:
            held.pop(key, None)


@dataclass
class Memo:
    """What a process remembers of a search between transactions.

    Attributes:
        register: Its register, as of some head; None: it was not read yet.
        chains: The digest of the events before some numbers.
        counter: The highest counter that was seen.
        checked: The counter when all of it was checked last; -1: it was not.
        living: The counter of the office when it was last seen that the search is not deleted.
    """

    register: Register | None = None
    chains: dict[int, bytes] = field(default_factory=dict)
    counter: int = 0
    checked: int = -1
    living: int = -1

    def keep_chain(self, number: int, chain: bytes) -> None:
        """Keep the digest of the events before a number; of many, the newest."""
        self.chains[number] = chain
        while len(self.chains) > _CHAINS:
            self.chains.pop(next(iter(self.chains)), None)


def tampered(what: str) -> Tampered:
    """Build the error for a search that does not add up."""
    rule = f"was changed outside feint: {what}"
    remedy = "restore a backup (feint restore), and find out who can write the database"
    return Tampered("journal", "a search", rule, remedy)
