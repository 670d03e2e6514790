"""Turn a solution of the programme into a table of whole weights that can be played.

The table uses only one part of the solution: how each interval's weight is split among its queries,
rounded to whole numbers. So the table is an accurate strategy, however large the solver's error.
The success against it comes from enumeration, not from the solver.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from feint.planning.optimal.certificate import simple_fractions, whole_weights
from feint.planning.optimal.game import Int, Interval
from feint.planning.optimal.highs import Float
from feint.planning.optimal.programme import Block, Move, Programme
from feint.problem import Problem
from feint.strategies import END, Choices, Table, from_choices

_FINE = 1 << 40


class _Place(NamedTuple):
    """A position as the learner sees it; mirrored if `flipped`."""

    block: int
    row: int
    interval: int
    flipped: bool


class _Rest(NamedTuple):
    """A settled position, as the queries that remain to be asked for any answers."""

    queries: tuple[int, ...]


def table(programme: Programme, x: Float, total: int | None, problem: Problem) -> Table:
    """Return the strategy that a solution proposes.

    Args:
        programme: The programme of the game.
        x: The variables of the programme, in floats. Any values give an accurate strategy.
        total: The sum of the whole weights at each history. None: read each share as a simple
            fraction.
        problem: The problem that the strategy solves.

    Returns:
        The strategy. It asks one question per round, and stops when no useful question is left.
    """
    game = programme.game
    return from_choices(problem, game.cells, _Tables(programme, x, total).entries())


class _Tables:
    """The entries of a table, numbered in the order of their first occurrence."""

    def __init__(self, programme: Programme, x: Float, total: int | None) -> None:
        self.programme, self.game, self.total = programme, programme.game, total
        self.weights = [_split(programme, block, x, total) for block in programme.blocks]
        self.number: dict[_Place | _Rest, int] = {}
        self.order: list[_Place | _Rest] = []

    def entries(self) -> list[Choices]:
        """Return all entries, each after the one that first leads to it."""
        if not self.game.queries:
            return []
        self._child(_Place(0, 0, 0, False))
        found = list[Choices]()
        while len(found) < len(self.order):
            place = self.order[len(found)]
            found.append(self._rest(place) if isinstance(place, _Rest) else self._node(place))
        return found

    def _child(self, place: _Place | _Rest) -> int:
        """Return the number of a position's entry; a new position gets the next number."""
        if isinstance(place, _Place):
            block = self.programme.blocks[place.block]
            if block.shape.settled:
                queries = block.shape.rest
                if place.flipped:
                    queries = tuple(self.game.cells - each for each in queries)
                place = _Rest(queries)
        if place == _Rest(()):
            return END
        if place not in self.number:
            self.number[place] = len(self.order)
            self.order.append(place)
        return self.number[place]

    def _rest(self, place: _Rest) -> Choices:
        after = self._child(_Rest(place.queries[1:]))
        return ((place.queries[0], 1),), ((after, after),)

    def _node(self, place: _Place) -> Choices:
        block = self.programme.blocks[place.block]
        choices, children = [], []
        for number, weight in enumerate(self.weights[place.block][place.row, place.interval]):
            if weight:
                other, move = divmod(number, len(block.moves))
                interval, flipped = place.interval, place.flipped
                if other:  # at a central position: add the mirrored query
                    interval, flipped = self.programme.twin(block.shape, interval), True
                query = block.moves[move].choice.query
                choices.append((self.game.cells - query if flipped else query, int(weight)))
                after = self._after(block, place.row, interval, block.moves[move], flipped)
                children.append(after)
        return choices, children

    def _after(
        self, block: Block, row: int, interval: int, move: Move, flipped: bool
    ) -> tuple[int, int]:
        """Return the entries after "no" and after "yes"."""
        target = self.programme.blocks[move.target]
        holder = block.shape.intervals[interval]
        found = [END, END]
        for number, part in enumerate(target.shape.intervals):
            if holder[0] <= part[0] and part[1] <= holder[1]:
                place = _Place(move.target, move.row + row, number, flipped)
                yes = _above(part, move.choice.query)
                found[yes != flipped] = self._child(place)
        return found[0], found[1]


def _above(interval: Interval, query: int) -> bool:
    return interval[0] >= query


def _split(programme: Programme, block: Block, x: Float, total: int | None) -> Int:
    """Return [positions, intervals, moves] whole weights; mirrored moves follow if central."""
    positions, intervals = block.inflow.shape
    shares = np.zeros((positions, intervals, len(block.moves)))
    may = np.zeros_like(shares)
    for number, move in enumerate(block.moves):
        askers = move.choice.askers
        own = x[move.first : move.first + positions * len(askers)]
        shares[:, askers, number] = own.reshape(positions, -1)
        may[:, askers, number] = 1
    if not block.moves:
        return np.zeros(shares.shape, np.int64)
    if programme.central(block.shape):
        twins = [programme.twin(block.shape, each) for each in range(intervals)]
        paired = [2 * move.choice.query != programme.game.cells for move in block.moves]
        shares = np.concatenate((shares, shares[:, twins] * paired), axis=2)
        may = np.concatenate((may, may[:, twins] * paired), axis=2)
    nothing = shares.sum(axis=2, keepdims=True) <= 1e-9
    flat = np.where(nothing, may, shares).reshape(positions * intervals, -1)
    weights = _simple_weights(flat) if total is None else whole_weights(flat, total)
    return weights.reshape(shares.shape)


def _simple_weights(shares: Float) -> Int:
    """Return whole weights in the ratio of simple fractions; each row has its own sum."""
    rows = simple_fractions(shares)
    weights = whole_weights(shares, _FINE)
    for index, row in enumerate(rows):
        common = math.lcm(*(each.denominator for each in row))
        if common <= _FINE and min(row) >= 0:
            weights[index] = [int(each * common) for each in row]
    return weights
