"""A noisy report's statements hold together: each has its share of the failure, its own runs."""

import math
import re

import pytest
from scipy.stats import binom
from tests.support.strategies import staged_noisy

from feint import Problem
from feint.audit import audit, noisy_audit
from feint.audit.report import Report
from feint.strategies import Product, StagedNoisy

ONE = Problem("1/24", "1/6", 2, p="0.8", confidence="0.9")
SHAPE = (1, 0, 3, 2, 2, 3)


def several(dim: int) -> tuple[Product, tuple[StagedNoisy, ...]]:
    """The same small search for each of some numbers."""
    factors = tuple(staged_noisy(ONE, 24, *SHAPE) for _ in range(dim))
    problem = Problem("1/24", "1/6", 2, p="0.8", confidence="0.9", dim=dim)
    return Product(problem, factors), factors


def interval(report: Report) -> tuple[float, float]:
    (found,) = (re.search(r"between ([\d.]+) and ([\d.]+)", each) for each in report.notes[:1])
    assert found is not None
    return float(found[1]), float(found[2])


@pytest.mark.parametrize(("dim", "failure"), [(1, 0.9), (1, 0.3), (2, 0.9), (3, 0.9)])
def test_the_failure_is_shared_by_every_coordinate_and_the_accuracy(
    dim: int, failure: float
) -> None:
    """d intervals and one verdict on accuracy: each may be wrong with 1/(d + 1) of the failure."""
    product, factors = several(dim)
    low, high = interval(audit(product, runs=40, seed=5, failure=failure))
    found = [
        noisy_audit(each, runs=40, seed=5 + i, failure=failure / (dim + 1))
        for i, each in enumerate(factors)
    ]
    assert 0 < low < high < 1
    assert low == pytest.approx(math.prod(each.least for each in found), abs=6e-5)
    assert high == pytest.approx(math.prod(each.high for each in found), abs=6e-5)
    assert {each.failure for each in found} == {failure / (dim + 1)}


def test_the_interval_is_maurer_and_pontils() -> None:
    """√(2V ln(4/f)/n) + 7 ln(4/f)/3(n−1) on either side: two failures give V, a third must fit."""
    strategy = staged_noisy(ONE, 24, *SHAPE)

    def half(failure: float) -> float:
        found = noisy_audit(strategy, runs=160, seed=1, failure=failure)
        assert found.success - found.low == pytest.approx(found.high - found.success)
        return found.high - found.success

    def rest(failure: float) -> float:
        return 7 * math.log(4 / failure) / (3 * 159)

    variance = (half(0.5) - rest(0.5)) ** 2 * 160 / (2 * math.log(8))
    assert 0 < variance < 0.25
    for failure in (0.9, 0.1):
        spread = math.sqrt(2 * variance * math.log(4 / failure) / 160)
        assert half(failure) == pytest.approx(spread + rest(failure), rel=1e-9)


def test_coordinates_are_heard_on_runs_of_their_own() -> None:
    """Searches that are alike would win alike on the same coins, and chance would be squared."""
    product, factors = several(2)
    together = audit(product, runs=32, seed=3).adversary_success
    alone = noisy_audit(factors[0], runs=32, seed=3).success
    assert together is not None
    assert abs(float(together) - alone**2) > 1e-5


@pytest.mark.parametrize("dim", [1, 2])
def test_inaccuracy_is_told_when_its_share_of_the_failure_says_so(dim: int) -> None:
    """Of n runs k missed: told when P{Bin(n, allowed) ≥ k} is at most half the share."""
    product, _ = several(dim)
    subject = product if dim > 1 else staged_noisy(ONE, 24, *SHAPE)
    missed = audit(subject, runs=50, seed=2).notes[-1]
    said = re.match(r"(\d+) of 50 runs missed", missed)
    assert said is not None
    tail = float(binom.sf(int(said[1]) - 1, 50, 0.1))
    limit = 2 * (dim + 1) * tail
    assert 0 < limit < 0.5
    assert audit(subject, runs=50, seed=2, failure=limit * 1.001).accurate is False
    assert audit(subject, runs=50, seed=2, failure=limit * 0.999).accurate is None


def test_transcripts_in_which_she_was_helped_count_as_lost_in_the_lower_end() -> None:
    """A search too long to follow: she is told every answer, and nothing is known of her alone.

    One part hides nothing, so with the help she wins always: the lower end is 0 all the same, and
    the verdict is no leak that could not be shown.
    """
    problem = Problem("1/2", "1/2", 2, p="0.8", confidence="0.9", values=2)
    long = staged_noisy(problem, 2, 1, 0, 1, 0, 1, 1025, ("posterior", "posterior"))
    report = audit(long, runs=16, seed=0, failure=0.9)
    assert report.adversary_success == 1
    low, high = interval(report)
    assert (low, high) == (0, 1)
    assert report.private is None
    assert "leaks" not in report.verdict
    assert any("in 16 transcripts" in each for each in report.notes)
    assert noisy_audit(long, runs=16, seed=0, failure=0.45).low > 0.6  # but for the help
