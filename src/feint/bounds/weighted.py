"""Count the queries near X* on a weighted lattice: the lower bound of `near` under a prior.

The learner may ask at the boundaries of the lattice only. A query that splits an interval of cells
is near with the mass of that interval within the eavesdropper's window around the query. The least
expected number of near queries over all search trees is a dynamic programme over intervals. See
proofs/near.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from feint.errors import InvalidValue

MOST_CELLS = 400
"""The most cells of the programme, whose time grows with the cube of their number (0.2 s here)."""

_TOTAL = 1 << 40
# Masses are scaled to this total, and rounded so that the bound can only fall. The sums of the
# programme then fit into 64 bits, and the bound loses less than 10^-9 questions.


def near_queries_of_masses(
    masses: Sequence[Fraction | int],
    windows: Sequence[Sequence[tuple[Fraction | int, Fraction | int]]],
    is_leaf: Sequence[int],
) -> Fraction:
    """Return f, the least mean number of near queries of a learner who asks on a weighted lattice.

    Args:
        masses: The mass of each of m cells; they need not add up to one.
        windows: The eavesdropper's windows, drawn with equal probability. Each lists, for every
            inner boundary from left to right, the cumulative mass at which the window around it
            begins and ends, in the units of `masses`.
        is_leaf: For each cell, the last boundary up to which an interval that begins at the cell
            needs no further question: its values of positive mass fit into ε.

    Returns:
        A rational that is at most f, and within 10^-9 of it.

    Raises:
        InvalidValue: There are more than `MOST_CELLS` cells, or no mass.

    Example:
        Two equally likely values that she names one by one: the one query is near half the time.

        >>> half = Fraction(1, 2)
        >>> near_queries_of_masses([half, half], [[(0, half)], [(half, 1)]], [1, 2])
        Fraction(1, 2)
    """
    import numpy as np  # not at the top: `feint bounds` starts without NumPy

    count, total = len(masses), sum(masses)
    if not 1 <= count <= MOST_CELLS or total <= 0:
        rule = f"must have from 1 to {MOST_CELLS} cells and some mass"
        raise InvalidValue("masses", f"{count} cells", rule, "merge cells")
    edges, sums = [0], Fraction(0)
    for mass in masses:
        sums += mass
        edges.append(int(sums * _TOTAL / total))
    edge = np.array(edges, np.int64)
    begins, ends = (
        np.array(
            [[int(Fraction(pair[side]) * _TOTAL / total) for pair in window] for window in windows]
        )
        for side in (0, 1)
    )
    leaf = np.array(is_leaf, np.int64)
    # Rounding moves each of two edges by less than one, so subtracting one is safe.
    ends_of_windows = (end for window in windows for pair in window for end in pair)
    whole = all((Fraction(each) * _TOTAL / total) % 1 == 0 for each in (*masses, *ends_of_windows))
    rounding = 0 if whole else 1
    least = np.zeros((count + 1, count + 1), np.int64)  # least[a, b]: cells a … b − 1
    for size in range(2, count + 1):
        first = np.arange(count - size + 1)
        last, inner = first + size, np.arange(1, size)
        cut = first[:, None] + inner  # [intervals, size − 1] boundaries to split at
        near = np.zeros(cut.shape, np.int64)
        for begin, end in zip(begins, ends, strict=True):
            high = np.minimum(edge[last][:, None], end[cut - 1])
            low = np.maximum(edge[first][:, None], begin[cut - 1])
            near += np.maximum(0, high - low - rounding)
        both = near + least[first[:, None], cut] + least[cut, last[:, None]]
        least[first, last] = np.where(leaf[first] >= last, 0, both.min(axis=1))
    return Fraction(int(least[0, count]), len(windows) * _TOTAL)
