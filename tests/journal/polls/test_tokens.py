"""Tokens and sessions: one token is good at a time, and none outlives its person or its poll."""

import json
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TypeVar, cast

import pytest
from tests.support.clocks import Clock
from tests.support.journals import KEY, PLAN
from tests.support.lockstep import Lockstep, in_lockstep

from feint.errors import InvalidValue, NotAllowed
from feint.interfaces import OFFICE
from feint.journal import SQL, Memory
from feint.journal.memory import MemoryTransaction
from feint.journal.polls import Caller, Polls, Terms, bucket, read_credential
from feint.journal.polls.credentials import draw_session, draw_token, hashed
from feint.journal.sealing import Seal

T = TypeVar("T")
SAVED = Path(__file__).parent / "saved"
ONE = Terms(quorum=1)
HOUR = 3600.0


@pytest.fixture
def polls(clock: Clock) -> Polls:
    made = Polls(Memory(), clock=clock)
    made.create("poll", PLAN, terms=ONE)
    return made


def lets_in(polls: Polls, token: str) -> bool:
    try:
        polls.tokens.caller(token)
    except NotAllowed:
        return False
    return True


def live(polls: Polls, *tokens: str) -> int:
    return sum(lets_in(polls, token) for token in tokens)


@contextmanager
def workers(url: str, count: int = 2) -> Iterator[list[Polls]]:
    """Several workers on one database, with a poll."""
    stores = [Lockstep(url, key=KEY) for _ in range(count)]
    found = [Polls(store) for store in stores]
    found[0].delete("poll")
    found[0].create("poll", PLAN, terms=ONE)
    try:
        yield found
    finally:
        found[0].delete("poll")
        for store in stores:
            store.close()


def at_once(polls: list[Polls], work: Callable[[Polls], T]) -> list[T]:
    """What a call in every worker gives, step by step beside the others."""
    stores = [cast(Lockstep, each._store) for each in polls]
    return in_lockstep(stores, lambda number: work(polls[number]))


def pairs_of_invitations(url: str, count: int) -> None:
    """Send each invitation twice at once: one token is good, and none after revocation."""
    with workers(url) as both:
        for number in range(count):
            made = at_once(both, partial(Polls.invite, name="poll", id=str(number)))
            (person, first), (again, second) = made
            assert person == again
            assert live(both[0], first, second) == live(both[1], first, second) == 1
            both[number % 2].revoke("poll", person)
            assert live(both[0], first, second) == live(both[1], first, second) == 0


def test_an_invitation_that_is_sent_twice_at_once_leaves_one_token(url: str) -> None:
    pairs_of_invitations(url, 20)


@pytest.mark.long
def test_of_500_invitations_that_are_sent_twice_at_once_none_outlives_revocation(url: str) -> None:
    pairs_of_invitations(url, 500)


def test_renewals_at_once_leave_one_token(url: str) -> None:
    with workers(url) as both:
        for _ in range(10):
            person, old = both[0].invite("poll")
            fresh = at_once(both, partial(Polls.renew, name="poll", person=person))
            assert live(both[0], old, *fresh) == 1
            both[1].revoke("poll", person)
            assert live(both[0], old, *fresh) == 0


def test_of_several_who_are_called_alike_at_once_one_is_invited(url: str) -> None:
    def invite(polls: Polls, label: str) -> bool:
        try:
            polls.invite("poll", label=label)
        except InvalidValue:
            return False
        return True

    with workers(url, 4) as all_four:
        for number in range(10):
            invited = at_once(all_four, partial(invite, label=f"anna {number}"))
            assert sum(invited) == 1
        labels = list(all_four[0].respondents("poll").values())
        assert len(set(labels)) == len(labels) == 10


def test_joining_at_once_keeps_to_the_quota(url: str) -> None:
    def join(polls: Polls, link: Caller) -> bool:
        try:
            polls.join(link)
        except NotAllowed:
            return False
        return True

    with workers(url, 4) as all_four:
        link = all_four[0].tokens.caller(all_four[0].link("poll", quota=2)[1])
        assert sum(at_once(all_four, partial(join, link=link))) == 2
        assert len(all_four[0].respondents("poll")) == 2


def test_a_token_ends_with_its_poll_also_if_another_has_its_name(url: str) -> None:
    """Even if the same people are invited to it, under the same keys."""
    with workers(url) as both:
        before = [both[0].invite("poll", id="anna")[1], both[0].link("poll", quota=3)[1]]
        before += [both[0].tokens.sit(before[0], lasts=HOUR)[1]]
        assert live(both[1], *before) == 3
        both[0].delete("poll")
        assert live(both[1], *before) == 0
        both[0].create("poll", PLAN, terms=ONE)
        _, fresh = both[0].invite("poll", id="anna")
        for polls in both:
            assert live(polls, *before) == 0
            assert lets_in(polls, fresh)


