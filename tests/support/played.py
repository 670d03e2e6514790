"""Compute the best eavesdropper's success by brute force, for one or two numbers.

The strategy is played for every position and every side of every coin. Runs are grouped by what is
heard: every round, the place of every question, and which columns were left unasked, so also how
long the search was. After each transcript every window (or square) of width δ is tried that begins
or ends where the density changes; one of them is best. Nothing of feint's planning, audit or
branches is used: only the strategy itself.
"""

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint import Plan
from feint.interfaces import UNASKED, Strategy

Words = tuple[tuple[Any, ...], ...]
"""A transcript: for every round its columns, a place each, or None where nothing was asked."""

_SMALL = 1 << 62  # sums below it fit into 64 bits


class Line(NamedTuple):
    """One coordinate.

    Attributes:
        at: Where the boundaries of the cells lie, from 0 to 1.
        weights: The prior's odds on equal bins.
    """

    at: tuple[Fraction, ...]
    weights: tuple[int, ...] = (1,)


class Run(NamedTuple):
    """One possible course of a search.

    Attributes:
        words: What is heard.
        cell: Where X* is, one cell a coordinate.
        chance: The probability of the coins, given the cell.
        low: The lower ends of the estimate.
        high: The upper ends of the estimate.
    """

    words: Words
    cell: tuple[int, ...]
    chance: Fraction
    low: tuple[int, ...]
    high: tuple[int, ...]


@dataclass(frozen=True)
class Figures:
    """The figures of brute force.

    Attributes:
        success: What the best eavesdropper wins with.
        covering: The fewest windows that cover what stays possible.
        accuracy: Twice the worst error, as a share of the range.
        transcripts: How many different transcripts have positive probability.
        queries_mean: The expected number of questions that are asked.
        rounds_mean: The expected number of rounds that ask anything.
        queries_most: The most questions that a run asks.
        rounds_most: The most rounds that ask anything in a run.
        resumed: Whether a run asks again after a round that asked nothing.
    """

    success: Fraction
    covering: int
    accuracy: Fraction
    transcripts: int
    queries_mean: Fraction
    rounds_mean: Fraction
    queries_most: int
    rounds_most: int
    resumed: bool


def figures(strategy: Strategy, delta: Fraction, lines: Sequence[Line]) -> Figures:
    """Play a strategy in every way and return exact figures.

    Args:
        strategy: A noiseless strategy of one or two coordinates.
        delta: The full width within which the eavesdropper wins, as a share of the range.
        lines: The coordinates.
    """
    runs = list(played_runs(strategy, lines))
    pieces = [_Pieces(line, delta) for line in lines]
    numbers: dict[Words, int] = {}
    for run in runs:
        numbers.setdefault(run.words, len(numbers))
    below = math.lcm(*{run.chance.denominator for run in runs})
    table = np.zeros((len(numbers), *strategy.cells), object)
    for run in runs:
        table[(numbers[run.words], *run.cell)] += int(run.chance * below)
    whole = below * math.prod(each.whole for each in pieces)
    # Only positions that have positive width as shown are possible.
    wide = [[low < high for low, high in pairwise(line.at)] for line in lines]
    real = [run for run in runs if all(w[c] for w, c in zip(wide, run.cell, strict=True))]
    odds = [
        (run, math.prod(p.mass(c) for p, c in zip(pieces, run.cell, strict=True))) for run in runs
    ]
    return Figures(
        Fraction(_caught(table, pieces), whole),
        _covering(real, lines, delta),
        max(_error(run, lines) for run in real) * 2,
        len({run.words for run in real}),
        sum((run.chance * odd * sum(_asked(run.words)) for run, odd in odds), Fraction(0)),
        sum((run.chance * odd * len(_asked(run.words)) for run, odd in odds), Fraction(0)),
        max(sum(_asked(run.words)) for run in real),
        max(len(_asked(run.words)) for run in real),
        any(_resumed(run.words) for run in real),
    )


def _asked(words: Words) -> list[int]:
    """Return how many questions each round asked, of rounds that asked any."""
    counts = [sum(place is not None for place in each) for each in words]
    return [count for count in counts if count]


def _resumed(words: Words) -> bool:
    """Return True if a round asks after another that asked nothing."""
    asks = [any(place is not None for place in each) for each in words]
    return asks != sorted(asks, reverse=True)


