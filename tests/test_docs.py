"""Pages that cannot lie: what they say a command prints is what it prints."""

import shlex
from pathlib import Path

import pytest

from feint.cli.app import run

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCKS = [
    block.split("```")[0]
    for page in PAGES
    for block in page.read_text("utf-8").split("```console\n$ .venv/bin/feint ")[1:]
]


@pytest.mark.parametrize("block", BLOCKS)
def test_commands_print_what_the_pages_show(
    block: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words, _, shown = block.partition("\n")
    assert run(shlex.split(words)) == 0
    printed = capsys.readouterr().out
    assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()


def test_there_are_examples() -> None:
    assert BLOCKS
