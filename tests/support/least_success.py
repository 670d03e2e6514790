"""Compute the least success against strategies of a few questions, by a linear programme."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def optimum(masses: Sequence[int], window: int, queries: int) -> float | None:
    """Return the least success of any strategy of so many queries that finds the value, by an LP.

    One variable per history and next query (its probability, given the answers), one per
    transcript (the heaviest window). None if no strategy finds the value.
    """
    count, total = len(masses), sum(masses)
    number: dict[Any, int] = {}
    equal: list[tuple[int, int, float]] = []
    right: list[float] = []
    ends: dict[tuple[int, ...], list[tuple[int, int, int]]] = {}
    stack: list[tuple[tuple[tuple[int, int], ...], int, int, int | None]] = [((), 0, count, None)]
    while stack:
        history, low, high, parent = stack.pop()
        left = queries - len(history)
        if not left:
            if parent is not None:
                ends.setdefault(tuple(q for q, _ in history), []).append((low, high, parent))
            continue
        row = len(right)
        for query in range(1, count):
            sides = [(low, min(high, query)), (max(low, query), high)]
            if any(sum(m > 0 for m in masses[a:b]) > 2 ** (left - 1) for a, b in sides if a < b):
                continue
            variable = number.setdefault((history, query), len(number))
            equal.append((row, variable, 1.0))
            for answer, (a, b) in enumerate(sides):
                if a < b:
                    stack.append(((*history, (query, answer)), a, b, variable))
        right.append(1.0 if parent is None else 0.0)
        if parent is not None:
            equal.append((row, parent, -1.0))
    if not ends:
        return None
    less, rows = list[tuple[int, int, float]](), 0
    for place, held in enumerate(ends.values()):
        for first in range(count - window + 1):
            for low, high, variable in held:
                mass = sum(masses[max(low, first) : min(high, first + window)])
                if mass:
                    less.append((rows, variable, mass / total))
            less.append((rows, len(number) + place, -1.0))
            rows += 1
    columns = len(number) + len(ends)
    cost = np.concatenate((np.zeros(len(number)), np.ones(len(ends))))
    found = linprog(
        cost,
        A_ub=_matrix(less, rows, columns),
        b_ub=np.zeros(rows),
        A_eq=_matrix(equal, len(right), columns),
        b_eq=right,
        bounds=(0, None),
        method="highs",
    )
    return None if found.fun is None else float(found.fun)


def _matrix(entries: list[tuple[int, int, float]], rows: int, columns: int) -> Any:
    row, column, value = (np.array(each) for each in zip(*entries, strict=True))
    return coo_matrix((value, (row, column)), shape=(rows, columns)).tocsr()
