"""Databases: sealed, of every version, written by many at once, gone and back."""

import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pytest
from tests.journal.make_saved import SAVED
from tests.support.databases import databases, postgres
from tests.support.journals import KEY, PLAN, finished
from tests.support.polls import twins

from feint import Domain
from feint.errors import (
    BadState,
    InvalidValue,
    NumberTaken,
    Unavailable,
    UnknownQuery,
    UnknownSearch,
    WrongKey,
)
from feint.interfaces import OFFICE
from feint.journal import SQL, Lasting, begin, fresh_key
from feint.journal.engines import Database
from feint.journal.tables import VERSION, upgrade
from feint.search import Search, finish
from feint.simulate.oracles import Hidden


def sqlite_url(path: Path) -> str:
    return f"sqlite:///{path}"


def copied(name: str, tmp_path: Path) -> Path:
    path = tmp_path / name
    path.write_bytes((SAVED / name).read_bytes())
    return path


@pytest.mark.parametrize("name", sorted(each.name for each in SAVED.glob("*.db")))
def test_a_database_of_every_version_opens_and_goes_on(name: str, tmp_path: Path) -> None:
    """The search in it stands in its second round; it ends as one that was never stopped."""
    store = SQL(sqlite_url(copied(name, tmp_path)), key=KEY)
    search = Lasting(store, "price")
    assert search.search.round == 1
    plan = search.search.plan
    assert search.search.answered == len(plan.strategy.rounds[0].coordinates)
    alone = begin(SQL(sqlite_url(tmp_path / "new.db"), key=KEY), "price", plan, key=bytes(32))
    for query in alone.ask():
        alone.tell(query.id, True)
    assert alone.ask() == search.ask()
    assert finished(alone) == finished(search)
    with store.transaction(OFFICE) as held:  # what came with version 2 is there
        held.put("some", "row", {"a": 1})


def test_every_version_has_a_stored_database() -> None:
    assert {each.name for each in SAVED.glob("*.db")} == {f"v{n + 1}.db" for n in range(VERSION)}


