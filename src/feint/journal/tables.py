"""Define the tables, and upgrade databases of older versions.

A released step never changes: a database is upgraded by the steps that it lacks. Tests open a
stored database of every version.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    BigInteger,
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
from feint.journal.driver import Driver
from feint.journal.engines import Database

_METADATA = MetaData()

META = Table(
    "feint",
    _METADATA,
    Column("name", String(32), primary_key=True),
    Column("held", LargeBinary, nullable=False),
)
"""Single values of the database: its version, and the wrapped key of the index."""

SEARCHES = Table(
    "searches",
    _METADATA,
    Column("id", String(32), primary_key=True),  # keyed hash of the name
    Column("wrapped", LargeBinary, nullable=False),  # the wrapped keys of the search
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
"""Since version 2: the data of a poll besides its events."""


HEADS = Table(
    "heads",
    _METADATA,
    Column("search", ForeignKey(SEARCHES.c.id, ondelete="CASCADE"), primary_key=True),
    # the number of transactions that wrote the search
    Column("version", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""Since version 3: the sealed sums that the events and rows of each search must match."""


def _first(connection: Connection) -> None:
    _METADATA.create_all(connection, tables=[META, SEARCHES, EVENTS])


def _second(connection: Connection) -> None:
    _METADATA.create_all(connection, tables=[ROWS])


def _third(connection: Connection) -> None:
    _METADATA.create_all(connection, tables=[HEADS])


_STEPS: tuple[Callable[[Connection], None], ...] = (_first, _second, _third)
VERSION = len(_STEPS)
HEADED = 3  # from this version on searches have heads


def upgrade(
    database: Database,
    *,
    version: int = VERSION,
    add_heads: Callable[[Driver], None] | None = None,
) -> None:
    """Upgrade a database, or create its tables. Several processes may do so at once.

    Args:
        database: The database.
        version: The target version; tests use older ones.
        add_heads: Adds heads to all searches, in the transaction that creates their table; None:
            there are no searches yet.

    Raises:
        BadState: The database is of a newer version, or has no version.
    """
    with database.changing() as connection:
        found = _version(connection)
        if found > VERSION:
            rule = f"is of version {found}, and this feint knows {VERSION}"
            raise BadState("journal", "the database", rule, "open it with a newer feint")
        for step in _STEPS[found:version]:
            step(connection)
        if found < HEADED <= version and add_heads is not None:
            add_heads(database.driver(connection))
        if found < version:
            connection.execute(META.delete().where(META.c.name == "version"))
            connection.execute(META.insert().values(name="version", held=str(version).encode()))


def _version(connection: Connection) -> int:
    if not inspect(connection).has_table(META.name):
        return 0
    held = connection.execute(select(META.c.held).where(META.c.name == "version")).scalar()
    try:
        return 0 if held is None else int(held)
    except (TypeError, ValueError):
        rule = "does not say its version"
        raise BadState("journal", "the database", rule, "restore a backup") from None
