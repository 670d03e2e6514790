"""Polls of earlier versions go on: they get heads and tallies, and keys that tell nothing."""

import re
import sqlite3
from pathlib import Path

import pytest
from tests.journal.make_saved import NOISY, SAVED
from tests.support.journals import KEY
from tests.support.polls import honest, seat, vote_all

from feint.errors import Tampered, WrongKey
from feint.journal import SQL
from feint.journal.polls import Polls, Terms

STORED = sorted(each.name for each in (SAVED / "polls").glob("*.db"))


def keys_of(path: Path, kind: str) -> list[str]:
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT key FROM rows WHERE kind = ?", (kind,)).fetchall()
    connection.close()
    return [key for (key,) in found]


@pytest.mark.parametrize("name", STORED)
def test_polls_of_earlier_versions_go_on(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes((SAVED / "polls" / name).read_bytes())
    store = SQL(f"sqlite:///{path}", key=KEY)
    polls = Polls(store)
    assert store.check() == 2
    (question,) = polls.status("price")["questions"]
    assert (question["yes"], question["no"], question["closed"]) == (2, 0, False)
    samples = keys_of(path, "sample")
    assert len(samples) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in samples)
    taken = {ballot.value for ballot in polls.sheet("share", "a").ballots if ballot.vote}
    again = [each.value for each in polls.sheet("share", "a").ballots if each.vote is None]
    assert not taken & set(again)  # what they took a sample of is still known
    sixty = [f"p{number}" for number in range(60)]
    seat(polls, "price", "a", "b", "c")
    seat(polls, "share", *sixty)
    vote_all(polls, "price", ["a", "b", "c"], honest(13))
    vote_all(polls, "share", sixty, honest(3))
    alone = Polls(SQL(f"sqlite:///{tmp_path}/new.db", key=KEY))
    stored = polls.search("price").plan
    for each, plan, quorum in (("price", stored, 3), ("share", NOISY, 1)):
        alone.create(each, plan, terms=Terms(quorum=quorum), key=bytes(32))
        seat(alone, each, "a", "b", "c")
    for person in ("a", "b"):
        alone.vote("price", person, "q0.0", True)
    vote_all(alone, "price", ["a", "b", "c"], honest(13))
    assert alone.result("price") == polls.result("price")
    assert polls.status("share")["standing"] == "done"
    store.close()


def test_an_upgrade_with_another_key_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes((SAVED / "polls" / "v2.db").read_bytes())
    with pytest.raises(WrongKey):
        SQL(f"sqlite:///{path}", key=bytes(32))
    assert any("/" in key for key in keys_of(path, "sample"))
    assert SQL(f"sqlite:///{path}", key=KEY).check() == 2
    assert not any("/" in key for key in keys_of(path, "sample"))


@pytest.mark.parametrize("kept", ["index", "index and data keys"])
def test_an_upgrade_cannot_be_repeated_for_rows_written_since(kept: str, tmp_path: Path) -> None:
    """Somebody kept a copy of before the upgrade, and drops a vote that came after it."""
    path = tmp_path / "a.db"
    path.write_bytes((SAVED / "polls" / "v2.db").read_bytes())
    with sqlite3.connect(path) as connection:
        index = connection.execute("SELECT name, held FROM feint").fetchall()
        keys = connection.execute("SELECT wrapped, name, header, id FROM searches").fetchall()
    connection.close()
    store = SQL(f"sqlite:///{path}", key=KEY)
    polls = Polls(store)
    seat(polls, "price", "a", "b", "c")
    polls.vote("price", "b", "q0.0", False)
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE heads")
        for name, held in index:
            connection.execute("UPDATE feint SET held = ? WHERE name = ?", (held, name))
        if "data keys" in kept:
            words = "UPDATE searches SET wrapped = ?, name = ?, header = ? WHERE id = ?"
            connection.executemany(words, keys)
        connection.execute("DELETE FROM rows WHERE kind = 'vote' AND key LIKE '%/b'")
    connection.close()
    with pytest.raises((Tampered, WrongKey)):
        SQL(f"sqlite:///{path}", key=KEY)
