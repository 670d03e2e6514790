"""The server: a whole poll, who may what, one shape of errors, headers, limits."""

import json
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support import damage
from tests.support.journals import NUMBER, PLAN
from tests.support.servers import PROBLEM, Served, served

from feint import InvalidValue, Search
from feint.cli.app import run
from feint.journal import begin
from feint.journal.polls import Caller
from feint.search import finish
from feint.server import TABLE, Settings, serve
from feint.simulate.oracles import Hidden


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as found:
        yield found


def vote_on(server: Served, tokens: list[str]) -> None:
    """Everybody votes truly until the poll is done."""
    while True:
        for token in tokens:
            sheet = server.ask("GET", "/api/poll", token=token)
            for ballot in sheet["ballots"]:
                if ballot["vote"] is None:
                    vote = {"id": ballot["id"], "yes": float(ballot["number"]) <= NUMBER}
                    server.ask("POST", "/api/poll/votes", token=token, json=vote)
        if sheet["standing"] == "done":
            return


def test_a_poll_from_beginning_to_end(server: Served) -> None:
    server.create(quorum=3)
    tokens = [server.invite() for _ in range(3)]
    vote_on(server, tokens)
    status = server.ask("GET", "/api/searches/price")
    assert (status["standing"], status["answered"]) == ("done", PLAN.queries)
    found = server.ask("GET", "/api/searches/price/result")
    alone = finish(Search(PLAN), Hidden(NUMBER)).to_dict()
    assert found["queries"] == alone["queries"]
    (one,) = found["coordinates"]
    assert one["label"] == "price"
    low, high = (Fraction(one[end]) for end in ("low", "high"))
    assert low <= NUMBER <= high


def test_the_owner_asks_and_tells_and_goes_on_elsewhere(server: Served) -> None:
    server.create()
    while True:
        answer = server.client.get(
            "/api/searches/price/queries", headers={"Authorization": f"Bearer {server.owner}"}
        )
        if answer.status_code == 409:
            break
        for query in answer.json()["queries"]:
            told = {"id": query["id"], "yes": query["number"] <= NUMBER}
            for _ in range(2):
                server.ask("POST", "/api/searches/price/answers", json=told)
    document = server.ask("GET", "/api/searches/price/export")
    assert Search.from_json(json.dumps(document)).result == server.polls.result("price")
    again = {"name": "copy", "search": document}
    assert server.ask("POST", "/api/imports", json=again, status=201)["standing"] == "done"


def routes(server: Served) -> Iterator[tuple[str, str, dict[str, Any]]]:
    document = server.client.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, page in methods.items():
            yield method.upper(), path, page


ACTIONS = {
    ("POST", "/api/searches"): "manage",
    ("POST", "/api/imports"): "manage",
    ("GET", "/api/searches"): "manage",
    ("GET", "/api/searches/{name}"): "see all",
    ("GET", "/api/searches/{name}/queries"): "see all",
    ("POST", "/api/searches/{name}/answers"): "answer",
    ("GET", "/api/searches/{name}/result"): "see all",
    ("GET", "/api/searches/{name}/export"): "see all",
    ("POST", "/api/searches/{name}/pause"): "manage",
    ("POST", "/api/searches/{name}/resume"): "manage",
    ("POST", "/api/searches/{name}/archive"): "manage",
    ("DELETE", "/api/searches/{name}"): "manage",
    ("POST", "/api/searches/{name}/respondents"): "manage",
    ("GET", "/api/searches/{name}/respondents"): "manage",
    ("DELETE", "/api/searches/{name}/respondents/{id}"): "manage",
    ("POST", "/api/searches/{name}/respondents/{id}/token"): "manage",
    ("POST", "/api/searches/{name}/links"): "manage",
    ("GET", "/api/searches/{name}/stream"): "see all",
    ("GET", "/metrics"): "measure",
    ("GET", "/api/poll"): "vote",
    ("POST", "/api/poll/votes"): "vote",
    ("GET", "/api/poll/stream"): "vote",
    ("POST", "/api/join"): "join",
    ("POST", "/api/session"): None,
    ("DELETE", "/api/session"): None,
    ("GET", "/healthz"): None,
}


