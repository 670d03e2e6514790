"""A typed client for a server, with the same `ask` and `tell` as a local search."""

from feint.errors import MissingExtra

try:
    from feint.server.client.blocking import Client, RemoteSearch, Respondent
    from feint.server.client.coroutines import AsyncClient, AsyncRemoteSearch, AsyncRespondent
except ModuleNotFoundError as error:
    if (error.name or "").startswith("feint"):
        raise
    raise MissingExtra("client", str(error.name)) from None

__all__ = [
    "AsyncClient",
    "AsyncRemoteSearch",
    "AsyncRespondent",
    "Client",
    "RemoteSearch",
    "Respondent",
]
