"""A new master key: cut off at any step, the database opens, and running it again ends it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.journals import KEY, PLAN

from feint.errors import BadState, InvalidValue, WrongKey
from feint.journal import SQL, Lasting, begin, fresh_key, read_key, rotate_key, write_key


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
