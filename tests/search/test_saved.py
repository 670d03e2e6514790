"""Saved searches: what is refused, and how."""

import json
from typing import Any

import pytest
from tests.support.price import KEY, advance, price_plan

from feint import Search
from feint.errors import (
    BadState,
    InvalidValue,
    ReplayDiffers,
)
from feint.search import coins, rounds
from feint.search.saved import digest


def test_a_replay_that_would_ask_something_else_refuses() -> None:
    search = Search(price_plan())
    advance(search, 73.4, 3)
    search.ask()
    events = search.events()
    asked = [event for event in events if "ask" in event]
    asked[2]["ask"][0] += 1
    with pytest.raises(ReplayDiffers, match="round 2"):
        Search.replayed(search.header(), events)


def test_what_is_saved_is_marked_and_of_one_length() -> None:
    """From before the first question to after the last answer, whatever the answers are."""
    lengths = set[int]()
    for target in (10.01, 42, 73.4, 109.99):
        search = Search(price_plan())
        assert next(iter(json.loads(search.to_json()))) == "secret"
        lengths.add(len(search.to_json()))
        while not search.done:
            advance(search, target, 1)
            lengths.add(len(search.to_json()))
    assert len(lengths) == 1


def test_a_place_off_the_lattice_has_no_room_in_its_line() -> None:
    layout = rounds.Layout((2, 0, 1), 2, KEY)
    assert len(rounds.line(layout.shown(0, [7, 16], [True, None]))) == layout.start(1)
    assert len(rounds.line(layout.unshown(1))) == layout.start(2) - layout.start(1)
    for points in ([7, 100], [7], [7, 8, 9]):
        with pytest.raises(InvalidValue, match="not on its lattice"):
            layout.shown(0, points, [None] * len(points))


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else []


def signed(document: Any) -> Any:
    """The document under a digest that fits, as if a broken feint had saved it."""
    names = document.keys() - {"check", "events", "rounds"}
    key = document.get("key", "")
    if len(key) == 2 * coins.KEY_BYTES:
        fields = {name: document[name] for name in names}
        document["check"] = digest(fields, bytes.fromhex(key))
    return document


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda document: document.update(version=6), "version = 6"),
        (lambda document: document.pop("key"), "KeyError"),
        (lambda document: document.update(key="00"), "InvalidValue"),
        (lambda document: document.update(key="no hex"), "ValueError"),
        (lambda document: document.update(plan={"type": "os.system"}), "plan = KeyError"),
        (lambda document: document.update(plan={"type": "plan"}), "TypeError"),
        (lambda document: document.update(version=1), "plan = KeyError"),
        (lambda document: document.update(plan={"fraction": "1/2"}), "plan = Fraction"),
        (lambda document: document["plan"].pop("strategy"), "plan = TypeError"),
        (lambda document: document["plan"].update(places={"fraction": "1/0"}), "InvalidValue"),
        (lambda document: document["plan"]["strategy"].update(nodes=[]), "ValueError"),
        (lambda document: document["plan"]["strategy"].update(size=10**30), "ValueError"),
        (lambda document: document["plan"].update(places=nested(700)), "RecursionError"),
        (lambda document: document["rounds"].append(7), "ValueError"),
        (lambda document: document["rounds"].append({}), "ValueError"),
        (lambda document: document["rounds"].pop(), "ValueError"),
        (lambda document: document["rounds"].__setitem__(0, 7), "ValueError"),
        (lambda document: document["rounds"][0].update(told="y" * 36), "ValueError"),
        (lambda document: document["rounds"][0].update(told="-" * 36), "KeyError"),
        (lambda document: document["rounds"][0].update(told=7), "ValueError"),
        (lambda document: document["rounds"][0].update(more=""), "ValueError"),
        (lambda document: document["rounds"][0].update(told="?"), "ValueError"),
        (lambda document: document["rounds"][0].update(ask="0007"), "ValueError"),
        (lambda document: document["rounds"][4].update(told="y"), "ValueError"),
        (lambda document: document["rounds"].insert(0, document["rounds"][-1]), "ValueError"),
        (lambda document: document.pop("rounds"), "to_json"),
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
        lambda document: document["plan"]["strategy"].update(nodes=[]),
        lambda document: document["plan"]["strategy"].update(layouts=[]),
        lambda document: document["plan"]["strategy"].update(size=7),
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


def test_a_round_that_was_shown_before_an_earlier_one_is_refused() -> None:
    search = Search(price_plan(), seed=1)
    while search.round < 1:
        for query in search.ask():
            search.tell(query.id, True)
    kept, layout = search.kept(), search.layout
    assert list(layout.events(kept, torn=False)) == search.events()
    assert len(search.events()) > 1
    kept[0] = layout.unshown(0)
    with pytest.raises(ValueError, match="shown before an earlier one"):
        list(layout.events(kept, torn=True))
