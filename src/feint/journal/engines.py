"""Connections to SQLite and PostgreSQL, and what their failures mean to us.

SQLite: write-ahead log, so that readers wait for nobody; BEGIN IMMEDIATE, so that a writer waits
for its turn at the beginning and never fails in the middle; synchronous FULL, so that what was
committed outlives a loss of power; secure_delete, so that what was deleted is overwritten. The log
is taken into the file, and begun anew, every 100 pages: a commit that writes over old pages of the
log waits half as long for the disk as one that makes the log longer.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from feint.errors import BadState, InvalidValue, MissingExtra, Unavailable
from feint.journal.driver import Driver, Texts

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

WAIT = "busy_timeout = 60000"  # milliseconds, while others write
_CLOSING = "busy_timeout = 2000"  # a process that ends must not wait for long
PRAGMAS = (
    WAIT,
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "secure_delete = ON",
    "wal_autocheckpoint = 100",
)
"""How every connection to SQLite is set: an answer that is acknowledged is on the disk."""
_MODE = 0o600
_ALONE = "SELECT pg_advisory_xact_lock(7305806512)"  # a number of ours


class Database:
    """One database: reading, and writing in whole transactions.

    Attributes:
        engine: SQLAlchemy's.
        sqlite: Whether it is a file of SQLite's; else it is PostgreSQL.
        doubles: What the driver raises where a row is there already.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        """Connect when first used.

        Args:
            url: sqlite:///PATH or postgresql://…
            create: Whether a SQLite file that is not there is made, for its owner alone.

        Raises:
            InvalidValue: It is the URL of something else.
            BadState: It is not there, and is not to be made.
            MissingExtra: SQLAlchemy, or psycopg for PostgreSQL, is not installed.
        """
        try:
            from sqlalchemy import event, make_url
            from sqlalchemy.exc import ArgumentError, DatabaseError
        except ImportError:
            raise MissingExtra("sql", "SQLAlchemy") from None
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError):  # the latter repeats what stands where a port should
            raise _not_a_url() from None
        self.sqlite = parsed.get_backend_name() == "sqlite"
        if not self.sqlite:
            if parsed.get_backend_name() not in ("postgresql", "postgres"):
                raise _not_a_url()
            parsed = parsed.set(drivername="postgresql+psycopg")
        elif parsed.database in (None, "", ":memory:") or "\0" in str(parsed.database):
            raise _not_a_url()
        elif create:
            _made(Path(str(parsed.database)))
        elif not Path(str(parsed.database)).exists():
            rule = "there is no database of this name"
            raise BadState("database", parsed.database, rule, "name one that is there")
        self.engine = _engine(parsed)
        self._texts, self._failures = Texts(self.engine.dialect), _failures(self.engine)
        self.doubles = self.engine.dialect.loaded_dbapi.IntegrityError
        self._damages = DatabaseError, self.engine.dialect.loaded_dbapi.DatabaseError
        weakref.finalize(self, self.engine.dispose)  # whoever forgets it closes it
        self._turn: Any = Lock() if self.sqlite else nullcontext()
        self._snapshot = None if self.sqlite else _repeatable_read()
        if self.sqlite:
            event.listen(self.engine, "connect", _prepare)
            event.listen(self.engine, "begin", _begin)

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Driver]:
        """A transaction that writes: all of it is on the disk afterwards, or nothing.

        Args:
            alone: Whether others that are to be alone, and changes of the schema, wait for it.

        Raises:
            Unavailable: The database cannot be reached or written now.
            Raced: Another process wrote the same row at the same time.
        """
        with self._turn, self._connected() as driver:
            if self.sqlite:
                driver.say("BEGIN IMMEDIATE")
            elif alone:
                driver.say(_ALONE)
            yield driver
            driver.commit()

    @contextmanager
    def reading(self) -> Iterator[Driver]:
        """A connection that reads the database as it is at the first statement.

        Nothing that others commit meanwhile is seen: a search that is deleted, or gets another data
        key, between two statements would look as if somebody had tampered with it. No writer waits.

        Raises:
            Unavailable: The database cannot be reached now.
        """
        with self._connected(level=self._snapshot) as driver:
            if self.sqlite:
                driver.say("BEGIN")
            yield driver

    @contextmanager
    def _connected(self, *, level: Any = None) -> Iterator[Driver]:
        """A connection; of PostgreSQL with an isolation level, None for the database's own."""
        with self._translated():
            held = self.engine.raw_connection()
            try:
                connection: Any = held.dbapi_connection
                # The next BEGIN of psycopg carries the level, so it costs no statement.
                if not self.sqlite and connection.isolation_level != level:
                    connection.isolation_level = level
                yield Driver(held.dbapi_connection, self._texts)
            except self._failures as error:
                met: Any = error  # SQLAlchemy's word for the errors of every driver
                if self.engine.dialect.is_disconnect(met, held.dbapi_connection, None):
                    held.invalidate()
                raise
            finally:
                held.close()  # what was not committed is rolled back

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """A transaction that changes the schema, alone."""
        from sqlalchemy import text

        with self._turn, self._translated(), self.engine.connect() as connection:
            connection = connection.execution_options(feint_writes=True)
            with connection.begin():
                if not self.sqlite:
                    connection.execute(text(_ALONE))
                yield connection

    def driver(self, connection: Connection) -> Driver:
        """Speak on a connection of SQLAlchemy's, in its transaction."""
        return Driver(connection.connection.dbapi_connection, self._texts)

    def check_file(self) -> None:
        """See that a file of SQLite's is whole, page by page and in order.

        `quick_check` would not do: it passes rows that are out of order, which some statements
        find and others do not.

        Raises:
            Unavailable: It is damaged.
        """
        if self.sqlite:
            with self._connected() as driver:
                if driver.ask("PRAGMA integrity_check(1)") != [("ok",)]:
                    raise damaged()

    def tidy(self) -> None:
        """Overwrite what was deleted as far as the database can; best effort."""
        from sqlalchemy import text

        # To give space back, VACUUM would wait for seconds until nobody uses the table, and with it
        # everybody who deletes.
        vacuum = "VACUUM (TRUNCATE FALSE) searches"
        words = "PRAGMA wal_checkpoint(TRUNCATE)" if self.sqlite else vacuum
        with (
            suppress(Unavailable),
            self._turn,
            self._translated(),
            self.engine.connect() as connection,
        ):
            connection.execution_options(isolation_level="AUTOCOMMIT").execute(text(words))

    def close(self) -> None:
        """Let go of every connection; all of a SQLite database is then in its one file.

        The log is taken into the file and emptied. If other processes write just now, it is left
        to whichever of them closes last.
        """
        pool: Any = self.engine.pool
        if self.sqlite and pool.checkedin():  # it was used
            with suppress(Unavailable), self._connected() as driver:
                driver.say(f"PRAGMA {_CLOSING}")
                driver.ask("PRAGMA wal_checkpoint(TRUNCATE)")
        self.engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Errors of the driver as ours; what they hold stays out of the message."""
        try:
            yield
        except self._failures as error:
            raise _unavailable(type(getattr(error, "orig", error))) from None
        except UnicodeDecodeError:  # the driver's own words about a damaged schema are no text
            raise damaged() from None
        except self.doubles:
            raise Raced from None
        except self._damages as error:
            kind = type(getattr(error, "orig", error))
            if issubclass(kind, self._failures):
                raise _unavailable(kind) from None
            if kind not in self._damages:
                raise  # it is of a kind of its own, and a slip of ours
            raise damaged() from None


def _unavailable(kind: type) -> Unavailable:
    said = "the database cannot be reached or written now"
    return Unavailable(f"{said} ({kind.__name__}); try again once it is there")


def damaged() -> Unavailable:
    """That there is a file where the database should be, and it cannot be read as one."""
    return Unavailable("this is no database, or is damaged; name another, or restore a backup")


class Raced(Exception):
    """Two processes wrote the same row at the same time, and this one was later."""


def _failures(engine: Engine) -> tuple[type[Exception], ...]:
    """What the driver, or SQLAlchemy in its place, raises when a database cannot be used now."""
    from sqlalchemy.exc import InterfaceError, OperationalError, TimeoutError

    own = engine.dialect.loaded_dbapi
    # A PostgreSQL that only reads, such as a standby, says so by an error that psycopg counts among
    # the database's internal ones.
    reads = getattr(getattr(own, "errors", None), "ReadOnlySqlTransaction", own.OperationalError)
    ours = OperationalError, InterfaceError, TimeoutError
    return *ours, own.OperationalError, own.InterfaceError, reads


def _engine(url: Any) -> Engine:
    from sqlalchemy import create_engine

    try:
        return create_engine(url, pool_pre_ping=url.get_backend_name() != "sqlite", pool_size=16)
    except ImportError:
        raise MissingExtra("postgres", "psycopg") from None


def _repeatable_read() -> Any:
    from psycopg import IsolationLevel

    return IsolationLevel.REPEATABLE_READ


def _prepare(connection: Any, record: object) -> None:
    connection.isolation_level = None  # we say when a transaction begins
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    if connection.get_execution_options().get("feint_writes"):
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _made(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _MODE))


def _not_a_url() -> InvalidValue:
    rule = "must be sqlite:///PATH or postgresql://USER@HOST/NAME"  # it may hold a password
    return InvalidValue("url", "something else", rule, "give the URL of such a database")
