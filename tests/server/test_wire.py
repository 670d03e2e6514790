"""Whoever sees the encrypted connection learns no answer: every length is that of other answers.

A relay before a server on TLS records how long every record is. Searches are compared in pairs that
ask the same questions and are answered otherwise (`tests.support.pairs`).
"""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from tests.support.pairs import Case, pairs, plans
from tests.support.wiretap import Tapped, tapped

from feint.errors import FeintError, InvalidValue
from feint.journal.polls import Terms
from feint.server.client import Client, Respondent

Lengths = list[tuple[str, int, int]]
TITLES = ["id", "label", "value", "question", "answer"]


class Observer:
    """Who asks a server, and writes down how long each request and its response were."""

    def __init__(self, server: Tapped) -> None:
        self.server, self.seen = server, Lengths()
        self.owner = Client(server.url, server.owner, transport=server.transport())
        self.owner.names()  # the handshake and its tickets pass before anything is compared
        server.tap.lengths()

    def look(self, what: str) -> None:
        """Write down what passed since the last look."""
        self.seen.append((what, *self.server.tap.lengths()))

    def tell(self, search: str, id: str, yes: bool) -> None:
        """The owner's answer; that it is refused is no length."""
        with suppress(FeintError):
            self.owner.search(search).tell(id, yes)
        self.look(f"answer {id}")

    def get(self, path: str) -> None:
        """A page, or what a page fetches."""
        self.owner._http.get(path)
        self.look(path)


def by_owner(observer: Observer, case: Case, name: str) -> None:
    """The owner answers through the client; every third answer is first given the other way."""
    server, here = observer.server, f"/api/searches/{name}"
    server.polls.create(name, case.plan, terms=Terms(), key=case.key)
    for number in range(len(case.plan.strategy.rounds)):
        now = [id for id in case.answers if id.startswith(f"q{number}.")]
        for place, id in enumerate(now):
            if place % 3 == 0 and place + 1 < len(now):
                observer.tell(name, id, not case.answers[id])
            observer.tell(name, id, case.answers[id])
        for rest in ("", "/story", "/result", "/queries") if now else ():
            observer.get(here + rest)
    assert observer.owner.search(name).export().done
    observer.look("export")
    observer.owner.take_in(f"{name}'", server.polls.search(name))
    observer.look("import")
    rests = ("/transcript", "/transcript.csv", "/round.csv", "/respondents")
    for path in (*(here + rest for rest in rests), "/api/overview", f"/searches/{name}"):
        observer.get(path)
    for gone in (name, f"{name}'"):
        server.polls.delete(gone)


def by_votes(observer: Observer, case: Case, name: str) -> None:
    """Three people vote, one against the others by coin, through the client and by the form.

    Under noise each question has one vote, of somebody else.
    """
    server, random = observer.server, Random(str(case.answers))
    quorum = 1 if case.plan.problem.noisy else 3
    server.polls.create(name, case.plan, terms=Terms(quorum=quorum), key=case.key)
    several = range(3 if quorum == 3 else len(case.answers))
    tokens = [server.polls.invite(name, id=str(number))[1] for number in several]
    people = [Respondent(server.url, each, transport=server.transport()) for each in tokens]
    for person, token in zip(people, tokens, strict=True):
        session = server.polls.tokens.sit(token, lasts=3600)[1]
        person._http.cookies.set("__Host-feint-respondent", session)
        person.sheet()
    server.tap.lengths()
    for place, (id, yes) in enumerate(case.answers.items()):
        against = random.randrange(3) if quorum == 3 else None
        for number, person in enumerate(people if quorum == 3 else people[place : place + 1]):
            vote = yes != (number == against)
            if number == 1 and quorum == 3:
                person.vote(id, not vote)
            observer.look("other vote")
            if number == 2:
                form = {"id": id, "yes": "1" if vote else "0"}
                person._http.post("/answer/vote", data=form)
            else:
                person.vote(id, vote)
            observer.look(f"vote {id}")
            person.sheet()
            observer.look("sheet")
            person._http.get("/answer")
            observer.look("page")
        observer.get(f"/api/searches/{name}")
    for rest in ("", "/story", "/result", "/export"):
        observer.get(f"/api/searches/{name}{rest}")
    for person in people:
        person.close()
    server.polls.delete(name)


