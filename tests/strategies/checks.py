"""What every noiseless strategy must obey, and exact measures by brute force."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint.branches import branches
from feint.interfaces import Strategy
from feint.simulate import fall, play

Int = NDArray[np.int64]
Boxes = list[tuple[Int, Int]]


def cover(intervals: Iterable[tuple[int, int]], delta: Fraction) -> int:
    """Fewest closed windows of length delta that cover half-open intervals, by greed."""
    count, end = 0, Fraction(-1)
    for low, high in sorted(intervals):
        begin = max(end, Fraction(low))
        if begin < high:
            more = -((begin - high) // delta)
            count, end = count + more, begin + more * delta
    return count


def information(strategy: Strategy) -> dict[tuple[int, ...], Boxes]:
    """For every transcript the boxes of X* that can lead to it."""
    sets: dict[tuple[int, ...], Boxes] = defaultdict(list)
    for part in branches(strategy):
        for low, high, group in zip(part.low, part.high, part.group, strict=True):
            sets[tuple(part.transcripts[group].tolist())].append((low, high))
    return sets


def coverings(strategy: Strategy) -> dict[tuple[int, ...], int]:
    """For every transcript the covering number of its information set, in one dimension."""
    reach = strategy.problem.delta * strategy.cells[0]
    return {
        transcript: cover([(int(low[0]), int(high[0])) for low, high in boxes], reach)
        for transcript, boxes in information(strategy).items()
    }


def obeys(strategy: Strategy, *, accurate: bool = True) -> None:
    """Every branch is weighed, covered and (unless exempt) found; a batch is its runs."""
    mass, transcripts = Fraction(0), list[tuple[int, ...]]()
    seen = np.zeros(strategy.cells, object)
    for part in branches(strategy, chunk=64):
        transcripts += map(tuple, part.transcripts.tolist())
        volume = (part.high - part.low).prod(axis=1)
        mass += Fraction(int((part.weight * volume).sum()), part.total)
        for low, high, weight in zip(part.low, part.high, part.weight, strict=True):
            box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
            seen[box] += Fraction(int(weight), part.total)
        if accurate:
            assert (part.estimate[0] <= part.low).all()
            assert (part.estimate[1] >= part.high).all()
    assert len(set(transcripts)) == len(transcripts)
    assert mass == seen.size
    assert (seen == 1).all()
    cells = np.stack(np.meshgrid(*map(np.arange, strategy.cells), indexing="ij"), axis=-1)
    targets = cells.reshape(-1, len(strategy.cells))
    _batch_is_runs(strategy, targets[:: max(1, len(targets) // 40)], accurate=accurate)


def drive(strategy: Strategy, targets: Int, sides: Sequence[Int]) -> tuple[Int, Any, list[Int]]:
    """Points, estimate and coins of a run; coins past the given ones are drawn."""
    random, fallen, points = np.random.default_rng(1), list[Int](), []
    state = strategy.start(len(targets))
    for round_ in strategy.rounds:
        while (weights := strategy.coin(state)) is not None:
            assert (weights.sum(axis=1) > 0).all()
            replayed = len(fallen) < len(sides)
            fallen.append(sides[len(fallen)] if replayed else fall(weights, random))
            state = strategy.toss(state, fallen[-1])
        asked = strategy.ask(state)
        assert asked.shape == (len(targets), len(round_.coordinates))
        points.append(asked)
        state = strategy.tell(state, targets[:, round_.coordinates] >= asked)
    empty = np.empty((len(targets), 0), np.int64)
    return np.concatenate([empty, *points], axis=1), strategy.estimate(state), fallen


def _batch_is_runs(strategy: Strategy, targets: Int, *, accurate: bool) -> None:
    points, estimate, sides = drive(strategy, targets, [])
    again, _, _ = drive(strategy, targets, sides)
    assert (again == points).all()
    for row in range(len(targets)):
        rows = slice(row, row + 1)
        alone, found, fallen = drive(strategy, targets[rows], [side[rows] for side in sides])
        assert len(fallen) == len(sides)
        assert (alone == points[rows]).all()
        assert (found.low == estimate.low[rows]).all()
        assert (found.high == estimate.high[rows]).all()
    played = play(strategy, targets, np.random.default_rng(2))
    assert played.transcript.points.shape == points.shape
    if accurate:
        assert (played.estimate.low <= targets).all()
        assert (targets < played.estimate.high).all()
