"""Check the links inside the built site: the target of each must exist."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_GENERATED = ("genindex.html", "py-modindex.html", "search.html")  # Sphinx's own pages


class _Page(HTMLParser):
    """The targets of a page's links, and the places in it that a link may lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.places = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect links and ids."""
        held = dict(attrs)
        self.targets += [
            target for name in ("href", "src") if (target := held.get(name)) is not None
        ]
        if place := held.get("id"):
            self.places.add(place)


def broken(site: Path) -> list[str]:
    """Return the links that lead nowhere, one line each.

    Args:
        site: The folder of the built site.
    """
    pages = {path.resolve(): _read(path) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        if path.name in _GENERATED:
            continue
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            goal = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not goal.exists():
                found.append(f"{path.name}: {target} does not exist")
            elif goal in pages and unquote(parts.fragment) not in pages[goal].places:
                found.append(f"{path.name}: {target} has no such place")
    return found


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page
