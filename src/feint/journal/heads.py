"""Detect deleted and outdated events and rows by a sealed head of fixed size per search.

Every row and every event is sealed by itself, so no one can make one without the key. A person who
can write the database could still delete one or put back an older one. Every write replaces the
head in its own transaction, and the head reveals both:

- events are chained: each digest is a keyed BLAKE2b of the previous digest and of the event;
- rows are summed: the head holds their number and the sum modulo 2^256 of a keyed BLAKE2b of each
  row (its mark). Changing a row subtracts the old mark and adds the new one, so that a write needs
  no other row. If the old row was not the newest, the sum is wrong from then on.

Rows whose number grows with the votes have a sum of their own (`VOTING`). The others form the
register. They change rarely, so a process keeps their marks and checks every row that it reads
against them. The head also holds the mark of one row that every vote reads (`PINNED`).
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
"""The row with the state of a poll. Its mark is in the head, so that an older row is noticed."""

_CHAINS = 64  # digests to keep per search, so that readers need not read all events again

_FORM = struct.Struct(">QQQQ32s32s32s32s")
_SIZE = 32
_ROUND = 1 << 8 * _SIZE


class Head(NamedTuple):
    """Hold the counts and sums of a search. It is a tuple for speed: every vote makes several.

    Attributes:
        counter: Number of transactions that have written the search.
        events: Number of events.
        chain: Digest of the last event.
        votes: Number of rows of `VOTING` kinds.
        votes_sum: Sum of their marks.
        register: Number of other rows.
        register_sum: Sum of their marks.
        pin: Mark of the row `PINNED`; 0 if there is none.
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
        """Return the head as bytes of a fixed length."""
        counts = self.counter, self.events, self.votes, self.register
        sums = (self.votes_sum, self.register_sum, self.pin)
        return _FORM.pack(*counts, self.chain, *(each.to_bytes(_SIZE, "big") for each in sums))

    @classmethod
    def from_bytes(cls, data: bytes) -> Head:
        """Return the head that `to_bytes` wrote.

        Raises:
            Tampered: The bytes are not a head.
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
        """Return the head after a sealed event was appended.

        Raises:
            Tampered: The event does not have the next number.
        """
        if number != self.events:
            raise tampered(f"event {self.events} is missing")
        return self._replace(events=number + 1, chain=keys.link(self.chain, number, body))

    def exchanged(self, old: int, new: int, *, voting: bool, pinned: bool = False) -> Head:
        """Return the head after a row was written.

        Args:
            old: Mark of the previous row; 0 if there was none.
            new: Mark of the new row; 0 if the row was deleted.
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
    """Hold the keys of one search, which are stored wrapped by the master key.

    Attributes:
        data: The data key, which seals everything.
        blinding: Hides the keys of rows. It stays when the data key is replaced.
    """

    data: bytes = field(repr=False)
    blinding: bytes = field(repr=False)

    @classmethod
    def unwrapped(cls, held: bytes) -> Keys:
        """Return the keys of a search. A search of an earlier version has only a data key."""
        blinding = held[BYTES:] or blake2b(b"blinding", key=held, digest_size=BYTES).digest()
        return cls(held[:BYTES], blinding)

    def to_bytes(self) -> bytes:
        """Return the bytes that `unwrapped` reads."""
        return self.data + self.blinding

    @cached_property
    def seal(self) -> Seal:
        """Return the seal for everything of the search."""
        return Seal(self.data)

    @cached_property
    def fingerprint(self) -> str:
        """Return a hash that identifies the data key and reveals nothing else about it."""
        return blake2b(b"fingerprint", key=self.data, digest_size=16).hexdigest()

    @cached_property
    def _mac(self) -> bytes:
        return blake2b(b"marks", key=self.data, digest_size=BYTES).digest()

    def mark(self, kind: str, key: str, body: bytes) -> int:
        """Return the mark of a row. It needs the key, and is never 0, which means no row."""
        where = f"{len(kind)} {len(key)} {kind}{key}".encode()
        return int.from_bytes(blake2b(where + body, key=self._mac, digest_size=_SIZE).digest()) or 1

    def link(self, chain: bytes, number: int, body: bytes) -> bytes:
        """Return the digest of an event that follows the digest `chain`."""
        held = b"".join((chain, number.to_bytes(8, "big"), body))
        return blake2b(held, key=self._mac, digest_size=_SIZE).digest()

    def blinded(self, text: str) -> str:
        """Return a keyed hash of a text as 32 hexadecimal digits."""
        return blake2b(text.encode(), key=self.blinding, digest_size=16).hexdigest()


@dataclass
class Register:
    """Hold the marks of a register as a process knows them.

    Attributes:
        total: Their sum. A head with another sum belongs to another state.
        marks: The marks by kind and key.
    """

    total: int = 0
    marks: dict[str, dict[str, int]] = field(default_factory=dict)

    def mark(self, kind: str, key: str) -> int:
        """Return the mark of a row; 0 if there is none."""
        return self.marks.get(kind, {}).get(key, 0)

    def set(self, kind: str, key: str, mark: int) -> None:
        """Set the mark of a row; 0 removes it."""
        held = self.marks.setdefault(kind, {})
        if mark:
            held[key] = mark
        else:
            held.pop(key, None)


@dataclass
class Memo:
    """Hold what a process remembers about a search between transactions.

    Attributes:
        register: The register at some head; None if it was not read yet.
        chains: Digests of the events before some numbers.
        counter: The highest counter seen. A lower one means that an old copy was put back.
        checked: The counter at the last full check; -1 before the first.
        living: The counter of the office when the search was last seen not to be deleted.
    """

    register: Register | None = None
    chains: dict[int, bytes] = field(default_factory=dict)
    counter: int = 0
    checked: int = -1
    living: int = -1

    def keep_chain(self, number: int, chain: bytes) -> None:
        """Remember the digest of the events before a number, and forget the oldest of too many."""
        self.chains[number] = chain
        while len(self.chains) > _CHAINS:
            self.chains.pop(next(iter(self.chains)), None)


def tampered(what: str) -> Tampered:
    """Build the error for a search whose events or rows do not match its head."""
    rule = f"was changed outside feint: {what}"
    remedy = "restore a backup (feint restore), and find out who can write the database"
    return Tampered("journal", "a search", rule, remedy)
