"""Polls: quorum, changes, leases, deadlines, tokens; on every store where it matters."""

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from fractions import Fraction
from threading import Barrier
from typing import Any, cast

import pytest
from tests.support.clocks import Clock
from tests.support.journals import KEY, NUMBER, PLAN
from tests.support.polls import honest, twins, vote_all

from feint import Domain, Problem, Search, plan
from feint.errors import (
    AnswerFixed,
    InvalidValue,
    NameTaken,
    NotAllowed,
    NotDone,
    NotOpen,
    SearchDone,
    UnknownQuery,
    UnknownSearch,
)
from feint.journal import SQL, Memory, begin
from feint.journal.memory import MemoryTransaction
from feint.journal.polls import Caller, Polls, Terms
from feint.planning import Plan
from feint.problem import YesMeans
from feint.search import finish
from feint.simulate.oracles import Hidden

THREE = Terms(quorum=3)
OTHER = plan(Problem("1/32", "1/12", 3), domain=Domain(100, 200))


@pytest.fixture
def polls(clock: Clock) -> Polls:
    return Polls(Memory(), clock=clock)


def people(polls: Polls, name: str, count: int) -> list[str]:
    return [polls.invite(name, id=str(number))[0] for number in range(count)]


def test_a_poll_finds_what_a_search_finds(url: str) -> None:
    """On every database; majorities of three, one of whom always says the contrary."""
    store = SQL(url, key=KEY)
    store.delete("poll")
    polls = Polls(store)
    polls.create("poll", PLAN, terms=THREE, key=bytes(32))
    first, *others = people(polls, "poll", 3)
    right = honest(NUMBER)
    vote_all(
        polls, "poll", [first, *others], lambda who, ballot: right(who, ballot) != (who == first)
    )
    assert polls.result("poll") == finish(Search(PLAN, key=bytes(32)), Hidden(NUMBER))
    assert polls.status("poll")["standing"] == "done"
    assert polls.sheet("poll", first).standing == "done"
    polls.delete("poll")
    with pytest.raises(UnknownSearch):
        polls.status("poll")


def test_a_question_closes_at_its_quorum_and_a_vote_can_change_until_then(polls: Polls) -> None:
    polls.create("poll", PLAN, terms=THREE)
    one, two, three, four = people(polls, "poll", 4)
    (ballot, *_) = polls.sheet("poll", one).ballots
    polls.vote("poll", one, ballot.id, True)
    polls.vote("poll", two, ballot.id, True)
    polls.vote("poll", one, ballot.id, False)
    polls.vote("poll", two, ballot.id, False)
    assert [each.vote for each in polls.sheet("poll", one).ballots][:1] == [False]
    with pytest.raises(NotDone):
        polls.result("poll")
    polls.vote("poll", three, ballot.id, True)
    assert polls.search("poll").told(ballot.id) is False  # two of three
    polls.vote("poll", three, ballot.id, True)  # the same again is accepted
    with pytest.raises(NotOpen, match="is closed"):
        polls.vote("poll", three, ballot.id, False)
    with pytest.raises(NotOpen, match="is closed"):
        polls.vote("poll", four, ballot.id, False)
    told = [each for each in polls._store.events("poll") if "tell" in each]
    assert told == [{"tell": ballot.id, "yes": False}]


@pytest.mark.parametrize("quorum", [3, None])
def test_what_is_written_does_not_tell_whether_an_answer_was_changed(
    quorum: int | None, polls: Polls
) -> None:
    """The same again is written as a change is: a write takes time, which the network shows."""
    chosen, counters = plan(Problem("1/48", "1/8", 4), domain=Domain(0, 1)), []
    for name, again in (("same", True), ("other", False)):
        polls.create(name, chosen, terms=Terms(quorum=quorum))
        (one,) = people(polls, name, 1)
        if quorum is None:
            polls.answer(name, "q0.0", True)  # the next round has several questions
        for yes in (True, again, again):
            if quorum is None:
                polls.answer(name, "q1.0", yes)
            else:
                polls.vote(name, one, "q0.0", yes)
        counters.append(polls.status(name)["counter"])
    assert counters[0] == counters[1]
    if quorum is None:
        assert [polls.search(name).told("q1.0") for name in ("same", "other")] == [True, False]
    else:
        tallies = [polls.status(name)["questions"][0] for name in ("same", "other")]
        assert [(each["yes"], each["no"]) for each in tallies] == [(1, 0), (0, 1)]


