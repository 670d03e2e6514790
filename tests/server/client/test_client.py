"""The clients: a search on a server is asked and told like one's own, and nothing counts twice."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import httpx
import pytest
from tests.support.journals import NUMBER, PLAN
from tests.support.servers import PROBLEM, Served, served

from feint import Search
from feint.errors import (
    AnswerFixed,
    InvalidValue,
    NameTaken,
    NotAllowed,
    NotDone,
    NotOpen,
    SearchDone,
    Unavailable,
    UnknownSearch,
)
from feint.journal.polls import Terms
from feint.search import finish
from feint.server.client import AsyncClient, AsyncRespondent, Client, Respondent
from feint.server.client.wire import TRIES, refused
from feint.simulate.oracles import Hidden

Send = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as found:
        yield found


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries come one after the other."""
    monkeypatch.setattr("feint.server.client.wire._FIRST", 0.0)
    monkeypatch.setattr("feint.server.client.wire._LONGEST", 0.0)


def sending(server: Served) -> Send:
    """Hand requests to a server in this process."""

    def send(request: httpx.Request) -> httpx.Response:
        answer = server.client.request(
            request.method, str(request.url), headers=request.headers, content=request.read()
        )
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    return send


def client_of(server: Served, token: str | None = None, send: Send | None = None) -> Client:
    transport = httpx.MockTransport(send or sending(server))
    return Client("http://testserver", token or server.owner, transport=transport)


def respondent_of(server: Served, token: str) -> Respondent:
    transport = httpx.MockTransport(sending(server))
    return Respondent("http://testserver", token, transport=transport)


def test_a_search_there_is_like_one_here(server: Served) -> None:
    """The same plan and key: the same questions, errors and result."""
    client, here = client_of(server), Search(PLAN, key=bytes(32))
    there = client.take_in("price", here)
    assert client.names() == ["price"]
    assert [row["name"] for row in client.overview()["searches"]] == ["price"]
    assert client.overview()["restored"] is None
    with pytest.raises(NotDone):
        _ = there.result
    while not here.done:
        queries = here.ask()
        assert there.ask() == queries
        for query in queries:
            there.tell(query.id, query.value <= NUMBER)
            here.tell(query.id, query.value <= NUMBER)
    assert there.done
    assert there.result == here.result
    assert there.export().result == here.result
    with pytest.raises(SearchDone):
        there.ask()
    there.delete()
    with pytest.raises(UnknownSearch, match="there is no search of this name; list"):
        there.ask()


def test_errors_are_those_that_the_server_met(server: Served) -> None:
    client = client_of(server)
    there = client.create("price", PROBLEM)
    with pytest.raises(NameTaken):
        client.create("price", PROBLEM)
    with pytest.raises(InvalidValue, match="no plan of this"):
        raise refused(422, "invalid", "no plan of this")
    for query in there.ask():
        there.tell(query.id, True)
    with pytest.raises(AnswerFixed):
        there.tell("q0.0", False)
    with pytest.raises(NotAllowed):
        client_of(server, "none").names()
    there.pause()
    with pytest.raises(NotOpen, match="paused"):
        there.tell(there.ask()[0].id, True)
    there.resume()
    there.archive()


def test_respondents_vote(server: Served) -> None:
    there = client_of(server).create("price", PROBLEM, terms=Terms(quorum=1))
    _, token = there.invite("anna")
    _, link = there.link(1)
    _, joined = respondent_of(server, link).join()
    anna, other = respondent_of(server, token), respondent_of(server, joined)
    while anna.sheet()["standing"] == "open":
        for ballot in anna.sheet()["ballots"]:
            anna.vote(ballot["id"], ballot["number"] <= NUMBER)
    assert other.sheet()["ballots"] == []
    found = there.result
    assert found.low <= NUMBER <= found.high
    with pytest.raises(NotAllowed):
        respondent_of(server, token).names()


