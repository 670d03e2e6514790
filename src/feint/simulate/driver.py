"""The reference driver: a batch of runs of a strategy, against targets that are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Generic, cast

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue, WrongType
from feint.interfaces import (
    UNASKED,
    Answers,
    Estimate,
    Points,
    Sides,
    State,
    Strategy,
    Weights,
    Writer,
    columns,
    strategy_of,
)
from feint.problem import Transcript


@dataclass(frozen=True)
class Played(Generic[State]):
    """A batch of finished runs.

    Attributes:
        transcript: What was overheard.
        estimate: What the learner found.
        state: The strategy's state after the last round, or once every run had ended.
    """

    transcript: Transcript
    estimate: Estimate
    state: State


def play(
    strategy: Strategy[State],
    targets: NDArray[np.int64],
    random: np.random.Generator,
    *,
    out: Points | None = None,
    told: NDArray[np.bool_] | None = None,
) -> Played[State]:
    """Run a strategy against given cells; a noisy problem's answers are wrong with chance 1 − p.

    Nothing is checked of the strategy: `feint.branches.Checked` does that.

    Args:
        strategy: What to run.
        targets: [runs, coordinates] the cell that holds X* in each run.
        random: Where coins and noise come from.
        out: [runs, columns] where to write the queries; fastest when each column is contiguous,
            as in `blank`, and when a round of all runs fits in the processor's cache.
        told: [runs, columns] where to write the answers; None: they are not kept.

    Returns:
        Transcripts and estimates, in the order of the targets.

    Raises:
        WrongType: It is no strategy, or there is no array of targets.
        InvalidValue: The targets are not cells of the strategy's lattice.
    """
    strategy = cast("Strategy[State]", strategy_of(strategy))
    rule = "must be an array [runs, coordinates] of whole numbers"
    if not hasattr(targets, "dtype"):
        raise WrongType.of("targets", targets, rule, "pass np.array([[cell]])")
    if targets.ndim != 2 or targets.dtype.kind != "i":
        raise InvalidValue("targets", f"{targets.dtype}{targets.shape}", rule, "give cell numbers")
    if (targets < 0).any() or (targets >= strategy.cells).any():
        rule = f"must be cells of the lattice {strategy.cells}"
        raise InvalidValue("targets", "off the lattice", rule, "count cells from 0")
    points = blank(strategy, len(targets)) if out is None else out
    state, column = strategy.start(len(targets)), 0
    for step in steps(strategy, targets, random, state, out=points):
        mine = slice(column, column := column + step.asked.shape[1])
        if told is not None:
            told[:, mine] = step.answers
        state = step.state
    points[:, column:] = UNASKED  # every run has ended, so that no later round asks anything
    if told is not None:
        told[:, column:] = False
    return Played(overheard(strategy, points), strategy.estimate(state), state)


@dataclass(frozen=True)
class Step(Generic[State]):
    """One round of a batch of runs.

    Attributes:
        asked: [runs, width] the questions.
        answers: [runs, width] the answers.
        state: The strategy's state after them.
    """

    asked: Points
    answers: Answers
    state: State


def steps(
    strategy: Strategy[State],
    targets: NDArray[np.int64],
    random: np.random.Generator,
    state: State,
    *,
    out: Points | None = None,
) -> Iterator[Step[State]]:
    """Run a batch round by round, until every run has ended.

    Args:
        strategy: What to run.
        targets: [runs, coordinates] the cell that holds X* in each run.
        random: Where coins and noise come from.
        state: Where the runs begin.
        out: [runs, columns] where to write the queries; None: each round has an array of its own.

    Yields:
        Every round that is asked, and the one in which all have ended.
    """
    p, writer, column = strategy.problem.p, _writer(strategy), 0
    for round_ in strategy.rounds:
        while (weights := strategy.coin(state)) is not None:
            state = strategy.toss(state, fall(weights, random))
        mine = slice(column, column := column + len(round_.coordinates))
        if out is None:
            asked = strategy.ask(state)
        elif writer is None:
            asked = out[:, mine]
            asked[:] = strategy.ask(state)
        else:
            asked = out[:, mine]
            writer.write(state, asked)
        answers = _answers(targets, round_.coordinates, asked)
        if p is not None:
            answers ^= random.random(answers.shape) >= float(p)
            answers &= asked != UNASKED  # nobody answers what was not asked
        state = strategy.tell(state, answers)
        yield Step(asked, answers, state)
        if asked.size and asked[0, 0] == UNASKED and (asked == UNASKED).all():
            return


def _writer(strategy: Strategy[State]) -> Writer[State] | None:
    """The strategy, if it writes in place what its own `ask` would return; otherwise None.

    A subclass that overrides `ask` but inherits `write` would write other queries than it asks, so
    both must come from one class.
    """
    if not isinstance(strategy, Writer):
        return None
    owners = [
        next(kind for kind in type(strategy).__mro__ if name in vars(kind))
        for name in ("ask", "write")
    ]
    return strategy if owners[0] is owners[1] else None


def blank(strategy: Strategy, runs: int) -> Points:
    """An array for the queries of a batch, unwritten.

    Args:
        strategy: What will be run.
        runs: The number of runs.

    Returns:
        [runs, columns] with each column contiguous.
    """
    return np.empty((columns(strategy), runs), np.int64).T


def overheard(strategy: Strategy, points: NDArray[np.int64]) -> Transcript:
    """The transcript of runs of a strategy.

    Args:
        strategy: What was run; it says which round and coordinate each column belongs to.
        points: [runs, columns] what was asked.

    Returns:
        What was overheard, without a copy of the points.
    """
    axes = [each.coordinates for each in strategy.rounds]
    rounds = tuple(chain.from_iterable(repeat(i, len(each)) for i, each in enumerate(axes)))
    return Transcript(points, tuple(chain.from_iterable(axes)), rounds, strategy.cells)


def fall(weights: Weights, random: np.random.Generator) -> Sides:
    """Toss a coin for every run.

    Args:
        weights: [runs, sides] what the sides weigh.
        random: Where the tosses come from.

    Returns:
        [runs] the side that each falls on, drawn in proportion to the weights.
    """
    if weights.strides == (0, 0):  # one weight, broadcast: every side is alike
        return random.integers(weights.shape[1], size=len(weights))
    if weights.shape[1] == 2 and weights.dtype.kind == "f":
        total = weights[:, 0] + weights[:, 1]
        second: Sides = (weights[:, 0] <= random.random(len(total)) * total).astype(np.int64)
        return second
    cumulative = np.cumsum(weights, axis=1)
    if cumulative.dtype.kind == "f":
        mark = random.random(len(cumulative)) * cumulative[:, -1]
    else:
        mark = random.integers(cumulative[:, -1])
    side: Sides = np.minimum((cumulative <= mark[:, None]).sum(1), weights.shape[1] - 1)
    return side


def _answers(
    targets: NDArray[np.int64], coordinates: tuple[int, ...], asked: Points
) -> NDArray[np.bool_]:
    """Whether X* lies at or above each point; "no" where none was asked."""
    own = targets if targets.shape[1] == 1 else targets[:, coordinates]
    # As unsigned numbers UNASKED, which is negative, lies above every target: one comparison does.
    above: NDArray[np.bool_] = own.view(np.uint64) >= asked.view(np.uint64)
    return above
