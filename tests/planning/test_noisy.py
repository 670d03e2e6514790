"""Noisy plans: the figures of the theory, certified, and what simulation says of them."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from tests.support.fixed import plan
from tests.support.noisy import Promised

from feint import Problem
from feint.audit import noisy_audit
from feint.errors import NoPlan, UnknownMethod
from feint.interfaces import Estimate, Rule
from feint.planning import Plan
from feint.planning.noisy.certificates.calibrated import simulate as counted
from feint.planning.noisy.certificates.calibrated import upper_limits
from feint.planning.noisy.certificates.exact import misses as exact_misses
from feint.simulate import Processes, play
from feint.simulate import simulate as simulated
from feint.strategies import Pursuit

ROWS = [  # ε, δ, L, p, M; the paper's queries; the most a theorem-certified tight plan may take
    (".001", ".02", 5, ".9", 20, 2280, 203),
    (".001", ".02", 5, ".75", 20, 6215, 670),
    (".001", ".02", 5, ".6", 20, 39627, 4700),
    (".0001", ".01", 8, ".9", 100, 4979, 459),
    (".0001", ".005", 20, ".9", 20, 9848, 839),
]
CALIBRATED = [(0, 130), (1, 430), (4, 550)]


def problem_of(row: int) -> Problem:
    epsilon, delta, level, p, many, _, _ = ROWS[row]
    return Problem(epsilon, delta, level, p=p, confidence=1 - Fraction(1, many))


def errors(found: Plan, runs: int, seed: int = 0) -> Any:
    """|X̂ − X*| in units of the whole, X* uniform; and the estimates."""
    random = np.random.default_rng(seed)
    wrong, estimates = [], list[Estimate]()
    for first in range(0, runs, 2000):
        count = min(2000, runs - first)
        targets = random.integers(found.cells, size=(count, len(found.cells)))
        place = targets + random.random(targets.shape)
        estimate = play(found.strategy, targets, random).estimate
        wrong.append(np.abs(estimate.point - place) / found.cells)
        estimates.append(estimate)
    return np.concatenate(wrong).max(axis=1), estimates


def misses(found: Plan, runs: int) -> int:
    return int((errors(found, runs)[0] > float(found.problem.epsilon) / 2 + 1e-12).sum())


def within(missed: int, runs: int, claim: float) -> bool:
    """Not refuted at 10⁻⁶."""
    return bool(binom.sf(missed - 1, runs, claim) >= 1e-6)


@pytest.mark.parametrize("row", range(5))
def test_the_papers_constants(row: int) -> None:
    found = plan(problem_of(row), method="paper")
    assert found.queries == ROWS[row][5]
    assert found.certificate == "theorem"
    assert found.private


@pytest.mark.parametrize("row", [0, 1, 3, 4, pytest.param(2, marks=pytest.mark.slow)])
def test_theorem_certified_plans(row: int) -> None:
    found = plan(problem_of(row))
    assert found.queries <= ROWS[row][6]
    assert (found.certificate, found.private) == ("theorem", True)
    assert found.losses is not None
    assert found.losses["total"] <= found.losses["allowed"]


@pytest.mark.slow
@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize(("row", "most"), CALIBRATED)
def test_calibrated_plans(row: int, most: int) -> None:
    said, again = list[str](), list[str]()

    def calibrated(told: list[str]) -> Plan:
        return plan(
            problem_of(row),
            certificate="calibrated",
            progress=lambda what, *_: told.append(what),
        )

    found = calibrated(said)
    assert found.queries <= most
    assert (found.certificate, found.private) == ("calibrated", True)
    assert said
    assert calibrated(again) == found
    assert not again
    assert within(misses(found, 100_000), 100_000, 1 / ROWS[row][4])
    audit = noisy_audit(found.strategy, runs=1000, seed=row)
    assert audit.low <= 1 / found.problem.level
    assert audit.success <= 1.02 / found.problem.level


@pytest.mark.usefixtures("cache")
def test_a_small_calibrated_plan() -> None:
    problem = Problem("0.05", "0.2", 2, p="0.95", confidence="0.9")
    found = plan(problem, certificate="calibrated")
    assert found.queries < plan(problem).queries
    assert plan(problem, certificate="calibrated") == found
    assert within(misses(found, 4000), 4000, 0.1)


AVERAGE = [(".001", ".02", 5, ".9"), (".0001", ".005", 10, ".8"), (".0002", ".01", 4, ".85")]


@pytest.mark.parametrize("row", AVERAGE)
def test_on_average_six_times_fewer_than_the_paper(row: tuple[str, str, int, str]) -> None:
    epsilon, delta, level, p = row
    problem = Problem(epsilon, delta, level, p=p)
    found = plan(problem)
    assert 6 * found.queries <= plan(problem, method="paper").queries
    assert found.private
    wrong, _ = errors(found, 2000)
    assert wrong.mean() <= float(problem.epsilon) / 2


@pytest.mark.parametrize("row", [0, 3, 4])
def test_miss_rates_of_the_small_plans(row: int) -> None:
    assert within(misses(plan(problem_of(row)), 10_000), 10_000, 1 / ROWS[row][4])


@pytest.fixture(scope="module")
def pool() -> Iterator[Processes]:
    with Processes(2) as processes:
        yield processes


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tight", "paper"])
@pytest.mark.parametrize("row", range(5))
def test_miss_rates_of_a_hundred_thousand_runs(row: int, method: str, pool: Processes) -> None:
    found = plan(problem_of(row), method=method)
    done = simulated(found.strategy, runs=100_000, executor=pool)
    assert within(done.tally.misses, done.runs, 1 / ROWS[row][4])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tight", "paper"])
@pytest.mark.parametrize("row", AVERAGE)
def test_mean_errors_of_a_hundred_thousand_runs(
    row: tuple[str, str, int, str], method: str, pool: Processes
) -> None:
    epsilon, delta, level, p = row
    found = plan(Problem(epsilon, delta, level, p=p), method=method)
    done = simulated(found.strategy, runs=100_000, executor=pool, failure=Fraction(2, 10**6))
    assert done.mean_error_interval[0] <= float(found.problem.epsilon) / 2


@pytest.mark.slow
@pytest.mark.parametrize("method", ["tight", "paper"])
@pytest.mark.parametrize("row", [*range(5), *AVERAGE])
def test_the_best_eavesdropper_of_a_thousand_transcripts(
    row: int | tuple[str, str, int, str], method: str, pool: Processes
) -> None:
    if isinstance(row, int):
        problem, seed = problem_of(row), row
    else:
        problem, seed = Problem(*row[:3], p=row[3]), 5
    found = plan(problem, method=method)
    audit = noisy_audit(found.strategy, runs=1000, seed=seed, executor=pool)
    assert audit.low <= 1 / found.problem.level
    assert audit.success <= 1.02 / found.problem.level


def test_intervals_hold_x_as_surely_as_asked_and_widen_when_p_is_worse() -> None:
    found = plan(Problem("0.01", "0.05", 2, p="0.9", confidence="0.9"))
    worse = Problem("0.01", "0.05", 2, p="0.75", confidence="0.9")
    random = np.random.default_rng(0)
    targets = random.integers(found.cells, size=(4000, 1))
    good = play(found.strategy, targets, random).estimate
    held = (good.low <= targets) & (targets < good.high)
    assert held.mean() >= 0.9
    # The same strategy hears answers that are right less often than promised.
    liar = Promised(found.strategy, worse)
    bad = play(liar, targets, random).estimate
    assert (bad.high - bad.low).mean() > 2 * (good.high - good.low).mean()
    near = np.abs(bad.point - targets - 0.5) / found.cells[0] <= 0.05
    assert near.mean() > 0.5


def test_exact_misses_are_what_simulation_finds() -> None:
    p = Fraction(4, 5)
    cases: list[tuple[int, Rule]] = [(3, "tilted"), (4, "posterior"), (5, "tilted")]
    for cells, rule in cases:
        search = Pursuit(p, rule)
        missed = counted(search, cells, 12, 20_000, 3)
        for answers in (0, 4, 12):
            exact = exact_misses(cells, p, rule, answers)[answers]
            assert abs(missed[answers] / 20_000 - exact) < 5 * np.sqrt(0.25 / 20_000)


def test_limits_cover() -> None:
    """The limit for no misses out of n at failure f is 1 − f^(1/n)."""
    limits = upper_limits(np.array([0, 10, 100]), 100, 0.01)
    assert limits[0] == pytest.approx(1 - 0.01 ** (1 / 100))
    assert binom.cdf(10, 100, limits[1]) == pytest.approx(0.01)
    assert limits[2] == 1.0


def test_several_dimensions_share_the_miss_and_multiply_the_success() -> None:
    problem = Problem("0.02", "0.1", 4, p="0.9", confidence="0.9", dim=2)
    found = plan(problem)
    assert found.private
    assert found.losses is not None
    assert found.losses["total"] <= 0.1 + 1e-12
    assert within(misses(found, 4000), 4000, 0.1)
    assert plan(Problem("0.02", "0.1", 4, p="0.9", dim=2)).private


def test_whole_numbers_are_found_exactly() -> None:
    problem = Problem("1/97", "7/97", 3, values=97, p="0.9", confidence="0.9")
    found = plan(problem)
    assert found.private
    random = np.random.default_rng(0)
    targets = random.integers(97, size=(5000, 1))
    point = play(found.strategy, targets, random).estimate.point
    assert within(int((np.floor(point) != targets).sum()), 5000, 0.1)
    audit = noisy_audit(found.strategy, runs=200, seed=0)
    assert audit.low <= 1 / 3
    with pytest.raises(UnknownMethod):
        plan(problem, method="paper")


def test_refusals() -> None:
    with pytest.raises(NoPlan, match="7·level·delta"):
        plan(Problem("0.001", "0.1", 5, p="0.9"), method="paper")
    with pytest.raises(NoPlan, match="delta"):
        plan(Problem("0.001", "1/5", 5, p="0.9", confidence="0.9"))
    assert plan(Problem("0.001", "1/6", 5, p="0.9", confidence="0.9")).private
