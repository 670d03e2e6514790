"""Read and write one search of a database: check every read, and add every write to the head.

What is checked, and when:

- an event: at every read, by the chain up to the head;
- a row of the register and the pinned row: at every read, by the marks that the process knows;
- a row of a voting kind: at every read, that it belongs to this place. An outdated row is noticed
  later: when it is replaced, its mark is subtracted from the sum of the head, which is wrong from
  then on, and a full check (`check`) compares that sum.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from feint.journal.codec import packed, unpacked
from feint.journal.heads import PINNED, VOTING, Head, Keys, Memo, Register, tampered

if TYPE_CHECKING:
    from feint.journal.driver import Driver

Place = tuple[str, str]


# The number of rows that an optional check may read per write since the last one, so that checks
# cost a fixed share of writing. With a larger share, long polls would spend most of their time on
# checks.
_SHARE = 8


class SQLTransaction:
    """Read and write one search of a database, on one connection.

    Attributes:
        search: The id of the search.
    """

    def __init__(
        self,
        sql: Any,
        driver: Driver,
        search: str,
        keys: Keys,
        *,
        wrapped: bytes,
        head: Head,
        memo: Memo,
        office: bool = False,
        locked: bool = False,
    ) -> None:
        """Use a connection. The caller writes the head (`changed_head`, `sealed`) and commits.

        Args:
            sql: The statements.
            driver: The connection.
            search: The id of the search.
            keys: Its keys.
            wrapped: The keys as they are stored.
            head: Its head.
            memo: What this process remembers about it.
            office: True for the office, whose rows are all in the register.
            locked: True if no one else can write the search during this transaction.
        """
        self._sql, self._driver, self.search, self._keys = sql, driver, search, keys
        self._wrapped, self._memo, self._office, self._locked = wrapped, memo, office, locked
        self._base = self._head = head
        self._register: Register | None = None  # set once it is known to match this head
        self._changes: dict[Place, int] = {}
        self._at_hand: dict[Place, bytes | None] = {}
        self._all: dict[str, dict[str, bytes]] | None = None  # every row, after a check of all
        self._events: list[bytes] | None = None  # every event, likewise
        self._dirty = False

    @property
    def version(self) -> int:
        """See `Transaction`."""
        return self._head.counter

    @property
    def events_held(self) -> int:
        """Return the number of events."""
        return self._head.events

    def sealed(self, head: Head) -> bytes:
        """Return a head in sealed form."""
        return self._keys.seal.seal(head.to_bytes(), about=about(self.search, "head"))

    def blinded(self, text: str) -> str:
        """See `Transaction`."""
        return self._keys.blinded(text)

    # -- events

    def events(self, *, start: int = 0) -> list[dict[str, Any]]:
        """See `Transaction`."""
        found = self._chained(start) if self._events is None else None
        if found is None:
            if self._events is None:
                self.check()  # written since the head was read, or tampered with: this tells
            found = (self._events or [])[start:]
        return [self._event(start + number, body) for number, body in enumerate(found)]

    def append(self, event: Mapping[str, Any], *, id: str | None = None) -> int:
        """See `Transaction`.

        Args:
            event: The event.
            id: Identifies this write; None draws one.
        """
        number = self._head.events
        body = self._keys.seal.seal(packed(event), about=about(self.search, number))
        mark = secrets.token_hex(16) if id is None else id
        words = {"to_number": number, "to_mark": mark, "to_body": body, "to_wrapped": self._wrapped}
        if self._driver.change(self._sql.APPEND, self._words(words)) != 1:
            raise tampered(f"its events do not end before number {number}")
        self._head = self._head.appended(self._keys, number, body)
        self._dirty = True
        if self._events is not None:
            self._events.append(body)
        return number

    def _chained(self, start: int) -> list[bytes] | None:
        """Return the sealed events from `start`, or None if they do not end in the head."""
        chain = self._memo.chains.get(start) if start else bytes(32)
        if start == self._head.events:
            chain = self._head.chain
        first = 0 if chain is None else start
        words = self._words({"start": first})
        found = self._driver.rows(self._sql.EVENTS, words)
        bodies = chained_to(self._keys, found, self._head, first, chain or bytes(32))
        if bodies is None and first:  # the remembered digest may belong to a state that is gone
            found = self._driver.rows(self._sql.EVENTS, self._words({"start": 0}))
            first, bodies = 0, chained_to(self._keys, found, self._head, 0, bytes(32))
        if bodies is None:
            return None
        if not self._dirty:
            self._memo.keep_chain(self._head.events, self._head.chain)
        return bodies[start - first :]

    # -- rows

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """See `Transaction`."""
        body = self._body(kind, key)
        return None if body is None else self._opened(kind, key, body)

    def some(self, *where: Place) -> list[dict[str, Any] | None]:
        """See `Transaction`."""
        wanted = [each for each in where if each not in self._at_hand]
        if self._all is None and wanted:
            words: dict[str, str] = {}
            for number, (kind, key) in enumerate(wanted):
                words |= {f"kind_{number}": kind, f"key_{number}": key}
            found = self._driver.rows(self._sql.some(len(wanted)), self._words(words))
            bodies = {(kind, key): body for kind, key, body in found}
            for each in wanted:
                self._take(*each, bodies.get(each))
        return [self.get(*each) for each in where]

    def put(self, kind: str, key: str, row: Mapping[str, Any]) -> None:
        """See `Transaction`."""
        old = self._body(kind, key)
        body = self._keys.seal.seal(packed(row), about=about(self.search, kind, key))
        words = {"to_kind": kind, "to_key": key, "to_body": body}
        self._driver.change(self._sql.put(self._driver.kind), self._words(words))
        self._exchange(kind, key, old, body)

    def drop(self, kind: str, key: str) -> None:
        """See `Transaction`."""
        if self._voting(kind):
            # A row that an attacker hid while it was written again is counted twice, and deleting
            # it would correct the sum. So check the whole search before a row is deleted.
            self.check()
        old = self._body(kind, key)
        if old is None:
            return
        self._driver.change(self._sql.DROP, self._words({"to_kind": kind, "to_key": key}))
        self._exchange(kind, key, old, None)

    def rows(self, kind: str, *, start: str = "") -> dict[str, dict[str, Any]]:
        """See `Transaction`."""
        if self._all is None:
            found = self._driver.rows(self._sql.ROWS, self._words(_range(kind, start)))
            if not self._voting(kind):
                missing = set(self.keys(kind, start=start)) - {key for key, _ in found}
                for key, body in [*found, *((key, None) for key in missing)]:
                    self._take(kind, key, body)
        if self._all is not None:
            found = sorted(self._matching(self._all.get(kind, {}).items(), start))
        return {key: self._opened(kind, key, body) for key, body in found}

    def keys(self, kind: str, *, start: str = "") -> list[str]:
        """See `Transaction`."""
        if self._all is not None:
            return sorted(key for key, _ in self._matching(self._all.get(kind, {}).items(), start))
        if self._voting(kind):
            found = self._driver.rows(self._sql.KEYS, self._words(_range(kind, start)))
            return [key for (key,) in found]
        marks = self._marks().get(kind, {}).copy()  # other threads that commit write in it
        keys = {key for key in marks if key.startswith(start)}
        for (of, key), mark in self._changes.items():
            if of == kind and key.startswith(start):
                keys = keys | {key} if mark else keys - {key}
        return sorted(keys)

    def count(self, kind: str, *, start: str = "") -> int:
        """See `Transaction`."""
        if self._all is None and self._voting(kind):
            return int(self._driver.value(self._sql.COUNT, self._words(_range(kind, start))))
        if self._all is not None or start:
            return len(self.keys(kind, start=start))
        known = self._marks().get(kind, {})
        changed = ((key, mark) for (of, key), mark in self._changes.items() if of == kind)
        return len(known) + sum(bool(mark) - (key in known) for key, mark in changed)

    # -- the head

    def check(self, *, always: bool = True) -> None:
        """See `Transaction`."""
        written, held = self._head.counter - self._memo.checked, self._head.votes
        if not always and self._memo.checked >= 0 and written * _SHARE < held:
            return
        head, events, rows = self._parted(self._driver.rows(self._sql.WHOLE, self._words({})))
        bodies = chained_to(self._keys, events, head, 0, bytes(32))
        if bodies is None:
            raise tampered("an event is missing, or is not the one that was written")
        self._head, self._events, self._all = head, bodies, {}
        self._keep_register(self._added_up(head, rows, everything=True))
        for kind, key, body in rows:
            self._all.setdefault(kind, {})[key] = body
        if not self._dirty:
            self._memo.checked = head.counter

    def changed_head(self) -> Head | None:
        """Return the head to write, or None if nothing was written."""
        return self._head.counted(self._base.counter + 1) if self._dirty else None

    def remember(self, head: Head) -> None:
        """Update the memory of this process after the commit."""
        register = self._register
        if register is not None:
            for (kind, key), mark in self._changes.items():
                register.set(kind, key, mark)
            register.total = head.register_sum
            self._memo.register = register
        self._memo.keep_chain(head.events, head.chain)
        self._memo.counter = max(self._memo.counter, head.counter)
        if self._all is not None:
            self._memo.checked = head.counter

    def _parted(
        self, found: Iterable[tuple[Any, ...]]
    ) -> tuple[Head, list[tuple[int, bytes]], list[tuple[str, str, bytes]]]:
        """Split the rows of `WHOLE` or `REGISTER`, including this transaction's own writes."""
        heads, events, rows = [], [], []
        for part, number, kind, key, body in found:
            if part == 0:
                heads.append((number, body))
            elif part == 1:
                events.append((number, body))
            else:
                rows.append((kind, key, body))
        if len(heads) != 1:
            raise tampered("its head is missing")
        stored = opened_head(self._keys, self.search, *heads[0])
        if self._locked:
            if stored != self._base:
                raise tampered("its head was replaced")
            return self._head, events, rows
        self._base = stored
        return stored, events, rows

    def _added_up(
        self, head: Head, rows: Iterable[tuple[str, str, bytes]], *, everything: bool
    ) -> Register:
        """Return the register of these rows, or raise `Tampered` if they do not match the head."""
        register, sums, counts, pin = Register(), [0, 0], [0, 0], 0
        places: set[Place] = set()
        for kind, key, body in rows:
            places.add((kind, key))
            mark, voting = self._mark(kind, key, body), self._voting(kind)
            sums[voting] += mark
            counts[voting] += 1
            if not voting:
                register.set(kind, key, mark)
            elif self._pinned(kind, key):
                pin = mark
        register.total, votes_sum = (each % (1 << 256) for each in sums)
        whole = (counts[False], register.total) == (head.register, head.register_sum)
        if everything:
            votes = counts[True], votes_sum, pin
            whole = whole and votes == (head.votes, head.votes_sum, head.pin)
        # A row that an attacker hid while it was written again, and that stands beside the new one,
        # would match the sum: a manipulated table may have two rows with one key.
        if not whole or len(places) != sum(counts):
            raise tampered("a row is missing, is too many, or is older than the last one written")
        return register

    def _marks(self) -> dict[str, dict[str, int]]:
        """Return the marks of the register as it was before this transaction."""
        if self._register is None:
            known = self._memo.register
            if known is None or known.total != self._head.register_sum:
                statement = self._sql.WHOLE if self._office else self._sql.REGISTER
                head, _, rows = self._parted(self._driver.rows(statement, self._words({})))
                self._head, known = head, self._added_up(head, rows, everything=False)
                self._keep_register(known)
            self._register = known
        return self._register.marks

    def _keep_register(self, register: Register) -> None:
        """Use a register that includes all changes so far."""
        self._register, self._changes = register, {}
        if register.total == self._base.register_sum:
            self._memo.register = register

    def _body(self, kind: str, key: str) -> bytes | None:
        """Return a row in sealed form, read at most once per transaction."""
        if self._all is None and (kind, key) not in self._at_hand:
            words = self._words({"to_kind": kind, "to_key": key})
            self._take(kind, key, self._driver.value(self._sql.GET, words))
        if self._all is not None:
            return self._all.get(kind, {}).get(key)
        return self._at_hand[kind, key]

    def _take(self, kind: str, key: str, body: Any) -> None:
        """Remember a row that was read, after checking that it is the one written last."""
        if not self._voting(kind) or self._pinned(kind, key):
            mark = 0 if body is None else self._mark(kind, key, body)
            if mark != self._expected(kind, key):
                self.check()  # written since the head was read, or tampered with: this tells
                return
        self._at_hand[kind, key] = body

    def _expected(self, kind: str, key: str) -> int:
        if self._pinned(kind, key):
            return self._head.pin
        changed = self._changes.get((kind, key))
        return self._marks().get(kind, {}).get(key, 0) if changed is None else changed

    def _exchange(self, kind: str, key: str, old: bytes | None, new: bytes | None) -> None:
        marks = [0 if body is None else self._mark(kind, key, body) for body in (old, new)]
        voting, pinned = self._voting(kind), self._pinned(kind, key)
        self._head = self._head.exchanged(*marks, voting=voting, pinned=pinned)
        self._dirty = True
        self._at_hand[kind, key] = new
        if self._all is not None:
            held = self._all.setdefault(kind, {})
            held.pop(key, None)
            if new is not None:
                held[key] = new
        if not voting:
            self._changes[kind, key] = marks[1]

    def _voting(self, kind: str) -> bool:
        return kind in VOTING and not self._office

    def _pinned(self, kind: str, key: str) -> bool:
        return (kind, key) == PINNED and not self._office

    def _mark(self, kind: str, key: str, body: Any) -> int:
        if not isinstance(body, bytes):
            raise tampered("a row has another form")
        return self._keys.mark(kind, key, body)

    def _words(self, words: Mapping[str, Any]) -> dict[str, Any]:
        return {"to_search": self.search, **words}

    def _event(self, number: int, body: bytes) -> dict[str, Any]:
        return unpacked(self._keys.seal.open(body, about=about(self.search, number)))

    def _opened(self, kind: str, key: str, body: bytes) -> dict[str, Any]:
        return unpacked(self._keys.seal.open(body, about=about(self.search, kind, key)))

    @staticmethod
    def _matching(held: Iterable[tuple[str, Any]], start: str) -> Iterable[tuple[str, Any]]:
        return ((key, value) for key, value in held if key.startswith(start))


