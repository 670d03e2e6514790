"""The file of a search: created once, readable by its owner, and never left half written."""

import errno
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.price import price_plan

from feint import finish
from feint.errors import BadState, MissingExtra
from feint.oracles import Hidden
from feint.search import create, file, load

PLAN = price_plan()


def test_one_line_for_each_round_and_each_answer(tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    search = create(path, PLAN)
    assert os.stat(path).st_mode & 0o777 == 0o600
    sizes = [path.stat().st_size]
    for query in search.ask():
        sizes.append(path.stat().st_size)
        search.tell(query.id, True)
        search.tell(query.id, True)
    sizes.append(path.stat().st_size)
    assert sizes == sorted(set(sizes))
    assert len(path.read_bytes().splitlines()) == 3
    finish(search, Hidden("73.4181"))
    assert len(path.read_bytes().splitlines()) == 1 + PLAN.rounds + PLAN.queries
    result = search.result
    del search
    assert load(path).result == result


def test_files_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    with pytest.raises(BadState, match="no such file"):
        load(path)
    search = create(path, PLAN)
    with pytest.raises(BadState, match="a file of this name"):
        create(path, PLAN)
    with pytest.raises(BadState, match="in use"):
        load(path)
    del search
    load(path)
    for content in (b"", b"{", b"7\n", b"not json\n"):
        path.write_bytes(content)
        with pytest.raises(BadState):
            load(path)
        assert path.read_bytes() == content


@pytest.mark.parametrize("link", [False, True])
def test_where_no_file_can_be_locked_a_lock_stands_beside_it(
    link: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "fcntl", None)
    path = other = tmp_path / "search.jsonl"
    if link:
        other = tmp_path / "other.jsonl"
        other.symlink_to(path)
    search = create(path, PLAN)
    with pytest.raises(BadState, match="in use"):
        load(other)
    lock = tmp_path / "search.jsonl.lock"
    assert (lock.stat().st_mode & 0o777, lock.read_bytes()) == (0o600, b"")
    del search
    load(other).ask()
    assert load(path).round == 0


def test_without_any_lock_no_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "search.jsonl"
    create(path, PLAN)
    before = path.read_bytes()
    monkeypatch.setattr(file, "fcntl", None)
    monkeypatch.setitem(sys.modules, "filelock", None)
    with pytest.raises(MissingExtra, match=r"feint\[lock\]"):
        load(path)
    assert path.read_bytes() == before
    with pytest.raises(MissingExtra):
        create(tmp_path / "new.jsonl", PLAN)
    assert not (tmp_path / "new.jsonl").exists()


def test_a_file_that_is_refused_is_not_touched(tmp_path: Path) -> None:
    """A torn tail is cut off by the next answer, not by looking; another version names the file."""
    path = tmp_path / "search.jsonl"
    other = b'{"version":99}\nnotes that somebody keeps, without a newline'
    path.write_bytes(other)
    with pytest.raises(BadState, match="version = 99") as caught:
        load(path)
    assert caught.value.value == path
    assert path.read_bytes() == other


def test_a_torn_line_is_dropped_and_a_whole_one_is_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "search.jsonl"
    search = create(path, PLAN)
    (query,) = search.ask()
    search.tell(query.id, True)
    before = search.to_json()
    del search
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"tell":"q0.0","y')
    search = load(path)
    assert path.read_bytes() == whole + b'{"tell":"q0.0","y'
    assert search.to_json() == before
    assert "cut off" in caplog.text
    assert "q0.0" not in caplog.text
    search.tell(query.id, False)
    del search
    kept = whole + b'{"tell":"q0.0","yes":false}\n'
    assert path.read_bytes() == kept
    caplog.clear()
    path.write_bytes(kept[:-1])
    search = load(path)
    assert search.answered == 1
    search.ask()
    assert search.current[0].value == 35  # the last answer, no at 60, counts
    assert path.read_bytes().startswith(kept)
    assert not caplog.text
    del search
    path.write_bytes(path.read_bytes().replace(b"\n", b"\n\n"))  # an interrupt while it was mended
    assert load(path).round == 1


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path, tmp_path / "pipe", Path("/dev/full")):
        with pytest.raises(BadState, match="regular file"):
            load(place)
        with pytest.raises(BadState, match="regular file"):
            create(place, PLAN)


def test_the_name_of_a_new_file_is_on_the_disk_too(tmp_path: Path, monkeypatch: Any) -> None:
    synced, real = list[bool](), os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(descriptor).st_mode))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    create(tmp_path / "search.jsonl", PLAN)
    assert synced == [False, True]


def test_a_search_that_cannot_begin_leaves_no_file(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "search.jsonl"

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"no space left.*search\.jsonl"):
            create(path, PLAN)
    assert not path.exists()
    path.touch()  # killed before the first line was written
    with pytest.raises(BadState, match="holds no search"):
        load(path)
    create(path, PLAN).ask()
    assert load(path).round == 0


def test_a_disk_that_fails_changes_nothing(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "search.jsonl"
    search = create(path, PLAN)
    (query,) = search.ask()
    before, real = path.read_bytes(), os.write

    def half(descriptor: int, data: bytes) -> int:
        return real(descriptor, data[: len(data) // 2])

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    for name, broken in (("write", half), ("fsync", full)):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, broken)
            with pytest.raises(OSError, match=r"could not write|no space"):
                search.tell(query.id, True)
        assert path.read_bytes() == before
        assert search.answered == 0
    search.tell(query.id, True)
    search.ask()
    assert search.answered == 1