def test_every_page_asks_the_table(server: Served) -> None:
    """By every role: 403 where the table says no, 401 without a token; nothing is left out."""
    server.create(quorum=1)
    person, respondent = server.polls.invite("price")
    _, link = server.polls.link("price", quota=5)
    tokens = {"owner": server.owner, "respondent": respondent, "link": link}
    found = set()
    for method, path, _ in routes(server):
        found.add((method, path))
        action = ACTIONS[method, path]
        if action is None or path.endswith("/stream"):
            continue
        where = path.replace("{name}", "none").replace("{id}", person)
        for role, allowed in TABLE.items():
            headers = {"Authorization": f"Bearer {tokens[role]}"}
            status = server.client.request(method, where, headers=headers).status_code
            assert (status == 403) == (action not in allowed), (role, method, path, status)
            assert status != 401
        for headers in ({}, {"Authorization": "Bearer none"}, {"Authorization": "Basic a"}):
            answer = server.client.request(method, where, headers=headers)
            assert answer.status_code == 401, (method, path)
            assert answer.headers["WWW-Authenticate"] == "Bearer"
            assert answer.json()["error"]["code"] == "no_token"
    assert found == set(ACTIONS)


def test_streams_ask_the_table_too(server: Served) -> None:
    server.create(quorum=1)
    for path, token in (
        ("/api/searches/price/stream", server.invite()),
        ("/api/poll/stream", server.owner),
    ):
        server.ask("GET", path, token=token, status=403)
        assert server.client.get(path).status_code == 401


@pytest.mark.parametrize("stream", ["stream", "watch"])
def test_a_stream_of_nothing_is_refused_before_it_begins(stream: str, server: Served) -> None:
    said = server.ask("GET", f"/api/searches/none/{stream}", status=404)["error"]
    assert (said["code"], "no search of this name" in said["message"]) == ("unknown_search", True)
    begin(server.polls._store, "own", PLAN)
    said = server.ask("GET", f"/api/searches/own/{stream}", status=409)["error"]
    assert said["code"] == "not_open"
    assert not any('"failed"' in line for line in server.lines)


def test_a_respondent_has_one_poll(server: Served) -> None:
    """A token is of one poll; what is in another is not there for it."""
    server.create("one", quorum=1)
    server.create("two", quorum=3)
    token = server.invite("one")
    server.polls.delete("one")
    server.ask("GET", "/api/poll", token=token, status=401)


BAD: list[tuple[str, str, Any, int]] = [
    ("POST", "/api/searches", {"name": "x"}, 422),
    ("POST", "/api/searches", {"name": "x", "problem": PROBLEM, "more": 1}, 422),
    ("POST", "/api/searches", {"name": "a/b", "problem": PROBLEM}, 422),
    ("POST", "/api/searches", {"name": "x", "problem": PROBLEM | {"level": "NaN"}}, 422),
    ("POST", "/api/searches", {"name": "x", "problem": PROBLEM | {"level": 10**400}}, 422),
    ("POST", "/api/searches", {"name": "x", "problem": PROBLEM, "terms": {"quorum": 2}}, 422),
    ("POST", "/api/searches", {"name": "price", "problem": PROBLEM}, 409),
    ("POST", "/api/imports", {"name": "x", "search": {}}, 422),
    ("POST", "/api/imports", {"name": "x", "search": {"rounds": [1], "version": 3}}, 422),
    ("GET", "/api/searches/none", None, 404),
    ("GET", "/api/searches/price/result", None, 409),
    ("POST", "/api/searches/price/answers", {"id": "q0.0", "yes": True}, 409),
    ("POST", "/api/searches/price/answers", {"id": "q0.0", "yes": 1}, 422),
    ("POST", "/api/searches/price/links", {"quota": 0}, 422),
    ("GET", "/api/none", None, 404),
    ("PUT", "/api/searches", None, 405),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), BAD)