def about(search: str, *where: object) -> str:
    """Return the place of a sealed item, so that it does not open anywhere else."""
    return " ".join(("search", search, *map(str, where)))


def opened_head(keys: Keys, search: str, version: Any, body: Any) -> Head:
    """Return the head of a search.

    Raises:
        Tampered: It is missing, or its counter is not `version`.
    """
    if not isinstance(body, bytes):
        raise tampered("its head is missing")
    head = Head.from_bytes(keys.seal.open(body, about=about(search, "head")))
    if head.counter != version:
        raise tampered("its counter is not that of its head")
    return head


def chained_to(
    keys: Keys, found: Iterable[tuple[Any, Any]], head: Head, start: int, chain: bytes
) -> list[bytes] | None:
    """Return the sealed events if none is missing and they end in the head, else None.

    Args:
        keys: The keys of the search.
        found: Numbers and bodies, in any order.
        head: The head of the search.
        start: The number of the first event.
        chain: The digest of the event before it.
    """
    bodies: list[bytes] = []
    try:
        in_order = sorted(found)
    except TypeError:  # a number of another type
        return None
    for number, body in in_order:
        if number != start + len(bodies) or not isinstance(body, bytes):
            return None
        chain = keys.link(chain, number, body)
        bodies.append(body)
    ends = start + len(bodies) == max(head.events, start) and (not bodies or chain == head.chain)
    return bodies if ends else None


def _range(kind: str, start: str) -> dict[str, str]:
    return {"to_kind": kind, "least": start, "most": start + "\x7f"}
