"""Enumerate one search under every key, with coins drawn as in a live search.

A live search derives a number from its key for each coin, the same in every search with that key,
and its remainder by the sum of the weights decides the side. Only the remainder by the least common
multiple of all such sums matters, so finitely many keys differ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from feint.branches import branches
from feint.errors import TooLarge
from feint.interfaces import Answers, Estimate, Points, Round, Sides, Strategy, Weights
from feint.problem import Problem

_KEYS = 1 << 10  # the most keys; each is a walk of all branches and needs memory

Toss = tuple[int, int]
"""The number of a round, and of a coin within it."""


class KeyedState(NamedTuple):
    """The state of each run.

    Attributes:
        round: The round about to be asked.
        toss: The number of coins of this round that were tossed.
        inner: The inner strategy's state.
    """

    round: int
    toss: int
    inner: Any


@dataclass(frozen=True)
class Keyed:
    """A strategy under a key, which decides every coin.

    Attributes:
        inner: The strategy.
        numbers: The key's number for each coin; None: coins are random and counted.
        sums: The least common multiple of each coin's sums so far, if they are counted.
    """

    inner: Strategy
    numbers: Mapping[Toss, int] | None = None
    sums: dict[Toss, int] = field(default_factory=dict)

    @property
    def problem(self) -> Problem:
        """Return the inner strategy's problem."""
        return self.inner.problem

    @property
    def cells(self) -> tuple[int, ...]:
        """Return the inner strategy's lattice."""
        return self.inner.cells

    @property
    def rounds(self) -> Sequence[Round]:
        """Return the inner strategy's rounds."""
        return self.inner.rounds

    def start(self, runs: int) -> KeyedState:
        """Return the inner strategy's first state."""
        return KeyedState(0, 0, self.inner.start(runs))

    def coin(self, state: KeyedState) -> Weights | None:
        """Return the inner strategy's coin, with all weight on the side that the key decides."""
        weights, toss = self.inner.coin(state.inner), (state.round, state.toss)
        if weights is None:
            return None
        if self.numbers is None:
            if ((weights > 0).sum(axis=1) > 1).any():  # otherwise the coin has one side
                sums = np.unique(weights.sum(axis=1)).tolist()
                self.sums[toss] = math.lcm(self.sums.get(toss, 1), *sums)
            return weights
        cumulative = np.cumsum(weights, axis=1)
        number = self.numbers.get(toss, 0) % cumulative[:, -1]
        side = (cumulative <= number[:, None]).sum(axis=1)
        alone: Weights = (np.arange(weights.shape[1]) == side[:, None]).astype(np.int64)
        return alone

    def toss(self, state: KeyedState, side: Sides) -> KeyedState:
        """Return the inner strategy's state after the toss."""
        return KeyedState(state.round, state.toss + 1, self.inner.toss(state.inner, side))

    def ask(self, state: KeyedState) -> Points:
        """Return the inner strategy's queries."""
        return self.inner.ask(state.inner)

    def tell(self, state: KeyedState, answers: Answers) -> KeyedState:
        """Return the inner strategy's state after these answers."""
        return KeyedState(state.round + 1, 0, self.inner.tell(state.inner, answers))

    def estimate(self, state: KeyedState) -> Estimate:
        """Return the inner strategy's estimate."""
        return self.inner.estimate(state.inner)


def keyed(strategy: Strategy, *, limit: int) -> list[Strategy]:
    """Return a noiseless strategy under every distinct key; all are equally likely.

    Raises:
        TooLarge: There are more than `limit` branches, or too many keys.
    """
    counted = Keyed(strategy)
    for _ in branches(counted, limit=limit):
        pass
    tosses = {toss: each for toss, each in counted.sums.items() if each > 1}
    count = math.prod(tosses.values())
    if count > _KEYS:
        rule = f"at most {_KEYS} ways its coins may fall are told apart"
        raise TooLarge("keys", count, rule, "audit it with fresh_keys")
    return [
        Keyed(strategy, dict(zip(tosses, numbers, strict=True)))
        for numbers in product(*map(range, tosses.values()))
    ]
