"""docs/how-to/searches.md says what `feint run` does: its sessions are played."""

import io
import re
import shlex
import sys
from pathlib import Path

import pytest
from tests.support.keyboard import Keyboard
from tests.support.sheets import by_rule

from feint.cli.app import run
from feint.search import coins

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "searches.md"
KEY = bytes(range(32))
SESSION = re.compile(
    r"(?:<!-- typed: (.*?) -->\n+)?```console\n\$ feint (.+?)\n(.*?)```", re.DOTALL
)
BROKEN_SINCE = 61  # of the commits that the page speaks of

Output = pytest.CaptureFixture[str]


def scripts() -> None:
    """The scripts that the page speaks of."""
    for name, code in (
        ("passes-at", f"test $1 -lt {BROKEN_SINCE}"),
        ("is-broken-at", f"test $1 -ge {BROKEN_SINCE}"),
    ):
        Path(name).write_text(f"#!/bin/sh\n{code}\n")
        Path(name).chmod(0o700)


@pytest.fixture(autouse=True)
def at_a_terminal(monkeypatch: pytest.MonkeyPatch, in_a_folder: Path) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(coins, "fresh_key", lambda: KEY)
    scripts()


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()]


def test_sessions_go_as_the_page_shows_them(
    monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    """One after the other, in one folder; sheets are filled in by a rule in between."""
    page = PAGE.read_text("utf-8")
    sessions = SESSION.findall(page)
    assert len(sessions) >= 5
    for typed, words, shown in sessions:
        if typed:
            monkeypatch.setattr(sys, "stdin", Keyboard(typed))
        else:
            monkeypatch.setattr(sys, "stdin", io.StringIO())
        for sheet in re.findall(r"--import-answers (\S+)", words):
            by_rule(sheet)
        run(shlex.split(words.replace("\\\n", " ")))
        captured = capsys.readouterr()
        assert lines(captured.out + captured.err) == lines(shown), words
        if words.endswith("--export-round week-1.csv"):
            assert f"```text\n{Path('week-1.csv').read_text()}```" in page


def test_the_bisect_example_finds_the_commit(capsys: Output) -> None:
    """The last good one is 60, by a script that passes and by one that finds it broken."""
    text = PAGE.read_text("utf-8").replace("\\\n", " ")
    commands = re.findall(r"^(?:\$ )?feint (run .*--oracle .*)$", text, re.MULTILINE)
    assert commands
    for command in commands:
        state = ["--state", f"kept-{commands.index(command)}"]
        assert run([*shlex.split(command), *state]) == 0
        assert "The last good commit is 60." in capsys.readouterr().out
        other = [*shlex.split(command.replace("passes-at", "is-broken-at")), "--yes-means", "below"]
        assert run([*other, "--state", f"{state[1]}-b"]) == 0
        assert "The last good commit is 60." in capsys.readouterr().out
    assert "--yes-means below" in text
