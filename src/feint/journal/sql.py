"""A store in SQL: SQLite in one file, or PostgreSQL; everything in it is sealed.

In the clear are the ids of searches (their names under a key of the index), numbers of events, and
kinds and keys of rows. Names, headers, events and what is in rows open with the master key alone.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from feint.errors import NumberTaken, Unavailable
from feint.interfaces import OFFICE
from feint.journal.codec import checked_name, packed, unpacked
from feint.journal.engines import Database, Raced
from feint.journal.memory import taken_name, taken_number, unknown_search
from feint.journal.sealing import Seal, fresh_key

if TYPE_CHECKING:
    from feint.journal.driver import Driver

T = TypeVar("T")
_SEALS = 20_000  # data keys that are kept at hand
_INDEX = "index"


class SQL:
    """A store in a database. Threads may share it, and any number of processes the database."""

    def __init__(self, url: str, *, key: bytes, create: bool = True) -> None:
        """Open a database, and make or bring up to date its tables.

        Args:
            url: sqlite:///PATH or postgresql://USER@HOST/NAME.
            key: The master key (`read_key`).
            create: Whether a file of SQLite's that is not there is made.

        Raises:
            WrongKey: It was made with another key.
            BadState: It is of a newer version of feint, or is not there and is not to be made.
            InvalidValue: The URL is of no such database, or the key has not 32 bytes.
            MissingExtra: What it needs is not installed.
            Unavailable: The database cannot be reached.
        """
        self._database = Database(url, create=create)
        from feint.journal import statements, tables  # they need SQLAlchemy

        self._sql = statements
        self._master = Seal(key)
        self._seals: OrderedDict[bytes, Seal] = OrderedDict()
        self._wrapped: dict[str, bytes] = {}  # the key of each search as it was stored last
        self._names: dict[str, str] = {}  # by id, of those that were looked for
        self._lock = Lock()
        tables.upgrade(self._database)
        with self._database.writing(alone=True) as driver:
            self._index = self._index_key(driver)
            if self._found(driver, OFFICE) is None:
                self._insert(driver, OFFICE, {})

    @property
    def near(self) -> bool:
        """As in `Store`."""
        return self._database.sqlite

    def create(self, name: str, header: Mapping[str, Any]) -> None:
        """As in `Journal`."""
        checked_name(name)

        def write(driver: Driver) -> None:
            if self._found(driver, name) is None:
                self._begun(driver, name, header)
            elif self._header(driver, name) != header:
                raise taken_name(name)

        self._again(lambda: self._run(write))

    def names(self) -> list[str]:
        """As in `Journal`."""
        with self._database.reading() as driver:
            found = driver.rows(self._sql.ALL)
        names = {
            self._seal(id, wrapped).open(name, about=_about(id, "name")).decode().rstrip()
            for id, wrapped, name in found
        }
        return sorted(names - {OFFICE})

    def header(self, name: str) -> dict[str, Any]:
        """As in `Journal`."""
        with self._database.reading() as driver:
            return self._header(driver, name)

    def events(self, name: str, *, start: int = 0) -> list[dict[str, Any]]:
        """As in `Journal`."""
        search, words = self._id(name), {"to_search": self._id(name), "start": start}
        with self._database.reading() as driver:
            found = driver.rows(self._sql.LATER, words)
        if not found or name == OFFICE:
            raise unknown_search(name)
        seal = self._seal(search, found[0][0])
        return [
            unpacked(seal.open(body, about=_about(search, number)))
            for _, number, body in found
            if number is not None
        ]

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        """As in `Journal`."""
        search = self._id(name)

        def write(driver: Driver) -> int:
            known = self._wrapped.get(search)
            if known is not None and put(driver, known):
                return number + 1
            wrapped = driver.value(self._sql.KEY, {"to_search": search})
            if wrapped is None or name == OFFICE:
                raise unknown_search(name)
            if wrapped == known or not put(driver, wrapped):
                raise taken_number(number)
            self._wrapped[search] = wrapped
            return number + 1

        def put(driver: Driver, wrapped: bytes) -> bool:
            body = self._seal(search, wrapped).seal(packed(event), about=_about(search, number))
            words: dict[str, Any] = {"to_search": search, "to_number": number}
            words |= {"to_mark": id, "to_body": body}
            words["to_wrapped"] = wrapped  # under another key it would not be read again
            return driver.change(self._sql.APPEND, words) == 1

        def attempt() -> int:
            try:
                return self._run(write)
            except NumberTaken:
                if self._marked(name, number, id):
                    return number + 1
                raise

        return self._again(attempt)

    def delete(self, name: str) -> None:
        """As in `Journal`.

        Its data key goes first of all, and without it nothing of the search opens. Backups that
        were made before still hold it.
        """
        search = self._id(checked_name(name))

        def write(driver: Driver) -> None:
            driver.value(self._sql.LOCK, {"to_search": search})  # as votes do, or both would wait
            for statement in self._sql.DELETES:
                driver.change(statement, {"to_search": search})

        self._again(lambda: self._run(write))
        self._wrapped.pop(search, None)
        self._names.pop(search, None)
        self._database.tidy()

    @contextmanager
    def creating(self, name: str, header: Mapping[str, Any]) -> Iterator[SQLTransaction]:
        """As in `Store`."""
        search = self._id(checked_name(name))
        with self._database.writing() as driver:
            if self._found(driver, name) is not None:
                raise taken_name(name)
            try:
                wrapped = self._begun(driver, name, header)
            except self._database.doubles:  # another process was a moment earlier
                raise taken_name(name) from None
            yield SQLTransaction(self._sql, driver, search, self._seal(search, wrapped), wrapped)

    @contextmanager
    def transaction(self, name: str) -> Iterator[SQLTransaction]:
        """As in `Store`."""
        search = self._id(name)
        with self._database.writing() as driver:
            wrapped = driver.value(self._sql.LOCK, {"to_search": search})
            if wrapped is None:
                raise unknown_search(name)
            seal = self._seal(search, wrapped)
            yield SQLTransaction(self._sql, driver, search, seal, wrapped)

    @contextmanager
    def reading(self, name: str) -> Iterator[SQLTransaction]:
        """As in `Store`."""
        search = self._id(name)
        with self._database.reading() as driver:
            wrapped = driver.value(self._sql.KEY, {"to_search": search})
            if wrapped is None:
                raise unknown_search(name)
            seal = self._seal(search, wrapped)
            yield SQLTransaction(self._sql, driver, search, seal, wrapped)

    def locator(self, name: str) -> bytes:
        """As in `Store`: the id of the search, which only the key of the index makes of a name."""
        return bytes.fromhex(self._id(name))

    def name_at(self, locator: bytes) -> str:
        """As in `Store`."""
        search = locator.hex()
        name = self._names.get(search)  # an id is of one name for ever
        if name is None:
            with self._database.reading() as driver:
                found = driver.rows(self._sql.NAMED, {"to_search": search})
            if not found:
                raise unknown_search("of a locator")
            wrapped, sealed = found[0]
            opened = self._seal(search, wrapped).open(sealed, about=_about(search, "name"))
            name = opened.decode().rstrip()
            if name == OFFICE:
                raise unknown_search(name)
            if len(self._names) >= _SEALS:
                self._names.clear()
            self._names[search] = name
        return name

    def rotate(self, key: bytes) -> None:
        """Wrap every data key under a new master key; the old one opens nothing any more.

        Other processes that have the database open must be started again with the new key. Backups
        open with the key of their time.
        """
        fresh = Seal(key)
        with self._database.writing(alone=True) as driver:
            index = self._master.open(self._meta(driver), about=_INDEX)
            words = {"to_name": _INDEX, "to_held": fresh.seal(index, about=_INDEX)}
            driver.change(self._sql.SET_META, words)  # who would begin a search waits for it
            for id, wrapped, _ in driver.rows(self._sql.ALL):
                about = _about(id, "key")
                again = fresh.seal(self._master.open(wrapped, about=about), about=about)
                driver.change(self._sql.REWRAP, {"to_search": id, "fresh": again})
        self._master = fresh
        self._wrapped.clear()
        self._database.tidy()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _run(self, write: Callable[[Driver], T]) -> T:
        with self._database.writing() as driver:
            return write(driver)

    def _again(self, attempt: Callable[[], T]) -> T:
        """Try twice where another process was earlier, or the connection was an old one."""
        try:
            return attempt()
        except (Raced, Unavailable):
            return attempt()

    def _marked(self, name: str, number: int, id: str) -> bool:
        """Whether this very write is there already."""
        with self._database.reading() as driver:
            words = {"to_search": self._id(name), "to_number": number}
            return bool(driver.value(self._sql.MARK, words) == id)

    def _id(self, name: str) -> str:
        return blake2b(name.encode(), key=self._index, digest_size=16).hexdigest()

    def _index_key(self, driver: Driver) -> bytes:
        """The key of the index, which also tells whether the master key is the right one."""
        held = self._meta(driver)
        if held is None:
            index = fresh_key()
            sealed = self._master.seal(index, about=_INDEX)
            driver.change(self._sql.ADD_META, {"to_name": _INDEX, "to_held": sealed})
            return index
        return self._master.open(held, about=_INDEX)

    def _meta(self, driver: Driver) -> Any:
        return driver.value(self._sql.META, {"to_name": _INDEX})

    def _found(self, driver: Driver, name: str) -> Any:
        found = driver.rows(self._sql.FIND, {"to_search": self._id(name)})
        return found[0] if found else None

    def _begun(self, driver: Driver, name: str, header: Mapping[str, Any]) -> bytes:
        """Put a search there, and give its data key as it is stored."""
        self._master.open(self._meta(driver), about=_INDEX)  # it is the master key still
        return self._insert(driver, name, header)

    def _insert(self, driver: Driver, name: str, header: Mapping[str, Any]) -> bytes:
        key, id = fresh_key(), self._id(name)
        seal = Seal(key)
        wrapped = self._master.seal(key, about=_about(id, "key"))
        words = {
            "id": id,
            "wrapped": wrapped,
            "name": seal.seal(name.encode().ljust(1024), about=_about(id, "name")),
            "header": seal.seal(packed(header), about=_about(id, "header")),
        }
        driver.change(self._sql.CREATE, words)
        return wrapped

    def _header(self, driver: Driver, name: str) -> dict[str, Any]:
        found = None if name == OFFICE else self._found(driver, name)
        if found is None:
            raise unknown_search(name)
        id, (wrapped, header) = self._id(name), found
        sealed = self._seal(id, wrapped).open(header, about=_about(id, "header"))
        return unpacked(sealed)

    def _seal(self, id: str, wrapped: bytes) -> Seal:
        """The seal of a search's data key, by the key as it is stored now."""
        with self._lock:
            held = self._seals.get(wrapped)
            if held is not None:
                self._seals.move_to_end(wrapped)
                return held
        seal = Seal(self._master.open(wrapped, about=_about(id, "key")))
        with self._lock:
            self._seals[wrapped] = seal
            while len(self._seals) > _SEALS:
                self._seals.popitem(last=False)
        return seal


