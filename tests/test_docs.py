"""Pages that cannot lie: what they say a command prints is what it prints."""

import ast
import re
import shlex
from pathlib import Path

import pytest
from scripts.shown import Session, figures, prints, sessions
from scripts.site.drawings import FOLDER, drawings

from feint.cli.app import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
FILES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "proofs").glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
GENERATED = {
    Path("docs/try.md"),
    *(Path("docs/reference") / page for page in ("cli.md", "http.md", "python/index.md")),
}
PAGES = [README, *(page.read_text("utf-8") for page in sorted((ROOT / "docs").rglob("*.md")))]
SESSIONS = [session for page in PAGES for session in sessions(page)]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.command)
def test_commands_print_what_the_pages_show(
    session: Session, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run(session.words) == 0
    printed = capsys.readouterr().out
    assert [line.rstrip() for line in printed.splitlines()] == session.output


@pytest.mark.parametrize(
    ("output", "found"), [("27 questions", True), ("(27)", True), ("0.27, 1,27 or 427", False)]
)
def test_a_figure_is_no_part_of_another(output: str, found: bool) -> None:
    assert prints(output, "27") is found


def headings(page: Path) -> set[str]:
    """The anchors of a page's headings, as hosts of repositories make them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", FILES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """In the repository; those of the site are checked when it is built."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if ":" in path:
            continue
        goal = page.parent / path if path else page
        # The pages that the build makes are not in the repository.
        if goal.resolve().relative_to(ROOT) in GENERATED:
            continue
        assert goal.exists(), target
        assert not anchor or anchor in headings(goal), target


def test_there_are_examples() -> None:
    """As many as there are blocks: none is left out because it is written another way."""
    assert len(SESSIONS) == sum(page.count("```console\n$ .venv/bin/feint ") for page in PAGES) > 5


@pytest.mark.parametrize(("figure", "command"), figures(README))
def test_the_figures_of_readme_are_printed_by_the_commands_beside_them(
    figure: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run(shlex.split(command))  # an audit of bisection exits with 1: its claim does not hold
    assert prints(capsys.readouterr().out, figure)


def test_readme_has_figures_and_is_short() -> None:
    assert len(figures(README)) == README.count("| `feint ") >= 5
    assert len(README.splitlines()) < 150


def test_the_pictures_of_the_explanation_are_what_feint_draws() -> None:
    for name, picture in drawings().items():
        written = (FOLDER / name).read_text("utf-8")
        assert written == picture, "python -m scripts.site.drawings"


@pytest.mark.parametrize("page", FILES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_names_that_examples_import_exist(page: Path) -> None:
    """Blocks that are no doctests are parts of programs: what they take from feint is there."""
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
        if ">>>" in block:
            continue
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("feint"):
                module = pytest.importorskip(str(node.module), exc_type=ImportError)
                assert [each.name for each in node.names if not hasattr(module, each.name)] == []
