"""What short decimals cost under noise is within what the plan has left: proofs/rounding.md, 4.

With s_i within τ cells of b_i, misses rise by τ at most, once a coordinate; the mean error by 2τ
of itself and τ cells. The decimals of a domain may be lucky, so plans are shown in many domains.
"""

from fractions import Fraction

import pytest

from feint import Domain, Problem
from feint.planning import Plan, plan
from feint.search import Search
from feint.search.units import Asked

WIDTHS = [Fraction(round(997 * 10 ** (each / 60)), 997) for each in range(1, 61)]
TIGHT = [  # what is left is less than a thousandth of a cell costs
    Problem("1/300", "5/300", 2, p="0.99", confidence="0.9999"),
    Problem("1/300", "5/300", 2, p="0.99", confidence="0.9999", dim=2),
    Problem("1/150", "1/7", 2, p="0.8"),
    Problem("1/220", "1/12", 3, p="0.99"),
    Problem("1/77", "1/12", 3, p="0.99", dim=2),
]


def cost(found: Plan, off: float) -> float:
    """What questions that are off by so many cells cost, at most."""
    losses, dim = found.losses or {}, found.problem.dim
    if found.problem.confidence is not None:
        return off * dim
    return off * 2 * losses["total"] + sum(off / cells for cells in found.cells)


@pytest.mark.parametrize("problem", TIGHT, ids=range(len(TIGHT)))
def test_decimals_cost_no_more_than_is_left(problem: Problem) -> None:
    """Even if they were cut off instead of rounded: a unit of the last digit is allowed for."""
    found = plan(problem)
    assert found.losses is not None
    left, cells = found.losses["allowed"] - found.losses["total"], found.cells[0]
    assert cost(found, 1e-3) > left  # a thousandth of a cell would be too coarse
    shares = []
    for width in WIDTHS:
        domains = (Domain(0, width),) * problem.dim
        units = Search(found, domains=domains, seed=0)._units
        asked = [units.query(Asked(0, 0, point)) for point in range(1, cells, max(1, cells // 12))]
        rounded = [each for each in asked if Fraction(each.shown) != each.value]
        off = max((abs(Fraction(each.shown) - each.value) for each in rounded), default=Fraction(0))
        assert cost(found, float(off * cells / width)) <= left
        digits = max((len(each.shown.partition(".")[2]) for each in rounded), default=None)
        if digits is not None:
            shares.append(cost(found, float(Fraction(1, 10**digits) * cells / width)) / left)
    assert max(shares) <= 1
    if problem.dim == 1:  # and no more digits than that
        assert max(shares) > 0.9
