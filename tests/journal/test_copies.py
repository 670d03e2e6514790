"""Backups, and what is restored from them; a database that is closed is one file."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.support.databases import databases
from tests.support.journals import KEY, PLAN
from tests.support.polls import honest, seat, vote_all
from tests.support.writers import Writer

from feint.errors import BadState, Tampered, Unavailable, WrongKey
from feint.journal import SQL, backup, restore
from feint.journal.polls import Polls, Terms

_NAMES = ("feint_copied", "feint_restored")


@pytest.fixture(params=databases())
def places(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The URLs of a database of this test's own, and of one to restore into."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/a.db", f"sqlite:///{tmp_path}/restored.db"
        return
    server = str(request.getfixturevalue("postgres_url"))
    with psycopg.connect(server, autocommit=True) as connection:
        for name in _NAMES:
            connection.execute(f"CREATE DATABASE {name}")
    first, second = (server.replace("/postgres?", f"/{name}?") for name in _NAMES)
    yield first, second
    with psycopg.connect(server, autocommit=True) as connection:
        for name in _NAMES:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def test_a_backup_is_restored_into_a_new_database_and_says_so(
    places: tuple[str, str], tmp_path: Path
) -> None:
    url, other = places
    store, copy = SQL(url, key=KEY), tmp_path / "copy"
    polls = Polls(store)
    polls.create("price", PLAN, terms=Terms(quorum=1), key=bytes(32))
    seat(polls, "price", "a")
    (shown,) = polls.sheet("price", "a").ballots
    backup(url, copy)
    counter = polls.status("price")["counter"]
    vote_all(polls, "price", ["a"], honest(13))
    with pytest.raises(BadState, match="there is a database already"):
        restore(url, copy, key=KEY)
    assert restore(other, copy, key=KEY) == 1
    again = SQL(other, key=KEY)
    assert again.restored() is not None
    assert store.restored() is None
    restored = Polls(again)
    assert restored.status("price")["counter"] == counter
    assert restored.sheet("price", "a").ballots == (shown,)
    vote_all(restored, "price", ["a"], honest(13))
    assert restored.result("price") == polls.result("price")
    for each in (store, again):
        each.close()


def test_a_backup_that_does_not_add_up_or_open_is_refused(tmp_path: Path) -> None:
    url, copy = f"sqlite:///{tmp_path}/a.db", tmp_path / "copy.db"
    store = SQL(url, key=KEY)
    Polls(store).create("price", PLAN, terms=Terms(quorum=1))
    backup(url, copy)
    other = f"sqlite:///{tmp_path}/other.db"
    with pytest.raises(WrongKey):
        restore(other, copy, key=bytes(32))
    with pytest.raises(BadState, match="there is no file of this name"):
        restore(other, tmp_path / "typo", key=KEY)
    Writer(f"sqlite:///{copy}").run("DELETE FROM rows WHERE kind = 'tally'")
    with pytest.raises(Tampered):
        restore(other, copy, key=KEY)
    copy.write_bytes(b"something else" * 100)
    with pytest.raises(Unavailable, match="no database, or is damaged"):
        restore(other, copy, key=KEY)
    assert not list(tmp_path.glob("other*"))


def test_a_database_that_is_closed_is_one_file(tmp_path: Path) -> None:
    """Another process may have it open: the log is emptied all the same."""
    path = tmp_path / "a.db"
    store, other = (SQL(f"sqlite:///{path}", key=KEY) for _ in range(2))
    Polls(store).create("price", PLAN, terms=Terms(quorum=1))
    assert Polls(other).names() == ["price"]
    assert (tmp_path / "a.db-wal").stat().st_size > 0
    store.close()
    assert (tmp_path / "a.db-wal").stat().st_size == 0
    (tmp_path / "alone.db").write_bytes(path.read_bytes())
    alone = SQL(f"sqlite:///{tmp_path}/alone.db", key=KEY)
    assert Polls(alone).status("price")["standing"] == "open"
    for each in (other, alone):
        each.close()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.db", "alone.db"]


def test_a_file_with_rows_out_of_order_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    store = SQL(f"sqlite:///{path}", key=KEY)
    Polls(store).create("price", PLAN, terms=Terms(quorum=1))
    store.close()
    with sqlite3.connect(path) as connection:
        (search,) = connection.execute(
            "SELECT search FROM rows WHERE kind = 'question' LIMIT 1"
        ).fetchone()
    connection.close()
    held = path.read_bytes()
    where = held.index(f"{search}question".encode())
    path.write_bytes(held[:where] + b"\x21" + held[where + 1 :])
    with pytest.raises(Unavailable, match="damaged"):
        SQL(f"sqlite:///{path}", key=KEY)
