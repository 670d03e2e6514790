"""Keep a store in memory, for tests and for polls that may end with the process."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from threading import RLock
from typing import Any

from feint.errors import NameTaken, NumberTaken, UnknownSearch
from feint.interfaces import OFFICE, Surveyed
from feint.journal.codec import checked_name, packed, unpacked


class _Held:
    """A stored search, as bytes, so that callers cannot change it."""

    def __init__(self, header: bytes) -> None:
        self.header = header
        self.events: list[tuple[str, bytes]] = []
        self.rows: dict[tuple[str, str], bytes] = {}
        self.blinding = secrets.token_bytes(32)
        self.version = 0


class Memory:
    """A store that ends with this process. Threads may share it."""

    def __init__(self) -> None:
        """Create an empty store."""
        self._lock = RLock()
        self._held = {OFFICE: _Held(b"{}")}
        self._index = secrets.token_bytes(32)
        self._located: dict[bytes, str] = {}  # set once a locator of this store was requested

    @property
    def near(self) -> bool:
        """See `Store`."""
        return True

    def create(self, name: str, header: Mapping[str, Any]) -> None:
        """See `Journal`."""
        fresh = packed(header)
        with self._lock:
            held = self._held.setdefault(checked_name(name), _Held(fresh))
            if held.header != fresh:
                raise taken_name(name)

    def names(self) -> list[str]:
        """See `Journal`."""
        with self._lock:
            return sorted(self._held.keys() - {OFFICE})

    def header(self, name: str) -> dict[str, Any]:
        """See `Journal`."""
        with self._lock:
            return unpacked(self._find(name).header)

    def events(self, name: str, *, start: int = 0) -> list[dict[str, Any]]:
        """See `Journal`."""
        with self._lock:
            return [unpacked(body) for _, body in self._find(name).events[start:]]

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        """See `Journal`."""
        with self._lock:
            events, fresh = self._find(name).events, (id, packed(event))
            if number == len(events):
                events.append(fresh)
                self._find(name).version += 1
            elif not 0 <= number < len(events) or events[number] != fresh:
                raise taken_number(number)
            return number + 1

    def delete(self, name: str) -> None:
        """See `Journal`."""
        with self._lock:
            self._held.pop(checked_name(name), None)

    @contextmanager
    def creating(self, name: str, header: Mapping[str, Any]) -> Iterator[MemoryTransaction]:
        """See `Store`."""
        fresh = _Held(packed(header))
        with self._lock:
            if checked_name(name) in self._held:
                raise taken_name(name)
            written = MemoryTransaction(fresh)
            yield written
            fresh.version += written.dirty
            self._held[name] = fresh

    @contextmanager
    def transaction(self, name: str) -> Iterator[MemoryTransaction]:
        """See `Store`."""
        with self._lock:
            held = self._find(name, office=True)
            events, rows = list(held.events), dict(held.rows)
            written = MemoryTransaction(held)
            try:
                yield written
            except BaseException:
                held.events, held.rows = events, rows
                raise
            held.version += written.dirty

    @contextmanager
    def reading(self, name: str) -> Iterator[MemoryTransaction]:
        """See `Store`."""
        with self._lock:
            copy = _Held(b"")
            held = self._find(name, office=True)
            copy.events, copy.rows = list(held.events), dict(held.rows)
            copy.blinding, copy.version = held.blinding, held.version
        yield MemoryTransaction(copy)

    def stamp(self, name: str) -> tuple[int, int]:
        """See `Store`."""
        with self._lock:
            return self._find(name).version, self._held[OFFICE].version

    def survey(self, *kinds: str) -> list[Surveyed]:
        """See `Store`."""
        found = []
        for name in self.names():
            with self.reading(name) as held:
                counts = {kind: count for kind in kinds if (count := held.count(kind))}
                found.append(Surveyed(name, held.get("poll", ""), counts))
        return found

    def restored(self) -> float | None:
        """See `Store`. Memory has no backups."""
        return None

    def probe(self) -> None:
        """See `Store`. Memory can always be written."""

    def close(self) -> None:
        """See `Store`. The searches stay until the process ends."""

    def locator(self, name: str) -> bytes:
        """See `Store`."""
        found = blake2b(name.encode(), key=self._index, digest_size=16).digest()
        self._located[found] = name
        return found

    def name_at(self, locator: bytes) -> str:
        """See `Store`."""
        name = self._located.get(locator)
        if name is None or name == OFFICE or name not in self._held:
            raise unknown_search("of a locator")
        return name

    def _find(self, name: str, *, office: bool = False) -> _Held:
        if name not in self._held or (name == OFFICE and not office):
            raise unknown_search(name)
        return self._held[name]


class MemoryTransaction:
    """Access to one search in memory.

    Attributes:
        dirty: True once anything was written.
    """

    def __init__(self, held: _Held) -> None:
        """Work on a stored search. The caller restores the old state if needed."""
        self._held = held
        self.dirty = False

    @property
    def version(self) -> int:
        """See `Transaction`."""
        return self._held.version

    def check(self, *, always: bool = True) -> None:
        """See `Transaction`. No one outside the process can change its memory."""

    def blinded(self, text: str) -> str:
        """See `Transaction`."""
        return blake2b(text.encode(), key=self._held.blinding, digest_size=16).hexdigest()

    def events(self, *, start: int = 0) -> list[dict[str, Any]]:
        """See `Transaction`."""
        return [unpacked(body) for _, body in self._held.events[start:]]

    def append(self, event: Mapping[str, Any]) -> int:
        """See `Transaction`."""
        self._held.events.append(("", packed(event)))
        self.dirty = True
        return len(self._held.events) - 1

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """See `Transaction`."""
        body = self._held.rows.get((kind, key))
        return None if body is None else unpacked(body)

    def some(self, *where: tuple[str, str]) -> list[dict[str, Any] | None]:
        """See `Transaction`."""
        return [self.get(kind, key) for kind, key in where]

    def put(self, kind: str, key: str, row: Mapping[str, Any]) -> None:
        """See `Transaction`."""
        self._held.rows[kind, key] = packed(row)
        self.dirty = True

    def drop(self, kind: str, key: str) -> None:
        """See `Transaction`."""
        if self._held.rows.pop((kind, key), None) is not None:
            self.dirty = True

    def rows(self, kind: str, *, start: str = "") -> dict[str, dict[str, Any]]:
        """See `Transaction`."""
        found = sorted(self._keys(kind, start))
        return {key: unpacked(self._held.rows[kind, key]) for key in found}

    def keys(self, kind: str, *, start: str = "") -> list[str]:
        """See `Transaction`."""
        return sorted(self._keys(kind, start))

    def count(self, kind: str, *, start: str = "") -> int:
        """See `Transaction`."""
        return sum(1 for _ in self._keys(kind, start))

    def _keys(self, kind: str, start: str) -> Iterator[str]:
        return (key for of, key in self._held.rows if of == kind and key.startswith(start))


def unknown_search(name: str) -> UnknownSearch:
    """Build the error for an unknown search."""
    return UnknownSearch("name", name, "there is no search of this name", "list those there are")


def taken_name(name: str) -> NameTaken:
    """Build the error for a name that is taken."""
    rule = "another search has this name"
    return NameTaken("name", name, rule, "go on with that one, or choose another name")


def taken_number(number: int) -> NumberTaken:
    """Build the error for an event number that is taken or too large."""
    rule = "is not the number of the next event: another process went on, or one is missing"
    return NumberTaken("number", number, rule, "read the events there are, and go on from them")
