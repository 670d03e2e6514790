"""Limit the rate of requests and the number of streams per client.

A client with a token is identified by its hash; tokens are not stored.
"""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256

from starlette.exceptions import HTTPException

_BUCKETS = 100_000


class Limit:
    """A token bucket per client: each request takes one unit, and units return at a rate.

    Each process has its own buckets.
    """

    def __init__(
        self, rate: float, burst: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with full buckets.

        Args:
            rate: Units per second; 0: no limit.
            burst: The size of a bucket.
            clock: Returns the time in seconds.
        """
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, who: str) -> float:
        """Take a unit and return 0, or return the seconds until there is one."""
        if not self._rate:
            return 0
        who, now = _hashed(who), self._clock()
        held, then = self._buckets.pop(who, (self._burst, now))
        held = min(self._burst, held + max(0, now - then) * self._rate)
        wait = 0 if held >= 1 else (1 - held) / self._rate
        self._buckets[who] = (held if wait else held - 1, now)
        while len(self._buckets) > _BUCKETS:
            self._buckets.popitem(last=False)
        return wait


class AtOnce:
    """A limit on the open streams per client, in this process like `Limit`."""

    def __init__(self, most: int) -> None:
        """Start without streams.

        Args:
            most: The most streams per token; 0: no limit.
        """
        self._most = most
        self._open: Counter[str] = Counter()

    @contextmanager
    def held(self, who: str) -> Iterator[None]:
        """Hold a place until the end of the block.

        Raises:
            HTTPException: The client has too many streams.
        """
        who = _hashed(who)
        if self._most and self._open[who] >= self._most:
            raise HTTPException(429, headers={"Retry-After": "1"})
        self._open[who] += 1
        try:
            yield
        finally:
            self._open[who] -= 1
            if not self._open[who]:
                del self._open[who]


def _hashed(who: str) -> str:
    return sha256(who.encode("utf-8", "surrogatepass")).hexdigest()
