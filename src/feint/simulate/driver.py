"""Play a batch of runs of a strategy against given targets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Generic, cast

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue, WrongType
from feint.exact import Number, rational
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
    asks_all,
    columns,
    hiding_columns,
    strategy_of,
    take,
)
from feint.problem import Between, Rates, Responses, Transcript
from feint.simulate.counts import Counts
from feint.simulate.distances import ByDistance

Right = float | NDArray[np.float64] | ByDistance | Rates | None

_SIDES = 4  # number of sides beyond which skipping runs without a coin saves time
_TOGETHER = 1 << 11  # estimates computed at once, so that their posteriors fit in the cache
_FEW = 1 << 9  # number of runs below which dropping those that ended costs more than keeping them


@dataclass(frozen=True)
class Played(Generic[State]):
    """A batch of finished runs.

    Attributes:
        transcript: The questions, as an eavesdropper hears them.
        estimate: The learner's results.
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
    p: Number | None = None,
    trim: bool = False,
    counts: Counts | None = None,
) -> Played[State]:
    """Run a strategy against given cells. Under noise, an answer is wrong with probability 1 − p.

    The strategy is not checked. To check it, wrap it in `feint.branches.Checked`.

    Args:
        strategy: The strategy to run.
        targets: [runs, coordinates] the cell that holds X* in each run.
        random: The source of coins and noise.
        out: [runs, columns] an array that receives the queries. It is fastest if each column is
            contiguous, as in `blank`, and a round of all runs fits in the processor's cache.
        told: [runs, columns] an array that receives the answers; None: they are discarded.
        p: The true probability that an answer is right, unknown to the strategy. None: that of
            the problem, drawn for each run from its belief if it has one.
        trim: True to end the transcript with the last round that asked any run something, and to
            drop runs from the batch when they end, which saves time and memory. The returned
            state then covers the remaining runs only. No run is dropped if `told` is given or if
            the strategy writes its queries in place.
        counts: An object that counts queries instead of keeping them. The transcript then has no
            columns.

    Returns:
        Transcripts and estimates, in the order of the targets.

    Raises:
        WrongType: The strategy is not a strategy, or the targets are not an array.
        InvalidValue: The targets are not cells of the strategy's lattice.
    """
    strategy = cast("Strategy[State]", strategy_of(strategy))
    _check_targets(strategy, targets)
    right = right_of(strategy, random, len(targets), p)
    points = blank(strategy, len(targets), 0 if counts else None) if out is None else out
    writer, whole = None if counts else _writer(strategy), asks_all(strategy)
    state, column, batch = strategy.start(len(targets)), 0, _Batch(targets, right)
    is_sparse = not whole and (counts is not None or right is not None)
    for number, round_ in enumerate(strategy.rounds):
        while (weights := strategy.coin(state)) is not None:
            state = strategy.toss(state, fall(weights, random))
        mine = slice(column, column := column + len(round_.coordinates))
        if counts is not None:
            asked = strategy.ask(state)
        elif writer is None:
            asked = batch.write(points[:, mine], strategy.ask(state))
        else:
            asked = points[:, mine]
            writer.write(state, asked)
        at = np.flatnonzero(asked != UNASKED) if is_sparse else None
        if counts is not None:
            hiding = hiding_columns(strategy, state) if counts.hides else None
            counts.add(number, round_.coordinates, asked, at, batch.rows, hiding)
        answers = _answers(batch.targets, round_.coordinates, asked)
        if batch.right is not None:
            likely = chances(batch.right, batch.targets, asked, answers)
            answers ^= _wrong(asked.shape, likely, random, at)
        if told is not None:
            told[:, mine] = answers
        state = strategy.tell(state, answers)
        if asked.size and asked[0, 0] == UNASKED and (asked == UNASKED).all():
            # All runs have ended, so no later round asks anything.
            if trim:
                points = points[:, : mine.start]
            else:
                points[:, column:] = UNASKED
            if told is not None:
                told[:, column:] = False
            break
        if trim and not whole and writer is None and told is None:
            state = batch.leave(strategy, state, asked)
    return Played(overheard(strategy, points), batch.found(strategy.estimate(state)), state)


