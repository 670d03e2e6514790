"""Bound the misses and her success in noisy plans under a prior, by brute force.

Every sequence of answers and coins is followed, the likeliest first; sequences beyond a number are
dropped, so that each figure is a lower bound of the true one. Places, masses and windows are worked
out here, from the prior's weights and from where questions are shown. Nothing of `feint.planning`
or `feint.audit` is used: a plan is only read.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from feint import Plan
from feint.interfaces import take

Float = NDArray[np.float64]
Int = NDArray[np.int64]


@dataclass(frozen=True)
class Figures:
    """Bounds that must hold for a plan.

    Attributes:
        missed: The chance that the estimate is off by more than epsilon/2.
        error: The expected error, as a share of the range.
        won: What the best eavesdropper wins with.
        dropped: The chance of the sequences that were not followed.
        worst: The chance of a miss where the number is worst placed, of the places looked at.
    """

    missed: float
    error: float
    won: float
    dropped: float
    worst: float


class Ground:
    """The range, cut at every change of the prior's density and at every shown question."""

    def __init__(self, plan: Plan, coordinate: int = 0) -> None:
        assert plan.scales is not None
        self.scale, law = plan.scales[coordinate], plan.problem.law(coordinate)
        self.low, self.wide = plan.domain.low, plan.domain.width
        marks = [self.share(self.scale.at(k)) for k in range(self.scale.size + 1)]
        bins = [Fraction(k, law.bins) for k in range(law.bins + 1)]
        ends = sorted({*marks, *bins})
        below = [0, *accumulate(law.weights)]
        masses, cells, cell, bin_ = [], [], 0, 0
        for left, right in pairwise(ends):
            while marks[cell + 1] <= left:
                cell += 1
            while bins[bin_ + 1] <= left:
                bin_ += 1
            cells.append(cell)
            masses.append(float((right - left) * law.weights[bin_] * law.bins / below[-1]))
        self.ends, self.marks = np.array(ends, float), np.array(marks, float)
        self.cell, self.mass = np.array(cells), np.array(masses)
        self.cells = np.bincount(self.cell, self.mass, minlength=self.scale.size)

    def share(self, place: Fraction) -> Fraction:
        """Return a place in the user's units as a share of the range."""
        return (place - self.low) / self.wide

    def said(self, cell: Int, rest: Float) -> Float:
        """Return the places of shown estimates, as shares of the range."""
        pairs = list(zip(cell.tolist(), rest.tolist(), strict=True))
        places = {
            each: float(self.share(self.scale.between(each[0], Fraction(each[1]))))
            for each in set(pairs)
        }
        return np.array([places[each] for each in pairs])

    def hits(self, said: Float, half: float) -> Float:
        """Return [estimates, cells] the mass of each cell within a distance of each estimate."""
        left = np.maximum(self.ends[:-1], said[:, None] - half)
        right = np.minimum(self.ends[1:], said[:, None] + half)
        caught = np.maximum(0, right - left) / np.diff(self.ends) * self.mass
        return self._by_cell(caught)

    def errors(self, said: Float) -> Float:
        """Return [estimates, cells] the integral of the error over the mass of each cell."""
        a, b = self.ends[:-1], self.ends[1:]
        x = np.clip(said[:, None], a, b)
        inside = ((x - a) ** 2 + (b - x) ** 2) / (2 * (b - a))
        return self._by_cell((inside + np.abs(said[:, None] - x)) * self.mass)

    def _by_cell(self, pieces: Float) -> Float:
        out = np.zeros((len(pieces), self.scale.size))
        np.add.at(out.T, self.cell, pieces.T)
        return out

    def won(self, chance: Float, delta: float) -> Float:
        """Return [transcripts] the mass of the best window, given the likelihood from each cell."""
        mass = chance[:, self.cell] * self.mass
        heap = np.concatenate([np.zeros((len(mass), 1)), np.cumsum(mass, axis=1)], axis=1)
        starts = np.concatenate([self.ends, self.ends - delta])
        best = np.zeros(len(chance))
        for start in starts[(starts >= 0) & (starts + delta <= 1)]:
            best = np.maximum(best, self._below(heap, start + delta) - self._below(heap, start))
        return best

    def _below(self, heap: Float, place: float) -> Float:
        k = min(int(np.searchsorted(self.ends, place, side="right")) - 1, len(self.mass) - 1)
        part = (place - self.ends[k]) / (self.ends[k + 1] - self.ends[k])
        below: Float = heap[:, k] + min(part, 1.0) * (heap[:, k + 1] - heap[:, k])
        return below


