"""Simulate a person who can write a database without a key: copy, delete, put back rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

TABLES = ("searches", "heads", "events", "rows")  # in the order in which they may be inserted


class Writer:
    """A writer of a database outside feint."""

    def __init__(self, url: str) -> None:
        plain = url.replace("postgresql://", "postgresql+psycopg://", 1)
        self._engine = create_engine(plain, poolclass=NullPool)

    def run(self, words: str, **filled: Any) -> list[tuple[Any, ...]]:
        """Run a statement; what it finds, if it finds rows."""
        with self._engine.begin() as connection:
            done = connection.execute(text(words), filled)
            return [tuple(row) for row in done] if done.returns_rows else []

    def ids(self) -> set[str]:
        """Return the ids of all searches."""
        return {id for (id,) in self.run("SELECT id FROM searches")}

    def copy(self, id: str, tables: Sequence[str] = TABLES) -> dict[str, list[dict[str, Any]]]:
        """Return the content of some tables about a search."""
        copied = {}
        for table in tables:
            column = "id" if table == "searches" else "search"
            with self._engine.begin() as connection:
                words = text(f"SELECT * FROM {table} WHERE {column} = :id")
                copied[table] = [
                    dict(row) for row in connection.execute(words, {"id": id}).mappings()
                ]
        return copied

    def put_back(self, copied: dict[str, list[dict[str, Any]]]) -> None:
        """Insert rows again, over those that are there."""
        with self._engine.begin() as connection:
            for table, rows in copied.items():
                keys = {"searches": ("id",), "heads": ("search",), "events": ("search", "number")}
                by = keys.get(table, ("search", "kind", "key"))
                for row in rows:
                    where = " AND ".join(f"{name} = :{name}" for name in by)
                    names = ", ".join(row)
                    places = ", ".join(f":{name}" for name in row)
                    others = [name for name in row if name not in by]
                    fresh = ", ".join(f"{name} = :{name}" for name in others)
                    found = connection.execute(
                        text(f"UPDATE {table} SET {fresh} WHERE {where}"), row
                    )
                    if not found.rowcount:
                        words = f"INSERT INTO {table} ({names}) VALUES ({places})"
                        connection.execute(text(words), row)

    def forget(self, id: str, tables: Sequence[str] = TABLES) -> None:
        """Delete all that some tables hold of a search."""
        for table in reversed(list(tables)):
            column = "id" if table == "searches" else "search"
            self.run(f"DELETE FROM {table} WHERE {column} = :id", id=id)