def test_a_round_opens_when_all_its_questions_have_closed(polls: Polls) -> None:
    polls.create("poll", PLAN, terms=Terms(quorum=1))
    (one,) = people(polls, "poll", 1)
    for number in range(PLAN.rounds):
        ballots = polls.sheet("poll", one).ballots
        assert [each.round for each in ballots] == [number] * len(ballots)
        for ballot in ballots:
            assert polls.sheet("poll", one).round == number
            polls.vote("poll", one, ballot.id, True)
    assert polls.status("poll")["answered"] == PLAN.queries


def test_a_respondent_receives_nothing_of_how_others_voted() -> None:
    """Two polls that ask the same, and are answered differently, are the same byte by byte.

    Sheets after every vote, and whether each vote was taken; quorum of three, one of whom changes
    her vote every time.
    """

    def received(key: bytes, number: Fraction) -> list[str]:
        polls = Polls(Memory(), clock=Clock())
        polls.create("poll", PLAN, terms=THREE, key=key)
        watcher, *others = people(polls, "poll", 4)
        log, right = [], honest(number)
        while polls.status("poll")["standing"] == "open":
            for ballot in polls.sheet("poll", watcher).ballots:
                polls.vote("poll", watcher, ballot.id, True)
                polls.vote("poll", watcher, ballot.id, False)
                for person in others:
                    try:
                        polls.vote("poll", person, ballot.id, right(person, ballot))
                    except NotOpen as error:
                        log.append(str(error))
                    log.append(json.dumps(polls.sheet("poll", watcher).to_dict()))
        log.append(json.dumps(polls.sheet("poll", watcher).to_dict()))
        found = polls.result("poll")
        answers.append((found.low, found.high))
        return log

    answers: list[tuple[Fraction, Fraction]] = []
    key, number, other_key, other = twins()
    assert received(key, number) == received(other_key, other)
    assert answers[0] != answers[1]


def test_a_lease_keeps_a_question_until_it_runs_out(polls: Polls, clock: Clock) -> None:
    polls.create("poll", PLAN, terms=Terms(quorum=1, lease=60))
    one, two = people(polls, "poll", 2)
    held = polls.sheet("poll", one).ballots
    assert len(held) == len(PLAN.strategy.rounds[0].coordinates)
    assert polls.sheet("poll", two).ballots == ()
    clock.now += 61
    assert polls.sheet("poll", two).ballots == held
    assert polls.sheet("poll", one).ballots == ()
    with pytest.raises(NotOpen, match="reserved for others who fetched it"):
        polls.vote("poll", one, held[0].id, True)  # late, and somebody else has it
    clock.now += 61
    polls.vote("poll", one, held[0].id, True)  # late, and nobody else has it
    assert polls.status("poll")["answered"] == 1


def test_a_lease_keeps_a_vote_too(polls: Polls, clock: Clock) -> None:
    """Nobody votes on a question that others hold; whoever has a seat changes their vote."""
    polls.create("poll", PLAN, terms=Terms(quorum=3, lease=60))
    one, two, three, late = people(polls, "poll", 4)
    (first, *_) = (polls.sheet("poll", each).ballots[0] for each in (one, two, three))
    polls.vote("poll", one, first.id, True)
    polls.vote("poll", one, first.id, False)
    with pytest.raises(NotOpen, match="reserved for others who fetched it"):
        polls.vote("poll", late, first.id, True)
    clock.now += 61
    polls.vote("poll", late, first.id, True)  # two leases have ended, and one vote stands
    polls.vote("poll", two, first.id, True)
    with pytest.raises(NotOpen, match="is closed"):
        polls.vote("poll", three, first.id, True)


@pytest.mark.parametrize("yes", [True, False])
def test_what_is_kept_for_others_does_not_tell_how_they_voted(
    yes: bool, polls: Polls, clock: Clock
) -> None:
    polls.create("poll", PLAN, terms=Terms(quorum=3, lease=60), key=bytes(32))
    one, two, three, late = people(polls, "poll", 4)
    (first, *_) = (polls.sheet("poll", each).ballots[0] for each in (one, two, three))
    polls.vote("poll", one, first.id, yes)
    polls.vote("poll", two, first.id, yes)
    with pytest.raises(NotOpen) as refused:
        polls.vote("poll", late, first.id, True)
    said = f"question {first.id} is reserved for others who fetched it, until their leases end"
    assert str(refused.value) == f"{said}; fetch the open ones, and vote on those"


