"""Nobody else learns an answer: neither by what they receive, nor by logs, nor by stored bytes."""

import json
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from tests.support.journals import KEY, PLAN
from tests.support.members import small_member
from tests.support.polls import answered_alike
from tests.support.servers import Served, served
from tests.support.uneven import Forked

from feint import Domain, Plan, Problem, Search, plan
from feint.journal import backup
from feint.journal.polls import Terms
from feint.search import finish
from feint.simulate.oracles import GrowingSample, Hidden

LABEL = "recognisable label"
UNEVEN = Plan.of(Forked(Problem("1/16", "1/4", 2)), domain=Domain(10, 20))
SURE = Plan.of(small_member("0.8", confidence="0.8"), domain=Domain(10, 20))
FINE = plan(Problem("2^-20", "1/12", 3), domain=Domain(0, 1, label=LABEL))
TARGET = Fraction(724_181, 1 << 20) + Fraction(1, 1 << 21)
KEY_OF_IT = bytes.fromhex("feedfacecafebeef" * 4)


def secrets() -> list[str]:
    """The number as it is found, in the spellings it may have; and the key of its coins."""
    found = finish(Search(FINE, key=KEY_OF_IT), Hidden(TARGET))
    ends = (found.estimate,)  # its ends are asked about, so they are public
    words = [word for end in ends for word in (str(float(end)), f"{end.numerator}/")]
    return [*words, KEY_OF_IT.hex(), "feedface", '"yes": true', '"yes":true']


def test_a_recognisable_answer_is_nowhere(tmp_path: Path) -> None:
    """In responses to respondents, their headers, log lines, URLs, the database, a backup."""
    heard: list[str] = []
    with served(tmp_path) as server:
        server.polls.create("secret", FINE, terms=Terms(quorum=3), key=KEY_OF_IT)
        tokens = [server.invite("secret") for _ in range(4)]
        *voters, watcher = tokens

        def hears(token: str, method: str, path: str, vote: object = None) -> dict[str, object]:
            headers = {"Authorization": f"Bearer {token}"}
            answer = server.client.request(method, path, headers=headers, json=vote)
            heard.append(f"{answer.url}\n{answer.headers}\n{answer.text}")
            found: dict[str, object] = answer.json()
            return found

        standing: object = "open"
        while standing == "open":
            for token in voters:
                sheet = hears(token, "GET", "/api/poll")
                ballots = sheet["ballots"]
                assert isinstance(ballots, list)
                for ballot in ballots:
                    if ballot["vote"] is None:
                        yes = Fraction(ballot["value"]) <= TARGET
                        hears(token, "POST", "/api/poll/votes", {"id": ballot["id"], "yes": yes})
            standing = hears(watcher, "GET", "/api/poll")["standing"]
            hears(watcher, "POST", "/api/poll/votes", {"id": "q0.0", "yes": True})
            for path in ("/api/searches/secret", "/api/searches/secret/result", "/none"):
                hears(watcher, "GET", path)
        found = server.ask("GET", "/api/searches/secret/result")
        assert secrets()[1] in json.dumps(found)  # the owner sees it: the test looks for the right
        backup(f"sqlite:///{tmp_path}/journal.db", tmp_path / "copy.db")
        log = "\n".join(server.lines)
    raw = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert len(raw) > 100_000
    for secret in secrets():
        assert secret not in "\n".join(heard)
        assert secret not in log
        assert secret.encode() not in raw
    for secret in (LABEL, "secret", *tokens, server.owner):
        assert secret.encode() not in raw
        assert secret not in log
    assert KEY_OF_IT not in raw
    assert KEY not in raw


GROWING = Terms(quorum=3, growing=GrowingSample(first=3, more=2, batches=2, lead=3))


