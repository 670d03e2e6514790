"""Solve linear programmes, given as pieces of sparse matrices, with HiGHS."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Float = NDArray[np.float64]

Entries = list[tuple[Int, Int, Float]]
"""The rows, columns and values of a sparse matrix, in pieces."""


class Minimum(NamedTuple):
    """A solution in floats, which certifies nothing.

    Attributes:
        value: The optimum.
        x: The value of every variable.
        dual: The dual value of every inequality, at least zero.
    """

    value: float
    x: Float
    dual: Float


def minimise(
    cost: Float,
    limits: Float,
    *,
    equal: tuple[Entries, Float],
    at_most: tuple[Entries, Float],
    options: dict[str, Any] | None = None,
) -> Minimum:
    """Return a solution of least cost, found by an interior point method.

    Args:
        cost: The cost of each variable.
        limits: [variables, 2] the lower and upper bound of each variable.
        equal: The equations, and their right sides.
        at_most: The inequalities, and their right sides.
        options: Options of `scipy.optimize.linprog`.

    Returns:
        The solution in floats, which certifies nothing.

    Raises:
        RuntimeError: HiGHS stopped before it found a solution.
    """
    from scipy.optimize import linprog

    solver: Any = linprog  # the stubs of SciPy do not allow sparse matrices
    done = solver(
        cost,
        A_ub=_matrix(at_most[0], (len(at_most[1]), len(cost))),
        b_ub=at_most[1],
        A_eq=_matrix(equal[0], (len(equal[1]), len(cost))),
        b_eq=equal[1],
        bounds=limits,
        method="highs-ipm",
        options=options or {},
    )
    if done.status:
        raise RuntimeError(f"HiGHS stopped early: {done.message}")
    return Minimum(float(done.fun), done.x, -done.ineqlin.marginals)


def _matrix(entries: Entries, size: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    if not entries:
        return csr_array(size)
    rows, columns, values = (np.concatenate(each) for each in zip(*entries, strict=True))
    return csr_array((values, (rows, columns)), shape=size)
