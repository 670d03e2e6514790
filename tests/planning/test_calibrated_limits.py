"""The limits of a calibrated certificate: each has its share of the failure, and covers."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from feint.planning.noisy.certificates import calibrated
from feint.planning.noisy.certificates.calibrated import Calibrated, simulate, upper_limits
from feint.strategies import Pursuit

P = Fraction(9, 10)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[NDArray[np.int64], int, float]]:
    """The counts, runs and failure of every call for limits."""
    calls: list[tuple[NDArray[np.int64], int, float]] = []

    def recorded(missed: NDArray[np.int64], runs: int, failure: float) -> NDArray[np.float64]:
        calls.append((missed, runs, failure))
        return upper_limits(missed, runs, failure)

    monkeypatch.setattr(calibrated, "upper_limits", recorded)
    return calls


def test_every_limit_has_its_share(asked: list[tuple[NDArray[np.int64], int, float]]) -> None:
    """The j-th number of cells 1/(j(j+1)) of the failure, half a rule, an equal part a limit."""
    known = Calibrated(P, runs=20, failure=0.01)
    for cells in (40, 7, 300):
        known.answers(cells, 0.3)
    assert len(asked) == 6
    for turn, (missed, runs, failure) in enumerate(asked):
        number = turn // 2 + 1
        assert runs == 20
        assert len(missed) * failure == pytest.approx(0.01 / (number * (number + 1)) / 2, rel=1e-12)


@pytest.mark.parametrize("miss", [0.3, 0.1, 0.03])
@pytest.mark.parametrize("cells", [12, 40])
def test_what_is_claimed_is_the_limit_of_what_was_counted(
    cells: int, miss: float, asked: list[tuple[NDArray[np.int64], int, float]]
) -> None:
    """P{Bin(runs, limit) ≤ counted} is the limit's failure; one answer fewer is not enough."""
    known = Calibrated(P, runs=400, failure=0.01, seed=7)
    count, lost, rule = known.answers(cells, miss)
    calls = dict(zip(("tilted", "posterior"), asked, strict=True))
    missed, runs, failure = calls[rule]
    again = simulate(Pursuit(P, rule), cells, len(missed) - 1, runs, 7)
    assert (again == missed).all()
    assert lost <= miss
    assert binom.cdf(int(missed[count]), runs, lost) == pytest.approx(failure, rel=1e-6)
    for other, (counted, _, _) in calls.items():
        fewer = upper_limits(counted, runs, failure)[: count + (other != rule)]
        assert (fewer > miss).all() or other != rule
        assert other == rule or (fewer[:count] > miss).all()


@pytest.mark.parametrize(("missed", "runs"), [(0, 50), (1, 50), (7, 50), (49, 50), (3, 1000)])
def test_limits_are_those_of_clopper_and_pearson(missed: int, runs: int) -> None:
    """At the limit so few misses have the failure's chance: below it, more than that."""
    for failure in (0.2, 1e-3, 1e-9):
        (limit,) = upper_limits(np.array([missed]), runs, failure)
        assert binom.cdf(missed, runs, limit) == pytest.approx(failure, rel=1e-6)
        assert binom.cdf(missed, runs, limit * 0.999) > failure
    assert upper_limits(np.array([runs]), runs, 0.1)[0] == 1
