"""Polls whose samples grow: batches are public, and all copies of a question close together."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import count
from random import Random

import pytest
from tests.support.members import SHAPE, small_member
from tests.support.polls import seat

from feint import Domain, Plan, Problem, Search, plan
from feint.errors import InvalidValue, NotOpen, WrongType
from feint.journal import Memory
from feint.journal.polls import Polls, Terms
from feint.simulate.oracles import GrowingSample
from feint.strategies import Product, SequentialNoisy

KEY = bytes(range(32))
SAMPLE = GrowingSample(first=3, more=2, batches=3, lead=3)
TERMS = Terms(quorum=5, growing=SAMPLE)
MEMBER = small_member("0.8", confidence="0.8")
BOTH = Problem("1/48", "1/12", 4, p="0.8", confidence="0.6", dim=2)
PLANS = {
    "one": Plan.of(MEMBER, domain=Domain(10, 20)),
    "two at once": Plan.of(SequentialNoisy(MEMBER.problem, 48, replace(SHAPE, at_once=2))),
    "two numbers": Plan.of(Product(BOTH, (MEMBER,) * 2)),
    "fixed": plan(Problem("1/16", "1/4", 2, p="0.8", confidence="0.9"), method="fixed"),
}
Votes = Callable[[str, int], bool]
"""Whether the vote of this number on a question is yes."""


class Open:
    """A poll in memory, on whose questions strangers vote."""

    def __init__(self, chosen: Plan, terms: Terms = TERMS) -> None:
        self.polls = Polls(Memory())
        self.polls.create("poll", chosen, terms=terms, key=KEY)
        self._numbers = count()

    def stranger(self) -> str:
        name = f"{next(self._numbers):016x}"
        seat(self.polls, "poll", name)
        return name

    def questions(self) -> dict[str, dict[str, int]]:
        return {each["id"]: each for each in self.polls.status("poll")["questions"]}

    def vote(self, id: str, yes: bool) -> str:
        person = self.stranger()
        self.polls.vote("poll", person, id, yes)
        return person

    def open(self) -> list[str]:
        """The questions that take votes now: what a stranger is given, by its id."""
        sheet = self.polls.sheet("poll", self.stranger())
        return [each.id for each in sheet.ballots]

    @property
    def search(self) -> Search:
        return self.polls.search("poll")

    @property
    def done(self) -> bool:
        return self.polls.standing("poll")[0] == "done"


def hiding(chosen: Plan) -> Open:
    """Answer a poll up to its first round with questions whose samples grow."""
    held = Open(chosen)
    while not held.search.hidden:
        for id in held.open():
            for _ in range(5):
                held.vote(id, True)
    return held


@pytest.mark.parametrize(
    "name",
    ["one", *(pytest.param(each, marks=pytest.mark.long) for each in PLANS if each != "one")],
)
def test_a_poll_closes_what_a_search_says_and_all_copies_at_once(name: str) -> None:
    """Every full batch of every question is compared with `Search.decided` by hand."""
    random, held = Random(3), Open(PLANS[name])
    grown = 0
    while not held.done:
        search = held.search
        copies = {each.id: group for group in search.copies for each in group}
        yes = dict.fromkeys((each.id for each in search.current), 0)
        votes, batch = dict(yes), dict(yes)
        closed = set[str]()
        while len(closed) < len(yes) and held.polls.standing("poll")[1] == search.round:
            before = held.questions()
            id = random.choice([each for each in held.open() if not before[each]["closed"]])
            said = random.random() < 0.6
            held.vote(id, said)
            votes[id], yes[id] = votes[id] + 1, yes[id] + said
            if id not in copies:
                if votes[id] == 5:
                    closed.add(id)
                continue
            group = [each.id for each in copies[id]]
            size = SAMPLE.size(batch[id])
            assert before[id]["wanted"] == size
            if any(votes[each] < size for each in group):
                continue
            if search.decided(SAMPLE, batch[id], {each: yes[each] for each in group}):
                closed |= set(group)
            else:
                batch |= dict.fromkeys(group, batch[id] + 1)
                grown += 1
                now = held.questions()
                assert not any(now[each]["closed"] for each in group)
                assert {now[each]["wanted"] for each in group} == {SAMPLE.size(batch[id])}
        for id in yes:
            assert held.search.told(id) == (2 * yes[id] > votes[id])
            assert votes[id] in (SAMPLE.sizes if id in copies else (5,))
    assert grown
    assert held.polls.status("poll")["standing"] == "done"


def test_copies_are_those_with_one_followed_copy_and_in_the_order_of_asking() -> None:
    for chosen in PLANS.values():
        search = hiding(chosen).search
        ids = [each.id for each in search.hidden]
        assert sorted(each.id for group in search.copies for each in group) == sorted(ids)
        full = dict.fromkeys(ids, 3)
        for group in search.copies:
            torn = {each.id: 2 for each in group}
            stopped = set(search.decided(SAMPLE, 0, full | torn))
            assert stopped == set(ids) - set(torn)
            assert [each.id for each in group] == [id for id in ids if id in torn]
        assert [group[0].id for group in search.copies] == [
            id for id in ids if id in {group[0].id for group in search.copies}
        ]
    assert Search(PLANS["one"]).copies == ()


def test_a_vote_stands_once_its_batch_is_full() -> None:
    """It is shown as closed, the same again is accepted, and another one is refused."""
    held = hiding(PLANS["one"])
    (group,) = held.search.copies
    first, *others = (each.id for each in group)
    early = held.vote(first, True)
    held.polls.vote("poll", early, first, False)  # its batch is not full
    assert [
        each.closed for each in held.polls.sheet("poll", early).ballots if each.vote is False
    ] == [False]
    held.vote(first, True)
    held.vote(first, True)
    assert first not in held.open()  # full, and waits for its copies
    with pytest.raises(NotOpen, match="has its votes"):
        held.vote(first, True)
    with pytest.raises(NotOpen, match="has its votes"):
        held.polls.vote("poll", early, first, True)
    for other in others:
        for yes in (True, True, False):
            held.vote(other, yes)
    assert held.polls.batch("poll") == 1
    assert first in held.open()  # all were torn, so whichever is followed wants more
    (own,) = (each for each in held.polls.sheet("poll", early).ballots if each.vote is not None)
    assert (own.id, own.vote, own.closed) == (first, False, True)
    held.polls.vote("poll", early, first, False)
    with pytest.raises(NotOpen, match=r"your vote on question q[0-9.]+ stands"):
        held.polls.vote("poll", early, first, True)
    assert held.questions()[first]["yes"] + held.questions()[first]["no"] == 3


def test_what_a_respondent_receives_says_nothing_of_the_votes_of_decoys() -> None:
    """All votes on copies that are not followed turned round: same sheets, batches and lengths."""

    def received(decoys: bool) -> list[object]:
        held, random, log = Open(PLANS["one"]), Random(5), list[object]()
        watcher = held.stranger()
        while not held.done:
            search = held.search
            own = set(search._course.followed().values())
            for id in held.open():
                said = random.random() < 0.7  # drawn in both, or they would part ways
                column = int(id.partition(".")[2])
                hidden = id in {each.id for each in search.hidden}
                held.vote(id, decoys if hidden and column not in own else said)
                log += [held.polls.sheet("poll", watcher), held.polls.standing("poll")]
                log += [held.polls.batch("poll"), held.polls.stamp("poll")]
        answers.append(tuple(each.answer for each in held.search.history))
        return log

    answers: list[tuple[object, ...]] = []
    assert received(True) == received(False)
    assert answers[0] != answers[1]


def test_a_lease_takes_a_seat_of_the_batch() -> None:
    held = Open(PLANS["one"], replace(TERMS, lease=60))
    while not held.search.hidden:
        (id, *_) = (
            each["id"] for each in held.polls.status("poll")["questions"] if not each["closed"]
        )
        held.vote(id, True)
    (group,) = held.search.copies
    people = [held.stranger() for _ in range(4)]
    sheets = [held.polls.sheet("poll", each).ballots for each in people]
    assert [len(each) for each in sheets] == [len(group)] * 3 + [0]  # three seats each
    with pytest.raises(NotOpen, match="reserved for others"):
        held.polls.vote("poll", people[3], group[0].id, True)


def test_a_search_that_was_begun_elsewhere_grows_no_sample_whose_copy_has_an_answer() -> None:
    search = hiding(PLANS["one"]).search
    (group,) = search.copies
    search.tell(group[0].id, True)
    held = Open(PLANS["one"])
    held.polls.take_in("other", search, terms=TERMS)
    (rest,) = (each for each in held.polls.status("other")["questions"] if not each["closed"])
    assert rest["wanted"] == 5
    fresh = Polls(Memory())
    fresh.take_in("other", hiding(PLANS["one"]).search, terms=TERMS)
    assert {each["wanted"] for each in fresh.status("other")["questions"]} == {3}


def test_terms() -> None:
    assert Terms.from_dict(TERMS.to_dict()) == TERMS
    assert "growing" not in Terms(quorum=3).to_dict()  # as servers before this version read them
    with pytest.raises(InvalidValue, match="give a quorum too"):
        Terms(growing=SAMPLE)
    with pytest.raises(
        InvalidValue, match=r"growing = 3 \+ 2 x 2: has fewer votes than the quorum of 9"
    ):
        Terms(quorum=9, growing=SAMPLE)
    with pytest.raises(WrongType, match="must be a GrowingSample"):
        Terms(quorum=3, growing=SAMPLE.__dict__)  # type: ignore[arg-type]
    with pytest.raises(InvalidValue, match="this plan has none under noise"):
        TERMS.check(plan(Problem("1/64", "1/8", 2)))


def test_samples_of_a_fixed_size_under_noise() -> None:
    """A quorum of three under noise: each answer is the majority of a sample of three."""
    held = Open(PLANS["one"], Terms(quorum=3))
    (first, *_) = held.open()
    for yes in (True, False, False):
        held.vote(first, yes)
    assert held.search.told(first) is False
    assert Fraction(held.search.query(first).value) > 10
