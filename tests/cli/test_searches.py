"""Commands about searches that last: in a database of one's own, or on a server."""

import json
import os
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

import platformdirs
import pytest
from tests.support.journals import NUMBER, PLAN

from feint import Search
from feint.cli.app import run
from feint.cli.flags.place import DatabaseFlags, token
from feint.errors import InvalidValue
from feint.journal import SQL, begin, fresh_key, key_text, read_key
from feint.journal.driver import Driver
from feint.journal.polls import Polls
from feint.search import finish
from feint.simulate.oracles import Hidden

Output = pytest.CaptureFixture[str]


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    for name in ("FEINT_KEY", "FEINT_DATABASE"):
        monkeypatch.delenv(name, raising=False)
    begun = Search(PLAN, key=bytes(32))
    (first, *_) = begun.ask()
    begun.tell(first.id, first.value <= NUMBER)
    (tmp_path / "begun.json").write_text(begun.to_json())
    return ["--database", f"sqlite:///{tmp_path}/journal.db", "--key-file", f"{tmp_path}/key"]


def test_a_search_is_imported_answered_listed_and_exported(
    where: list[str], tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(["searches", *where]) == 2
    assert "there is no key file" in capsys.readouterr().err
    assert run(["import", "price", "--from", str(tmp_path / "begun.json"), *where]) == 0
    most = "" if PLAN.asks_all else "at most "
    line = f"price: open, 1 of {most}{PLAN.queries} questions answered, 0 respondents\n"
    assert capsys.readouterr().out == line
    assert run(["searches", *where]) == 0
    assert capsys.readouterr().out == line
    assert run(["searches", "--json", *where]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["answered"]) == ("price", 1)
    assert run(["status", "price", *where]) == 0
    assert "Is the price at least" in capsys.readouterr().out

    def prompt(text: str) -> str:
        value = float(text.split("least ")[1].split("?")[0])
        return "yes" if value <= NUMBER else "n"

    monkeypatch.setattr("feint.cli.database.typer.prompt", prompt)
    assert run(["answer", "price", *where]) == 0
    alone = finish(Search(PLAN, key=bytes(32)), Hidden(NUMBER))
    assert capsys.readouterr().out == f"price: done\n{alone}\n"
    to = tmp_path / "done.json"
    assert run(["export", "price", "--to", str(to), *where]) == 0
    assert to.stat().st_mode & 0o777 == 0o600
    assert Search.from_json(to.read_text()).result == alone
    polled = ["import", "polled", "--from", str(tmp_path / "begun.json"), "--quorum", "3", *where]
    assert run(polled) == 0
    assert run(["answer", "polled", *where]) == 2
    assert "respondents vote in this poll" in capsys.readouterr().err
    assert run(["export", "price", "--to", str(to), *where]) == 2
    assert "this file exists already" in capsys.readouterr().err


def test_a_search_that_is_no_poll_is_listed_beside_the_others(
    where: list[str], tmp_path: Path, capsys: Output
) -> None:
    """A program keeps it in the same database; nothing else in the list suffers from it."""
    run(["import", "price", "--from", str(tmp_path / "begun.json"), *where])
    begin(SQL(f"sqlite:///{tmp_path}/journal.db", key=read_key(tmp_path / "key")), "own", PLAN)
    capsys.readouterr()
    assert run(["searches", *where]) == 0
    own, price = capsys.readouterr().out.splitlines()
    assert own == "own: no poll; a program answers it, or it was interrupted when it began"
    assert price.startswith("price: open, 1 of")
    assert run(["searches", "--json", *where]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["standing"], row["round"]) for row in rows] == [
        ("own", "no poll", None),
        ("price", "open", rows[1]["round"]),
    ]
    assert run(["status", "own", *where]) == 2
    assert "this search is no poll" in capsys.readouterr().err


