"""Polls in words of one's own: what respondents read, what is escaped, and what lengths tell."""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Iterator
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from tests.support.journals import KEY, PLAN
from tests.support.polls import answered_alike
from tests.support.servers import PROBLEM, Served, served

from feint import Domain, Search
from feint.journal import SQL
from feint.journal.polls import Polls, Terms
from feint.problem import Preface
from feint.search import worded
from feint.server import padding
from feint.server.story import told

SAVED = Path(__file__).parents[1] / "journal" / "polls" / "saved"
SCRIPT = "<script>alert(1)</script>"
QUESTION = "Would you buy 2024's best loaf at €{value}, or not?"
NEW = {
    "name": "loaf",
    "problem": PROBLEM | {"units": ["€"], "questions": [QUESTION]},
    "terms": {"quorum": 1},
    "asker": "Ada's <b>bakery</b>",
    "introduction": f"We plan a loaf.\n{SCRIPT}",
}


@pytest.fixture
def server() -> Iterator[Served]:
    with served() as found:
        yield found


def begun(server: Served, **words: Any) -> Any:
    return server.ask("POST", "/api/searches", json=NEW | words, status=201)


def test_a_respondent_reads_the_question_who_asks_and_why(server: Served) -> None:
    status = begun(server)
    value = status["questions"][0]["text"].removeprefix("Would you buy 2024's best loaf at €")
    shown = value.removesuffix(", or not?")
    server.client.post("/answer/code", data={"code": server.invite("loaf")})
    page = server.client.get("/answer").text
    assert SCRIPT not in page
    assert "<b>bakery" not in page
    assert f"We plan a loaf.\n{SCRIPT}" in unescape(page)
    assert "Ada's <b>bakery</b>" in unescape(page)
    heading = re.search(r"<h1>(.*?)<strong[^>]*>(.*?)</strong>(.*?)</h1>", page, re.DOTALL)
    assert heading is not None
    assert [unescape(each) for each in heading.groups()] == [
        "Would you buy 2024's best loaf at ",
        f"€{shown},",
        " or not?",
    ]


def test_a_respondents_program_reads_the_same(server: Served) -> None:
    begun(server)
    sheet = server.ask("GET", "/api/poll", token=server.invite("loaf"))
    assert sheet["asker"] == NEW["asker"]
    assert sheet["introduction"] == NEW["introduction"]
    for ballot in sheet["ballots"]:
        before, value, after = ballot["parts"]
        assert before + value + after == ballot["text"]
        assert f"{before}{{value}}{after}" == QUESTION
        assert Fraction(value) == Fraction(ballot["value"])  # exactly as it is planned


def test_the_owner_reads_the_deal_the_unit_and_what_yes_means(server: Served) -> None:
    begun(server, yes_means="below")
    story = server.ask("GET", "/api/searches/loaf/story")
    assert "You learn the price to within ±€" in story["deal"]
    assert (story["unit"], story["yes_means"]) == ("€", "below")
    (query, *_) = server.ask("GET", "/api/searches/loaf/queries")["queries"]
    assert (query["unit"], query["question"]) == ("€", QUESTION)
    sheet = server.client.get(
        "/api/searches/loaf/round.csv", headers={"Authorization": f"Bearer {server.owner}"}
    ).text
    (row, *_) = csv.DictReader(io.StringIO(sheet))
    assert row["question"] == query["text"]
    assert row["asker"] == NEW["asker"]


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ({"problem": PROBLEM | {"questions": ["no value"]}}, "{value} once"),
        ({"problem": PROBLEM | {"questions": ["{value}", "{value}"]}}, "there are 1 coordinates"),
        ({"problem": PROBLEM | {"units": ["1"]}}, "no digits"),
        ({"asker": "a\nb"}, "in one line"),
    ],
)
def test_wording_that_cannot_be_shown_is_refused(
    server: Served, new: dict[str, Any], said: str
) -> None:
    answer = server.ask("POST", "/api/searches", json=NEW | new, status=422)
    assert said in answer["error"]["message"]
    assert server.ask("GET", "/api/searches")["searches"] == []


def test_the_same_request_again_is_the_same_poll(server: Served) -> None:
    """And another wording under its key is another request, which is refused."""
    for _ in range(2):
        headers = {"Authorization": f"Bearer {server.owner}", "Idempotency-Key": "one"}
        answer = server.client.post("/api/searches", json=NEW, headers=headers)
        assert answer.status_code == 201
    other = server.client.post("/api/searches", json=NEW | {"asker": "Eve"}, headers=headers)
    assert other.status_code == 409


