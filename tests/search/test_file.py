"""The file of a search: created once, readable by its owner, and never left half written."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from feint import Domain, finish
from feint.errors import BadState
from feint.oracles import Hidden
from feint.planning import plan
from feint.search import create, load

PRICE = Domain(10, 110, label="price")
PLAN = plan(PRICE.problem(epsilon="0.05", delta=2, level=8), domain=PRICE)


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
