"""The sampled audit: a simulation with a verdict.

Adversaries are measured on runs by `feint.simulate`, with exact (Clopper–Pearson) limits. One
failure probability holds for the whole verdict: it is shared out evenly over every adversary and
every look, so that by the union bound all intervals that could ever be shown hold together, and
with them a verdict that stops at the first leak. An adversary with something to fit is fitted on
runs of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from feint.branches import Checked
from feint.errors import InvalidValue
from feint.exact import Number, whole
from feint.interfaces import Adversary, AnyExecutor, Progress, Strategy
from feint.problem import UNIFORM, Prior, Problem, Scale
from feint.simulate import MOST, Simulation, Success, failure_probability, simulate

LOOKS = 4
"""How often a sampled audit looks at what it has, each time at twice as many runs."""


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """Adversaries measured on runs against a promise, up to the last look.

    Attributes:
        simulation: The runs up to the last look; each of its intervals has an equal share of the
            failure probability.
        promise: The success that no adversary may exceed.
        looks: The number of looks that were taken.
        planned: The number of looks that the failure probability is shared out over.
    """

    simulation: Simulation
    promise: Fraction
    looks: int
    planned: int

    @property
    def rates(self) -> tuple[Success, ...]:
        """How often each adversary won, up to the last look."""
        return self.simulation.adversaries

    @property
    def runs(self) -> int:
        """The number of runs measured."""
        return self.simulation.runs

    @property
    def taught(self) -> int:
        """The number of other runs that adversaries with something to fit were fitted on."""
        return self.simulation.taught

    @property
    def accuracy(self) -> Fraction:
        """Twice the worst error seen, as a share of the interval."""
        return self.simulation.accuracy

    @property
    def leak(self) -> bool:
        """Whether an adversary's lower limit passed the promise."""
        return _leaks(self.simulation, self.promise)


def sample(
    strategy: Strategy,
    adversaries: Sequence[Adversary],
    *,
    runs: Number,
    promise: Fraction,
    delta: Fraction | None = None,
    failure: Number = 1e-6,
    prior: Prior | Sequence[Prior] = UNIFORM,
    problem: Problem | None = None,
    scales: Sequence[Scale | None] | None = None,
    seed: int = 0,
    executor: AnyExecutor | None = None,
    progress: Progress | None = None,
) -> Sampled:
    """Measure adversaries on runs of a strategy, and stop at the first leak.

    The digits do not depend on the executor, nor on how many workers it has.

    Args:
        strategy: What they listen to; without noise every coin, query and estimate is checked.
        adversaries: Who listens. Where work leaves this process they must be picklable.
        runs: The number of runs to measure at most; those that adversaries are fitted on, a chunk
            of them, are not counted.
        promise: The success that no adversary may exceed, 1/L.
        delta: Full width within which an adversary wins; None: that of the strategy's own problem.
        failure: The probability that any of the intervals that could be shown is wrong.
        prior: Where X* may be, in every coordinate, or one law a coordinate.
        problem: What is wanted; None: the strategy's own problem.
        scales: Where the questions are shown, as in `simulate`.
        seed: Where coins and targets come from.
        executor: Who plays the runs; None: this process.
        progress: Told the runs done and the runs wanted.

    Returns:
        How often each adversary won, with limits, and whether there is a leak. That there is none
        is never certified.

    Raises:
        InvalidValue: Too few runs, no adversary, two of one name, a guess that is no number, a
            strategy that breaks its contract, or a failure probability outside (0, 1).
        TooLarge: Not even one chunk of runs fits in the memory.
    """
    count = whole(runs, "runs", least=2, most=MOST)
    wrong = failure_probability(failure)
    if not adversaries:
        raise InvalidValue("adversaries", "none", "somebody must listen", "name one")
    ends = sorted({-(-count >> turn) for turn in range(LOOKS)})
    found = simulate(
        strategy if strategy.problem.noisy else Checked(strategy),
        runs=count,
        adversaries=adversaries,
        prior=_drawn(prior, len(strategy.cells)),
        problem=problem,
        scales=scales,
        delta=delta,
        seed=seed,
        executor=executor,
        failure=wrong / (len(adversaries) * len(ends)),
        looks=ends[:-1],
        stop=lambda outcome: _leaks(outcome, promise),
        progress=progress,
    ).finished()
    return Sampled(
        simulation=found, promise=promise, looks=ends.index(found.runs) + 1, planned=len(ends)
    )


def _drawn(prior: Prior | Sequence[Prior], dim: int) -> tuple[Prior, ...] | None:
    """The laws that X* is drawn by, one a coordinate; None: all are uniform."""
    laws = (prior,) * dim if isinstance(prior, Prior) else tuple(prior)
    return None if all(each.uniform for each in laws) else laws


def _leaks(found: Simulation, promise: Fraction) -> bool:
    return any(each.low > promise for each in found.adversaries)
