"""The site: nothing public is left out of it, and no link in it leads nowhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.site import checks, formulas, links, names, programs, sources

from feint.cli.app import MODULES, load
from feint.cli.flags.command import flags_of

ROOT = Path(__file__).parents[2]


@pytest.fixture
def documented(tmp_path: Path) -> dict[str, object]:
    """Everything that the reference must have; the generated pages are in the folder."""
    reference = tmp_path / "reference"
    reference.mkdir()
    (reference / "cli.md").write_text(programs.cli_page())
    (reference / "http.md").write_text(programs.http_page())
    statuses = (ROOT / "docs" / "reference" / "exit-codes.md").read_text("utf-8")
    (reference / "exit-codes.md").write_text(statuses)
    return {f"{page}.{name}": None for page in names.PAGES for name in names.documented_in(page)}


def test_nothing_public_is_left_out(documented: dict[str, object], tmp_path: Path) -> None:
    assert checks.problems(documented, tmp_path) == []


def test_a_public_name_that_is_left_out_is_found(
    documented: dict[str, object], tmp_path: Path
) -> None:
    del documented["feint.search.find"]
    del documented["feint.errors.NoPlan"]
    assert checks.problems(documented, tmp_path) == [
        "feint.errors.NoPlan is in no page of the reference",
        "feint.search.find is in no page of the reference",
    ]


@pytest.mark.parametrize(
    ("page", "text", "missing"),
    [
        ("cli", "### feint plan\n", "feint plan is not in cli.md"),
        ("http", "## GET /api/poll\n", "GET /api/poll is not in http.md"),
        ("exit-codes", "| 3 |", "exit status 3 is not in exit-codes.md"),
    ],
)
def test_a_command_a_route_or_a_status_that_is_left_out_is_found(
    page: str, text: str, missing: str, documented: dict[str, object], tmp_path: Path
) -> None:
    path = tmp_path / "reference" / f"{page}.md"
    assert path.read_text().count(text) == 1
    path.write_text(path.read_text().replace(text, ""))
    assert checks.problems(documented, tmp_path) == [missing]


def test_what_has_no_description_is_found(
    documented: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(names, "undocumented", lambda: ["feint.plan"])
    monkeypatch.setattr(programs, "unhelped", lambda: ["feint plan --json"])
    found = checks.problems(documented, tmp_path)
    assert found == ["feint.plan has no docstring", "feint plan --json has no help"]


def test_the_page_of_the_commands_has_every_flag() -> None:
    page = programs.cli_page()
    for word in MODULES:
        (part,) = re.findall(rf"^### feint {word}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
        flags = flags_of(load(word))
        assert flags or word in ("demo",), word
        for flag in flags:
            assert flag in part or flag.lstrip("-").upper() in part, (word, flag)


@pytest.mark.parametrize(
    ("text", "path", "page", "becomes"),
    [
        ("[a](noise.md#b)", "docs/how-to/own.md", "how-to/own.md", "[a](noise.md#b)"),
        (
            "[a](../../proofs/near.md)",
            "docs/explanation/optimal.md",
            "explanation/optimal.md",
            "[a](../research/proofs/near.md)",
        ),
        (
            "[a](../docs/research/slips.md)",
            "proofs/planted.md",
            "research/proofs/planted.md",
            "[a](../slips.md)",
        ),
        ("[a](src/feint)", "SECURITY.md", "explanation/security.md", "a (`src/feint`)"),
        ("[a](https://b.c)", "README.md", "index.md", "[a](https://b.c)"),
        ("```\n[a](../x.md)\n```", "docs/index.md", "index.md", "```\n[a](../x.md)\n```"),
        ("```\n$ .venv/bin/feint\n```", "docs/a.md", "a.md", "```\n$ feint\n```"),
    ],
)
def test_links_follow_the_pages(text: str, path: str, page: str, becomes: str) -> None:
    assert sources.relinked(text, path, page) == becomes


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">1</a><a href="b.html#gone">2</a><a href="c.html">3</a>'
        '<img src="d.png"><a href="https://e.f/g">4</a><a href="#top" id="top">5</a>'
    )
    (tmp_path / "b.html").write_text('<p id="there">')
    assert links.broken(tmp_path) == [
        "a.html: b.html#gone has no such place",
        "a.html: c.html does not exist",
        "a.html: d.png does not exist",
    ]


def test_a_docstring_keeps_its_stars_and_code() -> None:
    assert checks.converted("X* is `2**k` or |x|") == r"X\* is `2**k` or \|x\|"


def test_a_colon_in_what_is_returned_is_not_taken_for_a_type() -> None:
    assert checks.converted("Returns:\n    A plan: it is private.") == (
        "Returns:\n    : A plan: it is private."
    )


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    # In a process of its own: in the tests, warnings that Sphinx gives Python are errors.
    code = (
        "import sys; from pathlib import Path; from scripts.site.__main__ import build;"
        " sys.exit(build(*map(Path, sys.argv[1:])))"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "sources"), str(tmp_path / "site")]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "site" / "reference" / "python" / "feint.planning.html").read_text("utf-8")
    assert 'id="feint.planning.plan"' in page
    assert "max_rounds" in page  # signatures are there
    assert (tmp_path / "site" / "research" / "proofs" / "near.html").exists()


def test_a_constant_is_described_where_it_is_defined_and_by_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "described.py").write_text(
        'ONE = 1\n"""The first."""\nTWO = 2  # the second\n_OTHER = 0  # of another\nTHREE = 3\n'
    )
    (tmp_path / "passing.py").write_text("from described import ONE as FIRST, THREE, TWO\n")
    monkeypatch.syspath_prepend(tmp_path)
    found = [names.description("passing", name) for name in ("FIRST", "TWO", "THREE")]
    assert found == ["The first.", "The second.", None]


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("(2p)^K, x_i, X*_{j+n}", "(2p)<sup>K</sup>, x<sub>i</sub>, X*<sub>j+n</sub>"),
        ("L^(1/d) and `2^K` by [it](a_b.md)", "L<sup>1/d</sup> and `2^K` by [it](a_b.md)"),
        (
            "So\n\n  n ≥ 2^K·T/L,\n\nif a",
            "So\n\n:::{container} formula\n"
            "<i>n</i> ≥ 2<sup><i>K</i></sup>·<i>T</i>/<i>L</i>,\n:::\n\nif a",
        ),
        ("- One = 1.\n\n  Two = 2.\n\n", "- One = 1.\n\n  Two = 2.\n\n"),
    ],
)
def test_formulas_are_rendered(text: str, becomes: str) -> None:
    assert formulas.rendered(text) == becomes


def test_no_proof_keeps_the_marks_of_a_formula() -> None:
    for page in sorted((ROOT / "proofs").glob("*.md")):
        text = re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", formulas.rendered(page.read_text("utf-8")))
        left = re.findall(r".{0,20}[\^_].{0,20}", text)
        assert left == [], page.name
