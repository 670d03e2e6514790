"""One source for every loop: compiled by numba for many rows, plain Python otherwise.

Numba is loaded only for batches that repay it, and compiled code is cached on disk. Both ways
round alike, so a live search and a simulation cannot differ by a bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
_MANY = 256  # rows from which loading numba pays


def compiled(loop: Callable[P, R]) -> Callable[P, R]:
    """Run a loop over rows compiled when there are many rows and numba is installed.

    Args:
        loop: A function whose first argument has one row a run.

    Returns:
        The same function; `plain` on it is the loop as written.
    """

    @cache
    def fast() -> Callable[P, R]:
        try:
            from numba import njit
        except ImportError:
            return loop
        return cast(Callable[P, R], njit(cache=True, nogil=True)(loop))

    @wraps(loop)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        rows: Any = args[0]
        loaded = fast.cache_info().currsize
        return (fast() if loaded or len(rows) >= _MANY else loop)(*args, **kwargs)

    call.plain = loop  # type: ignore[attr-defined]
    return call
