"""Connect to SQLite and PostgreSQL, and translate their errors.

Settings for SQLite: a write-ahead log, so that readers never wait; BEGIN IMMEDIATE, so that a
writer waits at the beginning and never fails in the middle; synchronous FULL, so that committed
data survives a loss of power; secure_delete, so that deleted data is overwritten. The log is merged
into the file every 100 pages, because a commit that overwrites old pages of the log waits half as
long for the disk as one that extends the log.
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

WAIT = "busy_timeout = 60000"  # milliseconds to wait while others write
_CLOSING = "busy_timeout = 2000"  # milliseconds; a process that exits must not wait long
PRAGMAS = (
    WAIT,
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "secure_delete = ON",
    "wal_autocheckpoint = 100",
)
"""The settings of every connection to SQLite. Data is on disk when a commit returns."""
_MODE = 0o600
_ALONE = "SELECT pg_advisory_xact_lock(7305806512)"  # an arbitrary number


class Database:
    """A database that is read and written in whole transactions.

    Attributes:
        engine: SQLAlchemy's engine.
        sqlite: True for a SQLite file, False for PostgreSQL.
        doubles: The driver's error for a row that already exists.
    """

    def __init__(self, url: str, *, create: bool = True) -> None:
        """Prepare a connection, which is opened on first use.

        Args:
            url: sqlite:///PATH or postgresql://…
            create: True to create a missing SQLite file, with mode 0600.

        Raises:
            InvalidValue: The URL is not of SQLite or PostgreSQL.
            BadState: The file does not exist, and `create` is False.
            MissingExtra: SQLAlchemy, or psycopg for PostgreSQL, is not installed.
        """
        try:
            from sqlalchemy import event, make_url
            from sqlalchemy.exc import ArgumentError, DatabaseError
        except ImportError:
            raise MissingExtra("sql", "SQLAlchemy") from None
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError):  # the latter repeats the text in place of the port
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
        weakref.finalize(self, self.engine.dispose)  # closed when garbage-collected
        self._turn: Any = Lock() if self.sqlite else nullcontext()
        self._snapshot = None if self.sqlite else _repeatable_read()
        if self.sqlite:
            event.listen(self.engine, "connect", _prepare)
            event.listen(self.engine, "begin", _begin)

    @contextmanager
    def writing(self, *, alone: bool = False) -> Iterator[Driver]:
        """Run a transaction that writes: afterwards all of it is on disk, or nothing.

        Args:
            alone: True to make other exclusive transactions and schema changes wait.

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
        """Open a connection that reads a snapshot of the database.

        Commits by others after the first statement are not seen. Otherwise a search that is deleted
        or gets another data key between two statements would look tampered with. Writers never
        wait.

        Raises:
            Unavailable: The database cannot be reached now.
        """
        with self._connected(level=self._snapshot) as driver:
            if self.sqlite:
                driver.say("BEGIN")
            yield driver

    @contextmanager
    def _connected(self, *, level: Any = None) -> Iterator[Driver]:
        """Open a connection; on PostgreSQL with an isolation level, None for the default."""
        with self._translated():
            held = self.engine.raw_connection()
            try:
                connection: Any = held.dbapi_connection
                # The next BEGIN of psycopg carries the level, so it costs no statement.
                if not self.sqlite and connection.isolation_level != level:
                    connection.isolation_level = level
                yield Driver(held.dbapi_connection, self._texts)
            except self._failures as error:
                met: Any = error  # SQLAlchemy's class for errors of all drivers
                if self.engine.dialect.is_disconnect(met, held.dbapi_connection, None):
                    held.invalidate()
                raise
            finally:
                held.close()  # uncommitted changes are rolled back

    @contextmanager
    def changing(self) -> Iterator[Connection]:
        """Run a transaction that changes the schema, exclusively."""
        from sqlalchemy import text

        with self._turn, self._translated(), self.engine.connect() as connection:
            connection = connection.execution_options(feint_writes=True)
            with connection.begin():
                if not self.sqlite:
                    connection.execute(text(_ALONE))
                yield connection

    def driver(self, connection: Connection) -> Driver:
        """Return a driver for a SQLAlchemy connection, in its transaction."""
        return Driver(connection.connection.dbapi_connection, self._texts)

    def check_file(self) -> None:
        """Check the integrity of a SQLite file.

        `quick_check` is not enough: it accepts rows that are out of order, which some statements
        find and others do not.

        Raises:
            Unavailable: The file is damaged.
        """
        if self.sqlite:
            with self._connected() as driver:
                if driver.ask("PRAGMA integrity_check(1)") != [("ok",)]:
                    raise damaged()

    def tidy(self) -> None:
        """Overwrite deleted data as far as the database can."""
        from sqlalchemy import text

        # A full VACUUM would also free space, but it waits for seconds until no one uses the table,
        # and everyone who deletes would wait with it.
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
        """Close all connections. A SQLite database is then complete in its one file.

        The log is merged into the file and emptied. If other processes are writing, the last one
        to close does that.
        """
        pool: Any = self.engine.pool
        if self.sqlite and pool.checkedin():  # the engine was used
            with suppress(Unavailable), self._connected() as driver:
                driver.say(f"PRAGMA {_CLOSING}")
                driver.ask("PRAGMA wal_checkpoint(TRUNCATE)")
        self.engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Translate errors of the driver; their content stays out of the message."""
        try:
            yield
        except self._failures as error:
            raise _unavailable(type(getattr(error, "orig", error))) from None
        except UnicodeDecodeError:  # the driver's message about a damaged schema is not text
            raise damaged() from None
        except self.doubles:
            raise Raced from None
        except self._damages as error:
            kind = type(getattr(error, "orig", error))
            if issubclass(kind, self._failures):
                raise _unavailable(kind) from None
            if kind not in self._damages:
                raise  # any other kind is a bug in feint
            raise damaged() from None


def _unavailable(kind: type) -> Unavailable:
    said = "the database cannot be reached or written now"
    return Unavailable(f"{said} ({kind.__name__}); try again once it is there")


def damaged() -> Unavailable:
    """Build the error for a file that cannot be read as a database."""
    return Unavailable("this is no database, or is damaged; name another, or restore a backup")


class Raced(Exception):
    """Two processes wrote the same row at the same time, and this one came second."""


def _failures(engine: Engine) -> tuple[type[Exception], ...]:
    """Return the errors of the driver and SQLAlchemy for a database that cannot be used now."""
    from sqlalchemy.exc import InterfaceError, OperationalError, TimeoutError

    own = engine.dialect.loaded_dbapi
    # A read-only PostgreSQL, such as a standby, raises an error that psycopg classifies as
    # internal.
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
    connection.isolation_level = None  # transactions begin explicitly
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
    # the message may hold a password
    rule = "must be sqlite:///PATH or postgresql://USER@HOST/NAME"
    return InvalidValue("url", "something else", rule, "give the URL of such a database")