def _check_targets(strategy: Strategy, targets: NDArray[np.int64]) -> None:
    """Refuse targets that are not cells of the strategy's lattice."""
    rule = "must be an array [runs, coordinates] of whole numbers"
    if not hasattr(targets, "dtype"):
        raise WrongType.of("targets", targets, rule, "pass np.array([[cell]])")
    if targets.ndim != 2 or targets.dtype.kind != "i":
        raise InvalidValue("targets", f"{targets.dtype}{targets.shape}", rule, "give cell numbers")
    if (targets < 0).any() or (targets >= strategy.cells).any():
        rule = f"must be cells of the lattice {strategy.cells}"
        raise InvalidValue("targets", "off the lattice", rule, "count cells from 0")


class _Batch:
    """The runs of a batch that have not ended.

    Attributes:
        targets: [runs, coordinates] their cells.
        right: The probability that their answers are right: a number, [runs, 1] numbers, two rates
            of failed checks, or None.
        rows: Their indices in the batch; None: no run has ended.
    """

    def __init__(self, targets: NDArray[np.int64], right: Right) -> None:
        """Start with all runs."""
        self.targets, self.right = targets, right
        self.rows: NDArray[np.int64] | None = None
        self._left = list[tuple[NDArray[np.int64], Estimate]]()

    def write(self, column: Points, asked: Points) -> Points:
        """Write a round's queries into the rows of these runs, and return them."""
        if self.rows is None:
            column[:] = asked
            return column
        column[:] = UNASKED
        column[self.rows] = asked
        return asked

    def leave(self, strategy: Strategy[State], state: State, asked: Points) -> State:
        """Drop the runs that have ended, if they are at least half of the batch."""
        if (
            not asked.shape[1]
            or len(asked) < _FEW
            or 2 * np.count_nonzero(asked[:, 0] == UNASKED) < len(asked)
        ):
            return state
        over = (asked == UNASKED).all(axis=1)
        if 2 * np.count_nonzero(over) < len(over):
            return state
        rows = np.arange(len(over)) if self.rows is None else self.rows
        ended, going = np.flatnonzero(over), np.flatnonzero(~over)
        for first in range(0, len(ended), _TOGETHER):
            some = ended[first : first + _TOGETHER]
            self._left.append((rows[some], strategy.estimate(take(state, some))))
        self.rows, self.targets = rows[going], self.targets[going]
        if isinstance(self.right, np.ndarray | ByDistance):
            self.right = self.right[going]
        return take(state, going)

    def found(self, estimate: Estimate) -> Estimate:
        """Return the estimates of all runs in order, given those of the runs that never left."""
        if self.rows is None:
            return estimate
        parts = [*self._left, (self.rows, estimate)]
        order = np.argsort(np.concatenate([rows for rows, _ in parts]))
        names = ("cell", "rest", "low", "high")
        return Estimate(
            **{
                name: np.concatenate([getattr(each, name) for _, each in parts])[order]
                for name in names
            }
        )


def right_of(
    strategy: Strategy[State], random: np.random.Generator, runs: int, p: Number | None = None
) -> Right:
    """Return the probability that an answer is right: one, [runs, 1], or None without noise.

    If it depends on the question, return the model that gives it.

    Args:
        strategy: The strategy that is run.
        random: The source of probabilities for which the problem has only a belief.
        runs: The number of runs.
        p: The true probability; None: that of the strategy's problem.
    """
    noise = strategy.problem.noise
    if noise is None:
        return None
    if p is not None:
        return float(rational(p, "p"))
    if isinstance(noise, Rates):
        return noise
    if isinstance(noise, Responses):
        return ByDistance.drawn(noise, strategy.cells[0], random, runs)
    return noise.draw(random, runs)[:, None] if isinstance(noise, Between) else float(noise.least)


def chances(
    right: Right, targets: NDArray[np.int64], asked: Points, answers: Answers
) -> float | NDArray[np.float64]:
    """Return the probability that the answers of a round are right: one, or one per run or answer.

    Args:
        right: The value of `right_of`.
        targets: [runs, coordinates] the cells that hold X*.
        asked: [runs, questions] the questions.
        answers: [runs, questions] the right answers.
    """
    if isinstance(right, ByDistance):
        return right.right(targets[:, 0], asked)
    if isinstance(right, Rates):
        good, bad = (float(rate) for rate in right.worst)
        return np.where(answers, 1 - good, bad)
    return 1.0 if right is None else right


