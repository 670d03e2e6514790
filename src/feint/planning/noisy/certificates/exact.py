"""How often a noisy search among few cells misses, exactly: every history walked, equals merged.

Beliefs are integer counts a piece, so histories that end in equal beliefs are one state; among few
cells there are few states. What is too unlikely to follow counts as a miss, so the figures are
never too small.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import Belief, changes, scores
from feint.interfaces import Rule, take
from feint.strategies import Pursuit, PursuitState

# Cells: the most answers that are walked; the number of states grows fast. (Two cells are a
# majority.)
_FEW = {3: 300, 4: 100, 5: 50, 6: 50}
_DROPPED = 1e-9  # a state less likely than this, whatever X* is, is not followed
_STATES = 1 << 13
_WIDE = 1 << 7  # scores past this are not followed either
_ROUNDING = 1e-9

Float = NDArray[np.float64]


def few(cells: int, answers: int) -> bool:
    """Whether there are few enough cells and answers to walk every history in a moment."""
    return answers <= _FEW.get(cells, 0)


@dataclass
class ExactSearch:
    """The states of one search, answer by answer, as far as anyone has asked.

    Attributes:
        cells: How many cells there are, one that is `few`.
        search: The search.
        missed: After each number of answers, the chance of a miss, at most, when every cell
            is as likely as the others.
    """

    cells: int
    search: Pursuit
    missed: list[float] = field(default_factory=list)
    _least: list[float] = field(default_factory=list)
    _state: PursuitState = field(init=False)
    _chance: Float = field(init=False)

    def __post_init__(self) -> None:
        """Begin with one state, certain whatever X* is."""
        self._state = self.search.start(np.array([self.cells]))
        self._chance = np.ones((1, self.cells))
        self._note()

    def after(self, answers: int) -> float:
        """An upper bound on the chance of a miss after this many answers."""
        while len(self.missed) <= answers:
            self._step()
            self._note()
        return self.missed[answers]

    def fewest(self, miss: float, most: int) -> int | None:
        """The fewest answers, up to `most`, after which the chance of a miss is at most this."""
        while self._least[-1] > miss and len(self._least) <= most:
            self.after(len(self._least))
        answers = bisect_left(self._least, -miss, key=lambda least: -least)
        return answers if answers <= min(most, len(self._least) - 1) else None

    def _note(self) -> None:
        found = self.search.found(self._state)
        hit = self._chance[np.arange(len(found)), found].sum() / self.cells
        self.missed.append(min(1.0, float(1 - hit) + _ROUNDING))
        self._least.append(min([*self._least[-1:], self.missed[-1]]))

    def _step(self) -> None:
        """Both sides of the coin, both answers, then merge."""
        p, cells = float(self.search.p), np.arange(self.cells)
        states, chances = [], []
        for side in (0, 1):
            weight = self._state.left if side == 0 else 1 - self._state.left
            rows = np.flatnonzero(weight > 0)
            if not len(rows):
                continue
            state = self.search.toss(take(self._state, rows), np.full(len(rows), side))
            point = self.search.ask(state)
            for answer in (False, True):
                agrees = (cells >= point[:, None]) == answer
                told = self.search.tell(state, np.full(len(rows), answer))
                states.append(spread(told.belief))
                chances.append(self._chance[rows] * weight[rows, None] * np.where(agrees, p, 1 - p))
        score, chance = merged(np.concatenate(states), np.concatenate(chances))
        likely = (chance.max(axis=1) >= _DROPPED) & (score.min(axis=1) > -_WIDE)
        if likely.sum() > _STATES:
            likely &= chance.max(axis=1) >= np.partition(chance.max(axis=1), -_STATES)[-_STATES]
        self._state = self.search.resume(gathered(score[likely]))
        self._chance = chance[likely]


def spread(belief: Belief) -> NDArray[np.int64]:
    """[runs, cells] the score of every cell, for beliefs over the same few cells; the most is 0."""
    cells = np.arange(int(belief.size[0]))
    edges, steps = changes(belief)
    piece = (edges[:, :, None] <= cells).sum(axis=1)
    score = np.take_along_axis(scores(steps), piece, axis=1)
    score -= score.max(axis=1, keepdims=True)
    return score


def gathered(score: NDArray[np.int64]) -> Belief:
    """Beliefs whose pieces are single cells, from the score of every cell."""
    runs, cells = score.shape
    edges = np.broadcast_to(np.arange(1, cells), (runs, cells - 1)).copy()
    steps = np.diff(score, axis=1).astype(np.int32)
    return Belief(np.full(runs, cells), edges, steps, np.full(runs, cells - 1))


def merged(score: NDArray[np.int64], chance: Float) -> tuple[NDArray[np.int64], Float]:
    """One row a distinct row of scores, with the chances added up."""
    key = np.zeros(len(score), np.int64)
    for column in score.T:
        key = key * (2 * _WIDE) + np.maximum(column, -_WIDE)
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    total = np.zeros((len(first), chance.shape[1]))
    np.add.at(total, inverse, chance)
    return score[first], total


@lru_cache(maxsize=256)
def exact_search(cells: int, p: Fraction, rule: Rule) -> ExactSearch:
    """The walked search of this many cells, by this rule."""
    return ExactSearch(cells, Pursuit(p, rule))
