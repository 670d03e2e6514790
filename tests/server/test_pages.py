"""The pages without a browser: shells, files, plain forms, and what their scripts fetch."""

import csv
import io
import json
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from tests.support.journals import PLAN
from tests.support.servers import Served, served

from feint import Domain, Problem, Search, plan
from feint.audit import overheard
from feint.journal import begin
from feint.journal.polls import Terms

SHELLS = (
    "/",
    "/attack",
    "/plan",
    "/audit",
    "/searches",
    "/searches/price",
    "/answer",
    "/reference",
)
MARKET = {"low": 20, "high": 100, "epsilon": "0.5", "delta": 8, "level": 6}
HIDDEN = Fraction(137, 9)


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as found:
        yield found


def files(server: Served, page: str) -> set[str]:
    """Every file that a page names, and what those import."""
    text = server.client.get(page).text
    found = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', text))
    waiting = list(found)
    while waiting:
        path = waiting.pop()
        folder = path.rpartition("/")[0]
        for name in re.findall(r'from "\./([^"]+)"', server.client.get(path).text):
            if f"{folder}/{name}" not in found:
                found.add(f"{folder}/{name}")
                waiting.append(f"{folder}/{name}")
    return found


@pytest.mark.parametrize("page", SHELLS)
def test_a_page_has_no_inline_script_or_style_and_names_no_other_host(
    server: Served, page: str
) -> None:
    answer = server.client.get(page)
    assert answer.status_code == 200
    assert not re.search(r"<style|<script(?![^>]*\bsrc=)|\bstyle=|\bon[a-z]+=", answer.text)
    for path in files(server, page):
        held = server.client.get(path)
        assert held.status_code == 200, path
        assert held.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", held.text), path


def test_the_first_view_is_light(server: Served) -> None:
    """Under 150 kB in all, in at most 12 requests; a respondent's page under 30 kB."""
    paths = files(server, "/")
    asked = server.client.post("/api/attack", json={"cell": 107})
    sizes = [len(server.client.get(path).content) for path in ("/", *paths)]
    assert len(sizes) + 1 <= 12
    assert sum(sizes) + len(asked.content) < 150_000
    paths = files(server, "/answer")
    assert sum(len(server.client.get(path).content) for path in ("/answer", *paths)) < 30_000


def test_a_file_of_another_version_is_not_kept(server: Served) -> None:
    assert (
        server.client.get("/static/0/base.css").headers["Cache-Control"] == "no-store, no-transform"
    )
    assert server.client.get("/static/0/none.css").status_code == 404
    assert server.client.get("/static/0/..%2fpages.py").status_code == 404


def test_the_first_page_is_that_of_whoever_looks(server: Served) -> None:
    assert "Ask without giving it away" in server.client.get("/").text
    server.client.cookies.set("feint", server.owner)
    assert "Ask without giving it away" in server.client.get("/").text
    server.create(quorum=1)
    assert "<h1>Searches</h1>" in server.client.get("/").text
    server.client.cookies.clear()  # the page exchanged the token for a session
    server.client.cookies.set("feint", server.invite())
    assert server.client.get("/", follow_redirects=False).headers["Location"] == "/answer"


PROTECTED = [
    ("GET", "/api/overview", None),
    ("GET", "/api/searches/price/story", None),
    ("GET", "/api/searches/price/transcript", None),
    ("GET", "/api/searches/price/transcript.csv", None),
    ("GET", "/api/searches/price/round.csv", None),
    ("GET", "/api/searches/price/watch", None),
    ("POST", "/api/searches/price/sheet", None),
    ("POST", "/api/plan", MARKET),
    ("POST", "/api/plan/methods", MARKET),
    ("POST", "/api/plan/frontier", MARKET),
    ("POST", "/api/plan/example", {"problem": MARKET, "number": 50}),
    ("POST", "/api/audit", MARKET),
]


@pytest.mark.parametrize(("method", "path", "body"), PROTECTED)
def test_what_pages_fetch_is_the_owners(server: Served, method: str, path: str, body: Any) -> None:
    server.create(quorum=1)
    assert server.client.request(method, path, json=body).status_code == 401
    respondent = {"Authorization": f"Bearer {server.invite()}"}
    assert server.client.request(method, path, json=body, headers=respondent).status_code == 403