def test_four_workers_with_stores_of_their_own_find_the_same(url: str) -> None:
    """As two servers with two workers each: nothing is shared but the database, all vote at once.

    The processes themselves are in tests/server/test_workers.py.
    """
    stores = [SQL(url, key=KEY) for _ in range(4)]
    workers = [Polls(store) for store in stores]
    workers[0].delete("shared")
    workers[0].create("shared", PLAN, terms=THREE, key=bytes(32))
    voters = [workers[0].invite("shared", id=str(number))[0] for number in range(4)]

    def vote(polls: Polls, person: str) -> None:
        while polls.standing("shared")[0] != "done":
            for ballot in polls.sheet("shared", person).ballots:
                with suppress(NotOpen):  # others closed it, or the poll, in the meantime
                    polls.vote("shared", person, ballot.id, Fraction(ballot.value) <= NUMBER)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(vote, workers, voters))
    told = [event["tell"] for event in stores[0].events("shared") if "tell" in event]
    assert len(told) == len(set(told)) == PLAN.queries
    alone = finish(Search(PLAN, key=bytes(32)), Hidden(NUMBER))
    assert [polls.result("shared") for polls in workers] == [alone] * 4
    workers[0].delete("shared")
    for store in stores:
        store.close()


def test_a_poll_whose_clock_only_goes_back_finds_the_same(polls: Polls, clock: Clock) -> None:
    """With leases and a deadline: what closes a question is its votes, never the time."""
    terms = Terms(quorum=1, lease=60, deadline=3600, at_deadline="pause")
    polls.create("back", PLAN, terms=terms, key=bytes(32))
    person, _ = polls.invite("back")
    while polls.standing("back")[0] != "done":
        for ballot in polls.sheet("back", person).ballots:
            clock.now -= 7200
            polls.vote("back", person, ballot.id, Fraction(ballot.value) <= NUMBER)
    alone = finish(Search(PLAN, key=bytes(32)), Hidden(NUMBER))
    assert polls.result("back") == alone


def test_a_clock_that_goes_back_lets_nobody_wait(polls: Polls, clock: Clock) -> None:
    polls.create("poll", PLAN, terms=Terms(quorum=1, lease=60, deadline=100, at_deadline="pause"))
    one, two = people(polls, "poll", 2)
    held = polls.sheet("poll", one).ballots
    clock.now -= 500
    assert polls.sheet("poll", two).ballots == held
    assert polls.status("poll")["standing"] == "open"


@pytest.mark.parametrize("way", ["stay", "pause"])
def test_a_deadline_never_closes_a_question(way: str, polls: Polls, clock: Clock) -> None:
    pauses = way == "pause"
    terms = Terms(quorum=3, deadline=100, at_deadline="pause" if pauses else "stay")
    polls.create("poll", PLAN, terms=terms)
    one, two, _ = people(polls, "poll", 3)
    (ballot, *_) = polls.sheet("poll", one).ballots
    polls.vote("poll", one, ballot.id, True)
    clock.now += 100
    status = polls.status("poll")
    assert (status["overdue"], status["answered"]) == (True, 0)
    assert status["standing"] == ("paused" if pauses else "open")
    if pauses:
        with pytest.raises(NotOpen, match="this poll is paused, and takes no votes"):
            polls.vote("poll", two, ballot.id, True)
        polls.resume("poll")
    polls.vote("poll", two, ballot.id, True)
    assert polls.status("poll")["answered"] == 0


def test_nobody_votes_on_two_samples_of_one_point() -> None:
    """Under noise a question is a sample; a point that is asked about again is for another."""
    problem = Problem("1/16", "1/4", 2, p="0.8", confidence="0.8")
    noisy = plan(problem, domain=Domain(0, 8), method="fixed")
    polls = Polls(Memory())
    polls.create("poll", noisy, terms=Terms(quorum=1), key=bytes(32))
    everybody = people(polls, "poll", 60)
    vote_all(polls, "poll", everybody, honest(3))
    votes: dict[str, list[Fraction]] = {}
    with polls._store.reading("poll") as held:
        questions = held.rows("question")
        for where in held.rows("vote"):
            key, person = where.split("/")
            votes.setdefault(person, []).append(Fraction(questions[key]["value"]))
    assert all(len(set(points)) == len(points) for points in votes.values())
    assert sum(map(len, votes.values())) == noisy.queries
    shown = [Fraction(row["value"]) for row in questions.values()]
    assert len(set(shown)) < len(shown)  # points were repeated, so that there was something to keep


