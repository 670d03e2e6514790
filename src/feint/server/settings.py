"""How a server is set up; several workers read the same from the environment."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from feint.errors import InvalidValue

PREFIX = "FEINT_SERVER_"


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
        grace: How long a server that is asked to stop waits for requests, in seconds.
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
    grace: float = 5

    def paced(self, rate: float) -> Settings:
        """The same with another rate of a token; of an address as many times that as by default."""
        limits = ("rate", "burst", "address_rate", "address_burst")
        paced = {name: rate * getattr(Settings, name) / Settings.rate for name in limits}
        return replace(self, **paced)

    def to_environment(self) -> dict[str, str]:
        """The settings as variables, for workers that are other processes."""
        return {PREFIX + each.name.upper(): str(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """The settings that `to_environment` gave.

        Raises:
            InvalidValue: One is missing, or wrong.
        """
        read: dict[str, Callable[[str], Any]] = {
            "database": str,
            "key_file": Path,
            "body": int,
            "queries": int,
            "streams": int,
        }
        given = {each.name: environment.get(PREFIX + each.name.upper()) for each in fields(cls)}
        try:
            values: dict[str, Any] = {
                name: read.get(name, float)(value)
                for name, value in given.items()
                if value is not None
            }
            numbers = [each for each in values.values() if isinstance(each, int | float)]
            if not all(math.isfinite(each) and each >= 0 for each in numbers):
                raise ValueError("a number is not finite, or negative")
            return cls(**values)
        except (TypeError, ValueError) as error:
            rule = f"variables {PREFIX}… must say how the server is set up"
            raise InvalidValue("environment", type(error).__name__, rule, "set them") from None