def test_votes_that_are_no_answers_yet_are_not_exported_in_silence(
    where: list[str], tmp_path: Path, capsys: Output
) -> None:
    source = ["--from", str(tmp_path / "begun.json"), "--quorum", "3"]
    run(["import", "price", *source, *where])
    store = SQL(f"sqlite:///{tmp_path}/journal.db", key=read_key(tmp_path / "key"))
    polls = Polls(store)
    (query, *_) = polls.open("price")
    lost = "on questions that are still open"
    for number, words in enumerate((None, "1 vote {} is not in it", "2 votes {} are not in it")):
        capsys.readouterr()
        assert run(["export", "price", "--to", str(tmp_path / f"{number}.json"), *where]) == 0
        said = capsys.readouterr().out
        assert lost not in said if words is None else words.format(lost) in said
        polls.vote("price", polls.invite("price")[0], query.id, True)
    begin(store, "own", PLAN)
    capsys.readouterr()
    assert run(["export", "own", "--to", str(tmp_path / "own.json"), *where]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_a_backup_opens_with_the_same_key(where: list[str], tmp_path: Path, capsys: Output) -> None:
    run(["import", "price", "--from", str(tmp_path / "begun.json"), *where])
    copy = tmp_path / "copy.db"
    assert run(["backup", "--to", str(copy), *where]) == 0
    assert copy.stat().st_mode & 0o777 == 0o600
    capsys.readouterr()
    there = ["--database", f"sqlite:///{copy}", "--key-file", str(tmp_path / "key")]
    assert run(["searches", *there]) == 0
    assert capsys.readouterr().out.startswith("price: open, 1 of")
    assert run(["backup", "--to", str(copy), *where]) == 2
    key = (tmp_path / "key").read_bytes()
    none = ["--database", f"sqlite:///{tmp_path}/typo.db", "--key-file", str(tmp_path / "key")]
    reading = (["searches"], ["status", "price"], ["answer", "price"])
    for words in (["backup", "--to", str(tmp_path / "none.db")], ["rotate"], *reading):
        assert run([*words, *none]) == 2  # nothing is copied or made, and the key stays
        assert "there is no database of this name" in capsys.readouterr().err
    assert sorted(each.name for each in tmp_path.iterdir() if "typo" in each.name) == []
    assert (tmp_path / "key").read_bytes() == key
    (tmp_path / "other.db").write_bytes(b"something else" * 100)
    bad = ["--database", f"sqlite:///{tmp_path}/other.db", "--key-file", str(tmp_path / "key")]
    for words in (["searches"], ["backup", "--to", str(tmp_path / "none.db")]):
        assert run([*words, *bad]) == 2
        assert "no database, or is damaged" in capsys.readouterr().err
    other = ["--database", f"sqlite:///{copy}", "--key-file", str(tmp_path / "other")]
    assert run(["searches", *other]) == 2
    assert "there is no key file" in capsys.readouterr().err
    read_key(tmp_path / "other")
    assert run(["searches", *other]) == 2
    assert "was sealed under another key" in capsys.readouterr().err


def test_a_new_master_key_takes_the_place_of_the_old(
    where: list[str], tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(["import", "price", "--from", str(tmp_path / "begun.json"), *where])
    old = (tmp_path / "key").read_text()
    assert run(["rotate", *where]) == 0
    assert (tmp_path / "key").read_text() != old
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert sorted(each.name for each in tmp_path.glob("key*")) == ["key"]
    capsys.readouterr()
    assert run(["searches", *where]) == 0
    assert capsys.readouterr().out.startswith("price: open, 1 of")
    other = tmp_path / "other"
    assert run(["rotate", "--to", str(other), *where]) == 0
    assert run(["searches", *where]) == 2
    assert run(["searches", *where[:3], str(other)]) == 0
    monkeypatch.setenv("FEINT_KEY", other.read_text().strip())
    assert run(["rotate", *where]) == 2
    assert "a new one must be kept somewhere; name a file" in capsys.readouterr().err
    assert run(["rotate", "--to", str(tmp_path / "third"), *where]) == 0


def test_a_counter_that_was_noted_tells_an_old_copy(
    where: list[str], tmp_path: Path, capsys: Output
) -> None:
    run(["import", "price", "--from", str(tmp_path / "begun.json"), *where])
    copy = tmp_path / "copy.db"
    assert run(["backup", "--to", str(copy), *where]) == 0
    polls = Polls(SQL(f"sqlite:///{tmp_path}/journal.db", key=read_key(tmp_path / "key")))
    polls.answer("price", polls.open("price")[0].id, True)
    capsys.readouterr()
    assert run(["status", "price", "--json", *where]) == 0
    noted = json.loads(capsys.readouterr().out)["counter"]
    assert run(["status", "price", "--at-least", str(noted), *where]) == 0
    assert f"counter {noted}" in capsys.readouterr().out.splitlines()
    again = ["--database", f"sqlite:///{tmp_path}/again.db", *where[2:]]
    assert run(["restore", "--from", str(copy), *again]) == 0
    assert "shown again with the same coins" in capsys.readouterr().out.replace("\n", " ")
    assert run(["status", "price", "--at-least", str(noted), *again]) == 2
    assert f"the counter of price is {noted - 1}: it is an old copy" in capsys.readouterr().err
    assert run(["restore", "--from", str(copy), *again]) == 2
    assert "there is a database already" in capsys.readouterr().err
    assert run(["rotate", "--data", *where]) == 0
    assert capsys.readouterr().out == "1 searches have new data keys.\n"
    assert run(["rotate", "--data", "--to", str(tmp_path / "new"), *where]) == 2


def test_the_database_and_its_key_can_be_in_the_environment_alone(
    where: list[str], tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other users can read a command with its flags, and a URL may hold a password."""
    monkeypatch.setenv("FEINT_DATABASE", f"sqlite:///{tmp_path}/journal.db")
    monkeypatch.setenv("FEINT_KEY", key_text(fresh_key()))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert run(["searches"]) == 2  # one that is named is not made to list it
    assert "there is no database of this name" in capsys.readouterr().err
    assert run(["import", "price", "--from", str(tmp_path / "begun.json")]) == 0
    for words in (
        ["searches"],
        ["status", "price"],
        ["export", "price", "--to", str(tmp_path / "out.json")],
        ["backup", "--to", str(tmp_path / "copy.db")],
        ["rotate", "--to", str(tmp_path / "new key")],
    ):
        assert run(words) == 0
    assert "In your own database" not in capsys.readouterr().out
    monkeypatch.setenv("FEINT_KEY", (tmp_path / "new key").read_text())
    monkeypatch.setattr("feint.cli.database.typer.prompt", lambda text: "no")
    assert run(["answer", "price"]) == 0
    other = ["--database", f"sqlite:///{tmp_path}/other.db"]
    assert run(["searches", *other]) == 2  # the flag comes first
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "config").exists()
    monkeypatch.setenv("FEINT_TOKEN", "x")
    assert run(["searches", "--server", "http://127.0.0.1:1"]) == 2  # and so does the server
    assert "is used instead of a database" not in capsys.readouterr().err


def test_the_key_of_your_own_database_is_in_another_folder(
    where: list[str], tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, config = tmp_path / "data" / "feint", tmp_path / "config" / "feint"
    monkeypatch.setenv("XDG_DATA_HOME", str(data.parent))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config.parent))
    assert DatabaseFlags().advice() is None
    assert run(["import", "price", "--from", str(tmp_path / "begun.json")]) == 0
    assert {each.name for each in data.iterdir()} >= {"journal.db"}
    assert not (data / "key").exists()
    assert (config / "key").stat().st_mode & 0o777 == 0o600
    assert config.stat().st_mode & 0o777 == 0o700
    (config / "key").rename(data / "key")  # where earlier versions put it
    capsys.readouterr()
    assert run(["searches"]) == 0
    assert "price: open" in capsys.readouterr().out
    assert not (config / "key").exists()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        run(["serve", "--port", str(taken.getsockname()[1])])
    told = capsys.readouterr().err
    assert "The key lies beside the database" in told
    move = told.partition("Move it: ")[2].partition("\n")[0]
    subprocess.run(move, shell=True, check=True)
    assert DatabaseFlags().advice() is None
    assert run(["searches"]) == 0
    assert "price: open" in capsys.readouterr().out


def test_where_data_and_settings_share_a_folder_the_key_has_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on macOS and on Windows."""
    monkeypatch.setattr("platformdirs.user_config_path", platformdirs.user_data_path)
    flags = DatabaseFlags()
    assert flags.key.parent.name == "feint-key"
    assert flags.key.parent.parent == platformdirs.user_data_path("feint").parent


def test_a_token_is_in_the_environment_alone(
    where: list[str], capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FEINT_TOKEN", raising=False)
    with pytest.raises(InvalidValue, match="others can read a command"):
        token()
    assert token({"FEINT_TOKEN": " a\n"}) == "a"
    assert run(["searches", "--server", "http://127.0.0.1:1"]) == 2
    assert "FEINT_TOKEN" in capsys.readouterr().err
    assert run(["searches", "--server", "http://127.0.0.1:1", *where]) == 2
    assert "is used instead of a database" in capsys.readouterr().err


def test_what_is_not_there_is_one_line(where: list[str], capsys: Output) -> None:
    for words in (["status", "none"], ["answer", "none"], ["answer"]):
        assert run([*words, *where]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert os.environ.get("FEINT_TOKEN") is None


def test_a_restored_database_says_so(where: list[str], tmp_path: Path, capsys: Output) -> None:
    run(["import", "price", "--from", str(tmp_path / "begun.json"), *where])
    copy = tmp_path / "copy.db"
    assert run(["backup", "--to", str(copy), *where]) == 0
    there = ["--database", f"sqlite:///{tmp_path}/again.db", "--key-file", str(tmp_path / "key")]
    assert run(["restore", "--from", str(copy), *there]) == 0
    for words in (["searches"], ["status", "price"]):
        for place, said in ((where, False), (there, True)):
            capsys.readouterr()
            assert run([*words, *place]) == 0
            assert ("Restored from a backup on 2" in capsys.readouterr().out) is said
    for place, said in ((where, False), (there, True)):
        capsys.readouterr()
        assert run(["status", "price", "--json", *place]) == 0
        assert (json.loads(capsys.readouterr().out)["restored"] is not None) is said


def test_many_searches_are_listed_by_as_many_statements_as_one(
    where: list[str], tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken: list[object] = []
    said = Driver._said

    def counted(self: Driver, statement: object, words: Mapping[str, object]) -> object:
        spoken.append(statement)
        return said(self, statement, words)

    monkeypatch.setattr(Driver, "_said", counted)
    counts = []
    for number in range(3):
        run(["import", f"price {number}", "--from", str(tmp_path / "begun.json"), *where])
        spoken.clear()
        capsys.readouterr()
        assert run(["searches", *where]) == 0
        assert len(capsys.readouterr().out.splitlines()) == number + 1
        counts.append(len(spoken))
    assert len(set(counts)) == 1
