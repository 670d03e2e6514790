"""Check that the database accepts writes, but not so often that health checks load it."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from feint.errors import Unavailable


class Health:
    """A cache of the last test write's outcome."""

    def __init__(self, every: float, *, clock: Callable[[], float] = time.monotonic) -> None:
        """Start without an outcome.

        Args:
            every: Seconds for which an outcome is repeated.
            clock: Returns the time in seconds.
        """
        self._every, self._clock = every, clock
        self._lock = Lock()
        self._at: float | None = None
        self._failure: str | None = None

    def check(self, write: Callable[[], None]) -> None:
        """Test a write, or repeat the last outcome if it is recent or a test is running.

        Args:
            write: Writes something to the database.

        Raises:
            Unavailable: The last write failed.
        """
        # A write may wait a minute for a lock. Other checks get the last outcome meanwhile, so that
        # checks, which need no token, never occupy more than one thread. Only before the first
        # outcome do they wait.
        if self._lock.acquire(blocking=self._at is None):
            try:
                if self._at is None or self._clock() - self._at >= self._every:
                    self._write(write)
            finally:
                self._lock.release()
        if self._failure is not None:
            raise Unavailable(self._failure)

    def _write(self, write: Callable[[], None]) -> None:
        try:
            write()
        except Unavailable as error:
            self._failure = str(error)
        else:
            self._failure = None
        self._at = self._clock()
