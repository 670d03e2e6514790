"""Where the tests' browser is: Debian's chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

MISSING = "apt-get install --no-install-recommends chromium, and pip install playwright"


def chromium() -> str | None:
    """The browser's program; None: it, or what drives it, is not installed."""
    if find_spec("playwright") is None:
        return None
    return shutil.which("chromium") or shutil.which("chromium-browser")
