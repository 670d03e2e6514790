"""Draw the pictures of `docs/explanation/hiding.md`: `python -m scripts.site.drawings`.

They are what a notebook shows of plans and reports, so they cannot differ from what feint does.
"""

from __future__ import annotations

import re
from pathlib import Path

from feint import Domain, plan
from feint.audit import audit

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "pictures"

_GREY = "#8a8f98"  # text is readable on a white and on a black page; an image has no page's colour


def drawings() -> dict[str, str]:
    """Return each picture by the name of its file."""
    domain = Domain(0, 64)
    problem = domain.problem(epsilon=1, delta=4, level=4)
    plans = {name: plan(problem, domain=domain, method=name) for name in ("bisection", "tight")}
    pictures = {}
    for name, chosen in plans.items():
        pictures[f"hiding-{name}.svg"] = _picture(chosen._repr_html_())
        pictures[f"heard-{name}.svg"] = _picture(audit(chosen)._repr_html_())
    return pictures


def _picture(html: str) -> str:
    """Return the picture in what a notebook shows, as a file of its own."""
    found = re.search("<svg.*?</svg>", html, re.DOTALL)
    if found is None:
        raise LookupError("nothing is drawn of this: choose a smaller problem")
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', found[0])
    if size is None:
        raise LookupError("the picture has no size")
    root = f'<svg width="{size[1]}" height="{size[2]}" color="{_GREY}" font-family="sans-serif"'
    return found[0].replace("<svg", root, 1) + "\n"


if __name__ == "__main__":
    for name, text in drawings().items():
        (FOLDER / name).write_text(text, "utf-8")
