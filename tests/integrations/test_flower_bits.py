"""Clients that flip their bits: what is sent, kept and resent, and what is refused."""

import json
import logging
import os
import secrets
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import flwr.app as flwr
import pytest

from feint.errors import BadState, InvalidValue, NoPlan, OracleFailed, RepeatedSearch
from feint.integrations.flower import InProcess, private_quantile, private_values, replied
from feint.integrations.flower.wire import Terms, questions
from feint.journal import Memory
from feint.search import prepared

WANTED: dict[str, Any] = {"low": 0, "high": 64, "epsilon": 8, "delta": 16, "level": 2}
RANK: dict[str, Any] = {"rank": "0.45", "local_epsilon": 2}
COUNT = 121
SEARCH = "0" * 32


def client(own: float, folder: Path, budget: Any = 2) -> Callable[[Any], Any]:
    values = private_values(lambda _: own, local_epsilon=budget, folder=folder)
    return lambda message: replied(message, values(None))


def grid_in(folder: Path, **network: Any) -> InProcess:
    """Clients that hold 40 or so, each with a folder of its own."""
    return InProcess(
        {node: client(40 + node % 5, folder / str(node)) for node in range(1, COUNT + 1)}, **network
    )


def message_of(value: int, loss: Any = 2, search: str = SEARCH, dim: int = 1) -> Any:
    """A question by itself, as a server sends it."""
    from feint import Search

    InProcess({})
    query = Search(prepared(**WANTED)[0], seed=1).ask()[0]
    object.__setattr__(query, "value", Fraction(value))
    content = questions([query], dim=dim, terms=Terms(search, Fraction(loss)))
    return flwr.Message(content, dst_node_id=1, message_type="query.feint")


def bit_of(reply: Any) -> bytes:
    held = reply.content.config_records["feint"]["bits"]
    assert isinstance(held, bytes)
    return held


@pytest.mark.long
def test_a_search_over_the_wire(tmp_path: Path) -> None:
    """Each client answers one question; lost replies are asked for again and resent alike."""
    grid = grid_in(tmp_path, lost=0.2, doubled=0.1, seed=3)
    found = private_quantile(grid, seed=4, tries=40, **RANK, **WANTED)
    assert found.messages > COUNT * 3 // 4
    for node, heard in grid.heard.items():
        assert len({tuple(each) for each in heard}) <= 1  # the same question, however often
        kept = list((tmp_path / str(node)).rglob("*.json"))
        assert len(kept) == bool(heard)
    assert abs(found.result.estimate - 42) <= 8
    for words in (
        "within 0.45 of 1/2: at most a share 0.95 of them hold less",
        "proofs/bits.md",
        "at most 0.5, if all are equally likely",
        "2-locally differentially private (computed: 2.000000)",
        "it answers one question, and flips a bit with probability 0.119203",
    ):
        assert words in found.claim


def test_what_a_client_keeps_and_resends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The flipped bit, once: it is resent byte by byte, whatever coins come then."""
    for coin, told in ((0, b"\x00"), (2**64 - 1, b"\x01")):  # flipped, and not
        folder = tmp_path / str(coin)
        answers = client(40.0, folder)
        monkeypatch.setattr(secrets, "randbits", lambda _, coin=coin: coin)
        assert bit_of(answers(message_of(30))) == told
        (kept,) = folder.rglob("*.json")
        written = kept.read_bytes()
        assert json.loads(written) == {"question": "0 30", "loss": "2", "bit": told == b"\x01"}
        monkeypatch.setattr(secrets, "randbits", lambda _, coin=coin: 2**64 - 1 - coin)
        assert bit_of(client(0.0, folder)(message_of(30))) == told  # not even another number
        assert kept.read_bytes() == written
        assert os.stat(kept).st_mode & 0o077 == 0


def test_a_client_that_crashes_before_it_sends_resends_what_it_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from feint.integrations.flower import clients

    monkeypatch.setattr(secrets, "randbits", lambda _: 0)  # flips
    with monkeypatch.context() as patch:
        patch.setattr(clients, "bits", lambda told: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            client(40.0, tmp_path)(message_of(30))
    assert len(list(tmp_path.rglob("*.json"))) == 1
    monkeypatch.setattr(secrets, "randbits", lambda _: 2**64 - 1)
    assert bit_of(client(40.0, tmp_path)(message_of(30))) == b"\x00"


def test_the_budget_is_for_the_whole_search(tmp_path: Path) -> None:
    answers = client(40.0, tmp_path)
    answers(message_of(30))
    answers(message_of(30))  # a resend costs nothing
    with pytest.raises(InvalidValue, match="local_epsilon = 2: is used up"):
        answers(message_of(31))
    with pytest.warns(RepeatedSearch, match=r"2 searches, which together may lose 2 times"):
        answers(message_of(31, search="1" * 32))  # another search has its own
    shared = client(40.0, tmp_path / "shared")
    shared(message_of(30, loss=1))
    shared(message_of(31, loss=1))
    with pytest.raises(InvalidValue, match="is used up"):
        shared(message_of(32, loss=1))
    with pytest.raises(InvalidValue, match="all lose the same"):
        shared(message_of(30, loss="1/2"))
    with pytest.raises(InvalidValue, match="smaller than the loss of one answer"):
        client(40.0, tmp_path / "poor", budget=1)(message_of(30))


def test_searches_are_limited(tmp_path: Path) -> None:
    """Two are allowed: a third is refused, also by another process, and resends go on."""

    def limited() -> Callable[[Any], Any]:
        values = private_values(lambda _: 40.0, local_epsilon=2, folder=tmp_path, searches=2)
        return lambda message: replied(message, values(None))

    first = [bit_of(limited()(message_of(30, search=each * 32))) for each in "01"]
    for _ in range(2):
        with pytest.raises(InvalidValue, match="searches = 2: have been answered"):
            limited()(message_of(30, search="2" * 32))
    assert [bit_of(limited()(message_of(30, search=each * 32))) for each in "01"] == first
    assert len(list(tmp_path.rglob("*.json"))) == 2
    with pytest.raises(InvalidValue, match="searches"):
        private_values(lambda _: 40.0, local_epsilon=2, folder=tmp_path, searches=0)


def test_two_processes_cannot_answer_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process takes the place between the look and the writing: its bit is sent."""
    first, second = client(40.0, tmp_path), client(40.0, tmp_path)
    coins = [2**64 - 1, 0]

    def raced(_: int) -> int:
        coin = coins.pop()
        if coins:
            assert bit_of(second(message_of(30))) == b"\x01"
        return coin

    monkeypatch.setattr(secrets, "randbits", raced)
    assert bit_of(first(message_of(30))) == b"\x01"
    assert len(list(tmp_path.rglob("*.json"))) == 1


