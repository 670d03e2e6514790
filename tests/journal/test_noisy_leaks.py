"""Noisy searches that stop when they are sure: what is stored has lengths that no answer changes.

Two searches are compared whose decoys are answered otherwise, which changes no question, or two
whose cuts are: their numbers lie at the same place in two parts that are kept.
"""

from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.support.journals import KEY
from tests.support.members import small_member
from tests.support.polls import answered_alike, seat

from feint import Domain, Plan
from feint.interfaces import Journal
from feint.journal import SQL, Folder, begin
from feint.journal.polls import Polls, Terms
from feint.journal.tables import EVENTS, HEADS, ROWS, SEARCHES
from feint.simulate.oracles import GrowingSample

SURE = Plan.of(small_member("0.8", confidence="0.8"), domain=Domain(10, 20))
AVERAGE = Plan.of(small_member("0.8"), domain=Domain(10, 20))
PLANS = pytest.mark.parametrize("chosen", [SURE, AVERAGE], ids=["sure", "on average"])
OTHERWISE = pytest.mark.parametrize("decoys", [True, False], ids=["decoys", "cut"])
GROWING = Terms(quorum=3, growing=GrowingSample(first=3, more=2, batches=2, lead=3))


def stored(url: str, store: SQL) -> list[tuple[object, ...]]:
    """Every row of the search x, with its numbers and kind; of all else the lengths."""
    engine, id = sa.create_engine(url), store.locator("x").hex()

    def sizes(row: sa.RowMapping) -> tuple[object, ...]:
        return tuple(
            len(value) if isinstance(value, str | bytes) and name != "kind" else value
            for name, value in row.items()
        )

    with engine.connect() as connection:
        mine = {SEARCHES: SEARCHES.c.id == id}
        mine |= {table: table.c.search == id for table in (EVENTS, ROWS, HEADS)}
        found = [
            (table.name, *sizes(row))
            for table, wanted in mine.items()
            for row in connection.execute(sa.select(table).where(wanted)).mappings()
        ]
    engine.dispose()
    return sorted(found, key=repr)


def played(journal: Journal, chosen: Plan, key: bytes, says: dict[str, bool]) -> None:
    search = begin(journal, "x", chosen, key=key)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, says[query.id])


@PLANS
@OTHERWISE
def test_secret_files_are_equally_long_line_by_line_at_every_moment(
    chosen: Plan, decoys: bool, tmp_path: Path
) -> None:
    (key, says), (other_key, other) = answered_alike(chosen, decoys=decoys)
    folders = [Folder(tmp_path / name) for name in ("one", "other")]
    one, two = (
        begin(folder, "x", chosen, key=each)
        for folder, each in zip(folders, (key, other_key), strict=True)
    )

    def lines() -> list[list[int]]:
        (path, other_path) = (next((tmp_path / name).iterdir()) for name in ("one", "other"))
        return [[*map(len, each.read_bytes().splitlines())] for each in (path, other_path)]

    moments = set[tuple[int, ...]]()
    while not one.done:
        assert [each.id for each in one.ask()] == [each.id for each in two.ask()]
        for query in one.ask():
            one.tell(query.id, says[query.id])
            two.tell(query.id, other[query.id])
            first, second = lines()
            assert first == second
            moments.add(tuple(first))
    assert two.done
    assert len(moments) == 1  # nor does a file tell how far its search has come
    for folder in folders:
        folder.close()


@PLANS
@OTHERWISE
def test_a_database_has_equal_rows(chosen: Plan, decoys: bool, url: str) -> None:
    found = []
    for key, says in answered_alike(chosen, decoys=decoys):
        store = SQL(url, key=KEY)
        store.delete("x")
        played(store, chosen, key, says)
        found.append(stored(url, store))
        store.delete("x")
        store.close()
    assert len(found[0]) > len(says)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "terms", [Terms(quorum=1), pytest.param(GROWING, marks=pytest.mark.long)], ids=["one", "grow"]
)
@OTHERWISE
def test_a_poll_in_a_database_has_equal_rows(terms: Terms, decoys: bool, url: str) -> None:
    """Votes, tallies and batches too. Every other vote is against the answer: samples grow."""
    most = 1 if terms.growing is None else terms.growing.largest
    found = []
    for key, says in answered_alike(SURE, decoys=decoys):
        store = SQL(url, key=KEY)
        store.delete("x")
        polls = Polls(store)
        polls.create("x", SURE, terms=terms, key=key)
        everybody = [f"{number:016x}" for number in range(len(says) * most + 1)]
        seat(polls, "x", *everybody)
        people = iter(everybody)
        votes = dict.fromkeys(says, 0)
        watcher = next(people)
        while polls.standing("x")[0] == "open":
            for ballot in polls.sheet("x", watcher).ballots:
                against = terms.growing is not None and votes[ballot.id] % 2 == 1
                polls.vote("x", next(people), ballot.id, says[ballot.id] != against)
                votes[ballot.id] += 1
        assert {id: polls.search("x").told(id) for id in says} == says
        found.append(stored(url, store))
        polls.delete("x")
        store.close()
    assert found[0] == found[1]
