"""A search goes to no file but one that is its owner's alone."""

import gc
import logging
import os
from pathlib import Path
from typing import Any

import pytest
from tests.support.price import price_plan

from feint import find
from feint.errors import BadState
from feint.search import create, export_round, import_answers, load
from feint.search.private import size
from feint.simulate.oracles import Command

PLAN = price_plan()

SHARED = [0o666, 0o644, 0o640, 0o620, 0o604, 0o602, 0o660, 0o610]


@pytest.mark.parametrize("mode", SHARED)
def test_a_file_that_somebody_placed_there_gets_no_key(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "search.jsonl"
    path.touch()
    path.chmod(mode)
    with pytest.raises(BadState, match=r"others may .*chmod 600"):
        create(path, PLAN)
    assert path.read_bytes() == b""
    assert path.stat().st_mode & 0o777 == mode
    with pytest.raises(BadState, match="others may"):
        find(lambda price: price <= 42, delta="1/8", level=3, epsilon="1/64", state=path)
    assert path.read_bytes() == b""


@pytest.mark.parametrize("mode", SHARED)
def test_a_search_that_others_can_read_or_write_is_not_resumed(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "search.jsonl"
    create(path, PLAN).ask()
    held = path.read_bytes()
    path.chmod(mode)
    with pytest.raises(BadState, match=r"others may .*chmod 600"):
        load(path)
    assert path.read_bytes() == held
    path.chmod(0o600)
    assert load(path).round == 0


def test_a_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    path, empty = tmp_path / "search.jsonl", tmp_path / "empty.jsonl"
    create(path, PLAN)
    empty.touch(0o600)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(BadState, match=r"belongs to another user.*name another file"):
        load(path)
    with pytest.raises(BadState, match="belongs to another user"):
        create(empty, PLAN)
    assert empty.read_bytes() == b""


def test_a_file_that_we_may_not_open_is_said_to_be_so(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "search.jsonl"
    create(path, PLAN)

    def refuse(place: Any, *rest: Any) -> int:
        raise PermissionError(13, "Permission denied", str(place))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(BadState, match="may not read and write it"):
        load(path)
    with pytest.raises(PermissionError):  # nothing can be made in this folder
        create(tmp_path / "other.jsonl", PLAN)


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Neither to a file that is there nor to one that would be made; nor is a second name taken."""
    path = tmp_path / "search.jsonl"
    create(path, PLAN)
    link, dangling, second = (tmp_path / name for name in ("link", "dangling", "second"))
    link.symlink_to(path)
    dangling.symlink_to(tmp_path / "elsewhere")
    for place in (link, dangling):
        with pytest.raises(BadState, match="is a link"):
            load(place)
        with pytest.raises(BadState, match="is a link"):
            create(place, PLAN)
    assert not (tmp_path / "elsewhere").exists()
    second.hardlink_to(path)
    for place in (path, second):
        with pytest.raises(BadState, match="has 2 names"):
            load(place)
    second.unlink()
    assert load(path).round == -1


def test_nobody_comes_between_the_look_and_the_opening(tmp_path: Path, monkeypatch: Any) -> None:
    """Whatever is put there at the last moment is what is looked at."""
    elsewhere, real = tmp_path / "elsewhere", os.open

    elsewhere.touch(0o600)

    def link(path: Path) -> None:
        path.symlink_to(elsewhere)

    def shared(path: Path) -> None:
        os.close(real(path, os.O_CREAT | os.O_WRONLY))
        path.chmod(0o666)

    for number, place in enumerate((link, shared)):
        path = tmp_path / f"{number}.jsonl"

        def late(what: Any, *rest: Any, path: Path = path, place: Any = place) -> int:
            if what == path:
                path.unlink(missing_ok=True)
                place(path)
            return real(what, *rest)

        path.touch(0o600)
        monkeypatch.setattr(os, "open", late)
        for attempt in (create, load):
            with pytest.raises(BadState, match=r"is a link|others may"):
                attempt(path, *[PLAN] * (attempt is create))
            assert path.read_bytes() == b""
        monkeypatch.setattr(os, "open", real)


def test_an_empty_file_makes_room_for_a_new_one(tmp_path: Path) -> None:
    """Somebody may have it open since others could read it: what they hold stays empty."""
    path = tmp_path / "search.jsonl"
    path.touch(0o600)
    with path.open("rb") as held:
        create(path, PLAN).ask()
        assert held.read() == b""
    assert load(path).round == 0


def test_where_modes_do_not_hold_no_search_is_left(tmp_path: Path, monkeypatch: Any) -> None:
    """A file system that gives every file the same mode: the key is not written there."""
    path, real = tmp_path / "search.jsonl", os.open

    def open_to_all(what: Any, *rest: Any) -> int:
        descriptor = real(what, *rest)
        if what == path:
            os.fchmod(descriptor, 0o755)
        return descriptor

    monkeypatch.setattr(os, "open", open_to_all)
    with pytest.raises(BadState, match="others may read and run it"):
        create(path, PLAN)
    assert not path.exists()


def test_where_nobody_tells_owners_nothing_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    """As on Windows, where every file has the mode 0666 and the folder decides."""
    path = tmp_path / "search.jsonl"
    monkeypatch.delattr(os, "geteuid")
    create(path, PLAN)
    path.chmod(0o666)
    assert load(path).round == -1


def test_a_sheet_that_others_can_read_is_taken_with_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, sheet = tmp_path / "search.jsonl", tmp_path / "1.csv"
    search = create(path, PLAN)
    export_round(search, sheet)
    assert sheet.stat().st_mode & 0o777 == 0o600
    caplog.set_level(logging.WARNING)
    for answer, mode, warned in (("y", 0o600, False), ("n", 0o644, True), ("y", 0o602, True)):
        sheet.write_text(f"id,label,value,answer\nq0.0,price,60,{answer}\n")
        sheet.chmod(mode)
        caplog.clear()
        assert import_answers(search, sheet) == 1
        assert ("others may" in caplog.text) == warned
        assert "q0.0" not in caplog.text


def test_a_command_does_not_inherit_the_file(tmp_path: Path) -> None:
    """The descriptors of a command are its own three, and none of its shell's leads to the file."""
    search = create(tmp_path / "search.jsonl", PLAN)
    listed = tmp_path / "listed"
    command = Command(f"ls -l /proc/$$/fd > '{listed}' 2>&1; : {{q}}")
    list(command.answer(search.ask()))
    assert "search.jsonl" not in listed.read_text()


def test_a_file_that_is_refused_is_not_held_open(tmp_path: Path) -> None:
    """A new descriptor is the lowest that is free."""

    def lowest() -> int:
        descriptor = os.open(os.devnull, os.O_RDONLY)
        os.close(descriptor)
        return descriptor

    path = tmp_path / "search.jsonl"
    path.touch()
    path.chmod(0o666)
    free = lowest()
    with pytest.raises(BadState, match="others may"):
        load(path)
    assert lowest() == free


def test_a_search_that_nobody_can_reach_lets_its_file_go(tmp_path: Path) -> None:
    """Caught in a circle it would hold its file until the collector comes round."""
    path, planned = tmp_path / "search.json", price_plan()
    gc.disable()
    try:
        ring: list[Any] = [create(path, planned)]
        ring.append(ring)
        key = ring[0].header()["key"]
        del ring
        assert load(path).header()["key"] == key
    finally:
        gc.enable()


def test_a_file_that_is_measured_is_not_held_open(tmp_path: Path) -> None:
    """The lowest number that is free is what is opened next."""
    path = tmp_path / "search.jsonl"
    path.touch(0o600)
    path.write_text("something")
    free = os.dup(0)
    os.close(free)
    assert size(path) == len("something")
    again = os.dup(0)
    os.close(again)
    assert again == free
