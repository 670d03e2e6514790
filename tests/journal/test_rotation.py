"""A new master key: cut off at any step, the database opens, and running it again ends it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.journals import KEY, PLAN
from tests.support.polls import seat
from tests.support.writers import Writer

from feint import Domain, Problem, plan
from feint.errors import BadState, InvalidValue, Tampered, WrongKey
from feint.journal import (
    SQL,
    Lasting,
    begin,
    fresh_key,
    read_key,
    resealing,
    rotate_data_keys,
    rotate_key,
    write_key,
)
from feint.journal.polls import Polls, Terms

NOISY = plan(Problem("1/16", "1/4", 2, p="0.8", confidence="0.8"), domain=Domain(0, 8))


class CutOff(BaseException):
    """The process ends here."""


STEPS: dict[str, Callable[..., Any]] = {
    "feint.journal.rotation.write_key": write_key,
    "feint.journal.SQL.rotate": SQL.rotate,
    "os.replace": os.replace,
}
"""What changes something, in order."""


def cut(step: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
    def cut_off(*args: Any, **words: Any) -> None:
        if after:
            step(*args, **words)
        raise CutOff

    return cut_off


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    monkeypatch.delenv("FEINT_KEY", raising=False)
    write_key(tmp_path / "key", KEY)
    return f"sqlite:///{tmp_path}/journal.db", tmp_path / "key"


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("step", STEPS)
def test_one_that_is_cut_off_goes_on_when_it_is_run_again(
    step: str, after: bool, place: tuple[str, Path]
) -> None:
    url, path = place
    asked = begin(SQL(url, key=KEY), "x", PLAN).ask()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step, cut(STEPS[step], after=after))
        with pytest.raises(CutOff):
            rotate_key(url, path)
    assert rotate_key(url, path) == path
    key = read_key(path, create=False)
    assert key != KEY
    assert Lasting(SQL(url, key=key), "x").ask() == asked
    with pytest.raises(WrongKey):
        SQL(url, key=KEY)
    assert [each.name for each in path.parent.glob("key*")] == ["key"]


def test_a_key_of_ones_own_is_taken_and_the_old_file_stays(place: tuple[str, Path]) -> None:
    url, path = place
    begin(SQL(url, key=KEY), "x", PLAN)
    chosen = write_key(path.with_name("chosen"), fresh_key())
    assert rotate_key(url, path, to=path.with_name("chosen")) == path.with_name("chosen")
    assert SQL(url, key=chosen).names() == ["x"]
    assert read_key(path) == KEY
    with pytest.raises(BadState, match="there is no key file"):
        rotate_key(url, path.with_name("none"))


def test_whoever_has_the_old_key_begins_nothing(url: str) -> None:
    """A process that was not started again reads nothing, and writes nothing that is lost."""
    stale = SQL(url, key=KEY)
    stale.delete("old")
    search = begin(stale, "old", PLAN)
    (first, *_) = search.ask()
    new = fresh_key()
    fresh = SQL(url, key=KEY)
    fresh.rotate(new)
    try:
        with pytest.raises(WrongKey):
            stale.create("lost", {})
        with pytest.raises(WrongKey):
            search.tell(first.id, True)
        assert "lost" not in fresh.names()
        assert len(fresh.events("old")) == 1
    finally:
        fresh.rotate(KEY)
        fresh.delete("old")


def sealed(url: str) -> set[bytes]:
    """Everything that is sealed in a database, and every wrapped key."""
    writer = Writer(url)
    columns = (
        *(("searches", each) for each in ("wrapped", "name", "header")),
        *((table, "body") for table in ("events", "rows", "heads")),
    )
    return {
        held for table, each in columns for (held,) in writer.run(f"SELECT {each} FROM {table}")
    }


def test_data_keys_are_replaced_and_everything_is_sealed_anew(url: str) -> None:
    """Processes that have it open go on; a copy from before is refused."""
    store = SQL(url, key=KEY)
    polls, name = Polls(store), "data keys"
    polls.delete(name)
    polls.create(name, NOISY, terms=Terms(quorum=1))
    seat(polls, name, "a")
    (first, *_) = polls.sheet(name, "a").ballots
    polls.vote(name, "a", first.id, True)
    writer, search = Writer(url), store._id(name)
    old, before, counter = writer.copy(search), sealed(url), polls.status(name)["counter"]
    assert SQL(url, key=KEY).rotate_data() >= 1
    assert not before & sealed(url)
    for each in (polls, Polls(SQL(url, key=KEY))):
        assert each.status(name)["counter"] == counter + 1
        sheet = each.sheet(name, "a")
        assert [ballot.vote for ballot in sheet.ballots if ballot.id == first.id] in ([True], [])
        points = [(ballot.coordinate, ballot.value) for ballot in sheet.ballots]
        assert len(set(points)) == len(points)
    new = writer.copy(search)
    writer.forget(search)
    writer.put_back(old)
    for each in (polls, Polls(SQL(url, key=KEY))):
        with pytest.raises(Tampered, match="was deleted, and put back outside feint"):
            each.status(name)
    writer.forget(search)
    writer.put_back(new)
    assert Polls(SQL(url, key=KEY)).status(name)["counter"] == counter + 1
    polls.delete(name)


@pytest.mark.parametrize("after", range(4))
def test_new_data_keys_that_are_cut_off_leave_searches_that_open(
    after: int, place: tuple[str, Path]
) -> None:
    """After some searches, and in the middle of one."""
    url, path = place
    store = SQL(url, key=KEY)
    asked = {name: begin(store, name, PLAN).ask() for name in ("x", "y", "z")}
    done: list[int] = []

    def reseal(*args: Any, **words: Any) -> Any:
        done.append(1)
        made = resealing.reseal(*args, **words)
        if len(done) > after:
            raise CutOff
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("feint.journal.sql.reseal", reseal)
        with pytest.raises(CutOff):
            rotate_data_keys(url, path)
    for again in (SQL(url, key=KEY), store):
        assert {name: Lasting(again, name).ask() for name in asked} == asked
    assert rotate_data_keys(url, path) == 3
    assert {name: Lasting(SQL(url, key=KEY), name).ask() for name in asked} == asked


def test_a_key_behind_a_link_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new key would take the link's place, and whoever mounted the old one would not see it."""
    monkeypatch.delenv("FEINT_KEY", raising=False)
    tmp_path.chmod(0o755)
    url, key = f"sqlite:///{tmp_path}/journal.db", read_key(tmp_path / "mounted")
    SQL(url, key=key).close()
    (tmp_path / "key").symlink_to("mounted")
    with pytest.raises(InvalidValue, match="is a link"):
        rotate_key(url, tmp_path / "key")
    assert read_key(tmp_path / "key") == key
    rotate_key(url, tmp_path / "key", to=tmp_path / "new")
    SQL(url, key=read_key(tmp_path / "new")).close()