def test_what_was_lost_on_the_way_is_sent_again_and_counts_once(server: Served) -> None:
    """Every answer of the server is lost once, and comes the second time."""
    real, lost, keys = sending(server), set[tuple[str, bytes]](), []

    def send(request: httpx.Request) -> httpx.Response:
        answer = real(request)
        keys.append(request.headers.get("Idempotency-Key"))
        if (what := (str(request.url), request.read())) not in lost:
            lost.add(what)
            raise httpx.ReadError("the connection is gone")
        return answer

    there = client_of(server, send=send).create("price", PROBLEM, terms=Terms(quorum=1))
    assert keys[0] is not None
    assert keys[0] == keys[1]
    person, _ = there.invite()
    assert list(server.polls.respondents("price")) == [person]


@pytest.mark.parametrize("status", [429, 503, None])
def test_who_never_answers_is_asked_a_number_of_times(status: int | None, server: Served) -> None:
    asked = []

    def send(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        if status is None:
            raise httpx.ConnectError("refused")
        return httpx.Response(status, headers={"Retry-After": "0"}, json={})

    with pytest.raises((Unavailable, InvalidValue)):
        client_of(server, send=send).names()
    assert len(asked) == TRIES


def test_no_token_is_in_an_address(server: Served) -> None:
    seen: list[str] = []
    real = sending(server)

    def send(request: httpx.Request) -> httpx.Response:
        seen.append(str(request.url))
        return real(request)

    with client_of(server, send=send) as client:
        client.create("price", PROBLEM).invite()
    assert server.owner not in "".join(seen)


def test_coroutines_do_the_same() -> None:
    """Against the application itself, in one event loop."""

    async def play(server: Served) -> None:
        transport = httpx.ASGITransport(cast(Any, server.client.app))
        async with AsyncClient("http://testserver", server.owner, transport=transport) as client:
            there = await client.take_in("price", Search(PLAN, key=bytes(32)))
            assert await client.names() == ["price"]
            assert [row["name"] for row in (await client.overview())["searches"]] == ["price"]
            while (await there.status())["standing"] == "open":
                for query in await there.ask():
                    await there.tell(query.id, query.value <= NUMBER)
            alone = finish(Search(PLAN, key=bytes(32)), Hidden(NUMBER))
            assert await there.result() == alone == (await there.export()).result
            polled = await client.create("poll", PROBLEM, terms=Terms(quorum=1))
            _, link = await polled.link(1)
            _, token = await polled.invite()
            await AsyncRespondent("http://testserver", link, transport=transport).join()
            voter = AsyncRespondent("http://testserver", token, transport=transport)
            sheet = await voter.sheet()
            await voter.vote(sheet["ballots"][0]["id"], True)
            assert (await polled.status())["respondents"] == 2
            await client.search("poll").delete()

    with served() as server:
        asyncio.run(play(server))


@pytest.mark.parametrize("id", ["q0.0", 'q12.3"ü'])
def test_a_yes_is_sent_at_the_length_of_a_no(id: str) -> None:
    """By both clients, for votes and answers: TLS hides what is sent, and not how long it is."""
    sent = dict[bool, list[bytes]]()

    def took(request: httpx.Request) -> httpx.Response:
        said = json.loads(request.content)
        assert said["id"] == id
        assert request.headers["Content-Type"] == "application/json"
        sent.setdefault(said["yes"], []).append(request.content)
        return httpx.Response(200, json={"ok": True})

    async def both(yes: bool) -> None:
        transport = httpx.MockTransport(took)
        async with AsyncRespondent("http://feint", "t", transport=transport) as person:
            await person.vote(id, yes)
            await person.search("s").tell(id, yes)

    for yes in (True, False):
        with Respondent("http://feint", "t", transport=httpx.MockTransport(took)) as person:
            person.vote(id, yes)
            person.search("s").tell(id, yes)
        asyncio.run(both(yes))
    assert {len(each) for each in sent[True]} == {len(each) for each in sent[False]}
    assert len(sent[True]) == len(sent[False]) == 4
