"""How much somebody may ask for: how often, and how many streams at once.

Whoever has a token is known by its hash: no token is kept.
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
    """A bucket for everybody: a request takes one drop, and drops come back at a rate.

    It is kept in the process: with several workers each has its own.
    """

    def __init__(
        self, rate: float, burst: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with full buckets.

        Args:
            rate: Drops a second; 0: there is no limit.
            burst: How many a bucket holds.
            clock: What says the time, in seconds.
        """
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, who: str) -> float:
        """Take a drop: 0, or after how many seconds there is one."""
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
    """How many streams everybody may have open at once; kept in the process, as a `Limit` is."""

    def __init__(self, most: int) -> None:
        """Begin with none open.

        Args:
            most: How many one token may have; 0: any number.
        """
        self._most = most
        self._open: Counter[str] = Counter()

    @contextmanager
    def held(self, who: str) -> Iterator[None]:
        """A place, until the end of a block.

        Raises:
            HTTPException: They have as many as they may.
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
