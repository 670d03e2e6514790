"""Check the contract of a noiseless strategy at every step.

An audit covers cells, whole weights and the middle of an interval. A strategy that asks between two
boundaries, weighs a coin in fractions or estimates a point other than the middle is refused, since
the audit would be about a different strategy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple

import numpy as np

from feint.errors import InvalidValue
from feint.interfaces import (
    UNASKED,
    Answers,
    Estimate,
    Points,
    Round,
    Sides,
    State,
    Strategy,
    Weights,
)
from feint.problem import Problem

SAFE = 1 << 62
"""The limit from which Python's integers are used: sums of two smaller numbers fit into 64 bits."""


class CheckedState(NamedTuple, Generic[State]):
    """The state of a checked strategy.

    Attributes:
        round: The round about to be asked.
        runs: [runs] zeros: its length is the number of runs.
        inner: The inner strategy's state.
    """

    round: int
    runs: Sides
    inner: State


@dataclass(frozen=True)
class Checked(Generic[State]):
    """A noiseless strategy whose coins, queries and estimates are all checked.

    Values of the inner strategy are passed on unchanged, or refused with `InvalidValue`. The check
    does *not* cover whether the estimate holds X*, or whether promises are kept.

    Attributes:
        inner: The strategy.
    """

    inner: Strategy[State]

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

    def start(self, runs: int) -> CheckedState[State]:
        """Return the inner strategy's first state."""
        return CheckedState(0, np.zeros(runs, np.int64), self.inner.start(runs))

    def coin(self, state: CheckedState[State]) -> Weights | None:
        """Return the inner strategy's coin; its weights must be whole numbers whose sum fits."""
        weights = self.inner.coin(state.inner)
        if weights is None:
            return None
        where = f"coin of round {state.round}"
        if weights.ndim != 2 or len(weights) != len(state.runs) or not weights.shape[1]:
            rule = f"must weigh the sides of {len(state.runs)} runs, an array [runs, sides]"
            raise InvalidValue(where, weights.shape, rule, "give one row per run")
        if weights.dtype.kind not in "iu" and not _whole(weights):
            rule = "must have whole numbers as weights, or its probabilities are not exact"
            raise InvalidValue(where, weights.dtype, rule, "give odds, such as 19 19 2")
        few = weights[:1, :1] if weights.strides == (0, 0) else weights
        if few.size and int(few.min()) < 0:
            raise InvalidValue(where, int(few.min()), "no side may weigh less than 0", "give odds")
        if few.size and int(few.max()) * weights.shape[1] >= SAFE:
            weights = weights.astype(object)
        elif weights.dtype.kind == "u":
            weights = weights.astype(np.int64)
        if (weights.sum(axis=1) == 0).any():
            raise InvalidValue(where, 0, "must have a side to fall on", "let one weigh 1")
        return weights

    def toss(self, state: CheckedState[State], side: Sides) -> CheckedState[State]:
        """Return the inner strategy's state after the toss."""
        return state._replace(inner=self.inner.toss(state.inner, side))

    def ask(self, state: CheckedState[State]) -> Points:
        """Return the inner strategy's queries: boundaries of the lattice, or `UNASKED`."""
        asked = self.inner.ask(state.inner)
        where, columns = f"queries of round {state.round}", self.rounds[state.round].coordinates
        if asked.shape != (len(state.runs), len(columns)):
            rule = f"must be {(len(state.runs), len(columns))} in shape, as the round announced"
            raise InvalidValue(where, asked.shape, rule, "leave columns out with UNASKED")
        if asked.dtype.kind != "i":
            rule = "must be whole numbers: boundaries of the lattice"
            raise InvalidValue(where, asked.dtype, rule, "ask at the nearest boundary")
        if asked.size and (int(asked.min()) < UNASKED or self._beyond(asked, columns)):
            rule = f"must be boundaries of the lattice {self.cells}, from 0 to its ends"
            raise InvalidValue(where, "off the lattice", rule, "ask at the nearest boundary")
        return asked

    def tell(self, state: CheckedState[State], answers: Answers) -> CheckedState[State]:
        """Return the inner strategy's state after these answers."""
        return CheckedState(state.round + 1, state.runs, self.inner.tell(state.inner, answers))

    def estimate(self, state: CheckedState[State]) -> Estimate:
        """Return the inner strategy's estimate; it must be the middle of its ends."""
        found = self.inner.estimate(state.inner)
        shape = (len(state.runs), len(self.cells))
        for ends in (found.low, found.high):
            if ends.shape != shape or ends.dtype.kind != "i":
                rule = f"its ends must be whole numbers, {shape} in shape"
                raise InvalidValue("estimate", f"{ends.dtype}{ends.shape}", rule, "give boundaries")
        middle = Estimate.between(found.low, found.high)
        same = np.array_equal(found.cell, middle.cell) and np.array_equal(found.rest, middle.rest)
        if not same:
            rule = "without noise its point must be the middle of its low and high"
            raise InvalidValue("estimate", "elsewhere", rule, "move its ends instead")
        return found

    def _beyond(self, asked: Points, columns: Sequence[int]) -> bool:
        """Return True if a point lies past the end of its coordinate."""
        if len(set(self.cells)) == 1:
            return int(asked.max()) > self.cells[0]
        return bool((asked > np.array(self.cells, np.int64)[list(columns)]).any())


def _whole(weights: Weights) -> bool:
    """Return True if an array of Python numbers holds only whole numbers."""
    return weights.dtype == object and all(isinstance(each, int) for each in weights.flat)