def test_a_token_that_no_row_records_lets_nobody_in(polls: Polls) -> None:
    """As two requests at once left it: the office knows it, and the poll another."""
    person, _ = polls.invite("poll", label="anna")
    legacy = earlier_token(polls, "respondent", person)
    assert lets_in(polls, legacy)
    stray = secrets.token_urlsafe(32)
    with polls._store.transaction(OFFICE) as held:
        full = sha256(stray.encode()).hexdigest()
        row = {"hash": full, "role": "respondent", "search": "poll", "person": person}
        held.put("token", full[:32], row)
        owner = {"hash": full, "role": "owner", "search": None, "person": None}
        assert not lets_in(polls, stray)
        held.put("token", full[:32], owner)  # somebody put a revoked row back
    assert not lets_in(polls, stray)


def earlier_token(polls: Polls, role: str, id: str) -> str:
    """A token as earlier versions recorded it: in the office, by half of its hash in the poll."""
    token = secrets.token_urlsafe(32)
    full = sha256(token.encode()).hexdigest()
    with polls._store.transaction(OFFICE) as held:
        row = {"hash": full, "role": role, "search": "poll", "person": id}
        held.put("token", full[:32], row)
    kind = "person" if role == "respondent" else "link"
    with polls._store.transaction("poll") as held:
        old = held.get(kind, id)
        assert old is not None
        old.pop("hash", None)
        held.put(kind, id, old | {"token": full[:32]})
    return token


@pytest.mark.parametrize("end", ["renew", "revoke", "delete"])
def test_a_token_of_an_earlier_version_is_good_until_it_is_replaced(end: str, polls: Polls) -> None:
    person, _ = polls.invite("poll")
    old = earlier_token(polls, "respondent", person)
    caller, session = polls.tokens.sit(old, lasts=HOUR)
    assert caller == polls.tokens.caller(session) == polls.tokens.caller(old)
    if end == "renew":
        assert lets_in(polls, polls.renew("poll", person))
    elif end == "revoke":
        polls.revoke("poll", person)
    else:
        polls.delete("poll")
    assert live(polls, old, session) == 0
    with polls._store.reading(OFFICE) as held:
        assert held.rows("token") == {}  # nothing of it is left behind


@pytest.mark.parametrize("name", sorted(each.stem for each in SAVED.glob("*.db")))
def test_a_stored_poll_lets_its_people_in(name: str, tmp_path: Path) -> None:
    shutil.copy(SAVED / f"{name}.db", tmp_path / "journal.db")
    saved = json.loads((SAVED / f"{name}.json").read_text())
    store = SQL(f"sqlite:///{tmp_path}/journal.db", key=KEY)
    polls = Polls(store)
    person = saved["person"]
    anna = Caller(role="respondent", search="price", person=person)
    assert polls.tokens.caller(saved["respondent"]) == anna
    assert polls.tokens.caller(saved["owner"]) == Caller(role="owner")
    link = polls.tokens.caller(saved["open link"])
    assert link == Caller(role="link", search="price", person=saved["link"])
    assert not lets_in(polls, saved["revoked"])
    assert lets_in(polls, polls.join(link)[1])
    polls.vote("price", person, polls.open("price")[0].id, True)
    fresh = polls.renew("price", person)
    assert live(polls, saved["respondent"], fresh) == 1
    polls.revoke("price", saved["link"])
    assert not lets_in(polls, saved["open link"])
    assert polls.tokens.own(again=True) is not None
    assert not lets_in(polls, saved["owner"])
    store.close()


def test_nobody_votes_once_they_are_revoked(polls: Polls) -> None:
    """Also whose token was looked at a moment before."""
    person, token = polls.invite("poll")
    caller = polls.tokens.caller(token)
    polls.revoke("poll", person)
    with pytest.raises(NotAllowed):
        polls.vote("poll", str(caller.person), polls.open("poll")[0].id, True)


