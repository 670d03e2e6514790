"""The one progress bar: it is drawn for a person at a terminal, on stderr, and leaves no trace."""

import io
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event

import pytest

from feint import Problem
from feint.cli.app import run
from feint.cli.progress import bar
from feint.planning import afford, frontier, plan

SMALL = ["--epsilon", "1/64", "--delta", "1/12", "--level", "3"]
NOISY = ["--epsilon", "0.05", "--delta", "0.2", "--level", "2", "--p", "0.9", "--confidence", "0.8"]


class Terminal(io.StringIO):
    """A terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("words", "label"),
    [
        (["simulate", *SMALL, "--runs", "100", "--json"], "runs"),
        (["audit", *SMALL, "--json"], "branches"),
        (["audit", *SMALL, "--runs", "100", "--json"], "runs"),
        (["plan", *NOISY, "--certificate", "calibrated", "--json"], "search of"),
        (["sweep", *SMALL, "--json"], "rows"),
        (["atlas", "--cells", "3", "--worst-cells", "3", "--json"], "deterministic games"),
        (["run", *SMALL, "--oracle", "true {q}", "--json"], "questions"),
    ],
)
def test_long_work_draws_the_bar_and_machines_read_the_result_alone(
    words: list[str],
    label: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert run(words) == 0
    json.loads(capsys.readouterr().out)
    assert label in terminal.getvalue()
    assert "100%" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[1A\x1b[2K")  # the line above is cleared


class Watched(Terminal):
    """A terminal that says when something is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn = Event()

    def write(self, text: str, /) -> int:
        self.drawn.set()
        return super().write(text)


def test_a_bar_that_waits_is_drawn_where_work_takes_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Watched()
    monkeypatch.setattr(sys, "stderr", terminal)
    with bar("planning", after=3600):
        pass  # done long before that
    assert terminal.getvalue() == ""
    with bar("planning", after=0.001) as progress:
        assert terminal.drawn.wait(60)
        progress("rounds", 1, 2)
    assert "planning" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[1A\x1b[2K")


@pytest.mark.parametrize(
    ("work", "what"),
    [
        (partial(frontier, Problem("1/64", "1/8", 2)), "rounds fewer"),
        (partial(afford, queries=30, epsilon="1/64", delta="1/8"), "plans tried"),
        (partial(plan, Problem("1/64", "1/8", 8, dim=3)), "levels of one number"),
    ],
)
def test_planning_says_how_far_it_is(work: Callable[..., object], what: str) -> None:
    told = list[tuple[str, int, int]]()
    work(progress=lambda *each: told.append(each))
    assert {name for name, _, _ in told} == {what}
    assert all(0 <= done < wanted for _, done, wanted in told)


def test_nothing_is_drawn_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("work") as progress:
        progress("work", 1, 2)
    assert capsys.readouterr() == ("", "")
