"""Run SQLAlchemy statements directly on a database driver, each compiled once.

SQLAlchemy builds the statements and manages the connections. Its execution layer takes several
times as long as SQLite takes to run a statement, and is skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_NONE: Mapping[str, Any] = {}


class Texts:
    """A cache of compiled statements. Threads may share it.

    Attributes:
        kind: SQLAlchemy's name of the database's dialect.
    """

    def __init__(self, dialect: Any) -> None:
        """Create an empty cache.

        Args:
            dialect: SQLAlchemy's dialect of the database.
        """
        self._dialect, self.kind = dialect, str(dialect.name)
        self._known: dict[Any, tuple[str, list[str] | None, dict[str, Any]]] = {}

    def of(self, statement: Any, words: Mapping[str, Any]) -> tuple[str, Any]:
        """Return a statement as text, and its parameters in the driver's form.

        Args:
            statement: A statement that lives as long as the process, without list parameters.
            words: The parameters by name.
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
    """A connection of the driver, used by one thread.

    Rows are tuples. Errors are the driver's own.

    Attributes:
        kind: SQLAlchemy's name of the database's dialect.
    """

    def __init__(self, connection: Any, texts: Texts) -> None:
        """Use a connection. The caller closes it."""
        self._connection, self._texts, self.kind = connection, texts, texts.kind

    def rows(self, statement: Any, words: Mapping[str, Any] = _NONE) -> list[tuple[Any, ...]]:
        """Return all rows that a statement finds."""
        return list(self._said(statement, words).fetchall())

    def value(self, statement: Any, words: Mapping[str, Any] = _NONE) -> Any:
        """Return the first column of the row that a statement finds, or None."""
        found = self.rows(statement, words)
        return found[0][0] if found else None

    def change(self, statement: Any, words: Mapping[str, Any] = _NONE) -> int:
        """Run a statement that writes, and return the number of rows written."""
        return int(self._said(statement, words).rowcount)

    def say(self, text: str) -> None:
        """Run a statement given as SQL text."""
        self._connection.execute(text)

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        """Return all rows that a statement given as SQL text finds."""
        return list(self._connection.execute(text).fetchall())

    def commit(self) -> None:
        """Commit; everything written is then on disk."""
        self._connection.commit()

    def _said(self, statement: Any, words: Mapping[str, Any]) -> Any:
        cursor = self._connection.cursor()
        cursor.execute(*self._texts.of(statement, words))
        return cursor
