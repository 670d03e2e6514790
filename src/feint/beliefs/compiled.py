"""One source for every loop: compiled by numba for many rows, plain Python otherwise.

Numba is loaded only for batches that repay it, and compiled code is cached on disk. Both ways
round alike, so a live search and a simulation cannot differ by a bit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
_MANY = 256  # rows from which loading numba pays; once it is loaded, one row does
_LONG = 1 << 15  # rows in all, over a whole simulation, from which it pays too
_kernels: dict[Callable[..., Any], Callable[..., Any]] = {}
_expected: list[int] = []


def compiled(loop: Callable[P, R]) -> Callable[P, R]:
    """Run a loop over rows compiled, once there were many rows and if numba is installed.

    Args:
        loop: A function whose first argument has one row a run.

    Returns:
        The same function; `__wrapped__` on it is the loop as written.
    """

    @wraps(loop)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        rows: Any = args[0]
        if loop not in _kernels and (_kernels or _expected or len(rows) >= _MANY):
            _kernels[loop] = _numba(loop)
        return cast(R, _kernels.get(loop, loop)(*args, **kwargs))

    return call


def expect(rows: int) -> None:
    """Say how many rows are to come, in all calls together: few at a time may be many in the end.

    Args:
        rows: How many.
    """
    if rows >= _LONG:
        _expected[:] = [rows]


def _numba(loop: Callable[..., Any]) -> Callable[..., Any]:
    try:
        from numba import njit
    except ImportError:
        return loop
    return cast(Callable[..., Any], njit(cache=True, nogil=True)(loop))