def _writer(strategy: Strategy[State]) -> Writer[State] | None:
    """Return the strategy if its `write` writes the queries of its own `ask`; otherwise None.

    A subclass that overrides `ask` but inherits `write` would write queries that it does not ask,
    so both must come from one class.
    """
    if not isinstance(strategy, Writer):
        return None
    owners = [
        next(kind for kind in type(strategy).__mro__ if name in vars(kind))
        for name in ("ask", "write")
    ]
    return strategy if owners[0] is owners[1] else None


def blank(strategy: Strategy, runs: int, width: int | None = None) -> Points:
    """Return an uninitialised array for the queries of a batch.

    Args:
        strategy: The strategy that will run.
        runs: The number of runs.
        width: The number of columns; None: that of the strategy.

    Returns:
        [runs, columns] with each column contiguous.
    """
    return np.empty((columns(strategy) if width is None else width, runs), np.int64).T


def overheard(strategy: Strategy, points: NDArray[np.int64]) -> Transcript:
    """Return the transcript of runs of a strategy.

    Args:
        strategy: The strategy that ran. It gives the round and the coordinate of each column.
        points: [runs, columns] the queries. The last columns may be missing if all runs had ended.

    Returns:
        The transcript; the points are not copied.
    """
    axes = [each.coordinates for each in strategy.rounds]
    rounds = chain.from_iterable(repeat(i, len(each)) for i, each in enumerate(axes))
    first = points.shape[1]
    return Transcript(
        points,
        tuple(islice(chain.from_iterable(axes), first)),
        tuple(islice(rounds, first)),
        strategy.cells,
    )


def fall(weights: Weights, random: np.random.Generator) -> Sides:
    """Toss a coin for every run.

    Args:
        weights: [runs, sides] the weight of each side.
        random: The source of the tosses.

    Returns:
        [runs] the side of each toss, drawn in proportion to the weights.
    """
    if weights.strides == (0, 0):  # one broadcast weight: all sides are equally likely
        return random.integers(weights.shape[1], size=len(weights))
    if weights.strides[0] == 0 and np.count_nonzero(weights[:1]) == 1:  # no run needs the coin
        return np.full(len(weights), np.argmax(weights[:1]))
    if weights.shape[1] > _SIDES and weights.dtype.kind == "f":
        open_ = np.flatnonzero(weights[:, 1:].any(axis=1))
        if 2 * len(open_) < len(weights):  # most runs can only fall on side 0
            side = np.zeros(len(weights), np.int64)
            side[open_] = fall(weights[open_], random) if len(open_) else 0
            return side
    if weights.shape[1] == 2 and weights.dtype.kind == "f":
        total = weights[:, 0] + weights[:, 1]
        second: Sides = (weights[:, 0] <= random.random(len(total)) * total).astype(np.int64)
        return second
    cumulative = np.cumsum(weights, axis=1)
    if cumulative.dtype.kind == "f":
        mark = random.random(len(cumulative)) * cumulative[:, -1]
    else:
        mark = random.integers(cumulative[:, -1])
    chosen: Sides = np.minimum((cumulative <= mark[:, None]).sum(1), weights.shape[1] - 1)
    return chosen


def _wrong(
    shape: tuple[int, ...],
    right: float | NDArray[np.float64],
    random: np.random.Generator,
    at: NDArray[np.int64] | None,
) -> NDArray[np.bool_]:
    """Draw which answers are wrong. Unasked columns have no answers, so none of them is wrong.

    Args:
        shape: Runs and columns.
        right: The probability that an answer is right: a number, [runs, 1] numbers, or one each.
        random: The source of the noise.
        at: Flat indices of the asked columns; None: all were asked.
    """
    if at is None:
        wrong: NDArray[np.bool_] = random.random(shape) >= right
        return wrong
    wrong = np.zeros(shape, bool)
    if isinstance(right, np.ndarray):
        right = np.broadcast_to(right, shape).reshape(-1)[at]
    wrong.reshape(-1)[at] = random.random(len(at)) >= right
    return wrong


def _answers(
    targets: NDArray[np.int64], coordinates: tuple[int, ...], asked: Points
) -> NDArray[np.bool_]:
    """Return True where X* lies at or above the point, False where nothing was asked."""
    own = targets if targets.shape[1] == 1 else targets[:, coordinates]
    # UNASKED is negative, so as an unsigned number it lies above every target.
    above: NDArray[np.bool_] = own.view(np.uint64) >= asked.view(np.uint64)
    return above
