"""Somebody who can write the database changes it: it is noticed, or nothing comes of it."""

import random
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.databases import databases
from tests.support.examples import later
from tests.support.journals import KEY, PLAN, finished
from tests.support.polls import honest, seat, vote_all
from tests.support.writers import Writer

from feint import Domain, Problem, plan
from feint.errors import FeintError, NotAllowed, NotOpen, Tampered, WrongKey
from feint.journal import SQL, Lasting, begin
from feint.journal.polls import Caller, Polls, Terms
from feint.journal.resealing import reseal

NAME = "tampered"
PEOPLE = ("a", "b", "c")
NOISY = Problem("1/16", "1/4", 2, p="0.8", confidence="0.8")


class Case:
    """A poll with three votes a question, its database, and somebody who can write that."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.store = SQL(url, key=KEY)
        self.polls = Polls(self.store)
        self.polls.delete(NAME)
        before = Writer(url).ids()
        self.polls.create(NAME, PLAN, terms=Terms(quorum=3))
        seat(self.polls, NAME, *PEOPLE, "d")
        self.hacker = Writer(url)
        (self.id,) = self.hacker.ids() - before

    def vote(self, person: str, yes: bool, *, id: str = "q0.0") -> None:
        self.polls.vote(NAME, person, id, yes)

    def again(self) -> Polls:
        """The same polls in another process."""
        return Polls(SQL(self.url, key=KEY))

    def change(self, words: str, **filled: Any) -> None:
        self.hacker.run(words, id=self.id, **filled)

    def noticed(self) -> None:
        """The owner is told, by this process and by one that is started now."""
        for polls in (self.polls, self.again()):
            for read in (polls.status, polls.result):
                with pytest.raises(Tampered, match="was changed outside feint"):
                    read(NAME)


@pytest.fixture
def case(url: str) -> Iterator[Case]:
    made = Case(url)
    yield made
    made.polls.delete(NAME)
    made.store.close()


def test_an_old_vote_put_back_is_noticed(case: Case) -> None:
    case.vote("a", False)
    old = case.hacker.copy(case.id, ["rows"])
    case.vote("a", True)
    old["rows"] = [row for row in old["rows"] if row["kind"] == "vote"]
    case.hacker.put_back(old)
    case.noticed()


def test_a_vote_that_is_deleted_is_noticed(case: Case) -> None:
    for person in ("a", "b"):
        case.vote(person, True)
    case.change("DELETE FROM rows WHERE search = :id AND kind = 'vote' AND key LIKE '%/a'")
    case.noticed()


def test_a_question_that_is_reopened_stays_closed_and_is_noticed(case: Case) -> None:
    for person in PEOPLE:
        case.vote(person, True)
    case.change("DELETE FROM rows WHERE search = :id AND kind = 'closed'")
    with pytest.raises((NotOpen, Tampered)):
        case.vote("d", False)
    case.noticed()


def test_what_is_put_back_before_anybody_looks_never_adds_up_again(case: Case) -> None:
    """An older vote and tally are there while somebody votes, and the newer ones afterwards."""
    case.vote("a", True)
    old = case.hacker.copy(case.id, ["rows"])["rows"]
    case.vote("b", True)
    new = case.hacker.copy(case.id, ["rows"])["rows"]
    case.hacker.put_back({"rows": [row for row in old if row["kind"] == "tally"]})
    case.vote("c", False)  # the third vote on it, and it did not close
    mine = case.hacker.copy(case.id, ["rows"])["rows"]
    kept = [row for row in new if row["kind"] in ("tally", "vote")]
    case.hacker.put_back({"rows": kept + [row for row in mine if row["key"].endswith("/c")]})
    case.noticed()


def test_a_row_that_is_hidden_while_it_is_written_again_never_adds_up(case: Case) -> None:
    case.vote("a", True)
    case.change("DELETE FROM rows WHERE search = :id AND kind = 'vote'")
    case.vote("a", False)
    case.noticed()


def test_the_next_round_is_not_shown_of_a_poll_that_was_changed(case: Case) -> None:
    questions = [each["id"] for each in case.polls.status(NAME)["questions"]]
    for id in questions[1:]:
        for person in PEOPLE:
            case.vote(person, True, id=id)
    case.vote("a", True, id=questions[0])
    case.vote("b", True, id=questions[0])
    case.change("DELETE FROM rows WHERE search = :id AND kind = 'vote' AND key LIKE '%/a'")
    with pytest.raises(Tampered):
        case.vote("c", True, id=questions[0])
    assert len([each for each in case.store.events(NAME) if "ask" in each]) == 1


def test_a_pause_that_is_taken_back_stays(case: Case) -> None:
    old = case.hacker.copy(case.id, ["rows"])
    case.polls.pause(NAME)
    case.hacker.put_back({"rows": [row for row in old["rows"] if row["kind"] == "poll"]})
    with pytest.raises(Tampered):
        case.vote("a", True)
    with pytest.raises(Tampered):
        case.again().vote(NAME, "a", "q0.0", True)
    with pytest.raises(Tampered):
        case.polls.overview()
    case.noticed()


def test_a_revoked_respondent_put_back_is_noticed(case: Case) -> None:
    person, _ = case.polls.invite(NAME, label="anna")
    old = case.hacker.copy(case.id, ["rows"])
    case.polls.revoke(NAME, person)
    case.hacker.put_back({"rows": [row for row in old["rows"] if row["kind"] == "person"]})
    for polls in (case.polls, case.again()):
        with pytest.raises(Tampered):
            polls.respondents(NAME)


@pytest.mark.parametrize(
    "words",
    [
        "DELETE FROM events WHERE search = :id AND number = 1",
        "DELETE FROM events WHERE search = :id AND number = 0",
        "UPDATE events SET number = 9 WHERE search = :id AND number = 1",
        "DELETE FROM heads WHERE search = :id",
        "UPDATE heads SET version = version + 1 WHERE search = :id",
    ],
)
def test_an_event_or_a_head_that_is_missing_is_noticed(case: Case, words: str) -> None:
    for person in PEOPLE:
        case.vote(person, True)
    assert len(case.store.events(NAME)) == 3
    case.change(words)
    for store in (case.store, SQL(case.url, key=KEY)):
        with pytest.raises(Tampered):
            store.events(NAME)
    case.noticed()


def test_an_older_head_with_its_events_is_noticed_while_the_process_lasts(case: Case) -> None:
    """A complete old copy of a search is refused by whoever has seen a newer one."""
    case.vote("a", True)
    old = case.hacker.copy(case.id)
    case.vote("a", False)
    case.hacker.forget(case.id, ["heads", "events", "rows"])
    case.hacker.put_back(old)
    with pytest.raises(Tampered, match="older copy than this process has seen"):
        case.polls.status(NAME)
    assert case.again().status(NAME)["counter"] < case.store.stamp(NAME)[0] + 1


def test_the_counter_tells_an_old_copy(case: Case) -> None:
    case.vote("a", True)
    old, noted = case.hacker.copy(case.id), case.polls.status(NAME)["counter"]
    case.vote("a", False)
    assert case.polls.status(NAME)["counter"] == noted + 1
    case.hacker.forget(case.id, ["heads", "events", "rows"])
    case.hacker.put_back(old)
    assert case.again().status(NAME)["counter"] == noted


def test_a_search_that_is_undeleted_is_refused_and_its_name_is_free(case: Case) -> None:
    old = case.hacker.copy(case.id)
    other = case.again()
    other.status(NAME)
    case.polls.delete(NAME)
    case.hacker.put_back(old)
    for polls in (case.polls, other, case.again()):
        assert NAME not in polls.names()
        assert NAME not in [row["name"] for row in polls.overview()]
        for use in (polls.status, polls.result, polls.search, polls.pause):
            with pytest.raises(Tampered, match="was deleted, and put back outside feint"):
                use(NAME)
        with pytest.raises(Tampered):
            polls.vote(NAME, "a", "q0.0", True)
    for store in (case.store, SQL(case.url, key=KEY)):
        for read in (store.events, store.header):
            with pytest.raises(Tampered):
                read(NAME)
    case.polls.delete(NAME)
    case.polls.create(NAME, PLAN, terms=Terms(quorum=1))
    seat(case.polls, NAME, "a")
    vote_all(case.polls, NAME, ["a"], honest(13))
    assert case.again().result(NAME).low <= 13


def test_a_tombstone_that_is_taken_away_is_noticed(case: Case) -> None:
    old = case.hacker.copy(case.id)
    case.polls.delete(NAME)
    office = case.hacker.run("SELECT search, key FROM rows WHERE kind = 'gone'")
    case.hacker.put_back(old)
    kept = [case.hacker.copy(id, ["rows"]) for id in {id for id, _ in office}]
    case.hacker.run("DELETE FROM rows WHERE kind = 'gone'")
    try:
        with pytest.raises(Tampered):
            case.again().status(NAME)
    finally:
        for each in kept:
            case.hacker.put_back(each)


def test_a_revoked_owner_token_put_back_is_refused(case: Case) -> None:
    old = case.polls.tokens.own(again=True)
    assert old is not None
    assert case.polls.tokens.caller(old) == Caller(role="owner")
    offices = {id for (id,) in case.hacker.run("SELECT search FROM rows WHERE kind = 'owner'")}
    copies = [case.hacker.copy(id, ["rows"]) for id in offices]
    new = case.polls.tokens.own(again=True)
    assert new is not None
    after = {
        (row["search"], row["kind"], row["key"])
        for id in offices
        for row in case.hacker.copy(id, ["rows"])["rows"]
    }
    for copied in copies:
        gone = [
            row for row in copied["rows"] if (row["search"], row["kind"], row["key"]) not in after
        ]
        case.hacker.put_back({"rows": gone})
        try:
            for polls in (case.polls, case.again()):
                with pytest.raises((Tampered, NotAllowed)):
                    polls.tokens.caller(old)
        finally:
            for row in gone:
                words = "DELETE FROM rows WHERE search = :s AND kind = :k AND key = :key"
                case.hacker.run(words, s=row["search"], k=row["kind"], key=row["key"])
    assert case.again().tokens.caller(new) == Caller(role="owner")


def test_a_database_cannot_be_taken_for_an_older_version(tmp_path: Path) -> None:
    """Or its heads would be computed anew, of whatever is there."""
    url = f"sqlite:///{tmp_path}/a.db"
    Case(url).store.close()
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("DROP TABLE heads")
        connection.execute("UPDATE feint SET held = ? WHERE name = 'version'", (b"2",))
    connection.close()
    with pytest.raises(WrongKey):
        SQL(url, key=KEY)


def clear_keys(url: str, domain: Domain) -> list[str]:
    """Hold a noisy poll to its end, and read the keys of its rows without the master key."""
    polls, hacker = Polls(SQL(url, key=KEY)), Writer(url)
    polls.delete(NAME)
    before = hacker.ids()
    polls.create(NAME, plan(NOISY, domain=domain), terms=Terms(quorum=1))
    (id,) = hacker.ids() - before
    people = [f"person-{number}" for number in range(60)]
    seat(polls, NAME, *people)
    vote_all(polls, NAME, people, honest(0))
    assert polls.status(NAME)["standing"] == "done"
    keys = [row["key"] for row in hacker.copy(id, ["rows"])["rows"]]
    polls.delete(NAME)
    return keys


def test_no_question_is_in_the_clear(url: str) -> None:
    """Under noise too, every key is a question's number, with who votes, or a keyed hash."""
    keys = clear_keys(url, Domain(0, 8))
    allowed = re.compile(r"|([0-9]{6}\.[0-9]{6}/)?person-[0-9]+|[0-9]{6}\.[0-9]{6}|[0-9a-f]{32}")
    assert [key for key in keys if not allowed.fullmatch(key)] == []
    assert any(len(key) == 32 for key in keys)