def test_lengths_do_not_depend_on_answers() -> None:
    """Two numbers that are asked about alike, in words of one's own: bodies of one length."""
    lengths = set()
    domain = Domain(10, 20, label="price", unit="€", question=QUESTION)
    found = []
    for key, answers in answered_alike(PLAN):
        search = Search(PLAN, key=key, domains=(domain,), preface=Preface(asker="Ada"))
        while not search.done:
            for query in search.ask():
                search.tell(query.id, answers[query.id])
        story = padding.body(padding.story(search, told(search)))
        lengths.add((len(story), len(padding.body(padding.result(search)))))
        found.append(search.result)
    assert found[0].estimate != found[1].estimate
    assert found[0].deal == found[1].deal
    assert len(lengths) == 1


def test_a_poll_of_an_earlier_version_is_shown_as_it_was(tmp_path: Path) -> None:
    """Its rows know no parts and no preface: the value is the last word of the question."""
    shutil.copy(SAVED / "v1.db", tmp_path / "v1.db")
    polls = Polls(SQL(f"sqlite:///{tmp_path / 'v1.db'}", key=KEY))
    person = next(iter(polls.respondents("price")))
    sheet = polls.sheet("price", person)
    assert sheet.ballots
    assert {each.parts for each in sheet.ballots} == {()}
    assert (sheet.asker, sheet.introduction) == (None, None)
    polls.close()


def test_a_poll_keeps_its_words_when_the_server_is_started_again(tmp_path: Path) -> None:
    where = f"sqlite:///{tmp_path / 'polls.db'}"
    domains = worded((Domain(10, 20, label="price"),), questions=[QUESTION])
    for _ in range(2):
        polls = Polls(SQL(where, key=KEY))
        if not polls.names():
            preface = Preface(asker="Ada")
            polls.create("loaf", PLAN, terms=Terms(quorum=1), domains=domains, preface=preface)
            person, _ = polls.invite("loaf")
        sheet = polls.sheet("loaf", person)
        assert sheet.asker == "Ada"
        assert sheet.ballots[0].text.startswith("Would you buy 2024's best loaf at €1")
        assert polls.search("loaf").domains == domains
        polls.close()


def test_a_page_that_is_not_there_is_a_page_for_people_and_json_for_programs(
    server: Served,
) -> None:
    page = server.client.get("/nothing", headers={"Accept": "text/html,*/*;q=0.8"})
    assert page.status_code == 404
    assert "There is no such page" in page.text
    assert page.headers["Content-Security-Policy"]
    for path, accept in (("/nothing", "*/*"), ("/api/nothing", "text/html")):
        answer = server.client.get(path, headers={"Accept": accept})
        assert answer.status_code == 404
        assert answer.json()["error"]["code"]


def test_the_example_is_one_in_which_she_misses(server: Served) -> None:
    problem = {"low": 20, "high": 100, "epsilon": 2, "delta": 16, "level": 3}
    for number in (21, 50, 71, 99):
        wanted = {"problem": problem, "number": number}
        story = server.ask("POST", "/api/plan/example", json=wanted)["found"]
        assert story["misses"]
        low, high, _ = story["heard"][-1]["window"]
        middles = [(low + high) / 2]
        middles += [(start + end) / 2 for start, end, _ in story["heard"][-1]["pieces"]]
        assert any(abs(each - number) > 8 for each in middles)
    bisection = {"problem": problem | {"method": "bisection"}, "number": 50}
    assert not server.ask("POST", "/api/plan/example", json=bisection)["found"]["misses"]


def test_the_planner_has_the_deal_in_the_users_words(server: Served) -> None:
    problem = {"low": 20, "high": 100, "within": "0.5", "delta": 5, "level": 4}
    wanted = problem | {"labels": ["price"], "units": ["€"]}
    found = server.ask("POST", "/api/plan", json=wanted)["found"]
    assert found["deal"].endswith(
        "You learn the price to within ±€0.5; a watcher gets within ±€2.5 at most 1 time in 4."
    )
    both = server.ask("POST", "/api/plan", json=wanted | {"epsilon": 1})
    assert both["error"]["argument"] == "within"


def test_pages_link_to_the_documentation_where_there_is_an_address(server: Served) -> None:
    assert ">Documentation<" not in server.client.get("/help").text
    for name in ("epsilon", "delta", "level", "noise", "she", "asking"):
        assert f'id="{name}"' in server.client.get("/help").text