def test_what_is_wrong_has_one_shape(
    method: str, path: str, body: Any, status: int, server: Served
) -> None:
    server.create(quorum=1)
    said = server.ask(method, path, json=body, status=status)
    assert set(said) == {"error"}
    assert set(said["error"]) == {"code", "message"}


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"{" * 10_000, 422),
        (b"[" * 200_000, 400),
        (b"\xff\xfe", 400),
        (b'{"name": "' + b"x" * (10 << 20) + b'"}', 413),
        (b"", 422),
    ],
)
def test_bodies_that_are_none(content: bytes, status: int, server: Served) -> None:
    headers = {"Content-Type": "application/json"}
    headers["Authorization"] = f"Bearer {server.owner}"
    answer = server.client.post("/api/searches", content=content, headers=headers)
    assert answer.status_code in (status, 422 if status == 400 else status)
    assert set(answer.json()["error"]) == {"code", "message"}


def test_an_import_that_is_no_search_is_refused_at_once(server: Served) -> None:
    """Nesting, numbers and names that would stall or crash whoever reads them."""
    good = json.loads(Search(PLAN).to_json())
    long = damage.signed(json.loads(json.dumps(good).replace('"1/64"', '"1e30000000"', 1)))
    texts = [
        json.dumps(long),
        json.dumps(good | {"plan": {"type": "plan"}}),
        json.dumps(good | {"key": "\ud800"}),
        json.dumps(good | {"keys": -1}),
        json.dumps(good)[:-1] + ', "more": ' + "9" * 10_000 + "}",
        json.dumps(good)[:-1] + ', "more": NaN}',
        *(
            json.dumps(good)[:-1] + f', "more": {"[" * n + "]" * n}}}'
            for n in (300, 900, 980, 10**5)
        ),
        "7",
    ]
    assert json.dumps(long) != json.dumps(good)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {server.owner}"}
    for text in texts:
        body = f'{{"name": "taken", "search": {text}}}'.encode()
        with damage.limited():
            answer = server.client.post("/api/imports", content=body, headers=headers)
        assert 400 <= answer.status_code < 500, text[:80]
        assert set(answer.json()["error"]) >= {"code", "message"}
    assert server.polls.names() == []


@pytest.mark.parametrize("value", ["nan", "-1", "inf", "9" * 10**6, "1e999", ""])
def test_settings_of_the_environment_are_finite_and_not_negative(value: str) -> None:
    good = Settings(database="sqlite:///x", key_file=Path("key")).to_environment()
    assert Settings.from_environment(good).body == Settings.body
    for name in ("BODY", "RATE", "STREAM_EVERY"):
        with pytest.raises(
            InvalidValue, match=f"FEINT_SERVER_{name} = .*(must be a|must be 0 or more)"
        ):
            Settings.from_environment(good | {f"FEINT_SERVER_{name}": value})


def test_a_body_of_unknown_length_is_cut_off(server: Served) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 10_000

    headers = {"Authorization": f"Bearer {server.owner}", "Content-Type": "application/json"}
    answer = server.client.post("/api/searches", content=endless(), headers=headers)
    assert answer.status_code == 413


def test_an_answer_is_not_repeated_in_an_error(server: Served) -> None:
    server.create(quorum=1)
    token = server.invite()
    for wrong in ("recognisable", ["recognisable"], {"recognisable": 1}):
        said = server.ask(
            "POST", "/api/poll/votes", token=token, json={"id": "q0.0", "yes": wrong}, status=422
        )
        assert "recognisable" not in json.dumps(said)
    assert "recognisable" not in "".join(server.lines)


