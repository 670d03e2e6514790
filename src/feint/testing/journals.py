"""Check the laws of journals and stores with a small real search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any

from feint.errors import LawBroken, NameTaken, NumberTaken, UnknownSearch
from feint.exact import rational
from feint.interfaces import OFFICE, Journal, Store
from feint.planning import Plan, plan
from feint.problem import Domain, Problem
from feint.search import Event, Search

_NAME, _OTHER = "laws", "other laws"
_TARGET = rational("0.3", "target")


def check_journal(reopen: Callable[[], Journal]) -> None:
    """Check all laws for a journal without searches of the names "laws" and "other laws".

    1. A new search is listed under its name with its header. Creating it again with the same
       header changes nothing. Another header, or an invalid name, is refused.
    2. Events are read back unchanged and in order. A number that is taken or too large is refused
       and changes nothing. Repeating a write counts once.
    3. A search that is reopened after every event asks the same questions, and finds the same
       number, as one that stays open.
    4. Unknown and deleted searches are refused by name. A deleted name can be used again.

    Args:
        reopen: Opens the same journal, as another process would.

    Raises:
        LawBroken: A law does not hold; the message says which.
    """
    planned = _plan()
    for name in (_NAME, _OTHER):
        reopen().delete(name)
    try:
        _names(reopen(), Search(planned).header(), Search(planned).header())
        _numbers(reopen(), Search(planned))
        _disturbed(reopen, planned)
        _gone(reopen(), Search(planned).header())
    finally:
        for name in (_NAME, _OTHER):
            reopen().delete(name)


def check_store(reopen: Callable[[], Store]) -> None:
    """Check all laws for a store: those of a journal, and these.

    1. Rows are read back unchanged, by kind and key, and sorted. Writing a row again replaces it.
       Keys with a common prefix are listed together, without others.
    2. A transaction that ends in an error leaves neither an event nor a row.
    3. Rows of a search or of the office belong to it alone. The office is not listed and cannot
       be read as a search.
    4. A transaction that writes raises the version by one; no other does. The stamp tells the
       version without opening anything. Keys are listed like rows. A blinded text is always the
       same within a search, has a fixed length, and differs between searches. Sums of unchanged
       rows are correct.
    5. A search created with its first events and rows exists with all of them, or, after an error,
       not at all. A name that is taken is refused with any header, and its search stays unchanged.
       If several processes create the same name at once, one succeeds.
    6. The locator of a name finds its search in every process. The locators of deleted searches
       and of the office, and arbitrary 16 bytes, find none.

    Args:
        reopen: Opens the same store, as another process would.

    Raises:
        LawBroken: A law does not hold; the message says which.
    """
    check_journal(reopen)
    store, search = reopen(), Search(_plan())
    store.create(_NAME, search.header())
    try:
        _rows(store, reopen)
        _versions(store, reopen)
        _at_once(store)
        _apart(store)
        _begun_at_once(store, reopen, search.header())
        _located(store, reopen, search.header())
    finally:
        for name in (_NAME, _OTHER):
            store.delete(name)


def _plan() -> Plan:
    return plan(Problem("1/64", "1/12", 3), domain=Domain(10, 20))


def _names(journal: Journal, header: dict[str, Any], other: dict[str, Any]) -> None:
    journal.create(_NAME, header)
    journal.create(_NAME, header)
    _law(_NAME in journal.names() and OFFICE not in journal.names(), "a search is listed")
    _law(journal.header(_NAME) == header, "a header comes back as it was")
    with _refused(NameTaken, "a name that is taken is refused"):
        journal.create(_NAME, other)
    for bad in ("", OFFICE, "a/b", " a", ".a", "a\n", "a" * 201):
        with _refused(ValueError, "what cannot be a name is refused"):
            journal.create(bad, header)
    journal.delete(_NAME)


def _numbers(journal: Journal, search: Search) -> None:
    journal.create(_NAME, search.header())
    kept: list[Event] = []
    _first_round(search, kept)
    for number, event in enumerate(kept):
        with _refused(NumberTaken, "a number that is too far is refused"):
            journal.append(_NAME, number + 1, event, id="far")
        for _ in range(2):
            after = journal.append(_NAME, number, event, id=f"write {number}")
            _law(after == number + 1, "the next number is one more; a write counts once")
        with _refused(NumberTaken, "a number that is taken is refused"):
            journal.append(_NAME, number, {"tell": "q0.0", "yes": False}, id="late")
        _law(journal.events(_NAME) == kept[: number + 1], "events come back as they were")
        _law(journal.events(_NAME, start=number) == [event], "events come from a number on")
    journal.delete(_NAME)


def _first_round(search: Search, kept: list[Event]) -> None:
    """Return the events of a round that is shown and answered yes."""
    shown = search.ask()
    points = [int(each) for each in search.transcript.points[0]]
    kept.append({"round": 0, "ask": points})
    kept.extend({"tell": query.id, "yes": True} for query in shown)


def _disturbed(reopen: Callable[[], Journal], planned: Plan) -> None:
    calm = Search(planned)
    header = calm.header()
    reopen().create(_NAME, header)

    def resumed() -> Search:
        journal = reopen()
        events = journal.events(_NAME)
        count = [len(events)]

        def record(event: Event) -> None:
            count[0] = journal.append(_NAME, count[0], event, id=f"{id(count)} {count[0]}")

        return Search.replayed(header, events, record=record)

    while not calm.done:
        for query in calm.ask():
            asked = resumed().ask()
            _law(query in asked, "a search opened anew asks the same questions")
            answer = query.value <= 10 + 10 * _TARGET
            resumed().tell(query.id, answer)
            calm.tell(query.id, answer)
    _law(resumed().result == calm.result, "a search opened anew finds the same")
    reopen().delete(_NAME)


def _gone(journal: Journal, header: dict[str, Any]) -> None:
    for _ in range(2):
        for read in (journal.header, journal.events):
            with _refused(UnknownSearch, "a search that is not there is refused"):
                read(_NAME)
        with _refused(UnknownSearch, "an event of a search that is not there is refused"):
            journal.append(_NAME, 0, {"round": 0, "ask": [1]}, id="none")
        _law(_NAME not in journal.names(), "a search that is not there is not listed")
        journal.create(_OTHER, header)
        journal.create(_NAME, header)
        journal.delete(_NAME)
        _law(_OTHER in journal.names(), "another search stays when one is deleted")
        journal.delete(_OTHER)


def _rows(store: Store, reopen: Callable[[], Store]) -> None:
    with store.transaction(_NAME) as held:
        for key in ("b/2", "a/1", "b/1"):
            held.put("vote", key, {"yes": key == "b/1"})
        held.put("vote", "b/2", {"yes": True})
        held.put("lease", "b/3", {"until": 1.5})
    with reopen().reading(_NAME) as held:
        _law(list(held.rows("vote")) == ["a/1", "b/1", "b/2"], "rows come sorted by key")
        _law(held.rows("vote", start="a/") == {"a/1": {"yes": False}}, "rows come by their start")
        _law(held.count("vote", start="b/") == 2, "rows are counted by kind and start")
        _law(held.get("vote", "b/2") == {"yes": True}, "a row is written over")
        _law(held.get("vote", "b/3") is None, "a row of another kind is another")
        both = held.some(("lease", "b/3"), ("vote", "none"), ("vote", "a/1"))
        _law(both == [{"until": 1.5}, None, {"yes": False}], "several rows come at once")
    with store.transaction(_NAME) as held:
        held.drop("vote", "b/2")
        held.drop("vote", "b/2")
        _law(held.count("vote") == 2, "a row that is dropped is gone")


def _versions(store: Store, reopen: Callable[[], Store]) -> None:
    before, _ = store.stamp(_NAME)
    with reopen().reading(_NAME) as held:
        _law(held.version == before, "the stamp is the version")
        _law(held.keys("vote") == list(held.rows("vote")), "keys are listed as rows are")
        _law(held.keys("vote", start="b/") == ["b/1"], "keys are listed by their start")
        blind = held.blinded("a/1")
        held.check()
    for written in (False, True):
        with store.transaction(_NAME) as held:
            held.check()
            _law(held.get("vote", "a/1") == {"yes": False}, "what was checked is read")
            _law(held.blinded("a/1") == blind, "a blinded text is always the same")
            if written:
                held.put("vote", "a/1", {"yes": True})
                held.put("person", "a", {"label": "a"})
                held.check()
                _law(held.rows("person") == {"a": {"label": "a"}}, "it reads what it wrote")
        version, _ = reopen().stamp(_NAME)
        _law(version == before + written, "a transaction that writes raises the version by one")
    with store.transaction(OFFICE) as held:
        other = held.blinded("a/1")
    _law(len(blind) == len(other) == 32, "a blinded text has a fixed length")
    _law(blind != other, "a blinded text is another in another search")
    with _refused(UnknownSearch, "a search that is not there has no stamp"):
        store.stamp(_OTHER)
    surveyed = {each.name: each for each in store.survey("vote", "none")}
    _law(surveyed[_NAME].counts == {"vote": 2}, "a survey counts the rows of some kinds")
    _law(surveyed[_NAME].poll is None and OFFICE not in surveyed, "a survey lists searches")


def _at_once(store: Store) -> None:
    class Stop(Exception):
        pass

    with _refused(Stop, "an error goes through"), store.transaction(_NAME) as held:
        held.append({"round": 0, "ask": [1]})
        held.put("vote", "c", {"yes": True})
        _law(len(held.events()) == 1, "a transaction reads what it wrote")
        raise Stop
    with store.reading(_NAME) as held:
        _law(held.events() == [] and held.get("vote", "c") is None, "all of it counts, or nothing")
    with store.transaction(_NAME) as held:
        first = held.append({"round": 0, "ask": [1]})
        _law((first, held.append({"tell": "q0.0", "yes": True})) == (0, 1), "events are numbered")
    with _refused(NumberTaken, "a number that a transaction took is taken"):
        store.append(_NAME, 1, {"tell": "q0.0", "yes": True}, id="late")


def _apart(store: Store) -> None:
    with store.transaction(OFFICE) as held:
        held.put("laws", "a", {"of": "the office"})
        _law(held.get("vote", "a/1") is None, "the rows of a search are its own")
    with store.transaction(OFFICE) as held:
        _law(held.get("laws", "a") == {"of": "the office"}, "the office keeps its rows")
        held.drop("laws", "a")
    for read in (store.header, store.events):
        with _refused(UnknownSearch, "the office is no search"):
            read(OFFICE)
    for enter in (store.transaction, store.reading):
        with _refused(UnknownSearch, "a search that is not there is refused"), enter(_OTHER):
            pass


def _begun_at_once(store: Store, reopen: Callable[[], Store], header: dict[str, Any]) -> None:
    class Stop(Exception):
        pass

    with _refused(Stop, "an error goes through"), store.creating(_OTHER, header) as held:
        held.append({"round": 0, "ask": [1]})
        held.put("vote", "a", {"yes": True})
        raise Stop
    _law(_OTHER not in store.names(), "a search whose creation failed is not there")
    with store.creating(_OTHER, header) as held:
        held.append({"round": 0, "ask": [1]})
        held.put("vote", "a", {"yes": True})
        _law(len(held.events()) == held.count("vote") == 1, "a transaction reads what it wrote")
    for again in (header, Search(_plan()).header()):
        with (
            _refused(NameTaken, "a name that is taken is refused, with any header"),
            store.creating(_OTHER, again) as held,
        ):
            held.put("vote", "a", {"yes": False})
    for bad in ("", OFFICE, "a/b"):
        with _refused(ValueError, "what cannot be a name is refused"), store.creating(bad, header):
            pass
    with reopen().reading(_OTHER) as held:
        first = held.events() == [{"round": 0, "ask": [1]}]
        _law(first and held.get("vote", "a") == {"yes": True}, "a search begins with its rows")
    _law(reopen().header(_OTHER) == header, "a header comes back as it was")
    store.delete(_OTHER)
    _race(reopen, [Search(_plan()).header() for _ in range(4)])


def _located(store: Store, reopen: Callable[[], Store], header: dict[str, Any]) -> None:
    found, other = store.locator(_NAME), store.locator(_OTHER)
    _law(len(found) == 16 and found != other, "a locator has 16 bytes and is of one name")
    _law(reopen().locator(_NAME) == found, "a locator is the same in every process")
    _law(reopen().name_at(found) == _NAME, "a locator finds the search of its name")
    store.delete(_OTHER)
    store.create(_OTHER, header)
    _law(store.name_at(other) == _OTHER, "a locator finds a search that was begun after it")
    store.delete(_OTHER)
    for none in (other, store.locator(OFFICE), bytes(16)):
        with (
            _refused(UnknownSearch, "a locator of no search finds none"),
            store.reading(store.name_at(none)),
        ):
            pass


def _race(reopen: Callable[[], Store], headers: list[dict[str, Any]]) -> None:
    """Check that one of several concurrent creations succeeds, and is complete."""
    stores = [reopen() for _ in headers]
    together = Barrier(len(headers))

    def create(store: Store, number: int) -> bool:
        together.wait()
        try:
            with store.creating(_OTHER, headers[number]) as held:
                held.put("vote", "a", {"number": number})
        except NameTaken:
            return False
        return True

    with ThreadPoolExecutor(len(headers)) as pool:
        made = list(pool.map(create, stores, range(len(headers))))
    _law(sum(made) == 1, "one of several processes that create the same name at once succeeds")
    with reopen().reading(_OTHER) as held:
        row = held.get("vote", "a")
    _law(row == {"number": made.index(True)}, "a search has its creator's rows")
    _law(reopen().header(_OTHER) == headers[made.index(True)], "and its header")


def _law(holds: bool, law: str) -> None:
    if not holds:
        raise LawBroken(f"journal: {law}")


@contextmanager
def _refused(kind: type[Exception], law: str) -> Iterator[None]:
    try:
        yield
    except kind:
        return
    _law(False, law)
