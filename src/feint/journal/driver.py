"""Statements of SQLAlchemy said to a database's own driver, each compiled once.

SQLAlchemy writes the statements and keeps the connections. What it does between a statement and the
driver takes several times as long as SQLite takes to run it, and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NONE: Mapping[str, Any] = {}


class Texts:
    """Statements as a database reads them. Threads may share it.

    Attributes:
        kind: SQLAlchemy's name for the kind of the database.
    """

    def __init__(self, dialect: Any) -> None:
        """Begin with none.

        Args:
            dialect: SQLAlchemy's word for the kind of the database.
        """
        self._dialect, self.kind = dialect, str(dialect.name)
        self._known: dict[Any, tuple[str, list[str] | None, dict[str, Any]]] = {}

    def of(self, statement: Any, words: Mapping[str, Any]) -> tuple[str, Any]:
        """A statement as text, and what is filled in as the driver takes it.

        Args:
            statement: One that lasts as long as the process, and has no list to fill in.
            words: What to fill in, by name.
        """
        found = self._known.get(statement)
        if found is None:
            compiled = statement.compile(dialect=self._dialect)
            fixed = {name: value for name, value in compiled.params.items() if value is not None}
            order = list(compiled.positiontup) if compiled.positional else None
            found = self._known[statement] = (compiled.string, order, fixed)
        text, order, fixed = found
        held = {**fixed, **words} if fixed else words
        return text, held if order is None else [held[name] for name in order]


class Driver:
    """One connection of the driver, in the hands of one thread.

    Rows come as tuples. Errors are the driver's own.

    Attributes:
        kind: SQLAlchemy's name for the kind of the database.
    """

    def __init__(self, connection: Any, texts: Texts) -> None:
        """Speak on a connection; whoever gave it takes it back."""
        self._connection, self._texts, self.kind = connection, texts, texts.kind

    def rows(self, statement: Any, words: Mapping[str, Any] = _NONE) -> list[tuple[Any, ...]]:
        """Every row that a statement finds."""
        return list(self._said(statement, words).fetchall())

    def value(self, statement: Any, words: Mapping[str, Any] = _NONE) -> Any:
        """The first column of the row that a statement finds; None where it finds none."""
        found = self.rows(statement, words)
        return found[0][0] if found else None

    def change(self, statement: Any, words: Mapping[str, Any] = _NONE) -> int:
        """Write; how many rows were written."""
        return int(self._said(statement, words).rowcount)

    def say(self, text: str) -> None:
        """Say something in the database's own words."""
        self._connection.execute(text)

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        """Return every row that a statement in the database's own SQL finds."""
        return list(self._connection.execute(text).fetchall())

    def commit(self) -> None:
        """Have everything written on the disk."""
        self._connection.commit()

    def _said(self, statement: Any, words: Mapping[str, Any]) -> Any:
        cursor = self._connection.cursor()
        cursor.execute(*self._texts.of(statement, words))
        return cursor
