"""The best eavesdropper against the staged family under noise, on average over transcripts.

Transcripts are simulated, and her posterior is computed exactly for each (`posterior`): her success
is a mean of conditional maxima, with an interval that holds at any number of runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from feint.audit.noisy.believed import Believed
from feint.audit.noisy.histories import Truth
from feint.audit.noisy.posterior import Truths, success
from feint.beliefs import expect
from feint.errors import InvalidValue
from feint.exact import Number, whole
from feint.interfaces import AnyExecutor, Progress, Strategy
from feint.simulate import bernstein, executor_of, failure_probability, play
from feint.strategies import StagedNoisy, StagedNoisyState

MOST = 10**7
"""Transcripts in an audit, at most: more would take days."""

PLAYED = 1 << 24
"""Answers that are simulated at once."""

_EFFORT = 1 << 18  # states that are followed in a transcript's longest search, all queries together
_LONG = 1 << 10  # queries beyond which nothing is followed: that would take minutes a transcript
_BATCH = 16  # transcripts a task
_FOLLOWED = 16  # states at a time, roughly
_Heard = tuple[NDArray[np.int64], Truths]
"""The queries of one transcript, and what happened in it."""


@dataclass(frozen=True, kw_only=True)
class NoisyAudit:
    """What the best eavesdropper wins with, from simulated transcripts.

    Attributes:
        success: The mean of her exact success after each transcript; unbiased for one who was
            helped.
        low: The interval's lower end.
        high: The interval's upper end.
        failure: The probability that the interval is wrong, at most.
        runs: The number of transcripts.
        helped: The number of transcripts in which she was told more than she overheard, for want of
            time to follow every state: what she wins with unhelped is then less, if anything.
        least: The interval's lower end for one who is never helped.
    """

    success: float
    low: float
    high: float
    failure: float
    runs: int
    helped: int
    least: float


def noisy_audit(
    strategy: Strategy,
    *,
    runs: Number,
    seed: int,
    delta: Fraction | None = None,
    failure: Number = 0.01,
    states: int | None = None,
    believed: Believed | None = None,
    executor: AnyExecutor | None = None,
    progress: Progress | None = None,
) -> NoisyAudit:
    """How often the best eavesdropper wins when X* is uniform, or as it is believed to be.

    Args:
        strategy: A member of the staged family under noise, in one dimension.
        runs: The number of transcripts to simulate.
        seed: Where the simulation begins.
        delta: Full width within which she wins; the strategy's own problem says it.
        failure: The probability that the interval may be wrong.
        states: The number of states of a search that are followed before she is helped; 0: she is
            told every answer of the searches; None: 2^18 over the queries of the longest search,
            and 0 beyond 2^10 queries, so that a transcript takes less than a second or so.
        believed: Where X* may be and where cells lie; None: X* is uniform, and cells are equal.
        executor: Who follows the transcripts; None: this process. The result does not depend on it.
        progress: Told the transcripts done and the transcripts wanted.

    Returns:
        The mean and a rigorous interval (empirical Bernstein, Maurer and Pontil 2009).

    Raises:
        InvalidValue: Another kind of strategy, too few runs or too many, or a failure outside
            (0, 1).
    """
    if not isinstance(strategy, StagedNoisy):
        rule = "the noisy audit is for the staged family under noise, one coordinate at a time"
        raise InvalidValue("strategy", type(strategy).__name__, rule, "audit each factor by itself")
    wrong = failure_probability(failure)
    count = whole(runs, "runs", least=2, most=MOST)
    each, helped, done = np.empty(count), np.empty(count, bool), 0
    most = states_followed(strategy) if states is None else states
    tasks = _tasks(strategy, count, np.random.default_rng(seed), most, believed)
    in_all = count * len(strategy.rounds) * _FOLLOWED
    wide = strategy.problem.delta if delta is None else delta
    work = partial(_successes, strategy, wide, in_all, believed)
    for number, found in executor_of(executor).map(work, tasks):
        rows = slice(number * _BATCH, number * _BATCH + len(found))
        each[rows], helped[rows] = zip(*found, strict=True)
        done += len(found)
        if progress is not None:
            progress("transcripts", done, count)
    alone = np.where(helped, 0.0, each)  # nothing is said of what she wins with unhelped
    mean, half = float(each.mean()), bernstein(each, wrong)
    least = float(alone.mean()) - bernstein(alone, wrong)
    return NoisyAudit(
        success=mean,
        low=max(0.0, mean - half),
        high=min(1.0, mean + half),
        failure=wrong,
        runs=count,
        helped=int(helped.sum()),
        least=max(0.0, least),
    )


def states_followed(strategy: StagedNoisy) -> int:
    """The number of states that are followed where none is given."""
    longest = max(1, strategy.shape.narrow, strategy.shape.hide)
    return _EFFORT // longest if longest <= _LONG else 0


def _tasks(
    strategy: StagedNoisy,
    runs: int,
    random: np.random.Generator,
    most: int,
    believed: Believed | None = None,
) -> Iterator[list[_Heard]]:
    """Simulated transcripts, `_BATCH` of them a task, with what happened in each."""
    queries = sum(len(each.coordinates) for each in strategy.rounds)
    batch = _BATCH * max(1, PLAYED // (_BATCH * max(1, queries)))
    for first in range(0, runs, batch):
        size = min(batch, runs - first)
        told = np.empty((size, queries), bool)
        if believed is None:
            targets = random.integers(strategy.size, size=(size, 1))
        else:
            targets = believed.draw(size, random)[0][:, None]
        with expect(size * len(strategy.rounds)):
            played = play(strategy, targets, random, told=told)
        happened = truths_of(strategy, played.state, told, most)
        heard = zip(played.transcript.points, happened, strict=True)
        while task := list(islice(heard, _BATCH)):
            yield task


def _successes(
    strategy: StagedNoisy,
    delta: Fraction,
    rows: int,
    believed: Believed | None,
    heard: list[_Heard],
) -> list[tuple[float, bool]]:
    """Her success after each of some transcripts, and whether she was helped."""
    with expect(rows):  # a transcript alone may have too few states to repay numba
        return [success(strategy, delta, each, believed) for each in heard]


def truths_of(
    strategy: StagedNoisy, state: StagedNoisyState, told: NDArray[np.bool_], most: int
) -> Iterator[Truths]:
    """What happened in each run: the answers of its searches, and when she is helped."""
    narrow, runs = strategy.shape.narrow, np.arange(len(told))
    column = np.zeros_like(runs) if state.window is None else state.window[1]
    hidden = told[:, told.shape[1] - strategy.shape.hide * strategy.shape.kept :]
    fine = hidden.reshape(len(told), strategy.shape.hide, strategy.shape.kept)[runs, :, column]
    for i in runs:
        yield Truths(Truth(told[i, :narrow], most), Truth(fine[i], most))