def test_every_answer_has_the_headers_of_a_careful_server(server: Served) -> None:
    for path in ("/", "/healthz", "/api/searches", "/none", "/openapi.json", "/static/0/base.css"):
        headers = server.client.get(path).headers
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cache-Control"] == "no-store, no-transform"


def test_no_other_site_is_let_in(server: Served) -> None:
    headers = {"Origin": "http://other.example", "Access-Control-Request-Method": "GET"}
    answer = server.client.options("/api/searches", headers=headers)
    assert not any(name.lower().startswith("access-control") for name in answer.headers)


def test_a_cookie_needs_a_header_that_other_sites_cannot_send(server: Served) -> None:
    server.create(quorum=1)
    token = server.invite()
    answer = server.client.post("/api/session", json={"token": token})
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert server.client.get("/api/poll").status_code == 200
    vote = {"id": "q0.0", "yes": True}
    for headers in ({}, {"X-Feint-Request": "1", "Sec-Fetch-Site": "cross-site"}):
        assert server.client.post("/api/poll/votes", json=vote, headers=headers).status_code == 401
    headers = {"X-Feint-Request": "1", "Sec-Fetch-Site": "same-origin"}
    assert server.client.post("/api/poll/votes", json=vote, headers=headers).status_code == 200
    server.client.delete("/api/session")
    assert server.client.get("/api/poll").status_code == 401
    _, link = server.polls.link("price", quota=1)
    assert server.client.post("/api/session", json={"token": link}).status_code == 403


def test_an_open_link_makes_respondents(server: Served) -> None:
    server.create(quorum=1)
    made = server.ask("POST", "/api/searches/price/links", json={"quota": 1}, status=201)
    joined = server.ask("POST", "/api/join", token=made["token"], status=201)
    caller = server.polls.tokens.caller(joined["token"])
    assert caller == Caller(role="respondent", search="price", person=joined["id"])
    server.ask("POST", "/api/join", token=made["token"], status=403)


def test_a_respondent_gets_a_new_token_and_the_old_one_is_none(server: Served) -> None:
    server.create(quorum=3)
    person, old = server.polls.invite("price")
    vote = {"id": "q0.0", "yes": True}
    server.ask("POST", "/api/poll/votes", token=old, json=vote)
    made = server.ask("POST", f"/api/searches/price/respondents/{person}/token")
    assert made["id"] == person
    server.ask("GET", "/api/poll", token=old, status=401)
    sheet = server.ask("GET", "/api/poll", token=made["token"])
    assert [each["vote"] for each in sheet["ballots"] if each["id"] == "q0.0"] == [True]
    server.ask("DELETE", f"/api/searches/price/respondents/{person}")
    server.ask("POST", f"/api/searches/price/respondents/{person}/token", status=422)
    server.ask("GET", "/api/poll", token=made["token"], status=401)


def test_the_same_request_again_counts_once(server: Served) -> None:
    new = {"name": "price", "problem": PROBLEM, "terms": {"quorum": 1}}
    headers = {"Authorization": f"Bearer {server.owner}", "Idempotency-Key": "once"}
    first, second = (
        server.client.post("/api/searches", json=new, headers=headers) for _ in range(2)
    )
    assert first.status_code == second.status_code == 201
    assert first.json() == second.json()
    people = [
        server.client.post("/api/searches/price/respondents", json={}, headers=headers).json()
        for _ in range(2)
    ]
    assert people[0]["id"] == people[1]["id"]
    assert list(server.polls.respondents("price")) == [people[0]["id"]]