def test_questions_of_many_digits_take_votes(url: str) -> None:
    assert max(map(len, clear_keys(url, Domain(0, f"1/{'7' * 220}")))) == 32


def observed(path: Path, token: str) -> tuple[object, ...]:
    """All that an owner can learn of a database, and how its searches end."""
    store = SQL(f"sqlite:///{path}", key=KEY)
    try:
        polls = Polls(store)
        seen = [
            polls.names(),
            polls.overview(),
            polls.tokens.caller(token),
            polls.status("done"),
            polls.result("done").to_dict(),
            polls.status("open"),
            polls.search("open").to_json(),
            store.events("program"),
            store.header("program"),
        ]
        vote_all(polls, "open", PEOPLE, honest(13))
        seen += [polls.result("open").to_dict(), finished(Lasting(store, "program")).to_dict()]
        return tuple(seen)
    finally:
        store.close()


def flipped(tmp_path: Path, count: int) -> dict[str, int]:
    """Flip one bit at a time; how often it was noticed and how often it changed nothing."""
    path, copy = tmp_path / "a.db", tmp_path / "b.db"
    store = SQL(f"sqlite:///{path}", key=KEY)
    polls = Polls(store, clock=lambda: 1000.0)
    token = polls.tokens.own()
    for name in ("done", "open"):
        polls.create(name, PLAN, terms=Terms(quorum=3), key=bytes(32))
        seat(polls, name, *PEOPLE)
    vote_all(polls, "done", PEOPLE, honest(13))
    for person, yes in (("a", True), ("b", False)):
        polls.vote("open", person, "q0.0", yes)
    begin(store, "program", PLAN, key=bytes(32)).ask()
    polls.create("gone", PLAN, terms=Terms())
    polls.delete("gone")
    store.close()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.db"]
    whole, draw = path.read_bytes(), random.Random(30)
    copy.write_bytes(whole)
    assert token is not None
    expected, counts = observed(copy, token), {"noticed": 0, "same": 0}
    for place in draw.sample(range(8 * len(whole)), count):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        for each in tmp_path.glob("b.db*"):
            each.unlink()
        copy.write_bytes(changed)
        try:
            found = observed(copy, token)
        except FeintError:
            counts["noticed"] += 1
            continue
        assert found == expected, f"bit {place}"
        counts["same"] += 1
    return counts


