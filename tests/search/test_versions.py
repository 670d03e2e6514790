"""Files of every version that was ever written open, and go on with the same questions.

Each folder of `saved/` holds searches of one version, stopped half-way, and in `expected.json` what
that version went on to ask when X* lies two fifths into the range, and what it found. `make_saved`
writes those of the newest version. The estimate of `v3/noisy-prior` is the one that was proved; the
program that wrote the file placed it elsewhere in the same interval.
"""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.saved import SAVED, holds, two_fifths

from feint import Plan, Problem, Search
from feint.errors import BadState, InvalidValue
from feint.planning import plan
from feint.search import load, register_strategy
from feint.search.saved import VERSION
from feint.strategies import Staged, StagedShape

CASES = sorted((each.parent.name, each.stem) for each in SAVED.glob("v*/*.jsonl"))


@pytest.mark.parametrize(("version", "name"), CASES)
def test_a_search_of_every_version_goes_on(version: str, name: str, tmp_path: Path) -> None:
    expected: Any = json.loads((SAVED / version / "expected.json").read_text("utf-8"))[name]
    path = tmp_path / "search.jsonl"
    shutil.copyfile(SAVED / version / f"{name}.jsonl", path)
    path.chmod(0o600)
    search, asked = load(path), []
    while not search.done:
        for query in search.ask():
            asked.append([query.id, query.shown])
            search.tell(query.id, two_fifths(search, query))
    assert asked == expected["asked"]
    found = search.result
    assert holds(found.to_dict(), expected["result"])
    assert Search.from_json(search.to_json()).result == found
    del search  # which has the file open
    assert load(path).result == found


@pytest.mark.parametrize("name", [name for version, name in CASES if version == "v2"])
def test_the_text_of_an_earlier_version_goes_on(name: str) -> None:
    """`to_json` once wrote events one by one."""
    expected: Any = json.loads((SAVED / "v2" / "expected.json").read_text("utf-8"))[name]
    header, *events = (SAVED / "v2" / f"{name}.jsonl").read_text("utf-8").splitlines()
    text = json.dumps({**json.loads(header), "events": [json.loads(each) for each in events]})
    search, asked = Search.from_json(text), []
    while not search.done:
        for query in search.ask():
            asked.append([query.id, query.shown])
            search.tell(query.id, two_fifths(search, query))
    assert asked == expected["asked"]
    assert holds(search.result.to_dict(), expected["result"])


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told[-1].update(yes="true"),
        lambda told: told[-1].update(yes=1),
        lambda told: told.append({"tell": "q1.0", "yes": not told[3]["yes"]}),
        lambda told: told.append({"tell": "q99.0", "yes": True}),
        lambda told: told.append({"ask": [1, 2, 3]}),
        lambda told: told.append({"something": "else"}),
    ],
)
def test_events_that_cannot_have_been_are_refused(change: Any) -> None:
    header, *events = (SAVED / "v2" / "staged.jsonl").read_text("utf-8").splitlines()
    told = [json.loads(each) for each in events]
    assert "tell" in told[-1]
    change(told)
    with pytest.raises(BadState):
        Search.from_json(json.dumps({**json.loads(header), "events": told}))


def test_every_version_has_its_files() -> None:
    assert {int(version[1:]) for version, _ in CASES} == set(range(1, VERSION + 1))


def test_no_saved_search_names_a_place_in_the_code() -> None:
    for problem in (Problem("1/82", "7/82", 5), Problem("1/64", "1/8", 6, dim=2)):
        text = Search(plan(problem)).to_json()
        assert "strategies" not in text
        assert "planning" not in text


@dataclass(frozen=True)
class Own(Staged):
    """A strategy of one's own."""


def test_a_strategy_of_ones_own_is_saved_by_its_tag() -> None:
    shape = StagedShape(parts=4, kept=3, hide=(2, 2))
    search = Search(Plan.of(Own(Problem("1/16", "1/4", 3), 16, shape)))
    with pytest.raises(InvalidValue, match="register_strategy"):
        search.to_json()
    register_strategy("tests: own", Own)
    search.ask()
    again = Search.from_json(search.to_json())
    assert again.plan == search.plan
    assert again.ask() == search.ask()
    for tag, kind, message in (
        ("staged", Own, "a tag names one class"),
        ("tests: other", Own, "a class has one tag"),
        ("tests: plain", int, "must be a dataclass"),
    ):
        with pytest.raises(InvalidValue, match=message):
            register_strategy(tag, kind)
