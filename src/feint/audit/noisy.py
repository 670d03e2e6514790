"""The best eavesdropper against the staged family under noise: her posterior, exactly.

For a transcript q, P(X, q) = P(q⁽¹⁾, I | X) · Σ_{k kept} P(k̂ = k | X) · P(window | k̂ = k) ·
P(q⁽³⁾ | X, k̂ = k). The answers behind stages 1 and 3 are not overheard: all histories that fit the
queries are followed, and those whose beliefs agree are merged. P(k̂ | X) is exact from binomials.
Success is then a mean over simulated transcripts of an exactly computed conditional maximum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import Belief, best_window, changes
from feint.errors import InvalidValue
from feint.interfaces import Strategy, take
from feint.simulate import play
from feint.strategies.cuts import cut
from feint.strategies.pursuit import Pursuit, PursuitState
from feint.strategies.staged_noisy import StagedNoisy
from feint.strategies.vote import law

Int = NDArray[np.int64]
Float = NDArray[np.float64]


@dataclass(frozen=True)
class NoisyAudit:
    """What the best eavesdropper wins with, from simulated transcripts.

    Attributes:
        success: The mean of her exact conditional chances; unbiased.
        low: The interval's lower end.
        high: The interval's upper end.
        confidence: How surely the interval holds the truth, at least.
        runs: How many transcripts.
    """

    success: float
    low: float
    high: float
    confidence: float
    runs: int


def noisy_audit(
    strategy: Strategy, *, runs: int, seed: int, confidence: float = 0.99
) -> NoisyAudit:
    """How often the best eavesdropper wins when X* is uniform.

    Args:
        strategy: A member of the staged family under noise, in one dimension.
        runs: How many transcripts to simulate.
        seed: Where the simulation begins.
        confidence: How surely the interval must hold the truth.

    Returns:
        The mean and a rigorous interval (empirical Bernstein, Maurer and Pontil 2009).

    Raises:
        InvalidValue: Another kind of strategy, or too few runs.
    """
    if not isinstance(strategy, StagedNoisy):
        rule = "the noisy audit is for the staged family under noise, one coordinate at a time"
        raise InvalidValue("strategy", type(strategy).__name__, rule, "audit each factor by itself")
    if runs < 2:
        raise InvalidValue("runs", runs, "must be at least 2", "1000 give a useful interval")
    random = np.random.default_rng(seed)
    targets = random.integers(strategy.size, size=(runs, 1))
    points = play(strategy, targets, random).transcript.points
    won = np.array([chance(strategy, row) for row in points])
    mean, half = float(won.mean()), _bernstein(won, 1 - confidence)
    return NoisyAudit(mean, max(0.0, mean - half), min(1.0, mean + half), confidence, runs)


def chance(strategy: StagedNoisy, points: Int) -> float:
    """What the best eavesdropper wins with, given what she overheard."""
    edges, mass = joint(strategy, points)
    mass = mass / mass.max()
    reach = float(strategy.problem.delta * strategy.size)
    _, caught = best_window(edges[None], mass[None], reach)
    return min(1.0, float(caught[0] / (np.diff(edges) * mass).sum()))


def joint(strategy: StagedNoisy, points: Int) -> tuple[Int, Float]:
    """The chance of a transcript for every cell of X*, as pieces.

    Args:
        strategy: What she listens to.
        points: The queries, in order.

    Returns:
        Edges, and P(q | X) in each piece.
    """
    starts = cut(strategy.size, strategy.blocks, np.arange(strategy.blocks + 1))
    block = _block(strategy, points, starts)
    cuts = starts[block] + cut(
        starts[block + 1] - starts[block], strategy.parts, np.arange(strategy.parts + 1)
    )
    readings = list(_readings(strategy, points, cuts))
    edges = [starts, cuts, *(cuts[k] + offsets for kept, offsets in readings for k in kept)]
    lattice = np.unique(np.clip(np.concatenate(edges), 0, strategy.size))
    place = lattice[:-1]  # where a piece begins stands for all of it
    # Stage 1: how likely the queries and the block are, by the true block.
    home = np.searchsorted(starts, place, side="right") - 1
    narrow = np.searchsorted(starts, points[: strategy.narrow])
    first, seen = likelihoods(strategy.searches[0], strategy.blocks, narrow, found=block)
    later = sum(_hidden(strategy, cuts, place, *reading) for reading in readings)
    return lattice, first[np.searchsorted(seen, home, side="right")] * later


def _hidden(strategy: StagedNoisy, cuts: Int, place: Int, kept: Int, offsets: Int) -> Float:
    """Stages 2 and 3 by the place of X*: a part wrongly taken hears one-sided answers."""
    parts, longest = strategy.parts, int(-(-(cuts[-1] - cuts[0]) // strategy.parts))
    true = np.clip(np.searchsorted(cuts, place, side="right") - 1, 0, parts - 1)
    third, asked = likelihoods(strategy.searches[1], longest, offsets, found=None)
    voted = law(parts, strategy.repeats, float(strategy.p)) if parts > 1 else np.ones((1, 1))
    total = np.zeros(len(place))
    for k in kept:
        low, high = place < cuts[k], place >= cuts[k + 1]
        offset = np.where(low, -1, np.where(high, longest, place - cuts[k]))
        total += voted[true, k] * third[np.searchsorted(asked, offset, side="right")]
    tossed = strategy.hide > 0 and strategy.kept < parts
    return total / strategy.kept if tossed else total


def _block(strategy: StagedNoisy, points: Int, starts: Int) -> int:
    """The block that was cut: nobody can miss it."""
    if strategy.blocks == 1:
        return 0
    if strategy.parts == 1:
        rule = "a block that is not cut cannot be told from the queries"
        raise InvalidValue("parts", 1, rule, "audit a plan with at least 2 parts, or 1 block")
    return int(np.searchsorted(starts, points[strategy.narrow], side="right")) - 1


def _readings(strategy: StagedNoisy, points: Int, cuts: Int) -> Iterator[tuple[Int, Int]]:
    """The kept parts and relative points that the last stage's queries can be read as."""
    parts, kept = strategy.parts, strategy.kept
    if strategy.hide == 0:
        yield np.arange(parts), np.empty(0, np.int64)
        return
    asked = points[-strategy.hide * kept :].reshape(strategy.hide, kept)
    longest = -(-(cuts[-1:] - cuts[:1]) // parts)
    cell = int(strategy.searches[1].start(longest).cell[0])
    for offset in (cell, cell + 1):
        number = np.searchsorted(cuts[:-1], asked[0] - offset)
        if (number < parts).all() and (cuts[number] == asked[0] - offset).all():
            gaps = np.diff(np.append(number, number[0] + parts))
            if (gaps > 1).sum() <= 1:  # neighbours, counted cyclically
                yield number, asked[:, 0] - cuts[number[0]]


def likelihoods(
    search: Pursuit, cells: int, points: Int, *, found: int | None
) -> tuple[Float, Int]:
    """The chance of a search's queries (and of what it finds), by where X* lies among them.

    Args:
        search: The search.
        cells: How many cells it has.
        points: Its queries, in order.
        found: The cell it must end with; None: any.

    Returns:
        For each gap between the distinct queries, from below the first to above the last, the
        chance; and the distinct queries.
    """
    seen = np.unique(points)
    place = np.concatenate((seen[:1] - 1, seen)) if len(seen) else np.zeros(1, np.int64)
    p = float(search.p)
    state, odds = search.start(np.array([cells])), np.ones((1, len(place)))
    for point in points:
        coin = np.stack((state.left, 1 - state.left), axis=1)
        row, side = np.nonzero((coin > 0) & (state.cell[:, None] + (0, 1) == point))
        state, odds = take(state, row), odds[row] * coin[row, side][:, None]
        state = search.toss(state, side)
        told = []
        for answer in (False, True):
            agrees = (place >= point) == answer
            heard = search.tell(state, np.full(len(row), answer))
            told.append((heard.belief, odds * np.where(agrees, p, 1 - p)))
        state, odds = _merged(search, told)
    if found is not None:
        odds = odds * (search.found(state) == found)[:, None]
    return odds.sum(axis=0), seen


def _merged(search: Pursuit, told: list[tuple[Belief, Float]]) -> tuple[PursuitState, Float]:
    """One row a distinct belief, with the chances of all histories that led there."""
    beliefs, odds = zip(*told, strict=True)
    belief = Belief(*(np.concatenate(each) for each in zip(*beliefs, strict=True)))
    bits = np.concatenate(changes(belief), axis=1)
    _, first, inverse = np.unique(bits, axis=0, return_index=True, return_inverse=True)
    chance = np.zeros((len(first), odds[0].shape[1]))
    np.add.at(chance, inverse.reshape(-1), np.concatenate(odds))
    return search.resume(take(belief, first)), chance


def _bernstein(values: Float, failure: float) -> float:
    """Half the width of an interval for a mean of values in [0, 1], either side wrong by half."""
    count, log = len(values), math.log(4 / failure)
    spread = float(values.var(ddof=1))
    return math.sqrt(2 * spread * log / count) + 7 * log / (3 * (count - 1))
