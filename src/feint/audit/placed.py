"""Compute the best eavesdropper's posterior if the reliability of answers depends on the distance.

For a transcript q, P(q | X) = Σ_{k kept} P(k̂ = k | X) · P(window | k̂ = k) · P(q⁽³⁾ | X − k's
start). The followed answers are not overheard. So all numbers of yes answers that fit the questions
are followed, and histories with the same number for every boundary are merged into one state. If
there are too many states, she is told the followed answers, and her success is an upper bound. The
claim of proofs/responses.md covers her too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.errors import InvalidValue
from feint.interfaces import UNASKED
from feint.strategies import LOG_UNIT, ResponseNoisy, placed_vote

Int = NDArray[np.int64]
Float = NDArray[np.float64]
STATES = 1 << 9
"""The most states to follow before she is helped: a transcript then takes about a second."""


class Placed(NamedTuple):
    """The likelihood P(q | X) for every cell.

    Attributes:
        mass: [cells] the likelihood in each cell, up to a factor; the largest is 1.
        log: The logarithm of the factor.
        helped: Whether she was told the followed answers.
    """

    mass: Float
    log: float
    helped: bool


class _States(NamedTuple):
    """Numbers of yes answers that fit the questions so far.

    Attributes:
        yes: [states, boundaries] the number of yes answers to each boundary of part k̂.
        log: [states, scales, places] the search's log posterior of the place.
        ways: [states] the logarithm of the number of orders of those yes answers.
    """

    yes: Int
    log: Int
    ways: Float


def placed_joint(
    strategy: ResponseNoisy, points: Int, told: Int | None = None, most: int = STATES
) -> Placed:
    """Return the likelihood of a transcript for every cell of X*.

    Args:
        strategy: The strategy that she overhears.
        points: [columns] the queries, in order; `UNASKED` in columns that were left out.
        told: [rounds] the number of yes answers in part k̂ in each round of hiding, to help her
            with; None: she is not helped, even if there are many states.
        most: The most states to follow before she is helped; 0: she is helped at once.

    Raises:
        InvalidValue: The strategy does not ask these questions.
    """
    window, asked = _hidden(strategy, points)
    seen, place = np.unique(asked, return_inverse=True)
    states = None
    if told is None or most:
        states = _followed(strategy, asked, seen, place, most if told is not None else None)
    helped = states is None
    if states is None:
        yes = np.zeros((1, len(seen)), np.int64)
        np.add.at(yes[0], place, np.zeros(0, np.int64) if told is None else told)
        states = _States(yes, np.empty(0, np.int64), np.zeros(1))
    return _joined(strategy, window, (seen, place), states, helped=helped)


def _hidden(strategy: ResponseNoisy, points: Int) -> tuple[Int, Int]:
    """Return the starts of the kept parts, and the boundary that each round of hiding asks."""
    shape = strategy.shape
    first = (shape.parts - 1) * shape.repeats
    rounds = points[first:].reshape(-1, shape.at_once, shape.kept)
    asked = rounds[:, 0]
    heard = asked[asked[:, 0] != UNASKED]
    if not len(heard):
        raise InvalidValue("points", "no question of hiding", "a search asks some", "give all")
    begin = strategy.aims(strategy.prior[None], 0)[0]
    return heard[0] - begin, heard[:, 0] - (heard[0, 0] - begin)


def _followed(
    strategy: ResponseNoisy, asked: Int, seen: Int, place: Int, most: int | None
) -> _States | None:
    """Follow all numbers of yes answers that fit; return None if there are too many."""
    batch = strategy.shape.at_once
    states = _States(
        np.zeros((1, len(seen)), np.int64), strategy.prior[None], np.zeros(1, np.float64)
    )
    orders = np.array([math.log(math.comb(batch, each)) for each in range(batch + 1)])
    for number, boundary in enumerate(asked):
        owner = np.repeat(np.arange(len(states.yes)), batch + 1)
        count = np.tile(np.arange(batch + 1), len(states.yes))
        at = np.full(len(count), boundary)
        cells = states.log.shape[2]
        log = states.log[owner] + strategy.likelihood(at, count, batch, -strategy.reach, cells)
        ended = number + 1 == len(asked)
        # A search that ends at the cap need not be sure.
        if not (ended and number + 1 == strategy.shape.most):
            then = UNASKED if ended else asked[number + 1]
            fits = np.flatnonzero(strategy.aims(log, number + 1) == then)
            owner, count, log = owner[fits], count[fits], log[fits]
        if not len(owner):
            rule = "the strategy does not ask these questions"
            raise InvalidValue("points", "a transcript", rule, "give one of its own")
        yes = states.yes[owner]
        yes[:, place[number]] += count
        ways = states.ways[owner] + orders[count]
        # States with equal counts for every boundary have equal beliefs.
        _, index, inverse = np.unique(yes, axis=0, return_index=True, return_inverse=True)
        merged = np.full(len(index), -np.inf)
        np.logaddexp.at(merged, inverse.reshape(-1), ways)
        states = _States(yes[index], log[index], merged)
        if most is not None and len(index) > most:
            return None
    return states


def _joined(
    strategy: ResponseNoisy, window: Int, asked: tuple[Int, Int], states: _States, *, helped: bool
) -> Placed:
    """Return the likelihood summed over all kept parts."""
    shape, cells, size = strategy.shape, strategy.part_cells, strategy.size
    seen, place = asked
    first, wide = -(shape.parts - 1) * cells, (2 * shape.parts - 1) * cells
    totals = shape.at_once * np.bincount(place, minlength=len(seen))
    scales = strategy.responses.scales
    log = np.empty((len(states.yes), len(scales), wide))
    log[:] = states.ways[:, None, None]
    for column, boundary in enumerate(seen.tolist()):
        at, yes = np.array([boundary]), np.arange(totals[column] + 1)[states.yes[:, column]]
        told = strategy.likelihood(np.repeat(at, len(yes)), yes, int(totals[column]), first, wide)
        log += told * LOG_UNIT
    top = float(log.max())
    chance = np.exp(log - top).sum(axis=0)  # [scales, places]
    found = np.zeros(size)
    for row, (scale, weight) in enumerate(zip(scales, strategy.responses.weights, strict=True)):
        vote = None
        if shape.parts > 1:
            vote = placed_vote(
                strategy.responses, float(scale * shape.parts), shape.parts, shape.repeats, cells
            ).middle
        for start in window.tolist():
            part = start // cells
            places = slice((shape.parts - 1 - part) * cells, (2 * shape.parts - 1 - part) * cells)
            voted = 1.0 if vote is None else vote[part, places]
            found += float(weight) * voted * chance[row, places]
    if shape.kept < shape.parts:  # the probability of the coin that chose the window
        found /= shape.kept
    most = float(found.max())
    if not most > 0:
        raise InvalidValue("points", "a transcript", "no number fits it", "give one of its own")
    return Placed(found / most, top + math.log(most), helped)


def counts_told(strategy: ResponseNoisy, points: Int, told: NDArray[np.bool_], column: int) -> Int:
    """Return the number of yes answers in part k̂ in each round of hiding.

    Args:
        strategy: The strategy that ran.
        points: [columns] the queries.
        told: [columns] the answers.
        column: The index of k̂ among the kept parts.
    """
    shape = strategy.shape
    first = (shape.parts - 1) * shape.repeats
    asked = points[first:].reshape(-1, shape.at_once, shape.kept)[:, 0, 0] != UNASKED
    answers = told[first:].reshape(-1, shape.at_once, shape.kept)[:, :, column]
    counts: Int = answers[asked].sum(axis=1)
    return counts
