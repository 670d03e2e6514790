"""Serve searches to many respondents, with pages for owners and respondents.

Names load on first use: `feint.server.client` needs httpx, but not the packages of the server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from feint.errors import MissingExtra
from feint.exact.loading import on_first_use

if TYPE_CHECKING:
    from feint.server.access import TABLE
    from feint.server.app import application, from_environment
    from feint.server.running import serve
    from feint.server.settings import Settings

__all__ = ["TABLE", "Settings", "application", "from_environment", "serve"]

_find = on_first_use(
    __name__,
    "client",
    names={
        "TABLE": "access",
        "Settings": "settings",
        "application": "app",
        "from_environment": "app",
        "serve": "running",
    },
)


def _load(name: str) -> object:
    """Load a public name, or the client, and say which extra is missing if one is."""
    try:
        return _find(name)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("feint"):
            raise
        raise MissingExtra("server", str(error.name)) from None


if not TYPE_CHECKING:
    __getattr__ = _load
