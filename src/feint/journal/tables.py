"""The tables, and how a database of an older version becomes one of this.

A step is never changed once it was released: a database is brought up to date by the steps it has
not seen. Tests open a stored database of every version.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    Column,
    Connection,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    inspect,
    select,
)

from feint.errors import BadState
from feint.journal.engines import Database

_METADATA = MetaData()

META = Table(
    "feint",
    _METADATA,
    Column("name", String(32), primary_key=True),
    Column("held", LargeBinary, nullable=False),
)
"""What there is one of: the version, and the key of the index, wrapped."""

SEARCHES = Table(
    "searches",
    _METADATA,
    Column("id", String(32), primary_key=True),  # the name under the key of the index
    Column("wrapped", LargeBinary, nullable=False),  # the search's data key
    Column("name", LargeBinary, nullable=False),
    Column("header", LargeBinary, nullable=False),
)

EVENTS = Table(
    "events",
    _METADATA,
    Column("search", ForeignKey(SEARCHES.c.id, ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("mark", String(64), nullable=False),  # the id of the write
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

_KEY = String(200).with_variant(String(200, collation="C"), "postgresql")  # sorted as bytes

ROWS = Table(
    "rows",
    _METADATA,
    Column("search", ForeignKey(SEARCHES.c.id, ondelete="CASCADE"), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("key", _KEY, primary_key=True),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""Since version 2: what a poll keeps beside the events."""


def _first(connection: Connection) -> None:
    _METADATA.create_all(connection, tables=[META, SEARCHES, EVENTS])


def _second(connection: Connection) -> None:
    _METADATA.create_all(connection, tables=[ROWS])


_STEPS: tuple[Callable[[Connection], None], ...] = (_first, _second)
VERSION = len(_STEPS)


def upgrade(database: Database, *, version: int = VERSION) -> None:
    """Bring a database up to date, or make its tables; safe in many processes at once.

    Args:
        database: The database.
        version: Up to which one; older ones are for tests.

    Raises:
        BadState: It is of a newer version.
    """
    with database.changing() as connection:
        found = _version(connection)
        if found > VERSION:
            rule = f"is of version {found}, and this feint knows {VERSION}"
            raise BadState("journal", "the database", rule, "open it with a newer feint")
        for step in _STEPS[found:version]:
            step(connection)
        if found < version:
            connection.execute(META.delete().where(META.c.name == "version"))
            connection.execute(META.insert().values(name="version", held=str(version).encode()))


def _version(connection: Connection) -> int:
    if not inspect(connection).has_table(META.name):
        return 0
    held = connection.execute(select(META.c.held).where(META.c.name == "version")).scalar()
    return 0 if held is None else int(held)