def figures(plan: Plan, *, most: int = 4000) -> Figures:
    """Return bounds that must hold for a plan for one number.

    Args:
        plan: A noisy plan under a prior.
        most: How many sequences of answers are followed.
    """
    ground, p, strategy = Ground(plan), float(plan.problem.known_p or 1), plan.strategy
    cells = np.arange(ground.scale.size)
    state: Any = strategy.start(1)
    chance, heard = np.ones((1, len(cells))), np.empty((1, 0), np.int64)
    for round_ in strategy.rounds:
        while (sides := strategy.coin(state)) is not None:
            index, side = np.nonzero(sides)
            share = sides[index, side] / sides.sum(axis=1)[index]
            chance, heard = chance[index] * share[:, None], heard[index]
            state = strategy.toss(take(state, index), side)
        asked = strategy.ask(state)
        index, told = np.arange(len(asked)), np.empty((len(asked), 0), bool)
        for column in range(len(round_.coordinates)):
            above = cells >= asked[index, column][:, None]
            both = [chance * np.where(above == answer, p, 1 - p) for answer in (False, True)]
            chance = np.concatenate(both)
            index = np.tile(index, 2)
            answers = np.repeat([False, True], len(told))
            told = np.concatenate([np.tile(told, (2, 1)), answers[:, None]], axis=1)
            if len(chance) > most:
                kept = np.argpartition(-(chance @ ground.cells), most)[:most]
                chance, index, told = chance[kept], index[kept], told[kept]
        heard = np.concatenate([heard[index], asked[index]], axis=1)
        state = strategy.tell(take(state, index), told)
    return _figures(plan, ground, chance, heard, strategy.estimate(state))


@dataclass(frozen=True)
class Sampled:
    """The outcomes of a number of runs.

    Attributes:
        runs: How many there were.
        missed: In how many the estimate was off by more than epsilon/2.
        errors: [runs] how far it was off, as a share of the range.
        won: In how many the eavesdropper won who names the window of length delta with the most
            questions of the last round.
    """

    runs: int
    missed: int
    errors: Float
    won: int


def sampled(
    plan: Plan, runs: int, seed: int, *, moved: tuple[float, float] = (0.0, 0.0)
) -> Sampled:
    """Return runs of a plan for one number, with numbers and answers drawn here.

    Args:
        plan: A noisy plan under a prior.
        runs: How many.
        seed: Where the draws begin.
        moved: The share of runs in which the number lies at a place, and that place, as a share of
            the range; in the others it is drawn by the prior.
    """
    ground, random = Ground(plan), np.random.default_rng(seed)
    piece = random.choice(len(ground.mass), runs, p=ground.mass / ground.mass.sum())
    wide = np.diff(ground.ends)
    number = ground.ends[piece] + random.random(runs) * wide[piece]
    number = np.where(random.random(runs) < moved[0], moved[1], number)
    cell = np.searchsorted(ground.marks[1:-1], number, side="right")
    p, strategy = float(plan.problem.known_p or 1), plan.strategy
    state: Any = strategy.start(runs)
    asked = np.empty((runs, 0), np.int64)
    for _ in strategy.rounds:
        while (sides := strategy.coin(state)) is not None:
            shares = np.cumsum(sides / sides.sum(axis=1, keepdims=True), axis=1)
            state = strategy.toss(state, (random.random((runs, 1)) > shares).sum(axis=1))
        asked = strategy.ask(state)
        right = random.random(asked.shape) < p
        state = strategy.tell(state, (cell[:, None] >= asked) == right)
    estimate = strategy.estimate(state)
    off = np.abs(ground.said(estimate.cell[:, 0], estimate.rest[:, 0]) - number)
    shown, delta = np.sort(ground.marks[asked], axis=1), float(plan.problem.delta)
    held = (shown[:, None, :] >= shown[:, :, None]) & (
        shown[:, None, :] <= shown[:, :, None] + delta
    )
    first = held.sum(axis=2).argmax(axis=1)
    last = first + held.sum(axis=2).max(axis=1) - 1
    rows = np.arange(runs)
    middle = (shown[rows, first] + shown[rows, last]) / 2
    return Sampled(
        runs=runs,
        missed=int((off > float(plan.problem.epsilon / 2) * (1 + 1e-9)).sum()),
        errors=off,
        won=int((np.abs(number - middle) <= delta / 2).sum()),
    )


def _figures(plan: Plan, ground: Ground, chance: Float, heard: Int, estimate: Any) -> Figures:
    said, back = np.unique(
        ground.said(estimate.cell[:, 0], estimate.rest[:, 0]), return_inverse=True
    )
    by_estimate = np.zeros((len(said), chance.shape[1]))
    np.add.at(by_estimate, back, chance)
    half = float(plan.problem.epsilon / 2) * (1 + 1e-12)
    followed = float((chance @ ground.cells).sum())
    hit = float((by_estimate * ground.hits(said, half)).sum())
    middles = (ground.ends[:-1] + ground.ends[1:]) / 2
    off = np.abs(said[:, None] - middles) > half
    at = by_estimate[:, ground.cell]
    transcripts, of = np.unique(heard, axis=0, return_inverse=True)
    by_transcript = np.zeros((len(transcripts), chance.shape[1]))
    np.add.at(by_transcript, of.reshape(-1), chance)
    return Figures(
        missed=followed - hit,
        error=float((by_estimate * ground.errors(said)).sum()),
        won=float(ground.won(by_transcript, float(plan.problem.delta)).sum()),
        dropped=1 - followed,
        worst=float((at * off).sum(axis=0).max()),
    )
