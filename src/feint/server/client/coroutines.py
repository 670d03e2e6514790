"""The asynchronous client: the same calls, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Self, TypeVar

import httpx

from feint.journal.polls import Terms
from feint.problem import Preface, Query, Result, YesMeans
from feint.search import Search
from feint.server.client import calls
from feint.server.client.wire import Call, Read, settled

T = TypeVar("T")
_OWNER = Terms()
_PLAIN = Preface()


class AsyncClient:
    """An asynchronous client for the owner of a server; see `Client`."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 30,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """See `Client`."""
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.AsyncClient(
            base_url=url, headers=headers, timeout=timeout, transport=transport
        )

    async def names(self) -> list[str]:
        """See `Client`."""
        return await self.send(calls.listed())

    async def overview(self) -> dict[str, Any]:
        """See `Client`."""
        return await self.send(calls.overview())

    async def create(
        self,
        name: str,
        problem: Mapping[str, Any],
        *,
        terms: Terms = _OWNER,
        yes_means: YesMeans = "at least",
        preface: Preface = _PLAIN,
    ) -> AsyncRemoteSearch:
        """See `Client`."""
        await self.send(calls.create(name, problem, terms.to_dict(), yes_means, preface))
        return AsyncRemoteSearch(self, name)

    async def take_in(
        self, name: str, search: Search, *, terms: Terms = _OWNER
    ) -> AsyncRemoteSearch:
        """See `Client`."""
        await self.send(calls.take_in(name, search, terms.to_dict()))
        return AsyncRemoteSearch(self, name)

    def search(self, name: str) -> AsyncRemoteSearch:
        """See `Client`."""
        return AsyncRemoteSearch(self, name)

    async def send(self, call: Call[T]) -> T:
        """See `Client`."""
        tried = 0
        while True:
            tried += 1
            came = settled(call, tried, await self._sent(call))
            if isinstance(came, Read):
                return came.value
            await asyncio.sleep(came)

    async def _sent(self, call: Call[Any]) -> httpx.Response | httpx.TransportError:
        try:
            return await self._http.request(call.method, call.path, **call.words)
        except httpx.TransportError as error:
            return error

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        """Return the client; the block closes it."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close the client."""
        await self.close()


class AsyncRemoteSearch:
    """A search on a server, for coroutines; see `RemoteSearch`.

    Attributes:
        name: Its name on the server.
    """

    def __init__(self, client: AsyncClient, name: str) -> None:
        """Refer to a search of a server."""
        self.name, self._client = name, client

    async def ask(self) -> tuple[Query, ...]:
        """See `RemoteSearch`."""
        return await self._client.send(calls.ask(self.name))

    async def tell(self, id: str, answer: bool) -> None:
        """See `RemoteSearch`."""
        await self._client.send(calls.tell(self.name, id, answer))

    async def status(self) -> dict[str, Any]:
        """See `RemoteSearch`."""
        return await self._client.send(calls.status(self.name))

    async def result(self) -> Result:
        """See `RemoteSearch`."""
        return await self._client.send(calls.found(self.name))

    async def export(self) -> Search:
        """See `RemoteSearch`."""
        return await self._client.send(calls.export(self.name))

    async def delete(self) -> None:
        """See `RemoteSearch`."""
        await self._client.send(calls.delete(self.name))

    async def invite(self, label: str = "") -> tuple[str, str]:
        """See `RemoteSearch`."""
        return await self._client.send(calls.invite(self.name, label))

    async def renew(self, id: str) -> str:
        """Give a respondent a new token. The old one is revoked, and their votes stay."""
        _, token = await self._client.send(calls.renew(self.name, id))
        return token

    async def revoke(self, id: str) -> None:
        """Revoke the access of a respondent or an open link. Their votes stay."""
        await self._client.send(calls.revoke(self.name, id))

    async def link(self, quota: int) -> tuple[str, str]:
        """See `RemoteSearch`."""
        return await self._client.send(calls.link(self.name, quota))


class AsyncRespondent(AsyncClient):
    """An asynchronous client for a respondent; see `Respondent`."""

    async def sheet(self) -> dict[str, Any]:
        """See `Respondent`."""
        return await self.send(calls.sheet())

    async def vote(self, id: str, yes: bool) -> None:
        """See `Respondent`."""
        await self.send(calls.vote(id, yes))

    async def join(self) -> tuple[str, str]:
        """See `Respondent`."""
        return await self.send(calls.join())
