"""Which methods a problem has: the optimum where the problem is small enough to solve."""

from fractions import Fraction
from typing import Any

import pytest

from feint import Domain, Problem, plan
from feint.errors import NoPlan
from feint.planning import methods


@pytest.mark.parametrize(("setting", "most"), [("bayesian", 9), ("deterministic", 12)])
def test_the_optimum_is_offered_up_to_so_many_cells(setting: Any, most: int) -> None:
    def names(cells: int, *, whole: bool, dim: int = 1) -> list[str]:
        least, values = Fraction(1, cells), cells if whole else None
        problem = Problem(least, 2 * least, 2, setting=setting, values=values, dim=dim)
        return list(methods(problem))

    for whole in (True, False) if setting == "bayesian" else (True,):
        assert "optimal" in names(most, whole=whole)
        assert "optimal" not in names(most + 1, whole=whole)
        assert "optimal" not in names(most, whole=whole, dim=2)


@pytest.mark.parametrize("dim", [1, 2])
def test_a_method_that_takes_more_rounds_says_how_many(dim: int) -> None:
    problem = Problem("1/32", "1/8", 2, dim=dim)
    with pytest.raises(NoPlan, match="5"):
        plan(problem, method="bisection", max_rounds=4)
    assert plan(problem, method="bisection", max_rounds=5).rounds == 5


def test_two_numbers_under_a_prior() -> None:
    domain = Domain(0, 80)
    wanted: dict[str, Any] = {"epsilon": 5, "delta": 20, "level": 4, "dim": 2}
    problem = domain.problem(**wanted, prior=[1, 2, 1, 1])
    found = plan(problem, domain=domain)
    assert found.promised is not None
    assert found.promised <= Fraction(1, 4)
    assert found.queries < plan(problem, domain=domain, method="grid").queries


def test_what_she_wins_with_as_stated_is_told_under_a_prior_only() -> None:
    domain = Domain(0, 80)
    wanted: dict[str, Any] = {"epsilon": 5, "delta": 20, "level": 2}
    uniform = plan(domain.problem(**wanted), domain=domain)
    stated = plan(domain.problem(**wanted, prior=[1, 2, 1, 1]), domain=domain)
    assert "stated_success" not in uniform.to_dict()
    assert stated.to_dict()["stated_success"] == stated.stated_success