@pytest.mark.parametrize(
    ("chosen", "terms", "decoys"),
    [
        (PLAN, Terms(quorum=3), False),
        (UNEVEN, Terms(quorum=3), False),
        (SURE, Terms(quorum=1), True),
        (SURE, Terms(quorum=1), False),
        pytest.param(SURE, GROWING, True, marks=pytest.mark.long),
        pytest.param(SURE, GROWING, False, marks=pytest.mark.long),
    ],
    ids=["one length", "several lengths", "other decoys", "other cut", "grow", "grow, other cut"],
)
def test_two_numbers_that_are_asked_about_alike_are_answered_alike(
    chosen: Plan, terms: Terms, decoys: bool
) -> None:
    """Status, headers but for the date, and bytes, in order, of all that a respondent receives.

    And the status and length of what the owner receives meanwhile, the metrics but for times, and
    the log. Where samples grow every other
    vote is against the answer, so all of them do.
    """

    def received(
        server: Served, key: bytes, says: Mapping[str, bool]
    ) -> tuple[list[tuple[int, object, bytes]], list[tuple[int, int]]]:
        before = len(server.lines)  # both servers log to both handlers
        noisy = chosen.problem.noisy  # then each vote is an answer, of somebody new; no watcher's
        server.polls.create("twin", chosen, terms=terms, key=key)
        voters = 3
        if noisy:
            voters = len(says) * (1 if terms.growing is None else terms.growing.largest)
        votes: Counter[str] = Counter()
        watcher, *others = (server.polls.invite("twin", id=str(n))[1] for n in range(1 + voters))
        log: list[tuple[int, object, bytes]] = []
        sizes: list[tuple[int, int]] = []
        owner = {"Authorization": f"Bearer {server.owner}"}

        def look() -> None:
            for path in ("/api/searches/twin", "/api/searches/twin/story"):
                answer = server.client.get(path, headers=owner)
                sizes.append((answer.status_code, len(answer.content)))

        def ask(token: str, method: str, path: str, vote: object = None) -> bytes:
            headers = {"Authorization": f"Bearer {token}"}
            answer = server.client.request(method, path, headers=headers, json=vote)
            if token == watcher:
                log.append((answer.status_code, sorted(answer.headers.items()), answer.content))
            return bytes(answer.content)

        while server.polls.standing("twin")[0] == "open":
            look()
            sheet = json.loads(ask(watcher, "GET", "/api/poll"))
            for ballot in sheet["ballots"]:
                for yes in () if noisy else (True, False, True):
                    ask(watcher, "POST", "/api/poll/votes", {"id": ballot["id"], "yes": yes})
                for token in [others.pop()] if noisy else others:
                    against = terms.growing is not None and votes[ballot["id"]] % 2 == 1
                    vote = {"id": ballot["id"], "yes": says[ballot["id"]] != against}
                    ask(token, "POST", "/api/poll/votes", vote)
                    votes[ballot["id"]] += 1
                    ask(watcher, "GET", "/api/poll")
                if not noisy:
                    ask(watcher, "POST", "/api/poll/votes", {"id": ballot["id"], "yes": False})
        ask(watcher, "GET", "/api/poll")
        look()
        found.append(server.polls.result("twin").estimate)
        owned = server.client.get("/metrics", headers=owner).text.splitlines()
        told = [line for line in owned if line.startswith("feint_requests_total")]
        timeless = [
            {name: value for name, value in json.loads(line).items() if name not in ("time", "ms")}
            for line in server.lines[before:]
            if '"request"' in line
        ]
        shown.append((told, timeless))
        assert all(
            server.polls.search("twin").told(id) is yes for id, yes in says.items()
        )  # or the votes were no such answers
        return log, sizes

    found: list[Fraction] = []
    shown: list[tuple[list[str], list[dict[str, object]]]] = []
    (key, says), (other_key, other) = answered_alike(chosen, decoys=decoys)
    assert says != other
    assert says.keys() == other.keys()
    with served() as first, served() as second:
        assert received(first, key, says) == received(second, other_key, other)
    assert shown[0] == shown[1]
    assert len(shown[0][0]) > 3
    assert len(shown[0][1]) > len(says)
    assert chosen.problem.noisy or found[0] != found[1]
