"""A consistent copy of a database while it is in use; what is sealed stays sealed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from feint.errors import BadState, MissingExtra, Unavailable
from feint.journal.engines import WAIT, Database, damaged

_MODE = 0o600


def backup(url: str, path: Path) -> None:
    """Copy a database to a new file, for its owner alone, while others write.

    The copy opens with the master key of its time, which is not in it. A search that is deleted
    later stays in the copies made before.

    Args:
        url: As in `SQL`.
        path: The file; of SQLite a database like the other, of PostgreSQL what pg_dump writes in
            its custom format, to be restored by pg_restore.

    Raises:
        BadState: There is a file of this name, or no such database.
        Unavailable: The database cannot be reached, or the copy cannot be written.
        MissingExtra: It is PostgreSQL, and pg_dump is not installed.
    """
    database = Database(url, create=False)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, _MODE))
    except FileExistsError:
        rule = "there is a file of this name"
        raise BadState("backup", path, rule, "name a new one") from None
    try:
        if database.sqlite:
            _sqlite(Path(str(database.engine.url.database)), path)
        else:
            _postgres(database.engine.url.render_as_string(hide_password=False), path)
    except BaseException:
        path.unlink()
        raise
    finally:
        database.close()


def _sqlite(source: Path, path: Path) -> None:
    try:
        with closing(sqlite3.connect(source)) as held, closing(sqlite3.connect(path)) as copy:
            held.execute(f"PRAGMA {WAIT}")
            held.backup(copy)
    except sqlite3.DatabaseError as error:
        if type(error) is sqlite3.DatabaseError:
            raise damaged() from None
        raise Unavailable(f"the copy cannot be made now ({type(error).__name__})") from None


def _postgres(url: str, path: Path) -> None:
    program = shutil.which("pg_dump")
    if program is None:
        raise MissingExtra("postgres", "pg_dump, of PostgreSQL's own client,")
    plain = url.replace("postgresql+psycopg://", "postgresql://", 1)
    # The URL may hold a password, which others could read in the list of processes.
    environment = os.environ | {"PGDATABASE": plain}
    words = [program, "--format=custom", "--file", str(path)]
    told = subprocess.run(words, env=environment, check=False, capture_output=True)
    if told.returncode:
        raise Unavailable(f"pg_dump ended with {told.returncode}; is the database there?")
