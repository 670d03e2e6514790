"""Saved searches: what is refused, and how."""

import json
from typing import Any

import pytest
from tests.support.price import advance, price_plan

from feint import Search
from feint.errors import (
    BadState,
    ReplayDiffers,
)
from feint.search import coins
from feint.search.saved import digest


def test_a_replay_that_would_ask_something_else_refuses() -> None:
    search = Search(price_plan())
    advance(search, 73.4, 3)
    search.ask()
    document = json.loads(search.to_json())
    assert next(iter(document)) == "secret"
    asked = [event for event in document["events"] if "ask" in event]
    asked[2]["ask"][0] += 1
    with pytest.raises(ReplayDiffers, match="round 2"):
        Search.from_json(json.dumps(document))


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else []


def signed(document: Any) -> Any:
    """The document under a digest that fits, as if a broken feint had saved it."""
    names = document.keys() - {"check", "events"}
    key = document.get("key", "")
    if len(key) == 2 * coins.KEY_BYTES:
        fields = {name: document[name] for name in names}
        document["check"] = digest(fields, bytes.fromhex(key))
    return document


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda document: document.update(version=4), "version = 4"),
        (lambda document: document.pop("key"), "KeyError"),
        (lambda document: document.update(key="00"), "InvalidValue"),
        (lambda document: document.update(key="no hex"), "ValueError"),
        (lambda document: document.update(plan={"type": "os.system"}), "plan = KeyError"),
        (lambda document: document.update(plan={"type": "plan"}), "TypeError"),
        (lambda document: document.update(version=1), "plan = KeyError"),
        (lambda document: document.update(plan={"fraction": "1/2"}), "plan = Fraction"),
        (lambda document: document["plan"].pop("strategy"), "plan = TypeError"),
        (lambda document: document["plan"].update(places={"fraction": "1/0"}), "ZeroDivision"),
        (lambda document: document["plan"]["strategy"]["shape"].update(hide=[]), "IndexError"),
        (lambda document: document["plan"]["strategy"].update(size=10**30), "OverflowError"),
        (lambda document: document["plan"].update(places=nested(700)), "RecursionError"),
        (lambda document: document["events"].append({"tell": "q9.9", "yes": True}), "UnknownQuery"),
        (lambda document: document["events"].append({"ask": [1]}), "KeyError"),
        (lambda document: document["events"].append(7), "TypeError"),
        (lambda document: document.pop("events"), "to_json"),
    ],
)
def test_what_is_no_saved_search_is_refused(change: Any, message: str) -> None:
    search = Search(price_plan())
    advance(search, 73.4, 2)
    search.ask()
    document = json.loads(search.to_json())
    change(document)
    with pytest.raises(BadState, match=message):
        Search.from_json(json.dumps(signed(document)))
    for text in ("{", "[" * 100_000):
        with pytest.raises(BadState):
            Search.from_json(text)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["plan"]["strategy"]["shape"].update(kept=0),
        lambda document: document["plan"]["strategy"]["shape"].update(parts=0),
        lambda document: document["plan"]["strategy"]["shape"].update(hide=[0]),
        lambda document: document["plan"].update(adversary_success={"fraction": "1/9"}),
        lambda document: document.update(yes_means="below"),
        lambda document: document.update(seeded=1),
        lambda document: document.update(note="more"),
        lambda document: document.update(key=bytes(32).hex()),
        lambda document: document.pop("check"),
    ],
)
def test_a_header_that_was_changed_is_refused(change: Any) -> None:
    document = json.loads(Search(price_plan()).to_json())
    assert Search.from_json(json.dumps(document)).round == -1
    change(document)
    with pytest.raises(BadState, match="digest does not fit"):
        Search.from_json(json.dumps(document))
