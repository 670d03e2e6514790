"""Check the laws of strategies by enumeration and with the reference driver."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.branches import branches
from feint.errors import LawBroken, TooLarge
from feint.interfaces import UNASKED, Estimate, Strategy, most_queries, strategy_of
from feint.interfaces import asks_all as promises_all
from feint.simulate import chances, fall, play, right_of

Int = NDArray[np.int64]
Bool = NDArray[np.bool_]
Boxes = list[tuple[Int, Int]]
_TARGETS = 40
_SILENT = "once a round asks a run nothing, no later round asks it anything"
_CELLS = 1 << 20


class Driven(NamedTuple):
    """A completed batch of runs.

    Attributes:
        points: [runs, queries] the queries.
        estimate: The learner's estimates.
        sides: The side of every coin, in order.
    """

    points: Int
    estimate: Estimate
    sides: list[Int]


def check(strategy: Strategy, *, accurate: bool = True, asks_all: bool = False) -> None:
    """Check all laws for a strategy. Without noise it must be small enough to enumerate.

    1. Every cell is reached with probability one over the coins, on branches that do not overlap
       and have different transcripts.
    2. The estimate holds X* on every branch, and its point is the middle of its ends.
    3. Rounds have the announced widths and columns. Points lie on the lattice. No run asks more
       questions than the strategy states (`most_queries`).
    4. A run is the same alone and in a batch, and the same again with the same coins.
    5. Once a round with columns asks a run nothing, every later round asks it nothing, and its
       estimate does not change.

    Under noise every answer is possible, so laws 1 and 2 do not apply; the estimate must only lie
    on the lattice and between its own ends. Wrong answers are drawn at random.

    Args:
        strategy: The strategy to check; of a plan, `plan.strategy`.
        accurate: True if the estimate must hold X* (law 2); a specimen may miss it.
        asks_all: True if no column may be left out. It is also checked if the strategy says so
            itself.

    Raises:
        WrongType: The argument is not a strategy.
        LawBroken: A law does not hold; the message says which.
        TooLarge: Without noise, there are more than 2^20 cells.
    """
    strategy = strategy_of(strategy)
    count, noisy = math.prod(strategy.cells), strategy.problem.noisy
    if count > _CELLS and not noisy:
        rule = f"the laws are checked cell by cell, on at most {_CELLS} cells"
        raise TooLarge("cells", count, rule, "check the same strategy on a coarser lattice")
    some = np.arange(0, count, max(1, count // _TARGETS))
    targets = np.stack(np.unravel_index(some, strategy.cells), axis=-1)
    _batch_is_runs(strategy, targets, accurate=accurate and not noisy, asks_all=asks_all)
    if not noisy:
        _enumerates(strategy, accurate=accurate)


def information(strategy: Strategy) -> dict[tuple[int, ...], Boxes]:
    """Return the boxes of X* that can lead to each transcript."""
    sets: dict[tuple[int, ...], Boxes] = defaultdict(list)
    for part in branches(strategy):
        table = part.transcripts.tolist()
        for low, high, group in zip(part.low, part.high, part.group, strict=True):
            sets[tuple(table[group])].append((low, high))
    return sets


class _Watched(NamedTuple):
    """A batch of runs with details for the checks.

    Attributes:
        driven: The runs.
        wrong: Under noise, a mask of the wrong answers of each round.
        ended: For each round that asked some runs nothing, the learner's estimates after it and a
            mask of these runs.
    """

    driven: Driven
    wrong: list[Bool]
    ended: list[tuple[Estimate, Bool]]


def drive(strategy: Strategy, targets: Int, sides: Sequence[Int]) -> Driven:
    """Run a strategy step by step against known cells.

    Args:
        strategy: The strategy to run.
        targets: [runs, coordinates] the cell that holds X* in each run.
        sides: Coins to replay. Later coins, and under noise the wrong answers, are drawn.

    Returns:
        Points, estimate and every coin.

    Raises:
        LawBroken: A coin has no weight, or a round does not have the announced shape.
    """
    return _drive(strategy, targets, sides).driven


def _drive(
    strategy: Strategy,
    targets: Int,
    sides: Sequence[Int],
    wrong: Sequence[Bool] = (),
    *,
    ends: bool = False,
) -> _Watched:
    """Run a strategy as `drive` does, with these wrong answers; later ones are drawn.

    With `ends`, record the estimates of each round that asked some runs nothing.
    """
    random, fallen, points = np.random.default_rng(1), list[Int](), []
    ended, flipped, silence = list[tuple[Estimate, Bool]](), list[Bool](), False
    right = right_of(strategy, random, len(targets))
    state = strategy.start(len(targets))
    for number, round_ in enumerate(strategy.rounds):
        while (weights := strategy.coin(state)) is not None:
            _law((weights.sum(axis=1) > 0).all(), f"round {number}: a coin has a side to fall on")
            replayed = len(fallen) < len(sides)
            fallen.append(sides[len(fallen)] if replayed else fall(weights, random))
            state = strategy.toss(state, fallen[-1])
        asked = strategy.ask(state)
        shape = (len(targets), len(round_.coordinates))
        _law(asked.shape == shape, f"round {number}: asks {shape}, as announced")
        points.append(asked)
        answers = targets[:, round_.coordinates] >= asked
        if right is not None:
            drawn = len(flipped) >= len(wrong)
            likely = chances(right, targets, asked, answers)
            flipped.append(random.random(shape) >= likely if drawn else wrong[len(flipped)])
            answers ^= flipped[-1]
        answers &= asked != UNASKED
        state = strategy.tell(state, answers)
        silent = (asked == UNASKED).all(axis=1)
        if asked.shape[1] and silent.any():
            silence = True
            if ends:
                ended.append((strategy.estimate(state), silent))
        elif asked.shape[1]:
            _law(not silence, f"round {number}: {_SILENT}")
    empty = np.empty((len(targets), 0), np.int64)
    table = np.concatenate([empty, *points], axis=1)
    return _Watched(Driven(table, strategy.estimate(state), fallen), flipped, ended)


def _ends_for_good(driven: Driven, ended: list[tuple[Estimate, Bool]]) -> None:
    """Check that runs that have ended ask nothing more and keep their estimate."""
    before = np.zeros(len(driven.points), bool)
    for found, silent in ended:
        _law((silent | ~before).all(), _SILENT)
        for ends, last in ((found.low, driven.estimate.low), (found.high, driven.estimate.high)):
            _law((ends == last)[silent].all(), "the estimate of a run that has ended stays")
        before = silent


def _enumerates(strategy: Strategy, *, accurate: bool) -> None:
    transcripts = list[tuple[int, ...]]()
    seen = np.zeros(strategy.cells, object)
    for part in branches(strategy, chunk=64):
        transcripts += map(tuple, part.transcripts.tolist())
        for low, high, weight in zip(part.low, part.high, part.weight, strict=True):
            box = tuple(slice(a, b) for a, b in zip(low, high, strict=True))
            seen[box] += Fraction(int(weight), part.total)
        if accurate:
            inside = (part.estimate[0] <= part.low) & (part.estimate[1] >= part.high)
            _law(inside.all(), "the estimate holds X* on every branch")
    _law(len(set(transcripts)) == len(transcripts), "no transcript straddles two chunks")
    _law((seen == 1).all(), "every cell is reached with probability one over the coins")


def _batch_is_runs(strategy: Strategy, targets: Int, *, accurate: bool, asks_all: bool) -> None:
    driven, wrong, ended = _drive(strategy, targets, [], ends=True)
    points, estimate, sides = driven
    _ends_for_good(driven, ended)
    _law(points.dtype.kind == "i", "points are whole numbers")
    columns = [axis for round_ in strategy.rounds for axis in round_.coordinates]
    on_lattice = (points >= 0) & (points <= np.array(strategy.cells, np.int64)[columns])
    _law((on_lattice | (points == UNASKED)).all(), "points lie on the lattice")
    asks_all = asks_all or promises_all(strategy)
    _law(not asks_all or (points != UNASKED).all(), "no column is left out")
    longest = int((points != UNASKED).sum(axis=1).max(initial=0))
    _law(longest <= most_queries(strategy), "no run asks more questions than the strategy says")
    if strategy.problem.noisy:
        low, high, here = estimate.low, estimate.high, estimate.cell
        inside = (low >= 0) & (low <= here) & (here + (estimate.rest > 0) <= high)
        _law((inside & (high <= strategy.cells)).all(), "the estimate lies between its ends")
    else:
        middle = Estimate.between(estimate.low, estimate.high)
        same = (estimate.cell == middle.cell) & (estimate.rest == middle.rest)
        _law(same.all(), "the estimate is the middle of its ends")
    again = _drive(strategy, targets, sides, wrong).driven
    _law((again.points == points).all(), "the same coins make the same queries")
    for row in range(len(targets)):
        rows = slice(row, row + 1)
        mine = [side[rows] for side in sides], [each[rows] for each in wrong]
        alone = _drive(strategy, targets[rows], *mine).driven
        _law(len(alone.sides) == len(sides), "a run alone tosses as many coins")
        _law((alone.points == points[rows]).all(), "a run alone asks what it asks in a batch")
        same = (alone.estimate.low == estimate.low[rows]) & (
            alone.estimate.high == estimate.high[rows]
        )
        _law(same.all(), "a run alone finds what it finds in a batch")
    played = play(strategy, targets, np.random.default_rng(2))
    _law(played.transcript.points.shape == points.shape, "every transcript has every column")
    if accurate:
        found = (played.estimate.low <= targets) & (targets < played.estimate.high)
        _law(found.all(), "the estimate holds X* in every run")


def _law(holds: object, law: str) -> None:
    if not holds:
        raise LawBroken(f"this does not hold: {law}")
