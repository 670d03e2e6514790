"""What rounded questions cost under noise is within what the plan has left: proofs/rounding.md, 4.

With s_i within τ cells of b_i, misses rise by τ at most, once a coordinate; the mean error by 2τ
of itself and τ cells. The decimals of a domain may be lucky, so plans are shown in many domains.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from feint import Domain, Problem
from feint.planning import Plan, finest, plan
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


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("confidence", ["0.9", None])
def test_a_tick_may_be_as_coarse_as_what_is_left_allows(confidence: str | None, dim: int) -> None:
    """A boundary is half a tick from its own at most: what that costs is left, and no more."""
    problem = Problem("1/300", "1/60", 2, p="0.9", confidence=confidence, dim=dim)
    for size, total, left in ((300, 0.05, 1e-9), (950, 1e-3, 1e-10), (40, 0.01, 3e-11)):
        losses = {"total": total, "allowed": total + left}
        spare, off = losses["allowed"] - total, float(finest(problem, losses, size)) / 2
        cost = dim * off if confidence else dim * off * (2 * total + 1 / size)
        assert cost == pytest.approx(spare, rel=1e-9)
        assert cost <= spare * (1 + 1e-12)


@pytest.mark.parametrize("dim", [1, 2, 3, 7])
def test_rounding_raises_her_success_by_less_than_a_millionth(dim: int) -> None:
    """(1 + 2τ)² a coordinate, τ half a tick, whatever is left of the losses."""
    problem = Problem("1/300", "1/60", 2, p="0.9", confidence="0.9", dim=dim)
    for losses in (None, {"total": 0.01, "allowed": 0.1}):
        tick = finest(problem, losses, 300)
        assert 1 < (1 + tick) ** (2 * dim) <= 1 + Fraction(1, 10**6)


@pytest.mark.parametrize("dim", [1, 2])
def test_a_plan_that_leaves_little_is_asked_about_nearly_where_it_was_made(dim: int) -> None:
    """Sevenths are no decimals, and a confidence of 1 − 10⁻⁸ leaves less than a millionth."""
    problem = Problem("1/70", "1/7", 2, p="0.99", confidence=1 - Fraction(1, 10**8), dim=dim)
    domain = Domain(0, Fraction(10, 7))
    found = plan(problem, domain=domain)
    assert found.losses is not None
    left = found.losses["allowed"] - found.losses["total"]
    shown = Search(found, seed=0)._units
    for size in set(found.cells):
        coordinate = found.cells.index(size)
        scale = shown._scales[coordinate]
        even = [domain.low + domain.width * point / size for point in range(1, size)]
        off = [abs(scale.at(k) - value) for k, value in enumerate(even, 1)]
        assert 0 < float(max(off) * size / domain.width) * dim <= left


@pytest.mark.parametrize("problem", TIGHT, ids=range(len(TIGHT)))
def test_decimals_cost_no_more_than_is_left(problem: Problem) -> None:
    """A plan without units, as searches of earlier versions have: decimals near its boundaries.

    Even if they were cut off instead of rounded: a unit of the last digit is allowed for.
    """
    found = replace(plan(problem), scales=())
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
