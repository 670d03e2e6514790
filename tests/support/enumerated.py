"""Enumerate every run of a small noisy strategy: all coins and answers, with probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from feint.interfaces import UNASKED, take

Int = NDArray[np.int64]
Float = NDArray[np.float64]


class Leaves(NamedTuple):
    """All possible runs, one row each.

    Attributes:
        points: [leaves, columns] what was asked.
        coins: [leaves] how likely the coins fell so.
        told: [leaves] how many answers there were.
        right: [leaves, cells] how many of them are right if X* is in a cell.
        state: The strategy's state at the end.
    """

    points: Int
    coins: Float
    told: Int
    right: Int
    state: Any

    def chances(self, p: float) -> Float:
        """Return [leaves, cells] the probability of each run for X* in a cell, at one true p."""
        wrong = self.told[:, None] - self.right
        chance: Float = self.coins[:, None] * p**self.right * (1 - p) ** wrong
        return chance

    def success(self, p: float, window: int) -> float:
        """Return the success of the best eavesdropper who names this many neighbouring cells."""
        _, heard = np.unique(self.points, axis=0, return_inverse=True)
        mass = np.zeros((heard.max() + 1, self.right.shape[1]))
        np.add.at(mass, heard.ravel(), self.chances(p))
        below = np.pad(np.cumsum(mass, axis=1), ((0, 0), (1, 0)))
        caught = (below[:, window:] - below[:, :-window]).max(axis=1)
        won: float = caught.sum() / mass.shape[1]
        return won


def enumerate_runs(strategy: Any) -> Leaves:
    """Walk every coin and every answer of a strategy for one number."""
    cells = np.arange(strategy.cells[0])
    state, points = strategy.start(1), np.zeros((1, 0), np.int64)
    coins, told = np.ones(1), np.zeros(1, np.int64)
    right = np.zeros((1, len(cells)), np.int64)
    for _ in strategy.rounds:
        while (weights := strategy.coin(state)) is not None:
            weights = np.broadcast_to(weights, (len(coins), weights.shape[1]))
            share = weights / weights.sum(axis=1, keepdims=True)
            row, side = np.nonzero(share > 0)
            state = strategy.toss(take(state, row), side)
            coins = coins[row] * share[row, side]
            points, told, right = points[row], told[row], right[row]
        asked = strategy.ask(state)
        row, answers = np.arange(len(coins)), np.zeros(asked.shape, bool)
        for column in range(asked.shape[1]):
            both = np.flatnonzero(asked[row, column] != UNASKED)
            row = np.concatenate((row, row[both]))
            answers = np.concatenate((answers, answers[both]))
            answers[len(answers) - len(both) :, column] = True
        asked = asked[row]
        was_asked = asked != UNASKED
        points = np.concatenate((points[row], asked), axis=1)
        coins, told, right = coins[row], told[row] + was_asked.sum(axis=1), right[row]
        for column in range(asked.shape[1]):
            fits = (cells >= asked[:, column, None]) == answers[:, column, None]
            right = right + (fits & was_asked[:, column, None])
        state = strategy.tell(take(state, row), answers)
    return Leaves(points, coins, told, right, state)
