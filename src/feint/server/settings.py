"""How a server is set up; several workers read the same from the environment."""

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
    """How a server is set up.

    Attributes:
        database: sqlite:///PATH or postgresql://USER@HOST/NAME.
        key_file: Where the master key is, unless FEINT_KEY holds it.
        rate: How many requests a second one token may make; 0: any number.
        burst: How many of them at once.
        address_rate: How many requests a second may come from one address; 0: any number.
        address_burst: How many of them at once.
        body: How long a body may be, in bytes; one that holds a whole search, 16 times that.
        queries: How many questions a poll may have.
        streams: How many streams one token may have open; 0: any number.
        stream_every: How often open streams look for news, in seconds.
        session: How long an owner's session lasts, in seconds.
        grace: How long a server that is asked to stop waits for requests, in seconds.
        head: How long the request line and headers may be together, in bytes; 0: any length.
        head_time: How many seconds a client may take to send them; 0: any time.
        body_time: How many seconds it may take to send the body; 0: any time.
        idle_time: After how many seconds without a request a connection is closed.
        send_time: For how many seconds a client may leave a response unread; 0: any time.
        connections: How many connections may be open in one process; 0: as many as the system
            allows.
        address_connections: How many of them may come from one address that is no proxy's; 0: any
            number.
        health_every: For how many seconds `/healthz` repeats what its last write found.
        docs: The address of the documentation, which pages link to; empty: they have help alone.
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
    # As much as nginx passes on. It is also what a half-sent request may hold of the memory.
    head: int = 1 << 15
    # A head is one packet or two: on a slow line they take a second.
    head_time: float = 10
    # A whole search, 4 MiB, at 1 Mbit/s takes 34 seconds.
    body_time: float = 60
    # Clients that vote fetch the next questions at once; longer idling only takes places.
    idle_time: float = 5
    # A phone that is out of reach for a moment comes back within it.
    send_time: float = 60
    # With heads of full length 128 MiB; a respondent's page holds one, its stream.
    connections: int = 4000
    # A quarter: a school or an office behind one address fits, and no address takes all.
    address_connections: int = 1000
    # Health checks come every few seconds, and from anybody: they must not load the database.
    health_every: float = 5
    docs: str = ""

    def __post_init__(self) -> None:
        """Check the address of the documentation, which ends in pages.

        Raises:
            InvalidValue: It is no address of a web site.
        """
        if self.docs and not self.docs.startswith(("https://", "http://")):
            rule = "must be the address of a web site"
            raise InvalidValue("docs", self.docs, rule, "write https://… in full")

    def paced(self, rate: float) -> Settings:
        """The same with another rate of a token; of an address as many times that as by default."""
        limits = ("rate", "burst", "address_rate", "address_burst")
        paced = {name: rate * getattr(Settings, name) / Settings.rate for name in limits}
        return replace(self, **paced)

    def to_environment(self) -> dict[str, str]:
        """The settings as variables, for workers that are other processes."""
        return {PREFIX + each.name.upper(): str(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def from_environment(
        cls, environment: Mapping[str, str] = os.environ, **given: Any
    ) -> Settings:
        """Read the settings from variables such as FEINT_SERVER_HEAD_TIME.

        Args:
            environment: The variables.
            given: Settings that are known already; their variables are not read.

        Raises:
            InvalidValue: A setting is missing, or is not what it must be.
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
