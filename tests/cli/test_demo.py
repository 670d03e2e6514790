"""The demo, as it looks in terminals of several kinds."""

import re
import time
from typing import Any

import pytest

from feint.cli import demo
from feint.cli.app import run


def shown(
    seed: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    assert run(["demo", "--seed", seed]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("width", [120, 60, 40])
def test_it_shows_both_searches_within_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown("7", width, monkeypatch, capsys)
    commands = [line for line in lines if line.startswith(("feint run", "feint serve"))]
    assert [line.split()[1] for line in commands] == ["run", "serve"]
    # The first is a command to be copied whole.
    assert max(len(line) for line in lines if line != commands[0]) <= width
    assert lines[-1] == "feint serve"
    text = "\n".join(lines)
    assert "…" not in text
    table = text[text.index("3. ") :].split("Here")[0]
    assert {"competitor", "bisection", "always", "%"} <= set(table.split())
    bisection, feint = text.split("2. feint")
    shop, competitor = re.findall(
        r"^(?:shop|competitor) (?=.*▲).*?([\d.]+)", bisection, re.MULTILINE
    )
    assert shop == competitor
    guesses = [line for line in feint.splitlines() if re.match("competitor .*▲", line)]
    assert guesses[0].count("▲") == demo.LEVEL
    rulers = [line for line in lines if re.fullmatch(r" +20 +100", line)]
    assert len(rulers) == 2  # neither end is cut off
    assert shown("7", width, monkeypatch, capsys) == lines
    assert shown("8", width, monkeypatch, capsys) != lines


def test_what_it_measures_is_what_was_promised(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown("7", 120, monkeypatch, capsys)
    (naive,) = (line.split() for line in lines if line.startswith("bisection"))
    (private,) = (line.split() for line in lines if re.match(r"feint +\d", line))
    assert (naive[1], naive[-1]) == ("8", "always")
    assert float(private[3]) <= float(demo.EPSILON) / 2
    # A search that ends early has a last price elsewhere, so that she may win less often.
    assert 5 < float(private[4]) < 100 / demo.LEVEL + 1.7  # five standard deviations of 10 000


def test_nobody_waits_where_nobody_watches(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    slept = list[float]()
    monkeypatch.setattr(time, "sleep", slept.append)
    assert run(["demo"]) == 0
    assert not slept
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("CI", raising=False)
    assert run(["demo"]) == 0
    assert 3 < sum(slept) < 10


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colour_it_says_the_same(
    setting: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    assert "\x1b[3" not in "\n".join(shown("7", 80, monkeypatch, capsys))
