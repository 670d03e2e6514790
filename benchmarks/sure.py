"""Noisy searches that stop when they are sure: questions on average, and how often they miss."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

from benchmarks.measure import Figure

from feint import Domain, Plan, Problem, plan
from feint.bounds import table
from feint.interfaces import Strategy
from feint.simulate import clopper_pearson, run_lengths, simulate

RUNS, MISS_RUNS, SEED = 10_000, 20_000, 2026
FAILURE = 0.1  # of an interval: its upper end is a limit of 95 %


class Row(NamedTuple):
    """A problem, and the figures to compare with.

    Attributes:
        epsilon: The accuracy.
        delta: The width of the eavesdropper's success.
        level: L.
        p: Probability that an answer is right.
        many: M: a search may miss once in so many.
        mean: Mean number of questions that is to be met.
    """

    epsilon: str
    delta: str
    level: int
    p: str
    many: int
    mean: int

    @property
    def problem(self) -> Problem:
        """Return the problem."""
        sure = 1 - Fraction(1, self.many)
        return Problem(self.epsilon, self.delta, self.level, p=self.p, confidence=sure)

    @property
    def name(self) -> str:
        """Return the problem in a few words."""
        return f"({self.epsilon}, {self.delta}, {self.level}, {self.p}, {self.many})"


ROWS = (
    Row("0.001", "0.02", 5, "0.9", 20, 87),
    Row("0.001", "0.02", 5, "0.75", 20, 265),
    Row("0.001", "0.02", 5, "0.6", 20, 1763),
    Row("0.0001", "0.01", 8, "0.9", 100, 208),
    Row("0.0001", "0.005", 20, "0.9", 20, 377),
)
SIMULATED = (0, 1, 4)  # rows with a calibrated plan: the others take minutes to calibrate
MISSED = (0, 1, 3, 4)  # rows whose misses are counted: at p = 0.6 a run takes 400 rounds
OTHERWISE = {"0.9": ("0.95", "0.85"), "0.75": ("0.8", "0.7")}
"""True probabilities of a right answer, above and below the stated one."""


def noisy_sure() -> list[Figure]:
    """Questions on average against the table of section 12, then how often four rows miss."""
    lengths = [_length(row, calibrated=i in SIMULATED) for i, row in enumerate(ROWS)]
    misses = [figure for i in MISSED for figure in _misses(ROWS[i])]
    return [*lengths, _unhidden("0.9", 15.5), _unhidden("0.8", 30.0), *misses]


def _length(row: Row, *, calibrated: bool) -> Figure:
    """The mean of 10,000 runs, beside what else there is."""
    problem = row.problem
    made, fixed = plan(problem), plan(problem, method="fixed")
    mean, note = _mean(made, row.mean)
    note += f", at most {made.queries}; paper {plan(problem, method='paper').queries}"
    note += f", fixed {fixed.queries}"
    if calibrated:
        found = plan(problem, method="fixed", certificate="calibrated").queries
        note += f", fixed calibrated {found}"
    lower = max(float(each.value) for each in table(problem) if "lower" in each.name and each.value)
    note += f"; a plan's longest search takes at least {lower:.1f}"
    return Figure(f"mean questions {row.name} / {row.mean}", mean, 1.05, note)


def _unhidden(p: str, wanted: float) -> Figure:
    domain = Domain(1, 200, step=1)
    problem = domain.problem(delta=1, level=1, p=p, confidence="0.95")
    mean, note = _mean(plan(problem, domain=domain), wanted)
    fixed = plan(problem, domain=domain, method="fixed").queries
    return Figure(
        f"mean questions, 200 values, p = {p} / {wanted}", mean, 1.05, f"{note}, {fixed=}"
    )


def _mean(made: Plan, wanted: float) -> tuple[float, str]:
    asked, rounds, _ = run_lengths(made.strategy, RUNS, SEED)
    error = float(asked.std()) / RUNS**0.5
    note = f"{asked.mean():.1f} ± {error:.1f} questions in {rounds.mean():.1f} rounds"
    return float(asked.mean()) / wanted, note


def _misses(row: Row) -> list[Figure]:
    """The upper limit on the misses of 20,000 runs; at other reliabilities they are reported."""
    made, allowed = plan(row.problem), 1 / row.many
    figures = []
    for truth in (row.p, *OTHERWISE[row.p]):
        found = simulate(Truly(made.strategy, Fraction(truth)), runs=MISS_RUNS, seed=SEED)
        missed = round(found.miss_rate * MISS_RUNS)
        low, high = (float(each) for each in clopper_pearson(missed, MISS_RUNS, FAILURE))
        note = f"{missed} of {MISS_RUNS}, between {low:.4f} and {high:.4f}"
        note += f"; {found.queries_mean:.1f} questions on average"
        most = 1.0 if Fraction(truth) >= Fraction(row.p) else 10.0
        name = f"misses {row.name}, answers right {truth} / {allowed:g}"
        figures.append(Figure(name, high / allowed, most, note))
    return figures


class Truly:
    """A strategy whose answers are right with another probability than it believes."""

    def __init__(self, strategy: Strategy, truth: Fraction) -> None:
        """Keep the strategy; only the problem that the simulator sees has the true probability."""
        self.strategy = strategy
        self.problem = replace(strategy.problem, p=truth)

    def __getattr__(self, name: str) -> Any:
        """Return what the strategy has by that name."""
        return getattr(self.strategy, name)