def test_the_planner_answers_with_costs_and_promises(server: Served) -> None:
    domain = Domain(20, 100)
    made = plan(domain.problem(epsilon="0.5", delta=8, level=6), domain=domain)
    told = server.ask("POST", "/api/plan", json=MARKET)
    found = told["found"]
    assert (told["ok"], found["queries"], found["rounds"]) == (True, made.queries, made.rounds)
    assert (found["success"], found["private"]) == ("1/6", True)
    assert (found["lower_bound"], found["optimality"]) == (made.lower_bound, made.optimality)
    assert 0 < found["lower_bound"] <= found["queries"]
    methods = server.ask("POST", "/api/plan/methods", json=MARKET)["found"]
    assert methods[0]["queries"] == made.queries
    assert {each["method"] for each in methods} >= {"tight", "paper", "bisection", "grid"}
    trades = server.ask("POST", "/api/plan/frontier", json=MARKET)["found"]
    assert trades[0] == {"rounds": made.rounds, "queries": made.queries, **made.means()}
    assert [each["queries"] for each in trades] == sorted(each["queries"] for each in trades)


@pytest.mark.parametrize(
    "wrong",
    [
        {"delta": 30},
        {"level": 12},
        {"low": 100, "high": 20},
        {"step": 3, "epsilon": None},
        {"delta": "13.4"},
    ],
)
def test_an_impossible_plan_says_why_and_every_change_it_offers_works(
    server: Served, wrong: dict[str, Any]
) -> None:
    told = server.ask("POST", "/api/plan", json=MARKET | wrong)
    assert told["ok"] is False
    assert told["error"]["rule"]
    for change in told["mends"]:
        assert all(len(value) <= 8 for value in change.values())
        assert server.ask("POST", "/api/plan", json=MARKET | wrong | change)["ok"]
    if wrong in ({"delta": 30}, {"level": 12}):
        assert len(told["mends"]) == 2


def test_a_belief_is_stated_weighed_or_brought_as_a_file(server: Served) -> None:
    """The plan is that of the same prior in Python, and the picture has its density."""
    domain = Domain(20, 100)
    forms: list[tuple[Any, Any]] = [
        ("normal(60, 20)", "normal(60, 20)"),
        ([1, 2, 3, 3, 2, 1], [1, 2, 3, 3, 2, 1]),
    ]
    wanted = MARKET | {"epsilon": 5, "delta": 10, "level": 3}
    for sent, given in forms:
        problem = domain.problem(epsilon=5, delta=10, level=3, prior=given)
        told = server.ask("POST", "/api/plan", json=wanted | {"prior": sent})["found"]
        assert told["queries"] == plan(problem, domain=domain).queries
        assert max(told["frame"]["prior"]) == 1
    rows = "\n".join(f"{value},{1 + value % 3}" for value in range(25, 100, 10))
    filed = wanted | {"prior": {"csv": f"value,weight\n{rows}\n"}}
    assert server.ask("POST", "/api/plan", json=filed)["ok"]
    wrong = wanted | {"prior": {"csv": "recognisable,1\nx,2\n"}}
    said = server.ask("POST", "/api/plan", json=wrong)
    assert said["ok"] is False
    assert "/tmp" not in json.dumps(said)
    search = {"name": "believed", "problem": wanted | {"prior": "normal(60, 20)"}}
    server.ask("POST", "/api/searches", json=search, status=201)
    story = server.ask("GET", "/api/searches/believed/story")
    assert sum(piece[2] for piece in story["heard"][0]["pieces"]) == pytest.approx(1)


def test_a_run_is_drawn_from_what_was_asked(server: Served) -> None:
    """The listener's lane of an example is that of `overheard` on its transcript."""
    wanted = {"problem": MARKET, "number": "71.3", "seed": 3}
    found = server.ask("POST", "/api/plan/example", json=wanted)["found"]
    domain = Domain(20, 100)
    made = plan(domain.problem(epsilon="0.5", delta=8, level=6), domain=domain)
    search = Search(made, seed=3)
    while not search.done:
        for query in search.ask():
            search.tell(query.id, Fraction("71.3") >= query.value)
    beliefs = overheard(made, search.transcript)
    for told, belief in zip(found["heard"], beliefs, strict=True):
        assert told["places"] == belief.places
        assert told["window"][2] == float(belief.window.probability)
        assert [each[0] for each in told["pieces"]] == [float(each.low) for each in belief.pieces]
    low, high = found["rounds"][-1]["known"]
    assert low <= 71.3 < high <= low + 0.5


