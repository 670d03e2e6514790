"""Run loops compiled by numba for many rows, and as plain Python for few, from one source.

Numba is loaded only for batches that are large enough, and compiled code is cached on disk. Both
versions round alike, so a live search and a simulation are equal bit by bit. The choice for a call
depends only on its rows and on the `expect` around it, never on other calls or threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
_MANY = 256  # number of rows from which loading numba pays
_LONG = 1 << 15  # number of rows in a whole simulation from which loading numba pays
_expected: ContextVar[int] = ContextVar("expected rows", default=0)  # separate for each thread


def compiled(loop: Callable[P, R]) -> Callable[P, R]:
    """Return a loop that runs compiled if there are many rows and numba is installed.

    Args:
        loop: A function whose first argument has one row per run.

    Returns:
        The same function; its `__wrapped__` is the loop in plain Python.
    """

    @wraps(loop)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        rows: Any = args[0]
        many = len(rows) >= _MANY or _expected.get() >= _LONG
        return cast(R, (_numba(loop) if many else loop)(*args, **kwargs))

    return call


@contextmanager
def expect(rows: int) -> Iterator[None]:
    """Prepare for a number of rows in a block of code, whose many calls may have few rows each.

    Args:
        rows: The number of rows in all calls together that this thread makes in the block.
    """
    token = _expected.set(rows)
    try:
        yield
    finally:
        _expected.reset(token)


@cache
def _numba(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiled loop, or the loop itself; it is the same for all callers."""
    try:
        from numba import njit
    except ImportError:
        return loop
    return cast(Callable[..., Any], njit(cache=True, nogil=True)(loop))
