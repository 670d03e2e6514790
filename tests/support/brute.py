"""Compute the auditor's figures by brute force: every cell and every coin, without grouping."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from tests.support.checks import Int, cover

from feint.branches import branches
from feint.interfaces import UNASKED, Strategy, take

Run = tuple[tuple[int, ...], int, Fraction, int, int]
"""Transcript, cell, probability over the coins, and the estimate's ends."""


def runs(strategy: Strategy) -> list[Run]:
    """Return every run of a strategy in one dimension, one row per cell."""
    cells = np.arange(strategy.cells[0])
    chances = [Fraction(1)] * len(cells)
    empty = np.empty((len(cells), 0), np.int64)
    return list(_played(strategy, 0, strategy.start(len(cells)), cells, chances, empty))


def _played(
    strategy: Strategy, number: int, state: Any, cells: Int, chances: list[Fraction], heard: Int
) -> Iterator[Run]:
    if number == len(strategy.rounds):
        found = strategy.estimate(state)
        ends = zip(found.low[:, 0].tolist(), found.high[:, 0].tolist(), strict=True)
        told = zip(heard.tolist(), cells.tolist(), chances, ends, strict=True)
        yield from ((tuple(points), cell, chance, *end) for points, cell, chance, end in told)
        return
    weights = strategy.coin(state)
    if weights is not None:
        for side in range(weights.shape[1]):
            rows: Int = np.flatnonzero(weights[:, side]).astype(np.int64)
            if not len(rows):
                continue
            part = [
                chances[row] * Fraction(int(weights[row, side]), int(weights[row].sum()))
                for row in rows.tolist()
            ]
            tossed = strategy.toss(take(state, rows), np.full(len(rows), side))
            yield from _played(strategy, number, tossed, cells[rows], part, heard[rows])
        return
    asked = strategy.ask(state)
    answers = (cells[:, None] >= asked) & (asked != UNASKED)
    heard = np.concatenate((heard, asked), axis=1)
    yield from _played(strategy, number + 1, strategy.tell(state, answers), cells, chances, heard)


@dataclass(frozen=True)
class Brute:
    """The figures of brute force."""

    success: Fraction
    covering: int
    accuracy: Fraction
    transcripts: int


def brute(strategy: Strategy, delta: Fraction, weights: Sequence[int] | None = None) -> Brute:
    """Return success, covering number and accuracy, given the weights of a prior, one per cell."""
    return figures(runs(strategy), strategy.cells[0], delta, weights)


def figures(
    table: list[Run], cells: int, delta: Fraction, weights: Sequence[int] | None = None
) -> Brute:
    """Return the same figures from known runs."""
    odds = [Fraction(each, sum(weights)) for each in weights] if weights else None
    beliefs: dict[tuple[int, ...], dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    possible: dict[tuple[int, ...], set[int]] = defaultdict(set)
    worst = Fraction(0)
    for points, cell, chance, low, high in table:
        beliefs[points][cell] += chance * (odds[cell] if odds else Fraction(1, cells))
        possible[points].add(cell)
        middle = Fraction(low + high, 2)
        worst = max(worst, abs(middle - cell), abs(middle - cell - 1))
    length = delta * cells
    return Brute(
        sum((_caught(belief, cells, length) for belief in beliefs.values()), Fraction(0)),
        min(cover([(cell, cell + 1) for cell in each], length) for each in possible.values()),
        2 * worst / cells,
        len(beliefs),
    )


def _caught(belief: dict[int, Fraction], cells: int, length: Fraction) -> Fraction:
    """Return the mass of the heaviest window, which has a boundary as one of its ends."""
    heap = [Fraction(0)]
    for cell in range(cells):
        heap.append(heap[-1] + belief.get(cell, Fraction(0)))

    def below(place: Fraction) -> Fraction:
        inside = min(max(place, Fraction(0)), Fraction(cells))
        whole = int(inside)
        return heap[whole] + (inside - whole) * belief.get(whole, Fraction(0))

    starts = {Fraction(each) for each in range(cells + 1)}
    starts |= {each - length for each in starts}
    return max(below(start + length) - below(start) for start in starts)


def joint_success(strategy: Strategy, length: int) -> Fraction:
    """Return the catch of the best square window over every transcript, at all whole positions."""
    mass: dict[tuple[int, ...], Int] = {}
    total = 1
    for part in branches(strategy):
        total = part.total
        for low, high, weight, group in zip(
            part.low, part.high, part.weight, part.group, strict=True
        ):
            transcript = tuple(part.transcripts[group].tolist())
            table = mass.setdefault(transcript, np.zeros(strategy.cells, np.int64))
            table[low[0] : high[0], low[1] : high[1]] += weight
    won = 0
    for table in mass.values():
        sums = np.pad(table.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
        ends = [np.minimum(np.arange(size) + length, size) for size in strategy.cells]
        catch = sums[np.ix_(*ends)] - sums[np.ix_(np.arange(len(ends[0])), ends[1])]
        catch += sums[:-1, :-1] - sums[np.ix_(ends[0], np.arange(len(ends[1])))]
        won += int(catch.max())
    return Fraction(won, total * strategy.cells[0] * strategy.cells[1])