def test_the_attack_plays_four_methods_to_the_end(server: Served) -> None:
    found = server.client.post("/api/attack", json={"cell": 12}).json()
    stories = found["stories"]
    assert set(stories) == {"bisection", "grid", "paper", "tight"}
    for name, story in stories.items():
        low, high = story["rounds"][-1]["known"]
        assert low <= found["number"] < high
        success = story["heard"][-1]["window"][2]
        assert success == 1 if name == "bisection" else success <= 1 / 8 + 1e-9
    assert server.client.post("/api/attack", json={"cell": 160}).status_code == 422


def test_an_audit_gives_the_exact_figure_and_a_leak_with_its_story(server: Served) -> None:
    held = server.ask("POST", "/api/audit", json=MARKET)["found"]
    assert held["report"]["adversary_success"] == "1/6"
    assert {each["name"] for each in held["bars"]} >= {"uniform", "last", "proportional"}
    leak = server.ask("POST", "/api/audit", json=MARKET | {"method": "bisection"})["found"]
    assert leak["report"]["adversary_success"] == "1"
    assert "she hears" in leak["report"]["counterexample"]


def answered(server: Served, name: str, rounds: int) -> None:
    """The owner answers truly, for a number of rounds."""
    for _ in range(rounds):
        for query in server.polls.open(name):
            server.polls.answer(name, query.id, query.value <= HIDDEN)


def test_the_story_of_a_search_closes_in_round_by_round(server: Served) -> None:
    server.create()
    answered(server, "price", 3)
    story = server.ask("GET", "/api/searches/price/story")
    assert (story["label"], story["result"]) == ("price", None)
    assert [len(each["queries"]) for each in story["rounds"]] == [
        each["queries"] for each in story["plan"][: len(story["rounds"])]
    ]
    widths = [high - low for low, high in (each["known"] for each in story["rounds"])]
    assert widths == sorted(widths, reverse=True)
    assert len(story["heard"]) == len(story["rounds"])
    answered(server, "price", len(story["plan"]) - 3)
    done = server.ask("GET", "/api/searches/price/story")
    low, high = done["rounds"][-1]["known"]
    assert low <= HIDDEN < high
    assert done["result"]["queries"] == sum(each["queries"] for each in done["plan"])


def test_a_transcript_holds_questions_and_no_answer(server: Served) -> None:
    """It is the same, byte by byte, whatever the answers of the open round are."""
    texts = []
    for yes in (True, False):
        server.polls.delete("price")
        domain = Domain(10, 20, label="price")
        made = plan(domain.problem(epsilon="10/64", delta="10/12", level=3), domain=domain)
        server.polls.create("price", made, terms=Terms(), key=bytes(32))
        for query in server.polls.open("price")[:-1]:
            server.polls.answer("price", query.id, yes)
        head = {"Authorization": f"Bearer {server.owner}"}
        paths = ("transcript", "transcript.csv", "round.csv")
        texts.append(
            [server.client.get(f"/api/searches/price/{p}", headers=head).text for p in paths]
        )
    assert texts[0][:2] == texts[1][:2]
    assert "yes" not in texts[0][1]
    assert json.loads(texts[0][0])["queries"][0]["id"] == "q0.0"


