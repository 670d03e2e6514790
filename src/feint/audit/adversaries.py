"""Measure adversaries on runs of one noiseless search, and construct the best one.

Adversaries are measured on runs by `feint.simulate`, with exact (Clopper–Pearson) limits. One
failure probability covers the whole verdict. It is divided evenly among all adversaries and looks.
By the union bound all intervals then hold together, even if the audit stops at the first leak. An
adversary that learns is fitted on separate runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from feint.audit.case import coordinates
from feint.audit.exact import LIMIT
from feint.audit.places import Places
from feint.audit.tally import Group
from feint.branches import Checked, branches
from feint.errors import InvalidValue, TooLarge
from feint.exact import Number, whole
from feint.interfaces import Adversary, AnyExecutor, Progress, Strategy
from feint.problem import UNIFORM, Line, Prior, Problem, Transcript
from feint.simulate import MOST, Simulation, Success, failure_probability, simulate

_REMEMBERED = 1 << 22  # the most transcripts, about a gigabyte
_FINEST = 1 << 40  # the most cells for which floats can represent quarters of a cell
LOOKS = 4
"""The number of looks of a sampled audit, each after twice as many runs as the one before."""


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """The results of adversaries on runs, compared with a promise, up to the last look.

    Attributes:
        simulation: The runs up to the last look; each of its intervals has an equal share of the
            failure probability.
        promise: The success that no adversary may exceed.
        looks: The number of looks taken.
        planned: The number of looks among which the failure probability is divided.
    """

    simulation: Simulation
    promise: Fraction
    looks: int
    planned: int

    @property
    def rates(self) -> tuple[Success, ...]:
        """Return the success of each adversary, up to the last look."""
        return self.simulation.adversaries

    @property
    def runs(self) -> int:
        """Return the number of runs measured."""
        return self.simulation.runs

    @property
    def taught(self) -> int:
        """Return the number of separate runs on which adversaries were fitted."""
        return self.simulation.taught

    @property
    def accuracy(self) -> Fraction:
        """Return twice the worst error seen, as a share of the interval."""
        return self.simulation.accuracy

    @property
    def leak(self) -> bool:
        """Return True if an adversary's lower limit exceeds the promise."""
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
    scales: Sequence[Line | None] | None = None,
    seed: int = 0,
    executor: AnyExecutor | None = None,
    progress: Progress | None = None,
) -> Sampled:
    """Measure adversaries on runs of a strategy, and stop at the first leak.

    The digits do not depend on the executor, nor on how many workers it has.

    Args:
        strategy: A noiseless strategy. Every coin, query and estimate is checked.
        adversaries: The adversaries. They must be picklable if other processes do the work.
        runs: The most runs to measure, without the chunk of runs on which adversaries are fitted.
        promise: The success that no adversary may exceed, 1/L.
        delta: Full width within which an adversary wins; None: that of the strategy's own problem.
        failure: The probability that any interval is wrong.
        prior: The distribution of X*, of every coordinate, or one per coordinate.
        problem: The problem to judge by; None: the strategy's own.
        scales: The places of the questions, as in `simulate`.
        seed: The seed of coins and targets.
        executor: The executor that plays the runs; None: this process.
        progress: A callback that receives the runs done and wanted.

    Returns:
        The success of each adversary with limits, and any leak found. If no leak is found, nothing
        is certified.

    Raises:
        InvalidValue: There are too few runs, no adversaries, two with the same name, a guess that
            is not a number, a strategy that breaks its contract, or a failure probability outside
            (0, 1).
        TooLarge: A single chunk of runs does not fit in the memory.
    """
    count = whole(runs, "runs", least=2, most=MOST)
    wrong = failure_probability(failure)
    if not adversaries:
        raise InvalidValue("adversaries", "none", "somebody must listen", "name one")
    laws = (prior,) * len(strategy.cells) if isinstance(prior, Prior) else tuple(prior)
    ends = sorted({-(-count >> turn) for turn in range(LOOKS)})
    found = simulate(
        strategy if strategy.problem.noisy else Checked(strategy),
        runs=count,
        adversaries=adversaries,
        prior=None if all(each.uniform for each in laws) else laws,
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


def _leaks(found: Simulation, promise: Fraction) -> bool:
    return any(each.low > promise for each in found.adversaries)


class BestReply:
    """The exact best reply to a noiseless strategy: no adversary who hears only queries is better.

    It stores a guess for every transcript, of which there may be at most 2^22.
    """

    name = "best reply"

    def __init__(
        self,
        strategy: Strategy,
        *,
        delta: Fraction | None = None,
        prior: Prior = UNIFORM,
        limit: int = LIMIT,
    ) -> None:
        """Enumerate the strategy.

        Args:
            strategy: The strategy; for several coordinates a Product.
            delta: Full width within which she wins; None: that of the strategy's own problem.
            prior: The distribution of X*.
            limit: The most branches.

        Raises:
            TooLarge: There are more branches or transcripts than the limits, or cells too small for
                floats to distinguish.
        """
        width = strategy.problem.delta if delta is None else delta
        self._replies = [_replies(each, width, prior, limit) for each in coordinates(strategy)]

    def guess(self, transcript: Transcript, random: np.random.Generator) -> NDArray[np.float64]:
        """Return the middle of the best window, [runs, coordinates].

        Raises:
            InvalidValue: The strategy never asks these queries.
        """
        axis = np.array(transcript.coordinates, np.int64)
        found = np.empty((len(transcript.points), len(self._replies)))
        for coordinate, replies in enumerate(self._replies):
            points = np.ascontiguousarray(transcript.points[:, axis == coordinate], np.int64)
            found[:, coordinate] = [replies.get(row.tobytes(), np.nan) for row in points]
        if np.isnan(found).any():
            rule = "holds queries that the strategy never asks"
            raise InvalidValue(
                "transcript", "unknown", rule, "reply to the strategy that was heard"
            )
        return found


def _replies(strategy: Strategy, delta: Fraction, prior: Prior, limit: int) -> dict[bytes, float]:
    """Return the middle of the best window, in cells, for every transcript of one coordinate."""
    cells = strategy.cells[0]
    if cells > _FINEST:
        rule = f"a reply is a float, and tells at most {_FINEST} cells apart"
        raise TooLarge("cells", cells, rule, "measure the best reply by an exact audit instead")
    line = Places.of(None, cells=cells, delta=delta, prior=prior, width=Fraction(1))
    found: dict[bytes, float] = {}
    for part in branches(strategy, limit=limit):
        opens = Group.of_chunk(part, line).held.opens(line.length)
        middles = (opens / line.scale + float(delta * cells) / 2).tolist()
        table = np.ascontiguousarray(part.transcripts)
        found |= {row.tobytes(): middle for row, middle in zip(table, middles, strict=True)}
        if len(found) > _REMEMBERED:
            rule = f"at most {_REMEMBERED} are remembered"
            remedy = "measure the best reply by an exact audit instead"
            raise TooLarge("transcripts", len(found), rule, remedy)
    return found
