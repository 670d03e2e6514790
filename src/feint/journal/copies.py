"""Back up a database while it is in use, and restore it. Sealed data stays sealed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from feint.errors import BadState, MissingExtra, Unavailable
from feint.journal.engines import WAIT, Database, damaged
from feint.journal.sql import SQL

if TYPE_CHECKING:
    from sqlalchemy import URL

_MODE = 0o600


def backup(url: str, path: Path) -> None:
    """Copy a database to a new file with mode 0600, while others write.

    The copy opens with the current master key, which is not in it. A search that is deleted later
    stays in earlier copies.

    Args:
        url: As in `SQL`.
        path: The new file. For SQLite it is a database; for PostgreSQL an archive in pg_dump's
            custom format, which pg_restore reads.

    Raises:
        BadState: The file exists, or the database does not.
        Unavailable: The database cannot be reached, or the copy cannot be written.
        MissingExtra: The database is PostgreSQL, and pg_dump is not installed.
    """
    database = Database(url, create=False)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _MODE))
    except FileExistsError:
        rule = "this file exists already"
        raise BadState("backup", path, rule, "name a new one") from None
    try:
        if database.sqlite:
            _copied(Path(str(database.engine.url.database)), path)
        else:
            _postgres(database.engine.url, "pg_dump", "--format=custom", "--file", str(path))
    except BaseException:
        path.unlink()
        raise
    finally:
        database.close()


def restore(url: str, path: Path, *, key: bytes) -> int:
    """Create a database from a backup, check all of it, and record that it was restored.

    Its searches are in the state of the backup. Rounds that were shown since then are shown again
    with the same coins. If their answers now differ, an eavesdropper who hears both times learns
    more than the plan allows.

    Args:
        url: As in `SQL`: a SQLite file that does not exist yet, or an empty PostgreSQL database.
        path: A file that `backup` wrote.
        key: The master key of the time of the backup.

    Returns:
        The number of searches in it.

    Raises:
        BadState: The backup does not exist, or the database already does.
        Tampered: A search in it is inconsistent.
        WrongKey: The backup was made with another key.
        Unavailable: The backup cannot be read, or the database cannot be written.
        MissingExtra: The backup is of PostgreSQL, and pg_restore is not installed.
    """
    if not path.is_file():
        raise BadState("backup", path, "there is no file of this name", "name one that is there")
    target = _empty(url)
    if target is not None:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, _MODE))
    try:
        if target is None:
            _restored(url, path)
        else:
            _copied(path, target)
        store = SQL(url, key=key, create=False)
        try:
            count = store.check()
            store.mark_restored()
        finally:
            store.close()
    except BaseException:
        if target is not None:  # the database is still empty
            for each in ("", "-wal", "-shm"):
                target.with_name(target.name + each).unlink(missing_ok=True)
        raise
    return count


def _empty(url: str) -> Path | None:
    """Return the path of a new SQLite file, or None for an empty PostgreSQL database.

    Raises:
        BadState: The database already exists or is not empty.
    """
    from sqlalchemy import inspect, make_url

    from feint.journal.tables import META

    rule, remedy = "there is a database already", "name a new one, and serve that"
    if make_url(url).get_backend_name() == "sqlite":
        target = Path(str(make_url(url).database))
        if target.exists():
            raise BadState("database", target, rule, remedy)
        return target
    database = Database(url)
    try:
        with database.changing() as connection:
            if inspect(connection).has_table(META.name):
                raise BadState("database", "PostgreSQL", rule, remedy)
    finally:
        database.close()
    return None


def _copied(source: Path, path: Path) -> None:
    try:
        with closing(sqlite3.connect(source)) as held, closing(sqlite3.connect(path)) as copy:
            held.execute(f"PRAGMA {WAIT}")
            held.backup(copy)
    except sqlite3.DatabaseError as error:
        if type(error) is sqlite3.DatabaseError:
            raise damaged() from None
        raise Unavailable(f"the copy cannot be made now ({type(error).__name__})") from None


def _restored(url: str, path: Path) -> None:
    database = Database(url)
    words = ("--exit-on-error", "--single-transaction", "--no-owner", str(path))
    try:
        name = str(database.engine.url.database or "postgres")
        _postgres(database.engine.url, "pg_restore", "--dbname", name, *words)
    finally:
        database.close()


def _postgres(url: URL, name: str, *words: str) -> None:
    """Run one of PostgreSQL's client programs on a database.

    The password and the address are passed in the environment, because other users can read a
    command's arguments.
    """
    program = shutil.which(name)
    if program is None:
        raise MissingExtra("postgres", f"{name}, of PostgreSQL's own client,")
    place = {
        "PGHOST": url.host,
        "PGPORT": url.port,
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
        **{f"PG{name.upper()}": value for name, value in url.query.items()},  # libpq's own names
    }
    environment = os.environ | {key: str(value) for key, value in place.items() if value}
    told = subprocess.run([program, *words], env=environment, check=False, capture_output=True)
    if told.returncode:
        raise Unavailable(f"{name} ended with {told.returncode}; is the database there?")
