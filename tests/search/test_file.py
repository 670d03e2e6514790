"""The file of a search: created once, readable by its owner, and never left half written."""

import errno
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support import saved
from tests.support.price import price_plan

from feint import finish
from feint.errors import BadState, MissingExtra
from feint.search import begin, create, load, private
from feint.simulate.oracles import Hidden

PLAN = price_plan()


def test_a_file_has_its_last_length_from_the_beginning(tmp_path: Path) -> None:
    """A line for the header and one for each round; nothing that happens changes the size."""
    path = tmp_path / "search.jsonl"
    search = create(path, PLAN)
    assert os.stat(path).st_mode & 0o777 == 0o600
    sizes = {path.stat().st_size}
    for query in search.ask():
        sizes.add(path.stat().st_size)
        for answer in (True, True, False, True):
            search.tell(query.id, answer)
            sizes.add(path.stat().st_size)
        assert saved.told(path) == {query.id: True}
        search.take_back(query.id)
        assert path.read_bytes().count(b'"told":"' + b"-" * 36) == PLAN.rounds
        sizes.add(path.stat().st_size)
        search.tell(query.id, True)
    assert saved.told(path) == {query.id: True}
    finish(search, Hidden("73.4181"))
    assert sizes == {path.stat().st_size}
    assert len(path.read_bytes().splitlines()) == 1 + PLAN.rounds
    result = search.result
    del search
    assert load(path).result == result


def test_files_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    with pytest.raises(BadState, match="no such file"):
        load(path)
    search = create(path, PLAN)
    with pytest.raises(BadState, match="this file exists already"):
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


def test_where_no_file_can_be_locked_a_lock_stands_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private, "fcntl", None)
    path = tmp_path / "search.jsonl"
    search = create(path, PLAN)
    with pytest.raises(BadState, match="in use"):
        load(path)
    lock = tmp_path / "search.jsonl.lock"
    assert (lock.stat().st_mode & 0o777, lock.read_bytes()) == (0o600, b"")
    del search
    load(path).ask()
    assert load(path).round == 0


def test_without_any_lock_no_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "search.jsonl"
    create(path, PLAN)
    before = path.read_bytes()
    monkeypatch.setattr(private, "fcntl", None)
    monkeypatch.setitem(sys.modules, "filelock", None)
    with pytest.raises(MissingExtra, match=r"feint\[lock\]"):
        load(path)
    assert path.read_bytes() == before
    with pytest.raises(MissingExtra):
        create(tmp_path / "new.jsonl", PLAN)
    assert not (tmp_path / "new.jsonl").exists()


def test_a_file_that_is_refused_is_not_touched(tmp_path: Path) -> None:
    """Looking changes nothing; an error about another version names the file."""
    path = tmp_path / "search.jsonl"
    other = b'{"version":99}\nnotes that somebody keeps, without a newline'
    path.write_bytes(other)
    path.chmod(0o600)
    with pytest.raises(BadState, match="version = 99") as caught:
        load(path)
    assert caught.value.value == path
    assert path.read_bytes() == other


