"""The best eavesdropper against the staged family under noise: her posterior, exactly.

For a transcript q, P(X, q) = P(q⁽¹⁾, I | X) · Σ_{k kept} P(k̂ = k | X) · P(window | k̂ = k) ·
P(q⁽³⁾ | X, k̂ = k). The answers behind stages 1 and 3 are not overheard: all histories that fit the
queries are followed, and those whose beliefs agree are merged (`histories`). P(k̂ | X) is exact from
binomials. Success is then a mean over simulated transcripts of an exactly computed conditional
maximum. Where there are too many histories she is helped, and it is an upper bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from feint.audit.histories import Likelihood, Truth, likelihood
from feint.beliefs import best_window
from feint.errors import InvalidValue
from feint.interfaces import Strategy
from feint.simulate import Executor, Serial, bernstein, play
from feint.strategies.cuts import cut
from feint.strategies.staged_noisy import StagedNoisy, StagedNoisyState
from feint.strategies.vote import law

Int = NDArray[np.int64]
Float = NDArray[np.float64]


_EFFORT = 1 << 18  # states that are followed in a transcript's longest search, all queries together
_LONG = 1 << 10  # queries beyond which nothing is followed: that would take minutes a transcript
_BATCH = 16  # transcripts a task
Progress = Callable[[int, int], None]
"""Called with the transcripts done and the transcripts wanted."""


@dataclass(frozen=True)
class NoisyAudit:
    """What the best eavesdropper wins with, from simulated transcripts.

    Attributes:
        success: The mean of her exact conditional chances; unbiased for one who was helped.
        low: The interval's lower end.
        high: The interval's upper end.
        confidence: How surely the interval holds the truth, at least.
        runs: How many transcripts.
        helped: In how many of them she was told more than she overheard, for want of time to
            follow every state: what she wins with unhelped is then less, if anything.
        least: The interval's lower end for one who is never helped.
    """

    success: float
    low: float
    high: float
    confidence: float
    runs: int
    helped: int
    least: float


def noisy_audit(
    strategy: Strategy,
    *,
    runs: int,
    seed: int,
    confidence: float = 0.99,
    states: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> NoisyAudit:
    """How often the best eavesdropper wins when X* is uniform.

    Args:
        strategy: A member of the staged family under noise, in one dimension.
        runs: How many transcripts to simulate.
        seed: Where the simulation begins.
        confidence: How surely the interval must hold the truth.
        states: How many states of a search are followed before she is helped; 0: she is told every
            answer of the searches; None: as many as take a moment, which is none for long searches.
        executor: Who follows them; None: this process.
        progress: Told how far it is.

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
    told = np.empty((runs, sum(len(each.coordinates) for each in strategy.rounds)), bool)
    played = play(strategy, targets, random, told=told)
    most = _states(strategy) if states is None else states
    events = _events(strategy, played.state, told, most)
    heard = list(zip(played.transcript.points, events, strict=True))
    tasks = [heard[first : first + _BATCH] for first in range(0, runs, _BATCH)]
    won, helped, done = np.empty(runs), np.empty(runs, bool), 0
    for number, found in (executor or Serial()).map(partial(_chances, strategy), tasks):
        rows = slice(number * _BATCH, number * _BATCH + len(found))
        won[rows], helped[rows] = zip(*found, strict=True)
        done += len(found)
        if progress is not None:
            progress(done, runs)
    alone = np.where(helped, 0.0, won)  # nothing is known of what she wins without the help
    mean, half = float(won.mean()), bernstein(won, 1 - confidence)
    least = float(alone.mean()) - bernstein(alone, 1 - confidence)
    return NoisyAudit(
        mean,
        max(0.0, mean - half),
        min(1.0, mean + half),
        confidence,
        runs,
        int(helped.sum()),
        max(0.0, least),
    )


def _states(strategy: StagedNoisy) -> int:
    longest = max(1, strategy.narrow, strategy.hide)
    return _EFFORT // longest if longest <= _LONG else 0


def _chances(strategy: StagedNoisy, heard: list[tuple[Int, Event]]) -> list[tuple[float, bool]]:
    return [chance(strategy, points, event) for points, event in heard]


def chance(strategy: StagedNoisy, points: Int, event: Event | None) -> tuple[float, bool]:
    """What the best eavesdropper wins with after a transcript, and whether she was helped."""
    found = joint(strategy, points, event)
    reach = float(strategy.problem.delta * strategy.size)
    _, caught = best_window(found.edges[None], found.mass[None], reach)
    total = float((np.diff(found.edges) * found.mass).sum())
    return min(1.0, float(caught[0]) / total), found.helped