class SQLTransaction:
    """Access to one search of a database, on one connection."""

    def __init__(self, sql: Any, driver: Driver, search: str, seal: Seal, wrapped: bytes) -> None:
        """Work on a connection; whoever made it commits."""
        self._sql, self._driver = sql, driver
        self._search, self._seal, self._wrapped = search, seal, wrapped

    def events(self, *, start: int = 0) -> list[dict[str, Any]]:
        """As in `Transaction`."""
        words = {"to_search": self._search, "start": start}
        found = self._driver.rows(self._sql.EVENTS, words)
        return [
            unpacked(self._seal.open(body, about=_about(self._search, number)))
            for number, body in found
        ]

    def append(self, event: Mapping[str, Any]) -> int:
        """As in `Transaction`."""
        number = int(self._driver.value(self._sql.NEXT, {"to_search": self._search}))
        body = self._seal.seal(packed(event), about=_about(self._search, number))
        mark = secrets.token_hex(16)
        words = {"to_number": number, "to_mark": mark, "to_body": body, "to_wrapped": self._wrapped}
        if self._driver.change(self._sql.APPEND, self._words(words)) != 1:
            raise taken_number(number)
        return number

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """As in `Transaction`."""
        words = self._words({"to_kind": kind, "to_key": key})
        body = self._driver.value(self._sql.GET, words)
        return None if body is None else self._opened(kind, key, body)

    def some(self, *where: tuple[str, str]) -> list[dict[str, Any] | None]:
        """As in `Transaction`."""
        words: dict[str, str] = {}
        for number, (kind, key) in enumerate(where):
            words |= {f"kind_{number}": kind, f"key_{number}": key}
        found = self._driver.rows(self._sql.some(len(where)), self._words(words))
        rows = {(kind, key): self._opened(kind, key, body) for kind, key, body in found}
        return [rows.get(each) for each in where]

    def put(self, kind: str, key: str, row: Mapping[str, Any]) -> None:
        """As in `Transaction`."""
        body = self._seal.seal(packed(row), about=_about(self._search, kind, key))
        words = {"to_kind": kind, "to_key": key, "to_body": body}
        self._driver.change(self._sql.put(self._driver.kind), self._words(words))

    def drop(self, kind: str, key: str) -> None:
        """As in `Transaction`."""
        self._driver.change(self._sql.DROP, self._words({"to_kind": kind, "to_key": key}))

    def rows(self, kind: str, *, start: str = "") -> dict[str, dict[str, Any]]:
        """As in `Transaction`."""
        found = self._driver.rows(self._sql.ROWS, self._words(_range(kind, start)))
        return {key: self._opened(kind, key, body) for key, body in found}

    def count(self, kind: str, *, start: str = "") -> int:
        """As in `Transaction`."""
        return int(self._driver.value(self._sql.COUNT, self._words(_range(kind, start))))

    def _words(self, words: Mapping[str, Any]) -> dict[str, Any]:
        return {"to_search": self._search, **words}

    def _opened(self, kind: str, key: str, body: bytes) -> dict[str, Any]:
        return unpacked(self._seal.open(body, about=_about(self._search, kind, key)))


def _about(search: str, *where: object) -> str:
    return " ".join(("search", search, *map(str, where)))


def _range(kind: str, start: str) -> dict[str, str]:
    return {"to_kind": kind, "least": start, "most": start + "\x7f"}
