"""How often somebody may ask: a bucket for each, which fills at a steady rate."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

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
        now = self._clock()
        held, then = self._buckets.pop(who, (self._burst, now))
        held = min(self._burst, held + max(0, now - then) * self._rate)
        wait = 0 if held >= 1 else (1 - held) / self._rate
        self._buckets[who] = (held if wait else held - 1, now)
        while len(self._buckets) > _BUCKETS:
            self._buckets.popitem(last=False)
        return wait