def test_a_key_of_another_request_and_a_name_that_is_taken_are_refused(server: Served) -> None:
    headers = {"Authorization": f"Bearer {server.owner}", "Idempotency-Key": "once"}
    new = {"name": "price", "problem": PROBLEM, "terms": {"quorum": 1}}
    assert server.client.post("/api/searches", json=new, headers=headers).status_code == 201
    before = server.ask("GET", "/api/searches/price")
    for other in ({"problem": PROBLEM | {"high": 30}}, {"terms": {"quorum": 3}}):
        said = server.client.post("/api/searches", json=new | other, headers=headers)
        assert (said.status_code, said.json()["error"]["code"]) == (409, "name_taken")
        assert "under the same key by another request" in said.json()["error"]["message"]
    server.ask("POST", "/api/searches", json=new, status=409)
    assert server.ask("GET", "/api/searches/price") == before
    moved = {"name": "moved", "search": server.ask("GET", "/api/searches/price/export")}
    for _ in range(2):
        assert server.client.post("/api/imports", json=moved, headers=headers).status_code == 201


def test_who_asks_too_often_waits() -> None:
    with served(rate=0.001, burst=3) as server:
        for _ in range(3):
            server.ask("GET", "/api/searches")
        said = server.ask("GET", "/api/searches", status=429)
        assert said["error"]["code"] == "too_often"
        assert server.client.get("/healthz").status_code == 200
    with served(address_rate=0.001, address_burst=2) as server:
        statuses = [server.client.get("/healthz") for _ in range(3)]
        assert [each.status_code for each in statuses] == [200, 200, 429]
        assert int(statuses[2].headers["Retry-After"]) > 0


