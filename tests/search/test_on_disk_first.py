"""What is acknowledged is on the disk, and in an order in which a crash leaves nothing half done.

`os.fsync` and whatever gives a file its name are watched: what a file holds at that moment is what
a crash right after it leaves.
"""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.price import KEY, price_plan

from feint import Search
from feint.errors import BadState
from feint.search import create, keep, load, private, read_private, sync_folder, write_private
from feint.search.private import PrivateFile

PLAN = price_plan()


class Watched:
    """What is put on the disk, and what is renamed, linked or removed, in the order it is done.

    Attributes:
        steps: "file" or "folder" for what is put on the disk, otherwise the name of the call.
        held: What each file held when it was put on the disk.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps, self.held = list[str](), list[bytes]()
        real = os.fsync

        def fsync(descriptor: int) -> None:
            found = os.fstat(descriptor)
            if stat.S_ISDIR(found.st_mode):
                self.steps.append("folder")
            else:
                self.steps.append("file")
                same = (each for each in folder.iterdir() if each.stat().st_ino == found.st_ino)
                self.held.append(next(same).read_bytes())
            real(descriptor)

        monkeypatch.setattr(os, "fsync", fsync)
        for name in ("link", "replace", "rename", "unlink"):
            monkeypatch.setattr(os, name, self._noted(name, getattr(os, name)))

    def _noted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **given: Any) -> Any:
            self.steps.append(name)
            return real(*args, **given)

        return call


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(tmp_path, monkeypatch)


def test_a_private_file_gets_its_name_once_all_of_it_is_on_the_disk(
    tmp_path: Path, watched: Watched
) -> None:
    """Less than a buffer and more than one: what is still in a buffer is not on any disk."""
    for number, data in enumerate((b"", b"x", b"key" * 100_000)):
        watched.steps.clear()
        watched.held.clear()
        path = tmp_path / str(number)
        write_private(path, data)
        assert watched.steps == ["file", "link", "unlink", "folder"]
        assert watched.held == [data]
        assert path.read_bytes() == data
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.stat().st_nlink == 1
        assert read_private(path, "key") == data
    assert sorted(each.name for each in tmp_path.iterdir()) == ["0", "1", "2"]


def test_a_private_file_that_cannot_be_put_on_the_disk_gets_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        write_private(tmp_path / "key", b"secret")
    assert list(tmp_path.iterdir()) == []


def test_a_private_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "key"
    write_private(path, b"first")
    with pytest.raises(FileExistsError):
        write_private(path, b"second")
    assert path.read_bytes() == b"first"
    assert [each.name for each in tmp_path.iterdir()] == ["key"]


def test_the_folder_that_is_put_on_the_disk_is_the_one_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it is not held open: the lowest descriptor that is free is what is opened next."""
    synced, real = list[int](), os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    free = os.dup(0)
    os.close(free)
    sync_folder(tmp_path)
    again = os.dup(0)
    os.close(again)
    assert synced == [tmp_path.stat().st_ino]
    assert again == free


def test_whatever_a_search_acknowledges_was_put_on_the_disk_before(
    tmp_path: Path, watched: Watched
) -> None:
    """Begun, shown, told, told otherwise, taken back: each time all of it is there.

    Taken back, the answer that was told first goes first: alone it would count again.
    """
    path = tmp_path / "search.jsonl"
    search = create(path, PLAN)
    assert watched.steps == ["file", "folder"]
    assert watched.held == [path.read_bytes()]
    (query,) = search.ask()
    shown = path.read_bytes()
    search.tell(query.id, True)
    told = path.read_bytes()
    search.tell(query.id, False)
    other = path.read_bytes()
    search.take_back(query.id)
    assert watched.steps == ["file", "folder"] + ["file"] * 5
    assert watched.held[1:4] == [shown, told, other]
    assert watched.held[5] == shown
    at = shown.index(b'"told":"') + len(b'"told":"')
    assert watched.held[4] == other[:at] + b"-" * 18 + other[at + 18 :]
    assert len({shown, told, other}) == 3


def test_a_search_that_is_kept_from_now_on_is_on_the_disk_with_all_that_happened(
    tmp_path: Path, watched: Watched
) -> None:
    path = tmp_path / "search.jsonl"
    search = Search(PLAN, key=KEY)
    search.tell(search.ask()[0].id, True)
    search.ask()
    kept = keep(path, search)
    assert watched.steps == ["file", "folder"]
    assert watched.held == [path.read_bytes()]
    assert kept.to_json() == search.to_json()
    del kept
    assert load(path).to_json() == search.to_json()


def test_another_file_takes_the_place_of_one_once_all_of_it_is_on_the_disk(
    tmp_path: Path, watched: Watched
) -> None:
    """Renamed before, a crash would leave an empty file where the search was."""
    path = tmp_path / "held"
    file = PrivateFile(path, os.O_CREAT | os.O_EXCL)
    file.put(0, b"before")
    watched.steps.clear()
    watched.held.clear()
    whole = b"after" * 50_000
    file.replace(whole)
    assert [each for each in watched.steps if each != "unlink"] == ["file", "replace", "folder"]
    assert watched.held == [whole]
    assert path.read_bytes() == whole
    assert [each.name for each in tmp_path.iterdir()] == ["held"]
    file.put(5, b"AFTER")  # to the file that is there now
    assert path.read_bytes()[:10] == b"afterAFTER"


def test_who_finds_a_file_in_use_leaves_nothing_of_it_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, opened = list[int](), private.opened

    def seen(*given: Any) -> int:
        made.append(opened(*given))
        return made[-1]

    search = create(tmp_path / "kept", PLAN)
    monkeypatch.setattr(private, "opened", seen)
    with pytest.raises(BadState, match="is in use"):
        load(tmp_path / "kept")
    assert made
    for each in made:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(each)
    assert search.ask()
