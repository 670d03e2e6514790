"""How many answers a search needs, by theorem: against the bound and the searches themselves."""

import math
from fractions import Fraction

import pytest
from scipy.stats import binom
from tests.support.noisy import missed

from feint import Problem
from feint.interfaces import NEVER
from feint.planning import plan
from feint.planning.noisy.certificates.theorem import Theorem, log_rho
from feint.strategies import StagedNoisy


def bz(cells: int, answers: int, p: float) -> float:
    """(N − 1)·ρ^n, ρ = ½ + √(p(1−p))."""
    return float((cells - 1) * (0.5 + math.sqrt(p * (1 - p))) ** answers)


@pytest.mark.parametrize("miss", [0.3, 0.05, 1e-3, 1e-9])
@pytest.mark.parametrize("p", ["0.55", "0.7", "0.9", "0.99"])
@pytest.mark.parametrize("cells", [7, 12, 1000, 10**9])
def test_many_cells_by_the_bound(cells: int, p: str, miss: float) -> None:
    """What is claimed is the bound, the fewest answers bring it to the miss, and by its rule."""
    count, lost, rule = Theorem(Fraction(p)).answers(cells, miss)
    assert rule == "tilted"
    assert lost <= miss
    assert bz(cells, count, float(p)) == pytest.approx(lost, rel=1e-9)
    assert bz(cells, count - 1, float(p)) > miss * (1 - 1e-9)


@pytest.mark.parametrize("odds", [2, 4, 9, 19])
@pytest.mark.parametrize("cells", [3, 4, 5, 6])
def test_few_cells_by_every_history(cells: int, odds: int) -> None:
    """What is claimed is never below the truth, and above it by rounding at most."""
    known = Theorem(Fraction(odds, odds + 1))
    for miss in (0.5, 0.4, 0.25, 0.12, 0.06):
        count, lost, rule = known.answers(cells, miss)
        if count <= 9:
            assert rule == "posterior"
            *_, before, truth = missed(cells, count, odds)
            assert truth <= lost <= min(miss, truth + 1e-6)
            assert before > miss - 1e-6


@pytest.mark.parametrize("p", ["0.55", "0.75", "0.9"])
def test_two_cells_by_a_majority(p: str) -> None:
    known = Theorem(Fraction(p))
    for miss in (0.4, 0.1, 1e-3, 1e-6):
        count, lost, rule = known.answers(2, miss)
        truth = float(binom.cdf(count // 2, count, float(p)))
        assert (count % 2, rule) == (1, "posterior")
        assert truth <= lost * (1 + 1e-12)
        assert lost <= min(miss, truth * (1 + 1e-8))


def test_what_needs_no_answers_and_what_none_suffice_for() -> None:
    known = Theorem(Fraction(9, 10))
    assert known.answers(1, 0.0) == (0, 0.0, "tilted")
    assert known.answers(1, 0.5)[0] == 0
    for cells in (2, 3, 50):
        assert known.answers(cells, 0.0)[0] == NEVER
        assert known.answers(cells, -0.1)[0] == NEVER


@pytest.mark.parametrize("confidence", ["0.95", None])
@pytest.mark.parametrize("p", ["0.75", "0.9"])
def test_the_papers_plan_claims_its_own_bounds(p: str, confidence: str | None) -> None:
    """L' = 7L, cells of ε/4: e₁ = (c₁ − 1)ρ^K₁ and e₃ = (g − 1)ρ^K₂, g cells in a part."""
    problem = Problem("0.001", "0.02", 3, p=p, confidence=confidence)
    found = plan(problem, method="paper")
    assert isinstance(found.strategy, StagedNoisy)
    assert found.losses is not None
    shape, size = found.strategy.shape, found.strategy.size
    assert (shape.parts, shape.kept, shape.rules) == (21, 21, ("tilted", "tilted"))
    cells = size // shape.blocks // shape.parts
    assert size == shape.blocks * shape.parts * cells
    width = 1 / (shape.blocks * shape.parts)
    assert width >= 0.02
    assert width / cells <= 0.001 / 4 * (1 + 1e-12)
    weight = 1.0 if confidence else width
    assert found.losses["narrow"] == pytest.approx(bz(shape.blocks, shape.narrow, float(p)))
    assert found.losses["hide"] == pytest.approx(weight * bz(cells, shape.hide, float(p)))
    assert found.losses["total"] <= found.losses["allowed"]
    assert found.certificate == "theorem"


@pytest.mark.parametrize("p", ["0.55", "0.7", "0.9"])
@pytest.mark.parametrize("cells", [2, 7, 1000])
def test_a_miss_that_is_hardly_below_the_bound_takes_an_answer_more(cells: int, p: str) -> None:
    """By logarithms alone it would seem the same: the bound itself has the last word."""
    known = Theorem(Fraction(p), walked=False)
    for count in (12, 40, 77):
        bound = (cells - 1) * math.exp(log_rho(Fraction(p)) * count)
        if bound < 1:
            assert known.bound_answers(cells, bound) == count
            assert known.bound_answers(cells, bound * (1 - 1e-13)) == count + 1


@pytest.mark.parametrize("miss", [0.3, 0.1])
def test_long_majorities_take_the_fewest_pairs(miss: float) -> None:
    """Beyond 4096 pairs, of which a table is kept."""
    p = Fraction(1, 2) + Fraction(1, 1000)
    count, lost, rule = Theorem(p).answers(2, miss)
    assert (count % 2, rule) == (1, "posterior")
    assert count > 2 * 4096
    truth, fewer = (float(binom.cdf(each // 2, each, float(p))) for each in (count, count - 2))
    assert truth <= lost * (1 + 1e-12)
    assert lost <= min(miss, truth * (1 + 1e-8))
    assert fewer > miss * (1 - 1e-8)
