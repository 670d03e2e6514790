"""Saved searches and journals of every strategy family open, and go on with the same questions.

Each file of `saved/` holds one family: searches at several stages as their files were written, and
in `courses` every question and the result for several numbers. A database of `journal/` holds a
search of each kind, stopped within a round. They were written once and are only read.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.support.frozen import FOLDER, NUMBER, played
from tests.support.journals import KEY
from tests.support.saved import holds

from feint import Result, Search
from feint.journal import SQL, Lasting
from feint.journal.tables import VERSION as DATABASE
from feint.search import load
from feint.search.saved import VERSION

FILES = sorted(FOLDER.glob("saved/v*/*.json"))
HELD: dict[tuple[str, str], Any] = {
    (path.parent.name, path.stem): json.loads(path.read_text("utf-8")) for path in FILES
}
CASES = [
    (version, family, stage) for (version, family), held in HELD.items() for stage in held["stages"]
]
DATABASES = sorted(FOLDER.glob("journal/v*.db"))


def written(held: Any, stage: str, path: Path) -> Path:
    """Put a stored search where it can be opened."""
    path.write_text("\n".join((held["header"], *held["stages"][stage], "")), "utf-8")
    path.chmod(0o600)
    return path


def ended(result: Result, course: Any) -> None:
    """See that a result says what it said; later versions may say more."""
    assert holds(result.to_dict(), course["result"])


@pytest.mark.parametrize(("version", "family", "stage"), CASES)
def test_a_saved_search_goes_on(version: str, family: str, stage: str, tmp_path: Path) -> None:
    held = HELD[version, family]
    path = written(held, stage, tmp_path / "search.jsonl")
    search, course = load(path), held["courses"][str(NUMBER)]
    before = held["answered"][stage]
    assert search.answered == before
    assert played(search, NUMBER) == course["asked"][before:]
    ended(search.result, course)
    again = Search.from_json(search.to_json())
    assert again.result == search.result


@pytest.mark.parametrize(("version", "family"), HELD)
def test_a_search_just_begun_goes_on_for_other_numbers(
    version: str, family: str, tmp_path: Path
) -> None:
    held = HELD[version, family]
    for number, course in held["courses"].items():
        begun = load(written(held, "begun", tmp_path / number.replace("/", "-")))
        search = Search.from_json(begun.to_json())  # in memory, which is quicker
        assert played(search, Fraction(number)) == course["asked"]
        ended(search.result, course)


@pytest.mark.parametrize("path", DATABASES, ids=lambda path: path.stem)
def test_the_searches_of_a_journal_go_on(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    store = SQL(f"sqlite:///{copy}", key=KEY)
    families = {family: held for (_, family), held in HELD.items()}
    assert len(store.names()) >= 15
    for name in store.names():
        held, search = families[name], Lasting(store, name)
        before, course = held["answered"]["midway"], held["courses"][str(NUMBER)]
        assert search.search.answered == before
        assert played(search, NUMBER) == course["asked"][before:]
        ended(search.result, course)
    assert store.check() == len(set(store.names()))
    store.close()


def _tags(document: Any) -> Iterator[str]:
    """Yield every tag of a saved document."""
    if isinstance(document, dict):
        yield from (document[key] for key in document if key == "type")
    children = document.values() if isinstance(document, dict) else document
    if isinstance(document, dict | list):
        for child in children:
            yield from _tags(child)


def test_every_kind_of_strategy_has_a_file() -> None:
    """Tags of saved strategies and of their shapes; later ones may come with files of their own."""
    found = {tag for held in HELD.values() for tag in _tags(json.loads(held["header"]))}
    strategies = {"staged", "tailed", "loose", "blocks", "planted", "tabular", "padded", "product"}
    shapes = {f"{kind} shape" for kind in ("staged", "tailed", "loose", "planted", "noisy")}
    assert strategies | shapes | {"play", "block", "staged noisy", "prior", "scale"} <= found


def test_every_version_has_its_files() -> None:
    assert {int(version[1:]) for version, _ in HELD} == set(range(4, VERSION + 1))
    assert {path.stem for path in DATABASES} == {f"v{n}" for n in range(3, DATABASE + 1)}
