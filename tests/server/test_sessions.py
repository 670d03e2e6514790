"""Sessions: cookies hold no token, end on the server, and no other site can use them."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.clocks import Clock
from tests.support.journals import KEY
from tests.support.lockstep import Lockstep, in_lockstep
from tests.support.servers import Served, served

from feint.errors import NotAllowed
from feint.journal import SQL
from feint.journal.polls import Polls, read_credential

OURS = {"X-Feint-Request": "1"}
LONG = 60  # seconds, after which a test has failed


@pytest.fixture
def server(clock: Clock) -> Iterator[Served]:
    with served(clock=clock, session=3600, stream_every=0.005) as found:
        yield found


def cookie_of(server: Served, token: str, *, form: bool = False, **more: Any) -> tuple[str, str]:
    """The name and the value of the cookie that a token is exchanged for; the client forgets it."""
    if form:
        made = server.client.post(
            "/answer/code", data={"code": token}, follow_redirects=False, **more
        )
        assert made.status_code == 303
    else:
        made = server.client.post("/api/session", json={"token": token}, **more)
        assert made.status_code == 200
    server.client.cookies.clear()
    name, _, value = made.headers["Set-Cookie"].partition(";")[0].partition("=")
    return name, value


def status(server: Served, path: str, value: str, *, name: str = "feint") -> int:
    headers = {"Cookie": f"{name}={value}"}
    return int(server.client.get(path, headers=headers).status_code)


def test_an_invitation_that_is_posted_twice_at_once_leaves_one_token(url: str) -> None:
    """To two workers, with one Idempotency-Key; none is left once it is revoked."""
    stores = [Lockstep(url, key=KEY) for _ in range(2)]
    stores[0].delete("price")
    with served(store=stores[0]) as first, served(store=stores[1]) as second:
        second.create(quorum=1)
        path, both = "/api/searches/price/respondents", (first, second)
        for number in range(5):
            headers = {"Authorization": f"Bearer {second.owner}", "Idempotency-Key": str(number)}

            def post(worker: int, headers: dict[str, str] = headers) -> dict[str, str]:
                made = both[worker].client.post(path, json={"label": "a"}, headers=headers)
                assert made.status_code == 201
                found: dict[str, str] = made.json()
                return found

            one, other = in_lockstep(stores, post)
            assert one["id"] == other["id"]
            assert sorted(_voter(first, each["token"]) for each in (one, other)) == [200, 401]
            second.ask("DELETE", f"{path}/{one['id']}")
            assert [_voter(first, each["token"]) for each in (one, other)] == [401, 401]
    stores[0].delete("price")
    for store in stores:
        store.close()


def _voter(server: Served, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return int(server.client.get("/api/poll", headers=headers).status_code)


@pytest.mark.parametrize("form", [True, False])
def test_a_cookie_holds_a_session_and_not_the_token(form: bool, server: Served) -> None:
    server.create(quorum=1)
    invited, (_, link) = server.invite(), server.polls.link("price", quota=1)
    for token, name, path in (
        (server.owner, "feint", "/api/overview"),
        (invited, "feint-respondent", "/api/poll"),
        (link, "feint-respondent", "/api/poll"),
    ):
        if token == link and not form:
            continue  # an open link has no session of its own
        found, value = cookie_of(server, token, form=form)
        assert (found, value == token) == (name, False)
        credential = read_credential(value)
        assert credential is not None
        assert credential.is_session
        assert status(server, path, value, name=name) == 200


@pytest.mark.parametrize("role", ["owner", "respondent"])
def test_logging_out_ends_the_session_on_the_server(role: str, server: Served) -> None:
    """Whoever copied the cookie is let in no more; other sessions, and the token, are."""
    server.create(quorum=1)
    token = server.owner if role == "owner" else server.invite()
    path = "/api/overview" if role == "owner" else "/api/poll"
    (name, first), (_, second) = cookie_of(server, token), cookie_of(server, token)
    assert status(server, path, first, name=name) == status(server, path, second, name=name) == 200
    gone = server.client.delete("/api/session", headers={"Cookie": f"{name}={first}"})
    assert gone.status_code == 200
    assert f'{name}=""' in gone.headers["Set-Cookie"] or "Max-Age=0" in gone.headers["Set-Cookie"]
    assert status(server, path, first, name=name) == 401
    assert status(server, path, second, name=name) == 200
    server.ask("GET", path, token=token)


def test_logging_out_with_what_is_no_session_changes_nothing(server: Served) -> None:
    server.create(quorum=1)
    token = server.invite()
    for value in (token, "none", "\x7f"):
        headers = {"Cookie": f"feint-respondent={value}"}
        assert server.client.delete("/api/session", headers=headers).status_code == 200
    server.ask("GET", "/api/poll", token=token)


def test_an_owners_session_ends_after_the_time_that_is_set(server: Served, clock: Clock) -> None:
    _, value = cookie_of(server, server.owner)
    clock.now += 3599
    assert status(server, "/api/overview", value) == 200
    clock.now += 1
    assert status(server, "/api/overview", value) == 401
    page = server.client.get("/searches", headers={"Cookie": f"feint={value}"})
    assert 'data-owner="no"' in page.text
    server.ask("GET", "/api/overview")


def test_a_session_is_no_token_for_another(server: Served) -> None:
    _, value = cookie_of(server, server.owner)
    assert server.client.post("/api/session", json={"token": value}).status_code in (401, 403)
    made = server.client.post("/answer/code", data={"code": value}, follow_redirects=False)
    assert made.status_code == 403


@contextmanager
def watching(
    server: Served, path: str, *credentials: dict[str, str]
) -> Iterator[list[Future[httpx.Response]]]:
    """Streams that are open and wait for news; at the end of the block the poll is deleted."""
    state = server.client.app.state  # type: ignore[attr-defined]
    streams = state.streams if path.endswith("/stream") else state.watching
    with ThreadPoolExecutor(len(credentials)) as pool:
        found = [pool.submit(server.client.get, path, headers=each) for each in credentials]
        try:
            while not _entered(streams, len(credentials)):
                assert not any(each.done() for each in found)
                time.sleep(0.001)
            yield found
        finally:
            server.polls.delete("price")  # or a test that fails would wait for them


def _entered(streams: Any, count: int) -> bool:
    """Whether so many streams were let in, have said the first news, and wait for the next."""
    return any(len(each.changed._waiters) == count for each in list(streams._watched.values()))


def watched(server: Served, path: str, headers: dict[str, str], end: Callable[[], object]) -> int:
    """The status of a stream that was open, once what lets it in has ended."""
    with watching(server, path, headers) as (stream,):
        assert not stream.done()
        end()
        answer = stream.result(LONG)
    return int(answer.status_code)


@pytest.mark.parametrize("path", ["/api/searches/price/stream", "/api/searches/price/watch"])
@pytest.mark.parametrize("by", ["token", "session"])
def test_streams_end_with_a_new_owners_token(by: str, path: str, url: str) -> None:
    """While nothing happens in the poll; the token is made in another process."""
    store, other = SQL(url, key=KEY), SQL(url, key=KEY)
    store.delete("price")
    with served(store=store, stream_every=0.005) as server:
        server.create(quorum=1)
        headers = {"Authorization": f"Bearer {server.owner}"}
        if by == "session":
            headers = {"Cookie": f"feint={cookie_of(server, server.owner)[1]}"}
        elsewhere = Polls(other)
        assert watched(server, path, headers, lambda: elsewhere.tokens.own(again=True)) == 200
        assert server.client.get(path, headers=headers).status_code == 401
    store.delete("price")
    for each in (store, other):
        each.close()


@pytest.mark.parametrize("how", ["time", "leave"])
def test_an_owners_stream_ends_with_its_session(how: str, server: Served, clock: Clock) -> None:
    server.create(quorum=1)
    headers = {"Cookie": f"feint={cookie_of(server, server.owner)[1]}"}

    def end() -> None:
        if how == "time":
            clock.now += 3600
        else:
            server.client.delete("/api/session", headers=headers)

    assert watched(server, "/api/searches/price/watch", headers, end) == 200


@pytest.mark.parametrize("how", ["leave", "renew", "revoke"])
def test_a_respondents_stream_ends_with_its_session(how: str, server: Served) -> None:
    server.create(quorum=1)
    person, token = server.polls.invite("price")
    name, value = cookie_of(server, token)
    headers = {"Cookie": f"{name}={value}"}

    def end() -> None:
        if how == "leave":
            server.client.delete("/api/session", headers=headers)
        elif how == "renew":
            server.polls.renew("price", person)
        else:
            server.polls.revoke("price", person)

    assert watched(server, "/api/poll/stream", headers, end) == 200


def test_who_stays_watches_on_when_anothers_session_ends(server: Served, clock: Clock) -> None:
    """An owner who watches by the token goes on, and so does one whose session is younger."""
    server.create(quorum=1)
    first = {"Cookie": f"feint={cookie_of(server, server.owner)[1]}"}
    clock.now += 1800
    second = {"Cookie": f"feint={cookie_of(server, server.owner)[1]}"}
    bearer = {"Authorization": f"Bearer {server.owner}"}
    with watching(server, "/api/searches/price/watch", first, second, bearer) as streams:
        for number in range(2):
            clock.now += 1800
            assert streams[number].result(LONG).status_code == 200
            assert not any(each.done() for each in streams[number + 1 :])


def test_cookies_are_of_this_host_alone_on_https(server: Served, clock: Clock) -> None:
    """Over plain HTTP, as on a local network, browsers take no such cookie: it has its old name."""
    server.create(quorum=1)
    token = server.invite()
    made = server.client.post("/api/session", json={"token": token})
    parts = made.headers["Set-Cookie"].split("; ")
    assert parts[0].startswith("feint-respondent=")
    assert "Secure" not in parts
    assert not any(part.lower().startswith("domain") for part in parts)
    with served(store=server.polls._store, base_url="https://feint.example") as tls:
        for secret, name in ((token, "feint-respondent"), (tls.owner, "feint")):
            made = tls.client.post("/api/session", json={"token": secret})
            parts = made.headers["Set-Cookie"].split("; ")
            assert parts[0].startswith(f"__Host-{name}=")
            assert {"Secure", "HttpOnly", "Path=/", "SameSite=strict"} <= set(parts)
            assert not any(part.lower().startswith("domain") for part in parts)
        assert tls.client.get("/api/poll").status_code == 200
        assert tls.client.get("/api/overview").status_code == 200
        tls.client.delete("/api/session")
        assert len(tls.client.cookies) == 0
        assert tls.client.get("/api/poll").status_code == 401


def test_on_https_a_cookie_that_another_host_may_have_set_is_none(server: Served) -> None:
    """But for one of an earlier version, which is exchanged."""
    server.create(quorum=1)
    token = server.invite()
    name, session = cookie_of(server, token)
    with served(store=server.polls._store, base_url="https://feint.example") as tls:
        for value in (token, session):
            assert status(tls, "/api/poll", value, name=name) == 401
            assert status(tls, "/api/poll", value, name=f"__Host-{name}") == 200
        page = tls.client.get("/searches", headers={"Cookie": f"feint={tls.owner}"})
        assert 'data-owner="yes"' in page.text
        held = page.headers.get_list("Set-Cookie")
        assert [each.partition("=")[0] for each in held] == ["__Host-feint", "feint"]
        assert "Max-Age=0" in held[1]
        assert tls.owner not in "".join(held)


def test_a_cookie_that_holds_a_token_is_exchanged_by_the_page(server: Served) -> None:
    """As earlier versions set it: it is let in, and the page gives a session for it."""
    server.create(quorum=1)
    token = server.invite()
    for name, value, page in (
        ("feint-respondent", token, "/answer"),
        ("feint", token, "/answer"),
        ("feint", server.owner, "/searches"),
    ):
        server.client.cookies.clear()
        shown = server.client.get(page, headers={"Cookie": f"{name}={value}"})
        assert shown.status_code == 200
        exchanged = shown.headers["Set-Cookie"].partition(";")[0].partition("=")
        role = "feint" if value == server.owner else "feint-respondent"
        assert exchanged[0] == role
        assert exchanged[2] != value
        path = "/api/overview" if value == server.owner else "/api/poll"
        assert status(server, path, exchanged[2], name=role) == 200
        again = server.client.get(page, headers={"Cookie": f"{role}={exchanged[2]}"})
        assert "Set-Cookie" not in again.headers


OTHERS = (
    {"Origin": "http://other.example"},
    {"Origin": "https://testserver"},  # of another scheme
    {"Origin": "http://testserver:8080"},
    {"Origin": "http://testserver.other.example"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "http://other.example", "Sec-Fetch-Site": "same-origin"},
)


@pytest.mark.parametrize("other", OTHERS)
def test_nothing_of_another_site_is_taken(other: dict[str, str], server: Served) -> None:
    """Forms, sessions, and whatever writes by a cookie."""
    server.create(quorum=1)
    token = server.invite()
    name, session = cookie_of(server, token)
    _, owners = cookie_of(server, server.owner)
    both = f"{name}={session}; feint={owners}"
    question = server.polls.open("price")[0].id
    vote = {"id": question, "yes": True}
    form = {"id": question, "yes": "1", "code": token}
    ours = {"Origin": "http://testserver", "Sec-Fetch-Site": "same-origin"}
    sent: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("POST", "/answer/code", {"data": form}),
        ("POST", "/answer/vote", {"data": form}),
        ("POST", "/api/session", {"json": {"token": token}}),
        ("POST", "/api/poll/votes", {"json": vote}),
        ("POST", "/api/searches/price/pause", {}),
        ("DELETE", "/api/session", {}),
    )
    for method, path, body in sent:
        headers = {"Cookie": both} | OURS | other
        refused = server.client.request(
            method, path, headers=headers, follow_redirects=False, **body
        )
        assert refused.status_code in (401, 403), (method, path)
        assert "Set-Cookie" not in refused.headers
    assert server.polls.status("price")["questions"][0]["yes"] == 0
    assert server.polls.standing("price")[0] == "open"
    for method, path, body in sent:
        headers = {"Cookie": both} | OURS | ours
        taken = server.client.request(method, path, headers=headers, follow_redirects=False, **body)
        assert taken.status_code in (200, 303), (method, path)


def test_behind_a_proxy_its_word_about_scheme_and_host_counts() -> None:
    """The scheme is uvicorn's to read; a proxy that rewrites Host says which it was."""
    with served(base_url="https://127.0.0.1:8000") as server:
        server.create(quorum=1)
        token = {"token": server.invite()}
        origin = {"Origin": "https://feint.example"}
        assert server.client.post("/api/session", json=token, headers=origin).status_code == 401
        for passed in ({"Host": "feint.example"}, {"X-Forwarded-Host": "feint.example"}):
            headers = origin | passed
            assert server.client.post("/api/session", json=token, headers=headers).is_success


