"""Files of older versions grew with every event: the next event puts them into the new form."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support import saved
from tests.support.saved import SAVED, two_fifths

from feint import Search
from feint.errors import BadState
from feint.search import load, private
from feint.search.saved import VERSION

OLD = [(version, name) for version in ("v1", "v2") for name in ("units", "product", "noisy")]


def copied(folder: Path, version: str, name: str) -> Path:
    path = folder / "search.jsonl"
    shutil.copyfile(SAVED / version / f"{name}.jsonl", path)
    path.chmod(0o600)
    return path


def answer_one(search: Search) -> None:
    query = search.ask()[0]
    search.tell(query.id, two_fifths(search, query))


@pytest.mark.parametrize(("version", "name"), OLD)
def test_the_first_event_replaces_an_old_file(version: str, name: str, tmp_path: Path) -> None:
    path = copied(tmp_path, version, name)
    before = path.read_bytes()
    search = load(path)
    search.ask()
    text = search.to_json()
    assert path.read_bytes() == before  # looking changes nothing, and neither does asking again
    answer_one(search)
    assert os.listdir(tmp_path) == ["search.jsonl"]
    assert path.stat().st_mode & 0o777 == 0o600
    header = json.loads(path.read_bytes().splitlines()[0])
    assert header["version"] == VERSION
    was = saved.told(text)
    assert saved.asked(path)[: len(saved.asked(text))] == saved.asked(text)
    assert was.items() <= saved.told(path).items()
    assert len(saved.told(path)) == len(was) + 1
    with pytest.raises(BadState, match="in use"):
        load(path)
    size = path.stat().st_size
    while not search.done:
        answer_one(search)
        assert path.stat().st_size == size
    result = search.result
    del search
    assert load(path).result == result


def test_a_torn_end_of_an_old_file_is_dropped(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = copied(tmp_path, "v2", "units")
    held = path.read_bytes()
    text = load(path).to_json()
    for torn in (b'{"tell":"q3.2","y', b"{", b'{"ask":[1,2'):
        path.write_bytes(held + torn)
        caplog.clear()
        assert load(path).to_json() == text
        assert "cut off" in caplog.text
        assert "q3.2" not in caplog.text
        assert path.read_bytes() == held + torn
    path.write_bytes(held[:-1])  # whole but for its newline
    caplog.clear()
    assert load(path).to_json() == text
    assert not caplog.records
    path.write_bytes(held.replace(b"\n", b"\n\n"))  # mended after an interrupt
    search = load(path)
    answer_one(search)
    assert b"\n\n" not in path.read_bytes()


@pytest.mark.parametrize("broken", ["write", "fsync", "replace"])
def test_a_replacement_that_fails_leaves_the_old_file(
    broken: str, tmp_path: Path, monkeypatch: Any
) -> None:
    path = copied(tmp_path, "v2", "units")
    before = path.read_bytes()
    monkeypatch.chdir(tmp_path)
    search = load("search.jsonl")
    text = search.to_json()
    query = search.ask()[0]

    def fail(*rest: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, broken, fail)
        with pytest.raises(OSError, match=r"No space left.*search\.jsonl'"):
            search.tell(query.id, True)
    assert search.to_json() == text
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["search.jsonl"]
    monkeypatch.chdir("/")  # a file is where it is, wherever the process goes
    search.tell(query.id, True)
    assert saved.told(path) == saved.told(text) | {query.id: True}


def test_where_there_are_no_locks_it_is_replaced_too(tmp_path: Path, monkeypatch: Any) -> None:
    """Systems without them do not rename what is open, and a lock beside is held all the time."""
    path = copied(tmp_path, "v2", "units")
    monkeypatch.setattr(private, "fcntl", None)
    search = load(path)
    answer_one(search)
    assert sorted(os.listdir(tmp_path)) == ["search.jsonl", "search.jsonl.lock"]
    with pytest.raises(BadState, match="in use"):
        load(path)
    assert saved.told(path) == saved.told(search.to_json())


def test_whoever_waited_for_an_old_file_opens_the_new_one(tmp_path: Path, monkeypatch: Any) -> None:
    """Opened before the replacement, locked after it: the file that was taken away is not used."""
    path = copied(tmp_path, "v2", "units")
    first, flock = [load(path)], private.fcntl.flock

    def late(*rest: Any) -> None:
        monkeypatch.setattr(private.fcntl, "flock", flock)
        answer_one(first.pop())
        flock(*rest)

    answered = first[0].answered
    monkeypatch.setattr(private.fcntl, "flock", late)
    second = load(path)
    assert second.answered == answered + 1
    answer_one(second)
    assert len(saved.told(path)) == answered + 2


KILLED = """
import os, pathlib, shutil, sys
from feint.search import load
source, folder, last = sys.argv[1], pathlib.Path(sys.argv[2]), False
for number in range(40):
    path = folder / f"{number}.jsonl"
    shutil.copyfile(source, path)
    path.chmod(0o600)
    child = os.fork()
    if not child:
        calls = 0
        def counted(real):
            def call(*rest, **more):
                global calls
                calls += 1
                if calls == number:
                    os._exit(9)  # as SIGKILL: nothing is cleaned up
                return real(*rest, **more)
            return call
        search = load(path)
        query = search.ask()[0]
        for name in ("open", "write", "fsync", "replace", "rename", "unlink", "close", "lseek"):
            setattr(os, name, counted(getattr(os, name)))
        search.tell(query.id, True)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_killed_at_any_call_while_it_is_replaced(tmp_path: Path) -> None:
    """The answers before are all there, and the new one is there or not."""
    source = SAVED / "v2" / "units.jsonl"
    words = [sys.executable, "-c", KILLED, str(source), str(tmp_path)]
    codes = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    assert {"9", "0"} == set(codes)
    assert codes.index("9") == 1
    assert codes[-1] == "0"  # there are fewer calls than this
    old = load(copied(tmp_path, "v2", "units"))
    before, (query, *_) = saved.told(old.to_json()), old.ask()
    seen = set[int]()
    for number, code in enumerate(codes):
        path = tmp_path / f"{number}.jsonl"
        search = load(path)
        now = saved.told(search.to_json())
        assert now in (before, before | {query.id: True})
        if code == "0":
            assert len(now) == len(before) + 1
        seen.add(len(now))
        answer_one(search)  # goes on, whatever was left behind
        assert not path.with_name(path.name + ".new").exists()
    assert len(seen) == 2
