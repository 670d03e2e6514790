"""Keys: from the environment or a file of one's own; what is sealed opens in its place alone."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from feint.errors import BadState, InvalidValue, WrongKey
from feint.journal import fresh_key, key_text, read_key, write_key
from feint.journal.codec import packed, unpacked
from feint.journal.sealing import Seal


@pytest.fixture(autouse=True)
def no_key_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FEINT_KEY", raising=False)


def test_a_key_file_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "key"
    key = read_key(path)
    assert len(key) == 32
    assert read_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["key"]
    with pytest.raises(FileExistsError):
        write_key(path, fresh_key())


@pytest.mark.parametrize("mode", [0o604, 0o644, 0o444, 0o602, 0o620, 0o601, 0o660])
def test_a_key_that_others_may_read_or_write_is_refused(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "key"
    read_key(path)
    os.chmod(path, mode)
    with pytest.raises(BadState, match=r"others may (read|write) it; chmod 600 it"):
        read_key(path)


@pytest.mark.parametrize(
    ("owner", "group", "allowed"),
    [
        (0, 0, True),  # root:root, as without fsGroup
        (0, 70_002, True),  # root:fsGroup, of which this process is one
        (0, 70_003, False),  # of a group that is not ours: who is in it is not known
        (70_001, 0, True),
        (70_001, 70_002, False),  # our own file, open to our group by its mask
        (70_004, 0, False),
    ],
)
def test_a_group_may_read_a_key_if_it_is_roots_or_root_gave_it(
    owner: int, group: int, allowed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """This process is user 70001, in the groups 70001 and 70002."""
    path = tmp_path / "key"
    key = read_key(path)
    os.chmod(path, 0o440)
    seen = os.stat(path)

    def told(descriptor: int) -> os.stat_result:
        values = list(seen)
        values[stat.ST_UID], values[stat.ST_GID] = owner, group
        return os.stat_result(values)

    monkeypatch.setattr("feint.journal.keyfile.os.fstat", told)
    monkeypatch.setattr("feint.journal.keyfile.os.geteuid", lambda: 70_001)
    monkeypatch.setattr("feint.journal.keyfile.os.getegid", lambda: 70_001)
    monkeypatch.setattr("feint.journal.keyfile.os.getgroups", lambda: [70_002])
    if allowed:
        assert read_key(path) == key
    else:
        with pytest.raises(BadState, match="must be readable by you only"):
            read_key(path)


def secret(folder: Path) -> tuple[Path, bytes]:
    """A key as Kubernetes mounts it: key -> ..data/key, ..data -> ..2026, ..2026/key."""
    folder.chmod(0o755)
    (folder / "..2026").mkdir(mode=0o755)
    key = read_key(folder / "..2026" / "key")
    (folder / "..2026" / "key").chmod(0o400)
    (folder / "..data").symlink_to("..2026")
    (folder / "key").symlink_to("..data/key")
    return folder / "key", key


def test_a_key_is_read_through_links_that_only_we_and_root_can_change(tmp_path: Path) -> None:
    path, key = secret(tmp_path)
    assert read_key(path) == key
    (tmp_path / "absolute").symlink_to(path)
    (tmp_path / "up").symlink_to(f"../{tmp_path.name}/./absolute")
    assert read_key(tmp_path / "up") == key
    tmp_path.chmod(0o1777)  # as Kubernetes has it: others add names, and replace none
    assert read_key(path) == key


def test_a_key_behind_a_link_that_others_can_change_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, key = secret(tmp_path)
    for folder in (tmp_path, tmp_path / "..2026"):
        folder.chmod(0o777)
        with pytest.raises(BadState, match=f"{folder}, on its way, can be changed by everybody"):
            read_key(path)
        folder.chmod(0o755)
    assert read_key(path) == key
    seen = os.lstat

    def told(name: str) -> os.stat_result:
        values = list(seen(name))
        if name == changed:
            values[stat.ST_UID] = os.geteuid() + 70_001
        return os.stat_result(values)

    monkeypatch.setattr("feint.journal.keyfile.os.lstat", told)
    for changed in (str(path), f"{tmp_path}/..data", f"{tmp_path}/..2026", str(tmp_path)):
        with pytest.raises(BadState, match=f"{changed}, on its way, belongs to another user"):
            read_key(path)


def test_links_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "none").symlink_to("nothing")
    (tmp_path / "folder").symlink_to(".")
    for name, rule in (
        ("circle", "too many links"),
        ("none", "there is no key file"),
        ("folder", "leads to a folder"),
    ):
        with pytest.raises(BadState, match=rule):
            read_key(tmp_path / name)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["circle", "folder", "none"]
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(BadState, match="must be a regular file"):
        read_key(tmp_path / "pipe")


def test_a_key_is_read_from_a_read_only_mount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is made beside it, and it is opened to read alone."""
    path = tmp_path / "key"
    key = read_key(path)
    opened = os.open

    def read_only(name: str, flags: int, mode: int = 0o777, **more: Any) -> int:
        if flags & (os.O_CREAT | os.O_RDWR | os.O_WRONLY):
            raise OSError(errno.EROFS, "Read-only file system", str(name))
        return opened(name, flags, mode, **more)

    monkeypatch.setattr(os, "open", read_only)
    assert read_key(path) == key


def test_a_key_that_may_not_be_read_is_not_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_key(tmp_path / "key")

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(BadState, match=r"cannot be read \(Permission denied\)"):
        read_key(tmp_path / "key")


def test_the_folder_that_is_made_for_a_key_is_its_owners_alone(tmp_path: Path) -> None:
    read_key(tmp_path / "new" / "key")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_the_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = fresh_key()
    monkeypatch.setenv("FEINT_KEY", key_text(key))
    assert read_key(tmp_path / "key") == key
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_key_is_refused_without_repeating_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadState, match="there is no key file"):
        read_key(tmp_path / "key", create=False)
    monkeypatch.setenv("FEINT_KEY", "hunter2")
    with pytest.raises(InvalidValue, match="must be 32 bytes in base64") as raised:
        read_key(tmp_path / "key")
    assert "hunter2" not in str(raised.value)


def test_sealed_opens_in_its_place_with_its_key_and_unchanged() -> None:
    seal, data = Seal(fresh_key()), b"an answer"
    sealed = seal.seal(data, about="search a 1")
    assert seal.open(sealed, about="search a 1") == data
    assert len(sealed) == len(data) + 28
    assert sealed != seal.seal(data, about="search a 1")
    changed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    for other, held, about in (
        (seal, sealed, "search a 2"),
        (Seal(fresh_key()), sealed, "search a 1"),
        (seal, changed, "search a 1"),
        (seal, b"short", "search a 1"),
    ):
        with pytest.raises(WrongKey):
            other.open(held, about=about)


def test_lengths_follow_from_the_kind_alone() -> None:
    """An answer is one length; a round is one length a width, up to the largest place there is."""
    assert len({len(packed({"tell": f"q{n}.{n}", "yes": n > 5})) for n in range(2000)}) == 1
    for width in (1, 7, 300):
        shown = [{"round": 9999, "ask": [at] * width} for at in (0, 10**6, 2**63 - 1)]
        assert len({len(packed(each)) for each in shown}) == 1
        assert [unpacked(packed(each)) for each in shown] == shown


def test_what_is_no_row_is_refused() -> None:
    for data in (b"", b"[1]", b"{", b"[" * 100_000):
        with pytest.raises(BadState, match="must be an event or a row"):
            unpacked(data)