def test_another_sample_is_refused() -> None:
    problem = Problem("1/16", "1/4", 2, p="0.8", confidence="0.8")
    polls = Polls(Memory())
    polls.create("poll", plan(problem, domain=Domain(0, 8)), terms=Terms(quorum=1))
    (one,) = people(polls, "poll", 1)
    first, *others = polls.status("poll")["questions"]
    polls.vote("poll", one, first["id"], True)
    again = next(each for each in others if each["value"] == first["value"])
    with pytest.raises(AnswerFixed, match="another sample of a value that you voted on"):
        polls.vote("poll", one, again["id"], True)


def test_answers_are_taken_together_or_none_of_them(url: str) -> None:
    store = SQL(url, key=KEY)
    store.delete("poll")
    polls = Polls(store)
    polls.create("poll", PLAN, terms=Terms())
    (query, *_) = polls.open("poll")
    with pytest.raises(UnknownQuery):
        polls.answer_all("poll", {query.id: True, "q9.0": True})
    assert polls.search("poll").told(query.id) is None
    polls.answer_all("poll", {query.id: True})
    assert polls.search("poll").told(query.id) is True
    polls.delete("poll")


def test_the_owner_answers_where_nobody_votes(url: str) -> None:
    store = SQL(url, key=KEY)
    store.delete("owned")
    polls = Polls(store)
    polls.create("owned", PLAN, terms=Terms(), key=bytes(32))
    (first, *rest) = polls.open("owned")
    polls.answer("owned", first.id, not first.value <= NUMBER)
    if rest:
        polls.answer("owned", first.id, first.value <= NUMBER)
    while polls.status("owned")["standing"] == "open":
        for query in polls.open("owned"):
            polls.answer("owned", query.id, query.value <= NUMBER)
            polls.answer("owned", query.id, query.value <= NUMBER)
    with pytest.raises(SearchDone):
        polls.open("owned")
    if rest:
        alone = finish(Search(PLAN, key=bytes(32)), Hidden(NUMBER))
        assert polls.result("owned") == alone
    polls.delete("owned")


def test_who_answers_is_fixed(polls: Polls) -> None:
    polls.create("votes", PLAN, terms=THREE)
    with pytest.raises(NotOpen, match="respondents vote in this poll"):
        polls.answer("votes", "q0.0", True)
    polls.create("owned", PLAN, terms=Terms())
    (one,) = people(polls, "owned", 1)
    assert polls.sheet("owned", one).ballots == ()
    with pytest.raises(UnknownQuery):
        polls.vote("owned", one, "q0.0", True)
    for query in polls.open("owned"):
        polls.answer("owned", query.id, True)
    with pytest.raises(AnswerFixed, match="the next round was shown"):
        polls.answer("owned", "q0.0", False)


@pytest.mark.parametrize("id", ["q0.9999", "q7.0", "q00.0", "q0.00", "x", "", "q.", "q-1.0"])
def test_what_is_no_question_is_refused(id: str, polls: Polls) -> None:
    """Also one that another spelling names: what is written must replay."""
    polls.create("poll", PLAN, terms=THREE)
    with pytest.raises(UnknownQuery, match="no such question open"):
        polls.vote("poll", "a", id, True)


def test_pause_archive_resume(polls: Polls) -> None:
    polls.create("poll", PLAN, terms=Terms(quorum=1))
    (one,) = people(polls, "poll", 1)
    for stop in (polls.pause, polls.archive):
        stop("poll")
        assert polls.sheet("poll", one).ballots == ()
        with pytest.raises(NotOpen):
            polls.vote("poll", one, "q0.0", True)
        polls.resume("poll")
    vote_all(polls, "poll", [one], honest(NUMBER))
    with pytest.raises(NotOpen, match="every question of this poll is answered"):
        polls.pause("poll")
    polls.archive("poll")
    polls.resume("poll")
    assert polls.status("poll")["standing"] == "done"


