"""Compute how often a noisy search among few cells misses, by walking every history.

Beliefs are integer counts per piece, so histories with equal beliefs are merged into one state. Few
cells have few states. States that are too unlikely to follow count as misses, so the figures are
never too small.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from operator import neg
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.beliefs import Belief, changes, learn, scores, uniform
from feint.interfaces import Rule
from feint.strategies import Pursuit

# The most answers to walk, by the number of cells; more have too many states. (Two cells are a
# majority, which needs no walk.)
_FEW = {3: 300, 4: 100, 5: 50, 6: 50}
_DROPPED = 1e-9  # states that are less likely than this for every X* are not followed
_STATES = 1 << 13
_WIDE = 1 << 7  # states with scores beyond this are not followed either
_ROUNDING = 1e-9
_SHORTEST = 16  # answers of the shortest walk; each longer walk has twice as many

Int = NDArray[np.int64]
Float = NDArray[np.float64]


class _Walked(NamedTuple):
    """The immutable state of a walk.

    Attributes:
        missed: The bounds on the probability of a miss after each number of answers.
        score: [states, cells] the states that are followed, by the score of every cell.
        chance: [states, cells] the probability of each state, given that X* lies in each cell.
    """

    missed: tuple[float, ...]
    score: Int
    chance: Float


def few(cells: int, answers: int) -> bool:
    """Return True if cells and answers are few enough to walk every history quickly."""
    return answers <= _FEW.get(cells, 0)


def misses(cells: int, p: Fraction, rule: Rule, answers: int) -> tuple[float, ...]:
    """Return upper bounds on the probability of a miss after 0, 1, …, `answers` or more answers.

    Args:
        cells: The number of cells, which are equally likely.
        p: The probability that an answer is right.
        rule: The rule by which the search weighs an answer.
        answers: The least number of answers to walk. Results are cached.

    Returns:
        One bound for each number of answers.
    """
    return _walked(cells, Pursuit(p, rule), _length(answers)).missed


def fewest_answers(cells: int, p: Fraction, miss: float, most: int) -> tuple[int, float] | None:
    """Return the fewest answers with which the posterior rule misses at most this often.

    Args:
        cells: The number of cells.
        p: The probability that an answer is right.
        miss: The allowed probability of a miss.
        most: The most answers to consider.

    Returns:
        The number and the bound on its misses; None if `most` answers are not enough.
    """
    horizon = _SHORTEST
    while True:
        falling = _falling(cells, p.numerator, p.denominator, _length(min(horizon, most)))
        answers = bisect_left(falling, -miss, key=neg)
        if answers < min(len(falling), most + 1):
            return answers, falling[answers]
        if horizon >= most:
            return None
        horizon *= 2


@lru_cache(maxsize=256)  # by whole numbers: to hash a fraction takes longer than to look it up
def _falling(cells: int, above: int, below: int, answers: int) -> tuple[float, ...]:
    """Return the least probability of a miss after up to 0, 1, … answers, by the posterior rule."""
    walked = _walked(cells, Pursuit(Fraction(above, below), "posterior"), answers)
    return tuple(accumulate(walked.missed, min))


def _length(answers: int) -> int:
    """Return the length of the walk that reaches this many answers."""
    return max(_SHORTEST, 1 << (answers - 1).bit_length())


@lru_cache(maxsize=64)
def _walked(cells: int, search: Pursuit, answers: int) -> _Walked:
    """Return the walk of this length, which continues the one half as long."""
    if answers <= _SHORTEST:
        start = spread(search.start(np.array([cells])).belief)
        begun = _Walked((), start, np.ones((1, cells)))
    else:
        begun = _walked(cells, search, answers // 2)
    walk, found = _Walk(search, begun), list(begun.missed)
    if not found:
        found.append(walk.missed())
    while len(found) <= answers and walk.chance.any():
        walk.step()
        found.append(walk.missed())
    followed = walk.chance.any(axis=1)
    return _Walked(tuple(found), walk.score[followed], walk.chance[followed])


class _Walk:
    """A walk over states, with the successors of each state computed once.

    Attributes:
        score: [states, cells] every state met so far, by the score of every cell.
        chance: [states, cells] the current probability of each state, given that X* lies in each
            cell.
    """

    def __init__(self, search: Pursuit, begun: _Walked) -> None:
        """Start at the end of another walk."""
        self.search, self.score, self.chance = search, begun.score, begun.chance
        many, cells = self.score.shape
        self._number = {state: at for at, state in enumerate(map(tuple, self.score.tolist()))}
        branches = 4 if search.tossed else 2  # sides of the coin times answers
        self._known = np.zeros(many, np.bool_)
        self._found = np.zeros(many, np.int64)
        self._next = np.zeros((branches, many), np.int64)  # -1: a state that is not followed
        self._odds = np.zeros((branches, many, cells))
        self._explore()

    def missed(self) -> float:
        """Return 1 − P{the densest cell holds X*}; states not followed count as misses."""
        hit = self.chance[np.arange(len(self._found)), self._found].sum() / self.chance.shape[1]
        return min(1.0, float(1 - hit) + _ROUNDING)

    def step(self) -> None:
        """Add one answer, and drop states that have become too unlikely."""
        rows = np.flatnonzero(self.chance.any(axis=1))
        total = np.zeros_like(self.chance)
        for following, odds in zip(self._next, self._odds, strict=True):
            onward = rows[following[rows] >= 0]
            moved = self.chance[onward] * odds[onward]
            for cell, column in enumerate(moved.T):
                total[:, cell] += np.bincount(following[onward], column, len(total))
        highest = total.max(axis=1)
        likely = highest >= _DROPPED
        if likely.sum() > _STATES:
            likely &= highest >= np.partition(highest, -_STATES)[-_STATES]
        self.chance = np.where(likely[:, None], total, 0.0)
        self._explore()

    def _explore(self) -> None:
        """Return the new states after each side of the coin and each answer."""
        rows = np.flatnonzero(~self._known & self.chance.any(axis=1))
        if not len(rows):
            return
        cells, right = np.arange(self.score.shape[1]), float(self.search.p)
        state = self.search.resume(gathered(self.score[rows]))
        self._known[rows], self._found[rows] = True, self.search.found(state)
        sides = [(state, np.ones(len(rows)))]
        if self.search.tossed:
            weights = enumerate((state.left, 1 - state.left))
            toss, many = self.search.toss, len(rows)
            sides = [(toss(state, np.full(many, side)), weight) for side, weight in weights]
        for number, (tossed, weight) in enumerate(sides):
            point = self.search.ask(tossed)
            for answer in (False, True):
                agrees = (cells >= point[:, None]) == answer
                told = learn(state.belief, point, np.full(len(rows), answer))
                odds = weight[:, None] * np.where(agrees, right, 1 - right)
                following = self._numbered(spread(told), weight > 0)
                branch = 2 * number + answer
                self._next[branch, rows], self._odds[branch, rows] = following, odds

    def _numbered(self, score: Int, possible: NDArray[np.bool_]) -> Int:
        """Return the numbers of states, after adding new ones; -1 if a score is too wide."""
        number, new = self._number, []
        found = np.full(len(score), -1)
        for row in np.flatnonzero(possible & (score.min(axis=1) > -_WIDE)).tolist():
            state = tuple(score[row].tolist())
            if state not in number:
                new.append(row)
                number[state] = len(number)
            found[row] = number[state]
        while len(self.score) < len(number):
            self._grow()
        self.score[len(number) - len(new) : len(number)] = score[new]
        return found

    def _grow(self) -> None:
        """Double the room for states."""
        more = len(self.score)
        self.score = np.pad(self.score, ((0, more), (0, 0)))
        self.chance = np.pad(self.chance, ((0, more), (0, 0)))
        self._known = np.pad(self._known, (0, more))
        self._found = np.pad(self._found, (0, more))
        self._next = np.pad(self._next, ((0, 0), (0, more)))
        self._odds = np.pad(self._odds, ((0, 0), (0, more), (0, 0)))


def spread(belief: Belief) -> NDArray[np.int64]:
    """Return [runs, cells] the scores of cells for beliefs over few cells; the largest is 0."""
    cells = np.arange(int(belief.size[0]))
    edges, steps = changes(belief)
    piece = (edges[:, :, None] <= cells).sum(axis=1)
    score = np.take_along_axis(scores(steps), piece, axis=1)
    score -= score.max(axis=1, keepdims=True)
    return score


def gathered(score: NDArray[np.int64]) -> Belief:
    """Return beliefs whose pieces are single cells, from the score of every cell."""
    runs, cells = score.shape
    edges = np.broadcast_to(np.arange(1, cells), (runs, cells - 1)).copy()
    steps = np.diff(score, axis=1).astype(np.int32)
    used = np.full(runs, cells - 1)
    return uniform(np.full(runs, cells))._replace(edges=edges, steps=steps, used=used)
