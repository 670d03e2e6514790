"""Build the documentation site: `python -m scripts.site`, or `make docs`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from scripts.site.links import broken
from scripts.site.sources import ROOT, assemble
from sphinx.cmd.build import main as sphinx

SOURCES = ROOT / "build" / "docs"
SITE = ROOT / "docs" / "_build"


def build(sources: Path = SOURCES, site: Path = SITE) -> int:
    """Build the site. Any warning, and any link inside it that leads nowhere, fails the build.

    Args:
        sources: Where to put its sources together.
        site: Where to write it.

    Returns:
        0 if there was nothing to complain of.
    """
    assemble(sources)
    doctrees = sources.with_name(f"{sources.name}-doctrees")
    quiet = ["--quiet", "--fail-on-warning", "--keep-going"]
    code = sphinx([*quiet, "-b", "html", "-d", str(doctrees), str(sources), str(site)])
    dead = broken(site) if code == 0 else []
    for line in dead:
        print(line, file=sys.stderr)
    if code or dead:
        # What was read is not read again, and would be silent about it the next time.
        shutil.rmtree(doctrees, ignore_errors=True)
        return 1
    return 0


if __name__ == "__main__":
    code = build()
    if code == 0:
        print(f"Built: {(SITE / 'index.html').relative_to(ROOT)}")
    sys.exit(code)
