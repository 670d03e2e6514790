"""Linear programmes in sparse pieces, solved by HiGHS: what every game here is written as."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Int = NDArray[np.int64]
Float = NDArray[np.float64]

Entries = list[tuple[Int, Int, Float]]
"""Rows, columns and values of a sparse matrix, in pieces."""


class Minimum(NamedTuple):
    """What the solver says, in floats: nothing here is certain.

    Attributes:
        value: The optimum.
        x: Every variable.
        dual: What each inequality is worth, at least zero.
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
    """The variables of least cost, by interior points.

    Args:
        cost: Of each variable.
        limits: [variables, 2] the least and the largest that each may be.
        equal: Equations, and their right sides.
        at_most: Inequalities, and their right sides.
        options: As `scipy.optimize.linprog` takes them.

    Returns:
        The solution in floats, of which nothing is certain.

    Raises:
        RuntimeError: HiGHS stopped before it had one.
    """
    from scipy.optimize import linprog

    solver: Any = linprog  # its stubs know no sparse matrices
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
