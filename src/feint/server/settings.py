"""The settings of a server. Worker processes read them from the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any

from feint.errors import InvalidValue

PREFIX = "FEINT_SERVER_"
_KINDS = {"int": "a whole number", "float": "a number"}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a server.

    Attributes:
        database: sqlite:///PATH or postgresql://USER@HOST/NAME.
        key_file: The file of the master key, unless FEINT_KEY holds it.
        rate: The most requests per second of a token; 0: no limit.
        burst: The most requests of a token at once.
        address_rate: The most requests per second from an address; 0: no limit.
        address_burst: The most requests from an address at once.
        body: The most bytes of a body; one that holds a whole search may have 16 times as many.
        queries: The most questions of a poll.
        streams: The most open streams of a token; 0: no limit.
        stream_every: Seconds between checks for news of open streams.
        session: Seconds that an owner's session lasts.
        grace: Seconds that a stopping server waits for requests.
        head: The most bytes of request line and headers; 0: no limit.
        head_time: Seconds that a client may take to send them; 0: no limit.
        body_time: Seconds that a client may take to send the body; 0: no limit.
        idle_time: Seconds without a request after which a connection is closed.
        send_time: Seconds that a client may leave a response unread; 0: no limit.
        connections: The most open connections of a process; 0: the system's limit.
        address_connections: The most connections from one address that is not a proxy; 0: no
            limit.
        health_every: Seconds for which `/healthz` repeats the outcome of its last write.
        docs: The address of the documentation, to which pages link; empty: pages have only their
            own help.
    """

    database: str
    key_file: Path
    rate: float = 50
    burst: float = 100
    address_rate: float = 500
    address_burst: float = 1000
    body: int = 1 << 18
    queries: int = 20_000
    streams: int = 16
    stream_every: float = 1
    session: float = 12 * 3600
    grace: float = 5
    # The limit of nginx. A half-sent request may occupy this much memory.
    head: int = 1 << 15
    # A head is one or two packets, which take a second on a slow line.
    head_time: float = 10
    # A whole search, 4 MiB, at 1 Mbit/s takes 34 seconds.
    body_time: float = 60
    # Clients that vote fetch the next questions immediately; a longer time would only occupy
    # places.
    idle_time: float = 5
    # A phone that loses its connection for a moment reconnects within this time.
    send_time: float = 60
    # With heads of full length 128 MiB; a respondent's page holds one, its stream.
    connections: int = 4000
    # A quarter, so that a school behind one address fits, and no address takes all places.
    address_connections: int = 1000
    # Anyone may check the health every few seconds, which must not load the database.
    health_every: float = 5
    docs: str = ""

    def __post_init__(self) -> None:
        """Check the address of the documentation, which ends in pages.

        Raises:
            InvalidValue: It is not a web address.
        """
        if self.docs and not self.docs.startswith(("https://", "http://")):
            rule = "must be the address of a web site"
            raise InvalidValue("docs", self.docs, rule, "write https://… in full")

    def paced(self, rate: float) -> Settings:
        """Return the settings with another rate per token, and the address rate in proportion."""
        limits = ("rate", "burst", "address_rate", "address_burst")
        paced = {name: rate * getattr(Settings, name) / Settings.rate for name in limits}
        return replace(self, **paced)

    def to_environment(self) -> dict[str, str]:
        """Return the settings as environment variables, for worker processes."""
        return {PREFIX + each.name.upper(): str(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] = os.environ, **given: Any
    ) -> Settings:
        """Read the settings from variables such as FEINT_SERVER_HEAD_TIME.

        Args:
            environment: The variables.
            given: Settings that take precedence; their variables are not read.

        Raises:
            InvalidValue: A setting is missing or invalid.
        """
        read: dict[str, Callable[[str], Any]] = {
            "str": str,
            "Path": Path,
            "int": int,
            "float": float,
        }
        values = dict(given)
        for each in fields(cls):
            variable = PREFIX + each.name.upper()
            text = environment.get(variable)
            if each.name in given:
                continue
            if text is None:
                if each.default is MISSING:
                    rule = "the server needs it"
                    raise InvalidValue("environment", variable, rule, "set it")
                continue
            try:
                values[each.name] = read[str(each.type)](text)
            except ValueError:
                rule = f"must be {_KINDS[str(each.type)]}"
                raise InvalidValue(variable, text, rule, "correct it, or unset it") from None
            if str(each.type) in _KINDS and not 0 <= values[each.name] < float("inf"):
                raise InvalidValue(variable, text, "must be 0 or more", "correct it, or unset it")
        return cls(**values)
