"""One search under every key there is: how coins fall, as a live search draws them.

A live search takes a number from its key for each coin, the same in every search with that key, and
divides it by the sum of the weights: the rest says the side. All that matters of the number is its
rest by the least common multiple of the sums that occur, so there are finitely many keys.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from feint.branches import branches
from feint.errors import TooLarge
from feint.interfaces import Answers, Estimate, Points, Round, Sides, Strategy, Weights
from feint.problem import Problem

_KEYS = 1 << 10  # keys that are told apart at most

Toss = tuple[int, int]
"""The number of a round, and of a coin within it."""


class KeyedState(NamedTuple):
    """Where each run stands.

    Attributes:
        round: The round about to be asked.
        toss: The number of coins of this round that have fallen.
        inner: The inner strategy's own state.
    """

    round: int
    toss: int
    inner: Any


@dataclass(frozen=True)
class Keyed:
    """A strategy under a key: no coin of it is left to chance.

    Attributes:
        inner: The strategy.
        marks: What the key gives for each coin.
    """

    inner: Strategy
    marks: Mapping[Toss, int]

    @property
    def problem(self) -> Problem:
        """See `Strategy`: the inner strategy's."""
        return self.inner.problem

    @property
    def cells(self) -> tuple[int, ...]:
        """See `Strategy`: the inner strategy's."""
        return self.inner.cells

    @property
    def rounds(self) -> Sequence[Round]:
        """See `Strategy`: the inner strategy's."""
        return self.inner.rounds

    def start(self, runs: int) -> KeyedState:
        """The inner strategy's start."""
        return KeyedState(0, 0, self.inner.start(runs))

    def coin(self, state: KeyedState) -> Weights | None:
        """The inner strategy's coin, all its weight on the side that the key says."""
        weights = self.inner.coin(state.inner)
        if weights is None:
            return None
        cumulative = np.cumsum(weights, axis=1)
        mark = self.marks.get((state.round, state.toss), 0) % cumulative[:, -1]
        side = (cumulative <= mark[:, None]).sum(axis=1)
        alone: Weights = (np.arange(weights.shape[1]) == side[:, None]).astype(np.int64)
        return alone

    def toss(self, state: KeyedState, side: Sides) -> KeyedState:
        """The inner strategy's state once that coin has fallen."""
        return KeyedState(state.round, state.toss + 1, self.inner.toss(state.inner, side))

    def ask(self, state: KeyedState) -> Points:
        """The inner strategy's queries."""
        return self.inner.ask(state.inner)

    def tell(self, state: KeyedState, answers: Answers) -> KeyedState:
        """The inner strategy's state after these answers."""
        return KeyedState(state.round + 1, 0, self.inner.tell(state.inner, answers))

    def estimate(self, state: KeyedState) -> Estimate:
        """The inner strategy's estimate."""
        return self.inner.estimate(state.inner)


@dataclass(frozen=True)
class _Counted(Keyed):
    """The strategy as it is; `sums` holds the least common multiple of each coin's sums so far."""

    sums: dict[Toss, int]

    def coin(self, state: KeyedState) -> Weights | None:
        """The inner strategy's coin, once its sums are counted."""
        weights = self.inner.coin(state.inner)
        if weights is not None:
            place, found = (state.round, state.toss), np.unique(weights.sum(axis=1)).tolist()
            lone = bool(((weights > 0).sum(axis=1) == 1).all())
            self.sums[place] = math.lcm(self.sums.get(place, 1), *([1] if lone else found))
        return weights


def keyed(strategy: Strategy, *, limit: int) -> list[Strategy]:
    """The strategy under every key, all of them equally likely.

    Args:
        strategy: A noiseless one.
        limit: The number of branches beyond which to refuse.

    Returns:
        One strategy a key that makes a difference; a single one where there are no coins.

    Raises:
        TooLarge: There are too many branches or keys.
    """
    sums: dict[Toss, int] = {}
    for _ in branches(_Counted(strategy, {}, sums), limit=limit):
        pass
    places = [place for place, each in sums.items() if each > 1]
    count = math.prod(sums[place] for place in places)
    if count > _KEYS:
        rule = f"at most {_KEYS} ways its coins may fall are told apart"
        remedy = "audit it with fresh_keys"
        raise TooLarge("keys", count, rule, remedy)
    return [
        Keyed(strategy, dict(zip(places, marks, strict=True)))
        for marks in product(*(range(sums[place]) for place in places))
    ]
