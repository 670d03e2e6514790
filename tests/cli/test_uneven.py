"""What the commands say of a search that may end early, in a file and in a database."""

import io
import json
import sys
from pathlib import Path

import pytest
from tests.support.journals import KEY
from tests.support.uneven import Forked

from feint import Domain, Plan
from feint.cli.app import run
from feint.journal import SQL
from feint.journal.polls import Polls, Terms
from feint.journal.sealing import key_text
from feint.search import create

Output = pytest.CaptureFixture[str]
PLAN = Plan.of(Forked(), domain=Domain(0, 15, step=1, label="price"))
MOST = "At most 7 questions (6.25 on average) in at most 4 rounds"


@pytest.fixture(autouse=True)
def begun(in_a_folder: None) -> None:
    create("feint-search.jsonl", PLAN)


def typed(words: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(words.split()) + "\n"))
    return run(["run", "--resume"])


def test_status_says_at_most(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["status"]) == 0
    out = capsys.readouterr().out
    assert f"{MOST}. It aims to find the price exactly, which is not" in out
    assert "No question is answered yet." in out
    assert run(["status", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["queries"], told["queries_mean"]) == (7, 6.25)
    assert (told["rounds"], told["rounds_mean"]) == (4, 3.75)
    assert typed("y q", monkeypatch) == 3
    captured = capsys.readouterr()
    assert "Round 1 of at most 4 (cut), 0 of at most 7 answered" in captured.out
    assert "Round 2 of at most 4 (cut), 1 of at most 6 answered" in captured.out
    assert "1 of at most 6 answers are kept in feint-search.jsonl" in captured.err


def test_the_prompt_ends_when_the_search_does(
    capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fourteen: yes, it is at least 12; yes, 14; 13 is below it, and 15 is not."""
    assert typed("y y y n", monkeypatch) == 0
    out = capsys.readouterr().out
    assert "The price is 14." in out
    assert "It took 4 questions in 3 rounds, method own." in out
    assert run(["status"]) == 0
    assert "4 questions in 3 rounds; all of them are answered." in capsys.readouterr().out
    assert run(["run", "--resume", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["queries"], told["rounds"]) == (4, 3)


def test_sheets_say_at_most(capsys: Output) -> None:
    assert run(["run", "--resume", "--export-round", "1.csv"]) == 0
    assert "Wrote 1 question, round 1 of at most 4, to 1.csv." in capsys.readouterr().out


def test_a_search_in_a_database(capsys: Output, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{Path.cwd()}/some.db"
    monkeypatch.setenv("FEINT_KEY", key_text(KEY))
    polls = Polls(SQL(url, key=KEY))
    polls.create("prices", PLAN, terms=Terms(), key=KEY)
    assert run(["searches", "--database", url]) == 0
    assert "prices: open, 0 of at most 7 questions answered" in capsys.readouterr().out
    assert run(["status", "prices", "--database", url]) == 0
    assert "round 1 of at most 4" in capsys.readouterr().out
    while polls.standing("prices")[0] == "open":
        for query in polls.open("prices"):
            polls.answer("prices", query.id, query.value <= 14)
    assert run(["searches", "--database", url]) == 0
    assert "prices: done, 4 of 4 questions answered" in capsys.readouterr().out
    assert run(["status", "prices", "--database", url]) == 0
    assert "round 3 of 3" in capsys.readouterr().out