def test_a_program_with_a_token_is_of_no_site(server: Served) -> None:
    headers = {"Authorization": f"Bearer {server.owner}", "Origin": "http://other.example"}
    server.create(quorum=1)
    assert server.client.post("/api/searches/price/pause", headers=headers).status_code == 200


def test_pages_with_forms_let_a_browser_name_their_origin(server: Served) -> None:
    """With no referrer at all it would say null, of these pages as of another site's."""
    server.create(quorum=1)
    assert server.client.get("/answer").headers["Referrer-Policy"] == "same-origin"
    page = server.client.post("/answer/code", data={"code": server.invite()})
    assert page.headers["Referrer-Policy"] == "same-origin"
    assert server.client.get("/searches").headers["Referrer-Policy"] == "no-referrer"


def test_a_token_and_its_sessions_have_one_rate() -> None:
    with served(rate=0.001, burst=4) as server:
        _, first = cookie_of(server, server.owner)
        _, second = cookie_of(server, server.owner)
        ways = [
            {"Authorization": f"Bearer {server.owner}"},
            {"Cookie": f"feint={first}"},
            {"Cookie": f"feint={second}"},
            {"Cookie": f"feint={first}"},
            {"Authorization": f"Bearer {server.owner}"},
        ]
        found = [server.client.get("/api/searches", headers=way).status_code for way in ways]
        assert found == [200, 200, 200, 200, 429]


def test_streams_by_a_token_and_its_sessions_are_counted_together() -> None:
    with served(streams=1, stream_every=0.005) as server:
        server.create(quorum=1)
        _, session = cookie_of(server, server.owner)
        path, headers = "/api/searches/price/watch", {"Authorization": f"Bearer {server.owner}"}
        with watching(server, path, headers):
            again = server.client.get(path, headers={"Cookie": f"feint={session}"})
            assert again.status_code == 429


def test_tokens_and_sessions_are_nowhere_in_the_clear(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        server.create(quorum=1)
        token = server.invite()
        secrets = [token, server.owner]
        secrets += [cookie_of(server, each)[1] for each in (token, server.owner)]
        other = "-" if secrets[2].endswith("_") else "_"
        with pytest.raises(NotAllowed) as refused:
            server.polls.tokens.caller(secrets[2][:-1] + other)
        log = "\n".join(server.lines) + str(refused.value)
    raw = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    for secret in secrets:
        assert secret.encode() not in raw
        assert secret not in log
