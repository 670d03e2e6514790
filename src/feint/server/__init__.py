"""A server for searches with many respondents: owners, tokens, pages."""

from feint.errors import MissingExtra

try:
    from feint.server.access import TABLE
    from feint.server.app import application, from_environment
    from feint.server.running import serve
    from feint.server.settings import Settings
except ModuleNotFoundError as error:
    if (error.name or "").startswith("feint"):
        raise
    raise MissingExtra("server", str(error.name)) from None

__all__ = ["TABLE", "Settings", "application", "from_environment", "serve"]