def test_a_poll_is_created_once(polls: Polls) -> None:
    polls.create("poll", PLAN, terms=THREE, id="one")
    asked = polls.open("poll")
    polls.create("poll", PLAN, terms=THREE, id="one")
    assert polls.open("poll") == asked
    for id in ("two", None):
        with pytest.raises(NameTaken):
            polls.create("poll", PLAN, terms=THREE, id=id)


def test_a_key_under_which_something_else_was_begun_is_refused(polls: Polls) -> None:
    polls.create("poll", PLAN, terms=THREE, id="one")
    before = polls.status("poll"), polls.open("poll")
    for found, terms, yes_means in (
        (OTHER, THREE, "at least"),
        (PLAN, Terms(quorum=1), "at least"),
        (PLAN, THREE, "below"),
    ):
        with pytest.raises(NameTaken, match="under the same key by another request"):
            polls.create("poll", found, terms=terms, yes_means=cast(YesMeans, yes_means), id="one")
    assert (polls.status("poll"), polls.open("poll")) == before
    begun = Search(PLAN)
    polls.take_in("taken in", begun, terms=THREE, id="two")
    polls.take_in("taken in", begun, terms=THREE, id="two")
    with pytest.raises(NameTaken, match="under the same key by another request"):
        polls.take_in("taken in", Search(PLAN), terms=THREE, id="two")


def test_a_poll_takes_nothing_from_a_search_of_its_name(url: str) -> None:
    """One that a program answers has no rows, as one had that was cut off when it was begun."""
    store = SQL(url, key=KEY)
    store.delete("price")
    search = begin(store, "price", PLAN)
    (first, *_) = search.ask()
    search.tell(first.id, first.value <= NUMBER)
    before = store.header("price"), store.events("price")
    polls = Polls(store)
    for id in ("one", None):
        with pytest.raises(NameTaken):
            polls.create("price", PLAN, terms=THREE, id=id)
        with pytest.raises(NameTaken):
            polls.take_in("price", Search(PLAN), terms=THREE, id=id)
    assert (store.header("price"), store.events("price")) == before
    polls.delete("price")
    polls.create("price", PLAN, terms=THREE)
    assert polls.status("price")["round"] == 0
    polls.delete("price")
    store.close()


def test_of_six_who_begin_a_poll_of_one_name_at_once_one_does(url: str) -> None:
    """Its plan, its terms and its questions are of one and the same request."""
    stores = [SQL(url, key=KEY) for _ in range(6)]
    stores[0].delete("contested")
    wanted = [(each, Terms(quorum=quorum)) for each in (PLAN, OTHER) for quorum in (1, 3, 5)]
    together = Barrier(len(stores))

    def create(store: SQL, made: Plan, terms: Terms) -> bool:
        together.wait()
        try:
            Polls(store).create("contested", made, terms=terms)
        except NameTaken:
            return False
        return True

    with ThreadPoolExecutor(len(stores)) as pool:
        made = list(pool.map(create, stores, *zip(*wanted, strict=True)))
    assert sum(made) == 1
    found, terms = wanted[made.index(True)]
    polls = Polls(stores[0])
    status = polls.status("contested")
    assert (status["terms"], status["queries"]) == (terms.to_dict(), found.queries)
    assert polls.search("contested").plan == found
    asked = [query.id for query in polls.open("contested")]
    assert [each["id"] for each in status["questions"]] == asked
    polls.delete("contested")
    for store in stores:
        store.close()


def test_a_request_that_is_sent_several_times_at_once_counts_once(url: str) -> None:
    """Whoever has no answer yet sends it again, perhaps to another worker."""
    stores = [SQL(url, key=KEY) for _ in range(4)]
    stores[0].delete("repeated")
    together = Barrier(len(stores))

    def create(store: SQL) -> list[str]:
        together.wait()
        polls = Polls(store)
        polls.create("repeated", PLAN, terms=THREE, id="one")
        return [query.text for query in polls.open("repeated")]

    with ThreadPoolExecutor(len(stores)) as pool:
        first, *others = pool.map(create, stores)
    assert others == [first] * 3
    assert len(stores[0].events("repeated")) == 1
    stores[0].delete("repeated")
    for store in stores:
        store.close()


def test_a_poll_whose_creation_fails_is_not_there() -> None:
    """Wherever it is cut off: nothing is left that takes up the name."""

    class Cut(MemoryTransaction):
        def put(self, kind: str, key: str, row: Mapping[str, Any]) -> None:
            if kind == "poll":
                raise Broken
            super().put(kind, key, row)

    class CutOff(Memory):
        @contextmanager
        def creating(self, name: str, header: Mapping[str, Any]) -> Iterator[MemoryTransaction]:
            with super().creating(name, header) as held:
                yield Cut(held._held)

    polls = Polls(CutOff())
    with pytest.raises(Broken):
        polls.create("poll", PLAN, terms=THREE)
    assert polls.names() == []


