"""Collect the sources of the site: the pages of `docs`, those beside it, and generated ones.

Sphinx reads one folder, and some pages live elsewhere in the repository (`proofs`, SECURITY.md).
They are copied, and links between pages are changed to where the pages are in the site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from scripts.site import formulas, programs, recorded, reference

ROOT = Path(__file__).resolve().parents[2]

MOVED = {
    "SECURITY.md": "explanation/security.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
}
"""Where pages from outside `docs` are in the site; those of `proofs` are in research/proofs."""

# `README.md` is no page of the site: its first page says the same. Links to it lead there.
_FRONT = {"README.md": "index.md"}
_PROOFS = "research/proofs/"
_MARK = ROOT / "src" / "feint" / "server" / "static" / "mark.svg"  # the icon of both sites
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)#\s]*)(#[^)\s]*)?\)")


def assemble(folder: Path) -> None:
    """Write the sources of the site.

    Args:
        folder: Where to; what is there and unchanged is left alone, so that Sphinx reads again only
            what changed.
    """
    contents = {path: text.encode("utf-8") for path, text in {**_pages(), **_generated()}.items()}
    for part in ("pictures", "_static"):
        for file in (ROOT / "docs" / part).iterdir():
            contents[f"{part}/{file.name}"] = file.read_bytes()
    contents["_static/mark.svg"] = _MARK.read_bytes()
    for path, content in contents.items():
        _write(folder / path, content)
    for file in [file for file in folder.rglob("*") if file.is_file()]:
        if file.relative_to(folder).as_posix() not in contents:
            file.unlink()


def _pages() -> dict[str, str]:
    """Return the pages that people write, by their path in the site."""
    docs = ROOT / "docs"
    sources = {path: path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    sources = {path: page for path, page in sources.items() if not page.startswith("_build")}
    sources[docs / "conf.py"] = "conf.py"
    for path in (ROOT / "proofs").glob("*.md"):
        sources[path] = place(path.relative_to(ROOT).as_posix()) or ""
    for name, page in MOVED.items():
        sources[ROOT / name] = page
    pages = {
        page: relinked(path.read_text("utf-8"), path.relative_to(ROOT).as_posix(), page)
        if path.suffix == ".md"
        else path.read_text("utf-8")
        for path, page in sources.items()
    }
    pages |= {
        page: formulas.rendered(text) for page, text in pages.items() if page.startswith(_PROOFS)
    }
    proofs = sorted(page.removeprefix(_PROOFS) for page in pages if page.startswith(_PROOFS))
    names = [name for name in proofs if name != "index.md"]
    pages[f"{_PROOFS}index.md"] += "\n".join(
        ["", "```{toctree}", ":hidden:", "", *names, "```", ""]
    )
    return pages


def _generated() -> dict[str, str]:
    python = {f"reference/python/{name}": text for name, text in reference.python_pages().items()}
    return {
        **python,
        "reference/cli.md": programs.cli_page(),
        "reference/http.md": programs.http_page(),
        "try.md": recorded.page(),
    }


def place(path: str) -> str | None:
    """Return where a file of the repository is in the site, or None if it is not there.

    Args:
        path: Its path from the root of the repository.

    >>> place("docs/how-to/noise.md"), place("proofs/README.md"), place("examples/pricing")
    ('how-to/noise.md', 'research/proofs/index.md', None)
    """
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path == "proofs" or path == "proofs/README.md":
        return "research/proofs/index.md"
    if path.startswith("proofs/"):
        return f"research/{path}"
    return {**MOVED, **_FRONT}.get(path)


def relinked(text: str, path: str, page: str) -> str:
    """Return a page with its links changed to where their targets are in the site.

    Args:
        text: The page.
        path: Its path in the repository.
        page: Its path in the site.

    Returns:
        The page. Links to files that are not in the site become the file's name, as code.
    """

    def link(match: re.Match[str]) -> str:
        mark, words, target, anchor = match[1], match[2], match[3], match[4] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        absolute = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        goal = place(absolute)
        if goal is None:
            return f"{words} (`{absolute}`)"
        return f"{mark}[{words}]({posixpath.relpath(goal, posixpath.dirname(page) or '.')}{anchor})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    # Doctests end with an empty line, which the reader need not see. Readers of the site have
    # installed the command, and have no .venv of this repository.
    return "".join(
        part.replace("\n\n```", "\n```").replace(".venv/bin/feint", "feint")
        if part.startswith("```")
        else _LINK.sub(link, part)
        for part in parts
    )


def _write(path: Path, content: bytes) -> None:
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
