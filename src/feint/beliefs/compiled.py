"""One source for every loop: compiled by numba for many rows, plain Python otherwise.

Numba is loaded only for batches that repay it, and compiled code is cached on disk. Both ways
round alike, so a live search and a simulation cannot differ by a bit. Which way a call goes hangs
on its own rows and on the `expect` around it, never on what other calls or threads did before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
_MANY = 256  # rows from which loading numba pays
_LONG = 1 << 15  # rows in all, over a whole simulation, from which it pays too
_expected: ContextVar[int] = ContextVar("expected rows", default=0)  # each thread has its own


def compiled(loop: Callable[P, R]) -> Callable[P, R]:
    """Run a loop over rows compiled, where there are many rows and if numba is installed.

    Args:
        loop: A function whose first argument has one row a run.

    Returns:
        The same function; `__wrapped__` on it is the loop as written.
    """

    @wraps(loop)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        rows: Any = args[0]
        many = len(rows) >= _MANY or _expected.get() >= _LONG
        return cast(R, (_numba(loop) if many else loop)(*args, **kwargs))

    return call


@contextmanager
def expect(rows: int) -> Iterator[None]:
    """Say how many rows are to come in a block of code: few at a time may be many in the end.

    Args:
        rows: How many, in all calls together that this thread makes in the block.
    """
    token = _expected.set(rows)
    try:
        yield
    finally:
        _expected.reset(token)


@cache
def _numba(loop: Callable[..., Any]) -> Callable[..., Any]:
    """The loop compiled, or as it is; the same whoever asks first."""
    try:
        from numba import njit
    except ImportError:
        return loop
    return cast(Callable[..., Any], njit(cache=True, nogil=True)(loop))
