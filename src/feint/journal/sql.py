"""A sealed store in SQL: a SQLite file, or PostgreSQL.

Only these are readable without a key: ids of searches (keyed hashes of their names), numbers of
events, kinds and keys of rows, and the number of writes of each search. Names, headers, events and
the content of rows open only with the master key. `heads` detects deleted and outdated ones.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from feint.errors import BadState, NumberTaken, Tampered, Unavailable, WrongKey
from feint.interfaces import OFFICE, Surveyed
from feint.journal.codec import checked_name, packed, unpacked
from feint.journal.engines import Database, Raced
from feint.journal.heads import PINNED, Head, Keys, Memo, tampered
from feint.journal.memory import taken_name, taken_number, unknown_search
from feint.journal.resealing import add_head, reseal
from feint.journal.sealing import BYTES, Seal, fresh_key
from feint.journal.transactions import SQLTransaction, about, chained_to, opened_head

if TYPE_CHECKING:
    from feint.journal.driver import Driver

T = TypeVar("T")
_KNOWN = 20_000  # searches whose keys are cached
_INDEX = "index"
_INDEX_3 = "index 3"  # since version 3, so that a key sealed by an earlier version is refused
_PROBE = "probe"
_GONE = "gone"  # the kind of the office's rows that record destroyed data keys
_RESTORED = "restored"


class _Known(NamedTuple):
    """The cached keys and state of a search."""

    keys: Keys
    memo: Memo


class SQL:
    """A store in a database. Threads may share it, and processes may share the database."""

    def __init__(self, url: str, *, key: bytes, create: bool = True) -> None:
        """Open a database, and create or upgrade its tables.

        Args:
            url: sqlite:///PATH or postgresql://USER@HOST/NAME.
            key: The master key (`read_key`).
            create: True to create a missing SQLite file.

        Raises:
            WrongKey: The database was made with another key.
            BadState: The database is of a newer version of feint, or missing without `create`.
            InvalidValue: The URL is not of such a database, or the key does not have 32 bytes.
            MissingExtra: A required package is not installed.
            Unavailable: The database cannot be reached, or its file is damaged.
        """
        self._database = Database(url, create=create)
        from feint.journal import statements, tables  # imported here because they need SQLAlchemy

        self._sql = statements
        self._master = Seal(key)
        self._known: OrderedDict[bytes, _Known] = OrderedDict()
        self._seen: dict[str, Memo] = {}  # by id, for the most recently used searches
        self._names: dict[str, str] = {}  # by id, for searches that were looked up
        self._lock = Lock()
        self._database.check_file()
        tables.upgrade(self._database, add_heads=self._add_heads)
        with self._database.writing(alone=True) as driver:
            self._index = self._index_key(driver)
            self._office = self._id(OFFICE)
            if self._found(driver, OFFICE) is None:
                self._insert(driver, OFFICE, {})

    @property
    def near(self) -> bool:
        """See `Store`."""
        return self._database.sqlite

    def create(self, name: str, header: Mapping[str, Any]) -> None:
        """See `Journal`."""
        checked_name(name)

        def write(driver: Driver) -> None:
            if self._found(driver, name) is None:
                self._begun(driver, name, header)
            elif self._header(driver, name) != header:
                raise taken_name(name)

        self._again(lambda: self._run(write))

    def names(self) -> list[str]:
        """See `Journal`."""
        with self._database.reading() as driver:
            gone = self._gone(driver, self._least(self._office))
            found = driver.rows(self._sql.ALL)
        known = [(id, self._keys(id, wrapped).keys, name) for id, wrapped, name in found]
        names = {_name(keys, id, name) for id, keys, name in known if keys.fingerprint not in gone}
        return sorted(names - {OFFICE})

    def header(self, name: str) -> dict[str, Any]:
        """See `Journal`."""
        with self._database.reading() as driver:
            return self._header(driver, name)

    def events(self, name: str, *, start: int = 0) -> list[dict[str, Any]]:
        """See `Journal`."""
        search = self._id(name)
        with self._database.reading() as driver:
            seen, least = self._seen.get(search), self._least(search)
            office_least = self._least(self._office)
            found = self._later(driver, name, start)
            wrapped, version, body, office = found[0][:4]
            keys, memo = self._living(driver, name, wrapped, office, least=office_least)
            head = opened_head(keys, search, version, body)
        if memo is seen:
            _check_counter(head, least)
        chain = memo.chains.get(start, None if start else bytes(32))
        chain = head.chain if start == head.events else chain
        events = [(number, body) for *_, number, body in found if number is not None]
        bodies = None if chain is None else chained_to(keys, events, head, start, chain)
        if bodies is None:  # the earlier events are unknown to this process, or wrong
            with self.reading(name) as held:
                return held.events(start=start)
        memo.keep_chain(head.events, head.chain)
        return [
            unpacked(keys.seal.open(body, about=about(search, start + number)))
            for number, body in enumerate(bodies)
        ]

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        """See `Journal`."""

        def attempt() -> int:
            try:
                with self.transaction(name) as held:
                    if name == OFFICE:
                        raise unknown_search(name)
                    if number != held.events_held:
                        raise taken_number(number)
                    return held.append(event, id=id) + 1
            except NumberTaken:
                if self._marked(name, number, id):
                    return number + 1
                raise

        return self._again(attempt)

    def delete(self, name: str) -> None:
        """See `Journal`.

        The data key is destroyed first, and without it nothing of the search opens. The office
        keeps a mark of the key, so that a copy of the search that is put back is refused. Earlier
        backups still hold the search.
        """
        search = self._id(checked_name(name))

        def write() -> None:
            with self._database.writing() as driver, self._burying(driver) as bury:
                # lock in the order that votes use, to avoid a deadlock
                driver.rows(self._sql.LOCK, self._place(name))
                wrapped = driver.value(self._sql.KEY, {"to_search": search})
                for statement in self._sql.DELETES:
                    driver.change(statement, {"to_search": search})
                if wrapped is not None:
                    bury(search, wrapped)

        self._again(write)
        self._names.pop(search, None)
        self._database.tidy()

    @contextmanager
    def creating(self, name: str, header: Mapping[str, Any]) -> Iterator[SQLTransaction]:
        """See `Store`."""
        checked_name(name)
        with self._database.writing() as driver:
            if self._found(driver, name) is not None:
                raise taken_name(name)
            try:
                self._begun(driver, name, header)
            except self._database.doubles:  # another process created it first
                raise taken_name(name) from None
            with self._locked(driver, name) as held:
                yield held

    @contextmanager
    def transaction(self, name: str) -> Iterator[SQLTransaction]:
        """See `Store`."""
        with self._database.writing() as driver, self._locked(driver, name) as held:
            yield held

    @contextmanager
    def reading(self, name: str) -> Iterator[SQLTransaction]:
        """See `Store`."""
        with self._database.reading() as driver:
            yield self._entered(driver, name, self._sql.ENTER)

    def stamp(self, name: str) -> tuple[int, int]:
        """See `Store`."""
        search = self._id(name)
        with self._database.reading() as driver:
            found = dict(driver.rows(self._sql.STAMP, self._place(name)))
        if search not in found or name == OFFICE:
            raise unknown_search(name)
        return int(found[search]), int(found.get(self._office, 0))

    def survey(self, *kinds: str) -> list[Surveyed]:
        """See `Store`."""
        with self._database.reading() as driver:
            gone = self._gone(driver, self._least(self._office))
            found = driver.rows(self._sql.SURVEY)
            counted = driver.rows(self._sql.counts(kinds)) if kinds else []
        counts: dict[str, dict[str, int]] = {}
        for search, kind, count in counted:
            counts.setdefault(str(search), {})[str(kind)] = int(count)
        listed = []
        for id, wrapped, sealed, version, body, pinned in found:
            keys = self._keys(id, wrapped).keys
            name = _name(keys, id, sealed)
            if name == OFFICE or keys.fingerprint in gone:
                continue
            head, row = opened_head(keys, id, version, body), None
            if pinned is not None:
                row = unpacked(keys.seal.open(pinned, about=about(id, *PINNED)))
            if head.pin != (0 if pinned is None else keys.mark(*PINNED, pinned)):
                raise tampered("a row is missing, or is older than the last one written")
            listed.append(Surveyed(name, row, counts.get(id, {})))
        return sorted(listed)

    def check(self) -> int:
        """Check every search completely, and return the number of searches.

        Raises:
            Tampered: A search is inconsistent.
        """
        names = [OFFICE, *self.names()]
        for name in names:
            with self.reading(name) as held:
                held.check()
        return len(names) - 1

    def mark_restored(self, now: float | None = None) -> None:
        """Record in the office that this database is a restored backup; None: restored now."""
        with self.transaction(OFFICE) as held:
            row = held.get(_RESTORED, "") or {"times": 0}
            at = time.time() if now is None else now
            held.put(_RESTORED, "", {"times": row["times"] + 1, "at": at})

    def restored(self) -> float | None:
        """See `Store`."""
        with self.reading(OFFICE) as held:
            row = held.get(_RESTORED, "")
        return None if row is None else float(row["at"])

    def locator(self, name: str) -> bytes:
        """See `Store`. It is the search's id, a keyed hash of its name."""
        return bytes.fromhex(self._id(name))

    def name_at(self, locator: bytes) -> str:
        """See `Store`."""
        search = locator.hex()
        name = self._names.get(search)  # an id never changes its name
        if name is None:
            with self._database.reading() as driver:
                found = driver.rows(self._sql.NAMED, {"to_search": search})
            if not found:
                raise unknown_search("of a locator")
            wrapped, sealed = found[0]
            name = _name(self._keys(search, wrapped).keys, search, sealed)
            if name == OFFICE:
                raise unknown_search(name)
            if len(self._names) >= _KNOWN:
                self._names.clear()
            self._names[search] = name
        return name

    def rotate(self, key: bytes) -> None:
        """Wrap every data key under a new master key. The old one then opens nothing.

        Other processes that have the database open must be restarted with the new key. Backups
        open with their old key.
        """
        fresh = Seal(key)
        with self._database.writing(alone=True) as driver:
            index = self._master.open(self._meta(driver), about=_INDEX_3)
            words = {"to_name": _INDEX, "to_held": fresh.seal(index, about=_INDEX_3)}
            driver.change(self._sql.SET_META, words)  # creations of searches wait for it
            for id, wrapped, _ in driver.rows(self._sql.ALL):
                where = about(id, "key")
                again = fresh.seal(self._master.open(wrapped, about=where), about=where)
                driver.change(self._sql.REWRAP, {"to_search": id, "fresh": again})
        self._master = fresh
        self._database.tidy()

    def rotate_data(self) -> int:
        """Give every search a new data key and seal its data again; return the number of searches.

        Each search is one transaction, and is checked before it is changed. If it is interrupted,
        all searches still open, and it can be run again. Afterwards earlier copies of a search are
        refused. Other processes may have the database open.

        Raises:
            Tampered: A search is inconsistent. The searches before it have new keys.
        """
        names = [*self.names(), OFFICE]
        for name in names:
            search = self._id(name)
            # Exclusive, because a concurrent new master key would wrap the old data keys.
            with self._database.writing(alone=True) as driver, self._burying(driver) as bury:
                self._entered(driver, name, self._sql.LOCK, locked=True).check()
                wrapped = driver.value(self._sql.KEY, {"to_search": search})
                keys = self._keys(search, wrapped).keys
                fresh = Keys(fresh_key(), keys.blinding)
                again = self._master.seal(fresh.to_bytes(), about=about(search, "key"))
                reseal(self._sql, driver, search, keys, fresh, wrapped=again, office=name == OFFICE)
                bury(search, wrapped)
        self._database.tidy()
        return len(names) - 1

    def probe(self) -> None:
        """See `Store`.

        The bytes are fresh, since SQLite does not write unchanged rows. A transaction that is
        rolled back would not do, since a full disk shows only on commit.
        """
        words = {"to_name": _PROBE, "to_held": secrets.token_bytes(8)}

        def write(driver: Driver) -> None:
            if not driver.change(self._sql.SET_META, words):
                driver.change(self._sql.ADD_META, words)

        self._again(lambda: self._run(write))

    def close(self) -> None:
        """Close the database. A SQLite database is then complete in its one file."""
        self._database.close()

    def _run(self, write: Callable[[Driver], T]) -> T:
        with self._database.writing() as driver:
            return write(driver)

    def _again(self, attempt: Callable[[], T]) -> T:
        """Retry once if another process was faster or the connection was stale."""
        try:
            return attempt()
        except (Raced, Unavailable):
            return attempt()

    def _marked(self, name: str, number: int, id: str) -> bool:
        """Return True if this very write is already stored."""
        with self._database.reading() as driver:
            words = {"to_search": self._id(name), "to_number": number}
            return bool(driver.value(self._sql.MARK, words) == id)

    def _id(self, name: str) -> str:
        return _id(name, self._index)

    def _place(self, name: str) -> dict[str, str]:
        return {"to_search": self._id(name), "to_office": self._office}

    def _index_key(self, driver: Driver) -> bytes:
        """Return the key of the index; opening it checks the master key too."""
        held = self._meta(driver)
        if held is None:
            index = fresh_key()
            sealed = self._master.seal(index, about=_INDEX_3)
            driver.change(self._sql.ADD_META, {"to_name": _INDEX, "to_held": sealed})
            return index
        return self._master.open(held, about=_INDEX_3)

    def _add_heads(self, driver: Driver) -> None:
        """Give every search of a database of an earlier version a head and a new data key.

        An attacker who kept the old sealed key of the index could cause a repeated upgrade, which
        accepts all rows it finds. So rows written from now on do not open with data keys of earlier
        versions, and new data keys are not accepted as old ones.

        Raises:
            Tampered: The search is already of this version.
        """
        held = self._meta(driver)
        if held is None:
            return
        index = self._master.open(held, about=_INDEX)
        words = {"to_name": _INDEX, "to_held": self._master.seal(index, about=_INDEX_3)}
        driver.change(self._sql.SET_META, words)
        for id, wrapped, _ in driver.rows(self._sql.ALL):
            office, where = id == _id(OFFICE, index), about(id, "key")
            held = self._master.open(wrapped, about=where)
            if len(held) != BYTES:  # since version 3 a blinding key is stored with it
                raise tampered("it is newer than the database says")
            keys = Keys.unwrapped(held)
            add_head(self._sql, driver, id, keys, office=office)
            fresh = Keys(fresh_key(), keys.blinding)
            again = self._master.seal(fresh.to_bytes(), about=where)
            reseal(self._sql, driver, id, keys, fresh, wrapped=again, office=office)

    def _meta(self, driver: Driver) -> Any:
        return driver.value(self._sql.META, {"to_name": _INDEX})

    def _found(self, driver: Driver, name: str) -> Any:
        found = driver.rows(self._sql.FIND, {"to_search": self._id(name)})
        return found[0] if found else None

    def _later(self, driver: Driver, name: str, start: int) -> list[tuple[Any, ...]]:
        words = {**self._place(name), "start": start}
        found = [] if name == OFFICE else driver.rows(self._sql.LATER, words)
        if not found:
            raise self._missing(driver, name)
        return found

    def _missing(self, driver: Driver, name: str) -> BadState | LookupError:
        """Return the error for a search without a head.

        A single statement looks for it, because between two statements the search could be deleted
        and created again.
        """
        headless = driver.rows(self._sql.HEADLESS, {"to_search": self._id(name)})
        there = headless and name != OFFICE
        return tampered("its head is missing") if there else unknown_search(name)

    @contextmanager
    def _locked(self, driver: Driver, name: str) -> Iterator[SQLTransaction]:
        """Lock a search for writing. Its head is replaced at the end, if anything was written."""
        held = self._entered(driver, name, self._sql.LOCK, locked=True)
        yield held
        self._finish(driver, held)

    def _finish(self, driver: Driver, held: SQLTransaction) -> None:
        """Replace the head if anything was written, and commit."""
        head = held.changed_head()
        if head is None:
            return
        words = {"to_version": head.counter, "to_body": held.sealed(head)}
        words |= {"to_search": held.search, "to_base": held.version}
        if driver.change(self._sql.SET_HEAD, words) != 1:
            raise tampered("its head was replaced")
        driver.commit()
        held.remember(head)

    def _entered(
        self,
        driver: Driver,
        name: str,
        statement: Any,
        *,
        locked: bool = False,
        least: int | None = None,
    ) -> SQLTransaction:
        """Read a search's key and head, by a statement that may lock them.

        Args:
            driver: A connection.
            name: The search.
            statement: The statement.
            locked: True if the statement locks them.
            least: The counter that the process had seen when the connection began to read; None:
                reading begins now.

        Raises:
            Tampered: The head is missing or of another state, or the search was deleted and put
                back.
        """
        search, waited = self._id(name), False
        while True:
            # Noted before the head is read, because other threads may write and count meanwhile.
            seen, floor = self._seen.get(search), self._least(search) if least is None else least
            office_floor = self._least(self._office)
            found = driver.rows(statement, self._place(name))
            if not found:
                raise self._missing(driver, name)
            wrapped, version, body, office = found[0]
            keys, memo = self._living(driver, name, wrapped, office, least=office_floor)
            try:
                head = opened_head(keys, search, version, body)
            except WrongKey:
                if waited or not locked:
                    raise
                waited = True  # while waiting for the lock, the data key may have been replaced
                continue
            break
        if memo is seen or name == OFFICE:  # a new data key does not reset the office's counter
            _check_counter(head, floor)
        self._see(search, memo, head)
        held = SQLTransaction(
            self._sql,
            driver,
            search,
            keys,
            wrapped=wrapped,
            head=head,
            memo=memo,
            office=name == OFFICE,
            locked=locked,
        )
        if memo.checked < 0 and name != OFFICE:
            held.check()
        return held

    def _begun(self, driver: Driver, name: str, header: Mapping[str, Any]) -> None:
        """Insert a new search."""
        # the master key has not changed meanwhile
        self._master.open(self._meta(driver), about=_INDEX_3)
        self._insert(driver, name, header)

    def _insert(self, driver: Driver, name: str, header: Mapping[str, Any]) -> None:
        keys, id = Keys(fresh_key(), fresh_key()), self._id(name)
        seal = keys.seal
        wrapped = self._master.seal(keys.to_bytes(), about=about(id, "key"))
        words = {
            "id": id,
            "wrapped": wrapped,
            "name": seal.seal(name.encode().ljust(1024), about=about(id, "name")),
            "header": seal.seal(packed(header), about=about(id, "header")),
        }
        driver.change(self._sql.CREATE, words)
        body = seal.seal(Head().to_bytes(), about=about(id, "head"))
        driver.change(self._sql.ADD_HEAD, {"to_search": id, "to_version": 0, "to_body": body})
        self._keys(id, wrapped).memo.checked = 0  # a new search has nothing to check

    def _header(self, driver: Driver, name: str) -> dict[str, Any]:
        least = self._least(self._office)
        found = None if name == OFFICE else self._found(driver, name)
        if found is None:
            raise unknown_search(name)
        id, (wrapped, header) = self._id(name), found
        seal = self._living(driver, name, wrapped, None, least=least).keys.seal
        return unpacked(seal.open(header, about=about(id, "header")))

    @contextmanager
    def _burying(self, driver: Driver) -> Iterator[Callable[[str, bytes], None]]:
        """Record in the office the data keys that are destroyed in this transaction."""
        office: list[SQLTransaction] = []

        def bury(search: str, wrapped: bytes) -> None:
            try:
                fingerprint = self._keys(search, wrapped).keys.fingerprint
            except WrongKey:  # it cannot be opened, so an attacker cannot put it back
                return
            office.append(self._entered(driver, OFFICE, self._sql.LOCK, locked=True))
            office[0].put(_GONE, fingerprint, {})

        yield bury
        for held in office:
            self._finish(driver, held)

    def _gone(self, driver: Driver, least: int, *only: str) -> set[str]:
        """Return the fingerprints of data keys that were destroyed.

        Args:
            driver: A connection.
            least: The counter of the office that the process had seen when it began to read.
            only: The fingerprints to look up; empty: return all, which may be many.
        """

        def found() -> set[str]:
            office = self._entered(driver, OFFICE, self._sql.ENTER, least=least)
            if only:
                return {each for each in only if office.get(_GONE, each) is not None}
            return set(office.keys(_GONE))

        try:
            return found()
        except WrongKey:  # on PostgreSQL a writer sees a new data key of the office
            return found()

    def _least(self, search: str) -> int:
        """Return the highest counter of a search that this process has seen, or 0."""
        memo = self._seen.get(search)
        return 0 if memo is None else memo.counter

    def _see(self, search: str, memo: Memo, head: Head) -> None:
        """Remember a committed head. Later, a head with a lower counter is an old copy."""
        with self._lock:
            memo.counter = max(memo.counter, head.counter)
            self._seen[search] = memo
            while len(self._seen) > _KNOWN:
                self._seen.pop(next(iter(self._seen)))

    def _living(
        self, driver: Driver, name: str, wrapped: bytes, office: Any, *, least: int
    ) -> _Known:
        """Return the keys of a search, unless they were destroyed and put back.

        The office is read only if it was written since the last time, or if its counter is lower
        than before: an attacker can set back the counter, which is in the clear.

        Args:
            driver: A connection.
            name: The search.
            wrapped: Its keys as stored.
            office: The counter of the office, in the clear; None: it was not read.
            least: As in `_gone`.

        Raises:
            Tampered: The keys were destroyed and put back.
        """
        known = self._keys(self._id(name), wrapped)
        if name == OFFICE:
            return known
        if office is None or office < least or known.memo.living != office:
            if self._gone(driver, least, known.keys.fingerprint):
                # A writer that waited for a lock may have read the old key. The current head does
                # not open with that key, so the caller reads both again.
                if driver.value(self._sql.KEY, {"to_search": self._id(name)}) != wrapped:
                    return known
                rule = "was deleted, and put back outside feint"
                raise Tampered("name", name, rule, "delete it again")
            known.memo.living = -1 if office is None else office
        return known

    def _keys(self, id: str, wrapped: bytes) -> _Known:
        """Return a search's keys from their stored form."""
        with self._lock:
            known = self._known.get(wrapped)
            if known is not None:
                self._known.move_to_end(wrapped)
                return known
        if not isinstance(wrapped, bytes):
            raise tampered("its key is missing")
        keys = Keys.unwrapped(self._master.open(wrapped, about=about(id, "key")))
        with self._lock:
            known = self._known.setdefault(wrapped, _Known(keys, Memo()))
            while len(self._known) > _KNOWN:
                self._known.popitem(last=False)
        return known


def _id(name: str, index: bytes) -> str:
    return blake2b(name.encode(), key=index, digest_size=16).hexdigest()


def _check_counter(head: Head, least: int) -> None:
    if head.counter < least:
        raise tampered("it is an older copy than this process has seen")


def _name(keys: Keys, id: str, sealed: Any) -> str:
    return keys.seal.open(sealed, about=about(id, "name")).decode().rstrip()