@pytest.mark.parametrize("count", later([30, 100], {100}))
def test_a_bit_that_flips_is_noticed_or_changes_nothing(count: int, tmp_path: Path) -> None:
    counts = flipped(tmp_path, count)
    assert counts["noticed"] > 0.3 * count


@pytest.mark.slow
def test_two_thousand_bits_that_flip_are_noticed_or_change_nothing(tmp_path: Path) -> None:
    counts = flipped(tmp_path, 2000)
    assert counts["noticed"] > 600


def test_a_repeated_vote_is_counted_or_noticed(case: Case) -> None:
    """An older vote is there only while the change back to it is taken."""
    case.vote("a", True)
    old = case.hacker.copy(case.id, ["rows"])
    case.vote("a", False)
    new = case.hacker.copy(case.id, ["rows"])
    for copied in (old, new):
        copied["rows"] = [row for row in copied["rows"] if row["kind"] == "vote"]
    case.hacker.put_back(old)
    case.vote("a", True)
    case.hacker.put_back(new)
    case.noticed()


def test_a_process_that_only_reads_notices_an_old_copy(case: Case) -> None:
    old = case.hacker.copy(case.id)
    case.vote("a", True)
    reader = SQL(case.url, key=KEY)
    Polls(reader).status(NAME)
    case.hacker.forget(case.id, ["heads", "events", "rows"])
    case.hacker.put_back(old)
    for read in (Polls(reader).status, Polls(reader).sheet, reader.events):
        with pytest.raises(Tampered, match="older copy than this process has seen"):
            read(*(NAME, "a") if read.__name__ == "sheet" else (NAME,))