def played_runs(strategy: Strategy, lines: Sequence[Line]) -> Iterator[Run]:
    """Play a strategy for every position and every side of every coin."""
    cells: NDArray[np.int64] = np.array(list(product(*map(range, strategy.cells))), np.int64)
    state, chances = strategy.start(len(cells)), [Fraction(1)] * len(cells)
    words: list[Words] = [()] * len(cells)
    for round_ in strategy.rounds:
        while (coin := strategy.coin(state)) is not None:
            rows, sides = np.nonzero(coin)
            share = [
                Fraction(int(coin[row, side]), int(coin[row].sum()))
                for row, side in zip(rows, sides, strict=True)
            ]
            state = strategy.toss(_picked(state, rows), sides.astype(np.int64))
            chances = [chances[row] * part for row, part in zip(rows, share, strict=True)]
            words, cells = [words[row] for row in rows], cells[rows]
        points = strategy.ask(state)
        which = list(round_.coordinates)
        heard = [
            tuple(
                None if point == UNASKED else (axis, lines[axis].at[point])
                for axis, point in zip(which, row, strict=True)
            )
            for row in points.tolist()
        ]
        words = [(*before, now) for before, now in zip(words, heard, strict=True)]
        state = strategy.tell(state, (cells[:, which] >= points) & (points != UNASKED))
    said = strategy.estimate(state)
    for row, cell in enumerate(cells.tolist()):
        low, high = tuple(said.low[row].tolist()), tuple(said.high[row].tolist())
        yield Run(words[row], tuple(cell), chances[row], low, high)


