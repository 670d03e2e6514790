"""Simulations and audits on lattices that a float cannot hold see the misses there are."""

from typing import Any

import pytest

from feint import Problem, plan
from feint.audit import audit
from feint.simulate import simulate


@pytest.mark.parametrize("bits", [40, 54, 60])
def test_the_misses_of_fine_searches_are_counted_exactly(bits: int) -> None:
    """Of 600 searches one in ten may miss; 88 or more do with a chance of 10^-4."""
    promises: tuple[dict[str, Any], ...] = ({}, {"p": "0.9", "confidence": "0.9"})
    for promise in promises:
        fine = plan(Problem(f"2^-{bits}", f"2^-{bits - 2}", 2, **promise))
        found = simulate(fine.strategy, runs=600, seed=bits)
        assert found.tally.misses <= (87 if promise else 0)
        assert found.mean_error > 0


def test_the_mean_error_of_a_fine_search_is_within_half_epsilon() -> None:
    fine = plan(Problem("2^-56", "2^-54", 2, p="0.9"))
    assert simulate(fine.strategy, runs=600).mean_error_interval[0] <= 2.0**-57


@pytest.mark.long
def test_an_audit_of_a_fine_search_finds_it_accurate() -> None:
    fine = plan(Problem("2^-54", "0.2", 2, p="0.9", confidence="0.9"))
    report = audit(fine, runs=12, seed=0)
    assert report.accurate is not False
    assert report.accuracy < 8 * 2.0**-54