def test_issuing_a_token_writes_in_its_poll_alone() -> None:
    """Nor is the office locked for it: invitations to two polls never wait for each other."""
    written: list[str] = []

    class Watched(Memory):
        @contextmanager
        def transaction(self, name: str) -> Iterator[MemoryTransaction]:
            written.append(name)
            with super().transaction(name) as held:
                yield held

    polls = Polls(Watched())
    polls.create("poll", PLAN, terms=ONE)
    person, token = polls.invite("poll", label="anna", id="anna")
    polls.renew("poll", person)
    _, link = polls.link("poll", quota=1)
    _, token = polls.join(polls.tokens.caller(link))
    _, session = polls.tokens.sit(token, lasts=HOUR)
    polls.tokens.leave(session)
    polls.revoke("poll", person)
    assert set(written) == {"poll"}
    assert len(written) == 7  # one transaction each


def test_a_token_is_read_by_one_look_into_its_poll() -> None:
    looked: list[str] = []

    class Watched(Memory):
        @contextmanager
        def reading(self, name: str) -> Iterator[MemoryTransaction]:
            looked.append(name)
            with super().reading(name) as held:
                yield held

    polls = Polls(Watched())
    polls.create("poll", PLAN, terms=ONE)
    _, token = polls.invite("poll")
    _, session = polls.tokens.sit(token, lasts=HOUR)
    looked.clear()
    polls.tokens.caller(token)
    polls.tokens.caller(session)
    assert looked == ["poll", "poll"]


def test_a_token_with_other_bits_lets_nobody_in(polls: Polls) -> None:
    """Neither its address nor its secret can be changed, and a session is no token."""
    polls.create("other", PLAN, terms=ONE)
    person, token = polls.invite("poll")
    _, session = polls.tokens.sit(token, lasts=HOUR)
    for text in (token, session):
        assert lets_in(polls, text)
        for place in range(len(text)):
            other = "A" if text[place] != "A" else "B"
            assert not lets_in(polls, text[:place] + other + text[place + 1 :])
        assert live(polls, text + "=", text + " ", text[:-1], text + "A") == 0
    elsewhere = draw_token("respondent", polls._store.locator("other"), person)
    nobody = draw_token("respondent", polls._store.locator("none"), person)
    of_link = draw_token("link", polls._store.locator("poll"), person)
    office = draw_token("respondent", polls._store.locator(OFFICE), person)
    assert live(polls, elsewhere, nobody, of_link, office, draw_session("x")) == 0


def test_what_a_token_says_is_not_the_polls_name(polls: Polls) -> None:
    _, token = polls.invite("poll")
    _, session = polls.tokens.sit(token, lasts=HOUR)
    for text in (token, session):
        found = read_credential(text)
        assert found is not None
        assert b"poll".hex() not in found.locator.hex()
    assert (len(token), len(session)) == (76, 88)


def test_a_respondents_session_ends_with_the_token_the_person_or_itself(polls: Polls) -> None:
    person, token = polls.invite("poll", id="anna")
    caller, first = polls.tokens.sit(token, lasts=HOUR)
    _, second = polls.tokens.sit(token, lasts=HOUR)
    assert polls.tokens.caller(first) == caller == polls.tokens.caller(token)
    assert first not in (second, token)
    roll = polls.roll("poll")
    polls.tokens.leave(first)
    assert (live(polls, first), live(polls, second, token)) == (0, 2)
    assert polls.roll("poll") != roll
    token = polls.renew("poll", person)
    assert (live(polls, second), live(polls, token)) == (0, 1)
    _, third = polls.tokens.sit(token, lasts=HOUR)
    _, token = polls.invite("poll", id="anna")  # the same request again
    assert (live(polls, third), live(polls, token)) == (0, 1)
    _, fourth = polls.tokens.sit(token, lasts=HOUR)
    polls.revoke("poll", person)
    assert live(polls, fourth, token) == 0
    with polls._store.reading("poll") as held:
        assert held.count("session") == 0


def test_a_respondents_session_lasts_as_long_as_the_poll(polls: Polls, clock: Clock) -> None:
    _, token = polls.invite("poll")
    _, session = polls.tokens.sit(token, lasts=HOUR)
    clock.now += 10 * 365 * 24 * HOUR
    assert polls.tokens.caller(session) == polls.tokens.caller(token)


def test_an_owners_session_ends_after_its_time(polls: Polls, clock: Clock) -> None:
    owner = str(polls.tokens.own())
    caller, session = polls.tokens.sit(owner, lasts=HOUR)
    assert caller == polls.tokens.caller(session) == Caller(role="owner", until=clock.now + HOUR)
    clock.now += HOUR - 1
    assert lets_in(polls, session)
    clock.now += 1
    assert not lets_in(polls, session)
    assert lets_in(polls, owner)