def test_a_search_that_was_begun_elsewhere_goes_on(polls: Polls) -> None:
    elsewhere = Search(PLAN, key=bytes(32))
    (first, *_) = elsewhere.ask()
    elsewhere.tell(first.id, first.value <= NUMBER)
    polls.take_in("poll", Search.from_json(elsewhere.to_json()), terms=Terms(quorum=1))
    assert polls.status("poll")["answered"] == 1
    vote_all(polls, "poll", people(polls, "poll", 1), honest(NUMBER))
    assert polls.result("poll") == finish(elsewhere, Hidden(NUMBER))
    polls.take_in("done", elsewhere, terms=Terms())
    assert polls.status("done")["standing"] == "done"


def test_tokens_are_stored_hashed_revoked_and_replaced(polls: Polls) -> None:
    polls.create("poll", PLAN, terms=THREE)
    owner = polls.tokens.own()
    assert owner is not None
    assert len(owner) == 43  # 256 bits
    assert polls.tokens.own() is None
    assert polls.tokens.caller(owner) == Caller(role="owner")
    again = polls.tokens.own(again=True)
    assert again is not None
    person, token = polls.invite("poll", id="anna")
    assert polls.tokens.caller(token) == Caller(role="respondent", search="poll", person=person)
    same, fresh = polls.invite("poll", id="anna")
    assert same == person
    for old in (owner, token, "", "\ud800", "x" * 10_000):
        with pytest.raises(NotAllowed, match="or one that was revoked") as raised:
            polls.tokens.caller(old)
        assert not old or old not in str(raised.value)
    polls.revoke("poll", person)
    with pytest.raises(NotAllowed):
        polls.tokens.caller(fresh)
    _, left = polls.invite("poll", label="Anna")
    with pytest.raises(InvalidValue, match="Anna: a respondent has this name already"):
        polls.invite("poll", label="Anna")
    polls.delete("poll")
    with pytest.raises(NotAllowed):
        polls.tokens.caller(left)


def test_an_open_link_lets_as_many_in_as_it_says(polls: Polls) -> None:
    polls.create("poll", PLAN, terms=THREE)
    id, token = polls.link("poll", quota=2)
    link = polls.tokens.caller(token)
    assert link == Caller(role="link", search="poll", person=id)
    joined = {polls.join(link)[0] for _ in range(2)}
    assert joined == set(polls.respondents("poll"))
    with pytest.raises(NotAllowed, match="nobody else may join through it"):
        polls.join(link)


@pytest.mark.parametrize(
    ("quorum", "lease", "deadline"),
    [
        (2, None, None),
        (0, None, None),
        (-1, None, None),
        (None, 0, None),
        (None, None, float("nan")),
    ],
)
def test_wrong_terms_are_refused(
    quorum: int | None, lease: float | None, deadline: float | None
) -> None:
    with pytest.raises(InvalidValue):
        Terms(quorum=quorum, lease=lease, deadline=deadline)


class Broken(Exception):
    """What a disk says that is full."""


class Failing(Memory):
    """A store whose next transaction fails at its end."""

    fails = False

    @contextmanager
    def transaction(self, name: str) -> Iterator[MemoryTransaction]:
        with super().transaction(name) as held:
            yield held
            if self.fails:
                raise Broken


def test_a_failed_write_leaves_the_search_as_it_was() -> None:
    """The replay that is kept at hand is forgotten: the next vote asks what would have been."""
    memory = Failing()
    polls = Polls(memory)
    polls.create("poll", PLAN, terms=Terms(quorum=1), key=bytes(32))
    (one,) = people(polls, "poll", 1)
    calm = Search(PLAN, key=bytes(32))
    while not calm.done:
        for query in calm.ask():
            calm.tell(query.id, query.value <= NUMBER)
            memory.fails = True
            with pytest.raises(Broken):
                polls.vote("poll", one, query.id, query.value <= NUMBER)
            memory.fails = False
            polls.vote("poll", one, query.id, query.value <= NUMBER)
    assert polls.result("poll") == calm.result
