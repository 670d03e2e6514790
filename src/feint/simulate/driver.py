"""The reference driver: a batch of runs of a strategy, against targets that are given."""

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
from feint.problem import Between, Responses, Transcript
from feint.simulate.counts import Counts
from feint.simulate.distances import ByDistance

Right = float | NDArray[np.float64] | ByDistance | None

_SIDES = 4  # of a coin, from which it pays to leave out runs that do not need it
_TOGETHER = 1 << 11  # estimates at once: their posteriors stay in the cache
_FEW = 1 << 9  # runs that cost less than it would to copy the state of those that go on


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
    p: Number | None = None,
    trim: bool = False,
    counts: Counts | None = None,
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
        p: The probability that an answer is truly right, which the strategy is not told; None: as
            its problem says, drawn for each run from its belief if it has one.
        trim: Whether the transcript ends with the last round in which some run of the batch was
            asked something, and runs that have ended leave the batch, so that they take neither
            time nor memory. The state returned is then that of the runs that never left. With
            `told`, and if the strategy writes its queries in place, all stay to the end.
        counts: Where to count queries instead of keeping them: the transcript has no columns then.

    Returns:
        Transcripts and estimates, in the order of the targets.

    Raises:
        WrongType: It is no strategy, or there is no array of targets.
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
            likely = chances(batch.right, batch.targets, asked)
            answers ^= _wrong(asked.shape, likely, random, at)
        if told is not None:
            told[:, mine] = answers
        state = strategy.tell(state, answers)
        if asked.size and asked[0, 0] == UNASKED and (asked == UNASKED).all():
            # Every run has ended, so that no later round asks anything.
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
    """The runs of a batch that are still asked something.

    Attributes:
        targets: [runs, coordinates] the cells of those that are.
        right: How likely their answers are right: one number, [runs, 1] of them, or None.
        rows: Their numbers; None: all runs are.
    """

    def __init__(self, targets: NDArray[np.int64], right: Right) -> None:
        """Begin with all of them."""
        self.targets, self.right = targets, right
        self.rows: NDArray[np.int64] | None = None
        self._left = list[tuple[NDArray[np.int64], Estimate]]()

    def write(self, column: Points, asked: Points) -> Points:
        """Write a round's queries where they belong, and return them."""
        if self.rows is None:
            column[:] = asked
            return column
        column[:] = UNASKED
        column[self.rows] = asked
        return asked

    def leave(self, strategy: Strategy[State], state: State, asked: Points) -> State:
        """Let runs that have ended leave, if they are the half: they would only cost time."""
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
    """Return how likely answers are right: one number, [runs, 1] of them, or None without noise.

    If it depends on the distance, return what says it for every question.

    Args:
        strategy: What is run.
        random: Where probabilities that are only believed come from.
        runs: The number of runs.
        p: The true probability; None: as the strategy's problem says.
    """
    noise = strategy.problem.noise
    if noise is None:
        return None
    if p is not None:
        return float(rational(p, "p"))
    if isinstance(noise, Responses):
        return ByDistance.drawn(noise, strategy.cells[0], random, runs)
    return noise.draw(random, runs)[:, None] if isinstance(noise, Between) else float(noise.least)


def chances(
    right: float | NDArray[np.float64] | ByDistance, targets: NDArray[np.int64], asked: Points
) -> float | NDArray[np.float64]:
    """Return how likely the answers of a round are right: one number, or one a run or answer.

    Args:
        right: What `right_of` returned.
        targets: [runs, coordinates] the cells that hold X*.
        asked: [runs, questions] what is asked.
    """
    return right.right(targets[:, 0], asked) if isinstance(right, ByDistance) else right


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


def blank(strategy: Strategy, runs: int, width: int | None = None) -> Points:
    """Return an array for the queries of a batch, unwritten.

    Args:
        strategy: What will be run.
        runs: The number of runs.
        width: The number of columns; None: as many as the strategy has.

    Returns:
        [runs, columns] with each column contiguous.
    """
    return np.empty((columns(strategy) if width is None else width, runs), np.int64).T


def overheard(strategy: Strategy, points: NDArray[np.int64]) -> Transcript:
    """The transcript of runs of a strategy.

    Args:
        strategy: What was run; it says which round and coordinate each column belongs to.
        points: [runs, columns] what was asked; the first columns, if runs ended before the last.

    Returns:
        What was overheard, without a copy of the points.
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
        weights: [runs, sides] what the sides weigh.
        random: Where the tosses come from.

    Returns:
        [runs] the side that each falls on, drawn in proportion to the weights.
    """
    if weights.strides == (0, 0):  # one weight, broadcast: every side is alike
        return random.integers(weights.shape[1], size=len(weights))
    if weights.strides[0] == 0 and np.count_nonzero(weights[:1]) == 1:  # nobody needs the coin
        return np.full(len(weights), np.argmax(weights[:1]))
    if weights.shape[1] > _SIDES and weights.dtype.kind == "f":
        open_ = np.flatnonzero(weights[:, 1:].any(axis=1))
        if 2 * len(open_) < len(weights):  # most fall on the first side, and it is no matter how
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
    """Which answers are wrong; nobody answers what was not asked.

    Args:
        shape: Runs and columns.
        right: How likely each is right: one number, [runs, 1] of them, or one for each.
        random: Where the noise comes from.
        at: Where something was asked, row after row; None: everywhere.
    """
    if at is None:
        wrong: NDArray[np.bool_] = random.random(shape) >= right
        return wrong
    wrong = np.zeros(shape, bool)
    if isinstance(right, np.ndarray):
        right = right.reshape(-1)[at] if right.shape == shape else right[at // shape[1], 0]
    wrong.reshape(-1)[at] = random.random(len(at)) >= right
    return wrong


def _answers(
    targets: NDArray[np.int64], coordinates: tuple[int, ...], asked: Points
) -> NDArray[np.bool_]:
    """Whether X* lies at or above each point; "no" where none was asked."""
    own = targets if targets.shape[1] == 1 else targets[:, coordinates]
    # As unsigned numbers UNASKED, which is negative, lies above every target: one comparison does.
    above: NDArray[np.bool_] = own.view(np.uint64) >= asked.view(np.uint64)
    return above
