"""Polls of searches that have different lengths: they end when they are done."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.support.journals import KEY
from tests.support.polls import honest, vote_all
from tests.support.uneven import Forked

from feint import Domain, Plan, Search
from feint.errors import NotOpen
from feint.journal import SQL, Folder, Lasting, Memory, begin
from feint.journal.polls import Polls, Terms
from feint.search import finish
from feint.simulate.oracles import Hidden

PLAN = Plan.of(Forked(), domain=Domain(0, 15, step=1))
SHORT, LONG = 14, 3


def held(store: Any, number: int) -> tuple[Polls, list[str]]:
    polls = Polls(store)
    polls.create("poll", PLAN, terms=Terms(quorum=1), key=KEY)
    return polls, [polls.invite("poll", id="one")[0]]


@pytest.mark.parametrize(("number", "queries", "rounds"), [(SHORT, 4, 3), (LONG, 7, 4)])
def test_a_poll_ends_when_it_is_done(number: int, queries: int, rounds: int, url: str) -> None:
    store = SQL(url, key=KEY)
    store.delete("poll")
    polls, people = held(store, number)
    status = polls.status("poll")
    assert (status["queries"], status["rounds"], status["asks_all"]) == (7, 4, False)
    assert polls.sheet("poll", people[0]).rounds == 4
    vote_all(polls, "poll", people, honest(number))
    status = polls.status("poll")
    assert status["standing"] == "done"
    assert (status["answered"], status["queries"], status["rounds"]) == (queries, queries, rounds)
    assert polls.sheet("poll", people[0]).rounds == rounds
    found = polls.result("poll")
    assert found == finish(Search(PLAN, key=KEY), Hidden(number))
    assert (found.queries, found.rounds) == (queries, rounds)


def test_a_round_has_the_questions_that_it_asks_and_no_others() -> None:
    polls, people = held(Memory(), SHORT)
    polls.vote("poll", people[0], "q0.0", True)
    assert [each.id for each in polls.sheet("poll", people[0]).ballots] == ["q1.0"]
    with pytest.raises(Exception, match="no such question"):
        polls.vote("poll", people[0], "q1.1", True)


def test_a_poll_that_ended_early_is_not_opened_again() -> None:
    polls, people = held(Memory(), SHORT)
    vote_all(polls, "poll", people, honest(SHORT))
    polls.archive("poll")
    polls.resume("poll")
    assert polls.standing("poll")[0] == "done"
    with pytest.raises(NotOpen):
        polls.pause("poll")


def test_one_that_goes_on_is_opened_again() -> None:
    polls, people = held(Memory(), SHORT)
    polls.vote("poll", people[0], "q0.0", True)
    polls.archive("poll")
    polls.resume("poll")
    assert polls.standing("poll")[0] == "open"
    vote_all(polls, "poll", people, honest(SHORT))
    assert polls.result("poll").x == SHORT


@pytest.mark.parametrize("answers", range(5))
def test_a_search_is_taken_in_anywhere(answers: int) -> None:
    search = Search(PLAN, key=KEY)
    for _ in range(answers):
        query = search.ask()[0]
        search.tell(query.id, query.value <= SHORT)
    polls = Polls(Memory())
    polls.take_in("poll", Search.from_json(search.to_json()), terms=Terms())
    while polls.standing("poll")[0] == "open":
        for query in polls.open("poll"):
            polls.answer("poll", query.id, query.value <= SHORT)
    status = polls.status("poll")
    assert (status["standing"], status["queries"]) == ("done", 4)
    assert polls.result("poll").x == SHORT


def test_what_a_respondent_receives_follows_from_the_questions() -> None:
    """Two numbers under one key with one transcript, short and long: the same sheets in turn."""

    def received(number: int) -> tuple[Any, list[Any]]:
        polls, people = held(Memory(), number)
        watcher = polls.invite("poll", id="two")[0]
        log = list[Any]()
        while polls.standing("poll")[0] == "open":
            log.append(polls.sheet("poll", watcher).to_dict())
            for ballot in polls.sheet("poll", people[0]).ballots:
                if not ballot.closed:
                    polls.vote("poll", people[0], ballot.id, Fraction(ballot.value) <= number)
                log.append(polls.sheet("poll", watcher).to_dict())
        log.append((polls.sheet("poll", watcher).to_dict(), polls.standing("poll")))
        transcript = polls.search("poll").transcript.points[0].tolist()
        return tuple(transcript), log

    by_transcript = dict[Any, list[Any]]()
    for number in range(16):
        transcript, log = received(number)
        by_transcript.setdefault(transcript, []).append(log)
    assert sum(len(logs) > 1 for logs in by_transcript.values()) >= 4
    for logs in by_transcript.values():
        assert all(log == logs[0] for log in logs)


def test_a_search_in_a_journal_ends_early_and_is_read_again(tmp_path: Path) -> None:
    for journal in (Memory(), Folder(tmp_path), SQL(f"sqlite:///{tmp_path}/some.db", key=KEY)):
        search = begin(journal, "own", PLAN, key=KEY)
        found = search.finish(lambda x: x <= SHORT)
        assert (found.x, found.queries) == (SHORT, 4)
        assert Lasting(journal, "own").done
        assert Lasting(journal, "own").result == found