def office_of(case: Case) -> str:
    """The id of the office, which is written when a search is deleted."""
    return case.store._office


def test_a_deleted_search_stays_deleted_where_the_counter_of_the_office_is_set_back(
    case: Case,
) -> None:
    """The process that deleted it asks nobody else: it has seen a higher counter."""
    case.vote("a", True)
    old, office = case.hacker.copy(case.id), office_of(case)
    words = "SELECT version FROM heads WHERE search = :id"
    ((counter,),) = case.hacker.run(words, id=office)
    case.polls.delete(NAME)
    case.hacker.put_back(old)
    again = "UPDATE heads SET version = :counter WHERE search = :id"
    case.hacker.run(again, id=office, counter=counter)
    try:
        with pytest.raises(Tampered):
            case.vote("a", False)
        with pytest.raises(Tampered):
            case.polls.sheet(NAME, "a")
    finally:
        case.hacker.run(again, id=office, counter=counter + 1)


def test_an_old_office_is_noticed_after_its_data_key_was_replaced(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if it is the last copy under the key of before."""
    office, old = office_of(case), {}

    def copied(*args: Any, **words: Any) -> Any:
        if words["office"]:
            old.update(case.hacker.copy(office))
        return reseal(*args, **words)

    monkeypatch.setattr("feint.journal.sql.reseal", copied)
    case.store.rotate_data()
    new = case.hacker.copy(office)
    case.hacker.forget(office, ["heads", "rows"])
    case.hacker.put_back(old)
    try:
        with pytest.raises(Tampered, match="older copy than this process has seen"):
            case.polls.tokens.roll()
    finally:
        case.hacker.forget(office, ["heads", "rows"])
        case.hacker.put_back(new)


@pytest.mark.parametrize("kind", databases()[1:])
def test_two_rows_of_one_place_never_add_up(kind: str, postgres_url: str) -> None:
    """A table that inherits from another shows its rows there, and no key forbids doubles."""
    case = Case(postgres_url)
    case.vote("a", False)
    where = "search = :id AND kind IN ('vote', 'tally') AND key LIKE '000000.000000%'"
    case.change("CREATE TABLE beside () INHERITS (rows)")
    try:
        case.change(f"INSERT INTO beside SELECT * FROM rows WHERE {where}")
        case.change(f"DELETE FROM ONLY rows WHERE {where}")
        case.change("ALTER TABLE beside NO INHERIT rows")
        case.vote("a", True)
        case.change("ALTER TABLE beside INHERIT rows")
        case.noticed()
    finally:
        case.change("DROP TABLE beside")
        case.polls.delete(NAME)
        case.store.close()