def test_true_bits_are_not_told_by_mistake(tmp_path: Path) -> None:
    """A server and a client that differ about flipping end with an error, not with a bit."""
    InProcess({})
    plain = flwr.Message(questions([], dim=1), dst_node_id=1, message_type="query.feint")
    with pytest.raises(InvalidValue, match="this client flips them"):
        client(40.0, tmp_path)(plain)
    with pytest.raises(InvalidValue, match="this client has no budget"):
        replied(message_of(30), 40.0)
    for wrong in ("../x", "", "G" * 32):
        with pytest.raises(InvalidValue, match="must name its search"):
            client(40.0, tmp_path)(message_of(30, search=wrong))
    assert not list(tmp_path.iterdir())


def test_clients_of_an_earlier_version_are_not_asked_for_their_true_bits(tmp_path: Path) -> None:
    """They know nothing of flipping, so they are not asked by a type that they understand."""
    heard = list[str]()
    grid = grid_in(tmp_path)

    def earlier(message: Any) -> Any:
        heard.append(message.metadata.message_type)
        raise ValueError("No query function registered with name 'feint'")

    grid.clients = dict.fromkeys(grid.clients, earlier)
    with pytest.raises(OracleFailed, match="with an error"):
        private_quantile(grid, tries=3, **RANK, **WANTED)
    assert set(heard) == {"query.feint"}


def test_folders_are_on_the_disk_before_a_bit_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each folder that is made is synced into the one it lies in, or a crash would lose the bit."""
    synced = list[Path]()
    kept = sys.modules["feint.integrations.flower.private_values"]
    monkeypatch.setattr(kept, "sync_folder", synced.append)
    client(40.0, tmp_path / "new" / "own")(message_of(30))
    own = tmp_path / "new" / "own"
    assert synced == [tmp_path, own.parent, own, own]


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / SEARCH).mkdir()
    (tmp_path / SEARCH / "0.json").write_text("{}")
    (tmp_path / SEARCH / "0.json").chmod(0o600)
    with pytest.raises(BadState, match="an answer that was sent"):
        client(40.0, tmp_path)(message_of(30))


@pytest.mark.long
def test_no_log_holds_a_bit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    grid = grid_in(tmp_path)
    with caplog.at_level(logging.DEBUG):
        found = private_quantile(grid, **RANK, **WANTED)
    assert caplog.text + "".join(capfd.readouterr()) == ""
    assert str(float(found.result.estimate)) not in repr(found)


def test_a_search_that_goes_on_gets_the_bits_that_were_sent(tmp_path: Path) -> None:
    """Killed in the middle of a round's answers, twice: the same clients, questions and result."""
    whole = private_quantile(grid_in(tmp_path), seed=5, **RANK, **WANTED)
    journal, grid = Memory(), grid_in(tmp_path)  # the same folders: seed 5 is the same search
    append = journal.append
    for last in (3, 6):

        def killed(name: str, number: int, event: Any, **more: Any) -> int:
            if number >= last:  # noqa: B023
                raise OSError("killed")
            return append(name, number, event, **more)

        journal.append = killed  # type: ignore[method-assign]
        with pytest.raises((OSError, OracleFailed)):
            private_quantile(grid, seed=5, journal=journal, **RANK, **WANTED)
    journal.append = append  # type: ignore[method-assign]
    found = private_quantile(grid, seed=5, journal=journal, **RANK, **WANTED)
    assert found.result.estimate == whole.result.estimate
    assert found.result.history == whole.result.history
    for node in grid.heard:
        assert len({tuple(each) for each in grid.heard[node]}) <= 1
        assert len(list((tmp_path / str(node)).rglob("*.json"))) <= 1


def test_too_few_clients_are_told_how_many_it_takes(tmp_path: Path) -> None:
    grid = grid_in(tmp_path)
    with pytest.raises(NoPlan, match=r"121 clients; ask about \d+ clients"):
        private_quantile(grid, rank="0.2", local_epsilon=1, **WANTED)
    assert not any(grid.heard.values())


@pytest.mark.parametrize(
    "wrong",
    [{"rank": None}, {"sample": 50}, {"missing": "0.1"}, {"margin": "0.1"}, {"liars": ".1"}],
)
def test_what_does_not_go_with_flipped_bits_is_named(wrong: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=next(iter(wrong))):
        private_quantile(grid_in(tmp_path), **RANK | wrong | WANTED)
