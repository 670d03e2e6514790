"""How often a noisy search among few cells misses, exactly: every history walked, equals merged.

Beliefs are integer counts a piece, so histories that end in equal beliefs are one state; among few
cells there are few states. What is too unlikely to follow counts as a miss, so the figures are
never too small.
"""

from __future__ import annotations

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
_SHORTEST = 16  # answers of the shortest walk

Float = NDArray[np.float64]


def few(cells: int, answers: int) -> bool:
    """Whether there are few enough cells and answers to walk every history in a moment."""
    return answers <= _FEW.get(cells, 0)


def misses(cells: int, p: Fraction, rule: Rule, answers: int) -> tuple[float, ...]:
    """Upper bounds on the chance of a miss after 0, 1, …, `answers` answers, or a few more.

    Args:
        cells: How many cells there are, each as likely as the others.
        p: Probability that an answer is right.
        rule: How the search weighs an answer.
        answers: How far to walk; the work doubles with it, and what was walked is remembered.

    Returns:
        One bound for each number of answers.
    """
    return _walked(cells, Pursuit(p, rule), max(_SHORTEST, 1 << (answers - 1).bit_length()))


def fewest_answers(cells: int, p: Fraction, miss: float, most: int) -> tuple[int, float] | None:
    """The fewest answers, up to `most`, with which the posterior rule misses with this chance.

    Args:
        cells: How many cells there are.
        p: Probability that an answer is right.
        miss: The chance of a miss that is allowed.
        most: The most answers there may be.

    Returns:
        How many, and the bound on the chance they leave; None where there are not enough.
    """
    horizon = _SHORTEST
    while True:
        chances = misses(cells, p, "posterior", min(horizon, most))
        for answers, chance in enumerate(chances[: most + 1]):
            if chance <= miss:
                return answers, chance
        if horizon >= most:
            return None
        horizon *= 2


@lru_cache(maxsize=256)
def _walked(cells: int, search: Pursuit, answers: int) -> tuple[float, ...]:
    """The bounds, by a walk of their own: nothing that grows is shared between callers."""
    state, chance = search.start(np.array([cells])), np.ones((1, cells))
    found = [_missed(search, state, chance)]
    while len(found) <= answers and len(chance):
        state, chance = _step(search, state, chance)
        found.append(_missed(search, state, chance))
    return tuple(found)


def _missed(search: Pursuit, state: PursuitState, chance: Float) -> float:
    """1 − P{the densest cell holds X*}; what is not followed counts as a miss."""
    found, cells = search.found(state), chance.shape[1]
    hit = chance[np.arange(len(found)), found].sum() / cells
    return min(1.0, float(1 - hit) + _ROUNDING)


def _step(search: Pursuit, state: PursuitState, chance: Float) -> tuple[PursuitState, Float]:
    """One more answer: both sides of the coin, both answers, equal beliefs merged.

    Args:
        search: The search.
        state: Its states, one a row.
        chance: [states, cells] how likely each is when X* lies in each cell.

    Returns:
        The states after the answer that are likely enough to follow, and their chances.
    """
    p, cells = float(search.p), np.arange(chance.shape[1])
    states, chances = [], []
    for side in (0, 1):
        weight = state.left if side == 0 else 1 - state.left
        rows = np.flatnonzero(weight > 0)
        if not len(rows):
            continue
        tossed = search.toss(take(state, rows), np.full(len(rows), side))
        point = search.ask(tossed)
        for answer in (False, True):
            agrees = (cells >= point[:, None]) == answer
            told = search.tell(tossed, np.full(len(rows), answer))
            states.append(spread(told.belief))
            chances.append(chance[rows] * weight[rows, None] * np.where(agrees, p, 1 - p))
    score, total = merged(np.concatenate(states), np.concatenate(chances))
    likely = (total.max(axis=1) >= _DROPPED) & (score.min(axis=1) > -_WIDE)
    if likely.sum() > _STATES:
        likely &= total.max(axis=1) >= np.partition(total.max(axis=1), -_STATES)[-_STATES]
    return search.resume(gathered(score[likely])), total[likely]


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
