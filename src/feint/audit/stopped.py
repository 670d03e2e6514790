"""Compute the best eavesdropper's posterior if the search stops when it is sure.

As in `posterior`, P(X, q) = P(q⁽¹⁾, I | X) · Σ_{k kept} P(k̂ = k | X) · P(window | k̂ = k) ·
P(q⁽³⁾ | X, k̂ = k), where q⁽¹⁾ and q⁽³⁾ now include the lengths of their stages. All histories that
fit are followed. A history fits if it first becomes sure when its stage ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.audit.histories import Likelihood
from feint.beliefs import Belief, densest, learn, uniform
from feint.interfaces import UNASKED, take
from feint.strategies import SequentialNoisy, cut, longest

Int = NDArray[np.int64]
Float = NDArray[np.float64]
Bool = NDArray[np.bool_]


class Stages(NamedTuple):
    """One transcript, by its stages.

    Attributes:
        narrow: The questions of each narrowing round, as boundaries between blocks.
        block: The block that was cut.
        cuts: The ends of the parts of that block.
        hide: The questions of each hiding round, [at once, kept] boundaries of the lattice.
    """

    narrow: list[Int]
    block: int
    cuts: Int
    hide: list[Int]

    @property
    def part(self) -> int:
        """The number of cells of the longest part, which is the size of every search in a part."""
        return int(longest(self.cuts[-1:] - self.cuts[:1], len(self.cuts) - 1)[0])


def stages(strategy: SequentialNoisy, points: Int) -> Stages:
    """Split a transcript into its stages: the cut is the first round inside a block.

    Args:
        strategy: The strategy, which cuts or has one block.
        points: [columns] the questions.
    """
    shape, rounds = strategy.shape, list[Int]()
    ends = np.cumsum([len(each.coordinates) for each in strategy.rounds])
    for asked in np.split(points, ends[:-1]):
        if len(mine := asked[asked != UNASKED]):
            rounds.append(mine)
    starts = cut(strategy.size, shape.blocks, np.arange(shape.blocks + 1))
    number = (
        0 if shape.blocks == 1 else strategy.phases([*map(np.ndarray.tolist, rounds)]).index("cut")
    )
    block = int(np.searchsorted(starts, rounds[number][0], side="right")) - 1 if rounds else 0
    low, high = starts[block], starts[block + 1]
    return Stages(
        narrow=[np.searchsorted(starts, each) for each in rounds[:number]],
        block=block,
        cuts=low + cut(high - low, shape.parts, np.arange(shape.parts + 1)),
        hide=[each.reshape(-1, shape.kept) for each in rounds[number + (shape.parts > 1) :]],
    )


@dataclass(frozen=True)
class Ending:
    """The search of one stage of a member, with its stopping rule.

    Attributes:
        strategy: The member.
        narrow: Whether it is the search among blocks.
    """

    strategy: SequentialNoisy
    narrow: bool

    @property
    def caps(self) -> tuple[int, int]:
        """The most rounds before the cap and after it."""
        shape = self.strategy.shape
        return shape.narrow_rounds if self.narrow else shape.hide_rounds

    def sure(self, belief: Belief, done: int) -> Bool:
        """Return which searches are sure, and so stop, after a number of rounds before the cap."""
        if self.narrow and not self.strategy.may_stop(done):
            return np.zeros(len(belief.size), bool)
        return self.strategy.is_sure(belief, narrow=self.narrow)


def stopped_likelihood(
    ending: Ending, cells: int, asked: Sequence[Int], *, found: int | None, told: Sequence[Bool]
) -> Likelihood:
    """Return the likelihood of the questions of a search and of stopping after them.

    Args:
        ending: The search and its stopping rule.
        cells: The number of cells of the search.
        asked: The questions of each round.
        found: The cell that the search must find; None: any.
        told: The answers of each round if the eavesdropper knows them; empty: she does not.

    Returns:
        The likelihood of the questions (and of `found`) by the place of X*; 0 if nothing fits.
    """
    walk = _Walk(ending, cells, asked)
    for number in range(len(asked)):
        walk.step(number, told[number] if told else None)
    return walk.likelihood(found, helped=bool(told))


def count_states(ending: Ending, cells: int, asked: Sequence[Int], most: int) -> bool:
    """Return True if more histories than this must be distinguished at some time."""
    walk = _Walk(ending, cells, asked)
    for number in range(len(asked)):
        walk.step(number, None)
        if len(walk.log) > most:
            return True
    return False


class _Walk:
    """The histories that fit so far, those with equal counts of answers merged."""

    def __init__(self, ending: Ending, cells: int, asked: Sequence[Int]) -> None:
        self.ending, self.cells, self.asked = ending, cells, asked
        every = np.concatenate([np.empty(0, np.int64), *(each.ravel() for each in asked)])
        self.seen = np.unique(every)
        self.belief = uniform(np.array([cells]))
        # The surplus of yes over no answers for each point, before the cap and after it.
        self.counts = np.zeros((1, 2, len(self.seen)), np.int64)
        self.log, self.told = np.zeros(1), 0

    def step(self, number: int, told: Bool | None) -> None:
        """Follow one round. With `told`, follow only histories with these answers."""
        fixed, _ = self.ending.caps
        late = number >= fixed
        if not late:
            self._keep(~self.ending.sure(self.belief, number))
        elif number == fixed:
            self._keep(~self.ending.sure(self.belief, number))
            self.belief = uniform(np.full(len(self.log), self.cells))
        self._ask(self.asked[number], tilted=late)
        for place, point in enumerate(self.asked[number].tolist()):
            if not 0 < point < self.cells:
                continue  # the answer carries no information
            self.told += 1
            column = int(np.searchsorted(self.seen, point))
            answers = (False, True) if told is None else (bool(told[place]),)
            parts = [self._answered(point, column, yes, late=late) for yes in answers]
            beliefs, counts = zip(*parts, strict=True)
            self.belief = _stacked(beliefs)
            self.counts = np.concatenate(counts)
            self.log = np.tile(self.log, len(answers))
        self._merge()

    def likelihood(self, found: int | None, *, helped: bool) -> Likelihood:
        """Return the likelihood of all histories that end now."""
        fixed, tilted = self.ending.caps
        if len(self.asked) < fixed or (len(self.asked) == fixed and tilted):
            self._keep(self.ending.sure(self.belief, len(self.asked)))
        if found is not None:
            self._keep(densest(self.belief) == found)
        if not len(self.log):
            return Likelihood(self.seen, np.zeros(len(self.seen) + 1), 0.0, helped)
        p, steps = self.ending.strategy.p, self.counts.sum(axis=1)
        agree = np.pad(np.cumsum(steps, axis=1), ((0, 0), (1, 0)))
        agree += (self.told - steps.sum(axis=1, keepdims=True)) // 2
        logs = self.log[:, None] + agree * math.log(p / (1 - p))
        top = float(logs.max())
        value = np.exp(logs - top).sum(axis=0)
        scale = top + self.told * math.log(1 - p) + math.log(value.max())
        return Likelihood(self.seen, value / value.max(), scale, helped)

    def _ask(self, points: Int, *, tilted: bool) -> None:
        """Keep the histories that ask this, weighted by the probability of their coin."""
        strategy = self.ending.strategy
        if not tilted:
            aimed = strategy.aims(self.belief)
            self._keep((aimed[:, : len(points)] == points).all(axis=1))
            return
        cell, left = strategy.tilts(self.belief)
        coin = np.where(cell == points[0], left, np.where(cell + 1 == points[0], 1 - left, 0.0))
        self.log = self.log + np.log(np.maximum(coin, 1e-300))
        self._keep(coin > 0)

    def _answered(
        self, point: int, column: int, yes: bool, *, late: bool
    ) -> tuple[Belief, NDArray[np.int64]]:
        count = len(self.log)
        counts = self.counts.copy()
        counts[:, int(late), column] += 1 if yes else -1
        return learn(self.belief, np.full(count, point), np.full(count, yes)), counts

    def _keep(self, rows: Bool) -> None:
        held = np.flatnonzero(rows)
        self.belief, self.counts = take(self.belief, held), self.counts[held]
        self.log = self.log[held]

    def _merge(self) -> None:
        if not len(self.log):
            return
        table = self.counts.reshape(len(self.log), -1)
        _, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
        top = np.full(len(first), -np.inf)
        np.maximum.at(top, inverse, self.log)
        total = np.bincount(inverse, np.exp(self.log - top[inverse]))
        self.belief, self.counts = take(self.belief, first), self.counts[first]
        self.log = top + np.log(total)


def _stacked(beliefs: Sequence[Belief]) -> Belief:
    """Stack beliefs; after one answer each, their numbers of edges differ by at most one."""
    room = max(each.edges.shape[1] for each in beliefs)
    wide = [((0, 0), (0, room - each.edges.shape[1])) for each in beliefs]
    return Belief(
        np.concatenate([each.size for each in beliefs]),
        np.concatenate([np.pad(each.edges, by) for each, by in zip(beliefs, wide, strict=True)]),
        np.concatenate([np.pad(each.steps, by) for each, by in zip(beliefs, wide, strict=True)]),
        np.concatenate([each.used for each in beliefs]),
        np.concatenate([each.told for each in beliefs]),
        np.concatenate([each.first for each in beliefs]),
    )
