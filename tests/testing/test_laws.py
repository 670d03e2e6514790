"""The laws can fail: one broken strategy a law."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from tests.support.strategies import staged
from tests.support.uneven import Forked, ForkedState

from feint import FeintError, Problem
from feint.errors import TooLarge
from feint.interfaces import UNASKED, Answers, Estimate, Points, Round, Weights
from feint.strategies import Product, Staged, StagedState
from feint.testing import SPECIMENS, LawBroken, check

PROBLEM = Problem("1/16", "1/4", 2)
SHAPE = (16, (), 4, 2, (2, 2))


class Narrow(Staged):
    """Asks a column fewer than it announced."""

    def ask(self, state: StagedState) -> Points:
        return super().ask(state)[:, 1:]

    def tell(self, state: StagedState, answers: Answers) -> StagedState:
        return super().tell(state, np.concatenate((answers[:, :1], answers), axis=1))


class Astray(Staged):
    """Asks off the lattice."""

    def ask(self, state: StagedState) -> Points:
        return super().ask(state) + 100 * (state.round == 0)


class Halfway(Staged):
    """Asks between two boundaries."""

    def ask(self, state: StagedState) -> Points:
        return cast(Points, super().ask(state) + 0.5)


class Beyond(Staged):
    """Asks a cell past its end."""

    def ask(self, state: StagedState) -> Points:
        return super().ask(state) + 2


class Wrong(Staged):
    """Says the cell next to what it found."""

    def estimate(self, state: StagedState) -> Estimate:
        found = super().estimate(state)
        return Estimate.between(found.low + 1, found.high + 1)


class Crooked(Staged):
    """Says a point that is not the middle of its ends."""

    def estimate(self, state: StagedState) -> Estimate:
        found = super().estimate(state)
        return replace(found, rest=found.rest + 0.1)


class Gossip(Staged):
    """Its runs depend on the rest of the batch."""

    def ask(self, state: StagedState) -> Points:
        return np.maximum(super().ask(state) - (len(state.part) > 1), 0)


class Blank(Staged):
    """Its coin has no side to fall on."""

    def coin(self, state: StagedState) -> Weights | None:
        weights = super().coin(state)
        return None if weights is None else 0 * weights


class Sealed(Staged):
    """Misses one cell, which only an enumeration is sure to meet."""

    def estimate(self, state: StagedState) -> Estimate:
        found = super().estimate(state)
        low = np.where(found.low == 1, found.low + 1, found.low)
        return Estimate.between(low, found.high)


@pytest.mark.parametrize(
    ("kind", "law"),
    [
        (Wrong, "the estimate holds X\\*"),
        (Crooked, "the middle of its ends"),
        (Astray, "points lie on the lattice"),
        (Halfway, "points are whole numbers"),
        (Gossip, "a run alone asks what it asks in a batch"),
        (Blank, "a coin has a side to fall on"),
        (Narrow, r"round 0: asks \(16, 3\), as announced"),
    ],
)
def test_each_law_can_break(kind: Any, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        check(staged(PROBLEM, *SHAPE, kind))


def test_enumeration_meets_what_a_few_runs_may_not() -> None:
    """One cell of 160 is wrong, and it is not among the runs that are driven."""
    wide = (160, (), 4, 2, (40,))
    with pytest.raises(LawBroken, match="the estimate holds X\\* on every branch"):
        check(staged(PROBLEM, *wide, Sealed))


def test_a_strategy_that_must_ask_everything_is_held_to_it() -> None:
    check(staged(PROBLEM, *SHAPE), asks_all=True)
    with pytest.raises(LawBroken, match="no column is left out"):
        check(SPECIMENS["no last decoys"].strategy, asks_all=True)


class Shy(Staged):
    """Says that it asks everything, and leaves the last column out."""

    asks_all = True

    def ask(self, state: StagedState) -> Points:
        asked = super().ask(state).copy()
        asked[:, -1] = UNASKED
        return asked


class Long(Forked):
    """Says that it asks fewer questions than it does."""

    queries = 6


class Restless(Forked):
    """Goes on after a round that asked nothing."""

    rounds = (*Forked.rounds, Round("again", (0,)))
    queries = 8

    def ask(self, state: ForkedState) -> Points:
        return np.full((len(state.part), 1), 5) if state.round == 4 else super().ask(state)

    def tell(self, state: ForkedState, answers: Answers) -> ForkedState:
        if state.round == 4:
            return state._replace(round=5)
        return super().tell(state, answers)


class Sometimes(Restless):
    """Goes on after a round that asked nothing, but not in every run."""

    def ask(self, state: ForkedState) -> Points:
        asked = super().ask(state)
        return np.where(state.part[:, None] == 0, UNASKED, asked) if state.round == 4 else asked


class Doubting(Forked):
    """Says something else once it has ended."""

    rounds = (*Forked.rounds, Round("again", (0,)))

    def ask(self, state: ForkedState) -> Points:
        return np.full((len(state.part), 1), UNASKED) if state.round == 4 else super().ask(state)

    def tell(self, state: ForkedState, answers: Answers) -> ForkedState:
        if state.round == 4:
            return state._replace(round=5)
        return super().tell(state, answers)

    def estimate(self, state: ForkedState) -> Estimate:
        found = super().estimate(state)
        return found if state.round == 5 else Estimate.between(found.low, found.high + 1)


@pytest.mark.parametrize(
    ("strategy", "law"),
    [
        (staged(PROBLEM, *SHAPE, Shy), "no column is left out"),
        (Long(), "no run asks more questions than the strategy says"),
        (Restless(), "once a round asks a run nothing"),
        (Sometimes(), "once a round asks a run nothing"),
        (Doubting(), "the estimate of a run that has ended stays"),
    ],
    ids=lambda each: type(each).__name__ if not isinstance(each, str) else None,
)
def test_each_law_of_the_end_can_break(strategy: Any, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        check(strategy)


def test_each_coordinate_has_its_own_end() -> None:
    """A point past the end of a short coordinate, where a longer one still has a boundary."""
    both = Problem("1/16", "1/4", 2, dim=2)
    good, far = staged(PROBLEM, 8, (), 1, 1, (8,)), staged(PROBLEM, 8, (), 1, 1, (8,), Beyond)
    check(Product(both, (staged(PROBLEM, *SHAPE), good)))
    with pytest.raises(LawBroken, match="points lie on the lattice"):
        check(Product(both, (staged(PROBLEM, *SHAPE), far)))


def test_large_lattices_are_refused_before_anything_is_allocated() -> None:
    huge = staged(PROBLEM, 1 << 60, (), 4, 2, (2, 2))
    with pytest.raises(TooLarge, match="a coarser lattice"):
        check(huge)
    with pytest.raises(TooLarge, match="a coarser lattice"):
        check(Product(Problem("1/16", "1/4", 2, dim=9), (staged(PROBLEM, *SHAPE),) * 9))


@pytest.mark.parametrize("name", SPECIMENS)
def test_specimens_obey_the_contract(name: str) -> None:
    """They are wrong about privacy, not about what a strategy is."""
    check(SPECIMENS[name].strategy, accurate="printed" not in name)


def test_a_broken_law_is_one_of_our_errors_and_fails_a_test() -> None:
    assert issubclass(LawBroken, FeintError)
    assert issubclass(LawBroken, AssertionError)