def joint(strategy: StagedNoisy, points: Int, event: Event | None) -> Joint:
    """The chance of a transcript for every cell of X*, as pieces.

    Args:
        strategy: What she listens to.
        points: The queries, in order.
        event: What happened, to help her by; None: she is not helped.

    Returns:
        P(q | X) in each piece.
    """
    starts = cut(strategy.size, strategy.blocks, np.arange(strategy.blocks + 1))
    block = _block(strategy, points, starts)
    cuts = starts[block] + cut(
        starts[block + 1] - starts[block], strategy.parts, np.arange(strategy.parts + 1)
    )
    readings = _readings(strategy, points, cuts, event)
    narrow = np.searchsorted(starts, points[: strategy.narrow])
    coarse = None if event is None else event.coarse
    first = likelihood(strategy.searches[0], strategy.blocks, narrow, found=block, truth=coarse)
    edges = [cuts[k] + each.third.seen for each in readings for k in each.kept]
    lattice = np.unique(np.clip(np.concatenate([starts, cuts, *edges]), 0, strategy.size))
    place = lattice[:-1]  # where a piece begins stands for all of it
    home = np.searchsorted(starts, place, side="right") - 1
    top = max((each.third.log for each in readings), default=0.0)
    later = sum(
        each.by_place(strategy, cuts, place) * math.exp(each.third.log - top) for each in readings
    )
    mass = first.at(home) * later
    if not np.max(mass) > 0:
        raise RuntimeError("the strategy does not ask these queries")
    helped = first.helped or any(each.third.helped for each in readings)
    return Joint(lattice, mass / mass.max(), first.log + top + math.log(mass.max()), helped)


@dataclass(frozen=True)
class Event:
    """What happened in the run that is audited.

    Attributes:
        coarse: In the search among blocks.
        fine: In the search within a part.
    """

    coarse: Truth
    fine: Truth


def _events(
    strategy: StagedNoisy, state: StagedNoisyState, told: NDArray[np.bool_], most: int
) -> Iterator[Event]:
    """What happened in each run."""
    narrow, runs = strategy.narrow, np.arange(len(told))
    column = np.zeros_like(runs) if state.window is None else state.window[1]
    hidden = told[:, told.shape[1] - strategy.hide * strategy.kept :]
    fine = hidden.reshape(len(told), strategy.hide, strategy.kept)[runs, :, column]
    for i in runs:
        yield Event(Truth(told[i, :narrow], most), Truth(fine[i], most))


@dataclass(frozen=True)
class Joint:
    """P(q | X) as pieces.

    Attributes:
        edges: Where the pieces begin and end.
        mass: The chance in each, up to a factor; the largest is 1.
        log: The logarithm of the factor.
        helped: Whether the eavesdropper was told more than she overheard.
    """

    edges: Int
    mass: Float
    log: float
    helped: bool


@dataclass(frozen=True)
class _Reading:
    """One way to read the last stage's queries.

    Attributes:
        kept: The parts' numbers, in the order they are asked.
        third: The chance of the relative queries.
    """

    kept: Int
    third: Likelihood

    def by_place(self, strategy: StagedNoisy, cuts: Int, place: Int) -> Float:
        """Stages 2 and 3 by the place of X*: a part wrongly taken hears one-sided answers."""
        parts, longest = strategy.parts, _longest(strategy, cuts)
        true = np.clip(np.searchsorted(cuts, place, side="right") - 1, 0, parts - 1)
        voted = law(parts, strategy.repeats, float(strategy.p)) if parts > 1 else np.ones((1, 1))
        total = np.zeros(len(place))
        for k in self.kept:
            low, high = place < cuts[k], place >= cuts[k + 1]
            offset = np.where(low, -1, np.where(high, longest, place - cuts[k]))
            total += voted[true, k] * self.third.at(offset)
        tossed = strategy.hide > 0 and strategy.kept < parts
        return total / strategy.kept if tossed else total


def _readings(strategy: StagedNoisy, points: Int, cuts: Int, event: Event | None) -> list[_Reading]:
    """The ways to read the last stage.

    Only parts of one cell leave more than one. Searches are then among two cells at most, with few
    states, and she is not helped: help would tell her which reading is the true one.
    """
    search, longest = strategy.searches[1], _longest(strategy, cuts)
    ways = list(_fitting(strategy, points, cuts))
    truth = event.fine if event is not None and len(ways) == 1 else None
    found = [
        _Reading(kept, likelihood(search, longest, offsets, found=None, truth=truth))
        for kept, offsets in ways
    ]
    return [each for each in found if each.third.value.any()]


def _longest(strategy: StagedNoisy, cuts: Int) -> int:
    """Cells of the longest part, as far as every part is searched."""
    return int(-(-(cuts[-1] - cuts[0]) // strategy.parts))


def _block(strategy: StagedNoisy, points: Int, starts: Int) -> int:
    """The block that was cut: nobody can miss it."""
    if strategy.blocks == 1:
        return 0
    if strategy.parts == 1:
        rule = "a block that is not cut cannot be told from the queries"
        raise InvalidValue("parts", 1, rule, "audit a plan with at least 2 parts, or 1 block")
    return int(np.searchsorted(starts, points[strategy.narrow], side="right")) - 1


def _fitting(strategy: StagedNoisy, points: Int, cuts: Int) -> Iterator[tuple[Int, Int]]:
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