def by_sheet(observer: Observer, case: Case, name: str) -> None:
    """The owner brings sheets, as the page sends them; one that contradicts itself is refused."""
    server = observer.server
    server.polls.create(name, case.plan, terms=Terms(), key=case.key)
    for number, each in enumerate(case.plan.strategy.rounds):
        if not each.coordinates:
            continue
        rows = list(csv.DictReader(io.StringIO(_text(server, name))))
        filled = io.StringIO()
        writer = csv.DictWriter(filled, TITLES, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(row | {"answer": f"{'yes' if case.answers[row['id']] else 'no':5}"})
        path, kind = f"/api/searches/{name}/sheet", {"Content-Type": "text/csv"}
        observer.owner._http.post(path, content=filled.getvalue(), headers=kind)
        observer.look(f"sheet {number}")
        # A sheet that was refused is answered by hand: what follows is compared all the same.
        ids = {row["id"]: case.answers[row["id"]] for row in rows}
        server.polls.answer_all(name, ids)
    server.polls.delete(name)


def _text(server: Tapped, name: str) -> str:
    headers = {"Authorization": f"Bearer {server.owner}"}
    answer = httpx.get(
        f"{server.url}/api/searches/{name}/round.csv", headers=headers, verify=server.trust
    )
    server.tap.lengths()
    return answer.text


@pytest.mark.parametrize(
    "count",
    [
        9,  # three by each channel
        pytest.param(130, marks=pytest.mark.long),
        pytest.param(1000, marks=[pytest.mark.slow, pytest.mark.timeout(3600)]),
    ],
)
def test_no_length_on_the_wire_tells_an_answer(count: int, tmp_path: Path) -> None:
    """All that passes in both directions, for every pair, by one channel each in turn."""
    channels, compared, differed = (by_owner, by_votes, by_sheet), 0, list[Any]()
    with tapped(tmp_path) as server:
        for number, pair in enumerate(pairs(count)):
            channel, seen = channels[number % 3], list[Lengths]()
            assert pair[0].asked == pair[1].asked
            for case in pair:
                observer = Observer(server)
                channel(observer, case, f"search {number}")
                observer.owner.close()
                seen.append(observer.seen)
            compared += len(seen[0])
            both = zip(*seen, strict=True)
            differed += [(channel.__name__, *found) for found in both if found[0] != found[1]]
    assert differed == []
    assert compared > 10 * count


def test_replies_to_answers_have_one_length_whatever_came_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taken, taken again, or refused: as fixed, unknown, contradictory or unreadable."""
    name, chosen, statuses = "replies", plans()[-1], list[int]()
    assert [len(each.coordinates) for each in chosen.strategy.rounds[:2]] == [1, 3]
    with tapped(tmp_path) as server:
        observer = Observer(server)
        server.polls.create(name, chosen, terms=Terms())

        def bring(sheet: str, *words: str) -> None:
            titles, *rows = sheet.splitlines()
            filled = "\n".join([titles, *map("{}{:5}".format, rows, words)])
            path, kind = f"/api/searches/{name}/sheet", {"Content-Type": "text/csv"}
            statuses.append(
                observer.owner._http.post(path, content=filled, headers=kind).status_code
            )
            observer.look("sheet")

        first = _text(server, name)
        bring(first, "??")  # cannot be read
        bring(first, "yes")  # taken, and the next round is shown
        bring(first, "no")  # cannot be changed any more
        second = _text(server, name)
        places = [Fraction(row["value"]) for row in csv.DictReader(io.StringIO(second))]
        assert places == sorted(places)
        bring(second, "no", "yes", "yes")  # cannot all be right
        for id, yes in (("q0.0", True), ("q0.0", False), ("q9.9", True)):
            observer.tell(name, id, yes)
        with monkeypatch.context() as patch:
            patch.setattr("feint.search.course.Course.next", _lost)
            for id, yes in (("q1.0", False), ("q1.1", True), ("q1.2", True)):
                observer.tell(name, id, yes)  # no strategy of ours gives up, but others may
        assert server.polls.status(name)["answered"] == 3
        observer.owner.close()
    assert statuses == [422, 200, 409, 422]
    assert len({down for _, _, down in observer.seen}) == 1, observer.seen
    assert len({up for what, up, _ in observer.seen if what != "sheet"}) == 1


def _lost(course: object) -> object:
    raise InvalidValue("answers", "these", "lead nowhere", "correct one")


def test_a_stream_begins_alike_whatever_the_answers_are(tmp_path: Path) -> None:
    """What a stream says first, after each answer; and nothing but it is sent."""
    with tapped(tmp_path) as server:
        for one, other in pairs(4):
            heard = list[list[Any]]()
            for side, case in zip("ab", (one, other), strict=True):
                name, found = f"stream{side}", list[Any]()
                server.polls.create(name, case.plan, terms=Terms(), key=case.key)
                for id, yes in case.answers.items():
                    server.polls.answer(name, id, yes)
                    for kind in ("watch", "stream"):
                        found.append(_first_news(server, name, kind))
                heard.append(found)
                server.polls.delete(name)
            assert heard[0] == heard[1]


def _first_news(server: Tapped, name: str, kind: str) -> tuple[str, tuple[int, int]]:
    headers = {"Authorization": f"Bearer {server.owner}"}
    with httpx.Client(verify=server.trust, headers=headers) as asking:
        asking.get(f"{server.url}/healthz")
        # Streams that were closed before may still be told something, on connections of their own.
        connection = server.tap.connections[-1]
        connection.lengths()
        path = f"{server.url}/api/searches/{name}/{kind}"
        with asking.stream("GET", path) as answer:
            said = next(line for line in answer.iter_lines() if line.startswith("data:"))
            lengths = connection.lengths()
    assert json.loads(said.removeprefix("data:"))
    return said, lengths
