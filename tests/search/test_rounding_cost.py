"""What short decimals cost under noise is within what the plan has left: proofs/rounding.md, 4.

With s_i within τ cells of b_i, misses rise by τ at most, once a coordinate; the mean error by 2τ
of itself and τ cells. The decimals of a domain may be lucky, so plans are shown in many domains.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from feint import Domain, Problem
from feint.planning import EXCESS, Plan, finest, plan
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
    """What is shown is a decimal near the boundary of an even division, never too far from it."""
    found = plan(problem, method="fixed" if problem.noisy else "tight")
    assert found.losses is not None
    left, cells = found.losses["allowed"] - found.losses["total"], found.cells[0]
    assert cost(found, 1e-3) > left  # a thousandth of a cell would be too coarse
    rounded = 0
    for width in WIDTHS:
        domain = Domain(0, width)
        units = Search(found, domains=(domain,) * problem.dim, seed=0)._units
        for point in range(1, cells, max(1, cells // 12)):
            query = units.query(Asked(0, 0, point))
            assert Fraction(query.shown) == query.value
            off = abs(query.value - domain.line(cells).at(point)) * cells / width
            assert cost(found, float(off)) <= left
            rounded += off > 0
    assert rounded


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("total", [1e-4, 1e-2])
@pytest.mark.parametrize("confidence", ["0.99", None])
def test_half_a_tick_in_every_coordinate_spends_what_is_left(
    confidence: str | None, total: float, dim: int
) -> None:
    """The largest tick that is allowed, worked out anew: no coarser, and hardly finer."""
    problem = Problem("1/1000", "1/50", 2, p="0.9", confidence=confidence, dim=dim)
    spare, size = 1e-11, 1000
    losses = {"total": total, "allowed": total + spare}
    left = losses["allowed"] - losses["total"]
    off = float(finest(problem, losses, size)) / 2  # of a cell
    spent = off * dim if confidence else (off * 2 * total + off / size) * dim
    if confidence:
        assert 0.999 * left <= spent <= left * (1 + 1e-12)
    else:
        assert spent <= left * (1 + 1e-12)
    plenty = finest(problem, {"total": 0.0, "allowed": 1.0}, size)
    assert (1 + plenty) ** (2 * dim) <= 1 + EXCESS


@pytest.mark.parametrize("dim", [1, 3])
@pytest.mark.parametrize("total", [1e-7, 1e-2])
@pytest.mark.parametrize("confidence", ["0.99", None])
def test_what_a_shown_boundary_may_be_off_by_spends_what_is_left(
    confidence: str | None, total: float, dim: int
) -> None:
    """Of plans whose questions were not planned at decimals, and of floats for functions."""
    found = plan(Problem("1/100", "1/10", 2, p="0.9", confidence=confidence, dim=dim))
    spare = 1e-9 / min(found.cells)
    slight = replace(found, losses={"total": total, "allowed": total + spare})
    left = total + spare - total
    off = float(Search(slight, domains=(Domain(0, 1),) * dim, seed=0)._units._fineness) / 1000
    assert 0.999 * left / (1 if confidence else dim) <= cost(slight, off) <= left * (1 + 1e-9)


def test_a_range_up_to_a_power_of_two_is_as_fine_as_the_floats_below_it() -> None:
    """Between one half and 1 floats are twice as fine as above 1: values 2⁻⁵² apart stay apart."""
    step = Fraction(1, 2**52 - 1)
    found = plan(Problem(Fraction(1, 2**52), Fraction(1, 2**32), 2, values=2**52))
    units = Search(found, domains=[Domain(0, 1, step=step)], seed=0)._units
    for point in (1, 2**20 + 1, 2**51 + 3, 2**52 - 3, 2**52 - 1):
        number = units.query(Asked(0, 0, point)).number
        assert isinstance(number, int | float)
        assert (point - 1) * step < number <= point * step