def _picked(state: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of a state: arrays have a leading axis of runs, all else is public."""
    if isinstance(state, np.ndarray):
        return state[rows]
    if isinstance(state, tuple):
        parts = [_picked(each, rows) for each in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    return state


class _Pieces:
    """A coordinate cut at every possible change of the density, and every window to try.

    Lengths are whole numbers of a unit so small that every cut and every end of a window lies on
    one. The mass of a piece is its weight times its length.
    """

    def __init__(self, line: Line, delta: Fraction) -> None:
        bins = len(line.weights)
        marks = sorted({*line.at, *(Fraction(k, bins) for k in range(bins + 1))})
        self.unit = math.lcm(delta.denominator, *(mark.denominator for mark in marks))
        self.marks = [int(mark * self.unit) for mark in marks]
        self.lengths = [high - low for low, high in pairwise(self.marks)]
        self.weights = [line.weights[min(bins - 1, int(low * bins))] for low in marks[:-1]]
        self.masses = [x * length for x, length in zip(self.weights, self.lengths, strict=True)]
        self.whole = sum(self.masses)
        # The cell that each piece lies in: of cells without width, none.
        self.cells = [bisect_right(line.at, low) - 1 for low in marks[:-1]]
        wide = int(delta * self.unit)
        self.starts = sorted({*self.marks, *(mark - wide for mark in self.marks)})
        self.ends = [start + wide for start in self.starts]

    def mass(self, cell: int) -> Fraction:
        """Return the prior probability of a cell."""
        inside = (m for m, c in zip(self.masses, self.cells, strict=True) if c == cell)
        return Fraction(sum(inside), self.whole)

    def caught(self, density: NDArray[Any], kind: Any) -> NDArray[Any]:
        """Return what every window holds; the last axis of pieces becomes one of windows."""
        lengths = np.array(self.lengths, kind)
        nothing = np.zeros((*density.shape[:-1], 1), kind)
        below = np.concatenate((nothing, np.cumsum(density * lengths, axis=-1)), axis=-1)

        def up_to(places: list[int]) -> NDArray[Any]:
            inside = [min(max(place, 0), self.unit) for place in places]
            piece = [min(bisect_right(self.marks, x), len(self.lengths)) - 1 for x in inside]
            rest = [x - self.marks[k] for x, k in zip(inside, piece, strict=True)]
            found: NDArray[Any] = below[..., piece] + density[..., piece] * np.array(rest, kind)
            return found

        held: NDArray[Any] = up_to(self.ends) - up_to(self.starts)
        return held


def _caught(table: NDArray[Any], pieces: Sequence[_Pieces]) -> int:
    """Return the sum over transcripts of what the best window catches, in whole units."""
    for axis, each in enumerate(pieces, 1):
        shape = [1] * table.ndim
        shape[axis] = -1
        table = np.take(table, each.cells, axis=axis)
        table = table * np.array(each.weights, object).reshape(shape)
    most = int(table.max()) * len(table) * math.prod(each.unit for each in pieces)
    kind: Any = np.int64 if most < _SMALL else object
    caught = table.astype(kind)
    for each in pieces:  # each axis of pieces in turn moves to the end
        caught = each.caught(np.moveaxis(caught, 1, -1), kind)
    return int(caught.reshape(len(table), -1).max(axis=1).sum())


def _covering(runs: Sequence[Run], lines: Sequence[Line], delta: Fraction) -> int:
    """Return the least covering number of a transcript."""
    possible: dict[Words, set[tuple[int, ...]]] = defaultdict(set)
    for run in runs:
        possible[run.words].add(run.cell)
    least = list[int]()
    for cells in possible.values():
        axes = [sorted({cell[axis] for cell in cells}) for axis in range(len(lines))]
        if set(product(*axes)) != cells:
            raise ValueError("what stays possible is no product of coordinates")
        least.append(
            math.prod(_cover(x, line.at, delta) for x, line in zip(axes, lines, strict=True))
        )
    return min(least)


def _cover(cells: Sequence[int], at: Sequence[Fraction], delta: Fraction) -> int:
    """Return how many windows of width δ it takes to cover some cells, from the left."""
    count, reached = 0, Fraction(-1)
    for cell in cells:
        start = max(at[cell], reached)
        if start < at[cell + 1]:
            more = math.ceil((at[cell + 1] - start) / delta)
            count, reached = count + more, start + more * delta
    return count


def _error(run: Run, lines: Sequence[Line]) -> Fraction:
    """Return how far the middle of the estimate may be from X*, in the worst coordinate."""
    errors = list[Fraction]()
    for axis, (at, _) in enumerate(lines):
        middle = (at[run.low[axis]] + at[run.high[axis]]) / 2
        cell = run.cell[axis]
        errors += [middle - at[cell], at[cell + 1] - middle]
    return max(errors)


def lines_of_plan(found: Plan) -> list[Line]:
    """Return the coordinates of a plan: where its questions are shown, and the prior."""
    lines = list[Line]()
    for axis, size in enumerate(found.cells):
        places = [Fraction(k) for k in range(size + 1)]
        if found.scales:
            places = [found.scales[axis].at(k) for k in range(size + 1)]
        first, width = places[0], places[-1] - places[0]
        prior = found.problem.prior
        weights = (1,) if prior is None else prior[axis].weights
        lines.append(Line(tuple((place - first) / width for place in places), weights))
    return lines


def lines_of(document: Any) -> list[Line]:
    """Return the coordinates of a saved plan, from its JSON alone.

    Args:
        document: The plan, as version 4 saves it.
    """
    problem, sizes = document["problem"], _sizes(document["strategy"])
    scales = document["scales"] or [None] * len(sizes)
    priors = problem["prior"] or [{"weights": [1]}] * len(sizes)
    return [
        Line(_boundaries(scale, size), tuple(prior["weights"]))
        for scale, size, prior in zip(scales, sizes, priors, strict=True)
    ]


def _sizes(strategy: Any) -> list[int]:
    """Return the number of cells of every coordinate of a saved strategy."""
    if strategy["type"] == "product":
        return [size for factor in strategy["factors"] for size in _sizes(factor)]
    return _sizes(strategy["inner"]) if strategy["type"] == "padded" else [strategy["size"]]


def _boundaries(scale: Any, size: int) -> tuple[Fraction, ...]:
    """Return where the boundaries of a saved scale lie, from 0 to 1."""
    if scale is None or (scale["tick"] is None and scale["clip"] is None):
        return tuple(Fraction(k, size) for k in range(size + 1))
    low, high = Fraction(scale["low"]["fraction"]), Fraction(scale["high"]["fraction"])
    at = [low + (high - low) * k / size for k in range(size + 1)]
    if scale["tick"] is not None:
        tick = Fraction(scale["tick"]["fraction"])
        marks = scale["marks"] or [math.floor(x / tick + Fraction(1, 2)) for x in at[1:-1]]
        at[1:-1] = [mark * tick for mark in marks]
    if scale["clip"] is not None:
        at[0], at[-1] = (Fraction(end["fraction"]) for end in scale["clip"])
    return tuple((x - at[0]) / (at[-1] - at[0]) for x in at)
