"""The blocking client: send the calls of `calls` with httpx."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from json import loads
from typing import Any, Self, TypeVar

import httpx

from feint.journal.polls import Terms
from feint.problem import Preface, Query, Result, YesMeans
from feint.search import Search
from feint.server.client import calls
from feint.server.client.wire import Call, Read, at, met, settled, silent

T = TypeVar("T")
_OWNER = Terms()
_PLAIN = Preface()
# seconds between two events of a stream; connecting takes no longer
_ANY_TIME = httpx.Timeout(30, read=None)


class Client:
    """A client for the owner of a server.

    Calls are repeated if the network or the server fails for a moment; each counts once.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 30,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Prepare a client.

        Args:
            url: The server's address, such as http://127.0.0.1:8000.
            token: The owner's token. It is sent as a header, never in an address.
            timeout: Seconds to wait for a response.
            transport: An httpx transport, for tests.
        """
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(
            base_url=url, headers=headers, timeout=timeout, transport=transport
        )

    def names(self) -> list[str]:
        """Return the names of all searches."""
        return self.send(calls.listed())

    def overview(self) -> dict[str, Any]:
        """Return all searches with their status (`searches`).

        `restored` is the time of the last restoration of the server's database from a backup, in
        seconds since 1970; None if there was none.
        """
        return self.send(calls.overview())

    def create(
        self,
        name: str,
        problem: Mapping[str, Any],
        *,
        terms: Terms = _OWNER,
        yes_means: YesMeans = "at least",
        preface: Preface = _PLAIN,
    ) -> RemoteSearch:
        """Create a search.

        Args:
            name: Its name.
            problem: The fields of the HTTP reference: delta, level, epsilon, low, high and so on.
            terms: The terms of the poll; without a quorum its owner answers.
            yes_means: As in `Search`.
            preface: As in `Search`.

        Raises:
            NameTaken: Another search has this name.
            FeintError: There is no plan for the problem.
        """
        self.send(calls.create(name, problem, terms.to_dict(), yes_means, preface))
        return RemoteSearch(self, name)

    def take_in(self, name: str, search: Search, *, terms: Terms = _OWNER) -> RemoteSearch:
        """Import a search, or create one from your own plan with `Search(plan)`."""
        self.send(calls.take_in(name, search, terms.to_dict()))
        return RemoteSearch(self, name)

    def search(self, name: str) -> RemoteSearch:
        """Return a search of the server. Its existence is checked on the first call."""
        return RemoteSearch(self, name)

    def send(self, call: Call[T]) -> T:
        """Send a call, repeatedly if needed, and read the response.

        Raises:
            FeintError: The server refused or does not respond.
        """
        tried = 0
        while True:
            tried += 1
            came = settled(call, tried, self._sent(call))
            if isinstance(came, Read):
                return came.value
            time.sleep(came)

    def _sent(self, call: Call[Any]) -> httpx.Response | httpx.TransportError:
        try:
            return self._http.request(call.method, call.path, **call.words)
        except httpx.TransportError as error:
            return error

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Return the client; the block closes it."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the client."""
        self.close()


class RemoteSearch:
    """A search on a server, with the `ask` and `tell` of `Search`.

    Attributes:
        name: Its name on the server.
    """

    def __init__(self, client: Client, name: str) -> None:
        """Refer to a search of a server."""
        self.name, self._client = name, client

    @property
    def done(self) -> bool:
        """Return True if every question is answered."""
        status = self.status()
        return bool(status["answered"] >= status["queries"])

    @property
    def result(self) -> Result:
        """Return the result. Secret.

        Raises:
            NotDone: Some questions have no answer yet.
        """
        return self._client.send(calls.found(self.name))

    def ask(self) -> tuple[Query, ...]:
        """Return the open queries of the round.

        Raises:
            SearchDone: Every question is answered.
        """
        return self._client.send(calls.ask(self.name))

    def tell(self, id: str, answer: bool) -> None:
        """Record the answer to a query; it is on the server's disk when this returns.

        Raises:
            NotOpen: Respondents vote in this search.
            FeintError: As in `Search.tell`.
        """
        self._client.send(calls.tell(self.name, id, answer))

    def status(self) -> dict[str, Any]:
        """Return the status with the votes. Secret."""
        return self._client.send(calls.status(self.name))

    def export(self) -> Search:
        """Return the whole search, to continue it elsewhere. Secret."""
        return self._client.send(calls.export(self.name))

    def pause(self) -> None:
        """Pause the poll: it accepts no votes until it is resumed."""
        self._client.send(calls.stand(self.name, "pause"))

    def resume(self) -> None:
        """Resume the paused poll."""
        self._client.send(calls.stand(self.name, "resume"))

    def archive(self) -> None:
        """Archive the poll: it accepts no more votes, and keeps its data."""
        self._client.send(calls.stand(self.name, "archive"))

    def delete(self) -> None:
        """Delete the search permanently."""
        self._client.send(calls.delete(self.name))

    def invite(self, label: str = "") -> tuple[str, str]:
        """Invite a respondent, and return their token, which is shown only once."""
        return self._client.send(calls.invite(self.name, label))

    def renew(self, id: str) -> str:
        """Give a respondent a new token. The old one is revoked, and their votes stay."""
        _, token = self._client.send(calls.renew(self.name, id))
        return token

    def revoke(self, id: str) -> None:
        """Revoke the access of a respondent or an open link. Their votes stay."""
        self._client.send(calls.revoke(self.name, id))

    def link(self, quota: int) -> tuple[str, str]:
        """Create an open link with a quota, and return its id and token."""
        return self._client.send(calls.link(self.name, quota))

    def watch(self) -> Iterator[dict[str, Any]]:
        """Yield the status, now and at every change, until the server closes the stream.

        Raises:
            UnknownSearch: No search has this name.
            Unavailable: The server does not respond.
            FeintError: The server refused.
        """
        path = at(self.name, "/stream")
        try:
            with self._client._http.stream("GET", path, timeout=_ANY_TIME) as answer:
                if not answer.is_success:
                    answer.read()
                    raise met(answer)
                for line in answer.iter_lines():
                    if line.startswith("data:"):
                        yield loads(line.removeprefix("data:"))
        except httpx.TransportError as error:
            raise silent(error) from None


class Respondent(Client):
    """A client for a respondent. The token identifies the poll."""

    def sheet(self) -> dict[str, Any]:
        """Return the open questions, and the respondent's own votes."""
        return self.send(calls.sheet())

    def vote(self, id: str, yes: bool) -> None:
        """Vote on a question. A vote can be repeated, and changed until the question closes."""
        self.send(calls.vote(id, yes))

    def join(self) -> tuple[str, str]:
        """Join the poll of an open link, and return the new respondent's token."""
        return self.send(calls.join())