def test_a_sheet_goes_down_and_comes_back_and_a_wrong_one_changes_nothing(server: Served) -> None:
    server.create()
    head = {"Authorization": f"Bearer {server.owner}", "Content-Type": "text/csv"}
    url = "/api/searches/price"
    while server.polls.standing("price")[0] == "open":
        sheet = server.client.get(f"{url}/round.csv", headers=head).text
        rows = list(csv.DictReader(io.StringIO(sheet)))
        before = server.polls.status("price")["answered"]
        broken = sheet.rstrip("\n") + "perhaps\n"
        refused = server.client.post(f"{url}/sheet", content=broken, headers=head)
        assert refused.status_code == 422
        assert "perhaps" not in refused.text
        refused = server.client.post(f"{url}/sheet", content=b"id,\xff", headers=head)
        assert refused.status_code == 422
        assert "UTF-8" in refused.text
        assert server.polls.status("price")["answered"] == before
        for row in rows:
            row["answer"] = "y" if Fraction(row["value"]) <= HIDDEN else "n"
        filled = io.StringIO()
        writer = csv.DictWriter(filled, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        taken = server.client.post(f"{url}/sheet", content=filled.getvalue(), headers=head)
        assert taken.json() == {"answers": len(rows)}
    result = server.polls.result("price")
    assert result.low <= HIDDEN < result.high


def test_the_list_says_where_each_stands_and_no_answer(server: Served) -> None:
    server.create("one")
    server.create("two", quorum=3, deadline=60.0)
    server.polls.archive("one")
    rows = {each["name"]: each for each in server.ask("GET", "/api/overview")["searches"]}
    assert rows["one"]["standing"] == "archived"
    assert rows["one"]["deadline"] is None
    assert rows["two"]["deadline"] > 0
    story = server.ask("GET", "/api/searches/two/story")
    assert story["deadline"] == rows["two"]["deadline"]
    assert set(rows["two"]) == {
        "name",
        "standing",
        "overdue",
        "round",
        "rounds",
        "answered",
        "queries",
        "asks_all",
        "respondents",
        "deadline",
    }


def test_a_search_that_is_no_poll_is_listed_and_can_be_deleted(server: Served) -> None:
    """A program keeps it in the same database, or it was cut off by an older version."""
    server.create(quorum=1)
    begin(server.polls._store, "own", PLAN)
    own, price = server.ask("GET", "/api/overview")["searches"]
    assert (own["name"], own["standing"], own["queries"]) == ("own", "no poll", 0)
    assert (price["name"], price["standing"]) == ("price", "open")
    said = server.ask("GET", "/api/searches/own", status=409)["error"]
    assert said["code"] == "not_open"
    assert "delete it" in said["message"]
    server.ask("DELETE", "/api/searches/own")
    assert [each["name"] for each in server.ask("GET", "/api/overview")["searches"]] == ["price"]


def test_a_respondent_answers_by_plain_forms_without_any_script(server: Served) -> None:
    server.create(quorum=1)
    _, link = server.polls.link("price", quota=1)
    page = server.client.post("/answer/code", data={"code": link})
    asked = 0
    while found := re.search(r'name="id" value="([^"]+)"', page.text):
        value = re.search(r"<strong[^>]*>([\d.]+)\?</strong>", page.text)
        assert value is not None
        yes = "1" if Fraction(value[1]) <= HIDDEN else "0"
        page = server.client.post("/answer/vote", data={"id": found[1], "yes": yes})
        assert page.status_code == 200
        asked += 1
    assert "That was all" in page.text
    result = server.polls.result("price")
    assert (result.queries, result.low <= HIDDEN < result.high) == (asked, True)


def test_of_two_numbers_each_has_its_lanes_and_the_odds_multiply(server: Served) -> None:
    new = {"low": 20, "high": 100, "epsilon": 5, "delta": 20, "level": 4, "labels": ["a", "b"]}
    server.ask("POST", "/api/searches", json={"name": "two", "problem": new}, status=201)
    hidden = (Fraction(31), Fraction(87))
    for count in range(1, 5):
        for query in server.polls.open("two"):
            server.polls.answer("two", query.id, query.value <= hidden[query.coordinate])
        story = server.ask("GET", "/api/searches/two/story")
        lines = [story, *story["others"]]
        assert [each["label"] for each in lines] == ["a", "b"]
        for line, number in zip(lines, hidden, strict=True):
            low, high = line["rounds"][count - 1]["known"]
            assert low <= number < high
            assert {each["text"][7] for each in line["rounds"][0]["queries"]} == {line["label"]}
    odds = [line["heard"][-1]["window"][2] for line in lines]
    assert odds[0] * odds[1] <= 1 / 4
    assert (len(story["result"]["coordinates"]), story["warnings"]) == (2, [])


def test_a_plan_without_units_is_drawn_in_those_of_its_search(server: Served) -> None:
    search = Search(plan(Problem("1/16", "1/4", 2)), seed=1, domains=[Domain(20, 100)])
    server.polls.take_in("bare", search, terms=Terms())
    story = server.ask("GET", "/api/searches/bare/story")
    assert (story["low"], story["high"], story["delta"]) == (20, 100, 20)
    pieces = story["heard"][0]["pieces"]
    assert (pieces[0][0], pieces[-1][1]) == (20, 100)


def test_answers_that_cannot_all_be_right_are_said_to_the_owner(server: Served) -> None:
    """Of two that contradict each other the first counts in the lane, and at last the result."""
    new = {"low": 20, "high": 100, "epsilon": 10, "delta": 20, "level": 2, "method": "grid"}
    server.ask("POST", "/api/searches", json={"name": "grid", "problem": new}, status=201)
    *others, last = sorted(server.polls.open("grid"), key=lambda query: query.value)
    server.polls.answer("grid", last.id, True)
    for query in others[:-1]:
        server.polls.answer("grid", query.id, False)
    story = server.ask("GET", "/api/searches/grid/story")
    assert story["rounds"][0]["known"] == [20, 30]
    server.polls.answer("grid", others[-1].id, False)
    story = server.ask("GET", "/api/searches/grid/story")
    said = (
        "These answers cannot all be right: you said that the number is at least 90 and below 30."
    )
    assert story["warnings"] == [said]
    found = server.ask("GET", "/api/searches/grid/result")["coordinates"][0]
    assert story["rounds"][0]["known"] == found["interval"]
    assert found["interval"] == [30, 40]  # one yes of seven: the second cell


def test_whoever_opens_an_open_link_again_is_who_they_were(server: Served) -> None:
    """One browser, one vote: also after its window was closed, or the link was used up."""
    server.create(quorum=3)
    _, link = server.polls.link("price", quota=1)
    for _ in range(2):
        page = server.client.post("/answer/code", data={"code": link})
        assert "Is the price at least" in page.text
    (person,) = server.polls.respondents("price")
    (cookie,) = server.client.cookies.jar
    assert cookie.expires is not None  # it outlives the browser's window
    assert server.polls.tokens.caller(str(cookie.value)).person == person
    server.client.cookies.clear()
    page = server.client.post("/answer/code", data={"code": link})
    assert (page.status_code, "Nobody else may join" in page.text) == (403, True)
    server.client.post("/answer/code", data={"code": server.owner})
    (cookie,) = server.client.cookies.jar
    assert cookie.expires is None


def test_an_owner_who_opens_a_respondents_link_is_the_owner_still(server: Served) -> None:
    """Each role has its cookie; only with both given back is a browser nobody's."""
    server.create(quorum=1)
    ours = {"X-Feint-Request": "1"}
    server.client.post("/api/session", json={"token": server.owner})
    page = server.client.post("/answer/code", data={"code": server.invite()})
    assert "Is the price at least" in page.text
    assert "<h1>Searches</h1>" in server.client.get("/").text
    assert server.client.get("/api/overview").status_code == 200
    question = server.client.get("/api/poll").json()["ballots"][0]["id"]
    vote = {"id": question, "yes": True}
    assert server.client.post("/api/poll/votes", json=vote, headers=ours).status_code == 200
    server.client.delete("/api/session")
    assert len(server.client.cookies) == 0


def test_a_respondent_of_a_poll_that_ended_is_told_why(server: Served) -> None:
    server.create(quorum=1)
    server.client.post("/answer/code", data={"code": server.invite()})
    server.polls.archive("price")
    assert "This poll was archived" in server.client.get("/answer").text
    server.polls.delete("price")
    assert "Your invitation has ended" in server.client.get("/answer").text
    page = server.client.post("/answer/vote", data={"id": "q0.0", "yes": "1"})
    assert (page.status_code, "Your invitation has ended" in page.text) == (401, True)
    server.client.cookies.clear()
    assert "Your invitation has ended" not in server.client.get("/answer").text


def test_the_owners_page_is_told_of_open_links_and_not_their_tokens(server: Served) -> None:
    server.create(quorum=1)
    id, token = server.polls.link("price", quota=2)
    server.client.post("/answer/code", data={"code": token})
    story = server.ask("GET", "/api/searches/price/story")
    assert story["links"] == {id: 1}
    assert token not in json.dumps(story)
    server.ask("DELETE", f"/api/searches/price/respondents/{id}")
    assert server.ask("GET", "/api/searches/price/story")["links"] == {}


def test_an_answer_can_be_changed_until_its_question_closes(server: Served) -> None:
    server.create(quorum=3)
    server.client.post("/answer/code", data={"code": server.invite()})
    first = server.polls.status("price")["questions"][0]["id"]
    page = server.client.post("/answer/vote", data={"id": first, "yes": "1"})
    assert f"/answer?again={first}" in page.text
    page = server.client.get(f"/answer?again={first}")
    assert f'name="id" value="{first}"' in page.text
    server.client.post("/answer/vote", data={"id": first, "yes": "0"})
    counted = server.polls.status("price")["questions"][0]
    assert (counted["yes"], counted["no"]) == (0, 1)
    turnout = server.ask("GET", "/api/searches/price/story")["turnout"]
    assert [(each["number"], each["answered"]) for each in turnout] == [(1, 1)]
    named = [server.polls.invite("price", label=label)[0] for label in ("zoe", "adam", "mia")]
    turnout = server.ask("GET", "/api/searches/price/story")["turnout"]
    assert [each["id"] for each in turnout[1:]] == named  # in the order in which they came


def test_a_question_that_is_asked_again_says_which_fresh_sample_it_wants(server: Served) -> None:
    """Under noise five people answer the same question; a finished search has its interval."""
    domain = Domain(0, 100, label="dose")
    noisy = domain.problem(epsilon=5, delta=20, level=2, p="0.8", confidence="0.75")
    made = plan(noisy, domain=domain, method="fixed")
    server.polls.create("noisy", made, terms=Terms(quorum=1), domains=(domain,))
    server.client.post("/answer/code", data={"code": server.invite("noisy")})
    assert "fresh sample 1 of 5" in server.client.get("/answer").text
    while server.polls.standing("noisy")[0] == "open":
        person, _ = server.polls.invite("noisy")
        for ballot in server.polls.sheet("noisy", person).ballots:
            server.polls.vote("noisy", person, ballot.id, Fraction(ballot.value) <= 37)
    story = server.ask("GET", "/api/searches/noisy/story")
    low, high = story["rounds"][-1]["known"]
    assert story["heard"] is None
    assert low <= 37 <= high < 100


def test_a_wrong_code_and_a_form_of_another_site_are_refused(server: Served) -> None:
    server.create(quorum=1)
    page = server.client.post("/answer/code", data={"code": "recognisable"})
    assert page.status_code == 403
    assert "recognisable" not in page.text
    token = server.invite()
    other = {"Sec-Fetch-Site": "cross-site"}
    for path in ("/answer/code", "/answer/vote"):
        data = {"code": token, "id": "q0.0", "yes": "1"}
        assert server.client.post(path, data=data, headers=other).status_code in (401, 403)
    assert server.client.post("/answer/vote", data={"id": "q0.0", "yes": "1"}).status_code == 401
    server.client.cookies.set("feint", server.owner)
    assert server.client.post("/answer/vote", data={"id": "q0.0", "yes": "1"}).status_code == 403


def test_what_a_respondent_is_sent_does_not_tell_how_others_voted(server: Served) -> None:
    """Byte by byte the same page, whether another said yes or no to everything."""
    seen = []
    for yes in (True, False):
        server.polls.delete("price")
        server.create(quorum=3)
        other, _ = server.polls.invite("price")
        for ballot in server.polls.sheet("price", other).ballots:
            server.polls.vote("price", other, ballot.id, yes)
        server.client.post("/answer/code", data={"code": server.invite()})
        seen.append(server.client.get("/answer").content)
    assert seen[0] == seen[1]


def test_no_route_of_the_pages_writes_what_was_sent_to_the_log(server: Served) -> None:
    server.create(quorum=1)
    server.client.post("/answer/code", data={"code": server.invite()})
    server.client.post("/answer/vote", data={"id": "q0.0", "yes": "1"})
    server.client.get("/answer?again=recognisable")
    said = "".join(server.lines)
    assert "recognisable" not in said
    assert "at least" not in said
