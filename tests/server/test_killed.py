"""A server that is killed at any moment under load loses nothing and asks nothing else.

Respondents vote as fast as they can while the server is killed with SIGKILL after random numbers of
votes, 20 times, and 200 times in the slow run. Then every acknowledged vote is there, every
question was answered once, no question was ever shown with another text, and the result is that of
a search which nobody disturbed.
"""

import random
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from tests.support.databases import databases, postgres
from tests.support.forked import Forked, Parent
from tests.support.journals import KEY
from tests.support.load import NAME, PLAN, Load, checked
from tests.support.members import small_member

from feint import Domain, Plan
from feint.cli.app import run
from feint.journal import SQL, write_key
from feint.journal.polls import Polls, Terms
from feint.simulate.oracles import GrowingSample

SURE = Plan.of(small_member("0.8", confidence="0.8"), domain=Domain(10, 20, label="price"))


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks a server that was killed asks again at once."""
    monkeypatch.setattr("feint.server.client.wire._LONGEST", 0.01)


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parent]:
    """Loads a server once for all tests here."""
    held = Parent(tmp_path_factory.mktemp("servers") / "log")
    yield held
    held.close()


@contextmanager
def running(parent: Parent, url: str, folder: Path) -> Iterator[tuple[Forked, Polls]]:
    write_key(folder / "key", KEY)
    store = SQL(url, key=KEY)
    store.delete(NAME)
    server = Forked(parent, url, folder / "key")
    server.start()
    try:
        yield server, Polls(store)
    finally:
        server.close()
        store.delete(NAME)
        store.close()


def disturbed(
    parent: Parent, url: str, folder: Path, *, kills: int, quorum: int, seed: int
) -> None:
    draw = random.Random(seed)
    with running(parent, url, folder) as (server, polls):
        polls.create(NAME, PLAN, terms=Terms(quorum=quorum), key=bytes(32))
        people = [polls.invite(NAME, id=str(number)) for number in range(quorum)]
        load = Load([server.url], [token for _, token in people])
        for thread in load.threads:
            thread.start()
        votes = PLAN.queries * quorum
        killed = 0
        for wait in sorted(draw.sample(range(1, votes * 4 // 5), kills)):
            before = load.voted
            for _ in range(max(0, wait - before)):
                load.moved.acquire()
            if polls.standing(NAME)[0] == "done":
                break
            server.kill()
            server.start()
            killed += 1
        for thread in load.threads:
            thread.join()
        assert load.errors == []
        assert killed == kills
        checked(polls, load, people)


def test_three_kills_lose_nothing(parent: Parent, url: str, tmp_path: Path) -> None:
    # With fewer votes a quick server would be done before the third kill.
    disturbed(parent, url, tmp_path, kills=3, quorum=5, seed=1)


@pytest.mark.parametrize(
    "kills", [pytest.param(3, marks=pytest.mark.long), pytest.param(20, marks=pytest.mark.slow)]
)
def test_kills_lose_nothing_of_a_noisy_search_whose_samples_grow(
    kills: int, parent: Parent, url: str, tmp_path: Path
) -> None:
    """All votes are true, but a sample needs a lead of three, so those of hiding grow once.

    A respondent votes on one sample of a point. This search asks about one point five times, so it
    takes fifteen of them.
    """
    terms = Terms(quorum=3, growing=GrowingSample(first=1, more=2, batches=3, lead=3))
    draw, number = random.Random(4), 14
    with running(parent, url, tmp_path) as (server, polls):
        polls.create(NAME, SURE, terms=terms, key=bytes(32))
        people = [polls.invite(NAME, id=str(each)) for each in range(15)]
        load = Load([server.url], [token for _, token in people], number=number)
        for thread in load.threads:
            thread.start()
        for _ in range(kills):
            for _ in range(draw.randint(1, 6)):
                load.moved.acquire()
            if polls.standing(NAME)[0] == "done":
                break
            server.kill()
            server.start()
        for thread in load.threads:
            thread.join()
        assert load.errors == []
        checked(polls, load, people, plan=SURE)
        with polls._store.reading(NAME) as held:
            batches = [row["number"] for row in held.rows("batch").values()]
            tallies = [row["yes"] + row["no"] for row in held.rows("tally").values()]
        assert batches
        assert set(batches) == {1}
        assert set(tallies) == {3}


@pytest.mark.slow
def test_two_hundred_kills_lose_nothing(parent: Parent, url: str, tmp_path: Path) -> None:
    disturbed(parent, url, tmp_path, kills=200, quorum=3, seed=2)


@pytest.mark.slow
def test_two_servers_on_one_database_lose_nothing(parent: Parent, url: str, tmp_path: Path) -> None:
    """Two servers, one of which is killed again and again while both take votes."""
    with running(parent, url, tmp_path) as (first, polls):
        other = Parent(tmp_path / "log")
        second = Forked(other, url, tmp_path / "key")
        second.start()
        try:
            polls.create(NAME, PLAN, terms=Terms(quorum=3), key=bytes(32))
            people = [polls.invite(NAME, id=str(number)) for number in range(6)]
            load = Load([first.url, second.url], [token for _, token in people])
            for thread in load.threads:
                thread.start()
            for _ in range(10):
                for _ in range(20):
                    load.moved.acquire()
                second.kill()
                second.start()
            for thread in load.threads:
                thread.join()
            assert load.errors == []
            checked(polls, load, people)
        finally:
            second.close()
            other.close()


@pytest.mark.slow
@pytest.mark.parametrize("kind", databases()[1:])
def test_a_database_that_is_killed_and_comes_back_loses_nothing(
    kind: str, parent: Parent, tmp_path: Path
) -> None:
    """PostgreSQL itself is gone five times under load; it stops as in a crash, and recovers."""
    with postgres() as database, running(parent, database.url, tmp_path) as (server, polls):
        polls.create(NAME, PLAN, terms=Terms(quorum=1), key=bytes(32))
        people = [polls.invite(NAME, id="0")]
        load = Load([server.url], [token for _, token in people])
        for thread in load.threads:
            thread.start()
        for _ in range(5):
            for _ in range(20):
                load.moved.acquire()
            database.stop(how="immediate")
            assert httpx.get(f"{server.url}/healthz").status_code == 503
            database.start()
        for thread in load.threads:
            thread.join()
        assert load.errors == []
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        checked(polls, load, people)


def test_a_server_that_is_asked_to_stop_ends_its_streams(parent: Parent, tmp_path: Path) -> None:
    """It does not wait for them: the stream ends, and the process in order."""
    with running(parent, f"sqlite:///{tmp_path}/journal.db", tmp_path) as (server, polls):
        polls.create(NAME, PLAN, terms=Terms(quorum=1))
        _, token = polls.invite(NAME)
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.stream("GET", f"{server.url}/api/poll/stream", headers=headers) as answer:
            lines = answer.iter_lines()
            assert next(lines) == 'data: {"standing": "open", "round": 0, "batch": 0}'
            assert answer.headers.get_list("Cache-Control") == ["no-store, no-transform"]
            assert server.kill(signal.SIGTERM) in (0, signal.SIGTERM)
            assert not any(line.startswith("data") for line in lines)


def test_a_stream_tells_when_a_round_opens(parent: Parent, tmp_path: Path) -> None:
    with running(parent, f"sqlite:///{tmp_path}/journal.db", tmp_path) as (server, polls):
        polls.create(NAME, PLAN, terms=Terms(quorum=1))
        person, token = polls.invite(NAME)
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.stream("GET", f"{server.url}/api/poll/stream", headers=headers) as answer:
            news = (line for line in answer.iter_lines() if line.startswith("data"))
            assert next(news) == 'data: {"standing": "open", "round": 0, "batch": 0}'
            for ballot in polls.sheet(NAME, person).ballots:
                polls.vote(NAME, person, ballot.id, True)  # as another worker would
            assert next(news) == 'data: {"standing": "open", "round": 1, "batch": 0}'
            polls.delete(NAME)
            assert list(news) == []


def news_of(answer: httpx.Response) -> Iterator[str]:
    return (line for line in answer.iter_lines() if line.startswith("data"))


def test_who_is_revoked_hears_no_more(parent: Parent, tmp_path: Path) -> None:
    """Revoked by another process, as another worker would; the others are told the next round."""
    with running(parent, f"sqlite:///{tmp_path}/journal.db", tmp_path) as (server, polls):
        polls.create(NAME, PLAN, terms=Terms(quorum=1))
        url, (out, token), (stays, other) = (
            f"{server.url}/api/poll/stream",
            polls.invite(NAME),
            polls.invite(NAME),
        )
        mine, theirs = ({"Authorization": f"Bearer {each}"} for each in (token, other))
        with (
            httpx.stream("GET", url, headers=mine) as gone,
            httpx.stream("GET", url, headers=theirs) as still,
        ):
            revoked, going_on = news_of(gone), news_of(still)
            first = 'data: {"standing": "open", "round": 0, "batch": 0}'
            assert next(revoked) == next(going_on) == first
            polls.revoke(NAME, out)
            assert list(revoked) == []
            for ballot in polls.sheet(NAME, stays).ballots:
                polls.vote(NAME, stays, ballot.id, True)
            assert next(going_on) == 'data: {"standing": "open", "round": 1, "batch": 0}'
            polls.archive(NAME)
            assert list(going_on) == ['data: {"standing": "archived", "round": 1, "batch": 0}']
        assert httpx.get(url, headers=mine).status_code == 401


def test_a_token_has_so_many_streams_at_once(parent: Parent, tmp_path: Path) -> None:
    with running(parent, f"sqlite:///{tmp_path}/journal.db", tmp_path) as (server, polls):
        polls.create(NAME, PLAN, terms=Terms(quorum=1))
        url = f"{server.url}/api/poll/stream"
        mine, theirs = ({"Authorization": f"Bearer {polls.invite(NAME)[1]}"} for _ in range(2))
        with httpx.Client() as client, ExitStack() as held:
            news = []  # or they would be closed
            for _ in range(16):
                answer = held.enter_context(client.stream("GET", url, headers=mine))
                news.append(news_of(answer))
                assert next(news[-1]) == 'data: {"standing": "open", "round": 0, "batch": 0}'
            refused = client.get(url, headers=mine)
            assert refused.status_code == 429
            assert "too many streams are open" in refused.json()["error"]["message"]
            with client.stream("GET", url, headers=theirs) as answer:
                assert answer.status_code == 200
            held.close()
            answered = 429
            while answered == 429:  # the server hears that they were closed in its own time
                with client.stream("GET", url, headers=mine) as answer:
                    answered = answer.status_code
            assert answered == 200


def test_feint_watch_goes_on_with_a_server_that_is_back(
    parent: Parent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running(parent, f"sqlite:///{tmp_path}/journal.db", tmp_path) as (server, polls):
        polls.create(NAME, PLAN, terms=Terms())
        monkeypatch.setenv("FEINT_TOKEN", str(polls.tokens.own(again=True)))
        lines = []

        def said(line: str) -> None:
            lines.append(line)
            if len(lines) == 1:
                server.kill()
                server.start()
                while polls.standing(NAME)[0] == "open":
                    polls.answer_all(NAME, {query.id: True for query in polls.open(NAME)})

        monkeypatch.setattr("feint.cli.database.show.lines", said)
        assert run(["watch", NAME, "--server", server.url]) == 0
        assert (lines[0], lines[-1].split(",")[0]) == (f"{NAME}: open, round 1", f"{NAME}: done")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_feint_watch_does_not_end_as_if_done(
    how: signal.Signals,
    parent: Parent,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The server is gone in the middle: one line, and the exit code of what cannot be done."""
    with running(parent, f"sqlite:///{tmp_path}/journal.db", tmp_path) as (server, polls):
        polls.create(NAME, PLAN, terms=Terms())
        monkeypatch.setenv("FEINT_TOKEN", str(polls.tokens.own(again=True)))
        assert run(["watch", "none", "--server", server.url]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "there is no search of this name" in line
        monkeypatch.setattr("feint.cli.database.show.lines", lambda line: server.kill(how))
        assert run(["watch", NAME, "--server", server.url]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("feint: the server does not answer (")
