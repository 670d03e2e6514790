"""Count queries near X* on a given lattice: ticks of a range, or the cells of a plan with a prior.

Cells and windows have masses, and intervals without mass need no question. The bound covers plans
that ask only at the boundaries of the lattice. See proofs/near.md.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from itertools import groupby, pairwise

from feint.bounds.weighted import near_queries_of_masses
from feint.exact import ceil_div
from feint.problem import Line


def near_queries_of_line(line: Line, epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return f, the least mean number of queries within δ/2 of X* among boundaries of a lattice.

    Args:
        line: The lattice, with its prior; at most `weighted.MOST_CELLS` cells.
        epsilon: The full width of the accuracy, as a share of the range.
        delta: The full width within which the eavesdropper wins, as a share of the range.

    Returns:
        A rational that is at most f, and within 10^-9 of it.

    Raises:
        InvalidValue: There are too many cells.

    Example:
        Four cells, windows of two: the first question is near half the time, the second always.

        >>> near_queries_of_line(Line.of_cells(4), Fraction(1, 4), Fraction(1, 2))
        Fraction(3, 2)
    """
    half = delta * line.width / 2
    edges = [line.mass(boundary) for boundary in range(line.size + 1)]
    places = [line.at(boundary) for boundary in range(1, line.size)]
    window = [(line.mass_below(place - half), line.mass_below(place + half)) for place in places]
    masses = [high - low for low, high in pairwise(edges)]
    return near_queries_of_masses(masses, [window], last_leaves(line, epsilon))


def last_leaves(line: Line, epsilon: Fraction) -> list[int]:
    """Return the last boundary up to which the mass fits into ε, for each cell.

    An interval of cells from there to that boundary needs no further question.
    """
    widest, runs = epsilon * line.width, _runs(line)

    def extent(first: int, last: int) -> Fraction:
        """Return the length of the shortest interval that holds all mass of some cells."""
        low, high = line.at(first), line.at(last)
        left = bisect_right(runs, low, key=lambda run: run[1])
        right = bisect_left(runs, high, key=lambda run: run[0]) - 1
        if left > right:
            return Fraction(0)
        return min(high, runs[right][1]) - max(low, runs[left][0])

    leaves, last = list[int](), 0
    for first in range(line.size):
        # One cell is always a leaf, since no question lies inside it.
        last = max(last, first + 1)
        while last < line.size and extent(first, last + 1) <= widest:
            last += 1
        leaves.append(last)
    return leaves


def fewest_pieces(line: Line, epsilon: Fraction) -> int:
    """Return the fewest intervals of width ε that hold all mass of a line, at any place.

    >>> from feint.problem import Prior
    >>> fewest_pieces(Line.of_cells(4, Prior([1, 0, 0, 1])), Fraction(1, 8))
    4
    """
    widest = epsilon * line.width
    pieces, covered = 0, line.at(0)
    for low, high in _runs(line):
        start = max(low, covered)
        if start < high:
            more = ceil_div(high - start, widest)
            pieces, covered = pieces + more, start + more * widest
    return pieces


def _runs(line: Line) -> list[tuple[Fraction, Fraction]]:
    """Return the intervals of a line with mass, from left to right, in the user's units."""
    if line.prior is None:
        return [(line.at(0), line.at(line.size))]
    each = line.width / line.prior.bins
    runs, place = list[tuple[Fraction, Fraction]](), 0
    for has_mass, group in groupby(weight > 0 for weight in line.prior.weights):
        end = place + len(list(group))
        if has_mass:
            runs.append((line.at(0) + each * place, line.at(0) + each * end))
        place = end
    return runs