def test_the_rate_that_feint_serve_is_given_paces_addresses_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Left out it is the default of `Settings`, as the help says."""
    begun: list[Settings] = []
    monkeypatch.setattr("feint.server.serve", lambda settings, **_: begun.append(settings))
    where = ["serve", "--database", f"sqlite:///{tmp_path}/journal.db"]
    for words in ([], ["--rate", "7"], ["--rate", "0"]):
        assert run([*where, *words]) == 0
    assert [(one.rate, one.burst, one.address_rate, one.address_burst) for one in begun] == [
        (50, 100, 500, 1000),
        (7, 14, 70, 140),
        (0, 0, 0, 0),
    ]
    capsys.readouterr()
    assert run(["serve", "--help"]) == 0
    assert f"0 for any number. Default: {begun[0].rate}." in " ".join(
        capsys.readouterr().out.replace("│", " ").split()
    )


def test_the_hours_that_feint_serve_is_given_end_sessions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Left out they are the default of `Settings`, as the help says."""
    begun: list[Settings] = []
    monkeypatch.setattr("feint.server.serve", lambda settings, **_: begun.append(settings))
    where = ["serve", "--database", f"sqlite:///{tmp_path}/journal.db"]
    for words in ([], ["--session-hours", "2"]):
        assert run([*where, *words]) == 0
    assert [one.session for one in begun] == [12 * 3600, 2 * 3600]
    assert Settings.from_environment(begun[1].to_environment()) == begun[1]
    assert run([*where, "--session-hours", "0"]) != 0
    capsys.readouterr()
    assert run(["serve", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "must open the link again. Default: 12." in shown


def test_a_token_is_one_however_it_is_written() -> None:
    """Neither spaces nor other cookies, nor another case, make another of it."""
    with served(rate=0.001, burst=3) as server:
        token = server.owner
        ways = (
            {"Authorization": f"Bearer {token}"},
            {"Authorization": f"bearer   {token}"},
            {"Cookie": f"feint={token}; x=1"},
            {"Cookie": f"x=2; feint={token}"},
            {"Cookie": f"feint-respondent=y; feint={token}"},
            {"Authorization": f"Bearer {token}", "Cookie": "x=3"},
        )
        found = [server.client.get("/api/searches", headers=way).status_code for way in ways]
        assert found == [200, 200, 200, 429, 429, 429]


def test_metrics_count_routes_and_not_answers(server: Served) -> None:
    server.create(quorum=1)
    vote_on(server, [server.invite()])
    headers = {"Authorization": f"Bearer {server.owner}"}
    text = server.client.get("/metrics", headers=headers).text
    votes = 'feint_requests_total{method="POST",route="/api/poll/votes",status="answered"} '
    assert f"{votes}{PLAN.queries}.0" in text
    assert "true" not in text.lower()
    assert "price" not in text


def test_a_method_of_ones_own_is_named_nowhere(server: Served) -> None:
    headers = {"Authorization": f"Bearer {server.owner}"}
    assert (
        server.client.request("RECOGNISABLE", "/api/searches", headers=headers).status_code == 405
    )
    text = server.client.get("/metrics", headers=headers).text
    assert 'method="other"' in text
    assert "RECOGNISABLE" not in text + "".join(server.lines)
    assert any('"method": "other"' in line for line in server.lines)


@pytest.mark.parametrize(("host", "shown"), [("::1", "[::1]"), ("127.0.0.1", "127.0.0.1")])
def test_the_link_that_is_printed_can_be_opened(
    host: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("uvicorn.run", "log_lines", "_check_free"):  # nobody listens here
        monkeypatch.setattr(f"feint.server.running.{name}", lambda *_, **__: None)
    said: list[str] = []
    settings = Settings(database=f"sqlite:///{tmp_path}/journal.db", key_file=tmp_path / "key")
    for _ in range(2):
        serve(settings, host=host, port=8000, say=said.append)
    assert said[0].startswith(f"http://{shown}:8000/#token=")
    assert said[1] == f"http://{shown}:8000/"
    assert httpx.URL(said[1]).host == host


def test_too_many_questions_are_refused() -> None:
    with served(queries=PLAN.queries - 1) as server:
        new = {"name": "x", "problem": PROBLEM}
        said = server.ask("POST", "/api/searches", json=new, status=422)
        assert f"at most {PLAN.queries - 1} questions" in said["error"]["message"]


def test_a_failure_says_nothing(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise RuntimeError("recognisable")

    monkeypatch.setattr(server.polls, "status", fail)
    said = server.ask("GET", "/api/searches/x", status=500)
    assert said["error"]["code"] == "internal"
    assert "recognisable" not in json.dumps(said) + "".join(server.lines)
    assert any('"event": "failed"' in line for line in server.lines)


def test_logs_are_lines_of_json_by_route(server: Served) -> None:
    server.create("recognisable", quorum=1)
    server.ask("GET", "/api/searches/recognisable")
    lines = [json.loads(line) for line in server.lines if '"request"' in line]
    assert {"time", "level", "event", "method", "route", "status", "ms"} == set(lines[-1])
    assert lines[-1]["route"] == "/api/searches/{name}"
    assert "recognisable" not in json.dumps(lines)


def test_a_poll_begins_with_samples_that_grow(server: Served) -> None:
    """Over HTTP as in Python, and back in its status; what cannot grow so is one clear error."""
    noisy = PROBLEM | {"p": "0.9", "confidence": "0.8"}
    grows = {"first": 3, "more": 2, "batches": 3, "lead": 3}
    new = {"name": "grows", "problem": noisy, "terms": {"quorum": 5, "growing": grows}}
    server.ask("POST", "/api/searches", json=new, status=201)
    status = server.ask("GET", "/api/searches/grows")
    assert status["terms"]["growing"] == grows
    assert {each["wanted"] for each in status["questions"]} == {5}  # it narrows first
    assert server.ask("GET", "/api/poll", token=server.invite("grows"))["batch"] == 0
    wrong: list[tuple[dict[str, object], str]] = [
        ({"growing": grows}, "needs a quorum"),
        ({"quorum": 5, "growing": grows | {"first": 4}}, "so that there is a majority"),
        ({"quorum": 9, "growing": grows}, "fewer votes than the quorum of 9"),
    ]
    for terms, why in wrong:
        sent = {"name": "wrong", "problem": noisy, "terms": terms}
        assert why in server.ask("POST", "/api/searches", json=sent, status=422)["error"]["message"]
    noiseless = new | {"name": "wrong", "problem": PROBLEM}
    found = server.ask("POST", "/api/searches", json=noiseless, status=422)
    assert "has none under noise" in found["error"]["message"]