def test_a_round_that_was_cut_off_was_never_shown(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever part of its line reached the disk, the search is where it was before."""
    path = tmp_path / "search.jsonl"
    search = create(path, PLAN)
    (query,) = search.ask()
    search.tell(query.id, True)
    text, before = search.to_json(), path.read_bytes()
    asked = search.ask()
    after = path.read_bytes()
    del search
    (start, *_), end = changed(before, after), changed(before, after)[-1]
    for cut in range(start, end):
        path.write_bytes(after[:cut] + before[cut:])
        caplog.clear()
        search = load(path)
        assert search.to_json() == text
        assert bool(caplog.records) == (cut > start)
        assert "q0.0" not in caplog.text
        search.tell(query.id, True)
        assert search.ask() == asked
        assert path.read_bytes() == after
        del search
    path.write_bytes(after)
    caplog.clear()
    assert load(path).ask() == asked
    assert not caplog.text


def changed(before: bytes, after: bytes) -> list[int]:
    return [i for i, (one, other) in enumerate(zip(before, after, strict=True)) if one != other]


def test_an_answer_changes_its_slot_alone(tmp_path: Path) -> None:
    """The plan says where it is; an answer that is changed is written beside the one before."""
    path = tmp_path / "search.jsonl"
    search, places = create(path, PLAN), set[int]()
    while not search.done:
        for query in search.ask():
            before = path.read_bytes()
            search.tell(query.id, True)
            first = changed(before, path.read_bytes())
            assert len(first) == first[-1] - first[0] + 1 == 18
            assert before[first[0] : first[0] + 36] == b"-" * 36
            assert path.read_bytes()[first[0]] == ord("y")
            if not search.done:
                told = path.read_bytes()
                search.tell(query.id, False)
                assert changed(told, path.read_bytes()) == [each + 18 for each in first]
                assert path.read_bytes()[first[0] + 18] == ord("n")
            places.update(first)
    assert len(places) == 18 * search.answered


@pytest.mark.parametrize(
    "change",
    [
        lambda held: held[:-1],
        lambda held: held[:-20],
        lambda held: held + b"\n",
        lambda held: held[: held.rindex(b"{")],
        lambda held: held[: held.index(b"\n") + 1],
        lambda held: held.replace(b'"told":"y', b'"told":"z'),
        lambda held: held.replace(b'"told":"y', b'"told":"n'),
        lambda held: held.replace(b'"told":"y', b'"told": "y'),
        lambda held: held[: held.index(b"\n")],
        lambda held: held.replace(b'"ask":', b'"told":"","ask":'),
        lambda held: held.replace(b'"ask":"', b'"ask":"0', 1),
        lambda held: held.replace(b'"check":', b'"no":', 1),
        lambda held: held.replace(b'"check":"--', b'"check":"00', 1).replace(b"y0", b"n0"),
        lambda held: held[:-4] + b"y" + held[-3:],
    ],
)
def test_a_file_that_was_changed_is_refused(tmp_path: Path, change: Any) -> None:
    path = tmp_path / "search.jsonl"
    search = create(path, PLAN)
    (query,) = search.ask()
    search.tell(query.id, True)
    del search
    held = change(path.read_bytes())
    assert held != path.read_bytes()
    path.write_bytes(held)
    with pytest.raises(BadState, match="restore it"):
        load(path)
    assert path.read_bytes() == held


def test_a_file_that_was_removed_takes_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "search.jsonl"
    search = create(path, PLAN)
    (query,) = search.ask()
    path.unlink()
    with pytest.raises(FileNotFoundError, match="removed since it was opened"):
        search.tell(query.id, True)
    assert search.answered == 0
    assert not path.exists()


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
    path.touch(0o600)  # killed before the first line was written
    with pytest.raises(BadState, match="has no search"):
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


def test_a_search_without_an_answer_makes_room_for_another(tmp_path: Path) -> None:
    """The same goes on; another gets its place; one that is answered, or in use, stays."""
    path = tmp_path / "search.jsonl"
    first, moved = begin(path, PLAN)
    assert (moved, path.stat().st_mode & 0o777) == (None, 0o600)
    asked = first.ask()
    with pytest.raises(BadState, match="in use"):
        begin(path, PLAN)
    del first
    same, moved = begin(path, PLAN)
    assert (same.ask(), moved) == (asked, None)
    before = path.read_bytes()
    del same
    for number in (1, 2):
        other, moved = begin(path, PLAN, seed=number)
        assert moved == tmp_path / f"search.jsonl.{number}"
        del other
    assert (tmp_path / "search.jsonl.1").read_bytes() == before
    told = load(path)
    told.tell(told.ask()[0].id, True)
    del told
    with pytest.raises(BadState, match="this file exists already"):
        begin(path, PLAN)
    (tmp_path / "notes").write_text("mine")
    (tmp_path / "notes").chmod(0o600)
    with pytest.raises(BadState, match="has no search"):
        begin(tmp_path / "notes", PLAN)
    assert (tmp_path / "notes").read_text() == "mine"