def test_a_newer_database_is_refused(tmp_path: Path) -> None:
    path = copied(f"v{VERSION}.db", tmp_path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE feint SET held = ? WHERE name = 'version'", (b"99",))
    connection.close()
    with pytest.raises(BadState, match="is of version 99, and this feint knows"):
        SQL(sqlite_url(path), key=KEY)


def test_an_upgrade_goes_step_by_step_and_twice_is_once(url: str) -> None:
    database = Database(url)
    for version in (1, 1, VERSION, VERSION):
        upgrade(database, version=version)


def test_another_key_is_one_clear_error(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "a.db")
    SQL(url, key=KEY)
    with pytest.raises(WrongKey, match="sealed under another key, or was changed since; give"):
        SQL(url, key=bytes(32))
    with pytest.raises(InvalidValue, match="3 bytes: must have 32 bytes"):
        SQL(url, key=b"abc")


def test_a_key_can_be_changed(url: str) -> None:
    old, new = KEY, fresh_key()
    first = SQL(url, key=old)
    first.delete("rotated")
    search = begin(first, "rotated", PLAN)
    asked = search.ask()
    first.rotate(new)
    try:
        with pytest.raises(WrongKey):
            SQL(url, key=old)
        again = SQL(url, key=new)
        assert Lasting(again, "rotated").ask() == asked == Lasting(first, "rotated").ask()
        again.rotate(old)
        assert Lasting(SQL(url, key=old), "rotated").ask() == asked
    finally:
        SQL(url, key=old).delete("rotated")


def everything(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(folder.iterdir()))


def test_nothing_is_in_the_raw_bytes(tmp_path: Path) -> None:
    """Neither a name, a label, a key, a question nor an answer, in the file or its log."""
    store = SQL(sqlite_url(tmp_path / "a.db"), key=KEY)
    label, key = "recognisable", bytes.fromhex("feedface" * 8)
    search = begin(store, label, PLAN, key=key, domains=[Domain(10, 20, label=label)])
    finished(search)
    with store.transaction(label) as held:
        held.put("vote", "q0.0/a", {"yes": True, "who": label})
    raw = everything(tmp_path)
    assert len(raw) > 10_000
    for secret in (label.encode(), key, key.hex().encode(), KEY, b'"yes"', b'"ask"', b"price"):
        assert secret not in raw


def test_what_is_deleted_is_overwritten(tmp_path: Path) -> None:
    """The wrapped data key was in the file, and no byte of it is there afterwards."""
    path = tmp_path / "a.db"
    store = SQL(sqlite_url(path), key=KEY)
    begin(store, "gone", PLAN).ask()
    with sqlite3.connect(path) as connection:
        wrapped = [row[0] for row in connection.execute("SELECT wrapped FROM searches")]
    connection.close()
    assert all(each in everything(tmp_path) for each in wrapped)
    store.delete("gone")
    assert sum(each in everything(tmp_path) for each in wrapped) == 1  # the office's
    with pytest.raises(UnknownSearch):
        Lasting(store, "gone")


def test_events_of_a_kind_have_one_length(tmp_path: Path) -> None:
    """Whatever was answered: lengths by number are equal, for two numbers with equal questions."""

    def lengths(name: str, key: bytes, number: Fraction) -> list[tuple[int, int]]:
        path = tmp_path / f"{name}.db"
        search = begin(SQL(sqlite_url(path), key=KEY), "x", PLAN, key=key)
        while not search.done:
            for query in search.ask():
                search.tell(query.id, query.value <= number)
        with sqlite3.connect(path) as connection:
            rows = connection.execute("SELECT number, length(body) FROM events").fetchall()
        connection.close()
        assert len(rows) == search.result.queries + search.result.rounds
        return rows

    key, number, other_key, other = twins()
    assert lengths("one", key, number) == lengths("two", other_key, other)


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    store = SQL(sqlite_url(tmp_path / "a.db"), key=KEY)
    begin(store, "x", PLAN).ask()
    modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
    assert modes == {"a.db": 0o600, "a.db-wal": 0o600, "a.db-shm": 0o600}


@pytest.mark.parametrize(
    "url",
    [
        "mysql://a",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite:///a\0.db",
        "postgresql://user@host:password/name",
        "",
        "nonsense",
    ],
)
def test_another_url_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(InvalidValue, match="url = something else: must be sqlite"):
        SQL(url, key=KEY)


def fill(store: SQL) -> None:
    for number in range(1000):
        begin(store, f"filler {number}", PLAN)


def test_a_full_disk_is_unavailable_and_loses_nothing(tmp_path: Path) -> None:
    """A limit on the file's pages stands for the disk's end; SQLite reports both alike."""
    store = SQL(sqlite_url(tmp_path / "a.db"), key=KEY)
    search = begin(store, "x", PLAN)
    (first, *_) = search.ask()
    with store._database.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(Unavailable, match="cannot be reached or written now"):
        fill(store)
    with store._database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
    search.tell(first.id, True)
    assert Lasting(SQL(sqlite_url(tmp_path / "a.db"), key=KEY), "x").search.answered == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", set(databases()) - {"sqlite"})
def test_a_database_that_is_gone_and_back_goes_on(kind: str) -> None:
    with postgres() as server:
        search = begin(SQL(server.url, key=KEY), "x", PLAN)
        asked = search.ask()
        server.stop()
        with pytest.raises(Unavailable, match="cannot be reached or written now"):
            search.tell(asked[0].id, True)
        server.start()
        search.tell(asked[0].id, True)
        assert finished(search) is not None
        search._journal.delete("x")
        store = search._journal
        assert isinstance(store, SQL)
        store.close()


WRITER = """
import sys
from tests.support.journals import KEY, finished
from feint.journal import SQL, Lasting
search = Lasting(SQL(sys.argv[1], key=KEY), "shared")
result = finished(search)
print(result.low, result.high, len(search._journal.events("shared")))
"""


@pytest.mark.slow
def test_processes_that_go_on_at_once_ask_and_find_the_same(url: str) -> None:
    """Each event once: rounds and questions of the plan, however many processes tell them."""
    store = SQL(url, key=KEY)
    store.delete("shared")
    begin(store, "shared", PLAN)
    words = [sys.executable, "-c", WRITER, url]
    running = [
        subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=os.environ) for _ in range(4)
    ]
    told = {each.communicate()[0] for each in running}
    (said,) = told
    assert int(said.split()[2]) == PLAN.queries + PLAN.rounds
    store.delete("shared")


def test_threads_that_go_on_at_once_find_the_same(url: str) -> None:
    """Four sessions of one search in one process: each event is there once."""
    store = SQL(url, key=KEY)
    store.delete("threads")
    begin(store, "threads", PLAN)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: finished(Lasting(store, "threads")), range(4)))
    assert found == [found[0]] * 4
    assert len(store.events("threads")) == found[0].queries + found[0].rounds
    store.delete("threads")


def test_who_comes_second_goes_on_from_there(url: str) -> None:
    store = SQL(url, key=KEY)
    store.delete("second")
    first, second = begin(store, "second", PLAN), Lasting(store, "second")
    shown = first.ask()
    assert second.ask() == shown
    first.tell(shown[0].id, True)
    second.tell(shown[0].id, True)  # its number is taken: it reads the same answer, and is content
    assert len(store.events("second")) == 2
    with pytest.raises(NumberTaken):
        store.append("second", 1, {"tell": shown[0].id, "yes": False}, id="other")
    store.delete("second")


def test_who_did_not_ask_may_tell_what_another_asked(url: str) -> None:
    store = SQL(url, key=KEY)
    store.delete("told")
    first, second = begin(store, "told", PLAN), Lasting(store, "told")
    for query in first.ask():
        second.tell(query.id, True)
    with pytest.raises(UnknownQuery):
        second.tell("q1.0", True)
    store.delete("told")


def test_a_lasting_search_finds_what_a_search_finds(url: str) -> None:
    store = SQL(url, key=KEY)
    store.delete("x")
    search = begin(store, "x", PLAN, key=bytes(32))
    assert finished(search) == finish(Search(PLAN, key=bytes(32)), Hidden(13))
    store.delete("x")
