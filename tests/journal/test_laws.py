"""The laws of journals and stores over every one there is, and over broken ones."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.journals import KEY, NUMBER, PLAN, finished

from feint import Domain, Problem, create, load, plan
from feint.errors import BadState, LawBroken
from feint.journal import SQL, Folder, Lasting, Memory, begin
from feint.journal.memory import MemoryTransaction
from feint.testing import check_journal, check_store

WIDE = plan(Problem("1/64", "1/12", 3), domain=Domain(10, 20), max_rounds=3)


def test_the_laws_hold_in_memory() -> None:
    memory = Memory()
    check_store(lambda: memory)


def test_the_laws_hold_in_sql(url: str) -> None:
    check_store(lambda: SQL(url, key=KEY))


def test_the_laws_of_journals_hold_in_a_folder(tmp_path: Path) -> None:
    opened = [Folder(tmp_path / "searches")]

    def reopen() -> Folder:
        opened[0].close()
        opened[0] = Folder(tmp_path / "searches")
        return opened[0]

    check_journal(reopen)
    assert list((tmp_path / "searches").iterdir()) == []


def test_a_folder_has_the_files_of_feint_run(tmp_path: Path) -> None:
    """A file of the current version opens in a folder, goes on, and opens again by itself."""
    begun = create(tmp_path / "price.feint", PLAN)
    (first, *_) = begun.ask()
    begun.tell(first.id, first.value <= NUMBER)
    with pytest.raises(BadState, match="in use, by another process"):
        Folder(tmp_path).header("price")
    del begun
    folder = Folder(tmp_path)
    assert folder.names() == ["price"]
    size = (tmp_path / "price.feint").stat().st_size
    found = finished(Lasting(folder, "price"))
    assert (tmp_path / "price.feint").stat().st_size == size
    folder.close()
    assert load(tmp_path / "price.feint").result == found


def test_answers_in_any_order_are_followed_in_a_folder(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    first = begin(folder, "x y", WIDE)
    second = Lasting(folder, "x y")
    for query in reversed(first.ask()):
        first.tell(query.id, query.value <= NUMBER)
        second.tell(query.id, query.value <= NUMBER)
    assert first.ask() == second.ask()
    with pytest.raises(BadState, match="does not follow from the answers"):
        folder.append("x y", len(folder.events("x y")), {"round": 9, "ask": [1]}, id="a")


class Forgetful(Memory):
    """Takes a number that is taken."""

    def append(self, name: str, number: int, event: Mapping[str, Any], *, id: str) -> int:
        return super().append(name, len(self.events(name)), event, id=id)


class Loose(Memory):
    """Lists its office."""

    def names(self) -> list[str]:
        return [*super().names(), "*"]


class Halfway(Memory):
    """Keeps what is left of a search whose creation failed."""

    @contextmanager
    def creating(self, name: str, header: Mapping[str, Any]) -> Iterator[MemoryTransaction]:
        self.create(name, header)
        with self.transaction(name) as held:
            yield held


@pytest.mark.parametrize("broken", [Forgetful, Loose, Halfway])
def test_a_broken_journal_is_caught(broken: type[Memory]) -> None:
    memory = broken()
    with pytest.raises(LawBroken, match="journal: "):
        check_store(lambda: memory)
