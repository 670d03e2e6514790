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
from feint.journal.engines import Database
from feint.journal.memory import taken_name, taken_number, unknown_search
from feint.journal.sealing import Seal, fresh_key

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")
_SEALS = 20_000  # data keys that are kept at hand
_INDEX = "index"


class SQL:
    """A store in a database. Threads may share it, and any number of processes the database."""

    def __init__(self, url: str, *, key: bytes) -> None:
        """Open a database, and make or bring up to date its tables.

        Args:
            url: sqlite:///PATH or postgresql://USER@HOST/NAME.
            key: The master key (`read_key`).

        Raises:
            WrongKey: It was made with another key.
            BadState: It is of a newer version of feint.
            InvalidValue: The URL is of no such database, or the key has not 32 bytes.
            MissingExtra: What it needs is not installed.
            Unavailable: The database cannot be reached.
        """
        self._database = Database(url)
        from feint.journal import statements, tables  # they need SQLAlchemy

        self._sql = statements
        self._master = Seal(key)
        self._seals: OrderedDict[bytes, Seal] = OrderedDict()
        self._wrapped: dict[str, bytes] = {}  # the key of each search as it was stored last
        self._lock = Lock()
        tables.upgrade(self._database)
        with self._database.changing() as connection:
            self._index = self._index_key(connection)
            if self._found(connection, OFFICE) is None:
                self._insert(connection, OFFICE, {})

    @property
    def near(self) -> bool:
        """As in `Store`."""
        return self._database.sqlite

    def create(self, name: str, header: Mapping[str, Any]) -> None:
        """As in `Journal`."""
        checked_name(name)

        def write(connection: Connection) -> None:
            if self._found(connection, name) is None:
                self._insert(connection, name, header)
            elif self._header(connection, name) != header:
                raise taken_name(name)

        self._again(lambda: self._run(write))

    def names(self) -> list[str]:
        """As in `Journal`."""
        with self._database.reading() as connection:
            found = connection.execute(self._sql.ALL).all()
        names = {
            self._seal(id, wrapped).open(name, about=_about(id, "name")).decode().rstrip()
            for id, wrapped, name in found
        }
        return sorted(names - {OFFICE})

    def header(self, name: str) -> dict[str, Any]:
        """As in `Journal`."""
        with self._database.reading() as connection:
            return self._header(connection, name)

    def events(self, name: str, *, start: int = 0) -> list[dict[str, Any]]:
        """As in `Journal`."""
        search, words = self._id(name), {"to_search": self._id(name), "start": start}
        with self._database.reading() as connection:
            found = connection.execute(self._sql.LATER, words).all()
        if not found or name == OFFICE:
            raise unknown_search(name)
        seal = self._seal(search, found[0].wrapped)
        return [
            unpacked(seal.open(body, about=_about(search, number)))
            for _, number, body in found
            if number is not None
        ]

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        """As in `Journal`."""
        search = self._id(name)

        def write(connection: Connection) -> int:
            known = self._wrapped.get(search)
            if known is not None and put(connection, known):
                return number + 1
            wrapped = connection.execute(self._sql.KEY, {"to_search": search}).scalar()
            if wrapped is None or name == OFFICE:
                raise unknown_search(name)
            if wrapped == known or not put(connection, wrapped):
                raise taken_number(number)
            self._wrapped[search] = wrapped
            return number + 1

        def put(connection: Connection, wrapped: bytes) -> bool:
            body = self._seal(search, wrapped).seal(packed(event), about=_about(search, number))
            words: dict[str, Any] = {"to_search": search, "to_number": number}
            words |= {"to_mark": id, "to_body": body}
            words["to_wrapped"] = wrapped  # under another key it would not be read again
            return bool(connection.execute(self._sql.APPEND, words).rowcount == 1)

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

        def write(connection: Connection) -> None:
            for statement in self._sql.DELETES:
                connection.execute(statement, {"to_search": search})

        self._again(lambda: self._run(write))
        self._wrapped.pop(search, None)
        self._database.tidy()

    @contextmanager
    def transaction(self, name: str) -> Iterator[SQLTransaction]:
        """As in `Store`."""
        search = self._id(name)
        with self._database.writing() as connection:
            wrapped = connection.execute(self._sql.LOCK, {"to_search": search}).scalar()
            if wrapped is None:
                raise unknown_search(name)
            seal = self._seal(search, wrapped)
            yield SQLTransaction(self._sql, connection, search, seal, wrapped)

    @contextmanager
    def reading(self, name: str) -> Iterator[SQLTransaction]:
        """As in `Store`."""
        search = self._id(name)
        with self._database.reading() as connection:
            wrapped = connection.execute(self._sql.KEY, {"to_search": search}).scalar()
            if wrapped is None:
                raise unknown_search(name)
            seal = self._seal(search, wrapped)
            yield SQLTransaction(self._sql, connection, search, seal, wrapped)

    def rotate(self, key: bytes) -> None:
        """Wrap every data key under a new master key; the old one opens nothing any more.

        Other processes that have the database open must be started again with the new key. Backups
        open with the key of their time.
        """
        fresh = Seal(key)
        with self._database.changing() as connection:
            index = self._master.open(self._meta(connection), about=_INDEX)
            words = {"to_name": _INDEX, "to_held": fresh.seal(index, about=_INDEX)}
            connection.execute(self._sql.SET_META, words)
            for id, wrapped, _ in connection.execute(self._sql.ALL).all():
                about = _about(id, "key")
                again = fresh.seal(self._master.open(wrapped, about=about), about=about)
                connection.execute(self._sql.REWRAP, {"to_search": id, "fresh": again})
        self._master = fresh
        self._wrapped.clear()
        self._database.tidy()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _run(self, write: Callable[[Connection], T]) -> T:
        from sqlalchemy.exc import IntegrityError

        try:
            with self._database.writing() as connection:
                return write(connection)
        except IntegrityError:  # another process was a moment earlier
            raise _Raced from None

    def _again(self, attempt: Callable[[], T]) -> T:
        """Try twice where another process was earlier, or the connection was an old one."""
        try:
            return attempt()
        except (_Raced, Unavailable):
            return attempt()

    def _marked(self, name: str, number: int, id: str) -> bool:
        """Whether this very write is there already."""
        with self._database.reading() as connection:
            words = {"to_search": self._id(name), "to_number": number}
            return connection.execute(self._sql.MARK, words).scalar() == id

    def _id(self, name: str) -> str:
        return blake2b(name.encode(), key=self._index, digest_size=16).hexdigest()

    def _index_key(self, connection: Connection) -> bytes:
        """The key of the index, which also tells whether the master key is the right one."""
        held = self._meta(connection)
        if held is None:
            index = fresh_key()
            sealed = self._master.seal(index, about=_INDEX)
            connection.execute(self._sql.ADD_META, {"to_name": _INDEX, "to_held": sealed})
            return index
        return self._master.open(held, about=_INDEX)

    def _meta(self, connection: Connection) -> Any:
        return connection.execute(self._sql.META, {"to_name": _INDEX}).scalar()

    def _found(self, connection: Connection, name: str) -> Any:
        return connection.execute(self._sql.FIND, {"to_search": self._id(name)}).first()

    def _insert(self, connection: Connection, name: str, header: Mapping[str, Any]) -> None:
        key, id = fresh_key(), self._id(name)
        seal = Seal(key)
        words = {
            "id": id,
            "wrapped": self._master.seal(key, about=_about(id, "key")),
            "name": seal.seal(name.encode().ljust(1024), about=_about(id, "name")),
            "header": seal.seal(packed(header), about=_about(id, "header")),
        }
        connection.execute(self._sql.CREATE, words)

    def _header(self, connection: Connection, name: str) -> dict[str, Any]:
        found = None if name == OFFICE else self._found(connection, name)
        if found is None:
            raise unknown_search(name)
        id = self._id(name)
        sealed = self._seal(id, found.wrapped).open(found.header, about=_about(id, "header"))
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

    def __init__(
        self, sql: Any, connection: Connection, search: str, seal: Seal, wrapped: bytes
    ) -> None:
        """Work on a connection; whoever made it commits."""
        self._sql, self._connection = sql, connection
        self._search, self._seal, self._wrapped = search, seal, wrapped

    def events(self, *, start: int = 0) -> list[dict[str, Any]]:
        """As in `Transaction`."""
        words = {"to_search": self._search, "start": start}
        found = self._connection.execute(self._sql.EVENTS, words).all()
        return [
            unpacked(self._seal.open(body, about=_about(self._search, number)))
            for number, body in found
        ]

    def append(self, event: Mapping[str, Any]) -> int:
        """As in `Transaction`."""
        number = int(self._execute(self._sql.NEXT).scalar_one())
        body = self._seal.seal(packed(event), about=_about(self._search, number))
        mark = secrets.token_hex(16)
        words = {"to_number": number, "to_mark": mark, "to_body": body, "to_wrapped": self._wrapped}
        if self._execute(self._sql.APPEND, words).rowcount != 1:
            raise taken_number(number)
        return number

    def get(self, kind: str, key: str) -> dict[str, Any] | None:
        """As in `Transaction`."""
        body = self._execute(self._sql.GET, {"to_kind": kind, "to_key": key}).scalar()
        return None if body is None else self._opened(kind, key, body)

    def some(self, *where: tuple[str, str]) -> list[dict[str, Any] | None]:
        """As in `Transaction`."""
        words: dict[str, str] = {}
        for number, (kind, key) in enumerate(where):
            words |= {f"kind_{number}": kind, f"key_{number}": key}
        found = self._execute(self._sql.some(len(where)), words).all()
        rows = {(kind, key): self._opened(kind, key, body) for kind, key, body in found}
        return [rows.get(each) for each in where]

    def put(self, kind: str, key: str, row: Mapping[str, Any]) -> None:
        """As in `Transaction`."""
        body = self._seal.seal(packed(row), about=_about(self._search, kind, key))
        words = {"to_kind": kind, "to_key": key, "to_body": body}
        self._execute(self._sql.put(self._connection.dialect.name), words)

    def drop(self, kind: str, key: str) -> None:
        """As in `Transaction`."""
        self._execute(self._sql.DROP, {"to_kind": kind, "to_key": key})

    def rows(self, kind: str, *, start: str = "") -> dict[str, dict[str, Any]]:
        """As in `Transaction`."""
        found = self._execute(self._sql.ROWS, _range(kind, start)).all()
        return {key: self._opened(kind, key, body) for key, body in found}

    def count(self, kind: str, *, start: str = "") -> int:
        """As in `Transaction`."""
        return int(self._execute(self._sql.COUNT, _range(kind, start)).scalar_one())

    def _execute(self, statement: Any, words: Mapping[str, Any] | None = None) -> Any:
        return self._connection.execute(statement, {"to_search": self._search, **(words or {})})

    def _opened(self, kind: str, key: str, body: bytes) -> dict[str, Any]:
        return unpacked(self._seal.open(body, about=_about(self._search, kind, key)))


class _Raced(Exception):
    """Two processes wrote the same row at the same time, and this one was later."""


def _about(search: str, *where: object) -> str:
    return " ".join(("search", search, *map(str, where)))


def _range(kind: str, start: str) -> dict[str, str]:
    return {"to_kind": kind, "least": start, "most": start + "\x7f"}