def test_a_session_is_no_token_to_begin_another_by(polls: Polls) -> None:
    """Or it would never end."""
    for token in (str(polls.tokens.own()), polls.invite("poll")[1]):
        _, session = polls.tokens.sit(token, lasts=HOUR)
        with pytest.raises(NotAllowed):
            polls.tokens.sit(session, lasts=HOUR)
    with pytest.raises(NotAllowed):
        polls.tokens.sit(polls.link("poll", quota=1)[1], lasts=HOUR)


def test_a_new_owners_token_ends_every_session_of_the_old_one(url: str) -> None:
    """Also in other processes, and though somebody put a session back."""
    with workers(url) as (here, elsewhere):
        owner = str(here.tokens.own(again=True))
        sessions = [here.tokens.sit(owner, lasts=HOUR)[1] for _ in range(3)]
        assert live(elsewhere, *sessions) == 3
        here.tokens.leave(sessions[0])
        assert live(elsewhere, *sessions) == 2
        with here._store.reading(OFFICE) as held:
            kept = held.rows("session")
        roll = here.tokens.roll()
        fresh = str(elsewhere.tokens.own(again=True))
        assert here.tokens.roll() != roll
        assert live(here, owner, *sessions) == 0
        with here._store.transaction(OFFICE) as held:
            assert held.rows("session") == {}
            for key, row in kept.items():
                held.put("session", key, row)
        assert live(here, *sessions) == 0
        assert lets_in(here, fresh)
        elsewhere.tokens.own(again=True)


def test_sessions_do_not_pile_up(polls: Polls, clock: Clock) -> None:
    """Of too many the oldest ends."""
    for token, name in ((str(polls.tokens.own()), OFFICE), (polls.invite("poll")[1], "poll")):
        sessions = []
        for _ in range(40):
            clock.now += 1
            sessions.append(polls.tokens.sit(token, lasts=HOUR)[1])
        assert [lets_in(polls, each) for each in sessions] == [False] * 8 + [True] * 32
        with polls._store.reading(name) as held:
            assert held.count("session") == 32


def test_a_session_cannot_be_begun_once_the_token_has_ended() -> None:
    """Also if it ends between the look at the token and the session."""

    class Late(Memory):
        @contextmanager
        def transaction(self, name: str) -> Iterator[MemoryTransaction]:
            for each in meanwhile:
                meanwhile.remove(each)
                each()
            with super().transaction(name) as held:
                yield held

    meanwhile: list[Callable[[], object]] = []
    polls = Polls(Late())
    polls.create("poll", PLAN, terms=ONE)
    person, token = polls.invite("poll")
    owner = str(polls.tokens.own())
    for secret, end in (
        (token, lambda: polls.revoke("poll", person)),
        (owner, lambda: polls.tokens.own(again=True)),
    ):
        meanwhile.append(end)
        with pytest.raises(NotAllowed):
            polls.tokens.sit(secret, lasts=HOUR)


def test_a_token_and_its_sessions_are_counted_as_one(polls: Polls) -> None:
    names = set()
    for token in (str(polls.tokens.own()), polls.invite("poll")[1], polls.invite("poll")[1]):
        sessions = [polls.tokens.sit(token, lasts=HOUR)[1] for _ in range(2)]
        assert {bucket(each) for each in (token, *sessions)} == {bucket(token)}
        assert hashed(token).startswith(bucket(token))
        names.add(bucket(token))
    assert len(names) == 3
    assert bucket("\ud800") != bucket("")


def test_an_invitation_opens_as_many_rows_however_many_respondents_there_are(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    polls = Polls(SQL(url, key=KEY))
    polls.delete("many")
    polls.create("many", PLAN, terms=Terms(quorum=3))
    opened, counts, opening = list[str](), list[int](), Seal.open

    def counted(self: Seal, sealed: bytes, *, about: str) -> bytes:
        opened.append(about)
        return opening(self, sealed, about=about)

    monkeypatch.setattr(Seal, "open", counted)
    people = []
    for number in range(12):
        opened.clear()
        people.append(polls.invite("many", label=f"person {number}")[0])
        counts.append(len(opened))
    assert len(set(counts[1:])) == 1
    with pytest.raises(InvalidValue, match="has this name already"):
        polls.invite("many", label="person 3")
    polls.revoke("many", people[3])
    again, _ = polls.invite("many", label="person 3")
    assert again not in people
    with pytest.raises(InvalidValue, match="has this name already"):
        polls.invite("many", label="person 3")
    assert len(polls.respondents("many")) == 12
    polls.delete("many")
