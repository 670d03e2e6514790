"""Keys: from the environment or a file of one's own; what is sealed opens in its place alone."""

import os
from pathlib import Path

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


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "key"
    read_key(path)
    os.chmod(path, 0o640)
    with pytest.raises(BadState, match="others may read it; chmod 600 it"):
        read_key(path)


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
