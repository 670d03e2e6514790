"""The client for programs that wait: the calls of `calls`, sent by httpx."""

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
_ANY_TIME = httpx.Timeout(30, read=None)  # between two news; to connect takes no longer


class Client:
    """A server, for its owner.

    Calls are sent again where the network or the server fails for a moment; each counts once.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 30,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Ask a server.

        Args:
            url: Its address, such as http://127.0.0.1:8000.
            token: The owner's token. It is sent as a header, and never in an address.
            timeout: How long to wait for an answer, in seconds.
            transport: What sends, for tests.
        """
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(
            base_url=url, headers=headers, timeout=timeout, transport=transport
        )

    def names(self) -> list[str]:
        """The names of all searches."""
        return self.send(calls.listed())

    def overview(self) -> dict[str, Any]:
        """List all searches with where they stand (`searches`).

        `restored` says when the server's database was restored from a backup last, in seconds since
        1970; None: it never was.
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
        """Begin a search.

        Args:
            name: What to call it.
            problem: As the server's reference says: delta, level, epsilon, low, high and so on.
            terms: How it is held; without a quorum its owner answers.
            yes_means: As in `Search`.
            preface: As in `Search`.

        Raises:
            NameTaken: There is one of this name.
            FeintError: There is no plan for it.
        """
        self.send(calls.create(name, problem, terms.to_dict(), yes_means, preface))
        return RemoteSearch(self, name)

    def take_in(self, name: str, search: Search, *, terms: Terms = _OWNER) -> RemoteSearch:
        """Go on there with a search, or begin one from a plan of one's own: `Search(plan)`."""
        self.send(calls.take_in(name, search, terms.to_dict()))
        return RemoteSearch(self, name)

    def search(self, name: str) -> RemoteSearch:
        """A search that is there; whether it is shows when it is asked."""
        return RemoteSearch(self, name)

    def send(self, call: Call[T]) -> T:
        """Send a call, again if need be, and read its answer.

        Raises:
            FeintError: The server refused, or does not answer.
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
        """Let go of the connections."""
        self._http.close()

    def __enter__(self) -> Self:
        """Close it at the end of a block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()


class RemoteSearch:
    """A search on a server, with the `ask` and `tell` of `Search`.

    Attributes:
        name: What it is called there.
    """

    def __init__(self, client: Client, name: str) -> None:
        """Name a search of a server."""
        self.name, self._client = name, client

    @property
    def done(self) -> bool:
        """Whether every question is answered."""
        status = self.status()
        return bool(status["answered"] >= status["queries"])

    @property
    def result(self) -> Result:
        """What was found. Secret.

        Raises:
            NotDone: There are questions left.
        """
        return self._client.send(calls.found(self.name))

    def ask(self) -> tuple[Query, ...]:
        """The open queries of the round.

        Raises:
            SearchDone: Every question is answered.
        """
        return self._client.send(calls.ask(self.name))

    def tell(self, id: str, answer: bool) -> None:
        """Take the answer to a query; it is on the server's disk when this returns.

        Raises:
            As in `Search.tell`, and NotOpen where respondents vote.
        """
        self._client.send(calls.tell(self.name, id, answer))

    def status(self) -> dict[str, Any]:
        """Where it stands, with its votes. Secret."""
        return self._client.send(calls.status(self.name))

    def export(self) -> Search:
        """The whole search, to go on with elsewhere. Secret."""
        return self._client.send(calls.export(self.name))

    def pause(self) -> None:
        """Take no votes until it is resumed."""
        self._client.send(calls.stand(self.name, "pause"))

    def resume(self) -> None:
        """Take votes again."""
        self._client.send(calls.stand(self.name, "resume"))

    def archive(self) -> None:
        """Take no votes any more, and keep what is there."""
        self._client.send(calls.stand(self.name, "archive"))

    def delete(self) -> None:
        """Take it away for good."""
        self._client.send(calls.delete(self.name))

    def invite(self, label: str = "") -> tuple[str, str]:
        """A new respondent, and their token, which cannot be read again."""
        return self._client.send(calls.invite(self.name, label))

    def renew(self, id: str) -> str:
        """A new token for a respondent; the old one is revoked, and their votes stay theirs."""
        _, token = self._client.send(calls.renew(self.name, id))
        return token

    def revoke(self, id: str) -> None:
        """Let a respondent, or an open link, in no more; their votes stay."""
        self._client.send(calls.revoke(self.name, id))

    def link(self, quota: int) -> tuple[str, str]:
        """An open link, by which as many may join: its id and its token."""
        return self._client.send(calls.link(self.name, quota))

    def watch(self) -> Iterator[dict[str, Any]]:
        """Where it stands, now and whenever that changes, until the server closes the stream.

        Raises:
            UnknownSearch: There is none of this name.
            Unavailable: The server does not answer, or is gone.
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
    """A server, for somebody who votes: the token says in which poll."""

    def sheet(self) -> dict[str, Any]:
        """The open questions, and one's own votes."""
        return self.send(calls.sheet())

    def vote(self, id: str, yes: bool) -> None:
        """Vote; the same again is accepted, another vote until the question closes."""
        self.send(calls.vote(id, yes))

    def join(self) -> tuple[str, str]:
        """With the token of an open link: become a respondent, with a token of one's own."""
        return self.send(calls.join())
